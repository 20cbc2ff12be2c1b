/*
** allocation.h - dc.memory: what a device has in use, and the lines of the script that allocated it.
*/
#ifndef DC_LUA_ALLOCATION_H
#define DC_LUA_ALLOCATION_H

#include <lauxlib.h>

extern const luaL_Reg dc_lua_memory_internal[];
void dc_lua_open_allocation(void);

#endif
