/*
** complex.h - the type dotcompute.complex: its fields re and im, and its arithmetic with numbers and with each
** other; an operation with an array gives an expression of arrays.
*/
#pragma once

#include <lauxlib.h>
#include <lua.h>

extern const luaL_Reg dc_lua_complex_core[];
void dc_lua_open_complex(lua_State *L, int self);
