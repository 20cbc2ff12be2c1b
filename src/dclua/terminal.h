/*
** terminal.h - lines from a terminal, edited by libedit: signals in their order among the keys, completion, pasting.
*/
#pragma once

#include <lua.h>
#include <stdbool.h>

#include "base/buf.h"

typedef struct dclua_terminal dclua_terminal;

typedef enum dclua_reading { DCLUA_LINE, DCLUA_INTERRUPTED, DCLUA_END } dclua_reading;

/* The terminal at standard input and output. NULL: it cannot be used for editing.  `session`: where the registry has
** the table of dotcompute.prompt. */
dclua_terminal *dclua_terminal_open(lua_State *L, int session);
/* Appends the next line, without its end. */
dclua_reading dclua_terminal_read(dclua_terminal *t, const char *prompt, dc_buf *out);
/* The width of the terminal at standard output; 80 where there is none, or where it does not say. */
int dclua_terminal_columns(void);
/* Whether the line was ended within a paste, which goes on. */
bool dclua_terminal_is_pasting(const dclua_terminal *t);
/* Adds an entry, of one line or several, to the history. */
void dclua_terminal_remember(dclua_terminal *t, const char *entry);
void dclua_terminal_close(dclua_terminal *t);
