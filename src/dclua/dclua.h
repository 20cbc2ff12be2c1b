/*
** dclua.h - what the interpreter's files share: running code with tracebacks, Ctrl-C, the prompt, and
** the Lua modules that travel inside the executable.
*/
#ifndef DC_DCLUA_DCLUA_H
#define DC_DCLUA_DCLUA_H

#include <lua.h>
#include <stdbool.h>

/* The program's name in front of messages; NULL: none, as at the prompt. */
extern const char *dclua_progname;
/* Prints a line to stderr, behind the program's name. */
void dclua_print_message(const char *text);
/* Calls the function below its `nargs` arguments with a message handler that adds a traceback.
** Leaves `nresults` results, or the message; returns Lua's status. */
int dclua_call(lua_State *L, int nargs, int nresults);
/* Prints and pops the message on top when `status` is not LUA_OK; gives the status back. */
int dclua_report(lua_State *L, int status);

/* interrupt.c */

/* Catches SIGINT from now on for this state, the process's one. Replaces coroutine.resume, wrap and
** close by ones that say which coroutine runs; call after luaL_openlibs. */
void dclua_interrupt_open(lua_State *L);
/* Forgets an interrupt that nobody has taken (the prompt, before it reads). True when there was one. */
int dclua_interrupt_take(void);
int dclua_interrupt_pending(void);
/* While nothing is run, at the prompt, any number of interrupts is one, and none ends the process. */
void dclua_interrupt_idle(bool idle);

/* embedded.c */

/* Puts `dotcompute.core` and every embedded Lua module into package.preload. */
void dclua_embedded_open(lua_State *L);

/* repl.c */

/* Reads, evaluates and prints until end of file. The terminal's name for messages is argv[0]'s. */
void dclua_repl(lua_State *L);

#endif
