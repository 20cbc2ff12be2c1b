/*
** part.h - fused predicates (array/fused_predicate.h): bool expressions that the kernels of lua/dotcompute/select.lua
** compute themselves.
*/
#pragma once

#include <lauxlib.h>
#include <lua.h>

void dc_lua_open_part(lua_State *L, int self);
extern const luaL_Reg dc_lua_part_internal[];
