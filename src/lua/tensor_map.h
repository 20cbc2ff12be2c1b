/*
** tensor_map.h - tensor maps (device/texture.h) as Lua values; lua/dotcompute/tensor_map.lua reads their options and
** checks them.
*/
#pragma once

#include <lauxlib.h>
#include <lua.h>

#include "device/texture.h"
#include "lua/object.h"

/* User value: a table that describes it to scripts. */
typedef struct dc_lua_tensor_map {
  dc_lua_array memory; /* the array that it is a map of, kept alive */
  char bytes[DC_TENSOR_MAP_BYTES];
} dc_lua_tensor_map;

void dc_lua_open_tensor_map(lua_State *L, int self);
extern const luaL_Reg dc_lua_tensor_map_internal[];
