/* array_methods.c - see array_methods.h. */
#include "lua/array_methods.h"

#include <lauxlib.h>
#include <lua.h>
#include <string.h>

#include "array/array.h"
#include "array/copy.h"
#include "array/evaluate.h"
#include "array/graph/geometry.h"
#include "array/graph/number.h"
#include "array/graph/types.h"
#include "array/operators.h"
#include "base/dtype.h"
#include "base/error.h"
#include "base/line.h"
#include "device/device.h"
#include "device/registry.h"
#include "lua/array.h"
#include "lua/convert.h"
#include "lua/device.h"
#include "lua/error.h"
#include "lua/format.h"
#include "lua/host_interrupt.h"
#include "lua/index.h"
#include "lua/linalg.h"
#include "lua/memory.h"
#include "lua/named.h"
#include "lua/object.h"
#include "lua/operators.h"
#include "lua/reduce.h"

/* Never raises when the collector calls it; scripts reach it too, through getmetatable. */
static DC_HOT int array_gc(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  dc_lua_array *o = dc_lua_check(L, self, 1, DC_LUA_ARRAY, "an array");
  dc_array *a = o->a;
  o->a = NULL;
  if (self->arrays > 0) self->arrays--;
  if (a) dc_array_unref(a);
  return 0;
}

/* close(), and the end of a <close> variable. Idempotent.  The memory goes now, the dc_array with the
** object: a finalizer may close an array that a function below it on the stack is working on. */
static int array_close(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  dc_lua_array *o = dc_lua_check(L, self, 1, DC_LUA_ARRAY, "an array");
  dc_error err = DC_ERROR_INIT;
  if (!o->a || dc_array_state_of(o->a) == DC_ARRAY_CLOSED) return 0;
  if (DC_LUA_WORK(self, dc_array_close(o->a, &err)) != 0) return dc_lua_raise(L, &err);
  return 0;
}

/* next for pairs: the array, the index before. */
static int array_next(lua_State *L) {
  const dc_geometry *g = dc_array_geometry(dc_lua_checkarray(L, dc_lua_self(L), 1));
  const lua_Integer i = luaL_checkinteger(L, 2) + 1;
  if (i < 1 || g->ndim == 0 || i > g->shape[0]) return 0;
  lua_pushinteger(L, i);
  lua_geti(L, 1, i);
  return 2;
}

/* pairs(a) goes over the first axis, as ipairs does. */
static int array_pairs(lua_State *L) {
  dc_lua_checkarray(L, dc_lua_self(L), 1);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushcclosure(L, array_next, 1);
  lua_pushvalue(L, 1);
  lua_pushinteger(L, 0);
  return 3;
}

static int array_len(lua_State *L) {
  const dc_geometry *g = dc_array_geometry(dc_lua_checkarray(L, dc_lua_self(L), 1));
  lua_pushinteger(L, g->ndim > 0 ? g->shape[0] : 1);
  return 1;
}

/* --- methods ------------------------------------------------------------------------------------- */

static int array_shape(lua_State *L) {
  const dc_geometry *g = dc_array_geometry(dc_lua_checkarray(L, dc_lua_self(L), 1));
  luaL_checkstack(L, g->ndim, NULL);
  for (int i = 0; i < g->ndim; i++) lua_pushinteger(L, g->shape[i]);
  return g->ndim;
}

/* a.shape is no function but an object that can be called, so that a.shape[1] is an error that says more than Lua's.
** The object itself is the first argument of its call. */
static int shape_call(lua_State *L) {
  lua_remove(L, 1);
  if (!lua_isnoneornil(L, 2))
    return dc_lua_fail(L, DC_ARGUMENT, "'shape' takes no arguments, got %d: select(i, a:shape()) is one of the extents",
                       lua_gettop(L) - 1);
  const dc_array *a = dc_lua_toarray(L, dc_lua_self(L), 1);
  if (!a)
    return dc_lua_fail(L, DC_ARGUMENT,
                       "calling 'shape' on bad self: an array expected, got %s (methods are called with a colon: "
                       "a:shape())", dc_lua_describe(L, 1));
  return array_shape(L);
}

static int shape_index(lua_State *L) {
  return dc_lua_fail(L, DC_INDEX, "shape is a method of arrays, called with a colon: a:shape() gives the extents, "
                     "select(%s, a:shape()) one of them",
                     lua_isinteger(L, 2) ? lua_tostring(L, 2) : "i");
}

static int shape_tostring(lua_State *L) {
  lua_pushliteral(L, "method a:shape()");
  return 1;
}

static const luaL_Reg shape_meta[] = {
  { "__call", shape_call },       { "__index", shape_index }, { "__newindex", shape_index },
  { "__len", shape_index },       { "__tostring", shape_tostring }, { "__pairs", shape_index },
  { NULL, NULL },
};

/* Sets the method `shape` of the table on top. */
static void set_shape(lua_State *L, int self) {
  lua_newuserdatauv(L, 0, 0);
  lua_newtable(L);
  dc_lua_setfuncs(L, self, shape_meta);
  dc_lua_set_string(L, "__name", "dotcompute.method");
  lua_setmetatable(L, -2);
  lua_setfield(L, -2, "shape");
}

/* Pushes scratch memory with all elements in C order. */
static const char *read_all(lua_State *L, dc_lua *self, dc_array *a) {
  dc_error err = DC_ERROR_INIT;
  dc_lua_materialize(L, self, a);
  char *host = dc_lua_scratch(L, dc_lua_nbytes(a));
  if (DC_LUA_WORK(self, dc_array_read(a, host, &err)) != 0) dc_lua_raise(L, &err);
  return host;
}

static int array_to_table(lua_State *L) {
  dc_lua_at_most(L, 1);
  dc_lua *self = dc_lua_self(L);
  dc_array *a = dc_lua_checkarray(L, self, 1);
  const dc_geometry g = *dc_array_geometry(a);
  const dc_dtype dtype = dc_array_dtype(a);
  const char *host = read_all(L, self, a);
  int scratch = lua_gettop(L);
  dc_lua_pushtable(L, dtype, g.ndim, g.shape, host);
  dc_lua_scratch_free(L, scratch);
  return 1;
}

static int array_bytes(lua_State *L) {
  dc_lua_at_most(L, 1);
  dc_lua *self = dc_lua_self(L);
  dc_array *a = dc_lua_checkarray(L, self, 1);
  const size_t n = dc_lua_nbytes(a);
  const char *host = read_all(L, self, a);
  int scratch = lua_gettop(L);
  lua_pushlstring(L, host, n);
  dc_lua_scratch_free(L, scratch);
  return 1;
}

static int array_item(lua_State *L) {
  dc_lua_at_most(L, 1);
  dc_lua *self = dc_lua_self(L);
  dc_array *a = dc_lua_checkarray(L, self, 1);
  if (dc_array_size(a) != 1)
    return dc_lua_fail(L, DC_SHAPE, "item() reads a one-element array, this one has %lld elements",
                       (long long)dc_array_size(a));
  dc_scalar s;
  dc_error err = DC_ERROR_INIT;
  if (dc_array_state_of(a) == DC_ARRAY_PENDING) dc_lua_account(L, self, dc_lua_nbytes(a));
  if (DC_LUA_WORK(self, dc_array_get(a, &s, &err)) != 0) return dc_lua_raise(L, &err);
  dc_lua_pushscalar(L, &s);
  return 1;
}

static int array_fill(lua_State *L) {
  dc_lua_at_most(L, 2);
  dc_lua *self = dc_lua_self(L);
  dc_array *a = dc_lua_checkarray(L, self, 1);
  dc_scalar s;
  dc_error err = DC_ERROR_INIT;
  if (!dc_lua_toscalar(L, 2, &s)) return dc_lua_expected(L, 2, "a number or a boolean");
  dc_lua_materialize(L, self, a);
  if (DC_LUA_WORK(self, dc_array_fill(a, s, &err)) != 0) return dc_lua_raise(L, &err);
  lua_settop(L, 1);
  return 1;
}

static int array_copy(lua_State *L) {
  dc_lua_at_most(L, 1);
  dc_lua *self = dc_lua_self(L);
  dc_array *a = dc_lua_checkarray(L, self, 1);
  dc_lua_materialize(L, self, a);
  dc_lua_push_copy(L, self, a);
  return 1;
}

/* Arguments 1 and 2, and an option that takes the place of the third. */
static bool check_async(lua_State *L) {
  static const dc_lua_option options[] = { { "async", DC_LUA_BOOLEAN, 3 }, { NULL, DC_LUA_ANY, 0 } };
  if (lua_gettop(L) > 2 && !lua_istable(L, 3) && !lua_isnil(L, 3)) dc_lua_expected(L, 3, "a table of options");
  dc_lua_take_options(L, 3, 3, options);
  return lua_toboolean(L, 3);
}

/* copy_from(b [, {async = true}]) */
static int array_copy_from(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  dc_array *a = dc_lua_checkarray(L, self, 1);
  dc_lua_checkarray(L, self, 2);
  dc_lua_assign(L, self, a, 2, check_async(L));
  lua_settop(L, 1);
  return 1;
}

/* Pushes the array object at `idx` itself when `a` is what it holds already. */
static int push_result(lua_State *L, dc_lua *self, int idx, dc_array *a, dc_error *err) {
  dc_lua_array *from = dc_lua_test(L, self, idx, DC_LUA_ARRAY);
  if (from && a && a == from->a) {
    dc_array_unref(a); /* the object has a reference of its own */
    lua_pushvalue(L, idx);
    return 1;
  }
  return dc_lua_set_array(L, lua_touserdata(L, -1), a, err);
}

/* The name is neither a dtype's nor a device's. */
static int fail_to(lua_State *L, const char *name) {
  const char *near = dc_dtype_nearest(name);
  return dc_lua_fail_named(L, DC_DEVICE,
                           "there is neither a dtype nor a device named '%s'%s%s%s (dtypes: " DC_DTYPE_LIST
                           "; devices: dc.devices())",
                           name, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

/* to(device [, {async = true}]) or to(dtype): itself when it is so already. */
static int array_to(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  dc_array *a = dc_lua_checkarray(L, self, 1);
  dc_error err = DC_ERROR_INIT;
  size_t n;
  const bool async = check_async(L);
  const char *name = lua_type(L, 2) == LUA_TSTRING ? lua_tolstring(L, 2, &n) : NULL;
  if (name && dc_dtype_parse(name, n) != DC_DTYPE_NONE) {
    dc_dtype dtype = dc_lua_checkdtype(L, 2);
    dc_lua_newarray(L);
    return push_result(L, self, 1, dc_array_cast(a, dtype, &err), &err);
  }
  if (name && !dc_device_has_backend(name)) return fail_to(L, name);
  if (!name && lua_type(L, 2) != LUA_TUSERDATA) return dc_lua_expected(L, 2, "a dtype's name, a device or its name");
  dc_device *dev = dc_lua_checkdevice(L, 2);
  dc_lua_materialize(L, self, a);
  dc_lua_newarray(L);
  dc_lua_account(L, self, dc_lua_nbytes(a));
  return push_result(L, self, 1, DC_LUA_MAKE(self, dc_array_to_device(a, dev, async, &err)), &err);
}

static DC_HOT int array_eval(lua_State *L) {
  dc_lua_at_most(L, 1);
  dc_lua *self = dc_lua_self(L);
  dc_lua_materialize(L, self, dc_lua_checkarray(L, self, 1));
  lua_settop(L, 1);
  return 1;
}

/* peer(): lets kernels of other devices access the array; returns it. */
static int array_peer(lua_State *L) {
  dc_lua_at_most(L, 1);
  dc_lua *self = dc_lua_self(L);
  dc_array *a = dc_lua_checkarray(L, self, 1);
  dc_error err = DC_ERROR_INIT;
  dc_lua_materialize(L, self, a);
  if (dc_array_open_to_peers(a, &err) != 0) return dc_lua_raise(L, &err);
  lua_settop(L, 1);
  return 1;
}

/* source(): the CUDA C that eval would run. */
static int array_source(lua_State *L) {
  dc_lua_at_most(L, 1);
  dc_lua *self = dc_lua_self(L);
  dc_array *a = dc_lua_checkarray(L, self, 1);
  dc_error err = DC_ERROR_INIT;
  char *text = dc_array_source(a, &err);
  if (!text) return dc_lua_raise(L, &err);
  return dc_lua_push_owned(L, text, strlen(text));
}

static const luaL_Reg array_methods[] = {
  { "peer", array_peer },       { "to_table", array_to_table },   { "bytes", array_bytes }, { "item", array_item },
  { "fill", array_fill },       { "copy", array_copy },           { "to", array_to },       { "eval", array_eval },
  { "copy_from", array_copy_from }, { "source", array_source },   { "close", array_close }, { NULL, NULL },
};

static const luaL_Reg array_meta[] = {
  { "__gc", array_gc },
  { "__close", array_close },
  { "__len", array_len },
  { "__pairs", array_pairs },
  { "__tostring", dc_lua_array_tostring },
  { "__concat", dc_lua_array_concat },
  { NULL, NULL },
};

void dc_lua_open_array(lua_State *L, int self) {
  const dc_lua *state = lua_touserdata(L, self);
  if (state->types[DC_LUA_ARRAY]) return;
  /* Lua's own messages give the type's name: "number expected, got dotcompute.array (a:item() reads its number)". */
  dc_lua_newtype(L, self, DC_LUA_ARRAY, "dotcompute.array (a:item() reads its number)", array_meta, array_methods);
  lua_getiuservalue(L, self, DC_LUA_ARRAY); /* meta */
  dc_lua_setfuncs(L, self, dc_lua_operators_meta);
  lua_getfield(L, -1, "__methods"); /* meta methods */
  dc_lua_set_functions(L, self, "array");
  set_shape(L, self);
  dc_lua_setmethods(L, self, dc_lua_operators_methods, "array");
  dc_lua_setmethods(L, self, dc_lua_reduce_methods, "array");
  dc_lua_setmethods(L, self, dc_lua_index_methods, "array");
  dc_lua_setmethods(L, self, dc_lua_linalg_methods, "array");
  dc_lua_set_fields(L);
  lua_pushvalue(L, self);
  lua_insert(L, -2); /* meta self methods */
  luaL_setfuncs(L, dc_lua_index_meta, 2); /* __index and __newindex find the methods as their second upvalue */
  lua_pop(L, 1);
}
