/* index.c - see index.h. */
#include "array/host/index.h"

#include <stdlib.h>
#include <string.h>

#include "array/graph/buffer.h"
#include "array/graph/expr.h"
#include "array/graph/geometry.h"
#include "array/host/by_type.h"
#include "array/host/memory.h"
#include "base/dtype.h"
#include "base/error.h"
#include "base/line.h"
#include "device/device.h"

#define AT_ONCE 256        /* indices that are converted together */
/* Bytes that the loop writes.  One value for all indices takes a kernel a single pass; where the last of several is to
** win it takes three with atomics, several times the work of the loop (4 million float32 numbers by two threads
** of Zen 4: 48 ms, by the loop 20), which pays with many threads alone. */
#define FEW_BYTES (256 << 10)
#define FEW_SUMS 4096      /* of scatter_serial.lua: how many sums cost nothing */
#define FEW_READ (64 << 10) /* bytes that it reads: more are left for the kernel of the expression around them */
/* The same of rows of a cache line and more, which are copied at the speed of memory (316 rows of 316 bytes, two
** threads of Zen 4: 4.7 us, by a kernel 13). */
#define FEW_READ_BY_LINES (256 << 10)
#define MANY_BYTES (32 << 20)
#define FEW_THREADS 16

static int64_t size_of(const dc_array *a) { return dc_geometry_size(&a->g); }

/* The positions, from 0, of n indices among `extent` elements; false: one is out of bounds. */
#define RESOLVE(T, before)                                                                                             \
  static bool resolve_##T(const T *x, int n, int64_t extent, int64_t *to) {                                            \
    bool bad = false;                                                                                                  \
    for (int i = 0; i < n; i++) {                                                                                      \
      to[i] = (int64_t)(x[i] + (before));                                                                              \
      bad |= (uint64_t)to[i] >= (uint64_t)extent; /* negatives, too */                                                 \
    }                                                                                                                  \
    return !bad;                                                                                                       \
  }
#define RESOLVE_SIGNED(dtype, T) RESOLVE(T, x[i] < 0 ? extent : (int64_t)-1)
#define RESOLVE_UNSIGNED(dtype, T) RESOLVE(T, (uint64_t)-1) /* 0 becomes the largest number */
DC_HOST_SIGNED(RESOLVE_SIGNED)
DC_HOST_UNSIGNED(RESOLVE_UNSIGNED)

/* Of the indices first to first + n of contiguous `index`. */
static bool resolve(const dc_array *index, int64_t first, int n, int64_t extent, int64_t *to) {
  const void *x = (const char *)dc_host_data(index) + first * (int64_t)dc_dtype_size(index->dtype);
  switch (index->dtype) {
#define RESOLVED(dtype, T) case dtype: return resolve_##T(x, n, extent, to);
    DC_HOST_INTEGERS(RESOLVED)
    default: return false;
  }
}

static int count_at(int64_t size, int64_t first) { return size - first < AT_ONCE ? (int)(size - first) : AT_ONCE; }

int dc_host_check_indices(dc_array *index, int64_t extent, bool *inside, dc_error *err) {
  const int64_t size = size_of(index);
  int64_t at[AT_ONCE];
  if (size > DC_HOST_FEW || !dc_host_owns(index) || !index->contiguous) return 0;
  if (dc_host_use(index, false, err) != 0) return -1;
  *inside = true;
  for (int64_t first = 0; first < size && *inside; first += AT_ONCE)
    *inside = resolve(index, first, count_at(size, first), extent, at);
  return 1;
}

/* One row of `width` bytes for each position; `step`: from one row of src to the next. */
#define WRITE_ROWS(bytes)                                                                                              \
  for (int i = 0; i < count; i++, src += step)                                                                         \
    memcpy(base + at[i] * stride, src, bytes)

static void write_rows(char *base, int64_t stride, const int64_t *at, int count, const char *src, int64_t step,
                       size_t width) {
  DC_HOST_BY_SIZE(width, WRITE_ROWS)
}

/* The bytes of a row, an element along the first axis; 0: they are not contiguous. */
static size_t bytes_of_row(const dc_array *a) {
  int64_t bytes = (int64_t)dc_dtype_size(a->dtype);
  for (int d = a->g.ndim - 1; d > 0; d--) {
    if (a->g.shape[d] != 1 && a->g.strides[d] != bytes) return 0;
    bytes *= a->g.shape[d];
  }
  return (size_t)bytes;
}

int dc_host_scatter_rows(dc_array *base, dc_array *index, dc_array *src, const dc_number *v, dc_error *err) {
  const size_t width = bytes_of_row(base), item = dc_dtype_size(base->dtype);
  const int64_t size = size_of(index);
  char number[16];
  int64_t at[AT_ONCE];
  if (width == 0 || !index->contiguous || !dc_host_owns(base) || !dc_host_owns(index)) return 0;
  if (index->buffer == base->buffer) return 0;
  const bool many_threads = base->dev->facts.multiprocessors > FEW_THREADS;
  const uint64_t most = src == NULL ? FEW_BYTES : many_threads ? MANY_BYTES : UINT64_MAX;
  if ((uint64_t)size * width > most) return 0;
  if (src != NULL && (src->dtype != base->dtype || !src->contiguous || !dc_host_owns(src) ||
                      src->buffer == base->buffer || size_of(src) != size * (int64_t)(width / item)))
    return 0;
  if (src == NULL && width != item) return 0;
  if (dc_host_use(index, false, err) != 0 || dc_host_use(base, true, err) != 0 ||
      (src != NULL && dc_host_use(src, false, err) != 0))
    return -1;
  if (src == NULL) dc_number_store(v, number);
  const char *from = src != NULL ? dc_host_data(src) : number;
  const int64_t step = src != NULL ? (int64_t)width : 0;
  for (int64_t first = 0; first < size; first += AT_ONCE) {
    const int count = count_at(size, first);
    resolve(index, first, count, base->g.shape[0], at);
    write_rows(dc_host_data(base), base->g.strides[0], at, count, from + first * step, step, width);
  }
  return 1;
}

#define READ_ROWS(bytes)                                                                                               \
  for (int i = 0; i < count; i++, to += bytes)                                                                         \
    memcpy(to, base + at[i] * stride, bytes)

static void read_rows(char *to, const char *base, int64_t stride, const int64_t *at, int count, size_t width) {
  DC_HOST_BY_SIZE(width, READ_ROWS)
}

bool dc_host_gathers(const dc_array *base, const dc_array *index) {
  const size_t width = bytes_of_row(base);
  return width > 0 && index->contiguous && size_of(index) <= DC_HOST_FEW && dc_host_owns(base) && dc_host_owns(index) &&
         (uint64_t)size_of(index) * width <= (width < DC_CACHE_LINE ? FEW_READ : FEW_READ_BY_LINES);
}

int dc_host_gather_rows(dc_array *to, dc_array *base, dc_array *index, dc_error *err) {
  const size_t width = bytes_of_row(base);
  const int64_t size = size_of(index);
  int64_t at[AT_ONCE];
  if (!dc_host_gathers(base, index) || !dc_host_owns(to)) return 0;
  if (dc_host_use(index, false, err) != 0 || dc_host_use(base, false, err) != 0 || dc_host_use(to, true, err) != 0)
    return -1;
  char *out = dc_host_data(to);
  for (int64_t first = 0; first < size; first += AT_ONCE) {
    const int count = count_at(size, first);
    if (!resolve(index, first, count, base->g.shape[0], at)) return 0;
    read_rows(out + first * (int64_t)width, dc_host_data(base), base->g.strides[0], at, count, width);
  }
  return 1;
}

/* --- additions ------------------------------------------------------------------------------------------------- */

/* Positions from 0 that are in range, as histograms have them; of indices resolve() makes these. */
static bool positions(const dc_array *index, int64_t first, int n, int64_t extent, bool from_0, int64_t *to) {
  if (!from_0) return resolve(index, first, n, extent, to);
  if (index->dtype != DC_INT64) return false;
  const int64_t *const x = (const int64_t *)dc_host_data(index) + first;
  bool bad = false;
  for (int i = 0; i < n; i++) {
    to[i] = x[i];
    bad |= (uint64_t)x[i] >= (uint64_t)extent;
  }
  return !bad;
}

/* Sums of floats are float64 and begin with -0.0; they are rounded once, when they are added to the elements, as in
** lua/dotcompute/scatter_serial.lua. */
#define ADD_FLOATS(T)                                                                                                  \
  do {                                                                                                                 \
    T *const a = dc_host_data(base);                                                                                   \
    const T *v = (const T *)dc_host_data(values) + first * width;                                                      \
    for (int i = 0; i < count; i++)                                                                                    \
      for (int64_t k = 0; k < width; k++) sums[at[i] * width + k] += (double)*v++;                                     \
    if (first + count == size)                                                                                         \
      for (int64_t i = 0; i < total; i++) a[i] = (T)((double)a[i] + sums[i]);                                          \
  } while (0)
#define ADD_INTEGERS(T)                                                                                                \
  do {                                                                                                                 \
    T *const a = dc_host_data(base);                                                                                   \
    const T *v = (const T *)dc_host_data(values) + first * width;                                                      \
    for (int i = 0; i < count; i++)                                                                                    \
      for (int64_t k = 0; k < width; k++) a[at[i] * width + k] = (T)(a[at[i] * width + k] + *v++);                     \
  } while (0)

int dc_host_add_rows(dc_array *base, dc_array *index, dc_array *values, bool from_0, dc_error *err) {
  const dc_dtype t = base->dtype;
  const char kind = dc_dtype_kind(t);
  const bool floats = t == DC_FLOAT32 || t == DC_FLOAT64;
  const int64_t size = size_of(index), total = size_of(base), added = size_of(values), extent = base->g.shape[0];
  const dc_array *const all[] = { base, index, values };
  int64_t at[AT_ONCE];
  if (added > DC_HOST_FEW || added == 0 || values->dtype != t || !(floats || kind == 'i' || kind == 'u')) return 0;
  if (floats && total > 4 * added + FEW_SUMS) return 0;
  for (int i = 0; i < 3; i++)
    if (!all[i]->contiguous || !dc_host_owns(all[i])) return 0;
  if (index->buffer == base->buffer || values->buffer == base->buffer) return 0;
  if (dc_host_use(index, false, err) != 0 || dc_host_use(values, false, err) != 0 || dc_host_use(base, true, err) != 0)
    return -1;
  for (int64_t first = 0; first < size; first += AT_ONCE) /* all are checked before any is used */
    if (!positions(index, first, count_at(size, first), extent, from_0, at)) return 0;
  double *const sums = floats ? malloc((size_t)total * sizeof *sums) : NULL;
  if (floats && sums == NULL) return 0;
  for (int64_t i = 0; floats && i < total; i++) sums[i] = -0.0;
  const int64_t width = added / size;
  for (int64_t first = 0; first < size; first += AT_ONCE) {
    const int count = count_at(size, first);
    positions(index, first, count, extent, from_0, at);
    if (t == DC_FLOAT32) ADD_FLOATS(float);
    else if (t == DC_FLOAT64) ADD_FLOATS(double);
    else if (dc_dtype_size(t) == 1) ADD_INTEGERS(uint8_t);
    else if (dc_dtype_size(t) == 2) ADD_INTEGERS(uint16_t);
    else if (dc_dtype_size(t) == 4) ADD_INTEGERS(uint32_t);
    else ADD_INTEGERS(uint64_t);
  }
  free(sums);
  return 1;
}
