/* reduce.c - see reduce.h. */
#include "array/host/reduce.h"

#include <math.h>
#include <string.h>

#include "array/graph/expr.h"
#include "array/graph/geometry.h"
#include "array/graph/number.h"
#include "array/host/memory.h"
#include "array/host/position.h"
#include "array/host/rows.h"
#include "array/host/select.h"
#include "base/dtype.h"
#include "base/move.h"
#include "base/processor.h"
#include "device/device.h"

enum {
  FEW = 4096,       /* elements that lie apart and are searched in the time of a launch */
  SHARED = 1 << 20  /* bytes from which on several threads share the search */
};

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

static int64_t position(dc_dtype t, bool least, const void *x, int64_t n) {
  switch (dc_instruction_set()) {
#if defined(__x86_64__)
    case DC_SET_AVX512: return dc_host_position_avx512(t, least, x, n);
    case DC_SET_AVX2: return dc_host_position_avx2(t, least, x, n);
#endif
    default: return dc_host_position_baseline(t, least, x, n);
  }
}

static int64_t bytes_of(const dc_array *a) { return dc_geometry_size(&a->g) * (int64_t)dc_dtype_size(a->dtype); }

/* Of elements that are `step` bytes apart, FEW at most where that is not their size. */
static int64_t find(dc_dtype t, dc_reduce op, const char *x, int64_t n, int64_t step) {
  const size_t size = dc_dtype_size(t);
  if (step == (int64_t)size) {
    if (t == DC_BOOL) return find_bool(op, x, n);
    return position(t, op == DC_REDUCE_ARGMIN, x, n);
  }
  char row[FEW * 8];
  dc_move_elements(row, (int64_t)size, x, step, n, size);
  return position(t, op == DC_REDUCE_ARGMIN, row, n);
}

/* Whether all elements are consecutive and one thread reduces them as soon as all do. */
static bool has_line(const dc_array *a) {
  return a->contiguous && (a->dev->facts.multiprocessors == 1 || bytes_of(a) < SHARED);
}

/* Whether the least or largest float among n at x, at `value`, has these bits whichever of its equals is taken: it is
** neither NaN nor a zero beside one of the other sign.  As integers -0 are the least. */
static bool is_one_value(dc_dtype t, const void *value, const char *x, int64_t n) {
  const size_t size = dc_dtype_size(t);
  const dc_dtype bits = size == 2 ? DC_INT16 : size == 4 ? DC_INT32 : DC_INT64;
  dc_scalar v, least;
  dc_scalar_get(value, t, &v);
  if (v.f != 0) return !isnan(v.f);
  if (signbit(v.f)) return false;
  dc_scalar_get(x + (size_t)position(bits, true, x, n) * size, t, &least);
  return least.f != 0 || !signbit(least.f);
}

int dc_host_reduce(dc_array *a, dc_reduce op, void *to, dc_error *err) {
  const int64_t n = dc_geometry_size(&a->g);
  const bool extreme = op == DC_REDUCE_MIN || op == DC_REDUCE_MAX, count = op == DC_REDUCE_SUM && a->dtype == DC_BOOL;
  if (!(extreme || count) || dc_dtype_kind(a->dtype) == 'c') return 0;
  if (n == 0 || !dc_host_owns(a) || !has_line(a)) return 0;
  if (dc_host_use(a, false, err) != 0) return -1;
  const char *const x = dc_host_data(a);
  if (count) {
    *(int64_t *)to = dc_host_count_true((const uint8_t *)x, n);
    return 1;
  }
  const size_t size = dc_dtype_size(a->dtype);
  memcpy(to, x + (size_t)position(a->dtype, op == DC_REDUCE_MIN, x, n) * size, size);
  return !dc_dtype_is_floating(a->dtype) || is_one_value(a->dtype, to, x, n);
}

bool dc_host_has_truth(const dc_array *a) { return a->dtype == DC_BOOL && a->contiguous && dc_host_owns(a); }

int dc_host_truth(dc_array *to, dc_array *a, dc_reduce op, dc_error *err) {
  const int64_t n = dc_geometry_size(&a->g);
  const bool all = op == DC_REDUCE_ALL;
  if (!dc_host_has_truth(a) || !dc_host_owns(to)) return 0;
  if (dc_host_use(a, false, err) != 0 || dc_host_use(to, true, err) != 0) return -1;
  const char *const x = dc_host_data(a);
  *(bool *)dc_host_data(to) = n == 0 ? all : x[find_bool(all ? DC_REDUCE_ARGMIN : DC_REDUCE_ARGMAX, x, n)] != 0;
  return 1;
}

bool dc_host_has_argmin(const dc_array *a, int axis) {
  const int64_t n = dc_geometry_size(&a->g);
  if (!dc_host_owns(a) || dc_dtype_kind(a->dtype) == 'c') return false;
  if (a->contiguous && (axis < 0 || axis == a->g.ndim - 1)) /* of bools the search stops at the first */
    return a->dtype == DC_BOOL || has_line(a);
  return n <= FEW && (axis >= 0 || a->contiguous || a->g.ndim == 1);
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
