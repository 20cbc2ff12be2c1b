/* reduce.c - see reduce.h. */
#include "array/reduce.h"

#include <math.h>
#include <stdlib.h>

#include "array/array.h"
#include "array/compose.h"
#include "array/copy.h"
#include "array/graph/expr.h"
#include "array/graph/geometry.h"
#include "array/graph/number.h"
#include "array/graph/op.h"
#include "array/graph/types.h"
#include "array/host/reduce.h"
#include "array/node.h"
#include "array/operators.h"
#include "base/dtype.h"
#include "base/error.h"

static const char *const names[DC_NREDUCES] = {
  [DC_REDUCE_SUM] = "sum", [DC_REDUCE_PROD] = "prod", [DC_REDUCE_MIN] = "minimum", [DC_REDUCE_MAX] = "maximum",
  [DC_REDUCE_ANY] = "any", [DC_REDUCE_ALL] = "all", [DC_REDUCE_ARGMIN] = "argmin", [DC_REDUCE_ARGMAX] = "argmax",
  [DC_REDUCE_M2] = "variance",
};

static dc_dtype reduced_dtype(dc_reduce op, dc_dtype t) {
  switch (op) {
    case DC_REDUCE_SUM: case DC_REDUCE_PROD:
      return dc_dtype_kind(t) == 'u' ? DC_UINT64 : dc_dtype_is_floating(t) ? t : DC_INT64;
    case DC_REDUCE_ANY: case DC_REDUCE_ALL: return DC_BOOL;
    case DC_REDUCE_ARGMIN: case DC_REDUCE_ARGMAX: return DC_INT64;
    default: return t;
  }
}

/* Elements that each result is reduced from. */
static int64_t reduced_length(const dc_geometry *g, uint32_t axes) {
  int64_t n = 1;
  for (int i = 0; i < g->ndim; i++)
    if (axes >> i & 1) n *= g->shape[i];
  return n;
}

/* Whether all axes of a reduction's operand are reduced. */
static bool is_whole(const dc_array *a, uint32_t axes) { return a->g.ndim >= 32 || axes + 1 == 1u << a->g.ndim; }

/* The result of any or all over all elements, of that shape, at once; NULL: *failed, or the host does not do it. */
static dc_array *truth_by_host(dc_reduce op, dc_array *a, const dc_geometry *shape, bool *failed, dc_error *err) {
  *failed = false;
  if (!dc_host_has_truth(a)) return NULL;
  dc_array *to = dc_array_empty(a->dev, DC_BOOL, shape->ndim, shape->shape, err);
  const int done = to != NULL ? dc_host_truth(to, a, op, err) : -1;
  *failed = done < 0;
  if (done == 1) return to;
  dc_array_unref(to);
  return NULL;
}

dc_array *dc_array_reduce(dc_reduce op, dc_array *a, uint32_t axes, bool keep, dc_error *err) {
  dc_geometry shape;
  if (dc_array_check_open(a, err) != 0) return NULL;
  if (a->g.ndim < 32) axes &= (1u << a->g.ndim) - 1;
  const bool ordered = op == DC_REDUCE_MIN || op == DC_REDUCE_MAX || op == DC_REDUCE_ARGMIN || op == DC_REDUCE_ARGMAX;
  const int64_t n = reduced_length(&a->g, axes);
  dc_geometry_reduced(&a->g, axes, keep, &shape);
  if (ordered && dc_dtype_kind(a->dtype) == 'c') {
    dc_fail(err, DC_DTYPE, NULL, "%s numbers have no order and so no %s", dc_dtype_name(a->dtype), names[op]);
    return NULL;
  }
  if (ordered && n == 0) {
    char text[512];
    dc_fail(err, DC_SHAPE, NULL, "an array of shape %s has no %s: %s", dc_geometry_text(&a->g, text, sizeof text),
            names[op], dc_array_size(a) == 0 ? "it has no elements" : "there are no elements along the axis");
    return NULL;
  }
  if ((op == DC_REDUCE_ANY || op == DC_REDUCE_ALL) && is_whole(a, axes)) {
    bool failed;
    dc_array *truth = truth_by_host(op, a, &shape, &failed, err);
    if (truth != NULL || failed) return truth;
  }
  dc_expr e = { .op = DC_OP_REDUCE, .reduce = (uint8_t)op, .axes = axes, .keep = keep, .nargs = 1, .arg = { a } };
  return dc_node_make(&e, a->dev, reduced_dtype(op, a->dtype), &shape, err);
}

/* --- combinations: each function takes the references to its operands ------------------------------------ */

dc_array *dc_compose_reduce(dc_reduce op, dc_array *a, uint32_t axes, bool keep, dc_error *err) {
  dc_array *result = a != NULL ? dc_array_reduce(op, a, axes, keep, err) : NULL;
  dc_array_unref(a);
  return result;
}

/* The floating dtype that takes an integer's place: float64 where it has `bytes` or more. */
static dc_dtype floating_from(dc_dtype t, size_t bytes) {
  return dc_dtype_is_floating(t) ? t : dc_dtype_size(t) >= bytes ? DC_FLOAT64 : DC_FLOAT32;
}

/* Of means and variances, as of divisions; of norms, as of functions. */
static dc_dtype mean_dtype(dc_dtype t) { return floating_from(t, 4); }
static dc_dtype norm_dtype(dc_dtype t) { return floating_from(t, 8); }

/* In the dtype in which sums are made: 16-bit floats would overflow soon. */
static dc_array *as_wide(dc_array *a, dc_dtype t, dc_error *err) {
  return dc_array_cast(a, dc_dtype_is_half(t) ? DC_FLOAT32 : t, err);
}

/* dc_array_arg_reduce of a small array, at once; NULL: *failed, or the host does not do it. */
static dc_array *arg_reduced_by_host(dc_reduce op, dc_array *a, uint32_t axes, bool keep, bool *failed,
                                     dc_error *err) {
  dc_geometry shape;
  const bool whole = axes == UINT32_MAX;
  const int axis = whole ? -1 : __builtin_ctz(axes);
  if (!dc_host_has_argmin(a, axis) || (whole ? dc_array_size(a) : a->g.shape[axis]) == 0) return NULL;
  dc_geometry_reduced(&a->g, whole && a->g.ndim < 32 ? (1u << a->g.ndim) - 1 : axes, keep, &shape);
  dc_array *to = dc_array_empty(a->dev, DC_INT64, shape.ndim, shape.shape, err);
  const int done = to != NULL ? dc_host_argmin(to, a, axis, op, err) : -1;
  *failed = done < 0;
  if (done == 1) return to;
  dc_array_unref(to);
  return NULL;
}

dc_array *dc_array_arg_reduce(dc_reduce op, dc_array *a, uint32_t axes, bool keep, dc_error *err) {
  bool failed = false;
  if (dc_array_check_open(a, err) != 0) return NULL;
  dc_array *found = arg_reduced_by_host(op, a, axes, keep, &failed, err);
  if (found != NULL || failed) return found;
  return dc_compose_int(DC_OP_ADD, dc_array_reduce(op, a, axes, keep, err), 1, err);
}

dc_array *dc_array_mean(dc_array *a, uint32_t axes, bool keep, dc_error *err) {
  if (dc_array_check_open(a, err) != 0) return NULL;
  const dc_dtype out = mean_dtype(a->dtype);
  const double n = (double)reduced_length(&a->g, axes);
  const bool exact = !dc_dtype_is_floating(a->dtype) && dc_dtype_size(a->dtype) < 8; /* wider integers' sums may wrap */
  dc_array *sum;
  if (exact) {
    dc_array_ref(a);
    sum = dc_compose_cast(dc_compose_reduce(DC_REDUCE_SUM, a, axes, keep, err), DC_FLOAT64, err);
  } else {
    sum = dc_compose_reduce(DC_REDUCE_SUM, as_wide(a, out, err), axes, keep, err);
  }
  return dc_compose_cast(dc_compose_float(DC_OP_DIV, sum, n, err), out, err);
}

dc_array *dc_array_variance(dc_array *a, uint32_t axes, bool keep, double ddof, bool root, dc_error *err) {
  if (dc_array_check_open(a, err) != 0) return NULL;
  const dc_dtype out = dc_dtype_real(mean_dtype(a->dtype));
  double n = (double)reduced_length(&a->g, axes) - ddof;
  if (n < 0) n = 0;
  dc_array *m2;
  if (dc_dtype_kind(a->dtype) == 'c') { /* the parts' variances add up */
    dc_array_ref(a);
    dc_array_ref(a);
    dc_array *re = dc_compose_reduce(DC_REDUCE_M2, dc_compose_1(DC_OP_REAL, a, err), axes, keep, err);
    dc_array *im = dc_compose_reduce(DC_REDUCE_M2, dc_compose_1(DC_OP_IMAG, a, err), axes, keep, err);
    m2 = dc_compose_2(DC_OP_ADD, re, im, err);
  } else {
    m2 = dc_compose_reduce(DC_REDUCE_M2, as_wide(a, out, err), axes, keep, err);
  }
  dc_array *v = dc_compose_float(DC_OP_DIV, m2, n, err);
  return dc_compose_cast(root ? dc_compose_1(DC_OP_SQRT, v, err) : v, out, err);
}

dc_array *dc_array_norm(dc_array *a, uint32_t axes, bool keep, dc_error *err) {
  if (dc_array_check_open(a, err) != 0) return NULL;
  const dc_dtype out = dc_dtype_real(norm_dtype(a->dtype));
  dc_array *wide = as_wide(a, norm_dtype(a->dtype), err);
  if (wide != NULL && dc_dtype_kind(a->dtype) == 'c') wide = dc_compose_1(DC_OP_ABS, wide, err);
  dc_array *squares = dc_compose_1(DC_OP_SQUARE, wide, err);
  dc_array *sum = dc_compose_reduce(DC_REDUCE_SUM, squares, axes, keep, err);
  return dc_compose_cast(dc_compose_1(DC_OP_SQRT, sum, err), out, err);
}

/* --- questions ------------------------------------------------------------------------------------------- */

/* Whether a pending bool array, whose reference it takes, is true everywhere. */
static int all_true(dc_array *test, bool *out, dc_error *err) {
  if (test == NULL) return -1;
  dc_scalar v;
  dc_array *all = dc_compose_reduce(DC_REDUCE_ALL, test, UINT32_MAX, false, err);
  if (all == NULL) return -1;
  int rc = dc_array_get(all, &v, err);
  dc_array_unref(all);
  if (rc == 0) *out = v.b;
  return rc;
}

int dc_array_equal(dc_array *a, dc_array *b, bool *out, dc_error *err) {
  if (dc_array_check_open(a, err) != 0 || dc_array_check_open(b, err) != 0) return -1;
  if (dc_array_check_together(a, b, err) != 0) return -1;
  *out = false;
  if (!dc_geometry_same_shape(&a->g, &b->g)) return 0;
  *out = true;
  if (dc_array_size(a) == 0) return 0;
  dc_expr e = { .op = DC_OP_EQUAL, .as = DC_DTYPE_NONE, .nargs = 2, .arg = { a, b } };
  return all_true(dc_node_make(&e, a->dev, DC_BOOL, &a->g, err), out, err);
}

int dc_array_allclose(dc_array *a, dc_array *b, double rtol, double atol, bool *out, dc_error *err) {
  dc_geometry shape;
  if (dc_array_check_open(a, err) != 0 || dc_array_check_open(b, err) != 0) return -1;
  if (dc_array_check_together(a, b, err) != 0 || dc_geometry_broadcast(&a->g, &b->g, &shape, err) != 0) return -1;
  *out = true;
  if (dc_geometry_size(&shape) == 0) return 0;
  const bool complex = dc_dtype_kind(a->dtype) == 'c' || dc_dtype_kind(b->dtype) == 'c';
  dc_expr e = { .op = DC_OP_CLOSE, .as = complex ? DC_COMPLEX128 : DC_FLOAT64, .nargs = 4, .arg = { a, b },
                .number = { [2] = { .dtype = DC_FLOAT64, .f64 = rtol }, [3] = { .dtype = DC_FLOAT64, .f64 = atol } } };
  return all_true(dc_node_make(&e, a->dev, DC_BOOL, &shape, err), out, err);
}

/* --- NaN ---------------------------------------------------------------------------------------------- */

#define SMALL ((size_t)64 << 10) /* bytes that are faster copied to the host than reduced by a kernel */

int dc_array_has_nan(dc_array *a, bool *yes, dc_error *err) {
  const dc_dtype t = dc_dtype_real(a->dtype);
  const size_t bytes = (size_t)dc_array_size(a) * dc_dtype_size(a->dtype), size = dc_dtype_size(t);
  *yes = false;
  if (dc_array_check_open(a, err) != 0) return -1;
  if (dc_dtype_kind(t) != 'f' || bytes == 0) return 0;
  if (bytes > SMALL) {
    bool same;
    const int rc = dc_array_equal(a, a, &same, err);
    *yes = rc == 0 && !same;
    return rc;
  }
  char *host = malloc(bytes);
  int rc = host != NULL ? dc_array_read(a, host, err) : dc_fail_oom(err);
  for (size_t i = 0; rc == 0 && i < bytes && !*yes; i += size) {
    dc_scalar v;
    dc_scalar_get(host + i, t, &v);
    *yes = isnan(v.f);
  }
  free(host);
  return rc;
}
