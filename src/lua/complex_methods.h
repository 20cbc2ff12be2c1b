/*
** complex_methods.h - the type dotcompute.complex: its fields re and im, and its arithmetic with numbers and with each
** other; an operation with an array gives an expression of arrays.
*/
#ifndef DC_LUA_COMPLEX_METHODS_H
#define DC_LUA_COMPLEX_METHODS_H

#include <lauxlib.h>
#include <lua.h>

extern const luaL_Reg dc_lua_complex_core[];
void dc_lua_open_complex(lua_State *L, int self);

#endif
