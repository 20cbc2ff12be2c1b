/*
** history.h - the prompt's history: lines kept between sessions in a file that sessions at the same time share.
*/
#pragma once

#include <histedit.h>

typedef struct dclua_history {
  History *lines;
  char *path; /* NULL: not kept */
  char *last; /* the line that this session added last */
} dclua_history;

/* Reads the file.  One that is missing, unreadable or damaged leaves the history empty; without memory `lines` is
** NULL. */
void dclua_history_open(dclua_history *h);
/* Adds an entry, of one line or several, to the history and to the end of the file. */
void dclua_history_add(dclua_history *h, const char *line);
void dclua_history_close(dclua_history *h);
