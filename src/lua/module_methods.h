/*
** module_methods.h - dc.kernel, dc.module and the type dotcompute.module: a compiled source and its kernels by name.
*/
#pragma once

#include <lauxlib.h>
#include <lua.h>

extern const luaL_Reg dc_lua_module_core[], dc_lua_module_internal[];
void dc_lua_open_module(lua_State *L, int self);
