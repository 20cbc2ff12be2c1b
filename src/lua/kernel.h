/*
** kernel.h - the kernel object: calling it launches.
*/
#pragma once

#include <lua.h>

/* Pushes the kernel object of `name` from the module at idx; raises when there is none. */
void dc_lua_pushkernel(lua_State *L, int module, const char *name);
/* k(grid, block, ...), k:forall(n, ...): the kernel object is at 1, grid and block, or n, behind it; the arguments are
** from `first` to the stack's top.  Raise. */
int dc_lua_launch_kernel(lua_State *L, int first);
int dc_lua_launch_forall(lua_State *L, int first);
void dc_lua_open_kernel(lua_State *L, int self);
