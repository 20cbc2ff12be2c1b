/*
** reduce.c - reductions over all elements, and the two questions that are reductions of a comparison.
*/
#include "array/expr.h"

static dc_dtype sum_dtype(dc_dtype t) {
  switch (dc_dtypes[t].kind) {
    case 'u': return DC_UINT64;
    case 'f': return t;
    default: return DC_INT64;
  }
}

dc_array *dc_array_reduce(dc_reduce op, dc_array *a, dc_error *err) {
  static const dc_geometry scalar = { .ndim = 0 };
  if (dc_array_check_open(a, err) != 0) return NULL;
  if (op != DC_REDUCE_SUM && dc_array_size(a) == 0) {
    char shape[512];
    dc_fail(err, DC_SHAPE, NULL, "an array of shape %s has no %s: it has no elements",
            dc_geometry_text(&a->g, shape, sizeof shape), op == DC_REDUCE_MIN ? "minimum" : "maximum");
    return NULL;
  }
  dc_expr e = { .op = DC_OP_REDUCE, .reduce = op, .nargs = 1, .arg = { a } };
  return dc_expr_make(&e, a->dev, op == DC_REDUCE_SUM ? sum_dtype(a->dtype) : a->dtype, &scalar, err);
}

/* Whether a pending bool array, whose reference it takes, is true everywhere. */
static int all_true(dc_array *test, bool *out, dc_error *err) {
  if (test == NULL) return -1;
  dc_scalar v;
  dc_array *all = dc_array_reduce(DC_REDUCE_MIN, test, err);
  dc_array_unref(test);
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
  dc_expr e = { .op = DC_OP_EQUAL, .nargs = 2, .arg = { a, b } };
  return all_true(dc_expr_make(&e, a->dev, DC_BOOL, &a->g, err), out, err);
}

int dc_array_allclose(dc_array *a, dc_array *b, double rtol, double atol, bool *out, dc_error *err) {
  dc_geometry shape;
  if (dc_array_check_open(a, err) != 0 || dc_array_check_open(b, err) != 0) return -1;
  if (dc_array_check_together(a, b, err) != 0 || dc_geometry_broadcast(&a->g, &b->g, &shape, err) != 0) return -1;
  *out = true;
  if (dc_geometry_size(&shape) == 0) return 0;
  dc_expr e = { .op = DC_OP_CLOSE, .nargs = 2, .arg = { a, b },
                .number = { { .dtype = DC_FLOAT64, .f64 = rtol }, { .dtype = DC_FLOAT64, .f64 = atol } } };
  return all_true(dc_expr_make(&e, a->dev, DC_BOOL, &shape, err), out, err);
}
