/* call.h - calls with tracebacks, and messages on stderr. */
#pragma once

#include <lua.h>

/* The program's name in front of messages; NULL: none, as at the prompt. */
extern const char *dclua_progname;

/* Prints a line to stderr, behind the program's name. */
void dclua_print_message(const char *text);

/* The registry's field with a function that gives the text of error objects which have none of their own. */
#define DCLUA_DESCRIBE "dotcompute.describe"

/* Calls the function below its `nargs` arguments with a message handler that adds a traceback.
** Leaves `nresults` results, or the message; returns Lua's status. */
int dclua_call(lua_State *L, int nargs, int nresults);

/* Pushes the field `name` of the table that the registry has at `ref`, without metamethods. */
void dclua_push_field(lua_State *L, int ref, const char *name);

/* Prints and pops the message on top when `status` is not LUA_OK; gives the status back. */
int dclua_report(lua_State *L, int status);
