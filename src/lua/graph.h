/*
** graph.h - graphs as Lua objects: capturing what a function launches, and running it again without it.
*/
#pragma once

#include <lauxlib.h>
#include <lua.h>

void dc_lua_open_graph(lua_State *L, int self);

extern const luaL_Reg dc_lua_graph_core[];
