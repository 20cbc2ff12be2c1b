/*
** ledger.h - what dc.memory asks of a device, and the line of the script that memory is made at.
*/
#ifndef DC_LUA_LEDGER_H
#define DC_LUA_LEDGER_H

#include <lauxlib.h>

extern const luaL_Reg dc_lua_memory_internal[];
void dc_lua_open_ledger(void);

#endif
