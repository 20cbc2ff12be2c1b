/*
** comm.h - communicators as Lua values: handles that lua/dotcompute/comm.lua keeps in its objects.
*/
#pragma once

#include <lauxlib.h>
#include <lua.h>

void dc_lua_open_comm(lua_State *L, int self);
extern const luaL_Reg dc_lua_comm_internal[];
