/*
** builders.h - what the builders (lua/dotcompute/elementwise.lua and its like) need of C: the types of their
** arguments at a glance, one domain for operands of several shapes, results made for them, strides.
*/
#pragma once

#include <lauxlib.h>

extern const luaL_Reg dc_lua_builders_internal[];
