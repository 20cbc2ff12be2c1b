/*
** part.h - expressions that kernels of ours compute themselves (array/part.h), for lua/dotcompute/select.lua.
*/
#pragma once

#include <lauxlib.h>
#include <lua.h>

void dc_lua_open_part(lua_State *L, int self);
extern const luaL_Reg dc_lua_part_internal[];
