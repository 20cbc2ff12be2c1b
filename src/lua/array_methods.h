/*
** array_methods.h - the type dotcompute.array: its metatable, and the methods that copy, fill, convert and evaluate
** arrays.  The other methods are in operators.c, reduce.c, index.c and linalg.c.
*/
#pragma once

#include <lua.h>

void dc_lua_open_array(lua_State *L, int self);
