/* array.c - see array.h. */
#include "array/array.h"

#include <inttypes.h>

#include "array/evaluate.h"
#include "array/graph/buffer.h"
#include "array/graph/expr.h"
#include "array/graph/geometry.h"
#include "array/graph/types.h"
#include "base/dtype.h"
#include "base/error.h"
#include "base/line.h"
#include "device/device.h"
#include "device/memory.h"
#include "device/registry.h"

/* --- making ---------------------------------------------------------------------------------------- */

/* The geometry of a new array, in C order. */
static int plan(const dc_device *dev, dc_dtype dtype, int ndim, const int64_t *shape, dc_geometry *g, dc_error *err) {
  if (dc_geometry_c(g, ndim, shape, dc_dtype_size(dtype), err) == 0) return 0;
  /* A valid shape that is only too large is a DC_MEMORY error. */
  bool fine = ndim >= 0 && ndim <= DC_MAX_DIMS;
  for (int i = 0; fine && i < ndim; i++) fine = shape[i] >= 0;
  if (fine) dc_fail(err, DC_MEMORY, NULL, "cannot allocate an array of more than 2^62 bytes on %s", dev->id);
  return -1;
}

dc_array *dc_array_empty(dc_device *dev, dc_dtype dtype, int ndim, const int64_t *shape, dc_error *err) {
  dc_geometry g;
  if (plan(dev, dtype, ndim, shape, &g, err) != 0) return NULL;
  dc_buffer *b = dc_buffer_new(dev, (size_t)dc_geometry_size(&g) * dc_dtype_size(dtype), dc_flush_pinned, err);
  return b == NULL ? NULL : dc_array_over(b, b->ptr, dtype, &g, err);
}

dc_array *dc_array_pinned(dc_device *host, dc_device *gpu, dc_dtype dtype, int ndim, const int64_t *shape,
                          dc_error *err) {
  dc_geometry g;
  if (dc_device_open(host, err) != 0 || plan(host, dtype, ndim, shape, &g, err) != 0) return NULL;
  dc_buffer *b = dc_buffer_pinned(host, gpu, (size_t)dc_geometry_size(&g) * dc_dtype_size(dtype), err);
  return b == NULL ? NULL : dc_array_over(b, b->ptr, dtype, &g, err);
}

dc_array *dc_array_from_host(dc_device *dev, dc_dtype dtype, int ndim, const int64_t *shape, const void *src,
                             dc_error *err) {
  dc_array *a = dc_array_empty(dev, dtype, ndim, shape, err);
  if (a == NULL || dc_device_to_device(dev, a->ptr, src, a->buffer->bytes, err) == 0) return a;
  dc_array_unref(a);
  return NULL;
}

static int check_aligned(dc_ptr at, dc_dtype dtype, dc_error *err) {
  if (at % dc_dtype_size(dtype) == 0) return 0;
  return dc_fail(err, DC_ARGUMENT, NULL, "address 0x%" PRIx64 " is not aligned for %s", at, dc_dtype_name(dtype));
}

dc_array *dc_array_wrap(dc_device *dev, dc_ptr ptr, dc_dtype dtype, int ndim, const int64_t *shape,
                        void (*release)(void *ud), void *ud, dc_error *err) {
  dc_geometry g;
  size_t itemsize = dc_dtype_size(dtype);
  if (check_aligned(ptr, dtype, err) != 0) return NULL;
  if (dc_geometry_c(&g, ndim, shape, itemsize, err) != 0 || dc_device_open(dev, err) != 0) return NULL;
  size_t bytes = (size_t)dc_geometry_size(&g) * itemsize;
  if (ptr == 0 && bytes > 0) {
    dc_fail(err, DC_ARGUMENT, NULL, "an array of %zu bytes cannot be wrapped around address 0", bytes);
    return NULL;
  }
  dc_buffer *b = dc_buffer_wrap(dev, ptr, bytes, err);
  dc_array *a = b == NULL ? NULL : dc_array_over(b, ptr, dtype, &g, err);
  if (a == NULL) return NULL;
  b->release = release; /* set last: after a failure the caller still owns the memory */
  b->ud = ud;
  return a;
}

void dc_array_ref(dc_array *a) { a->refs++; }

DC_HOT void dc_array_unref(dc_array *a) {
  if (a != NULL) dc_array_leave(a);
}

/* --- closing --------------------------------------------------------------------------------------- */

/* Computes all users of a pending array; `a` itself may become READY by that. */
static int flush_users(dc_array *a, dc_error *err) {
  while (a->state == DC_ARRAY_PENDING && a->users != NULL)
    if (dc_evaluate(dc_expr_root(a->users->user), err) != 0) return -1;
  return 0;
}

/* Users are left only after a failure; they fail later, since they read a closed array. */
static void close_pending(dc_array *a) {
  while (a->users != NULL) dc_use_remove(a->users);
  dc_expr_drop(a);
  a->state = DC_ARRAY_CLOSED;
}

int dc_array_close(dc_array *a, dc_error *err) {
  if (dc_array_is_closed(a)) return 0;
  a->refs++;
  int rc = 0;
  if (a->state == DC_ARRAY_PENDING && a->expr->op == DC_OP_VIEW) rc = dc_evaluate(a, err); /* what it views closes */
  if (a->state == DC_ARRAY_PENDING && flush_users(a, err) != 0) rc = -1;
  if (a->state == DC_ARRAY_PENDING) {
    close_pending(a);
  } else if (!dc_array_is_closed(a)) {
    if (dc_flush_readers(a->buffer, err) != 0) rc = -1;
    dc_buffer_release(a->buffer);
  }
  dc_array_leave(a);
  return rc;
}

/* With all that is built on it. */
static void discard_pending(dc_array *a) {
  a->refs++;
  while (a->users != NULL) discard_pending(a->users->user);
  close_pending(a);
  dc_array_leave(a);
}

void dc_array_discard(dc_array *a) {
  if (dc_array_is_closed(a)) return;
  if (a->state == DC_ARRAY_PENDING) {
    discard_pending(a);
    return;
  }
  while (a->buffer->readers != NULL) discard_pending(a->buffer->readers->user);
  dc_buffer_release(a->buffer);
}

/* --- facts ----------------------------------------------------------------------------------------- */

DC_HOT dc_array_state dc_array_state_of(const dc_array *a) {
  return dc_array_is_closed(a) ? DC_ARRAY_CLOSED : a->state;
}
DC_HOT dc_dtype dc_array_dtype(const dc_array *a) { return a->dtype; }
DC_HOT dc_device *dc_array_device(const dc_array *a) { return a->dev; }
const dc_geometry *dc_array_geometry(const dc_array *a) { return &a->g; }
DC_HOT int64_t dc_array_size(const dc_array *a) { return dc_geometry_size(&a->g); }

int dc_array_check_together(const dc_array *a, const dc_array *b, dc_error *err) {
  if (a->dev == b->dev) return 0;
  return dc_fail(err, DC_DEVICE, NULL, "a is on %s and b on %s: copy one with :to()", a->dev->id, b->dev->id);
}

int dc_array_check_contiguous(const dc_array *a, dc_error *err) {
  if (dc_geometry_contiguous(&a->g, dc_dtype_size(a->dtype))) return 0;
  return dc_fail(err, DC_ARGUMENT, NULL, "got a view of %s array that is not contiguous; pass a copy (a:copy())",
                 dc_dtype_noun(a->dtype));
}

static inline void give_address(dc_buffer *b, bool writes) {
  b->address_given = true;
  b->writer_given |= writes;
}

int dc_array_ptr(dc_array *a, dc_ptr *ptr, dc_error *err) {
  *ptr = 0;
  if (dc_evaluate(a, err) != 0) return -1;
  give_address(a->buffer, true);
  *ptr = a->ptr;
  return 0;
}

dc_ptr dc_array_address(const dc_array *a) { return dc_array_state_of(a) == DC_ARRAY_READY ? a->ptr : 0; }

void dc_array_memory(const dc_array *a, dc_ptr *from, dc_ptr *to) {
  *from = a->buffer->ptr;
  *to = a->buffer->ptr + a->buffer->bytes;
}

void dc_array_span(const dc_array *a, dc_ptr *from, dc_ptr *to) {
  int64_t low, high;
  dc_geometry_span(&a->g, dc_dtype_size(a->dtype), &low, &high);
  *from = a->ptr + (dc_ptr)low;
  *to = a->ptr + (dc_ptr)high;
}

int dc_array_open_to_peers(dc_array *a, dc_error *err) {
  if (dc_evaluate(a, err) != 0 || dc_array_check_open(a, err) != 0) return -1;
  a->buffer->peers = true;
  return 0;
}

bool dc_array_is_open_to_peers(const dc_array *a) { return a->state == DC_ARRAY_READY && a->buffer->peers; }

bool dc_array_has_readers(const dc_array *a) { return a->buffer != NULL && a->buffer->readers != NULL; }

static inline dc_ptr launch_ready(const dc_array *a, bool written) {
  if (DC_UNLIKELY(a->state != DC_ARRAY_READY || !a->contiguous)) return 0;
  const bool read = written & (a->buffer->readers != NULL); /* without a branch: half of all arrays are written */
  give_address(a->buffer, written);
  return DC_UNLIKELY(a->buffer->closed || read) ? 0 : a->ptr;
}

DC_HOT dc_ptr dc_array_launch_ready(const dc_array *a, const dc_device *dev, dc_dtype dtype, bool written) {
  return DC_UNLIKELY(a->dtype != dtype || a->dev != dev) ? 0 : launch_ready(a, written);
}

DC_HOT dc_ptr dc_array_launch_view(const dc_array *a, const dc_device *dev, dc_dtype dtype, bool written,
                                   const dc_geometry **g) {
  if (DC_UNLIKELY(a->dtype != dtype || a->dev != dev || !a->contiguous)) return 0;
  const dc_ptr ptr = launch_ready(a, written);
  if (DC_LIKELY(ptr != 0) || dc_array_state_of(a) != DC_ARRAY_CLOSED) *g = &a->g;
  return ptr;
}

const dc_geometry *dc_array_strided_on(const dc_array *a, const dc_device *dev, dc_dtype dtype) {
  if (a->dtype != dtype || a->dev != dev || a->contiguous || dc_array_state_of(a) != DC_ARRAY_READY) return NULL;
  give_address(a->buffer, true);
  return &a->g;
}

/* --- views ------------------------------------------------------------------------------------------ */

dc_array *dc_array_view(dc_array *a, const dc_geometry *g, int64_t byte_offset, dc_error *err) {
  if (dc_evaluate(a, err) != 0) return NULL;
  int64_t itemsize = (int64_t)dc_dtype_size(a->dtype);
  bool whole = byte_offset % itemsize == 0;
  for (int i = 0; i < g->ndim; i++) whole = whole && g->strides[i] % itemsize == 0;
  if (!whole) {
    dc_fail(err, DC_ARGUMENT, NULL, "a view of %s must step by whole elements", dc_dtype_name(a->dtype));
    return NULL;
  }
  a->buffer->refs++;
  return dc_array_over(a->buffer, a->ptr + (dc_ptr)byte_offset, a->dtype, g, err);
}
