/*
** module_methods.h - dc.kernel, dc.module and the type dotcompute.module: a compiled source and its kernels by name.
*/
#ifndef DC_LUA_MODULE_METHODS_H
#define DC_LUA_MODULE_METHODS_H

#include <lauxlib.h>
#include <lua.h>

extern const luaL_Reg dc_lua_module_core[];
void dc_lua_open_module(lua_State *L, int self);

#endif
