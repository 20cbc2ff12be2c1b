/*
** create.h - functions of the module that make arrays, random and page-locked ones among them.
*/
#pragma once

#include <lauxlib.h>

extern const luaL_Reg dc_lua_create_core[], dc_lua_create_internal[];
