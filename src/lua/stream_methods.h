/*
** stream_methods.h - the types dotcompute.stream and dotcompute.event.
*/
#pragma once

#include <lauxlib.h>
#include <lua.h>

void dc_lua_open_stream(lua_State *L, int self);

extern const luaL_Reg dc_lua_stream_core[];
