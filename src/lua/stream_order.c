/* stream_order.c - see stream_order.h. */
#include "lua/stream_order.h"

#include <lauxlib.h>
#include <lua.h>

#include "array/array.h"
#include "array/graph/types.h"
#include "array/stream_order.h"
#include "base/error.h"
#include "device/device.h"
#include "device/stream.h"
#include "device/timeline.h"
#include "device/tracking.h"
#include "kernel/kernel.h"
#include "lua/argument.h"
#include "lua/module.h"
#include "lua/object.h"

typedef struct user {
  lua_State *L;
  dc_lua *self;
  const dc_kernel *k;
  dc_stream *by;
} user;

static void use(const user *u, dc_array *a, bool writes) {
  dc_error err = DC_ERROR_INIT;
  if (dc_array_device(a) == u->k->dev && dc_array_use(a, u->by, writes, &err) != 0)
    dc_lua_raise_kernel(u->L, &err);
}

/* The arrays of a table, which stands for a struct or for several pointers, and of the tables in it. */
static void use_table(const user *u, int idx, int depth) {
  lua_State *L = u->L;
  if (depth > 16) return; /* no argument that has been converted goes so deep */
  luaL_checkstack(L, 6, NULL);
  for (lua_pushnil(L); lua_next(L, idx); lua_pop(L, 1)) {
    dc_lua_array *o = dc_lua_test(L, u->self, -1, DC_LUA_ARRAY);
    if (o && o->a) use(u, o->a, true);
    else if (lua_istable(L, -1)) use_table(u, lua_gettop(L), depth + 1);
  }
}

void dc_lua_order_launch(lua_State *L, dc_lua *self, const dc_kernel *k, const dc_lua_module *m, dc_stream *by,
                         bool anything, int first) {
  dc_device *dev = k->dev;
  const user u = { L, self, k, by };
  dc_error err = DC_ERROR_INIT;
  if (by && dc_stream_check(by, NULL, &err) != 0) dc_lua_raise_kernel(L, &err);
  if (anything && dc_tracking_barrier(dev, by, &err) != 0) dc_lua_raise_kernel(L, &err);
  for (int i = 0; i < k->nparams; i++) {
    dc_lua_array *o = dc_lua_test(L, self, first + i, DC_LUA_ARRAY);
    if (o && o->a) use(&u, o->a, !k->params[i].is_const);
    else if (lua_istable(L, first + i)) use_table(&u, first + i, 0);
  }
  for (int i = 0; i < m->nglobals; i++) use(&u, m->globals[i], true);
}
