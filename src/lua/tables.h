/*
** tables.h - arrays from and to text: CSV and its relatives.
*/
#pragma once

#include <lauxlib.h>

extern const luaL_Reg dc_lua_tables_internal[];
