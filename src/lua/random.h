/*
** random.h - core.random: what lua/dotcompute/random.lua makes random arrays of.
*/
#ifndef DC_LUA_RANDOM_H
#define DC_LUA_RANDOM_H

#include <lauxlib.h>

extern const luaL_Reg dc_lua_random_internal[];

#endif
