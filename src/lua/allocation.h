/*
** allocation.h - dc.memory: what a device has in use, and the lines of the script that allocated it.
*/
#pragma once

#include <lauxlib.h>

extern const luaL_Reg dc_lua_memory_internal[];
void dc_lua_open_allocation(void);
