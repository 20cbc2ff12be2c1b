/*
** profile.h - what `dclua --profile` and dc.range need of C: launch sites, the bytes of
** array arguments, the times as a table, ranges for NVIDIA's profilers.
*/
#pragma once

#include <lauxlib.h>
#include <lua.h>

#include "kernel/kernel.h"
#include "lua/object.h"

extern const luaL_Reg dc_lua_profile_internal[];

/* Passes the bytes of the array arguments of the next launch of `k` to the profiler; they are from `first` on. */
void dc_lua_profile_arguments(lua_State *L, const dc_lua *self, const dc_kernel *k, int first);
