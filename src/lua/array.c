/* array.c - see array.h. */
#include "lua/array.h"

#include <lauxlib.h>
#include <lua.h>

#include "array/array.h"
#include "array/evaluate.h"
#include "array/graph/types.h"
#include "base/dtype.h"
#include "base/error.h"
#include "base/line.h"
#include "lua/error.h"
#include "lua/interrupt.h"
#include "lua/memory.h"
#include "lua/object.h"

DC_HOT dc_lua_array *dc_lua_newarray_of(lua_State *L, dc_lua *self) {
  dc_lua_count_array(L, self);
  return dc_lua_new_of(L, self, DC_LUA_ARRAY, sizeof(dc_lua_array), 0);
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
