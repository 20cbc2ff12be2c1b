/*
** variant.h - launches of kernels in Lua (dc.jit): the choice of the variant that suits the arguments, for
** lua/dotcompute/jit/init.lua.
*/
#pragma once

#include <lauxlib.h>

extern const luaL_Reg dc_lua_variant_internal[];
