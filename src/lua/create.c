/*
** create.c - see create.h.
**
** Shapes are integers or one table of them; a dtype may follow, by position or in a table of options, and is float32
** otherwise (bool where the values are booleans).  New arrays live on the current device.
*/
#include "lua/create.h"

#include <float.h>
#include <lauxlib.h>
#include <lua.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "array/array.h"
#include "array/copy.h"
#include "array/generators.h"
#include "array/graph/geometry.h"
#include "array/graph/number.h"
#include "array/graph/op.h"
#include "array/graph/types.h"
#include "base/dtype.h"
#include "base/error.h"
#include "base/line.h"
#include "device/device.h"
#include "device/registry.h"
#include "lua/array.h"
#include "lua/convert.h"
#include "lua/device.h"
#include "lua/error.h"
#include "lua/host_interrupt.h"
#include "lua/memory.h"
#include "lua/named.h"
#include "lua/object.h"

/* Bytes of an array of this shape; 0 where they are more than can be made (the making will say so). */
static size_t bytes_for(dc_dtype dtype, int ndim, const int64_t *shape) {
  size_t bytes = dc_dtype_size(dtype);
  for (int i = 0; i < ndim; i++)
    if (__builtin_mul_overflow(bytes, (size_t)shape[i], &bytes) || bytes >> 62) return 0;
  return bytes;
}

dc_array *dc_lua_push_empty(lua_State *L, dc_lua *self, dc_device *dev, dc_dtype dtype, int ndim,
                            const int64_t *shape) {
  dc_error err = DC_ERROR_INIT;
  dc_lua_array *slot = dc_lua_newarray(L);
  dc_lua_account(L, self, bytes_for(dtype, ndim, shape));
  dc_lua_set_array(L, slot, dc_array_empty(dev, dtype, ndim, shape, &err), &err);
  return slot->a;
}

static void fill(lua_State *L, dc_lua *self, dc_array *a, dc_scalar v) {
  dc_error err = DC_ERROR_INIT;
  if (DC_LUA_WORK(self, dc_array_fill(a, v, &err)) != 0) dc_lua_raise(L, &err);
}

static dc_scalar integer(int64_t v) { return (dc_scalar){ .kind = DC_SCALAR_INT, .i = v }; }

/* A table of options behind the shape, and those in the table of the shape, {2, 3, dtype = "int8"}. Leaves the dtype,
** or nil, behind the shape. */
static void read_shaped_options(lua_State *L) {
  const int last = lua_gettop(L);
  const dc_lua_option options[] = { { "dtype", DC_LUA_STRING, last + 1 }, { NULL, DC_LUA_ANY, 0 } };
  if (last == 1 && !dc_lua_has_names(L, 1)) return;
  lua_settop(L, last + 1);
  if (last > 1 && lua_type(L, last - 1) == LUA_TSTRING) { /* a dtype by position, too */
    lua_pushvalue(L, last - 1);
    lua_replace(L, last + 1);
  }
  dc_lua_read_options(L, last, last == 1, options);
  if (last > 1 && lua_istable(L, 1)) dc_lua_read_options(L, 1, true, options);
  if (last > 1) lua_remove(L, last);
  if (lua_type(L, -2) == LUA_TSTRING) lua_remove(L, -2);
}

/* All arguments: (d1, d2, … [, dtype] [, options]) or (shape [, dtype] [, options]). The dtype given, or float32. */
static dc_dtype check_shaped(lua_State *L, dc_lua_shape *shape) {
  dc_dtype dtype = DC_FLOAT32;
  int last = lua_gettop(L);
  for (; last > 0 && lua_isnil(L, last); last--) lua_pop(L, 1); /* zeros(3, opts.dtype) */
  if (last > 0 && lua_istable(L, last)) {
    read_shaped_options(L);
    last = lua_gettop(L);
    if (lua_isnil(L, last)) last--;
  } else if (last == 2 && lua_istable(L, 1)) { /* a dtype beside options in the table of the shape */
    const dc_lua_option given[] = { { "dtype", DC_LUA_STRING, last }, { NULL, DC_LUA_ANY, 0 } };
    dc_lua_read_options(L, 1, true, given);
  }
  if (last > 0 && lua_type(L, last) == LUA_TSTRING) dtype = dc_lua_checkdtype(L, last--);
  if (last == 0) dc_lua_badarg(L, 1, "a shape expected: integers, or one table of them");
  if (last > 1 && lua_istable(L, 1))
    dc_lua_badarg(L, 2, "a dtype expected after a shape table, got %s", dc_lua_describe(L, 2));
  dc_lua_checkshape(L, 1, last, false, shape);
  return dtype;
}

/* Pushes the array that the arguments describe. */
static dc_array *make_shaped(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  dc_lua_shape shape;
  dc_dtype dtype = check_shaped(L, &shape);
  return dc_lua_push_empty(L, self, dc_lua_current(L, self), dtype, shape.ndim, shape.extent);
}

static int core_empty(lua_State *L) {
  make_shaped(L);
  return 1;
}

static int push_shaped(lua_State *L, int64_t v) {
  dc_array *a = make_shaped(L);
  fill(L, dc_lua_self(L), a, integer(v));
  return 1;
}

static int core_zeros(lua_State *L) { return push_shaped(L, 0); }
static int core_ones(lua_State *L) { return push_shaped(L, 1); }

/* Arguments up to the dtype at `place`, which may be an option. */
static void take_dtype(lua_State *L, int place) {
  const int top = lua_gettop(L);
  if (DC_LIKELY(top < place || (top == place && lua_type(L, place) == LUA_TSTRING))) return;
  const dc_lua_option options[] = { { "dtype", DC_LUA_STRING, place }, { NULL, DC_LUA_ANY, 0 } };
  dc_lua_take_options(L, place, place, options);
}

/* The scalar argument `arg` and the dtype argument after it, default by its kind. */
static dc_dtype check_value(lua_State *L, int arg, int dtype_arg, dc_scalar *v) {
  if (!dc_lua_toscalar(L, arg, v))
    dc_lua_expected(L, arg, "a number or a boolean");
  return lua_isnoneornil(L, dtype_arg) ? dc_lua_default_dtype(L, arg) : dc_lua_checkdtype(L, dtype_arg);
}

static int core_full(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  take_dtype(L, 3);
  dc_scalar v;
  dc_lua_shape shape;
  if (!lua_istable(L, 1) && !lua_isnumber(L, 1))
    return dc_lua_badarg(L, 1, "a shape expected: an integer or a table of them, got %s", dc_lua_describe(L, 1));
  dc_lua_refuse_options(L, 1);
  dc_lua_checkshape(L, 1, 1, false, &shape);
  dc_dtype dtype = check_value(L, 2, 3, &v);
  dc_array *a = dc_lua_push_empty(L, self, dc_lua_current(L, self), dtype, shape.ndim, shape.extent);
  fill(L, self, a, v);
  return 1;
}

/* Pushes an array of the shape and device of argument 1; the dtype is argument `dtype_arg` or its own. */
static dc_array *make_like(lua_State *L, int dtype_arg) {
  dc_lua *self = dc_lua_self(L);
  dc_array *a = dc_lua_checkarray(L, self, 1);
  const dc_geometry g = *dc_array_geometry(a);
  dc_dtype dtype = dc_lua_optdtype(L, dtype_arg, dc_array_dtype(a));
  return dc_lua_push_empty(L, self, dc_array_device(a), dtype, g.ndim, g.shape);
}

static int core_empty_like(lua_State *L) {
  take_dtype(L, 2);
  make_like(L, 2);
  return 1;
}

static int push_like(lua_State *L, int64_t v) {
  take_dtype(L, 2);
  dc_array *a = make_like(L, 2);
  fill(L, dc_lua_self(L), a, integer(v));
  return 1;
}

static int core_zeros_like(lua_State *L) { return push_like(L, 0); }
static int core_ones_like(lua_State *L) { return push_like(L, 1); }

static int core_full_like(lua_State *L) {
  dc_scalar v;
  take_dtype(L, 3);
  if (!dc_lua_toscalar(L, 2, &v))
    return dc_lua_expected(L, 2, "a number or a boolean");
  dc_array *a = make_like(L, 3);
  fill(L, dc_lua_self(L), a, v);
  return 1;
}

/* --- from values --------------------------------------------------------------------------------- */

/* A copy of the array at 1 on the current device. */
static int copy_array(lua_State *L, dc_lua *self, dc_array *a, dc_dtype dtype) {
  dc_error err = DC_ERROR_INIT;
  const dc_geometry g = *dc_array_geometry(a);
  dc_lua_materialize(L, self, a);
  if (dtype == DC_DTYPE_NONE) dtype = dc_array_dtype(a);
  dc_array *copy = dc_lua_push_empty(L, self, dc_lua_current(L, self), dtype, g.ndim, g.shape);
  if (DC_LUA_WORK(self, dc_array_assign(copy, a, false, &err)) != 0) return dc_lua_raise(L, &err);
  return 1;
}

/* array(value [, dtype]): nested table, number, boolean, or another array. */
static int core_array(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  take_dtype(L, 2);
  dc_dtype dtype = dc_lua_optdtype(L, 2, DC_DTYPE_NONE);
  dc_error err = DC_ERROR_INIT;
  unsigned char element[16];
  dc_scalar value;
  dc_array *a = dc_lua_toarray(L, self, 1);
  if (a) return copy_array(L, self, a, dtype);
  if (lua_istable(L, 1)) {
    dc_lua_fromtable(L, self, dc_lua_current(L, self), 1, dtype);
    return 1;
  }
  if (!dc_lua_toscalar(L, 1, &value)) return dc_lua_expected(L, 1, "a table, a number, a boolean or an array");
  bool given = dtype != DC_DTYPE_NONE;
  if (!given) dtype = dc_lua_value_dtype(&value);
  if (dc_lua_element(L, 1, dtype, given, element, &err) != 0) return dc_lua_raise(L, &err);
  dc_device *dev = dc_lua_current(L, self);
  dc_lua_array *slot = dc_lua_newarray(L);
  dc_lua_account(L, self, sizeof element);
  return dc_lua_set_array(L, slot, dc_array_from_host(dev, dtype, 0, NULL, element, &err), &err);
}

/* Bytes of a bool array are 0 or 1: kernels rely on it. */
static void check_bools(lua_State *L, const char *bytes, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (bytes[i] & ~1)
      dc_lua_fail(L, DC_DTYPE, "byte %zu of a bool array is %d, not 0 or 1", i + 1, (unsigned char)bytes[i]);
}

static int core_from_bytes(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  dc_lua_shape shape;
  dc_geometry g;
  dc_error err = DC_ERROR_INIT;
  size_t n;
  take_dtype(L, 3);
  if (lua_type(L, 1) != LUA_TSTRING) return dc_lua_expected(L, 1, "a string of bytes");
  const char *bytes = lua_tolstring(L, 1, &n);
  dc_lua_refuse_options(L, 2);
  dc_lua_checkshape(L, 2, 2, false, &shape);
  dc_dtype dtype = dc_lua_optdtype(L, 3, DC_FLOAT32);
  if (dc_geometry_c(&g, shape.ndim, shape.extent, dc_dtype_size(dtype), &err) != 0) return dc_lua_raise(L, &err);
  size_t want = (size_t)dc_geometry_size(&g) * dc_dtype_size(dtype);
  char text[256];
  if (n != want)
    return dc_lua_fail(L, DC_SHAPE, "shape %s of %s needs %zu bytes, the string has %zu",
                       dc_geometry_text(&g, text, sizeof text), dc_dtype_name(dtype), want, n);
  if (dtype == DC_BOOL) check_bools(L, bytes, n);
  dc_device *dev = dc_lua_current(L, self);
  dc_lua_array *slot = dc_lua_newarray(L);
  dc_lua_account(L, self, n);
  return dc_lua_set_array(L, slot, dc_array_from_host(dev, dtype, shape.ndim, shape.extent, bytes, &err), &err);
}

/* --- ranges -------------------------------------------------------------------------------------- */

/* Without a dtype: are first, first + step, … last all exact in float32?  They are when all are multiples of
** the spacing that its 24 bits of significand leave at the largest of them. */
static void check_range_exact(lua_State *L, int64_t first, int64_t step, int64_t last) {
  uint64_t a = first < 0 ? -(uint64_t)first : (uint64_t)first, b = last < 0 ? -(uint64_t)last : (uint64_t)last;
  uint64_t spacing = 1;
  for (uint64_t big = a > b ? a : b; big > (uint64_t)1 << 24; big = big / 2 + big % 2) spacing *= 2;
  bool single = first == last;
  if ((uint64_t)first % spacing != 0 || (!single && (uint64_t)step % spacing != 0))
    dc_lua_fail(L, DC_DTYPE,
                "arange(%lld, %lld, %lld) has integers that float32, the default dtype, cannot hold exactly; give a "
                "dtype (\"int64\", \"float64\", or \"float32\" to round)",
                (long long)first, (long long)last, (long long)step);
}

static int push_range(lua_State *L, dc_lua *self, dc_dtype dtype, dc_scalar first, dc_scalar step, int64_t n) {
  dc_error err = DC_ERROR_INIT;
  dc_device *dev = dc_lua_current(L, self);
  dc_lua_array *slot = dc_lua_newarray(L);
  dc_lua_account(L, self, (size_t)n * dc_dtype_size(dtype));
  return dc_lua_set_array(L, slot, DC_LUA_MAKE(self, dc_array_arange(dev, dtype, first, step, n, &err)), &err);
}

static int integer_range(lua_State *L, dc_lua *self, dc_dtype dtype) {
  const int64_t first = lua_tointeger(L, 1), last = lua_tointeger(L, 2);
  const int64_t step = lua_isnil(L, 3) ? 1 : lua_tointeger(L, 3);
  if (step == 0) return dc_lua_badarg(L, 3, "the step is 0");
  uint64_t n = 0;
  const uint64_t sign = dtype == DC_UINT64 ? (uint64_t)1 << 63 : 0; /* there, integers are their 64 bits */
  const int64_t low = (int64_t)((uint64_t)first ^ sign), high = (int64_t)((uint64_t)last ^ sign);
  if (step > 0 ? low <= high : low >= high) {
    uint64_t distance = step > 0 ? (uint64_t)last - (uint64_t)first : (uint64_t)first - (uint64_t)last;
    uint64_t steps = distance / (step > 0 ? (uint64_t)step : -(uint64_t)step);
    if (steps >= INT64_MAX / 8) /* before the 1 is added: all 2^64 integers would count as none */
      return dc_lua_fail(L, DC_MEMORY, "a range of more than %llu elements is more than memory holds",
                         (unsigned long long)steps);
    n = steps + 1;
  }
  if (dtype == DC_DTYPE_NONE) {
    dtype = DC_FLOAT32;
    if (n > 0) check_range_exact(L, first, step, first + (int64_t)(n - 1) * step);
  }
  return push_range(L, self, dtype, integer(first), integer(step), (int64_t)n);
}

static dc_scalar number(lua_State *L, int idx) {
  dc_scalar s = integer(1);
  dc_lua_toscalar(L, idx, &s);
  return s;
}

/* Of an integer dtype the first element and the step are integers. */
static void check_whole(lua_State *L, dc_dtype dtype, double v) {
  const char kind = dc_dtype_kind(dtype);
  if ((kind == 'i' || kind == 'u') && v != floor(v)) {
    lua_pushnumber(L, v);
    dc_lua_fail(L, DC_DTYPE, "%s has no integer representation, which %s needs", lua_tostring(L, -1),
                dc_dtype_name(dtype));
  }
}

/* last is included where the step meets it: within the rounding error of the division. */
static int float_range(lua_State *L, dc_lua *self, dc_dtype dtype) {
  const double first = lua_tonumber(L, 1), last = lua_tonumber(L, 2), step = lua_isnil(L, 3) ? 1 : lua_tonumber(L, 3);
  if (step == 0) return dc_lua_badarg(L, 3, "the step is 0");
  if (!isfinite(first) || !isfinite(last) || !isfinite(step)) return dc_lua_badarg(L, 1, "the range is not finite");
  double q = (last - first) / step;
  double slack = 8 * DBL_EPSILON * (fabs(first) + fabs(last)) / fabs(step);
  double n = q + slack < 0 ? 0 : floor(q + slack) + 1;
  if (n > 0x1p60) return dc_lua_fail(L, DC_MEMORY, "a range of %.14g elements is more than memory holds", n);
  if (dtype == DC_DTYPE_NONE) dtype = DC_FLOAT32;
  check_whole(L, dtype, first);
  check_whole(L, dtype, step);
  return push_range(L, self, dtype, number(L, 1), number(L, 3), (int64_t)n);
}

static int core_arange(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  if (lua_gettop(L) >= 3 && lua_type(L, 3) == LUA_TSTRING) { /* (first, last, dtype) */
    lua_pushnil(L);
    lua_insert(L, 3);
  }
  static const dc_lua_option options[] = {
    { "step", DC_LUA_NUMBER, 3 }, { "dtype", DC_LUA_STRING, 4 }, { NULL, DC_LUA_ANY, 0 }
  };
  dc_lua_take_options(L, 3, 4, options);
  lua_settop(L, 4);
  bool integers = true;
  for (int i = 1; i <= 3; i++) {
    if (i == 3 && lua_isnil(L, 3)) break;
    if (i == 2 && lua_isnil(L, 2))
      return dc_lua_badarg(L, 2, "a range has its first and its last number, both of them included: "
                                 "dc.arange(0, 4) has 0, 1, 2, 3 and 4");
    if (lua_type(L, i) != LUA_TNUMBER) return dc_lua_expected(L, i, "a number");
    integers = integers && lua_isinteger(L, i);
  }
  dc_dtype dtype = dc_lua_optdtype(L, 4, DC_DTYPE_NONE);
  return integers ? integer_range(L, self, dtype) : float_range(L, self, dtype);
}

#define HOST_LINSPACE 4096 /* elements that the host computes before a kernel would have begun */

/* n numbers from a to b, both included: a + (b - a) * (i / (n - 1)), computed in double precision: by a kernel, or, of
** few elements and of dtypes that may not hold them, by the host. */
static int core_linspace(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  int64_t n = 0;
  dc_error err = DC_ERROR_INIT;
  take_dtype(L, 4);
  for (int i = 1; i <= 2; i++)
    if (lua_type(L, i) != LUA_TNUMBER) return dc_lua_expected(L, i, "a number");
  if (!dc_lua_tointeger(L, 3, &n) || n < 0)
    return dc_lua_expected(L, 3, "the number of elements");
  dc_dtype dtype = dc_lua_optdtype(L, 4, DC_FLOAT32);
  const double a = lua_tonumber(L, 1), b = lua_tonumber(L, 2);
  const size_t size = dc_dtype_size(dtype);
  if ((uint64_t)n > SIZE_MAX / 16)
    return dc_lua_fail(L, DC_MEMORY, "%lld elements are more than memory holds", (long long)n);
  dc_device *dev = dc_lua_current(L, self);
  if (n > HOST_LINSPACE && (dtype == DC_FLOAT32 || dtype == DC_FLOAT64)) {
    dc_lua_array *slot = dc_lua_newarray(L);
    dc_lua_account(L, self, (size_t)n * size);
    return dc_lua_set_array(L, slot, DC_LUA_MAKE(self, dc_array_linspace(dev, dtype, a, b, n, &err)), &err);
  }
  char *host = dc_lua_scratch(L, (size_t)n * size);
  int scratch = lua_gettop(L);
  for (int64_t i = 0; i < n; i++) {
    const double v = i == 0 ? a : i == n - 1 ? b : a + (b - a) * ((double)i / (double)(n - 1));
    if (dtype == DC_FLOAT64 || dtype == DC_FLOAT32) {
      if (dtype == DC_FLOAT64) ((double *)(void *)host)[i] = v;
      else ((float *)(void *)host)[i] = (float)v;
      continue;
    }
    lua_pushnumber(L, v);
    int rc = dc_lua_element(L, -1, dtype, true, host + (size_t)i * size, &err);
    lua_pop(L, 1);
    if (rc != 0) return dc_lua_raise(L, &err);
  }
  dc_lua_array *slot = dc_lua_newarray(L);
  dc_lua_account(L, self, (size_t)n * size);
  dc_lua_set_array(L, slot, dc_array_from_host(dev, dtype, 1, &n, host, &err), &err);
  dc_lua_scratch_free(L, scratch);
  return 1;
}

static int core_eye(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  int64_t n = 0;
  take_dtype(L, 2);
  if (!dc_lua_tointeger(L, 1, &n) || n < 0) return dc_lua_expected(L, 1, "an extent");
  dc_dtype dtype = dc_lua_optdtype(L, 2, DC_FLOAT32);
  const int64_t shape[2] = { n, n };
  dc_array *a = dc_lua_push_empty(L, self, dc_lua_current(L, self), dtype, 2, shape);
  fill(L, self, a, integer(0));
  dc_geometry diagonal = { .ndim = 1, .shape = { n }, .strides = { (n + 1) * (int64_t)dc_dtype_size(dtype) } };
  fill(L, self, dc_lua_push_view(L, a, &diagonal, 0), integer(1));
  lua_pop(L, 1); /* array */
  return 1;
}

/* --- wrapped memory ---------------------------------------------------------------------------- */

/* Keeps the owner of wrapped memory alive, by the registry's reference.  malloc'ed: a view without a finalizer may go
** after all else when the state is closed. */
typedef struct owner {
  lua_State *L; /* the main thread */
  int ref;
} owner;

/* The last view has gone. Runs inside a call or a finalizer of ours, so the state lives. */
static void release_owner(void *ud) {
  owner *o = ud;
  if (lua_checkstack(o->L, 4)) luaL_unref(o->L, LUA_REGISTRYINDEX, o->ref);
  free(o);
}

/* Refers to the value at idx from the registry. */
static owner *keep_owner(lua_State *L, int idx) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_MAINTHREAD);
  lua_State *const main_thread = lua_tothread(L, -1);
  if (!main_thread) dc_lua_fail(L, DC_ARGUMENT, "the registry's entry of the main thread was replaced");
  lua_pushvalue(L, idx);
  const int ref = luaL_ref(L, LUA_REGISTRYINDEX);
  owner *o = malloc(sizeof *o);
  if (o) {
    *o = (owner){ main_thread, ref };
  } else {
    luaL_unref(L, LUA_REGISTRYINDEX, ref);
    dc_lua_fail(L, DC_MEMORY, "the host has no %zu bytes of memory left", sizeof *o);
  }
  return o;
}

/* wrap(ptr, shape [, dtype [, owner]] [, options]): an owner by position may be a table. */
static int core_wrap(lua_State *L) {
  static const dc_lua_option options[] = {
    { "dtype", DC_LUA_STRING, 3 }, { "owner", DC_LUA_ANY, 4 }, { NULL, DC_LUA_ANY, 0 }
  };
  if (lua_gettop(L) == 4) lua_settop(L, 5);
  if (lua_gettop(L) == 3 || !lua_isnil(L, 5)) dc_lua_take_options(L, 3, 4, options);
  dc_lua *self = dc_lua_self(L);
  int64_t ptr = 0;
  dc_lua_shape shape;
  dc_error err = DC_ERROR_INIT;
  if (!dc_lua_tointeger(L, 1, &ptr) || ptr == 0)
    return dc_lua_expected(L, 1, "a device address (an integer)");
  dc_lua_refuse_options(L, 2);
  dc_lua_checkshape(L, 2, 2, false, &shape);
  dc_dtype dtype = dc_lua_optdtype(L, 3, DC_FLOAT32);
  if ((uint64_t)ptr % dc_dtype_size(dtype) != 0)
    return dc_lua_badarg(L, 1, "address 0x%llx is not aligned to %zu bytes, as %s needs", (unsigned long long)ptr,
                         dc_dtype_size(dtype), dc_dtype_name(dtype));
  dc_device *dev = dc_lua_current(L, self);
  dc_lua_array *slot = dc_lua_newarray(L);
  int at = lua_gettop(L);
  owner *o = lua_isnoneornil(L, 4) ? NULL : keep_owner(L, 4);
  dc_array *a = dc_array_wrap(dev, (dc_ptr)ptr, dtype, shape.ndim, shape.extent, o ? release_owner : NULL, o, &err);
  if (!a && o) release_owner(o);
  lua_settop(L, at);
  return dc_lua_set_array(L, slot, a, &err);
}

/* --- page-locked arrays -------------------------------------------------------------------------- */

/* The GPU that is to lock the pages: the current device if it can, else the first that can. NULL: there is none. */
static dc_device *find_locker(const dc_lua *self, const dc_device *current) {
  size_t n;
  dc_device *const *list = dc_devices(self->devices, &n);
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
  dc_dtype dtype = check_shaped(L, &shape);
  dc_device *host = dc_device_host(self->devices, &err);
  if (!host) return dc_lua_raise(L, &err);
  dc_device *gpu = find_locker(self, dc_lua_current(L, self));
  dc_lua_array *slot = dc_lua_newarray(L);
  dc_array *a = gpu ? dc_array_pinned(host, gpu, dtype, shape.ndim, shape.extent, &err)
                    : dc_array_empty(host, dtype, shape.ndim, shape.extent, &err);
  return dc_lua_set_array(L, slot, a, &err);
}

/* --- random numbers ------------------------------------------------------------------------------ */

/* random(kind, shape, dtype, seed, call [, range [, index]]): kind "uniform", "normal", "exponential" or "integer" (0
** to range-1; a range of 0 is all 64 bits). Of the other kinds range is the number of the first element, a multiple of
** 4. index: int64, of this shape, has each element's number from 0 on, in place of its position. A pending array on the
** current device. */
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
  dc_array *index = lua_isnoneornil(L, 7) ? NULL : dc_lua_checkarray(L, self, 7);
  dc_device *dev = dc_lua_current(L, self);
  dc_lua_array *slot = dc_lua_newarray(L);
  return dc_lua_set_array(
      L, slot,
      dc_array_random(dev, (dc_random)kind, dtype, shape.ndim, shape.extent, seed, call, range, index, &err), &err);
}

const luaL_Reg dc_lua_create_core[] = {
  { "array", core_array },           { "empty", core_empty },           { "zeros", core_zeros },
  { "ones", core_ones },             { "full", core_full },             { "empty_like", core_empty_like },
  { "zeros_like", core_zeros_like }, { "ones_like", core_ones_like },   { "full_like", core_full_like },
  { "arange", core_arange },         { "linspace", core_linspace },     { "eye", core_eye },
  { "from_bytes", core_from_bytes }, { "wrap", core_wrap },             { "pinned", core_pinned },
  { NULL, NULL },
};

const luaL_Reg dc_lua_create_internal[] = { { "random", core_random }, { NULL, NULL } };
