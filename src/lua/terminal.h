/*
** terminal.h - pictures for terminals: the size of the one on standard output, and libchafa, which turns pixels into
** characters or sixels.
*/
#pragma once

#include <lauxlib.h>
#include <lua.h>

extern const luaL_Reg dc_lua_terminal_internal[];
