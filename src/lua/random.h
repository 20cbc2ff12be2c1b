/*
** random.h - core.random: what lua/dotcompute/random.lua makes random arrays of.
*/
#pragma once

#include <lauxlib.h>

extern const luaL_Reg dc_lua_random_internal[];
