/*
** reduce.h - reductions of arrays: over all elements, an axis, or several.
*/
#ifndef DC_LUA_REDUCE_H
#define DC_LUA_REDUCE_H

#include <lauxlib.h>

extern const luaL_Reg dc_lua_reduce_core[], dc_lua_reduce_methods[];

#endif
