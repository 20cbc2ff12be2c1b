/*
** index.c - see index.h.
**
** Everything becomes a list of ranges, one an axis, counted from 1 with both ends included, negatives
** from the end.  Reading gives views, or a Lua value where integers stand for all axes; writing fills
** or copies into the view.
*/
#include "lua/index.h"

#include <lauxlib.h>
#include <lua.h>
#include <string.h>

#include "array/array.h"
#include "array/copy.h"
#include "array/gather.h"
#include "array/graph/geometry.h"
#include "array/graph/number.h"
#include "array/graph/types.h"
#include "array/operators.h"
#include "array/view.h"
#include "base/dtype.h"
#include "base/error.h"
#include "base/line.h"
#include "device/device.h"
#include "lua/array.h"
#include "lua/convert.h"
#include "lua/device.h"
#include "lua/error.h"
#include "lua/field.h"
#include "lua/host_interrupt.h"
#include "lua/memory.h"
#include "lua/named.h"
#include "lua/object.h"

/* --- one axis ------------------------------------------------------------------------------------ */

static int fail_bounds(lua_State *L, int64_t i, int axis, int64_t n) {
  if (i == 0) return dc_lua_fail(L, DC_INDEX, "index 0 on axis %d: indices count from 1", axis);
  return dc_lua_fail(L, DC_INDEX, "index %lld is out of bounds on axis %d, whose extent is %lld", (long long)i, axis,
                     (long long)n);
}

/* 1..n from an index that may count from the end; 0 when out of bounds. */
static int64_t resolve(int64_t i, int64_t n) {
  if (i < 0) i = i >= -n ? n + 1 + i : 0;
  return i <= n ? i : 0;
}

/* The integer `what` of a range on top of the stack; pops it. */
static int64_t range_integer(lua_State *L, const char *what, int axis) {
  int64_t v = 0;
  if (!dc_lua_tointeger(L, -1, &v))
    dc_lua_fail(L, DC_INDEX, "the %s of the range on axis %d must be an integer, got %s", what, axis,
                dc_lua_describe(L, -1));
  lua_pop(L, 1);
  return v;
}

static int fail_range(lua_State *L, int64_t first, int64_t last, int axis, int64_t n) {
  return dc_lua_fail(L, DC_INDEX, "the range {%lld, %lld} is out of bounds on axis %d, whose extent is %lld",
                     (long long)first, (long long)last, axis, (long long)n);
}

/* a[{row = 1}] = 0 would be the whole array. */
static void refuse_keys(lua_State *L, int idx, lua_Integer n) {
  if (dc_lua_other_key(L, idx, n, true))
    dc_lua_fail(L, DC_INDEX, "an index is a list, {2, {1, 3}}, with an entry for each axis; this one has %s as a key",
                dc_lua_describe(L, -1));
}

/* {first, last [, step]} at idx. A range that runs the wrong way is empty, and may then stand one past an end. */
static dc_range read_range(lua_State *L, int idx, int axis, int64_t n) {
  int64_t step = 1;
  lua_Integer len = luaL_len(L, idx);
  if (len != 2 && len != 3)
    dc_lua_fail(L, DC_INDEX, "a range on axis %d is {first, last} or {first, last, step}, got a table of %lld%s", axis,
                (long long)len, len == 0 ? "; \":\" is the whole axis" :
                "; elements of a list of indices are those of dc.array(list, \"int64\")");
  refuse_keys(L, idx, len);
  lua_geti(L, idx, 1);
  const int64_t first = range_integer(L, "first", axis);
  lua_geti(L, idx, 2);
  const int64_t last = range_integer(L, "last", axis);
  if (len == 3) {
    lua_geti(L, idx, 3);
    step = range_integer(L, "step", axis);
    if (step == 0) dc_lua_fail(L, DC_INDEX, "the step of the range on axis %d is 0", axis);
  }
  const int64_t a = first < 0 ? n + 1 + first : first, b = last < 0 ? n + 1 + last : last;
  if (step > 0 ? b < a : b > a) {
    if (a < 0 || a > n + 1 || b < 0 || b > n + 1) fail_range(L, first, last, axis, n);
    return (dc_range){ .first = 0, .count = 0, .step = 1, .keep = true };
  }
  if (a < 1 || a > n || b < 1 || b > n) fail_range(L, first, last, axis, n);
  /* The distance fits, but -step may not: divide as unsigned. */
  uint64_t stride = step > 0 ? (uint64_t)step : -(uint64_t)step;
  uint64_t distance = step > 0 ? (uint64_t)(b - a) : (uint64_t)(a - b);
  int64_t count = (int64_t)(distance / stride) + 1;
  return (dc_range){ .first = a - 1, .count = count, .step = count > 1 ? step : 1, .keep = true };
}

/* What stands at idx for axis `axis` (from 1) of extent n: an integer, a range, ":". */
static dc_range read_axis(lua_State *L, int idx, int axis, int64_t n) {
  int64_t i = 0;
  if (dc_lua_tointeger(L, idx, &i)) {
    int64_t at = resolve(i, n);
    if (at == 0) fail_bounds(L, i, axis, n);
    return (dc_range){ .first = at - 1, .count = 1, .step = 1, .keep = false };
  }
  if (lua_type(L, idx) == LUA_TSTRING && strcmp(lua_tostring(L, idx), ":") == 0)
    return (dc_range){ .first = 0, .count = n, .step = 1, .keep = true };
  if (lua_istable(L, idx)) return read_range(L, lua_absindex(L, idx), axis, n);
  dc_lua_fail(L, DC_INDEX, "axis %d is indexed by an integer, a range {first, last, step} or \":\", got %s", axis,
              dc_lua_describe(L, idx));
  return (dc_range){ 0 };
}

/* --- a whole index ------------------------------------------------------------------------------- */

typedef struct selection {
  int n; /* axes named */
  bool all_integers;
  dc_range range[DC_MAX_DIMS];
} selection;

/* Axis by axis from the table at `table`, or, where that is 0, from arguments 2 up. The geometry is copied
** because reading a table may run metamethods. */
static void read_selection(lua_State *L, const dc_geometry *g, int table, selection *s) {
  lua_Integer n = table ? luaL_len(L, table) : lua_gettop(L) - 1;
  if (n > g->ndim)
    dc_lua_fail(L, DC_INDEX, "%lld indices for an array of %d ax%s", (long long)n, g->ndim, g->ndim == 1 ? "is" : "es");
  if (table) refuse_keys(L, table, n);
  s->n = (int)n;
  s->all_integers = n == g->ndim;
  for (int i = 0; i < s->n; i++) {
    if (table) lua_geti(L, table, i + 1);
    else lua_pushvalue(L, 2 + i);
    s->range[i] = read_axis(L, lua_gettop(L), i + 1, g->shape[i]);
    lua_pop(L, 1);
    if (s->range[i].keep) s->all_integers = false;
  }
}

/* Pushes the view. */
static dc_array *push_view(lua_State *L, dc_lua *self, dc_array *a, const selection *s) {
  dc_geometry g;
  int64_t offset;
  dc_error err = DC_ERROR_INIT;
  dc_lua_materialize(L, self, a);
  dc_lua_array *slot = dc_lua_newarray(L);
  if (dc_array_state_of(a) == DC_ARRAY_CLOSED) dc_lua_fail(L, DC_ARGUMENT, "the array is closed");
  dc_geometry_index(dc_array_geometry(a), s->n, s->range, &g, &offset);
  dc_lua_set_array(L, slot, dc_array_view(a, &g, offset, &err), &err);
  return slot->a;
}

/* A view of the element that a selection of integers alone names, which Lua does not see: a new reference. */
static dc_array *view_element(lua_State *L, dc_lua *self, dc_array *a, const selection *s, dc_error *err) {
  dc_geometry g;
  int64_t offset;
  dc_lua_materialize(L, self, a);
  dc_geometry_index(dc_array_geometry(a), s->n, s->range, &g, &offset);
  return dc_array_view(a, &g, offset, err);
}

static int push_element(lua_State *L, dc_lua *self, dc_array *a, const selection *s) {
  dc_scalar value;
  dc_error err = DC_ERROR_INIT;
  dc_array *one = view_element(L, self, a, s, &err);
  int rc = one ? DC_LUA_WORK(self, dc_array_get(one, &value, &err)) : -1;
  dc_array_unref(one);
  if (rc != 0) return dc_lua_raise(L, &err);
  dc_lua_pushscalar(L, &value);
  return 1;
}

/* --- assignment ---------------------------------------------------------------------------------- */

static void check_writable(lua_State *L, const dc_array *a) {
  dc_error err = DC_ERROR_INIT;
  if (dc_array_check_writable(a, &err) != 0) dc_lua_raise(L, &err);
}

static void set_element(lua_State *L, dc_lua *self, dc_array *a, const selection *s, dc_scalar value) {
  dc_error err = DC_ERROR_INIT;
  dc_array *one = view_element(L, self, a, s, &err);
  int rc = one ? DC_LUA_WORK(self, dc_array_fill(one, value, &err)) : -1;
  dc_array_unref(one);
  if (rc != 0) dc_lua_raise(L, &err);
}

void dc_lua_assign(lua_State *L, dc_lua *self, dc_array *dst, int value, bool async) {
  dc_scalar s;
  dc_error err = DC_ERROR_INIT;
  value = lua_absindex(L, value);
  dc_lua_materialize(L, self, dst);
  check_writable(L, dst);
  if (dc_lua_toscalar(L, value, &s)) {
    if (DC_LUA_WORK(self, dc_array_fill(dst, s, &err)) != 0) dc_lua_raise(L, &err);
    return;
  }
  dc_array *src;
  if (lua_istable(L, value)) src = dc_lua_fromtable(L, self, dc_array_device(dst), value, dc_array_dtype(dst));
  else src = dc_lua_toarray(L, self, value);
  if (!src)
    dc_lua_fail(L, DC_ARGUMENT, "an array takes numbers, booleans, tables and arrays, got %s",
                dc_lua_describe(L, value));
  /* What earlier assignments have left is a pending copy of dst if it was computed in place, which is garbage mostly: a
  ** step finds it sooner than it is copied. */
  if (dc_array_state_of(src) == DC_ARRAY_PENDING && dc_array_device(dst)->host_memory)
    dc_lua_account(L, self, dc_lua_nbytes(dst));
  if (DC_LUA_WORK(self, dc_array_assign(dst, src, async, &err)) != 0) dc_lua_raise(L, &err);
}

/* --- arrays as indices ----------------------------------------------------------------------------- */

static bool is_mask(const dc_array *a) { return dc_array_dtype(a) == DC_BOOL; }

/* A mask stands for as many axes as it has, `axis` (from 0) being the first: their extents must agree.  One without
** axes fits everywhere. */
static void check_mask(lua_State *L, const dc_geometry *g, const dc_array *mask, int axis) {
  const dc_geometry *m = dc_array_geometry(mask);
  char have[300], want[300];
  bool fits = axis + m->ndim <= g->ndim;
  for (int i = 0; fits && i < m->ndim; i++) fits = m->shape[i] == g->shape[axis + i];
  if (fits) return;
  dc_lua_fail(L, DC_INDEX, "a mask of shape %s does not fit axis %d and up of an array of shape %s",
              dc_geometry_text(m, have, sizeof have), axis + 1, dc_geometry_text(g, want, sizeof want));
}

static void add_array(lua_State *L, const dc_geometry *g, dc_index *ix, dc_array *a) {
  if (ix->n == g->ndim) dc_lua_fail(L, DC_INDEX, "more indices than the array's %d axes", g->ndim);
  ix->axis[ix->n++] = (dc_index_axis){ .array = a };
}

/* Puts an axis of extent 1 before axis `at`: what a mask without axes selects from. */
static void insert_axis(lua_State *L, dc_geometry *g, int at) {
  if (g->ndim == DC_MAX_DIMS)
    dc_lua_fail(L, DC_SHAPE, "a mask without axes adds one to the array's %d; arrays have at most %d", g->ndim,
                DC_MAX_DIMS);
  memmove(g->shape + at + 1, g->shape + at, sizeof *g->shape * (size_t)(g->ndim - at));
  memmove(g->strides + at + 1, g->strides + at, sizeof *g->strides * (size_t)(g->ndim - at));
  g->shape[at] = 1;
  g->strides[at] = 0;
  g->ndim++;
}

/* The array at idx as an index of one axis, or a mask as the places of its true elements; these stay on the stack.  A
** mask without axes gives `g` one. */
static void read_array(lua_State *L, dc_lua *self, dc_geometry *g, int idx, dc_index *ix) {
  dc_array *a = dc_lua_toarray(L, self, idx);
  if (!is_mask(a)) {
    add_array(L, g, ix, a);
    return;
  }
  check_mask(L, g, a, ix->n);
  const int ndim = dc_array_geometry(a)->ndim, n = ndim > 0 ? ndim : 1;
  luaL_checkstack(L, n + 4, NULL);
  if (ndim == 0) {
    dc_error err = DC_ERROR_INIT;
    insert_axis(L, g, ix->n);
    dc_lua_array *slot = dc_lua_newarray(L);
    dc_lua_set_array(L, slot, DC_LUA_MAKE(self, dc_array_reshape(a, 1, (const int64_t[]){ 1 }, &err)), &err);
    idx = lua_gettop(L);
  }
  const int top = lua_gettop(L);
  dc_lua_push_lua(L, "dotcompute.api", "nonzero");
  lua_pushvalue(L, idx);
  lua_call(L, 1, n);
  for (int i = 1; i <= n; i++) add_array(L, g, ix, dc_lua_checkarray(L, self, top + i));
}

/* Whether the key at 2 is an array or a list with arrays; then *ix is the index.  Arrays made for it stay on the stack.
** `g`: the geometry of the indexed array, to which masks without axes add some. */
static bool read_fancy(lua_State *L, dc_lua *self, dc_geometry *g, dc_index *ix) {
  ix->n = 0;
  dc_array *key = lua_type(L, 2) == LUA_TUSERDATA ? dc_lua_toarray(L, self, 2) : NULL;
  if (key) {
    if (g->ndim == 0 && !is_mask(key)) dc_lua_fail(L, DC_INDEX, "a 0-d array has no axis to index");
    read_array(L, self, g, 2, ix);
    return true;
  }
  if (lua_type(L, 2) != LUA_TTABLE) return false;
  const lua_Integer n = luaL_len(L, 2);
  bool any = false;
  for (lua_Integer i = 1; i <= n && !any; i++) {
    any = lua_geti(L, 2, i) == LUA_TUSERDATA && dc_lua_toarray(L, self, -1);
    lua_pop(L, 1);
  }
  if (!any) return false;
  refuse_keys(L, 2, n);
  for (lua_Integer i = 1; i <= n; i++) {
    luaL_checkstack(L, 4, NULL);
    const bool user = lua_geti(L, 2, i) == LUA_TUSERDATA;
    if (user && dc_lua_toarray(L, self, -1)) {
      read_array(L, self, g, lua_gettop(L), ix); /* it stays on the stack, which holds it */
      continue;
    }
    if (ix->n == g->ndim) dc_lua_fail(L, DC_INDEX, "more indices than the array's %d axes", g->ndim);
    const int axis = ix->n++;
    ix->axis[axis] = (dc_index_axis){ .range = read_axis(L, lua_gettop(L), axis + 1, g->shape[axis]) };
    lua_pop(L, 1);
  }
  return true;
}

/* a[mask] of a mask with all of a's axes: one pass. */
static bool push_selected(lua_State *L, dc_lua *self, const dc_geometry *g) {
  dc_array *mask = lua_type(L, 2) == LUA_TUSERDATA ? dc_lua_toarray(L, self, 2) : NULL;
  if (!mask || !is_mask(mask) || dc_array_geometry(mask)->ndim != g->ndim) return false;
  check_mask(L, g, mask, 0);
  dc_lua_push_lua(L, "dotcompute.api", "select");
  lua_pushvalue(L, 1);
  lua_pushvalue(L, 2);
  lua_call(L, 2, 1);
  return true;
}

/* Writes arg[1] to arg[2] where arg[0] is true.  The expression is released, so that no later write waits for it. */
static int write_masked(dc_array *const arg[3], const dc_scalar s[3], dc_error *err) {
  dc_array *result = dc_array_apply(DC_OP_WHERE, arg, s, err);
  const int rc = result == NULL ? -1 : dc_array_assign(arg[2], result, false, err);
  dc_array_unref(result);
  return rc;
}

/* a[mask] = number: every element is written, with itself where the mask is false. */
static bool fill_masked(lua_State *L, dc_lua *self, dc_array *a) {
  dc_error err = DC_ERROR_INIT;
  dc_scalar s[3];
  dc_array *mask = lua_type(L, 2) == LUA_TUSERDATA ? dc_lua_toarray(L, self, 2) : NULL;
  if (!mask || !is_mask(mask) || !dc_lua_toscalar(L, 3, &s[1])) return false;
  const dc_geometry g = *dc_array_geometry(a);
  check_mask(L, &g, mask, 0);
  dc_lua_materialize(L, self, mask);
  dc_geometry m = *dc_array_geometry(mask);
  while (m.ndim < g.ndim) {
    m.shape[m.ndim] = 1;
    m.strides[m.ndim++] = 0;
  }
  dc_array *view = dc_lua_push_view(L, mask, &m, 0);
  /* The number must be one of the dtype, and must not change it: else it is an array of that dtype. */
  const dc_dtype dtype = dc_array_dtype(a);
  dc_number checked;
  dc_array *number = NULL;
  if (dc_number_from(&s[1], dtype, &checked, &err) != 0) return dc_lua_raise(L, &err);
  if (dc_dtype_kind(dtype) != 'f' || s[1].kind == DC_SCALAR_BOOL) {
    number = dc_array_empty(dc_array_device(a), dtype, 0, NULL, &err);
    dc_lua_array *slot = dc_lua_newarray(L);
    dc_lua_set_array(L, slot, number, &err);
    if (DC_LUA_WORK(self, dc_array_fill(number, s[1], &err)) != 0) dc_lua_raise(L, &err);
  }
  dc_array *const arg[3] = { view, number, a };
  if (DC_LUA_WORK(self, write_masked(arg, s, &err)) != 0) dc_lua_raise(L, &err);
  return true;
}

/* The array itself, or a view of it, left on the stack, where read_fancy has added axes to its geometry `g`. */
static dc_array *with_geometry(lua_State *L, dc_lua *self, dc_array *a, const dc_geometry *g) {
  if (g->ndim == dc_array_geometry(a)->ndim) return a;
  dc_lua_materialize(L, self, a);
  return dc_lua_push_view(L, a, g, 0);
}

static void scatter(lua_State *L, dc_lua *self, dc_array *a, const dc_index *ix) {
  dc_error err = DC_ERROR_INIT;
  dc_scalar s;
  dc_array *src = NULL;
  const bool number = dc_lua_toscalar(L, 3, &s);
  if (!number && lua_istable(L, 3)) src = dc_lua_fromtable(L, self, dc_array_device(a), 3, dc_array_dtype(a));
  else if (!number) src = dc_lua_toarray(L, self, 3);
  if (!number && !src)
    dc_lua_fail(L, DC_ARGUMENT, "an array takes numbers, booleans, tables and arrays, got %s", dc_lua_describe(L, 3));
  if (DC_LUA_WORK(self, dc_array_scatter(a, ix, src, &s, &err)) != 0) dc_lua_raise(L, &err);
}

/* --- fields -------------------------------------------------------------------------------------- */

enum field {
  FIELD_DTYPE = 1, FIELD_NDIM, FIELD_SIZE, FIELD_NBYTES, FIELD_DEVICE, FIELD_CONTIGUOUS, FIELD_T, FIELD_PTR
};

static const struct {
  const char *name;
  enum field id;
} fields[] = {
  { "dtype", FIELD_DTYPE },   { "ndim", FIELD_NDIM },             { "size", FIELD_SIZE }, { "nbytes", FIELD_NBYTES },
  { "device", FIELD_DEVICE }, { "contiguous", FIELD_CONTIGUOUS }, { "T", FIELD_T },       { "ptr", FIELD_PTR },
};

static int push_transposed(lua_State *L, dc_lua *self, dc_array *a, const int *axes) {
  dc_error err = DC_ERROR_INIT;
  if (!dc_array_views_lazily(a, true)) dc_lua_materialize(L, self, a);
  dc_lua_array *slot = dc_lua_newarray(L);
  return dc_lua_set_array(L, slot, dc_array_transpose(a, axes, &err), &err);
}

static int push_ptr(lua_State *L, dc_lua *self, dc_array *a) {
  dc_ptr ptr, from, to;
  dc_error err = DC_ERROR_INIT;
  dc_lua_materialize(L, self, a);
  if (dc_array_ptr(a, &ptr, &err) != 0) return dc_lua_raise(L, &err);
  dc_array_memory(a, &from, &to);
  if (from != 0 && (self->highest_read == 0 || from < self->lowest_read)) self->lowest_read = from;
  if (to > self->highest_read) self->highest_read = to;
  lua_pushinteger(L, (lua_Integer)ptr);
  return 1;
}

static int push_field(lua_State *L, dc_lua *self, dc_array *a, int id) {
  const dc_geometry *g = dc_array_geometry(a);
  const size_t itemsize = dc_dtype_size(dc_array_dtype(a));
  switch ((enum field)id) {
    case FIELD_DTYPE: lua_pushstring(L, dc_dtype_name(dc_array_dtype(a))); break;
    case FIELD_NDIM: lua_pushinteger(L, g->ndim); break;
    case FIELD_SIZE: lua_pushinteger(L, dc_array_size(a)); break;
    case FIELD_NBYTES: lua_pushinteger(L, (lua_Integer)dc_lua_nbytes(a)); break;
    case FIELD_DEVICE: dc_lua_pushdevice(L, dc_array_device(a)); break;
    case FIELD_CONTIGUOUS: lua_pushboolean(L, dc_geometry_contiguous(g, itemsize)); break;
    case FIELD_T: return push_transposed(L, self, a, NULL);
    case FIELD_PTR: return push_ptr(L, self, a);
  }
  return 1;
}

void dc_lua_set_fields(lua_State *L) {
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
    dc_lua_set_integer(L, fields[i].name, fields[i].id); /* methods */
  }
}

/* --- metamethods --------------------------------------------------------------------------------- */

static dc_array *check_self(lua_State *L, dc_lua *self) {
  dc_array *a = dc_lua_toarray(L, self, 1);
  if (!a) dc_lua_fail(L, DC_ARGUMENT, "an array expected, got %s", dc_lua_describe(L, 1));
  return a;
}

/* The single range of a[i]. False when i is one past the end and `reading`: there ipairs ends. */
static bool read_integer(lua_State *L, const dc_geometry *g, int64_t i, bool reading, selection *s) {
  if (g->ndim == 0)
    dc_lua_fail(L, DC_INDEX, "a 0-d array has no axis to index; a:item() reads it and a:fill(v) writes it");
  int64_t at = resolve(i, g->shape[0]);
  if (at == 0) {
    if (reading && i == g->shape[0] + 1) return false;
    fail_bounds(L, i, 1, g->shape[0]);
  }
  s->n = 1;
  s->all_integers = g->ndim == 1;
  s->range[0] = (dc_range){ .first = at - 1, .count = 1, .step = 1, .keep = false };
  return true;
}

/* The methods are the second upvalue of the running function. */
static void fail_name(lua_State *L, const char *name) {
  const bool known = lua_istable(L, lua_upvalueindex(2));
  dc_lua_fail(L, DC_INDEX, "an array has no field or method '%s'%s", name,
              known ? dc_lua_suggest(L, lua_upvalueindex(2), name) : "");
}

/* Any key but names of fields; false when the value is nil. */
static bool read_key(lua_State *L, const dc_geometry *g, bool reading, selection *s) {
  int64_t i = 0;
  if (dc_lua_tointeger(L, 2, &i)) return read_integer(L, g, i, reading, s);
  switch (lua_type(L, 2)) {
    case LUA_TTABLE: read_selection(L, g, 2, s); return true;
    case LUA_TSTRING:
      if (strcmp(lua_tostring(L, 2), ":") == 0) {
        *s = (selection){ .n = 0 };
        return true;
      }
      if (reading) fail_name(L, lua_tostring(L, 2));
      dc_lua_fail(L, DC_INDEX, "the field '%s' of an array cannot be set", lua_tostring(L, 2));
      break;
    case LUA_TNUMBER:
      dc_lua_fail(L, DC_INDEX, "index %.14g is no integer", lua_tonumber(L, 2));
      break;
    default: dc_lua_fail(L, DC_INDEX, "an array is indexed by integers, {…} or \":\", got %s", dc_lua_describe(L, 2));
  }
  return false;
}

static DC_HOT int array_index(lua_State *L) {
  int field = 0;
  if (lua_type(L, 2) == LUA_TSTRING) { /* a method, or a field's number */
    lua_pushvalue(L, 2);
    const int type = lua_gettable(L, lua_upvalueindex(2)); /* not raw, for which it must be a table */
    if (type == LUA_TFUNCTION || type == LUA_TUSERDATA) return 1;
    field = type == LUA_TNUMBER ? (int)lua_tointeger(L, -1) : 0;
    lua_pop(L, 1);
  }
  dc_lua *self = dc_lua_self(L);
  if (field != 0) return push_field(L, self, check_self(L, self), field);
  dc_array *a = check_self(L, self);
  dc_geometry g = *dc_array_geometry(a);
  selection s;
  dc_index ix;
  if (push_selected(L, self, &g)) return 1;
  if (read_fancy(L, self, &g, &ix)) {
    dc_error err = DC_ERROR_INIT;
    a = with_geometry(L, self, a, &g);
    dc_lua_array *slot = dc_lua_newarray(L);
    dc_lua_set_array(L, slot, DC_LUA_MAKE(self, dc_array_gather(a, &ix, &err)), &err);
    if (dc_array_state_of(slot->a) == DC_ARRAY_READY) dc_lua_account(L, self, dc_lua_nbytes(slot->a));
    return 1;
  }
  if (!read_key(L, &g, true, &s)) {
    lua_pushnil(L);
    return 1;
  }
  if (s.all_integers) return push_element(L, self, a, &s);
  push_view(L, self, a, &s);
  return 1;
}

static int array_newindex(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  dc_array *a = check_self(L, self);
  dc_geometry g = *dc_array_geometry(a);
  selection s;
  if (lua_type(L, 2) == LUA_TSTRING && strcmp(lua_tostring(L, 2), ":") == 0) { /* no view: the whole */
    dc_lua_assign(L, self, a, 3, false);
    return 0;
  }
  check_writable(L, a);
  dc_index ix;
  if (fill_masked(L, self, a)) return 0;
  if (read_fancy(L, self, &g, &ix)) {
    scatter(L, self, with_geometry(L, self, a, &g), &ix);
    return 0;
  }
  read_key(L, &g, false, &s);
  dc_scalar value;
  if (s.all_integers && dc_lua_toscalar(L, 3, &value)) set_element(L, self, a, &s, value);
  else dc_lua_assign(L, self, push_view(L, self, a, &s), 3, false);
  return 0;
}

/* --- views as methods ---------------------------------------------------------------------------- */

static int array_slice(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  dc_array *a = dc_lua_checkarray(L, self, 1);
  const dc_geometry g = *dc_array_geometry(a);
  selection s;
  read_selection(L, &g, 0, &s);
  push_view(L, self, a, &s);
  return 1;
}

/* The view with one integer on axis `axis` (from 0) of a matrix or more. */
static int push_line(lua_State *L, int axis, const char *what) {
  dc_lua_at_most(L, 2);
  dc_lua *self = dc_lua_self(L);
  dc_array *a = dc_lua_checkarray(L, self, 1);
  const dc_geometry g = *dc_array_geometry(a);
  int64_t i = 0;
  if (g.ndim < 2) return dc_lua_fail(L, DC_SHAPE, "%s() needs an array of 2 axes or more, this has %d", what, g.ndim);
  if (!dc_lua_tointeger(L, 2, &i)) return dc_lua_expected(L, 2, "an integer");
  selection s = { .n = axis + 1 };
  s.range[0] = (dc_range){ .first = 0, .count = g.shape[0], .step = 1, .keep = true };
  s.range[axis] = read_axis(L, 2, axis + 1, g.shape[axis]);
  push_view(L, self, a, &s);
  return 1;
}

static int array_row(lua_State *L) { return push_line(L, 0, "row"); }

static int array_col(lua_State *L) { return push_line(L, 1, "col"); }

static int array_reshape(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  dc_array *a = dc_lua_checkarray(L, self, 1);
  dc_lua_shape shape;
  dc_error err = DC_ERROR_INIT;
  if (lua_gettop(L) < 2) return dc_lua_badarg(L, 2, "a shape expected");
  dc_lua_refuse_options(L, 2);
  dc_lua_checkshape(L, 2, lua_gettop(L), true, &shape);
  if (!dc_array_views_lazily(a, false)) dc_lua_materialize(L, self, a);
  dc_lua_array *slot = dc_lua_newarray(L);
  return dc_lua_set_array(L, slot, DC_LUA_MAKE(self, dc_array_reshape(a, shape.ndim, shape.extent, &err)), &err);
}

/* Options 'axes' and 'axis' in or behind the axes, which are put in the place of argument 2. */
static void take_axes(lua_State *L) {
  const int top = lua_gettop(L);
  const dc_lua_option known[] = {
    { "axes", DC_LUA_ANY, top + 1 }, { "axis", DC_LUA_ANY, top + 2 }, { NULL, DC_LUA_ANY, 0 }
  };
  if (top < 2 || !lua_istable(L, top) || (top == 2 && !dc_lua_has_names(L, 2))) return;
  lua_settop(L, top + 2);
  dc_lua_read_options(L, top, top == 2, known);
  const bool by_axes = !lua_isnil(L, top + 1), by_axis = !lua_isnil(L, top + 2);
  const bool by_position = top > 2 ? !lua_isnil(L, 2) : luaL_len(L, 2) > 0;
  if (by_axes + by_axis + by_position > 1) dc_lua_fail(L, DC_ARGUMENT, "the axes are given twice");
  if (by_axes || by_axis) lua_copy(L, by_axes ? top + 1 : top + 2, 2);
  lua_settop(L, top == 2 ? 2 : top - 1);
}

/* Axis numbers from 0 out of arguments 2 up, or one table. Returns how many. */
static int read_axes(lua_State *L, int ndim, int axes[DC_MAX_DIMS]) {
  take_axes(L);
  bool table = lua_gettop(L) == 2 && lua_istable(L, 2);
  lua_Integer n = table ? luaL_len(L, 2) : lua_gettop(L) - 1;
  if (table) dc_lua_check_axes(L, 2, n, true);
  if (n > ndim) dc_lua_fail(L, DC_SHAPE, "%lld axes named, the array has %d", (long long)n, ndim);
  for (int i = 0; i < (int)n; i++) {
    int64_t v = 0;
    if (table) lua_geti(L, 2, i + 1);
    else lua_pushvalue(L, 2 + i);
    if (!dc_lua_tointeger(L, -1, &v)) dc_lua_fail(L, DC_SHAPE, "an axis is an integer, got %s", dc_lua_describe(L, -1));
    int64_t axis = resolve(v, ndim);
    if (axis == 0)
      dc_lua_fail(L, DC_SHAPE, "there is no axis %lld: the array has %d, numbered from 1", (long long)v, ndim);
    axes[i] = (int)axis - 1;
    lua_pop(L, 1);
  }
  return n > 0 ? (int)n : 0;
}

static int array_transpose(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  dc_array *a = dc_lua_checkarray(L, self, 1);
  int axes[DC_MAX_DIMS];
  const int ndim = dc_array_geometry(a)->ndim, n = read_axes(L, ndim, axes);
  if (n != 0 && n != ndim) return dc_lua_fail(L, DC_SHAPE, "transpose names all %d axes or none, got %d", ndim, n);
  return push_transposed(L, self, a, n ? axes : NULL);
}

/* squeeze(): without the axes of extent 1; squeeze(axis, …): without these, which must have it. */
static int array_squeeze(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  dc_array *a = dc_lua_checkarray(L, self, 1);
  int axes[DC_MAX_DIMS];
  bool drop[DC_MAX_DIMS] = { false };
  const int n = read_axes(L, dc_array_geometry(a)->ndim, axes);
  const bool lazy = dc_array_views_lazily(a, false);
  dc_error err = DC_ERROR_INIT;
  if (!lazy) dc_lua_materialize(L, self, a);
  const dc_geometry *from = dc_array_geometry(a);
  for (int i = 0; i < n; i++) {
    if (from->shape[axes[i]] != 1)
      return dc_lua_fail(L, DC_SHAPE, "axis %d has extent %lld, only axes of extent 1 can go", axes[i] + 1,
                         (long long)from->shape[axes[i]]);
    drop[axes[i]] = true;
  }
  dc_geometry g = { .ndim = 0 };
  for (int i = 0; i < from->ndim; i++) {
    if (n > 0 ? drop[i] : from->shape[i] == 1) continue;
    g.shape[g.ndim] = from->shape[i];
    g.strides[g.ndim++] = from->strides[i];
  }
  if (!lazy) return dc_lua_push_view(L, a, &g, 0) != NULL;
  dc_lua_array *slot = dc_lua_newarray(L);
  return dc_lua_set_array(L, slot, dc_array_reshape(a, g.ndim, g.shape, &err), &err);
}

static int array_broadcast_to(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  dc_array *a = dc_lua_checkarray(L, self, 1);
  dc_lua_shape shape;
  dc_geometry g;
  dc_error err = DC_ERROR_INIT;
  if (lua_gettop(L) < 2) return dc_lua_badarg(L, 2, "a shape expected");
  dc_lua_refuse_options(L, 2);
  dc_lua_checkshape(L, 2, lua_gettop(L), false, &shape);
  dc_lua_materialize(L, self, a);
  if (dc_geometry_stretch(dc_array_geometry(a), shape.ndim, shape.extent, &g, &err) != 0) return dc_lua_raise(L, &err);
  dc_lua_push_view(L, a, &g, 0);
  return 1;
}

const luaL_Reg dc_lua_index_methods[] = {
  { "slice", array_slice },         { "row", array_row },
  { "col", array_col },             { "reshape", array_reshape },
  { "transpose", array_transpose }, { "squeeze", array_squeeze },
  { "broadcast_to", array_broadcast_to }, { NULL, NULL },
};

const luaL_Reg dc_lua_index_meta[] = {
  { "__index", array_index },
  { "__newindex", array_newindex },
  { NULL, NULL },
};
