/*
** format.h - tostring of an array: what it is, then its elements as Lua writes tables; of a 0-d array its number.
*/
#pragma once

#include <lua.h>

int dc_lua_array_tostring(lua_State *L);
int dc_lua_array_concat(lua_State *L);
