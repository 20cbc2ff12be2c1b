/*
** tile.h - kernels in tiles (CUDA Tile C++): variants that are compiled with what a launch knows of its arguments.
*/
#pragma once

#include <lauxlib.h>
#include <lua.h>

#include "lua/kernel.h"
#include "lua/object.h"

/* The kernel at 1 is `o`, in tiles, `params` what its arguments were marshalled to.  Puts its variant for such arguments in
** its place, made now if there is none yet, and returns it; returns `o` where nothing special is known, or a variant
** cannot be made.  Raises. */
dc_lua_kernel *dc_lua_choose_tile(lua_State *L, dc_lua *self, dc_lua_kernel *o, const char *params);

/* The kernel at idx forgets its variants: it is another kernel now, or launched in another way. */
void dc_lua_forget_tiles(lua_State *L, int idx);

extern const luaL_Reg dc_lua_tile_internal[];
