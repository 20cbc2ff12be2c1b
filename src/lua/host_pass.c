/*
** host_pass.c - see host_pass.h.
**
** Each function returns nothing where the host does not do it; kernels do then.  Arrays that the functions return are
** made first, since memory may only be had by running finalizers, which may close others.
*/
#include "lua/host_pass.h"

#include <lauxlib.h>
#include <lua.h>
#include <string.h>

#include "array/array.h"
#include "array/evaluate.h"
#include "array/graph/geometry.h"
#include "array/graph/types.h"
#include "array/host/count.h"
#include "array/host/index.h"
#include "array/host/memory.h"
#include "array/host/scan.h"
#include "array/host/search.h"
#include "array/host/select.h"
#include "array/host/sort.h"
#include "base/dtype.h"
#include "base/error.h"
#include "device/device.h"
#include "lua/array.h"
#include "lua/create.h"
#include "lua/error.h"
#include "lua/host_interrupt.h"
#include "lua/memory.h"
#include "lua/object.h"

/* DC_HOST_FEW where an element takes more, or less, of the host's time. */
#define FEW_SORTED 8192
#define FEW_SEARCHED 4096 /* values, whose searches a kernel does side by side */
/* Integers whose prefixes one loop makes: kernels read them twice, and take 12 times its work (two threads of Zen 4, a
** million int64: 3.5 ms, by the loop 0.6), which pays with many threads alone. */
#define FEW_SCANNED (1 << 18)
#define MANY_SCANNED (1 << 26)
#define FEW_THREADS 8
#define FEW_KEYS 64 /* of a row, that the host sorts sooner than the library */
#define MANY_KEYS 256 /* of all rows, that the device sorts sooner */
#define SHORT 128   /* rows that lanes of a kernel sort, where there are many */
#define MANY_ROWS 64
#define SHORT_ROW 64 /* keys that are sorted without memory from the heap */
#define MOST_COUNTS 16384 /* of bincount */

/* The array at idx if the host may read it; else NULL, as where there is anything else: what the script has passed may
** be asked about before it is checked. */
static dc_array *owned(lua_State *L, dc_lua *self, int idx) {
  const dc_lua_array *o = dc_lua_test(L, self, idx, DC_LUA_ARRAY);
  return o && o->a && dc_host_owns(o->a) ? o->a : NULL;
}

/* The same if it has 1 to `most` elements, which are contiguous. */
static dc_array *few(lua_State *L, dc_lua *self, int idx, int64_t most) {
  dc_array *a = owned(L, self, idx);
  if (!a) return NULL;
  const int64_t size = dc_array_size(a);
  if (size == 0 || size > most) return NULL;
  return dc_geometry_contiguous(dc_array_geometry(a), dc_dtype_size(dc_array_dtype(a))) ? a : NULL;
}

static dc_array *new_like(lua_State *L, dc_lua *self, dc_array *a, dc_dtype dtype) {
  const dc_geometry *g = dc_array_geometry(a);
  return dc_lua_push_empty(L, self, dc_array_device(a), dtype, g->ndim, g->shape);
}

static dc_array *new_1d(lua_State *L, dc_lua *self, dc_array *a, dc_dtype dtype, int64_t n) {
  return dc_lua_push_empty(L, self, dc_array_device(a), dtype, 1, &n);
}

/* Whether the n arrays, of which some may be NULL, are still the host's, and their uses by other streams ended; the
** first `nread` are read, the others written. */
static bool use(lua_State *L, int nread, int n, dc_array *const *list) {
  dc_error err = DC_ERROR_INIT;
  for (int i = 0; i < n; i++) {
    if (list[i] == NULL) continue;
    if (!dc_host_owns(list[i])) return false;
    if (dc_host_use(list[i], i >= nread, &err) != 0) dc_lua_raise(L, &err);
  }
  return true;
}

/* --- sorting ------------------------------------------------------------------------------------------------ */

/* Sorts rows of `total` elements to `to`, and writes their positions in the row, from 1, to `index`; either may be
** NULL. */
static void sort_rows(const dc_array *from, int64_t total, bool descending, char *scratch, dc_array *to,
                      dc_array *index) {
  const dc_dtype t = dc_array_dtype(from);
  const size_t size = dc_dtype_size(t);
  const int64_t n = dc_array_size(from);
  uint32_t *const position = (uint32_t *)(scratch + dc_host_sort_bytes(total));
  for (int64_t first = 0; first < n; first += total) {
    const char *const row = (const char *)dc_host_data(from) + (size_t)first * size;
    dc_host_argsort(t, row, total, descending, scratch, position);
    if (to) dc_host_permute((char *)dc_host_data(to) + (size_t)first * size, row, size, position, total);
    for (int64_t i = 0; index && i < total; i++) ((int64_t *)dc_host_data(index))[first + i] = position[i] + INT64_C(1);
  }
}

/* sort(from, total, descending, want_keys, want_index): the keys of rows of `total` elements of `from`, or of its last
** axis, sorted, and their indices, from 1; nil for what is not wanted. */
static int host_sort(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  const bool descending = lua_toboolean(L, 3), keys = lua_toboolean(L, 4), indices = lua_toboolean(L, 5);
  dc_array *from = few(L, self, 1, FEW_SORTED), *to = NULL, *index = NULL;
  if (!from || dc_dtype_kind(dc_array_dtype(from)) == 'c') return 0;
  const dc_geometry *g = dc_array_geometry(from);
  if (g->ndim == 0) return 0;
  const int64_t total = luaL_optinteger(L, 2, g->shape[g->ndim - 1]);
  if (!indices && (total > FEW_KEYS || dc_array_size(from) > MANY_KEYS)) return 0;
  if (total <= SHORT && dc_array_size(from) / total >= MANY_ROWS) return 0;
  uint64_t own[4 * SHORT_ROW];
  const size_t bytes = dc_host_sort_bytes(total) + (size_t)total * sizeof(uint32_t);
  const bool short_row = bytes <= sizeof own;
  lua_settop(L, 1);
  if (short_row) lua_pushnil(L);
  char *const scratch = short_row ? (char *)own : dc_lua_scratch(L, bytes); /* from scratch */
  if (keys) to = new_like(L, self, from, dc_array_dtype(from));
  else lua_pushnil(L);
  if (indices) index = new_like(L, self, from, DC_INT64);
  else lua_pushnil(L); /* from scratch keys indices */
  dc_array *const used[] = { from, to, index };
  if (!use(L, 1, 3, used)) return 0;
  sort_rows(from, total, descending, scratch, to, index);
  if (!short_row) dc_lua_scratch_free(L, 2);
  return 2;
}

/* What dc_host_argsort and dc_host_heads find of an array: sorted key i is at position[i], and first[i] says whether it
** is the first of its value. */
typedef struct groups {
  const uint32_t *position;
  const bool *first;
  int64_t n;
} groups;

/* The positions of the first keys of each value, their counts, and for each element the number of its value, from 1;
** `count` and `number` may be NULL. */
static void number_values(const groups *g, uint32_t *heads, int64_t *count, int64_t *number) {
  for (int64_t i = 0, k = -1; i < g->n; i++) {
    if (g->first[i]) {
      heads[++k] = g->position[i];
      if (count) count[k] = 0;
    }
    if (count) count[k]++;
    if (number) number[g->position[i]] = k + 1;
  }
}

/* unique(a, want_counts, want_inverse): the distinct elements of 1-d `a`, ascending, how often each is there, and for
** each element the number of its value; nil for what is not wanted. */
static int host_unique(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  const bool want_counts = lua_toboolean(L, 2), want_inverse = lua_toboolean(L, 3);
  dc_array *from = few(L, self, 1, FEW_SORTED), *counts = NULL, *inverse = NULL;
  if (!from || dc_dtype_kind(dc_array_dtype(from)) == 'c') return 0;
  const dc_dtype t = dc_array_dtype(from);
  const int64_t n = dc_array_size(from);
  lua_settop(L, 1);
  char *const scratch = dc_lua_scratch(L, dc_host_sort_bytes(n) + (size_t)n * (sizeof(uint32_t) + sizeof(bool)));
  uint32_t *const position = (uint32_t *)(scratch + dc_host_sort_bytes(n)), *const heads = (uint32_t *)scratch;
  bool *const first = (bool *)(position + n); /* from scratch */
  if (!use(L, 1, 1, &from)) return 0;
  dc_host_argsort(t, dc_host_data(from), n, false, scratch, position);
  const int64_t m = dc_host_heads(t, dc_host_data(from), position, n, first);
  dc_array *values = new_1d(L, self, from, t, m);
  if (want_counts) counts = new_1d(L, self, from, DC_INT64, m);
  else lua_pushnil(L);
  if (want_inverse) inverse = new_1d(L, self, from, DC_INT64, n);
  else lua_pushnil(L); /* from scratch values counts inverse */
  dc_array *const used[] = { from, values, counts, inverse };
  if (!use(L, 1, 4, used)) return 0;
  number_values(&(groups){ position, first, n }, heads, counts ? dc_host_data(counts) : NULL,
                inverse ? dc_host_data(inverse) : NULL);
  dc_host_permute(dc_host_data(values), dc_host_data(from), dc_dtype_size(t), heads, m);
  dc_lua_scratch_free(L, 2);
  return 3;
}

/* --- scans, searches, counts, selections ------------------------------------------------------------------------ */

/* The most elements of an array that the host scans along an axis. */
static int64_t most_scanned(const dc_array *a, int axis) {
  const char kind = dc_dtype_kind(dc_array_dtype(a));
  const dc_geometry *g = dc_array_geometry(a);
  if (kind == 'f' || kind == 'c') return DC_HOST_FEW;
  const bool few_threads = dc_array_device(a)->facts.multiprocessors <= FEW_THREADS;
  const bool neighbours = axis == g->ndim - 1 && dc_geometry_contiguous(g, dc_dtype_size(dc_array_dtype(a)));
  return few_threads && neighbours ? MANY_SCANNED : FEW_SCANNED;
}

/* scan(a, axis, product): prefix sums or products along an axis, by default the last. */
static int host_scan(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  dc_array *from = owned(L, self, 1);
  if (!from) return 0;
  const dc_geometry *g = dc_array_geometry(from);
  if (g->ndim == 0) return 0;
  const int axis = (int)luaL_optinteger(L, 2, g->ndim) - 1;
  const bool product = lua_toboolean(L, 3);
  const dc_dtype t = dc_array_dtype(from);
  luaL_argcheck(L, axis >= 0 && axis < g->ndim, 2, "no such axis");
  if (dc_array_size(from) > most_scanned(from, axis)) return 0;
  if (!dc_host_scans(t, product, g, axis)) return 0;
  const char kind = dc_dtype_kind(t);
  dc_array *to = new_like(L, self, from, kind == 'u' ? DC_UINT64 : kind == 'b' || kind == 'i' ? DC_INT64 : t);
  dc_array *const used[] = { from, to };
  if (!use(L, 1, 2, used)) return 0;
  dc_host_scan(t, product, dc_host_data(from), g, axis, dc_host_data(to));
  return 1;
}

/* search(sorted, values, right): for each value its position in the sorted keys, if both have one real dtype. */
static int host_search(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  dc_array *sorted = few(L, self, 1, INT64_MAX), *values = few(L, self, 2, FEW_SEARCHED);
  const bool right = lua_toboolean(L, 3);
  if (!sorted || !values || dc_array_geometry(sorted)->ndim != 1) return 0;
  if (dc_array_device(sorted) != dc_array_device(values) || dc_array_dtype(sorted) != dc_array_dtype(values) ||
      dc_dtype_kind(dc_array_dtype(sorted)) == 'c')
    return 0;
  dc_array *to = new_like(L, self, values, DC_INT64);
  dc_array *const used[] = { sorted, values, to };
  if (!use(L, 2, 3, used)) return 0;
  dc_host_search(dc_array_dtype(sorted), dc_host_data(sorted), dc_array_size(sorted), dc_host_data(values),
                 dc_array_size(values), right, dc_host_data(to));
  return 1;
}

/* count(x, least): how often each integer or bool from 0 on is there, up to the largest, and at least `least` counts.
** Nothing where one is negative, too. */
static int host_count(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  const int64_t least = luaL_checkinteger(L, 2);
  dc_array *x = few(L, self, 1, DC_HOST_FEW);
  if (!x || !use(L, 1, 1, &x)) return 0;
  const int64_t largest = dc_host_largest(dc_array_dtype(x), dc_host_data(x), dc_array_size(x));
  if (largest < 0 || largest >= MOST_COUNTS || least > MOST_COUNTS) return 0;
  const int64_t n = largest + 1 > least ? largest + 1 : least;
  dc_array *counts = new_1d(L, self, x, DC_INT64, n);
  dc_array *const used[] = { x, counts };
  if (!use(L, 1, 2, used)) return 0;
  memset(dc_host_data(counts), 0, (size_t)n * sizeof(int64_t));
  dc_host_count(dc_array_dtype(x), dc_host_data(x), dc_array_size(x), dc_host_data(counts));
  return 1;
}

/* select(mask, x): the elements of x where `mask`, bools of its shape, is true; without x their positions, from 1. */
static int host_select(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  dc_array *mask = few(L, self, 1, DC_HOST_FEW), *x = lua_isnoneornil(L, 2) ? NULL : few(L, self, 2, DC_HOST_FEW);
  if (!mask || dc_array_dtype(mask) != DC_BOOL || (!x && !lua_isnoneornil(L, 2))) return 0;
  if (x && (dc_array_device(x) != dc_array_device(mask) ||
            !dc_geometry_same_shape(dc_array_geometry(x), dc_array_geometry(mask))))
    return 0;
  dc_array *used[] = { mask, x, NULL };
  if (!use(L, 2, 2, used)) return 0;
  const int64_t n = dc_array_size(mask), found = dc_host_count_true(dc_host_data(mask), n);
  const dc_dtype t = x ? dc_array_dtype(x) : DC_INT64;
  dc_array *to = used[2] = new_1d(L, self, mask, t, found);
  if (!use(L, 2, 3, used)) return 0;
  if (x) dc_host_select(dc_host_data(to), dc_host_data(x), dc_dtype_size(t), dc_host_data(mask), n);
  else dc_host_nonzero(dc_host_data(to), dc_host_data(mask), n);
  return 1;
}

/* add(a, index, values, from_0): whether rows of values have been added to those of `a` at these indices, or positions
** from 0. */
static int host_add(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  dc_error err = DC_ERROR_INIT;
  dc_array *a = dc_lua_checkarray(L, self, 1), *index = dc_lua_checkarray(L, self, 2);
  dc_array *values = dc_lua_checkarray(L, self, 3);
  if (!dc_host_owns(a)) return 0;
  if (DC_LUA_WORK(self, dc_array_will_write(a, &err)) != 0) return dc_lua_raise(L, &err);
  const int done = dc_host_add_rows(a, index, values, lua_toboolean(L, 4), &err);
  if (done < 0) return dc_lua_raise(L, &err);
  lua_pushboolean(L, done == 1);
  return 1;
}

const luaL_Reg dc_lua_host_pass_internal[] = {
  { "host_sort", host_sort },     { "host_unique", host_unique }, { "host_scan", host_scan },
  { "host_search", host_search }, { "host_count", host_count },   { "host_select", host_select },
  { "host_add", host_add },
  { NULL, NULL },
};
