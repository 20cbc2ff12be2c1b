/*
** reduce.c - reductions of arrays: over all elements, an axis, or a list of axes.
*/
#include <string.h>

#include "lua/lib.h"

typedef struct over {
  uint32_t axes;
  bool keep;
  double ddof;
} over;

static void add_axis(lua_State *L, int idx, int ndim, over *o) {
  int64_t v = 0;
  if (!dc_lua_tointeger(L, idx, &v))
    dc_lua_fail(L, DC_ARGUMENT, "an axis is an integer, got %s", dc_lua_describe(L, idx));
  const int64_t axis = v < 0 ? v + ndim : v - 1;
  if (v == 0 || axis < 0 || axis >= ndim)
    dc_lua_fail(L, DC_SHAPE, "there is no axis %lld in an array of %d (they count from 1)", (long long)v, ndim);
  if (o->axes >> axis & 1) dc_lua_fail(L, DC_SHAPE, "axis %lld is named twice", (long long)v);
  o->axes |= 1u << axis;
}

/* The options of the table at idx; its list part names axes. */
static void read_options(lua_State *L, int idx, bool takes_ddof, over *o) {
  for (lua_pushnil(L); lua_next(L, idx); lua_pop(L, 1)) {
    if (lua_type(L, -2) == LUA_TNUMBER) continue;
    const char *name = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "?";
    if (strcmp(name, "keep") == 0 && lua_isboolean(L, -1)) o->keep = lua_toboolean(L, -1);
    else if (strcmp(name, "keep") == 0)
      dc_lua_fail(L, DC_ARGUMENT, "option 'keep' is a boolean, got %s", dc_lua_describe(L, -1));
    else if (takes_ddof && strcmp(name, "ddof") == 0 && lua_type(L, -1) == LUA_TNUMBER) o->ddof = lua_tonumber(L, -1);
    else if (takes_ddof && strcmp(name, "ddof") == 0)
      dc_lua_fail(L, DC_ARGUMENT, "option 'ddof' is a number, got %s", dc_lua_describe(L, -1));
    else
      dc_lua_fail(L, DC_ARGUMENT, "there is no option '%s'; there %s", name,
                  takes_ddof ? "are keep and ddof" : "is keep");
  }
}

/* Argument 2: nothing (all axes), an axis, or {axis, …, keep = boolean}. */
static over read_over(lua_State *L, const dc_array *a, bool takes_ddof) {
  const int ndim = dc_array_geometry(a)->ndim;
  over o = { .axes = 0 };
  if (lua_gettop(L) > 2)
    dc_lua_fail(L, DC_ARGUMENT, "several axes are given as one table, {1, 2}; got %d arguments", lua_gettop(L) - 1);
  if (lua_istable(L, 2)) {
    const lua_Integer n = luaL_len(L, 2);
    read_options(L, 2, takes_ddof, &o);
    for (lua_Integer i = 1; i <= n; i++) {
      lua_geti(L, 2, i);
      add_axis(L, lua_gettop(L), ndim, &o);
      lua_pop(L, 1);
    }
  } else if (!lua_isnoneornil(L, 2)) {
    add_axis(L, 2, ndim, &o);
  }
  if (o.axes == 0) o.axes = UINT32_MAX;
  return o;
}

int dc_lua_reduce(lua_State *L, dc_reduce op) {
  dc_lua *self = dc_lua_self(L);
  dc_array *a = dc_lua_checkarray(L, self, 1);
  const over o = read_over(L, a, false);
  dc_error err = DC_ERROR_INIT;
  dc_lua_array *slot = dc_lua_newarray(L);
  return dc_lua_made(L, slot, DC_LUA_MAKE(self, dc_array_reduce(op, a, o.axes, o.keep, &err)), &err);
}

#define REDUCTION(name, op) \
  static int array_##name(lua_State *L) { return dc_lua_reduce(L, DC_REDUCE_##op); }
REDUCTION(sum, SUM) REDUCTION(prod, PROD) REDUCTION(min, MIN) REDUCTION(max, MAX) REDUCTION(any, ANY)
REDUCTION(all, ALL)
#undef REDUCTION

/* The first place of the extreme, from 1; over all elements it counts in C order. */
static int arg_extreme(lua_State *L, dc_reduce op) {
  dc_lua *self = dc_lua_self(L);
  dc_array *a = dc_lua_checkarray(L, self, 1);
  const over o = read_over(L, a, false);
  dc_error err = DC_ERROR_INIT;
  if (o.axes != UINT32_MAX && (o.axes & (o.axes - 1)) != 0)
    return dc_lua_fail(L, DC_ARGUMENT,
                       "the place of an extreme is along one axis or in all elements, not along several axes");
  dc_lua_array *slot = dc_lua_newarray(L);
  dc_array *zero_based = DC_LUA_MAKE(self, dc_array_reduce(op, a, o.axes, o.keep, &err));
  if (!zero_based) return dc_lua_raise(L, &err);
  dc_array *const arg[2] = { zero_based, NULL };
  const dc_scalar one[2] = { [1] = { .kind = DC_SCALAR_INT, .i = 1 } };
  dc_array *place = DC_LUA_MAKE(self, dc_array_apply(DC_OP_ADD, arg, one, &err));
  dc_array_unref(zero_based);
  return dc_lua_made(L, slot, place, &err);
}

static int array_argmin(lua_State *L) { return arg_extreme(L, DC_REDUCE_ARGMIN); }
static int array_argmax(lua_State *L) { return arg_extreme(L, DC_REDUCE_ARGMAX); }

/* A combination of reductions, of no options of its own. */
static int combine(lua_State *L, dc_array *(*make)(dc_array *a, uint32_t axes, bool keep, dc_error *err)) {
  dc_lua *self = dc_lua_self(L);
  dc_array *a = dc_lua_checkarray(L, self, 1);
  const over o = read_over(L, a, false);
  dc_error err = DC_ERROR_INIT;
  dc_lua_array *slot = dc_lua_newarray(L);
  return dc_lua_made(L, slot, DC_LUA_MAKE(self, make(a, o.axes, o.keep, &err)), &err);
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
  dc_array *a = dc_lua_checkarray(L, self, 1);
  const over o = read_over(L, a, true);
  dc_error err = DC_ERROR_INIT;
  dc_lua_array *slot = dc_lua_newarray(L);
  return dc_lua_made(L, slot, DC_LUA_MAKE(self, dc_array_variance(a, o.axes, o.keep, o.ddof, root, &err)), &err);
}

static int array_var(lua_State *L) { return variance(L, false); }
static int array_std(lua_State *L) { return variance(L, true); }

#define NAMES                                                                                               \
  { "sum", array_sum }, { "prod", array_prod }, { "any", array_any }, { "all", array_all },                 \
      { "argmin", array_argmin }, { "argmax", array_argmax }, { "mean", array_mean }, { "var", array_var }, \
      { "std", array_std }, { "norm", array_norm }, { "count", array_count }

const luaL_Reg dc_lua_reduce_methods[] = { NAMES, { "min", array_min }, { "max", array_max }, { NULL, NULL } };
const luaL_Reg dc_lua_reduce_core[] = { NAMES, { NULL, NULL } }; /* dc.min and dc.max: operators.c */
