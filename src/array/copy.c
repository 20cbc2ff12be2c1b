/* copy.c - see copy.h. */
#include "array/copy.h"

#include <stdint.h>
#include <string.h>

#include "array/array.h"
#include "array/evaluate.h"
#include "array/graph/buffer.h"
#include "array/graph/expr.h"
#include "array/graph/geometry.h"
#include "array/graph/number.h"
#include "array/graph/types.h"
#include "base/dtype.h"
#include "base/error.h"
#include "device/capture.h"
#include "device/device.h"
#include "device/memory.h"
#include "device/registry.h"
#include "device/stream.h"
#include "device/stream_state.h"
#include "device/timeline.h"
#include "device/tracking.h"

/* The first bytes of a READY array. */
static int to_host(dc_array *a, void *dst, size_t bytes, dc_error *err) {
  if (dc_buffer_used(a->buffer, false, err) != 0) return -1;
  return dc_device_to_host(a->dev, dst, a->ptr, bytes, err);
}

int dc_array_read(dc_array *a, void *dst, dc_error *err) {
  if (dc_evaluate(a, err) != 0) return -1;
  size_t bytes = (size_t)dc_array_size(a) * dc_dtype_size(a->dtype);
  if (a->contiguous) return to_host(a, dst, bytes, err);
  dc_array *gathered = dc_array_copy(a, err);
  if (gathered == NULL) return -1;
  int rc = to_host(gathered, dst, bytes, err);
  dc_array_unref(gathered);
  return rc;
}

/* An assignment to elements that share memory (broadcast axes) has no defined result. */
int dc_array_check_writable(const dc_array *a, dc_error *err) {
  if (!dc_geometry_repeats(&a->g)) return 0;
  return dc_fail(err, DC_ARGUMENT, NULL, "a broadcast view cannot be written: several of its elements are one in "
                 "memory; write to a copy (a:copy())");
}

int dc_array_get(dc_array *a, dc_scalar *out, dc_error *err) {
  uint64_t bytes[2];
  bool posted;
  if (dc_array_check_open(a, err) != 0) return -1;
  if (dc_array_size(a) != 1) {
    char shape[512];
    return dc_fail(err, DC_SHAPE, NULL, "only an array of one element is a number: this one has shape %s",
                   dc_geometry_text(&a->g, shape, sizeof shape));
  }
  if (dc_evaluate_value(a, bytes, &posted, err) != 0) return -1;
  if (!posted && to_host(a, bytes, dc_dtype_size(a->dtype), err) != 0) return -1;
  dc_scalar_get(bytes, a->dtype, out);
  return 0;
}

/* --- views, where the device copies them without a kernel ---------------------------------------------- */

/* To dst, from elements of src's geometry at `from`. */
static int copy_elements(dc_array *dst, const dc_geometry *src, dc_ptr from, bool *copied, dc_error *err) {
  dc_joined_axes x;
  if (dc_buffer_used(dst->buffer, true, err) != 0) return -1;
  dc_geometry_join(&dst->g, src, &x);
  const dc_view_copy p = { .to = dst->ptr, .from = from, .size = dc_dtype_size(dst->dtype), .naxes = x.ndim,
                           .extent = x.extent, .to_step = x.to, .from_step = x.from };
  return dc_device_copy_view(dst->dev, &p, copied, err);
}

/* What kernels access beyond memory is an error, as memory may be that the program has not allocated. */
static bool copies_views(const dc_array *a) { return a->dev->memory->copy_view != NULL && !a->buffer->foreign; }

/* src broadcast to the shape of dst. */
static int copy_view(dc_array *dst, dc_array *src, bool *copied, dc_error *err) {
  dc_geometry from;
  *copied = false;
  if (dst->dtype != src->dtype || !copies_views(dst) || !copies_views(src)) return 0;
  if (dc_array_size(dst) == 0 || !dc_array_is_apart(dst, src)) return 0;
  if (dc_geometry_stretch(&src->g, dst->g.ndim, dst->g.shape, &from, err) != 0) return -1;
  return dc_buffer_used(src->buffer, false, err) != 0 ? -1 : copy_elements(dst, &from, src->ptr, copied, err);
}

/* One element, in the host's memory, for all of `a`. */
static int fill_view(dc_array *a, const void *element, bool *filled, dc_error *err) {
  dc_geometry same = a->g;
  if (!a->dev->host_memory || !copies_views(a)) return 0;
  memset(same.strides, 0, sizeof *same.strides * (size_t)same.ndim);
  return copy_elements(a, &same, (dc_ptr)(uintptr_t)element, filled, err);
}

int dc_array_fill(dc_array *a, dc_scalar v, dc_error *err) {
  dc_number number;
  if (dc_array_check_open(a, err) != 0 || dc_number_from(&v, a->dtype, &number, err) != 0) return -1;
  if (dc_array_check_writable(a, err) != 0 || dc_array_will_overwrite(a, NULL, err) != 0) return -1;
  const size_t size = dc_dtype_size(a->dtype);
  uint64_t stored[2] = { 0, 0 };
  dc_number_store(&number, stored);
  /* Drivers have no fill of 16 bytes, unless both halves are the same, nor one of 8 that a graph could hold. */
  const bool halves = size == 16 && stored[0] == stored[1];
  const bool fills = size < 8 || ((size == 8 || halves) && a->dev->capture == NULL);
  bool filled = false;
  if (!a->contiguous && fill_view(a, stored, &filled, err) != 0) return -1;
  if (filled) return 0;
  if (!a->contiguous || !fills) return dc_evaluate_number(&number, a, err);
  if (dc_buffer_used(a->buffer, true, err) != 0) return -1;
  const size_t count = (size_t)dc_array_size(a);
  return dc_device_fill(a->dev, a->ptr, stored, halves ? 8 : size, halves ? 2 * count : count, err);
}

/* --- from array to array ----------------------------------------------------------------------------- */

static size_t bytes_of(const dc_array *a) { return (size_t)dc_array_size(a) * dc_dtype_size(a->dtype); }

/* Waits for the copy.  Between two devices of a kind it runs in the target's stream, so both record the use. */
static int copy_waited(dc_array *dst, dc_array *src, dc_error *err) {
  dc_device *dd = dst->dev, *sd = src->dev;
  if (dc_buffer_used(dst->buffer, true, err) != 0 || dc_buffer_used(src->buffer, false, err) != 0) return -1;
  if (dd->backend == sd->backend && sd->tracking != 0 && dc_buffer_use(src->buffer, dd, NULL, false, err) != 0)
    return -1;
  return dc_device_copy_across(dd, dst->ptr, sd, src->ptr, bytes_of(dst), err);
}

/* Between page-locked memory and `there`, on a GPU, in its current stream. */
static int copy_locked(dc_array *there, dc_array *host, bool up, dc_error *err) {
  if (dc_device_open(there->dev, err) != 0) return -1;
  if (dc_capture_refuse(there->dev, "copies between the host and the device", err) != 0) return -1;
  if (dc_buffer_used(there->buffer, up, err) != 0) return -1;
  if (dc_tracking_use(&host->buffer->hazards, there->dev, NULL, !up, err) != 0) return -1;
  void *p = (void *)(uintptr_t)host->ptr;
  return up ? dc_device_to_device_async(there->dev, there->ptr, p, bytes_of(there), err)
            : dc_device_to_host_async(there->dev, p, there->ptr, bytes_of(there), err);
}

/* The bytes of one READY, contiguous array to another, of another device.  `async`: not waited for, when one of them is
** page-locked memory and the other on a GPU. */
static int copy_across(dc_array *dst, dc_array *src, bool async, dc_error *err) {
  const bool up = src->buffer->pinned != NULL && dst->dev->memory->to_device_async != NULL;
  const bool down = dst->buffer->pinned != NULL && src->dev->memory->to_host_async != NULL;
  if (!up && !down) return copy_waited(dst, src, err);
  dc_array *there = up ? dst : src;
  if (copy_locked(there, up ? src : dst, up, err) != 0) return -1;
  dc_stream *s = async ? NULL : dc_stream_current(there->dev, err);
  return async ? 0 : s == NULL ? -1 : dc_stream_synchronize(s, err);
}

/* src's values in a contiguous array on dev; a new reference.  `async`: without waiting where that is possible, for
** which an array from a GPU is put into page-locked memory. */
static dc_array *copy_to(dc_array *src, dc_device *dev, bool async, dc_error *err) {
  if (dc_evaluate(src, err) != 0) return NULL;
  dc_array *packed = src->contiguous ? src : dc_array_copy(src, err);
  if (packed == NULL) return NULL;
  dc_array *there = async && src->dev->memory->pinned_alloc != NULL && dev->memory->pinned_alloc == NULL
                        ? dc_array_pinned(dev, src->dev, src->dtype, src->g.ndim, src->g.shape, err)
                        : dc_array_empty(dev, src->dtype, src->g.ndim, src->g.shape, err);
  if (there != NULL && copy_across(there, packed, async, err) != 0) {
    dc_array_unref(there);
    there = NULL;
  }
  if (packed != src) dc_array_unref(packed);
  return there;
}

dc_array *dc_array_to_device(dc_array *a, dc_device *dev, bool async, dc_error *err) {
  if (dc_array_check_open(a, err) != 0) return NULL;
  if (a->dev != dev) return copy_to(a, dev, async, err);
  dc_array_ref(a);
  return a;
}

dc_array *dc_array_copy_as(dc_array *a, dc_dtype dtype, int ndim, const int64_t *shape, dc_error *err) {
  dc_array *copy = dc_array_empty(a->dev, dtype, ndim, shape, err);
  if (copy == NULL || dc_array_assign(copy, a, false, err) == 0) return copy;
  dc_array_unref(copy);
  return NULL;
}

dc_array *dc_array_copy(dc_array *a, dc_error *err) {
  return dc_array_check_open(a, err) != 0 ? NULL : dc_array_copy_as(a, a->dtype, a->g.ndim, a->g.shape, err);
}

static bool plain_copy(const dc_array *dst, const dc_array *src) {
  return src->state == DC_ARRAY_READY && src->dtype == dst->dtype && src->contiguous && dst->contiguous &&
         dc_geometry_same_shape(&src->g, &dst->g);
}

/* src, READY, overlaps dst: it is copied first. */
static int assign_overlapping(dc_array *dst, dc_array *src, dc_error *err) {
  dc_array *copy = dc_array_copy(src, err);
  if (copy == NULL) return -1;
  int rc = dc_evaluate_into(copy, dst, NULL, err);
  dc_array_unref(copy);
  return rc;
}

/* Computing may run finalizers, which may close either. */
static int check_both_open(const dc_array *dst, const dc_array *src, dc_error *err) {
  return dc_array_check_open(dst, err) != 0 || dc_array_check_open(src, err) != 0 ? -1 : 0;
}

static int copy_here(dc_array *dst, dc_array *src, dc_error *err) {
  if (dc_buffer_used(src->buffer, false, err) != 0 || dc_buffer_used(dst->buffer, true, err) != 0) return -1;
  return dc_device_copy(dst->dev, dst->ptr, src->ptr, bytes_of(dst), err);
}

static int assign_ready(dc_array *dst, dc_array *src, dc_error *err) {
  if (check_both_open(dst, src, err) != 0) return -1;
  if (plain_copy(dst, src) && (dst->ptr == src->ptr || dc_array_is_apart(dst, src)))
    return copy_here(dst, src, err);
  bool copied;
  if (copy_view(dst, src, &copied, err) != 0 || copied) return copied ? 0 : -1;
  int rc = dc_evaluate_into(src, dst, NULL, err);
  return rc == 1 ? assign_overlapping(dst, src, err) : rc;
}

/* A pending src that nothing else is built on and that was not computed before goes straight into dst.  When
** it reads dst, its own value would be lost, so it becomes a pending copy of dst, for which dst must hold
** exactly that value. */
static int assign_pending(dc_array *dst, dc_array *src, dc_error *err) {
  bool straight = src->refs == 1 && src->users == NULL && !src->expr->evaluated;
  bool exact = src->dtype == dst->dtype && dc_geometry_same_shape(&src->g, &dst->g);
  if (straight) {
    dc_array *alias = exact ? dc_array_view(dst, &dst->g, 0, err) : NULL;
    bool reads;
    if (exact && alias == NULL) return -1;
    int rc = exact || dst->buffer->readers == NULL ? dc_evaluate_into(src, dst, &reads, err) : 1;
    if (rc == 0 && reads && src->state == DC_ARRAY_PENDING) dc_expr_become_copy(src, alias);
    else if (alias != NULL) dc_array_unref(alias);
    if (rc != 1) return rc;
  }
  if (dc_evaluate(src, err) != 0) return -1;
  return assign_ready(dst, src, err);
}

static int assign_here(dc_array *dst, dc_array *src, dc_error *err) {
  if (dc_array_will_overwrite(dst, src, err) != 0) return -1;
  return src->state == DC_ARRAY_PENDING ? assign_pending(dst, src, err) : assign_ready(dst, src, err);
}

int dc_array_check_values(const dc_array *dst, const dc_array *src, dc_error *err) {
  if (dc_dtype_kind(src->dtype) == 'c' && dc_dtype_kind(dst->dtype) != 'c' && dst->dtype != DC_BOOL)
    return dc_fail(err, DC_DTYPE, NULL, "%s array does not take %s values: their imaginary parts would be lost; "
                   "assign dc.real(b) or dc.abs(b)", dc_dtype_noun(dst->dtype), dc_dtype_name(src->dtype));
  return 0;
}

int dc_array_assign(dc_array *dst, dc_array *src, bool async, dc_error *err) {
  dc_geometry stretched;
  if (check_both_open(dst, src, err) != 0) return -1;
  if (dc_array_check_values(dst, src, err) != 0) return -1;
  if (dc_geometry_stretch(&src->g, dst->g.ndim, dst->g.shape, &stretched, err) != 0) return -1;
  if (dc_array_check_writable(dst, err) != 0) return -1;
  if (dst == src || dc_array_size(dst) == 0) return 0;
  if (src->dev == dst->dev) return assign_here(dst, src, err);
  if (dc_array_will_write(dst, err) != 0 || dc_evaluate(src, err) != 0) return -1;
  if (check_both_open(dst, src, err) != 0) return -1;
  if (plain_copy(dst, src)) return copy_across(dst, src, async, err);
  dc_array *there = copy_to(src, dst->dev, false, err);
  if (there == NULL) return -1;
  int rc = assign_ready(dst, there, err);
  dc_array_unref(there);
  return rc;
}
