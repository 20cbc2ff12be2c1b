/*
** terminal.h - lines from a terminal, edited by libedit: signals in their order among the keys, completion, pasting.
*/
#pragma once

#include <lua.h>

#include "base/buf.h"

typedef struct dclua_terminal dclua_terminal;

typedef enum dclua_reading { DCLUA_LINE, DCLUA_INTERRUPTED, DCLUA_END } dclua_reading;

/* The terminal at standard input and output. NULL: it cannot be used for editing. */
dclua_terminal *dclua_terminal_open(lua_State *L);
/* Appends the next line, without its end. */
dclua_reading dclua_terminal_read(dclua_terminal *t, const char *prompt, dc_buf *out);
void dclua_terminal_close(dclua_terminal *t);
