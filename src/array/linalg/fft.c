/*
** fft.c - see fft.h.
**
** The axes are taken in runs of neighbours, each as it lies in memory where the library takes that; else a copy moves
** the run's axes to the end, and back.
*/
#include "array/linalg/fft.h"

#include <inttypes.h>
#include <string.h>

#include "array/array.h"
#include "array/copy.h"
#include "array/evaluate.h"
#include "array/graph/buffer.h"
#include "array/graph/expr.h"
#include "array/graph/geometry.h"
#include "array/graph/number.h"
#include "array/graph/types.h"
#include "array/linalg/batch.h"
#include "array/linalg/matrix.h"
#include "array/operators.h"
#include "base/dtype.h"
#include "base/error.h"
#include "device/device.h"
#include "device/library.h"

/* Batches that need more calls of the library than this are copied instead. */
static int64_t most_calls(const dc_device *dev) { return dev->blocking ? 4096 : 64; }

/* One run: `count` axes from `first` on. */
typedef struct run {
  dc_fft_kind kind;
  int first, count;
  int64_t n; /* of DC_FFT_REAL and DC_FFT_TO_REAL: how many real numbers the axis has */
} run;

static dc_dtype complex_of(dc_dtype t) {
  t = dc_solver_dtype(t);
  return t == DC_FLOAT32 ? DC_COMPLEX64 : t == DC_FLOAT64 ? DC_COMPLEX128 : t;
}
static dc_dtype real_of(dc_dtype t) { return dc_dtype_real(complex_of(t)); }

static dc_array *result_for(const dc_array *in, const run *r, dc_error *err) {
  int64_t shape[DC_MAX_DIMS];
  memcpy(shape, in->g.shape, sizeof shape);
  if (r->kind == DC_FFT_REAL) shape[r->first] = r->n / 2 + 1;
  if (r->kind == DC_FFT_TO_REAL) shape[r->first] = r->n;
  dc_dtype dtype = r->kind == DC_FFT_TO_REAL ? real_of(in->dtype) : complex_of(in->dtype);
  return dc_array_empty(in->dev, dtype, in->g.ndim, shape, err);
}

/* Whether each call of the batch begins at an address that the library accepts for real numbers. */
static bool begins_well(const dc_batch *all, const dc_array *in, const dc_array *out, const run *r) {
  const bool reads = r->kind == DC_FFT_REAL;
  if ((!reads && r->kind != DC_FFT_TO_REAL) || !in->dev->libraries->fft_pairs) return true;
  const dc_array *real = reads ? in : out;
  bool well = real->ptr % (2 * dc_dtype_size(real->dtype)) == 0;
  for (int i = 0; i < all->naxes; i++) well = well && all->step[i][reads ? 0 : 1] % 2 == 0;
  return well;
}

/* The library's description of the transform and its batch; false when it does not take in's layout. */
static bool describe(dc_fft *f, dc_batch *all, const dc_array *in, const dc_array *out, const run *r) {
  *f = (dc_fft){ .kind = r->kind, .wide = complex_of(in->dtype) == DC_COMPLEX128, .axes = r->count };
  for (int i = 0; i < r->count; i++) {
    const int64_t step = dc_matrix_step(in, r->first + i);
    f->n[i] = r->kind == DC_FFT_REAL || r->kind == DC_FFT_TO_REAL ? r->n : in->g.shape[r->first + i];
    f->in_step[i] = step;
    f->out_step[i] = dc_matrix_step(out, r->first + i);
  }
  for (int i = r->count - 1; i >= 0; i--) { /* the stride of an axis of one element does not matter */
    const bool inner = i + 1 < r->count;
    const int64_t least = inner ? f->n[i + 1] * f->in_step[i + 1] : 1;
    if (f->n[i] == 1) f->in_step[i] = least;
    if (f->in_step[i] < least || (inner && f->in_step[i] % f->in_step[i + 1] != 0)) return false;
  }
  *all = (dc_batch){ 0 };
  for (int d = 0; d < in->g.ndim; d++) {
    const int64_t step = dc_matrix_step(in, d);
    if (d >= r->first && d < r->first + r->count) continue;
    if (step <= 0 && in->g.shape[d] > 1) return false;
    dc_batch_add(all, in->g.shape[d], (const int64_t[]){ step, dc_matrix_step(out, d), 0 });
  }
  int64_t step[DC_BATCH_OPERANDS];
  dc_batch_take(all, &f->batch, step);
  f->in_batch = step[0];
  f->out_batch = step[1];
  return dc_batch_count(all) <= most_calls(out->dev) && begins_well(all, in, out, r);
}

static int perform(dc_fft *f, const dc_batch *all, dc_array *in, dc_array *out, dc_error *err) {
  dc_buffer *work = NULL;
  const bool spoils = f->kind == DC_FFT_TO_REAL;
  dc_array *const read[] = { spoils ? NULL : in, NULL }, *const written[] = { out, spoils ? in : NULL, NULL };
  if (dc_device_fft_work(out->dev, f, err) != 0) return -1;
  int rc = dc_matrix_work(out->dev, f->work_bytes, &work, &f->work, err);
  if (rc == 0) rc = dc_matrix_use(read, written, err);
  const int64_t times = dc_batch_count(all);
  int64_t at[DC_BATCH_OPERANDS];
  for (int64_t i = 0; i < times && rc == 0; i++) {
    dc_batch_at(all, i, at);
    f->in = in->ptr + (dc_ptr)at[0] * dc_dtype_size(in->dtype);
    f->out = out->ptr + (dc_ptr)at[1] * dc_dtype_size(out->dtype);
    rc = dc_device_fft(out->dev, f, err);
  }
  if (work != NULL) dc_buffer_unref(work);
  return rc;
}

/* The view in which the run's axes come last (`there`), or its inverse. */
static dc_array *turned(dc_array *a, const run *r, bool there, dc_error *err) {
  int axes[DC_MAX_DIMS], n = 0;
  const int last = a->g.ndim - r->count;
  dc_geometry g;
  if (there) {
    for (int d = 0; d < a->g.ndim; d++)
      if (d < r->first || d >= r->first + r->count) axes[n++] = d;
    for (int d = 0; d < r->count; d++) axes[n++] = r->first + d;
  } else {
    for (int d = 0; d < r->first; d++) axes[n++] = d;
    for (int d = 0; d < r->count; d++) axes[n++] = last + d;
    for (int d = r->first; d < last; d++) axes[n++] = d;
  }
  return dc_geometry_transpose(&a->g, axes, &g, err) != 0 ? NULL : dc_array_view(a, &g, 0, err);
}

/* The imaginary parts of the first number, and of the middle one of an even length, have no meaning, and not all
** libraries ignore them: they are set to 0.  `in` is our own copy. */
static int clear_imaginary(dc_array *in, const run *r, dc_error *err) {
  const dc_dtype part = real_of(in->dtype);
  const int64_t size = (int64_t)dc_dtype_size(part), step = in->g.strides[r->first];
  const dc_scalar zero = { .kind = DC_SCALAR_INT, .i = 0 };
  const int64_t two[] = { 2 * dc_array_size(in) };
  dc_array *parts = dc_array_wrap(in->dev, in->ptr, part, 1, two, NULL, NULL, err);
  int rc = parts != NULL ? 0 : -1;
  for (int64_t at = 0; at <= r->n / 2 && rc == 0; at += r->n / 2 > 0 ? r->n / 2 : 1) {
    dc_geometry g = in->g;
    if (at > 0 && r->n % 2 != 0) break;
    g.shape[r->first] = 1;
    dc_array *view = dc_array_view(parts, &g, at * step + size, err);
    rc = view != NULL ? dc_array_fill(view, zero, err) : -1;
    if (view != NULL) dc_array_unref(view);
  }
  if (parts != NULL) dc_array_unref(parts);
  return rc;
}

/* One run of READY `in`, of the dtype that the library reads. */
static dc_array *transform(dc_array *in, run r, dc_error *err) {
  dc_fft f;
  dc_batch all;
  dc_array *out = result_for(in, &r, err);
  if (out == NULL || dc_array_size(out) == 0) return out;
  const bool spoils = r.kind == DC_FFT_TO_REAL;
  const bool direct = describe(&f, &all, in, out, &r);
  dc_array *packed = NULL;
  if (!direct) {
    const run last = { r.kind, in->g.ndim - r.count, r.count, r.n };
    dc_array *view = turned(in, &r, true, err);
    dc_array_unref(out);
    out = NULL;
    packed = view != NULL ? dc_array_copy(view, err) : NULL;
    if (packed != NULL) out = result_for(packed, &last, err);
    if (out != NULL) describe(&f, &all, packed, out, &last);
    if (view != NULL) dc_array_unref(view);
    if (out != NULL && spoils && clear_imaginary(packed, &last, err) != 0) {
      dc_array_unref(out);
      out = NULL;
    }
  } else if (spoils) {
    packed = dc_array_copy(in, err);
    if (packed == NULL || clear_imaginary(packed, &r, err) != 0 || !describe(&f, &all, packed, out, &r)) {
      dc_array_unref(out);
      out = NULL;
    }
  }
  int rc = out != NULL ? perform(&f, &all, packed != NULL ? packed : in, out, err) : -1;
  if (packed != NULL) dc_array_unref(packed);
  if (rc == 0 && direct) return out;
  dc_array *back = rc == 0 ? turned(out, &r, false, err) : NULL;
  dc_array *result = back != NULL ? dc_array_copy(back, err) : NULL;
  if (back != NULL) dc_array_unref(back);
  if (out != NULL) dc_array_unref(out);
  return result;
}

/* --- the axes ------------------------------------------------------------------------------------------- */

static int check(const dc_array *a, dc_fft_kind kind, int naxes, const int *axes, int64_t n, dc_error *err) {
  char shape[512];
  if (dc_array_check_open(a, err) != 0) return -1;
  if (naxes == 0)
    return dc_fail(err, DC_SHAPE, NULL, "a Fourier transform needs an axis, this array has shape %s",
                   dc_geometry_text(&a->g, shape, sizeof shape));
  for (int i = 0; i < naxes; i++)
    if (a->g.shape[axes[i]] == 0)
      return dc_fail(err, DC_SHAPE, NULL, "a Fourier transform along axis %d of shape %s has no points", axes[i] + 1,
                     dc_geometry_text(&a->g, shape, sizeof shape));
  if (kind != DC_FFT_TO_REAL) return 0;
  if (n < 1) return dc_fail(err, DC_SHAPE, NULL, "a Fourier transform to %" PRId64 " points", n);
  if (a->g.shape[axes[0]] < n / 2 + 1)
    return dc_fail(err, DC_SHAPE, NULL, "a transform to %" PRId64 " real numbers needs %" PRId64 " complex ones along "
                   "axis %d, shape %s has fewer", n, n / 2 + 1, axes[0] + 1,
                   dc_geometry_text(&a->g, shape, sizeof shape));
  return 0;
}

/* The first n/2 + 1 along the axis. */
static dc_array *half(dc_array *a, int axis, int64_t n, dc_error *err) {
  dc_geometry g = a->g;
  g.shape[axis] = n / 2 + 1;
  return dc_array_view(a, &g, 0, err);
}

dc_array *dc_array_fft(dc_array *a, dc_fft_kind kind, int naxes, const int *axes, int64_t n, dc_error *err) {
  bool wanted[DC_MAX_DIMS] = { false };
  if (check(a, kind, naxes, axes, n, err) != 0) return NULL;
  for (int i = 0; i < naxes; i++) wanted[axes[i]] = true;
  dc_array *now = dc_array_cast(a, kind == DC_FFT_REAL ? real_of(a->dtype) : complex_of(a->dtype), err);
  if (now == NULL || dc_evaluate(now, err) != 0) {
    if (now != NULL) dc_array_unref(now);
    return NULL;
  }
  if (kind == DC_FFT_TO_REAL) {
    dc_array *part = half(now, axes[0], n, err);
    dc_array_unref(now);
    now = part;
  } else if (kind == DC_FFT_REAL) {
    n = a->g.shape[axes[0]];
  }
  const bool real = kind == DC_FFT_REAL || kind == DC_FFT_TO_REAL;
  for (int d = a->g.ndim - 1; d >= 0 && now != NULL; d--) {
    if (!wanted[d]) continue;
    run r = { kind, d, 1, n };
    int64_t points = now->g.shape[d];
    const int64_t limit = now->dev->libraries->fft_points;
    while (!real && r.first > 0 && wanted[r.first - 1] && r.count < DC_FFT_AXES) {
      points *= now->g.shape[r.first - 1];
      if (limit > 0 && points > limit) break;
      r.first--;
      r.count++;
    }
    dc_array *next = transform(now, r, err);
    dc_array_unref(now);
    now = next;
    d = r.first;
  }
  return now;
}
