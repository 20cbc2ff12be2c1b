/* array.c - see array.h. */
#include "lua/array.h"

#include <lauxlib.h>
#include <lua.h>

#include "array/array.h"
#include "array/copy.h"
#include "array/evaluate.h"
#include "array/graph/types.h"
#include "base/dtype.h"
#include "base/error.h"
#include "base/line.h"
#include "lua/error.h"
#include "lua/host_interrupt.h"
#include "lua/memory.h"
#include "lua/object.h"

/* Lua calls no finalizer of an object that is made while its state is closed, by other finalizers: notes the array on
** top, so that dc_lua_release_late finds it.  In other finalizers, and where a script has stopped the collector, that
** does no harm. */
static DC_COLD void note_late(lua_State *L) {
  luaL_checkstack(L, 4, NULL);
  dc_lua_get_table(L, DC_LUA_LATE); /* array late */
  lua_pushvalue(L, -2);
  lua_pushboolean(L, true);
  lua_rawset(L, -3);
  lua_pop(L, 1); /* array */
}

int dc_lua_release_late(lua_State *L) {
  const dc_lua *self = lua_touserdata(L, 1);
  if (!self || lua_rawlen(L, 1) != sizeof *self || self->itself != self) return 0;
  if (lua_getiuservalue(L, 1, DC_LUA_LATE) != LUA_TTABLE) return 0;
  for (lua_pushnil(L); lua_next(L, 2); lua_pop(L, 1)) { /* state late array true */
    dc_lua_array *o = dc_lua_test(L, self, 3, DC_LUA_ARRAY);
    dc_array *a = o ? o->a : NULL;
    if (o) o->a = NULL;
    if (a) dc_array_unref(a);
  }
  return 0;
}

DC_HOT dc_lua_array *dc_lua_newarray_of(lua_State *L, dc_lua *self) {
  dc_lua_count_array(L, self);
  dc_lua_array *o = dc_lua_new_of(L, self, DC_LUA_ARRAY, sizeof *o, 0);
  if (DC_UNLIKELY(lua_gc(L, LUA_GCISRUNNING) != 1)) note_late(L);
  return o;
}

dc_lua_array *dc_lua_newarray(lua_State *L) {
  luaL_checkstack(L, 4, NULL);
  return dc_lua_newarray_of(L, dc_lua_self(L));
}

DC_HOT int dc_lua_set_array(lua_State *L, dc_lua_array *slot, dc_array *a, dc_error *err) {
  if (!a) return dc_lua_raise(L, err);
  slot->a = a;
  return 1;
}

dc_array *dc_lua_push_view(lua_State *L, dc_array *a, const dc_geometry *g, int64_t offset) {
  dc_error err = DC_ERROR_INIT;
  dc_lua_array *slot = dc_lua_newarray(L);
  dc_lua_set_array(L, slot, dc_array_view(a, g, offset, &err), &err);
  return slot->a;
}

dc_array *dc_lua_push_copy(lua_State *L, dc_lua *self, dc_array *a) {
  dc_error err = DC_ERROR_INIT;
  dc_lua_array *slot = dc_lua_newarray(L);
  dc_lua_account(L, self, dc_lua_nbytes(a));
  dc_lua_set_array(L, slot, DC_LUA_MAKE(self, dc_array_copy(a, &err)), &err);
  return slot->a;
}

DC_HOT dc_array *dc_lua_toarray(lua_State *L, const dc_lua *self, int idx) {
  dc_lua_array *o = dc_lua_test(L, self, idx, DC_LUA_ARRAY);
  if (!o) return NULL;
  if (!o->a || dc_array_state_of(o->a) == DC_ARRAY_CLOSED) dc_lua_fail(L, DC_ARGUMENT, "the array is closed");
  return o->a;
}

dc_array *dc_lua_checkarray(lua_State *L, const dc_lua *self, int arg) {
  dc_array *a = dc_lua_toarray(L, self, arg);
  if (!a) dc_lua_expected(L, arg, "an array");
  return a;
}

size_t dc_lua_nbytes(const dc_array *a) {
  return (size_t)dc_array_size(a) * dc_dtype_size(dc_array_dtype(a));
}

DC_HOT void dc_lua_materialize(lua_State *L, dc_lua *self, dc_array *a) {
  if (dc_array_state_of(a) != DC_ARRAY_PENDING) return;
  dc_error err = DC_ERROR_INIT;
  dc_lua_account(L, self, dc_lua_nbytes(a));
  if (DC_LUA_WORK(self, dc_evaluate(a, &err)) != 0) dc_lua_raise(L, &err);
}
