/* view.c - see view.h. */
#include "array/view.h"

#include <inttypes.h>

#include "array/array.h"
#include "array/copy.h"
#include "array/evaluate.h"
#include "array/graph/expr.h"
#include "array/graph/geometry.h"
#include "array/graph/types.h"
#include "array/node.h"
#include "base/dtype.h"
#include "base/error.h"

bool dc_array_views_lazily(const dc_array *a, bool transposed) {
  return !dc_array_is_closed(a) && dc_node_can_view(a, transposed);
}

dc_array *dc_array_transpose(dc_array *a, const int *axes, dc_error *err) {
  int reversed[DC_MAX_DIMS];
  dc_geometry g;
  if (dc_array_check_open(a, err) != 0) return NULL;
  for (int i = 0; i < a->g.ndim; i++) reversed[i] = a->g.ndim - 1 - i;
  if (dc_geometry_transpose(&a->g, axes, &g, err) != 0) return NULL;
  if (dc_node_can_view(a, true)) return dc_node_view(a, &g, axes != NULL ? axes : reversed, err);
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
  if (dc_node_can_view(a, false)) return dc_node_view(a, &wanted, NULL, err);
  if (dc_evaluate(a, err) != 0) return NULL;
  if (dc_geometry_reshape(&a->g, ndim, wanted.shape, dc_dtype_size(a->dtype), &view))
    return dc_array_view(a, &view, 0, err);
  dc_array *copy = dc_array_copy(a, err);
  if (copy != NULL) copy->g = wanted;
  return copy;
}
