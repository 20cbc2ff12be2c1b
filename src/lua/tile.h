/*
** tile.h - tile kernels (CUDA Tile C++): variants that are compiled with what a launch knows of its arguments.
*/
#pragma once

#include <lauxlib.h>
#include <lua.h>
#include <stdbool.h>

#include "kernel/kernel.h"
#include "lua/object.h"

/* The kernel object at 1 is of `k`, a tile kernel; `params`: what the arguments of its launch were marshalled to.  Puts
** its variant for arguments that are multiples of 16 in its place, and compiles it the first time; nothing changes
** where no argument is a multiple, or the variant does not compile.  True when it was compiled: that may have run code
** of the script, so that the arguments are to be marshalled again.  Raises. */
bool dc_lua_choose_tile(lua_State *L, dc_lua *self, const dc_kernel *k, const char *params);

/* The kernel object at idx forgets its variants: it is another kernel now, or launched in another way. */
void dc_lua_forget_tiles(lua_State *L, int idx);

extern const luaL_Reg dc_lua_tile_internal[];
