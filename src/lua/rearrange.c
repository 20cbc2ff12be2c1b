/* rearrange.c - see rearrange.h. */
#include "lua/rearrange.h"

#include <lauxlib.h>
#include <lua.h>
#include <string.h>

#include "array/array.h"
#include "array/copy.h"
#include "array/graph/geometry.h"
#include "array/graph/types.h"
#include "array/parts.h"
#include "array/view.h"
#include "base/dtype.h"
#include "base/error.h"
#include "device/device.h"
#include "lua/array.h"
#include "lua/convert.h"
#include "lua/create.h"
#include "lua/error.h"
#include "lua/host_interrupt.h"
#include "lua/object.h"

/* A view of the elements of one axis. */
static dc_array *range_of(dc_array *a, int axis, const dc_range *range, dc_error *err) {
  const dc_geometry *g = dc_array_geometry(a);
  dc_range r[DC_MAX_DIMS];
  dc_geometry view;
  int64_t offset;
  for (int d = 0; d < axis; d++) r[d] = (dc_range){ .count = g->shape[d], .step = 1, .keep = true };
  r[axis] = *range;
  dc_geometry_index(g, axis + 1, r, &view, &offset);
  return dc_array_view(a, &view, offset, err);
}

/* The views `to`, NULL when making it failed, and `from`, which are to be copied; references to both are the list's. */
typedef struct part_list {
  dc_array_part part[32];
  int n;
  int rc; /* not 0: something has failed */
} part_list;

/* Copies and releases what is in the list. */
static void finish_parts(dc_lua *self, part_list *l, dc_error *err) {
  if (l->rc == 0 && l->n > 0) l->rc = DC_LUA_WORK(self, dc_array_assign_parts(l->part, l->n, err));
  for (int i = 0; i < l->n; i++) {
    dc_array_unref(l->part[i].to);
    dc_array_unref(l->part[i].from);
  }
  l->n = 0;
}

/* Takes the references. */
static void add_part(dc_lua *self, part_list *l, dc_array *to, dc_array *from, dc_error *err) {
  if (to == NULL || from == NULL) l->rc = -1;
  l->part[l->n++] = (dc_array_part){ to, from };
  if (l->n == (int)(sizeof l->part / sizeof *l->part)) finish_parts(self, l, err);
}

/* copy_ranges(to, axis, at, from, first, n, step, at, from, …): n elements of `from` along an axis, from number `first`
** on and `step` apart, become those of `to` from number `at` on, for each five arguments.  All have the same axes; the
** ranges are inside.  None writes what another one, or itself, reads or writes. */
static int core_copy_ranges(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  dc_array *to = dc_lua_checkarray(L, self, 1);
  const int axis = (int)luaL_checkinteger(L, 2) - 1, top = lua_gettop(L);
  dc_error err = DC_ERROR_INIT;
  part_list list = { .n = 0 };
  dc_lua_materialize(L, self, to);
  for (int i = 3; i < top; i += 5) dc_lua_materialize(L, self, dc_lua_checkarray(L, self, i + 1));
  for (int i = 3; i < top && list.rc == 0; i += 5) {
    dc_range target = { .first = lua_tointeger(L, i) - 1, .count = lua_tointeger(L, i + 3), .step = 1, .keep = true };
    dc_range source = target;
    source.first = lua_tointeger(L, i + 2) - 1;
    source.step = lua_tointeger(L, i + 4);
    if (target.count == 0) continue;
    dc_array *part = range_of(to, axis, &target, &err);
    add_part(self, &list, part, part ? range_of(dc_lua_toarray(L, self, i + 1), axis, &source, &err) : NULL, &err);
  }
  finish_parts(self, &list, &err);
  return list.rc == 0 ? 0 : dc_lua_raise(L, &err);
}

/* Copies `from`, whose reference it takes, to the part of `to` of geometry g that begins `offset` bytes behind its
** first element. */
static void copy_to_part(lua_State *L, dc_lua *self, dc_array *to, const dc_geometry *g, int64_t offset,
                         dc_array *from) {
  dc_error err = DC_ERROR_INIT;
  dc_array *part = from ? dc_array_view(to, g, offset, &err) : NULL;
  const int rc = part ? DC_LUA_WORK(self, dc_array_assign(part, from, false, &err)) : -1;
  dc_array_unref(part);
  dc_array_unref(from);
  if (rc != 0) dc_lua_raise(L, &err);
}

/* --- joining -------------------------------------------------------------------------------------------------- */

typedef struct joint {
  dc_device *dev;
  dc_dtype dtype;
  int axis;      /* from 0 */
  bool is_new;   /* the axis: arrays are stacked along it */
  dc_geometry g; /* the result's shape */
} joint;

/* The shape of the result begins as that of the first array.  False: it has no such axis, or too many. */
static bool begin_join(joint *j, const dc_array *a, bool any_dtype) {
  const dc_geometry *g = dc_array_geometry(a);
  const int ndim = g->ndim + j->is_new;
  if (j->axis < 0 || j->axis >= ndim || ndim > DC_MAX_DIMS) return false;
  j->dev = dc_array_device(a);
  if (!any_dtype) j->dtype = dc_array_dtype(a);
  j->g = *g;
  if (!j->is_new) return true;
  for (int d = g->ndim; d > j->axis; d--) j->g.shape[d] = j->g.shape[d - 1];
  j->g.shape[j->axis] = 1;
  j->g.ndim = ndim;
  return true;
}

/* Adds the extent of another array.  False: it does not fit. */
static bool add_joined(joint *j, const dc_array *a, bool any_dtype) {
  const dc_geometry *g = dc_array_geometry(a);
  if (dc_array_device(a) != j->dev || (!any_dtype && dc_array_dtype(a) != j->dtype)) return false;
  if (g->ndim + j->is_new != j->g.ndim) return false;
  for (int d = 0; d < j->g.ndim; d++)
    if (d != j->axis && g->shape[d - (j->is_new && d > j->axis)] != j->g.shape[d]) return false;
  return !__builtin_add_overflow(j->g.shape[j->axis], j->is_new ? 1 : g->shape[j->axis], &j->g.shape[j->axis]);
}

/* The result's shape from the n arrays of the list at 1.  False: one is no array, or does not fit. */
static bool read_joined(lua_State *L, dc_lua *self, joint *j, lua_Integer n, bool any_dtype) {
  for (lua_Integer i = 1; i <= n; i++) {
    const dc_array *a = lua_rawgeti(L, 1, i) == LUA_TUSERDATA ? dc_lua_toarray(L, self, -1) : NULL;
    lua_pop(L, 1);
    if (!a || !(i == 1 ? begin_join(j, a, any_dtype) : add_joined(j, a, any_dtype))) return false;
  }
  return true;
}

/* The part of the result for `a`, from number `at` along the axis on; *extent: its length there.  False: it is not as
** it was when the shape of the result was made. */
static bool part_geometry(const joint *j, const dc_array *a, const dc_geometry *whole, int64_t at, dc_geometry *part,
                          int64_t *extent) {
  if (!a || dc_array_geometry(a)->ndim + j->is_new != whole->ndim) return false;
  *part = *whole;
  *extent = part->shape[j->axis] = j->is_new ? 1 : dc_array_geometry(a)->shape[j->axis];
  if (*extent > whole->shape[j->axis] - at) return false;
  if (!j->is_new) return true;
  const size_t behind = sizeof(int64_t) * (size_t)(whole->ndim - 1 - j->axis);
  memmove(part->shape + j->axis, part->shape + j->axis + 1, behind);
  memmove(part->strides + j->axis, part->strides + j->axis + 1, behind);
  part->ndim--;
  return true;
}

/* join(list, axis, is_new [, dtype]): the arrays of a list joined along an axis, which `is_new` for stacks.  Without a
** dtype they have one.  Nothing where the list holds anything else, or shapes, dtypes or devices do not fit. */
static int core_join(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  joint j = { .axis = (int)luaL_checkinteger(L, 2) - 1, .is_new = lua_toboolean(L, 3) };
  const bool any_dtype = !lua_isnoneornil(L, 4);
  if (any_dtype) j.dtype = dc_lua_checkdtype(L, 4);
  if (lua_type(L, 1) != LUA_TTABLE || lua_getmetatable(L, 1)) return 0;
  lua_settop(L, 1);
  const lua_Integer n = (lua_Integer)lua_rawlen(L, 1);
  if (n == 0 || dc_lua_other_key(L, 1, n, true) || !read_joined(L, self, &j, n, any_dtype)) return 0;
  dc_array *out = dc_lua_push_empty(L, self, j.dev, j.dtype, j.g.ndim, j.g.shape); /* list out */
  const dc_geometry whole = *dc_array_geometry(out);
  dc_error err = DC_ERROR_INIT;
  part_list list = { .n = 0 };
  int64_t at = 0, extent = 0;
  for (lua_Integer i = 1; i <= n && list.rc == 0; i++, at += extent) {
    dc_geometry part;
    lua_rawgeti(L, 1, i);
    dc_array *a = dc_lua_toarray(L, self, -1);
    lua_pop(L, 1);
    if (!part_geometry(&j, a, &whole, at, &part, &extent)) {
      list.rc = dc_fail(&err, DC_ARGUMENT, NULL, "a finalizer has changed the list of arrays that is being joined");
    } else if (dc_geometry_size(&part) > 0) {
      dc_array_ref(a);
      add_part(self, &list, dc_array_view(out, &part, at * whole.strides[j.axis], &err), a, &err);
    }
  }
  finish_parts(self, &list, &err);
  return list.rc == 0 ? 1 : dc_lua_raise(L, &err);
}

/* --- repetition ------------------------------------------------------------------------------------------------- */

/* Element d of the list at idx; 1 where there is none. */
static int64_t times_at(lua_State *L, int idx, int d) {
  const int64_t n = lua_geti(L, idx, d) == LUA_TNIL ? 1 : luaL_checkinteger(L, -1);
  lua_pop(L, 1);
  return n;
}

/* a * b, both 0 or more; where an integer does not hold it, the largest one, which is more than memory holds, too. */
static int64_t saturated(int64_t a, int64_t b) {
  int64_t v;
  return __builtin_mul_overflow(a, b, &v) ? INT64_MAX : v;
}

static void fail_axes(lua_State *L, int n) {
  dc_lua_fail(L, DC_SHAPE, "copies along %d axes or more; arrays have at most %d", n, DC_MAX_DIMS);
}

/* replicate(a, shape, before, after): `a`, reshaped, with before[d] copies of the whole along axis d, of which each
** element is there after[d] times; one broadcast copy to the shape (before1, n1, after1, before2, …). */
static int core_replicate(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  dc_error err = DC_ERROR_INIT;
  dc_array *a = dc_lua_checkarray(L, self, 1);
  const int ndim = (int)luaL_len(L, 2);
  int64_t shape[DC_MAX_DIMS], result[DC_MAX_DIMS], own[DC_MAX_DIMS];
  dc_geometry wide = { .ndim = 0 };
  int nown = 0;
  if (ndim > DC_MAX_DIMS) fail_axes(L, ndim);
  for (int d = 0; d < ndim; d++) {
    shape[d] = times_at(L, 2, d + 1);
    result[d] = saturated(saturated(times_at(L, 3, d + 1), shape[d]), times_at(L, 4, d + 1));
  }
  dc_array *out = dc_lua_push_empty(L, self, dc_array_device(a), dc_array_dtype(a), ndim, result);
  if (dc_array_size(out) == 0) return 1;
  const dc_geometry *g = dc_array_geometry(out);
  for (int d = 0; d < ndim; d++) { /* without extents of 1, since arrays have at most 32 axes */
    const int64_t each = times_at(L, 4, d + 1), part[3] = { times_at(L, 3, d + 1), shape[d], each };
    const int64_t stride[3] = { g->strides[d] * each * shape[d], g->strides[d] * each, g->strides[d] };
    for (int k = 0; k < 3; k++) {
      if (part[k] == 1) continue;
      if (wide.ndim == DC_MAX_DIMS) fail_axes(L, wide.ndim + 1);
      own[nown++] = k == 1 ? part[k] : 1;
      wide.shape[wide.ndim] = part[k];
      wide.strides[wide.ndim++] = stride[k];
    }
  }
  copy_to_part(L, self, out, &wide, 0, dc_array_reshape(dc_lua_checkarray(L, self, 1), nown, own, &err));
  return 1;
}

/* --- reversal ------------------------------------------------------------------------------------------------- */

/* flip(a [, axes]): a view with the axes of a set reversed, by default all. */
static int core_flip(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  dc_array *a = dc_lua_checkarray(L, self, 1);
  const bool all = lua_isnoneornil(L, 2);
  dc_lua_materialize(L, self, a);
  dc_geometry g = *dc_array_geometry(dc_lua_checkarray(L, self, 1));
  int64_t offset = 0;
  for (int d = 0; d < g.ndim; d++) {
    if (!all) {
      lua_geti(L, 2, d + 1);
      const bool stays = !lua_toboolean(L, -1);
      lua_pop(L, 1);
      if (stays) continue;
    }
    if (g.shape[d] < 2) continue;
    offset += (g.shape[d] - 1) * g.strides[d];
    g.strides[d] = -g.strides[d];
  }
  dc_lua_push_view(L, a, &g, offset);
  return 1;
}

/* diagonal(a, k): a view of the k-th diagonal of a's last two axes, above the main one where k > 0.  a has two axes or
** more. */
static int core_diagonal(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  dc_array *a = dc_lua_checkarray(L, self, 1);
  const int64_t k = luaL_checkinteger(L, 2);
  dc_lua_materialize(L, self, a);
  dc_geometry g = *dc_array_geometry(dc_lua_checkarray(L, self, 1));
  const int row = g.ndim - 2, column = g.ndim - 1;
  const int64_t rows = g.shape[row], columns = g.shape[column];
  const bool none = k >= columns || k <= -rows;
  const int64_t down = k < 0 && !none ? -k : 0, right = k > 0 && !none ? k : 0;
  const int64_t n = rows - down < columns - right ? rows - down : columns - right;
  const int64_t offset = down * g.strides[row] + right * g.strides[column];
  g.shape[row] = none ? 0 : n;
  g.strides[row] += g.strides[column];
  g.ndim--;
  dc_lua_push_view(L, a, &g, offset);
  return 1;
}

const luaL_Reg dc_lua_rearrange_internal[] = {
  { "copy_ranges", core_copy_ranges }, { "join", core_join }, { "replicate", core_replicate }, { "flip", core_flip },
  { "diagonal", core_diagonal },
  { NULL, NULL },
};
