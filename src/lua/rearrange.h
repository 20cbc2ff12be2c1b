/*
** rearrange.h - functions in C for concat, stack, tile, repeat_, flip, roll and pad (lua/dotcompute/rearrange.lua):
** copies between ranges of arrays, and views.
*/
#pragma once

#include <lauxlib.h>
#include <lua.h>

extern const luaL_Reg dc_lua_rearrange_internal[];
