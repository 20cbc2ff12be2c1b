/*
** builders.h - functions in C for the builders in Lua (elementwise, reduction, scan) and the algorithms: errors,
** dtypes, the types of arguments as a key, checks of results, strides.
*/
#pragma once

#include <lauxlib.h>
#include <lua.h>

#include "array/graph/geometry.h"
#include "array/graph/types.h"

extern const luaL_Reg dc_lua_builders_internal[];

/* Raises unless the array, which is result `number` of a call, has that shape and can be written. */
void dc_lua_check_result(lua_State *L, const dc_array *a, const dc_geometry *g, int number);
