/*
** reduce.h - reductions of arrays: over all elements, an axis, or several.
*/
#pragma once

#include <lauxlib.h>

extern const luaL_Reg dc_lua_reduce_core[], dc_lua_reduce_methods[];
