/*
** comm_call.h - operations of communicators: from the Lua stack to dc_array_communicate.
*/
#pragma once

#include <lauxlib.h>

extern const luaL_Reg dc_lua_comm_call_internal[];
/* Makes the type of prepared operations. */
void dc_lua_open_comm_call(lua_State *L, int self);
