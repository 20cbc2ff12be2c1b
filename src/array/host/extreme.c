/* extreme.c - see extreme.h. */
#include "array/host/extreme.h"

#include <string.h>

#include "array/graph/expr.h"
#include "array/graph/geometry.h"
#include "array/host/by_type.h"
#include "array/host/memory.h"
#include "array/host/order.h"
#include "array/host/rows.h"
#include "base/dtype.h"

#define FEW 4096 /* elements that one loop searches in the time of a launch */

/* place_NAME: the place from 0 of the extreme of n elements of type T, `step` bytes apart.  It is not before the best
** one so far where IS_BETTER, in which v is an element; and not behind the first that IS_LAST. */
#define PLACE(name, T, IS_BETTER, IS_LAST)                                                                             \
  static int64_t place_##name(const char *x, int64_t n, int64_t step) {                                                \
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
#define INTEGERS(dtype, T) PLACE(least_##T, T, v < best, NEVER) PLACE(largest_##T, T, v > best, NEVER)
DC_HOST_INTEGERS(INTEGERS)
#define FLOATS(T) PLACE(least_##T, T, !(v >= best), IS_NAN) PLACE(largest_##T, T, !(v <= best), IS_NAN)
FLOATS(float)
FLOATS(double)
#define IS_FALSE(v) ((v) == 0)
#define IS_TRUE(v) ((v) != 0)
PLACE(least_bool, uint8_t, v == 0, IS_FALSE)
PLACE(largest_bool, uint8_t, v != 0, IS_TRUE)
/* Of bools that are neighbours, by words; the first one where there is none. */
static int64_t place_of_bool(bool largest, const char *x, int64_t n) {
  if (!largest) {
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
  PLACE(least_##name, uint16_t, (uint16_t)(dc_host_order_##name(v) + 1) < (uint16_t)(dc_host_order_##name(best) + 1),  \
        NEVER)                                                                                                         \
  PLACE(largest_##name, uint16_t, dc_host_order_##name(v) > dc_host_order_##name(best), NEVER)
HALVES(float16)
HALVES(bfloat16)

#define PLACES(X)                                                                                                      \
  DC_HOST_INTEGERS(X) X(DC_FLOAT32, float) X(DC_FLOAT64, double) X(DC_BOOL, bool) X(DC_FLOAT16, float16)               \
      X(DC_BFLOAT16, bfloat16)

static int64_t place_of(dc_dtype t, bool largest, const char *x, int64_t n, int64_t step) {
  if (t == DC_BOOL && step == 1) return place_of_bool(largest, x, n);
  switch (t) {
#define CASE(dtype, name)                                                                                              \
  case dtype: return largest ? place_largest_##name(x, n, step) : place_least_##name(x, n, step);
    PLACES(CASE)
    default: return 0;
  }
}

bool dc_host_finds_extreme(const dc_array *a, int axis) {
  const bool stops = a->dtype == DC_BOOL && a->contiguous && (axis < 0 || axis == a->g.ndim - 1); /* at the first */
  return dc_host_owns(a) && dc_dtypes[a->dtype].kind != 'c' && (stops || dc_geometry_size(&a->g) <= FEW) &&
         (axis >= 0 || a->contiguous || a->g.ndim == 1);
}

int dc_host_arg_extreme(dc_array *to, dc_array *a, int axis, bool largest, dc_error *err) {
  int64_t at[DC_MAX_DIMS] = { 0 }, none[DC_MAX_DIMS] = { 0 };
  const dc_geometry *const g = &a->g;
  if (!dc_host_finds_extreme(a, axis) || !dc_host_owns(to)) return 0;
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
    *out++ = place_of(a->dtype, largest, row, n, step) + 1;
  } while (axis >= 0 && dc_host_next_row(g, axis, at, &row, none, &unused));
  return 1;
}
