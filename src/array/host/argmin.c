/* argmin.c - see argmin.h. */
#include "array/host/argmin.h"

#include <string.h>

#include "array/graph/expr.h"
#include "array/graph/geometry.h"
#include "array/host/by_type.h"
#include "array/host/memory.h"
#include "array/host/order.h"
#include "array/host/rows.h"
#include "base/dtype.h"

#define FEW 4096 /* elements that one loop searches in the time of a launch */

/* NAME: the position, from 0, of the least or the largest of n elements of type T, `step` bytes apart.  IS_BETTER:
** whether element v is preferred to `best`, an earlier one; IS_LAST: whether no element is preferred to v. */
#define FIND(name, T, IS_BETTER, IS_LAST)                                                                              \
  static int64_t name(const char *x, int64_t n, int64_t step) {                                                        \
    int64_t at = 0;                                                                                                    \
    T best, v;                                                                                                         \
    memcpy(&best, x, sizeof best);                                                                                     \
    if (IS_LAST(best)) return 0;                                                                                       \
    for (int64_t i = 1; i < n; i++) {                                                                                  \
      memcpy(&v, x += step, sizeof v);                                                                                 \
      if (!(IS_BETTER)) continue;                                                                                      \
      best = v;                                                                                                        \
      at = i;                                                                                                          \
      if (IS_LAST(v)) break;                                                                                           \
    }                                                                                                                  \
    return at;                                                                                                         \
  }
#define NEVER(v) false
#define IS_NAN(v) ((v) != (v))
#define INTEGERS(dtype, T) FIND(argmin_##T, T, v < best, NEVER) FIND(argmax_##T, T, v > best, NEVER)
DC_HOST_INTEGERS(INTEGERS)
#define FLOATS(T) FIND(argmin_##T, T, !(v >= best), IS_NAN) FIND(argmax_##T, T, !(v <= best), IS_NAN)
FLOATS(float)
FLOATS(double)
#define IS_FALSE(v) ((v) == 0)
#define IS_TRUE(v) ((v) != 0)
FIND(argmin_bool, uint8_t, v == 0, IS_FALSE)
FIND(argmax_bool, uint8_t, v != 0, IS_TRUE)

/* Of contiguous bools, by words: the first one that is false, or true; 0 where there is none. */
static int64_t find_bool(dc_reduce op, const char *x, int64_t n) {
  if (op == DC_REDUCE_ARGMIN) {
    const char *const found = memchr(x, 0, (size_t)n);
    return found != NULL ? found - x : 0;
  }
  int64_t i = 0;
  for (uint64_t word; i + (int64_t)sizeof word <= n; i += (int64_t)sizeof word) {
    memcpy(&word, x + i, sizeof word);
    if (word != 0) break;
  }
  while (i < n && x[i] == 0) i++;
  return i < n ? i : 0;
}

/* 16-bit floats by their order, whose largest number is all NaN. */
#define HALVES(name)                                                                                                   \
  FIND(argmin_##name, uint16_t, (uint16_t)(dc_host_order_##name(v) + 1) < (uint16_t)(dc_host_order_##name(best) + 1),  \
       NEVER)                                                                                                          \
  FIND(argmax_##name, uint16_t, dc_host_order_##name(v) > dc_host_order_##name(best), NEVER)
HALVES(float16)
HALVES(bfloat16)

#define ORDERED(X)                                                                                                     \
  DC_HOST_INTEGERS(X) X(DC_FLOAT32, float) X(DC_FLOAT64, double) X(DC_BOOL, bool) X(DC_FLOAT16, float16)               \
      X(DC_BFLOAT16, bfloat16)

static int64_t find(dc_dtype t, dc_reduce op, const char *x, int64_t n, int64_t step) {
  if (t == DC_BOOL && step == 1) return find_bool(op, x, n);
  switch (t) {
#define CASE(dtype, name)                                                                                              \
  case dtype: return op == DC_REDUCE_ARGMAX ? argmax_##name(x, n, step) : argmin_##name(x, n, step);
    ORDERED(CASE)
    default: return 0;
  }
}

bool dc_host_has_argmin(const dc_array *a, int axis) {
  /* of contiguous bools the search stops at the first */
  const bool stops = a->dtype == DC_BOOL && a->contiguous && (axis < 0 || axis == a->g.ndim - 1);
  return dc_host_owns(a) && dc_dtype_kind(a->dtype) != 'c' && (stops || dc_geometry_size(&a->g) <= FEW) &&
         (axis >= 0 || a->contiguous || a->g.ndim == 1);
}

int dc_host_argmin(dc_array *to, dc_array *a, int axis, dc_reduce op, dc_error *err) {
  int64_t at[DC_MAX_DIMS] = { 0 }, none[DC_MAX_DIMS] = { 0 };
  const dc_geometry *const g = &a->g;
  if (!dc_host_has_argmin(a, axis) || !dc_host_owns(to)) return 0;
  if (dc_geometry_size(&to->g) == 0) return 1;
  if (dc_host_use(a, false, err) != 0 || dc_host_use(to, true, err) != 0) return -1;
  const int64_t size = (int64_t)dc_dtype_size(a->dtype);
  const bool line = axis < 0 && g->ndim == 1;
  const int64_t n = axis < 0 ? dc_geometry_size(g) : g->shape[axis];
  const int64_t step = line ? g->strides[0] : axis < 0 ? size : g->strides[axis];
  const char *row = dc_host_data(a);
  int64_t *out = dc_host_data(to);
  char *unused = NULL;
  do {
    *out++ = find(a->dtype, op, row, n, step) + 1;
  } while (axis >= 0 && dc_host_next_row(g, axis, at, &row, none, &unused));
  return 1;
}
