/*
** convert.c - see convert.h.
**
** Conversions are strict: what the dtype cannot hold is an error, except that floating dtypes round.
** The default dtype is float32, and then a Lua integer that it cannot hold exactly is an error too.
*/
#include "lua/convert.h"

#include <inttypes.h>
#include <lauxlib.h>
#include <lua.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "array/array.h"
#include "array/graph/geometry.h"
#include "array/graph/number.h"
#include "array/graph/types.h"
#include "base/dtype.h"
#include "base/error.h"
#include "base/line.h"
#include "device/device.h"
#include "lua/array.h"
#include "lua/device.h"
#include "lua/error.h"
#include "lua/memory.h"
#include "lua/object.h"

/* --- complex numbers ----------------------------------------------------------------------------- */

typedef struct dc_lua_complex {
  double re, im;
} dc_lua_complex;

void dc_lua_pushcomplex(lua_State *L, double re, double im) {
  dc_lua_complex *z = dc_lua_new(L, DC_LUA_COMPLEX, sizeof *z, 0);
  z->re = re;
  z->im = im;
}

bool dc_lua_tocomplex(lua_State *L, const dc_lua *self, int idx, double *re, double *im) {
  const dc_lua_complex *z = dc_lua_test(L, self, idx, DC_LUA_COMPLEX);
  if (!z) return false;
  *re = z->re;
  *im = z->im;
  return true;
}

/* --- numbers ------------------------------------------------------------------------------------- */

/* True when float32 holds v exactly. */
static bool exact_float32(int64_t v) {
  float f = (float)v;
  return f < 0x1p63f && (int64_t)f == v;
}

bool dc_lua_tointeger(lua_State *L, int idx, int64_t *v) {
  int ok = 0;
  if (lua_type(L, idx) != LUA_TNUMBER) return false; /* not strings, which Lua would convert */
  *v = lua_tointegerx(L, idx, &ok);
  return ok != 0;
}

bool dc_lua_toscalar(lua_State *L, int idx, dc_scalar *s) {
  switch (lua_type(L, idx)) {
    case LUA_TBOOLEAN:
      s->kind = DC_SCALAR_BOOL;
      s->b = lua_toboolean(L, idx);
      return true;
    case LUA_TNUMBER:
      if (lua_isinteger(L, idx)) {
        s->kind = DC_SCALAR_INT;
        s->i = lua_tointeger(L, idx);
      } else {
        s->kind = DC_SCALAR_FLOAT;
        s->f = lua_tonumber(L, idx);
      }
      return true;
    case LUA_TUSERDATA:
      if (!dc_lua_tocomplex(L, dc_lua_self(L), idx, &s->re, &s->im)) return false;
      s->kind = DC_SCALAR_COMPLEX;
      return true;
    default: return false;
  }
}

dc_dtype dc_lua_value_dtype(const dc_scalar *s) {
  return s->kind == DC_SCALAR_BOOL ? DC_BOOL : s->kind == DC_SCALAR_COMPLEX ? DC_COMPLEX64 : DC_FLOAT32;
}

void dc_lua_pushscalar(lua_State *L, const dc_scalar *s) {
  if (s->kind == DC_SCALAR_BOOL) lua_pushboolean(L, s->b);
  else if (s->kind == DC_SCALAR_INT) lua_pushinteger(L, s->i);
  else if (s->kind == DC_SCALAR_COMPLEX) dc_lua_pushcomplex(L, s->re, s->im);
  else lua_pushnumber(L, s->f);
}

static int fail_inexact(int64_t v, dc_error *err) {
  return dc_fail(err, DC_DTYPE, NULL,
                 "the integer %" PRId64 " is not exact in float32, the default dtype; give a dtype (\"int64\", "
                 "\"float64\", or \"float32\" to round)",
                 v);
}

int dc_lua_element(lua_State *L, int idx, dc_dtype dtype, bool given, void *dst, dc_error *err) {
  dc_scalar s;
  if (!dc_lua_toscalar(L, idx, &s)) {
    int rc = dc_fail(err, DC_ARGUMENT, NULL, "a number or a boolean expected, got %s", dc_lua_describe(L, idx));
    lua_pop(L, 1);
    return rc;
  }
  if (s.kind == DC_SCALAR_BOOL && dtype != DC_BOOL && !given)
    return dc_fail(err, DC_DTYPE, NULL, "a boolean among numbers; give a dtype to mix them");
  if (s.kind == DC_SCALAR_INT && !given && (dtype == DC_FLOAT32 || dtype == DC_COMPLEX64) && !exact_float32(s.i))
    return fail_inexact(s.i, err);
  return dc_scalar_put(&s, dtype, dst, err);
}

/* One element of host memory as a Lua value. */
static void push_element(lua_State *L, dc_dtype dtype, const void *src) {
  dc_scalar s;
  dc_scalar_get(src, dtype, &s);
  dc_lua_pushscalar(L, &s);
}

/* --- dtypes and shapes --------------------------------------------------------------------------- */

#define MOST_SHOWN 40 /* bytes of a name in a message */

static int fail_dtype(lua_State *L, const char *name) {
  const char *near = dc_dtype_nearest(name), *rest = strlen(name) > MOST_SHOWN ? "…" : "";
  return dc_lua_fail(L, DC_DTYPE, "there is no dtype '%.*s%s'%s%s%s; there are " DC_DTYPE_LIST, MOST_SHOWN, name, rest,
                     near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
}

dc_dtype dc_lua_checkdtype(lua_State *L, int idx) {
  if (lua_type(L, idx) != LUA_TSTRING)
    dc_lua_expected(L, idx, "the name of a dtype");
  size_t n;
  const char *name = lua_tolstring(L, idx, &n);
  dc_dtype t = dc_dtype_parse(name, n);
  if (t == DC_DTYPE_NONE)
    fail_dtype(L, name);
  return t;
}

dc_dtype dc_lua_optdtype(lua_State *L, int idx, dc_dtype fallback) {
  return lua_isnoneornil(L, idx) ? fallback : dc_lua_checkdtype(L, idx);
}

dc_dtype dc_lua_default_dtype(lua_State *L, int idx) {
  if (lua_type(L, idx) == LUA_TBOOLEAN) return DC_BOOL;
  if (lua_type(L, idx) == LUA_TUSERDATA) return DC_COMPLEX64;
  if (lua_isinteger(L, idx) && !exact_float32(lua_tointeger(L, idx))) {
    dc_error err = DC_ERROR_INIT;
    fail_inexact(lua_tointeger(L, idx), &err);
    dc_lua_raise(L, &err);
  }
  return DC_FLOAT32;
}

bool dc_lua_other_key(lua_State *L, int idx, lua_Integer n, bool names) {
  idx = lua_absindex(L, idx);
  if (n > 0 && lua_getmetatable(L, idx)) {
    lua_pop(L, 1);
    if (lua_rawlen(L, idx) != (lua_Unsigned)n) return false; /* the metatable makes its values */
  }
  if (n > 0) lua_pushinteger(L, n);
  else lua_pushnil(L);
  while (lua_next(L, idx)) {
    lua_pop(L, 1);
    if (lua_type(L, -1) == LUA_TSTRING) {
      if (names && strcmp(lua_tostring(L, -1), "n") != 0) return true;
    } else if (!lua_isinteger(L, -1) || lua_tointeger(L, -1) < 1 || lua_tointeger(L, -1) > n) {
      return true;
    }
  }
  return false;
}

void dc_lua_check_axes(lua_State *L, int idx, lua_Integer n, bool names) {
  if (dc_lua_other_key(L, idx, n, names))
    dc_lua_fail_named(L, DC_ARGUMENT, "axes are a list, {1, 2}; this one has %s as a key", dc_lua_describe(L, -1));
}

static int64_t check_extent(lua_State *L, int idx, int axis, bool wild) {
  int64_t v = 0;
  if (!dc_lua_tointeger(L, idx, &v))
    dc_lua_fail_named(L, DC_SHAPE, "extent %d of the shape must be an integer, got %s", axis, dc_lua_describe(L, idx));
  if (v < 0 && !(wild && v == -1))
    dc_lua_fail_named(L, DC_SHAPE, "extent %d of the shape is %lld; extents are not negative%s", axis, (long long)v,
                wild ? " (one may be -1: what is left)" : "");
  return v;
}

void dc_lua_checkshape(lua_State *L, int first, int last, bool wild, dc_lua_shape *s) {
  bool table = first == last && lua_istable(L, first);
  lua_Integer n = table ? luaL_len(L, first) : last - first + 1;
  if (n > DC_MAX_DIMS)
    dc_lua_fail_named(L, DC_SHAPE, "a shape of %lld axes; arrays have at most %d", (long long)n, DC_MAX_DIMS);
  s->ndim = n > 0 ? (int)n : 0;
  if (table && dc_lua_other_key(L, first, s->ndim, false))
    dc_lua_fail_named(L, DC_SHAPE, "a shape is a list of extents, {2, 3}; this one has %s as a key",
                      dc_lua_describe(L, -1));
  for (int i = 0; i < s->ndim; i++) {
    if (table) lua_geti(L, first, i + 1);
    else lua_pushvalue(L, first + i);
    s->extent[i] = check_extent(L, -1, i + 1, wild);
    lua_pop(L, 1);
  }
}

/* --- nested tables to arrays --------------------------------------------------------------------- */

/* A conversion in progress: where in the nested table it is, and where its elements go. */
typedef struct fill {
  dc_lua_shape shape;
  dc_dtype dtype;
  bool given;
  char *at;                     /* the next element */
  lua_Integer path[DC_MAX_DIMS]; /* indices of the tables it is inside of */
  dc_error err;
} fill;

/* Shape by the first element of each level; leaves the first leaf's type. */
static int measure(lua_State *L, int idx, dc_lua_shape *s) {
  int top = lua_gettop(L), type;
  s->ndim = 0;
  lua_pushvalue(L, idx);
  while ((type = lua_type(L, -1)) == LUA_TTABLE) {
    if (luaL_getmetafield(L, -1, "__parts") != LUA_TNIL) /* struct_array.lua */
      dc_lua_fail(L, DC_DTYPE, "numbers expected, got an array of structs; s:field(name) has the numbers of a field");
    if (s->ndim == DC_MAX_DIMS)
      dc_lua_fail(L, DC_SHAPE, "the table is nested deeper than %d levels, the most axes an array has", DC_MAX_DIMS);
    luaL_checkstack(L, 2, NULL);
    s->extent[s->ndim++] = luaL_len(L, -1);
    if (s->extent[s->ndim - 1] == 0) {
      type = LUA_TNIL;
      break;
    }
    lua_geti(L, -1, 1);
  }
  lua_settop(L, top);
  return type;
}

/* "t[2][3]" for the place `depth` levels down, into text. */
static const char *place(const fill *f, int depth, char *text, size_t n) {
  int used = snprintf(text, n, "t");
  for (int i = 0; i < depth && used > 0 && (size_t)used < n; i++)
    used += snprintf(text + used, n - (size_t)used, "[%lld]", (long long)f->path[i]);
  return text;
}

/* The table on top should be row f->path of extent `want`; or a value stands where a row should, or the reverse. */
static void check_row(lua_State *L, fill *f, int depth) {
  char text[160];
  if (!lua_istable(L, -1))
    dc_lua_fail(L, DC_SHAPE, "ragged table: %s is %s, a row of %lld elements is expected",
                place(f, depth, text, sizeof text), dc_lua_describe(L, -1), (long long)f->shape.extent[depth]);
  lua_Integer n = luaL_len(L, -1);
  if (n != f->shape.extent[depth])
    dc_lua_fail(L, DC_SHAPE, "ragged table: row %s has %lld element%s, the first row has %lld",
                place(f, depth, text, sizeof text), (long long)n, n == 1 ? "" : "s",
                (long long)f->shape.extent[depth]);
}

static int fail_field(lua_State *L, const fill *f, int depth, const char *key) {
  char text[160];
  return dc_lua_fail(L, DC_ARGUMENT,
                     "a table of values has them as t[1], t[2], …; %s has %s as a key (a dtype and options are "
                     "arguments of their own: dc.array(t, \"int32\"))",
                     depth == 0 ? "this one" : place(f, depth, text, sizeof text), key);
}

/* Fields of the table on top, which has n values: they would be lost, such as a dtype in it, {1, 2, dtype = "int8"}. */
static void refuse_fields(lua_State *L, const fill *f, int depth, lua_Integer n) {
  const int table = lua_gettop(L);
  if (depth == 0) {
    lua_pushliteral(L, "dtype");
    if (lua_rawget(L, table) != LUA_TNIL) fail_field(L, f, depth, "the string 'dtype'");
    lua_pop(L, 1);
  }
  if (dc_lua_other_key(L, table, n, true)) fail_field(L, f, depth, dc_lua_describe(L, -1));
}

static void fail_element(lua_State *L, fill *f, int depth) {
  char text[160];
  place(f, depth, text, sizeof text);
  if (lua_istable(L, -1)) {
    dc_error_clear(&f->err);
    dc_lua_fail(L, DC_SHAPE, "ragged table: %s is a table, an element is expected", text);
  }
  if (dc_lua_test(L, dc_lua_self(L), -1, DC_LUA_ARRAY)) { /* a closed one, too */
    dc_error_clear(&f->err);
    dc_lua_fail(L, DC_ARGUMENT, "%s is an array, a number or a boolean is expected; dc.stack joins arrays", text);
  }
  dc_error_prefix(&f->err, "%s: ", text);
  dc_lua_raise(L, &f->err);
}

/* Fast paths of dc_scalar_put; false leaves the value to that.  A float for float64, or float32 unless it overflows. */
static bool put_float_fast(dc_dtype dtype, double v, void *dst) {
  const float f = (float)v;
  if (dtype == DC_FLOAT32) memcpy(dst, &f, sizeof f);
  else if (dtype == DC_FLOAT64) memcpy(dst, &v, sizeof v);
  return dtype == DC_FLOAT64 || (dtype == DC_FLOAT32 && !isinf(f));
}

/* An integer for a dtype of 32 or 64 bits; for a float within 24 bits, which is exact. */
static bool put_integer_fast(dc_dtype dtype, int64_t v, void *dst) {
  const bool small = v >= -(1 << 24) && v <= 1 << 24;
  switch (dtype) {
    case DC_INT64:
    case DC_UINT64: memcpy(dst, &v, sizeof v); return true;
    case DC_INT32: memcpy(dst, &(int32_t){ (int32_t)v }, sizeof(int32_t)); return v == (int32_t)v;
    case DC_FLOAT32:
    case DC_FLOAT64: return small && put_float_fast(dtype, (double)v, dst);
    default: return false;
  }
}

static bool put_fast(lua_State *L, dc_dtype dtype, void *dst) {
  if (lua_isinteger(L, -1)) return put_integer_fast(dtype, lua_tointeger(L, -1), dst);
  return put_float_fast(dtype, lua_tonumber(L, -1), dst);
}

/* Elements of the table on top, which is `depth` levels down; the last level. */
static void fill_elements(lua_State *L, fill *f, int depth) {
  const int64_t n = f->shape.extent[depth];
  const size_t size = dc_dtype_size(f->dtype);
  for (lua_Integer i = 1; i <= n; i++, f->at += size) {
    int type = lua_geti(L, -1, i);
    if (type == LUA_TNUMBER && put_fast(L, f->dtype, f->at)) {
      lua_pop(L, 1);
      continue;
    }
    if (dc_lua_element(L, -1, f->dtype, f->given, f->at, &f->err) != 0) {
      f->path[depth] = i;
      fail_element(L, f, depth + 1);
    }
    lua_pop(L, 1);
  }
}

static void fill_rows(lua_State *L, fill *f, int depth) {
  luaL_checkstack(L, 4, NULL);
  check_row(L, f, depth);
  refuse_fields(L, f, depth, f->shape.extent[depth]);
  if (depth == f->shape.ndim - 1) {
    fill_elements(L, f, depth);
    return;
  }
  for (lua_Integer i = 1; i <= f->shape.extent[depth]; i++) {
    f->path[depth] = i;
    lua_geti(L, -1, i);
    fill_rows(L, f, depth + 1);
    lua_pop(L, 1);
  }
}

dc_array *dc_lua_fromtable(lua_State *L, dc_lua *self, dc_device *dev, int idx, dc_dtype dtype) {
  fill f = { .err = DC_ERROR_INIT };
  idx = lua_absindex(L, idx);
  int leaf = measure(L, idx, &f.shape);
  f.given = dtype != DC_DTYPE_NONE;
  f.dtype = f.given ? dtype : leaf == LUA_TBOOLEAN ? DC_BOOL : leaf == LUA_TUSERDATA ? DC_COMPLEX64 : DC_FLOAT32;
  dc_geometry g;
  if (dc_geometry_c(&g, f.shape.ndim, f.shape.extent, dc_dtype_size(f.dtype), &f.err) != 0) dc_lua_raise(L, &f.err);
  size_t bytes = (size_t)dc_geometry_size(&g) * dc_dtype_size(f.dtype);
  char *host = dc_lua_scratch(L, bytes);
  int scratch = lua_gettop(L);
  f.at = host;
  lua_pushvalue(L, idx);
  fill_rows(L, &f, 0);
  lua_pop(L, 1);
  dc_lua_array *slot = dc_lua_newarray(L);
  dc_lua_account(L, self, bytes);
  dc_lua_set_array(L, slot, dc_array_from_host(dev, f.dtype, f.shape.ndim, f.shape.extent, host, &f.err), &f.err);
  dc_lua_scratch_free(L, scratch);
  lua_remove(L, scratch);
  return slot->a;
}

dc_array *dc_lua_checkoperand(lua_State *L, dc_lua *self, int arg, const dc_array *like) {
  dc_array *a = dc_lua_toarray(L, self, arg);
  if (DC_LIKELY(a != NULL)) return a;
  if (!lua_istable(L, arg)) dc_lua_expected(L, arg, "an array");
  dc_device *dev = like ? dc_array_device(like) : dc_lua_current(L, self);
  a = dc_lua_fromtable(L, self, dev, arg, like ? dc_array_dtype(like) : DC_DTYPE_NONE);
  lua_replace(L, arg);
  return a;
}

/* --- arrays to nested tables --------------------------------------------------------------------- */

/* Sets the elements of the table on the top, 1 to n; false: not of this dtype. */
static bool set_row(lua_State *L, dc_dtype dtype, int64_t n, const char *src) {
  switch (dtype) {
#define SET_ROW(dtype, T, push)                                                                                        \
  case dtype:                                                                                                          \
    for (int64_t i = 0; i < n; i++) {                                                                                  \
      T v;                                                                                                             \
      memcpy(&v, src + i * (int64_t)sizeof v, sizeof v);                                                               \
      push(L, v);                                                                                                      \
      lua_rawseti(L, -2, i + 1);                                                                                       \
    }                                                                                                                  \
    return true;
    SET_ROW(DC_BOOL, uint8_t, lua_pushboolean)
    SET_ROW(DC_INT8, int8_t, lua_pushinteger)
    SET_ROW(DC_INT16, int16_t, lua_pushinteger)
    SET_ROW(DC_INT32, int32_t, lua_pushinteger)
    SET_ROW(DC_INT64, int64_t, lua_pushinteger)
    SET_ROW(DC_UINT8, uint8_t, lua_pushinteger)
    SET_ROW(DC_UINT16, uint16_t, lua_pushinteger)
    SET_ROW(DC_UINT32, uint32_t, lua_pushinteger)
    SET_ROW(DC_UINT64, int64_t, lua_pushinteger) /* its bits */
    SET_ROW(DC_FLOAT32, float, lua_pushnumber)
    SET_ROW(DC_FLOAT64, double, lua_pushnumber)
    default: return false;
  }
}

static const char *push_level(lua_State *L, dc_dtype dtype, int ndim, const int64_t *shape, const char *src) {
  if (ndim == 0) {
    push_element(L, dtype, src);
    return src + dc_dtype_size(dtype);
  }
  luaL_checkstack(L, 3, NULL);
  lua_createtable(L, shape[0] < INT32_MAX ? (int)shape[0] : INT32_MAX, 0);
  if (ndim == 1 && set_row(L, dtype, shape[0], src)) return src + (size_t)shape[0] * dc_dtype_size(dtype);
  for (int64_t i = 1; i <= shape[0]; i++) {
    src = push_level(L, dtype, ndim - 1, shape + 1, src);
    lua_rawseti(L, -2, i);
  }
  return src;
}

void dc_lua_pushtable(lua_State *L, dc_dtype dtype, int ndim, const int64_t *shape, const char *src) {
  push_level(L, dtype, ndim, shape, src);
}
