/*
** launch_option.h - the options of a kernel's `with`.
*/
#pragma once

#include <lauxlib.h>
#include <lua.h>
#include <stdint.h>

#include "kernel/kernel.h"
#include "kernel/launch.h"

typedef struct dc_lua_launch_options {
  dc_launch_options how;
  struct dc_stream *stream; /* NULL: the current one */
} dc_lua_launch_options;

/* Changes *options as the table at idx says, for launches of `k`.  Raises. */
void dc_lua_read_launch_options(lua_State *L, const dc_kernel *k, int idx, dc_lua_launch_options *options);

/* The number of bytes of shared memory at idx; raises where it is none. */
uint32_t dc_lua_check_shared(lua_State *L, int idx);

/* Raises of a tile kernel that it has no `what`. */
void dc_lua_refuse_tile(lua_State *L, const dc_kernel *k, const char *what);

extern const luaL_Reg dc_lua_launch_option_internal[]; /* functions of dotcompute.core */
