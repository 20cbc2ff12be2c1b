/*
** kernel.h - the kernel object: calling it launches.
*/
#pragma once

#include <lua.h>

/* Pushes the kernel object of `name` from the module at idx; raises when there is none. */
void dc_lua_pushkernel(lua_State *L, int module, const char *name);
void dc_lua_open_kernel(lua_State *L, int self);
