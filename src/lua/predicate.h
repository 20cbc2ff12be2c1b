/*
** predicate.h - pending expressions fused into algorithms' kernels (array/fused_predicate.h), for
** lua/dotcompute/select.lua.
*/
#pragma once

#include <lauxlib.h>
#include <lua.h>

void dc_lua_open_predicate(lua_State *L, int self);
extern const luaL_Reg dc_lua_predicate_internal[];
