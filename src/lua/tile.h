/*
** tile.h - kernels in tiles (CUDA Tile C++): variants that are compiled with what a launch knows of its arguments.
*/
#pragma once

#include <lauxlib.h>
#include <lua.h>

#include "kernel/kernel.h"
#include "lua/object.h"

/* The kernel object at 1 is of `k`, in tiles; `params`: what the arguments of its launch were marshalled to.  Puts its
** variant for such arguments in its place, made now if there is none yet; nothing changes where nothing special is
** known, or a variant cannot be made.  Raises. */
void dc_lua_choose_tile(lua_State *L, dc_lua *self, const dc_kernel *k, const char *params);

/* The kernel object at idx forgets its variants: it is another kernel now, or launched in another way. */
void dc_lua_forget_tiles(lua_State *L, int idx);

extern const luaL_Reg dc_lua_tile_internal[];
