/*
** interrupt.h - Ctrl-C.  The signal sets dc_interrupt_flag, which kernels and waits poll, and a
** hook on the coroutine that runs, which raises an error of kind "interrupted" at the next instruction.
*/
#pragma once

#include <lua.h>
#include <stdbool.h>

/* Catches SIGINT from now on for this state, the process's one. Replaces coroutine.resume, wrap and
** close by ones that say which coroutine runs; call after luaL_openlibs. */
void dclua_interrupt_open(lua_State *L);

/* Clears a pending interrupt (the prompt, before it reads). True when there was one. */
int dclua_interrupt_take(void);
int dclua_interrupt_pending(void);

/* While nothing is run, at the prompt, any number of interrupts is one, and none ends the process. */
void dclua_interrupt_idle(bool idle);
