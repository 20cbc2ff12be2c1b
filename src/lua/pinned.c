/* pinned.c - see pinned.h. */
#include "lua/pinned.h"

#include <lauxlib.h>
#include <lua.h>

#include "array/array.h"
#include "array/graph/types.h"
#include "base/dtype.h"
#include "base/error.h"
#include "device/device.h"
#include "device/registry.h"
#include "lua/array.h"
#include "lua/convert.h"
#include "lua/create.h"
#include "lua/device.h"
#include "lua/error.h"
#include "lua/object.h"

/* The GPU that is to lock the pages: the current device if it can, else the first that can. NULL: there is none. */
static dc_device *find_locker(const dc_device *current) {
  size_t n;
  dc_device *const *list = dc_devices(&n);
  dc_device *found = NULL;
  for (size_t i = n; i-- > 0;) {
    dc_error ignored = DC_ERROR_INIT;
    if (list[i]->memory->pinned_alloc && (!found || found != current) && dc_device_open(list[i], &ignored) == 0)
      found = list[i];
    dc_error_clear(&ignored);
  }
  return current->memory->pinned_alloc && current->state == DC_DEVICE_OPEN ? (dc_device *)current : found;
}

/* pinned(shape… [, dtype]): an array of the CPU device; contents undefined.  Without a GPU, of plain memory. */
static int core_pinned(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  dc_lua_shape shape;
  dc_error err = DC_ERROR_INIT;
  dc_dtype dtype = dc_lua_checkshaped(L, &shape);
  dc_device *host = dc_device_host(&err);
  if (!host) return dc_lua_raise(L, &err);
  dc_device *gpu = find_locker(dc_lua_current(L, self));
  dc_lua_array *slot = dc_lua_newarray(L);
  dc_array *a = gpu ? dc_array_pinned(host, gpu, dtype, shape.ndim, shape.extent, &err)
                    : dc_array_empty(host, dtype, shape.ndim, shape.extent, &err);
  return dc_lua_set_array(L, slot, a, &err);
}

const luaL_Reg dc_lua_pinned_core[] = {
  { "pinned", core_pinned },
  { NULL, NULL },
};
