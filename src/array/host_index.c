/* host_index.c - see host_index.h. */
#include "array/host_index.h"

#include <string.h>

#include "array/array.h"
#include "array/graph/buffer.h"
#include "array/graph/expr.h"
#include "array/graph/geometry.h"
#include "base/dtype.h"
#include "base/error.h"
#include "device/device.h"

#define FEW 16384          /* number of indices that the host checks in the time that a launch takes */
#define AT_ONCE 256        /* indices that are converted together */
/* Bytes that the loop writes.  One value for all indices takes a kernel a single pass; where the last of several is to
** win it takes three with atomics, several times the work of the loop (4 million float32 numbers by two threads
** of Zen 4: 48 ms, by the loop 20), which pays with many threads alone. */
#define FEW_BYTES (256 << 10)
#define MANY_BYTES (32 << 20)
#define FEW_THREADS 16

static bool is_own_memory(const dc_array *a) {
  return a->dev->host_memory && a->dev->blocking && a->dev->capture == NULL && a->state == DC_ARRAY_READY &&
         !a->buffer->foreign && a->buffer->shared == NULL;
}

/* The positions, from 0, of n indices among `extent` elements; false: one is out of bounds. */
#define RESOLVE(name, T, before)                                                                                       \
  static bool name(const T *x, int n, int64_t extent, int64_t *to) {                                                   \
    bool bad = false;                                                                                                  \
    for (int i = 0; i < n; i++) {                                                                                      \
      to[i] = (int64_t)(x[i] + (before));                                                                              \
      bad |= (uint64_t)to[i] >= (uint64_t)extent; /* negatives, too */                                                 \
    }                                                                                                                  \
    return !bad;                                                                                                       \
  }
#define BEFORE_SIGNED (x[i] < 0 ? extent : (int64_t)-1)
#define BEFORE_UNSIGNED (uint64_t)-1 /* 0 becomes the largest number */
RESOLVE(resolve_int8, int8_t, BEFORE_SIGNED)
RESOLVE(resolve_int16, int16_t, BEFORE_SIGNED)
RESOLVE(resolve_int32, int32_t, BEFORE_SIGNED)
RESOLVE(resolve_int64, int64_t, BEFORE_SIGNED)
RESOLVE(resolve_uint8, uint8_t, BEFORE_UNSIGNED)
RESOLVE(resolve_uint16, uint16_t, BEFORE_UNSIGNED)
RESOLVE(resolve_uint32, uint32_t, BEFORE_UNSIGNED)
RESOLVE(resolve_uint64, uint64_t, BEFORE_UNSIGNED)

/* Of the indices first to first + n of contiguous `index`. */
static bool resolve(const dc_array *index, int64_t first, int n, int64_t extent, int64_t *to) {
  const void *x = (const char *)(uintptr_t)index->ptr + first * (int64_t)dc_dtype_size(index->dtype);
  switch (index->dtype) {
    case DC_INT8: return resolve_int8(x, n, extent, to);
    case DC_INT16: return resolve_int16(x, n, extent, to);
    case DC_INT32: return resolve_int32(x, n, extent, to);
    case DC_INT64: return resolve_int64(x, n, extent, to);
    case DC_UINT8: return resolve_uint8(x, n, extent, to);
    case DC_UINT16: return resolve_uint16(x, n, extent, to);
    case DC_UINT32: return resolve_uint32(x, n, extent, to);
    case DC_UINT64: return resolve_uint64(x, n, extent, to);
    default: return false;
  }
}

static int count_at(int64_t size, int64_t first) { return size - first < AT_ONCE ? (int)(size - first) : AT_ONCE; }

int dc_host_check_indices(dc_array *index, int64_t extent, bool *inside, dc_error *err) {
  const int64_t size = dc_array_size(index);
  int64_t at[AT_ONCE];
  if (size > FEW || !is_own_memory(index) || !index->contiguous) return 0;
  if (dc_buffer_used(index->buffer, false, err) != 0) return -1;
  *inside = true;
  for (int64_t first = 0; first < size && *inside; first += AT_ONCE)
    *inside = resolve(index, first, count_at(size, first), extent, at);
  return 1;
}

/* One row of `width` bytes for each position; `step`: from one row of src to the next. */
#define WRITE_ROWS(width)                                                                                              \
  for (int i = 0; i < count; i++, src += step)                                                                         \
    memcpy(base + at[i] * stride, src, width)

static void write_rows(char *base, int64_t stride, const int64_t *at, int count, const char *src, int64_t step,
                       size_t width) {
  switch (width) {
    case 1: WRITE_ROWS(1); break;
    case 2: WRITE_ROWS(2); break;
    case 4: WRITE_ROWS(4); break;
    case 8: WRITE_ROWS(8); break;
    case 16: WRITE_ROWS(16); break;
    default: WRITE_ROWS(width);
  }
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
  const int64_t size = dc_array_size(index);
  char number[16];
  int64_t at[AT_ONCE];
  if (width == 0 || !index->contiguous || !is_own_memory(base) || !is_own_memory(index)) return 0;
  if (index->buffer == base->buffer) return 0;
  const bool many_threads = base->dev->facts.multiprocessors > FEW_THREADS;
  const uint64_t most = src == NULL ? FEW_BYTES : many_threads ? MANY_BYTES : UINT64_MAX;
  if ((uint64_t)size * width > most) return 0;
  if (src != NULL && (src->dtype != base->dtype || !src->contiguous || !is_own_memory(src) ||
                      src->buffer == base->buffer || dc_array_size(src) != size * (int64_t)(width / item)))
    return 0;
  if (src == NULL && width != item) return 0;
  if (dc_buffer_used(index->buffer, false, err) != 0 || dc_buffer_used(base->buffer, true, err) != 0 ||
      (src != NULL && dc_buffer_used(src->buffer, false, err) != 0))
    return -1;
  if (src == NULL) dc_number_store(v, number);
  const char *from = src != NULL ? (const char *)(uintptr_t)src->ptr : number;
  const int64_t step = src != NULL ? (int64_t)width : 0;
  for (int64_t first = 0; first < size; first += AT_ONCE) {
    const int count = count_at(size, first);
    resolve(index, first, count, base->g.shape[0], at);
    write_rows((char *)(uintptr_t)base->ptr, base->g.strides[0], at, count, from + first * step, step, width);
  }
  return 1;
}
