/*
** graph.h - graphs as Lua objects: capturing what a function launches, and running it again without it.
*/
#pragma once

#include <lauxlib.h>
#include <lua.h>

#include "device/device.h"

void dc_lua_open_graph(lua_State *L, int self);
/* The graph that `dev` captures has a launch of fn, whose source's origin is at `origin`: errors of runs name its
** lines. */
void dc_lua_graph_captured(lua_State *L, const dc_device *dev, const dc_function *fn, int origin);

extern const luaL_Reg dc_lua_graph_core[];
