/*
** profile.h - what `dclua --profile` and dc.range need of C: which line launches, how much its arrays weigh, the
** gathered times as a table, ranges for NVIDIA's profilers.
*/
#pragma once

#include <lauxlib.h>
#include <lua.h>

#include "kernel/kernel.h"
#include "lua/object.h"

extern const luaL_Reg dc_lua_profile_internal[];

/* Tells the profiler how much the arguments of the coming launch of `k` weigh; they are from `first` on. */
void dc_lua_profile_arguments(lua_State *L, const dc_lua *self, const dc_kernel *k, int first);
