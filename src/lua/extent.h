/*
** extent.h - grids, blocks and clusters: an integer or {x, y, z}.
*/
#pragma once

#include <lua.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/line.h"
#include "device/device.h"
#include "kernel/kernel.h"

/* The common form of a grid or block: one integer in range. */
static inline bool dc_lua_is_extent(lua_State *L, int idx, dc_dim3 *d) {
  if (DC_UNLIKELY(!lua_isinteger(L, idx))) return false;
  const lua_Integer n = lua_tointeger(L, idx);
  *d = (dc_dim3){ (uint32_t)n, 1, 1 };
  return n >= 0 && n <= UINT32_MAX;
}

/* A list of one to three of them, without a metatable, so that no code of the script's runs. */
bool dc_lua_is_extent_list(lua_State *L, int idx, dc_dim3 *d);

/* Whether grid and block, at idx and behind it, have these forms. */
static inline bool dc_lua_are_extents(lua_State *L, int idx, dc_dim3 *grid, dc_dim3 *block) {
  return (DC_LIKELY(dc_lua_is_extent(L, idx, grid)) || dc_lua_is_extent_list(L, idx, grid)) &&
         (DC_LIKELY(dc_lua_is_extent(L, idx + 1, block)) || dc_lua_is_extent_list(L, idx + 1, block));
}

/* The extents at idx, also as fields x, y and z, of which missing ones are 1.  `what`: "grid", for messages; `limit`:
** the device's.  Raises.  May run code of the script's. */
DC_COLD dc_dim3 dc_lua_read_extents(lua_State *L, const dc_kernel *k, const char *what, int idx,
                                    const uint32_t limit[3]);
