/* geometry.c - see geometry.h.  The strides of extents of 1, and of arrays without elements, are ignored. */
#include "array/graph/geometry.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/line.h"

#define MAX_BYTES ((int64_t)1 << 62)

static int too_many_axes(int ndim, dc_error *err) {
  return dc_fail(err, DC_SHAPE, NULL, "an array has 0 to %d axes, not %d", DC_MAX_DIMS, ndim);
}

/* A broadcast shape can have more elements than an int64 counts. */
static int check_count(const dc_geometry *g, dc_error *err) {
  int64_t n = 1;
  for (int i = 0; i < g->ndim; i++)
    if (g->shape[i] > 1 && (__builtin_mul_overflow(n, g->shape[i], &n) || n > MAX_BYTES / 8))
      return dc_fail(err, DC_SHAPE, NULL, "a shape of more than 2^59 elements is not possible");
  return 0;
}

DC_HOT int dc_geometry_c(dc_geometry *g, int ndim, const int64_t *shape, size_t itemsize, dc_error *err) {
  if (ndim < 0 || ndim > DC_MAX_DIMS) return too_many_axes(ndim, err);
  g->ndim = ndim;
  int64_t stride = (int64_t)itemsize;
  for (int i = ndim - 1; i >= 0; i--) {
    int64_t n = shape[i];
    if (n < 0) return dc_fail(err, DC_SHAPE, NULL, "an extent cannot be negative: axis %d has %" PRId64, i + 1, n);
    g->shape[i] = n;
    g->strides[i] = stride;
    if (n > 1 && __builtin_mul_overflow(stride, n, &stride)) stride = INT64_MAX;
    if (stride > MAX_BYTES) return dc_fail(err, DC_SHAPE, NULL, "an array of more than 2^62 bytes is not possible");
  }
  return 0;
}

bool dc_geometry_contiguous(const dc_geometry *g, size_t itemsize) {
  int64_t expected = (int64_t)itemsize;
  bool straight = true;
  for (int i = g->ndim - 1; i >= 0; i--) {
    if (g->shape[i] == 0) return true;
    if (g->shape[i] == 1) continue;
    if (g->strides[i] != expected) straight = false;
    expected *= g->shape[i];
  }
  return straight;
}

bool dc_geometry_same(const dc_geometry *a, const dc_geometry *b) {
  return dc_geometry_same_shape(a, b) && memcmp(a->strides, b->strides, sizeof(int64_t) * (size_t)a->ndim) == 0;
}

void dc_geometry_index(const dc_geometry *g, int n, const dc_range *r, dc_geometry *out, int64_t *byte_offset) {
  dc_geometry o;
  int64_t offset = 0;
  o.ndim = 0;
  for (int i = 0; i < g->ndim; i++) {
    int64_t count = g->shape[i], stride = g->strides[i];
    if (i < n) {
      if (!r[i].keep || r[i].count > 0) offset += r[i].first * stride; /* an empty range may start anywhere */
      if (!r[i].keep) continue;
      count = r[i].count;
      stride *= r[i].step;
    }
    o.shape[o.ndim] = count;
    o.strides[o.ndim++] = stride;
  }
  *out = o;
  *byte_offset = offset;
}

int dc_geometry_transpose(const dc_geometry *g, const int *axes, dc_geometry *out, dc_error *err) {
  dc_geometry o;
  bool seen[DC_MAX_DIMS] = { false };
  o.ndim = g->ndim;
  for (int i = 0; i < g->ndim; i++) {
    int from = axes ? axes[i] : g->ndim - 1 - i;
    if (from < 0 || from >= g->ndim)
      return dc_fail(err, DC_INDEX, NULL, "axis %d is out of range: the array has %d", from + 1, g->ndim);
    if (seen[from])
      return dc_fail(err, DC_ARGUMENT, NULL, "axis %d is named twice: transpose takes each axis once", from + 1);
    seen[from] = true;
    o.shape[i] = g->shape[from];
    o.strides[i] = g->strides[from];
  }
  *out = o;
  return 0;
}

/* Extent of the axis that is `back` places from the last; 1 where there is none. */
static int64_t extent_from_back(const dc_geometry *g, int back) {
  return back < g->ndim ? g->shape[g->ndim - 1 - back] : 1;
}

int dc_geometry_broadcast(const dc_geometry *a, const dc_geometry *b, dc_geometry *out, dc_error *err) {
  int ndim = a->ndim > b->ndim ? a->ndim : b->ndim;
  for (int back = 0; back < ndim; back++) {
    int64_t na = extent_from_back(a, back), nb = extent_from_back(b, back);
    if (na != nb && na != 1 && nb != 1) {
      char ta[512], tb[512];
      return dc_fail(err, DC_SHAPE, NULL, "shapes %s and %s do not broadcast", dc_geometry_text(a, ta, sizeof ta),
                     dc_geometry_text(b, tb, sizeof tb));
    }
    out->shape[ndim - 1 - back] = na == 1 ? nb : na;
  }
  out->ndim = ndim;
  return check_count(out, err);
}

int dc_geometry_stretch(const dc_geometry *a, int ndim, const int64_t *shape, dc_geometry *out, dc_error *err) {
  if (ndim < 0 || ndim > DC_MAX_DIMS) return too_many_axes(ndim, err);
  dc_geometry o;
  o.ndim = ndim;
  bool fits = a->ndim <= ndim;
  for (int i = 0; i < ndim && fits; i++) {
    int from = i - (ndim - a->ndim);
    int64_t n = from >= 0 ? a->shape[from] : 1;
    o.shape[i] = shape[i];
    o.strides[i] = n == 1 ? 0 : a->strides[from];
    fits = n == shape[i] || n == 1;
  }
  if (!fits) {
    char ta[512], tb[512];
    dc_geometry wanted = { .ndim = ndim };
    memcpy(wanted.shape, shape, sizeof(int64_t) * (size_t)ndim);
    return dc_fail(err, DC_SHAPE, NULL, "shape %s does not broadcast to %s", dc_geometry_text(a, ta, sizeof ta),
                   dc_geometry_text(&wanted, tb, sizeof tb));
  }
  if (check_count(&o, err) != 0) return -1;
  *out = o;
  return 0;
}

/* Strides of C order from the axis `last` down to `first`, the last one's being `stride`. */
static void fill_strides(dc_geometry *out, int first, int last, int64_t stride) {
  for (int i = last; i >= first; i--) {
    out->strides[i] = stride;
    stride *= out->shape[i];
  }
}

/* Old and new axes are cut into groups of equal size; a group can be reshaped when its old axes are contiguous. */
bool dc_geometry_reshape(const dc_geometry *g, int ndim, const int64_t *shape, size_t itemsize, dc_geometry *out) {
  dc_geometry old, o;
  old.ndim = 0;
  for (int i = 0; i < g->ndim; i++) {
    if (g->shape[i] == 1) continue;
    old.shape[old.ndim] = g->shape[i];
    old.strides[old.ndim++] = g->strides[i];
  }
  o.ndim = ndim;
  for (int i = 0; i < ndim; i++) o.shape[i] = shape[i];
  if (dc_geometry_size(g) <= 1) { /* of one element: any strides do */
    int64_t stride = (int64_t)itemsize;
    for (int i = ndim - 1; i >= 0; i--) {
      o.strides[i] = stride;
      if (o.shape[i] > 1) stride *= o.shape[i];
    }
    *out = o;
    return true;
  }
  int i = 0, k = 0;
  while (i < old.ndim) {
    int i_end = i + 1, k_end = k + 1;
    int64_t n_old = old.shape[i], n_new = o.shape[k];
    while (n_old != n_new) {
      if (n_old < n_new) n_old *= old.shape[i_end++];
      else n_new *= o.shape[k_end++];
    }
    for (int j = i; j + 1 < i_end; j++)
      if (old.strides[j] != old.strides[j + 1] * old.shape[j + 1]) return false;
    fill_strides(&o, k, k_end - 1, old.strides[i_end - 1]);
    i = i_end;
    k = k_end;
  }
  for (; k < ndim; k++) o.strides[k] = (int64_t)itemsize; /* extents of 1 at the end */
  *out = o;
  return true;
}

void dc_geometry_span(const dc_geometry *g, size_t itemsize, int64_t *from, int64_t *to) {
  *from = 0;
  *to = (int64_t)itemsize;
  for (int i = 0; i < g->ndim; i++) {
    const int64_t way = (g->shape[i] - 1) * g->strides[i];
    if (way < 0) *from += way;
    else *to += way;
  }
}

const char *dc_geometry_text(const dc_geometry *g, char *text, size_t n) {
  size_t at = (size_t)snprintf(text, n, "(");
  for (int i = 0; i < g->ndim && at < n; i++)
    at += (size_t)snprintf(text + at, n - at, "%s%" PRId64, i > 0 ? ", " : "", g->shape[i]);
  if (at < n) snprintf(text + at, n - at, g->ndim == 1 ? ",)" : ")");
  return text;
}

void dc_geometry_reduced(const dc_geometry *g, uint32_t axes, bool keep, dc_geometry *out) {
  out->ndim = 0;
  for (int i = 0; i < g->ndim; i++) {
    const bool reduced = axes >> i & 1;
    if (!reduced || keep) out->shape[out->ndim++] = reduced ? 1 : g->shape[i];
  }
}

void dc_geometry_join(const dc_geometry *to, const dc_geometry *from, dc_joined_axes *out) {
  out->ndim = 0;
  for (int d = 0; d < to->ndim; d++) {
    const int k = out->ndim - 1;
    const int64_t n = to->shape[d];
    if (n == 1) continue;
    if (k >= 0 && out->to[k] == n * to->strides[d] && out->from[k] == n * from->strides[d]) out->extent[k] *= n;
    else out->extent[out->ndim++] = n;
    out->to[out->ndim - 1] = to->strides[d];
    out->from[out->ndim - 1] = from->strides[d];
  }
  if (out->ndim > 0) return;
  out->ndim = 1;
  out->extent[0] = 1;
  out->to[0] = out->from[0] = 0;
}
