/*
** message.h - an error in a cleaned log of NVRTC:
**   dotcompute.cu(12): error: identifier "x" is undefined
**     float y = x;
**               ^
*/
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef struct dc_message {
  const char *text, *end;
  const char *sentence; /* behind "error: "; NULL when it is no error */
  int line;             /* of the source; 0 in a header */
  size_t nfile;         /* length of the header's path, at `text`; 0 in the source */
  int header_line;
} dc_message;

/* The message at `text`. */
dc_message dc_message_read(const char *text);

/* The next message behind it, or the log's end. */
const char *dc_message_next(const dc_message *e);

bool dc_message_says(const dc_message *e, const char *words);

/* What stands between `before` and the next quote; *n is 0 when it is no such message. */
const char *dc_message_quoted(const dc_message *e, const char *before, size_t *n);

/* The source line that the message shows, and the column of the caret below it; NULL when it shows none. */
const char *dc_message_shown(const dc_message *e, size_t *column);

/* The name above the caret. */
const char *dc_message_pointed_at(const dc_message *e, size_t *n);

/* Of "a::b::c" above the caret, at any of its names, the first; NULL where no name is. */
const char *dc_message_first_namespace(const dc_message *e, size_t *n);

/* Of an error inside of a template, the outermost place that instantiates it, which is named last.  False: it is in
** none. */
bool dc_message_instantiated(const dc_message *e, dc_message *user);
