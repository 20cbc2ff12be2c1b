/* generators.c - see generators.h. */
#include "array/generators.h"

#include <inttypes.h>

#include "array/array.h"
#include "array/compose.h"
#include "array/copy.h"
#include "array/graph/expr.h"
#include "array/graph/geometry.h"
#include "array/graph/number.h"
#include "array/graph/op.h"
#include "array/graph/types.h"
#include "array/node.h"
#include "base/dtype.h"
#include "base/error.h"
#include "device/device.h"

/* first and step as int64 numbers, when every value of the range then fits the integer dtype.  Of uint64 integers are
** their 64 bits: these wrap around. */
static int integer_range(dc_dtype t, const dc_scalar *first, const dc_scalar *step, int64_t n, dc_number out[2],
                         dc_error *err) {
  dc_number checked;
  dc_scalar last = { .kind = DC_SCALAR_INT };
  if (dc_number_from(first, DC_INT64, &out[0], err) != 0) return -1;
  if (dc_number_from(step, DC_INT64, &out[1], err) != 0) return -1;
  const bool bits = t == DC_UINT64 && first->kind == DC_SCALAR_INT;
  if (bits) return 0;
  if (__builtin_mul_overflow(n - 1, out[1].i, &last.i) || __builtin_add_overflow(last.i, out[0].i, &last.i))
    return dc_fail(err, DC_DTYPE, NULL, "a range of %" PRId64 " from %" PRId64 " in steps of %" PRId64
                   " leaves the integers", n, out[0].i, out[1].i);
  dc_scalar start = { .kind = DC_SCALAR_INT, .i = out[0].i };
  if (t == DC_UINT64) { /* floats have a sign */
    start = (dc_scalar){ .kind = DC_SCALAR_FLOAT, .f = (double)out[0].i };
    last = (dc_scalar){ .kind = DC_SCALAR_FLOAT, .f = (double)last.i };
  }
  if (dc_number_from(&start, t, &checked, err) != 0) return -1;
  return dc_number_from(&last, t, &checked, err);
}

/* The array `a` with the values of a pending array; takes the references of both, of which either may be NULL after an
** error. */
static dc_array *filled(dc_array *a, dc_array *values, dc_error *err) {
  const bool done = a != NULL && values != NULL && dc_array_assign(a, values, false, err) == 0;
  dc_array_unref(values);
  if (!done) dc_array_unref(a);
  return done ? a : NULL;
}

/* first + i*step of element i, in the dtype of both; pending. */
static dc_array *range_of(dc_device *dev, const dc_number *first, const dc_number *step, int64_t n, dc_error *err) {
  dc_geometry g;
  dc_expr e = { .op = DC_OP_INDEX, .as = DC_DTYPE_NONE, .nargs = 3, .number = { [1] = *first, [2] = *step } };
  if (dc_geometry_c(&g, 1, &n, dc_dtype_size(first->dtype), err) != 0) return NULL;
  return dc_node_make(&e, dev, first->dtype, &g, err);
}

dc_array *dc_array_arange(dc_device *dev, dc_dtype dtype, dc_scalar first, dc_scalar step, int64_t n, dc_error *err) {
  bool integers = first.kind != DC_SCALAR_FLOAT && step.kind != DC_SCALAR_FLOAT;
  bool floating = dc_dtype_is_floating(dtype);
  dc_array *a = dc_array_empty(dev, dtype, 1, &n, err);
  if (a == NULL || n == 0) return a;
  /* Whole numbers are counted in int64, exactly; all else is first + i*step in float64. */
  dc_dtype t = integers || !floating ? DC_INT64 : DC_FLOAT64;
  dc_number number[2];
  int rc;
  if (!floating) {
    rc = integer_range(dtype, &first, &step, n, number, err);
  } else {
    rc = dc_number_from(&first, t, &number[0], err);
    if (rc == 0) rc = dc_number_from(&step, t, &number[1], err);
  }
  return filled(a, rc == 0 ? range_of(dev, &number[0], &number[1], n, err) : NULL, err);
}

/* As the function of one element in generators.h, of all; takes the reference to `i`.  Pending. */
static dc_array *between(dc_array *i, double a, double b, int64_t n, dc_error *err) {
  const double last = (double)(n - 1);
  dc_array *inner = dc_compose_float(DC_OP_NE, dc_compose_again(i), 0, err);
  dc_array *before_last = dc_compose_float(DC_OP_NE, dc_compose_again(i), last, err);
  dc_array *way = dc_compose_float(DC_OP_MUL, dc_compose_float(DC_OP_DIV, i, last, err), b - a, err);
  dc_array *v = dc_compose_float(DC_OP_ADD, way, a, err);
  const dc_scalar first = { .kind = DC_SCALAR_FLOAT, .f = a }, end = { .kind = DC_SCALAR_FLOAT, .f = b };
  v = dc_compose(DC_OP_WHERE, 2, (dc_array *const[]){ inner, v }, first, err);
  return dc_compose(DC_OP_WHERE, 2, (dc_array *const[]){ before_last, v }, end, err);
}

dc_array *dc_array_linspace(dc_device *dev, dc_dtype dtype, double a, double b, int64_t n, dc_error *err) {
  dc_array *out = dc_array_empty(dev, dtype, 1, &n, err);
  if (out == NULL || n == 0) return out;
  const dc_number zero = { .dtype = DC_FLOAT64 }, one = { .dtype = DC_FLOAT64, .f64 = 1 };
  dc_array *i = range_of(dev, &zero, &one, n, err);
  dc_array *v = between(i, a, b, n, err);
  return filled(out, v, err);
}

dc_array *dc_array_random(dc_device *dev, dc_random kind, dc_dtype dtype, int ndim, const int64_t *shape, uint64_t seed,
                          uint64_t call, uint64_t range, dc_array *index, dc_error *err) {
  dc_geometry g;
  const bool whole = kind == DC_RANDOM_INTEGER;
  if (whole ? dtype != DC_INT64 : dtype != DC_FLOAT32 && dtype != DC_FLOAT64) {
    dc_fail(err, DC_DTYPE, NULL, "random numbers of this kind are made as %s, not as %s",
            whole ? "int64" : "float32 and float64", dc_dtype_name(dtype));
    return NULL;
  }
  if (dc_geometry_c(&g, ndim, shape, dc_dtype_size(dtype), err) != 0) return NULL;
  if (index != NULL && (index->dev != dev || index->dtype != DC_INT64 || !dc_geometry_same_shape(&index->g, &g))) {
    dc_fail(err, DC_ARGUMENT, NULL, "the numbers of random elements are int64, of their shape and on their device");
    return NULL;
  }
  if (!whole && range % 4 != 0) {
    dc_fail(err, DC_ARGUMENT, NULL, "a block of random numbers begins at a multiple of 4");
    return NULL;
  }
  dc_expr e = { .op = DC_OP_RANDOM, .as = (uint8_t)kind, .nargs = 4, .arg = { index },
                .number = { [1] = { .dtype = DC_UINT64, .u = seed }, [2] = { .dtype = DC_UINT64, .u = call },
                            [3] = { .dtype = DC_UINT64, .u = range } } };
  return dc_node_make(&e, dev, dtype, &g, err);
}
