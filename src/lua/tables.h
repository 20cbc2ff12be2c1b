/*
** tables.h - arrays from and to text: CSV and its relatives.
*/
#ifndef DC_LUA_TABLES_H
#define DC_LUA_TABLES_H

#include <lauxlib.h>

extern const luaL_Reg dc_lua_tables_internal[];

#endif
