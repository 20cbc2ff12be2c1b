/* reduce.c - see reduce.h. */
#include "lua/reduce.h"

#include <lauxlib.h>
#include <lua.h>
#include <string.h>

#include "array/array.h"
#include "array/copy.h"
#include "array/graph/number.h"
#include "array/graph/op.h"
#include "array/graph/types.h"
#include "array/operators.h"
#include "array/reduce.h"
#include "base/dtype.h"
#include "base/error.h"
#include "lua/array.h"
#include "lua/convert.h"
#include "lua/error.h"
#include "lua/host_interrupt.h"
#include "lua/memory.h"
#include "lua/named.h"
#include "lua/object.h"
#include "lua/operators.h"

typedef struct over {
  uint32_t axes;    /* UINT32_MAX: all */
  bool keep, whole; /* whole: neither axes nor keep were asked for */
  double ddof;
} over;

/* The end of messages about dc.max(a, 2.5) and a:max(0). */
#define COMPARES_MIN "; 'min' reduces one array, dc.minimum(a, b) and dc.fmin(a, b) compare two"
#define COMPARES_MAX "; 'max' reduces one array, dc.maximum(a, b) and dc.fmax(a, b) compare two"

static void add_axis(lua_State *L, int idx, int ndim, const char *hint, over *o) {
  int64_t v = 0;
  if (!dc_lua_tointeger(L, idx, &v))
    dc_lua_fail(L, DC_ARGUMENT, "an axis is an integer, got %s%s", dc_lua_describe(L, idx), hint);
  const int64_t axis = v < 0 ? v + ndim : v - 1;
  if (v == 0 || axis < 0 || axis >= ndim)
    dc_lua_fail(L, DC_SHAPE, "there is no axis %lld: the array has %d, numbered from 1%s", (long long)v, ndim, hint);
  if (o->axes >> axis & 1) dc_lua_fail(L, DC_SHAPE, "axis %lld is named twice", (long long)v);
  o->axes |= 1u << axis;
}

/* The axis at idx, or those of the list there.  `has_options`: the table of the list may hold options, too. */
static void add_axes(lua_State *L, int idx, bool has_options, int ndim, const char *hint, over *o) {
  if (lua_isnil(L, idx)) return;
  const bool list = lua_istable(L, idx);
  const lua_Integer n = list ? luaL_len(L, idx) : 1;
  if (o->axes != 0 && n > 0) dc_lua_fail(L, DC_ARGUMENT, "the axes are given twice");
  if (list) dc_lua_check_axes(L, idx, n, !has_options);
  for (lua_Integer i = 1; i <= n; i++) {
    if (list) lua_geti(L, idx, i);
    else lua_pushvalue(L, idx);
    add_axis(L, lua_gettop(L), ndim, hint, o);
    lua_pop(L, 1);
  }
}

/* Axes as several arguments, or as a table of them, which may hold options too; or a table of options behind. */
static void read_tables(lua_State *L, int ndim, bool takes_ddof, const char *hint, over *o) {
  const int top = lua_gettop(L);
  const dc_lua_option known[] = {
    { "keep", DC_LUA_BOOLEAN, top + 3 }, { "axis", DC_LUA_ANY, top + 1 }, { "axes", DC_LUA_ANY, top + 2 },
    { takes_ddof ? "ddof" : NULL, DC_LUA_NUMBER, top + 4 }, { NULL, DC_LUA_ANY, 0 },
  };
  lua_settop(L, top + 4);
  if (top == 2 || lua_istable(L, 2)) {
    for (int i = 2; i <= top && i <= 3; i++) {
      if (lua_istable(L, i)) dc_lua_read_options(L, i, true, known);
      add_axes(L, i, true, ndim, hint, o);
    }
    if (top > 3) dc_lua_fail(L, DC_ARGUMENT, "a table of axes and one of options expected, got %d arguments", top - 1);
  } else {
    for (int i = 2; i <= top && !lua_istable(L, i); i++) {
      if (!lua_isnil(L, i)) add_axis(L, i, ndim, hint, o);
    }
    if (lua_istable(L, top)) {
      dc_lua_read_options(L, top, true, known);
      add_axes(L, top, true, ndim, hint, o);
    }
  }
  for (int i = 1; i <= 2; i++) add_axes(L, top + i, false, ndim, hint, o);
  o->keep = lua_toboolean(L, top + 3);
  if (takes_ddof && lua_isnumber(L, top + 4)) o->ddof = lua_tonumber(L, top + 4);
  if (!(o->ddof >= 0))
    dc_lua_fail(L, DC_ARGUMENT, "option 'ddof' is a number from 0 on, got %s", dc_lua_describe(L, top + 4));
}

/* Arguments from 2 on.  `hint` ends messages about axes. */
static over read_over(lua_State *L, const dc_array *a, bool takes_ddof, const char *hint) {
  const int ndim = dc_array_geometry(a)->ndim;
  over o = { .axes = 0 };
  while (lua_gettop(L) > 1 && lua_isnil(L, -1)) lua_pop(L, 1);
  if (lua_gettop(L) == 2 && lua_type(L, 2) == LUA_TNUMBER) add_axis(L, 2, ndim, hint, &o);
  else if (lua_gettop(L) > 1) read_tables(L, ndim, takes_ddof, hint, &o);
  o.whole = o.axes == 0 && !o.keep;
  if (o.axes == 0) o.axes = UINT32_MAX;
  return o;
}

/* Pushes the reduction of argument 1, returns 1. */
static int reduce(lua_State *L, dc_reduce op, const char *hint, bool *whole) {
  dc_lua *self = dc_lua_self(L);
  if (*hint && lua_gettop(L) > 1 && lua_type(L, 1) == LUA_TNUMBER)
    dc_lua_fail(L, DC_ARGUMENT, "an array expected, got %s%s", dc_lua_describe(L, 1), hint);
  dc_array *a = dc_lua_checkoperand(L, self, 1, NULL);
  const over o = read_over(L, a, false, hint);
  dc_error err = DC_ERROR_INIT;
  dc_lua_array *slot = dc_lua_newarray(L);
  if (whole) *whole = o.whole;
  return dc_lua_set_array(L, slot, DC_LUA_MAKE(self, dc_array_reduce(op, a, o.axes, o.keep, &err)), &err);
}

static int array_sum(lua_State *L) { return reduce(L, DC_REDUCE_SUM, "", NULL); }
static int array_prod(lua_State *L) { return reduce(L, DC_REDUCE_PROD, "", NULL); }
static int array_min(lua_State *L) { return reduce(L, DC_REDUCE_MIN, COMPARES_MIN, NULL); }
static int array_max(lua_State *L) { return reduce(L, DC_REDUCE_MAX, COMPARES_MAX, NULL); }

/* In a function that dc.vectorize traces, values stand for one element each: there the two are elementwise. */
static int core_min(lua_State *L) { return dc_lua_apply_symbolic(L, dc_lua_self(L), "min") ? 1 : array_min(L); }
static int core_max(lua_State *L) { return dc_lua_apply_symbolic(L, dc_lua_self(L), "max") ? 1 : array_max(L); }

/* Over everything a Lua boolean: an array is true in a condition, whatever it holds. */
static int truth(lua_State *L, dc_reduce op) {
  dc_lua *self = dc_lua_self(L);
  bool whole;
  dc_scalar s;
  dc_error err = DC_ERROR_INIT;
  reduce(L, op, "", &whole);
  const dc_lua_array *made = lua_touserdata(L, -1);
  if (!whole) return 1;
  dc_lua_account(L, self, dc_dtype_size(DC_BOOL));
  if (DC_LUA_WORK(self, dc_array_get(made->a, &s, &err)) != 0) return dc_lua_raise(L, &err);
  lua_pushboolean(L, s.b);
  return 1;
}

static int array_any(lua_State *L) { return truth(L, DC_REDUCE_ANY); }
static int array_all(lua_State *L) { return truth(L, DC_REDUCE_ALL); }

/* The first position of the least or the largest element, from 1; over all elements it counts in C order. */
static int arg_reduce(lua_State *L, dc_reduce op) {
  dc_lua *self = dc_lua_self(L);
  dc_array *a = dc_lua_checkoperand(L, self, 1, NULL);
  const over o = read_over(L, a, false, "");
  dc_error err = DC_ERROR_INIT;
  if (o.axes != UINT32_MAX && (o.axes & (o.axes - 1)) != 0)
    return dc_lua_fail(L, DC_ARGUMENT, "%s takes one axis, or none for all elements, not several axes",
                       op == DC_REDUCE_ARGMAX ? "argmax" : "argmin");
  dc_lua_array *slot = dc_lua_newarray(L);
  return dc_lua_set_array(L, slot, DC_LUA_MAKE(self, dc_array_arg_reduce(op, a, o.axes, o.keep, &err)), &err);
}

static int array_argmin(lua_State *L) { return arg_reduce(L, DC_REDUCE_ARGMIN); }
static int array_argmax(lua_State *L) { return arg_reduce(L, DC_REDUCE_ARGMAX); }

/* A combination of reductions, of no options of its own. */
static int combine(lua_State *L, dc_array *(*make)(dc_array *a, uint32_t axes, bool keep, dc_error *err)) {
  dc_lua *self = dc_lua_self(L);
  dc_array *a = dc_lua_checkoperand(L, self, 1, NULL);
  const over o = read_over(L, a, false, "");
  dc_error err = DC_ERROR_INIT;
  dc_lua_array *slot = dc_lua_newarray(L);
  return dc_lua_set_array(L, slot, DC_LUA_MAKE(self, make(a, o.axes, o.keep, &err)), &err);
}

static int array_mean(lua_State *L) { return combine(L, dc_array_mean); }
static int array_norm(lua_State *L) { return combine(L, dc_array_norm); }

/* How many elements are not 0 (true). */
static dc_array *count(dc_array *a, uint32_t axes, bool keep, dc_error *err) {
  dc_array *truth = dc_array_cast(a, DC_BOOL, err);
  dc_array *n = truth ? dc_array_reduce(DC_REDUCE_SUM, truth, axes, keep, err) : NULL;
  dc_array_unref(truth);
  return n;
}

static int array_count(lua_State *L) { return combine(L, count); }

static int variance(lua_State *L, bool root) {
  dc_lua *self = dc_lua_self(L);
  dc_array *a = dc_lua_checkoperand(L, self, 1, NULL);
  const over o = read_over(L, a, true, "");
  dc_error err = DC_ERROR_INIT;
  dc_lua_array *slot = dc_lua_newarray(L);
  return dc_lua_set_array(L, slot, DC_LUA_MAKE(self, dc_array_variance(a, o.axes, o.keep, o.ddof, root, &err)), &err);
}

static int array_var(lua_State *L) { return variance(L, false); }
static int array_std(lua_State *L) { return variance(L, true); }

#define NAMES                                                                                               \
  { "sum", array_sum }, { "prod", array_prod }, { "any", array_any }, { "all", array_all },                 \
      { "argmin", array_argmin }, { "argmax", array_argmax }, { "mean", array_mean }, { "var", array_var }, \
      { "std", array_std }, { "norm", array_norm }, { "count", array_count }

const luaL_Reg dc_lua_reduce_methods[] = { NAMES, { "min", array_min }, { "max", array_max }, { NULL, NULL } };
const luaL_Reg dc_lua_reduce_core[] = { NAMES, { "min", core_min }, { "max", core_max }, { NULL, NULL } };
