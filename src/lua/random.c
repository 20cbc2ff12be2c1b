/* random.c - see random.h. */
#include "lua/random.h"

#include <lauxlib.h>
#include <lua.h>

#include "array/generators.h"
#include "array/graph/op.h"
#include "base/dtype.h"
#include "base/error.h"
#include "device/device.h"
#include "lua/array.h"
#include "lua/convert.h"
#include "lua/device.h"
#include "lua/object.h"

/* random(kind, shape, dtype, seed, call [, range]): kind "uniform", "normal", "exponential" or "integer" (0 to range-1;
** a range of 0 is all 64 bits). A pending array on the current device. */
static int core_random(lua_State *L) {
  static const char *const kinds[] = { "uniform", "normal", "exponential", "integer", NULL };
  dc_lua *self = dc_lua_self(L);
  const int kind = luaL_checkoption(L, 1, NULL, kinds);
  dc_lua_shape shape;
  dc_error err = DC_ERROR_INIT;
  dc_lua_checkshape(L, 2, 2, false, &shape);
  const dc_dtype dtype = dc_lua_checkdtype(L, 3);
  const uint64_t seed = (uint64_t)luaL_checkinteger(L, 4), call = (uint64_t)luaL_checkinteger(L, 5);
  const uint64_t range = (uint64_t)luaL_optinteger(L, 6, 0);
  dc_device *dev = dc_lua_current(L, self);
  dc_lua_array *slot = dc_lua_newarray(L);
  return dc_lua_set_array(
      L, slot, dc_array_random(dev, (dc_random)kind, dtype, shape.ndim, shape.extent, seed, call, range, &err), &err);
}

const luaL_Reg dc_lua_random_internal[] = {{"random", core_random}, {NULL, NULL}};
