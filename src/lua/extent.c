/* extent.c - see extent.h. */
#include "lua/extent.h"

#include <lauxlib.h>
#include <lua.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "device/device.h"
#include "kernel/kernel.h"
#include "lua/convert.h"
#include "lua/error.h"

bool dc_lua_is_extent_list(lua_State *L, int idx, dc_dim3 *d) {
  if (!lua_istable(L, idx)) return false;
  const int top = lua_gettop(L), n = (int)lua_rawlen(L, idx);
  bool plain = lua_getmetatable(L, idx) == 0 && n >= 1 && n <= 3;
  uint32_t v[3] = { 1, 1, 1 };
  for (int i = 0; i < n && plain; i++) {
    dc_dim3 one;
    lua_rawgeti(L, idx, i + 1);
    plain = dc_lua_is_extent(L, -1, &one);
    if (plain) v[i] = one.x;
  }
  *d = (dc_dim3){ v[0], v[1], v[2] };
  lua_pushinteger(L, n);
  plain = plain && lua_next(L, idx) == 0; /* else it has fields, too, or is no list inside */
  lua_settop(L, top);
  return plain;
}

static int fail_extents(lua_State *L, const dc_kernel *k, const char *what, int idx) {
  return dc_lua_fail(L, DC_LAUNCH, "kernel '%s': the %s is an integer or {x, y, z}, got %s", k->sig->name, what,
                     dc_lua_describe(L, idx));
}

/* One extent at idx. */
static uint32_t read_extent(lua_State *L, const dc_kernel *k, const char *what, int idx, int axis,
                            const uint32_t limit[3]) {
  int64_t v = 0;
  if (!dc_lua_tointeger(L, idx, &v)) {
    if (lua_type(L, idx) == LUA_TNUMBER)
      dc_lua_fail(L, DC_LAUNCH, "kernel '%s': the %s's %c is %.14g, which is no integer", k->sig->name, what,
                  "xyz"[axis], lua_tonumber(L, idx));
    fail_extents(L, k, what, idx);
  }
  if (v < 0 || v > UINT32_MAX)
    dc_lua_fail(L, DC_LAUNCH, "kernel '%s': the %s's %c is %lld; %s takes 0 to %u", k->sig->name, what, "xyz"[axis],
                (long long)v, k->dev->name, limit[axis]);
  return (uint32_t)v;
}

/* Raises where a table of `found` extents has more fields, which would have no effect: k({ 16, shared = 64 }, …).  The
** `n` of table.pack is none. */
static void check_fields(lua_State *L, const dc_kernel *k, const char *what, int idx, int found) {
  int fields = 0;
  if (lua_getmetatable(L, idx)) { /* an object, which may have others of its own */
    lua_pop(L, 1);
    return;
  }
  for (lua_pushnil(L); lua_next(L, idx) != 0; lua_pop(L, 1)) {
    const char *name = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : NULL;
    if (name && strcmp(name, "n") == 0) continue;
    if (name && !(strlen(name) == 1 && name[0] >= 'x' && name[0] <= 'z'))
      dc_lua_fail(L, DC_LAUNCH, "kernel '%s': the %s has a field '%.40s', but is {x, y, z}; options of a launch are "
                  "given to k:with", k->sig->name, what, name);
    fields++;
  }
  if (fields > found)
    dc_lua_fail(L, DC_LAUNCH, "kernel '%s': the %s has %d fields, but is {x, y, z}", k->sig->name, what, fields);
}

dc_dim3 dc_lua_read_extents(lua_State *L, const dc_kernel *k, const char *what, int idx, const uint32_t limit[3]) {
  static const char *const names[3] = { "x", "y", "z" };
  uint32_t v[3] = { 1, 1, 1 };
  if (lua_type(L, idx) != LUA_TTABLE) {
    v[0] = read_extent(L, k, what, idx, 0, limit);
    return (dc_dim3){ v[0], 1, 1 };
  }
  if (luaL_len(L, idx) > 3)
    dc_lua_fail(L, DC_LAUNCH, "kernel '%s': the %s has %lld extents, at most 3 are possible", k->sig->name, what,
                (long long)luaL_len(L, idx));
  int found = 0;
  for (int i = 0; i < 3; i++) {
    if (lua_geti(L, idx, i + 1) == LUA_TNIL) {
      lua_pop(L, 1);
      if (lua_getfield(L, idx, names[i]) == LUA_TNIL) {
        lua_pop(L, 1);
        continue;
      }
    }
    v[i] = read_extent(L, k, what, lua_gettop(L), i, limit);
    lua_pop(L, 1);
    found++;
  }
  if (found == 0) fail_extents(L, k, what, idx);
  check_fields(L, k, what, idx, found);
  return (dc_dim3){ v[0], v[1], v[2] };
}
