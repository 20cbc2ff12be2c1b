/*
** linalg.h - matrix products as functions and methods of arrays, and for lua/dotcompute/linalg.lua and fft.lua the
** solvers and transforms that their functions are made of.
*/
#pragma once

#include <lauxlib.h>

extern const luaL_Reg dc_lua_linalg_core[], dc_lua_linalg_methods[], dc_lua_linalg_internal[];
