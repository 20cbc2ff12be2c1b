/*
** array_methods.h - the type dotcompute.array: its metatable, and the methods that copy, fill, convert and evaluate
** arrays.  The other methods are in operators.c, reduce.c, index.c and linalg.c.
*/
#ifndef DC_LUA_ARRAY_METHODS_H
#define DC_LUA_ARRAY_METHODS_H

#include <lua.h>

void dc_lua_open_array(lua_State *L, int self);

#endif
