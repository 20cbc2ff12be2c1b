/*
** array.c - making arrays, the facts about them, and views.
*/
#include <inttypes.h>

#include "array/graph/expr.h"

/* --- making ---------------------------------------------------------------------------------------- */

/* A READY array over a buffer, whose reference it takes (also on failure). */
static dc_array *array_over(struct dc_buffer *b, dc_ptr ptr, dc_dtype dtype, const dc_geometry *g, dc_error *err) {
  dc_array *a = dc_array_new(b->dev, dtype, err);
  if (a == NULL) {
    dc_buffer_unref(b);
    return NULL;
  }
  a->state = DC_ARRAY_READY;
  a->ptr = ptr;
  a->buffer = b;
  dc_geometry_copy(&a->g, g);
  a->contiguous = dc_geometry_contiguous(g, dc_dtype_size(dtype));
  return a;
}

/* The geometry of a new array, in C order. */
static int plan(const dc_device *dev, dc_dtype dtype, int ndim, const int64_t *shape, dc_geometry *g, dc_error *err) {
  if (dc_geometry_c(g, ndim, shape, dc_dtype_size(dtype), err) == 0) return 0;
  /* A shape that is fine but for its size is a matter of memory. */
  bool fine = ndim >= 0 && ndim <= DC_MAX_DIMS;
  for (int i = 0; fine && i < ndim; i++) fine = shape[i] >= 0;
  if (fine) dc_fail(err, DC_MEMORY, NULL, "cannot allocate an array of more than 2^62 bytes on %s", dev->id);
  return -1;
}

dc_array *dc_array_empty(dc_device *dev, dc_dtype dtype, int ndim, const int64_t *shape, dc_error *err) {
  dc_geometry g;
  if (plan(dev, dtype, ndim, shape, &g, err) != 0) return NULL;
  struct dc_buffer *b = dc_buffer_new(dev, (size_t)dc_geometry_size(&g) * dc_dtype_size(dtype), err);
  return b == NULL ? NULL : array_over(b, b->ptr, dtype, &g, err);
}

dc_array *dc_array_pinned(dc_device *host, dc_device *gpu, dc_dtype dtype, int ndim, const int64_t *shape,
                          dc_error *err) {
  dc_geometry g;
  if (dc_device_open(host, err) != 0 || plan(host, dtype, ndim, shape, &g, err) != 0) return NULL;
  struct dc_buffer *b = dc_buffer_pinned(host, gpu, (size_t)dc_geometry_size(&g) * dc_dtype_size(dtype), err);
  return b == NULL ? NULL : array_over(b, b->ptr, dtype, &g, err);
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
  struct dc_buffer *b = dc_buffer_wrap(dev, ptr, bytes, NULL, NULL, err);
  dc_array *a = b == NULL ? NULL : array_over(b, ptr, dtype, &g, err);
  if (a == NULL) return NULL;
  b->release = release; /* from now on: until here the owner's memory is the owner's affair */
  b->ud = ud;
  return a;
}

/* --- facts ----------------------------------------------------------------------------------------- */

DC_HOT dc_array_state dc_array_state_of(const dc_array *a) {
  return dc_array_is_closed(a) ? DC_ARRAY_CLOSED : a->state;
}
dc_dtype dc_array_dtype(const dc_array *a) { return a->dtype; }
dc_device *dc_array_device(const dc_array *a) { return a->dev; }
const dc_geometry *dc_array_geometry(const dc_array *a) { return &a->g; }
int64_t dc_array_size(const dc_array *a) { return dc_geometry_size(&a->g); }

int dc_array_fail_closed(dc_error *err) { return dc_fail(err, DC_ARGUMENT, NULL, "the array is closed"); }

int dc_array_check_together(const dc_array *a, const dc_array *b, dc_error *err) {
  if (a->dev == b->dev) return 0;
  return dc_fail(err, DC_DEVICE, NULL, "a is on %s and b on %s: copy one with :to()", a->dev->id, b->dev->id);
}

int dc_array_ptr(dc_array *a, dc_ptr *ptr, dc_error *err) {
  *ptr = 0;
  if (dc_evaluate(a, err) != 0) return -1;
  *ptr = a->ptr;
  return 0;
}

void dc_array_memory(const dc_array *a, dc_ptr *from, dc_ptr *to) {
  *from = a->buffer->ptr;
  *to = a->buffer->ptr + a->buffer->bytes;
}

DC_HOT dc_ptr dc_array_launch_ready(const dc_array *a, const dc_device *dev, dc_dtype dtype, bool written) {
  if (DC_UNLIKELY(a->state != DC_ARRAY_READY || !a->contiguous || a->dtype != dtype || a->dev != dev)) return 0;
  const bool read = written & (a->buffer->readers != NULL); /* no jump: half of all arrays are written */
  return DC_UNLIKELY(a->buffer->closed || read) ? 0 : a->ptr;
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
  return array_over(a->buffer, a->ptr + (dc_ptr)byte_offset, a->dtype, g, err);
}

bool dc_array_views_lazily(const dc_array *a, bool turned) {
  return !dc_array_is_closed(a) && dc_expr_can_view(a, turned);
}

dc_array *dc_array_transpose(dc_array *a, const int *axes, dc_error *err) {
  int reversed[DC_MAX_DIMS];
  dc_geometry g;
  if (dc_array_check_open(a, err) != 0) return NULL;
  for (int i = 0; i < a->g.ndim; i++) reversed[i] = a->g.ndim - 1 - i;
  if (dc_geometry_transpose(&a->g, axes, &g, err) != 0) return NULL;
  if (dc_expr_can_view(a, true)) return dc_expr_view(a, &g, axes != NULL ? axes : reversed, err);
  return dc_array_view(a, &g, 0, err);
}

static int fail_reshape(const dc_array *a, const dc_geometry *wanted, dc_error *err) {
  char from[512], to[512];
  return dc_fail(err, DC_SHAPE, NULL, "cannot reshape %s, %" PRId64 " elements, to %s",
                 dc_geometry_text(&a->g, from, sizeof from), dc_array_size(a), dc_geometry_text(wanted, to, sizeof to));
}

/* The wanted shape with -1 filled in, in C order. */
static int infer_shape(const dc_array *a, int ndim, const int64_t *shape, dc_geometry *out, dc_error *err) {
  if (ndim < 0 || ndim > DC_MAX_DIMS)
    return dc_fail(err, DC_SHAPE, NULL, "an array has 0 to %d axes, not %d", DC_MAX_DIMS, ndim);
  int open = -1;
  int64_t known = 1;
  bool overflow = false;
  out->ndim = ndim;
  for (int i = 0; i < ndim; i++) {
    out->shape[i] = shape[i];
    if (shape[i] == -1) {
      if (open >= 0) return dc_fail(err, DC_SHAPE, NULL, "only one extent of a new shape can be -1");
      open = i;
    } else if (shape[i] < 0) {
      return dc_fail(err, DC_SHAPE, NULL, "an extent cannot be negative: axis %d has %" PRId64, i + 1, shape[i]);
    } else {
      overflow |= __builtin_mul_overflow(known, shape[i], &known);
    }
  }
  int64_t size = dc_array_size(a);
  if (open >= 0 && known > 0 && !overflow && size % known == 0) {
    out->shape[open] = size / known;
    known = size;
  } else if (open >= 0) {
    overflow = true;
  }
  if (overflow || known != size) return fail_reshape(a, out, err);
  return dc_geometry_c(out, ndim, out->shape, dc_dtype_size(a->dtype), err);
}

dc_array *dc_array_reshape(dc_array *a, int ndim, const int64_t *shape, dc_error *err) {
  dc_geometry wanted, view;
  if (dc_array_check_open(a, err) != 0 || infer_shape(a, ndim, shape, &wanted, err) != 0) return NULL;
  if (dc_expr_can_view(a, false)) return dc_expr_view(a, &wanted, NULL, err);
  if (dc_evaluate(a, err) != 0) return NULL;
  if (dc_geometry_reshape(&a->g, ndim, wanted.shape, dc_dtype_size(a->dtype), &view))
    return dc_array_view(a, &view, 0, err);
  dc_array *copy = dc_array_copy(a, err);
  if (copy != NULL) copy->g = wanted;
  return copy;
}
