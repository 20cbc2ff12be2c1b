/* compose.c - see compose.h. */
#include "array/compose.h"

#include "array/array.h"
#include "array/graph/number.h"
#include "array/graph/op.h"
#include "array/graph/types.h"
#include "array/operators.h"
#include "base/dtype.h"
#include "base/error.h"

dc_array *dc_compose(dc_op op, int n, dc_array *const arg[], dc_scalar number, dc_error *err) {
  dc_array *operand[DC_MAX_ARGS] = { NULL };
  dc_scalar scalar[DC_MAX_ARGS];
  bool all = true;
  for (int i = 0; i < DC_MAX_ARGS; i++) scalar[i] = number;
  for (int i = 0; i < n; i++) all = (operand[i] = arg[i]) != NULL && all;
  dc_array *result = all ? dc_array_apply(op, operand, scalar, err) : NULL;
  for (int i = 0; i < n; i++) dc_array_unref(arg[i]);
  return result;
}

dc_array *dc_compose_1(dc_op op, dc_array *a, dc_error *err) {
  return dc_compose(op, 1, &a, (dc_scalar){ 0 }, err);
}

dc_array *dc_compose_2(dc_op op, dc_array *a, dc_array *b, dc_error *err) {
  return dc_compose(op, 2, (dc_array *const[]){ a, b }, (dc_scalar){ 0 }, err);
}

dc_array *dc_compose_int(dc_op op, dc_array *a, int64_t number, dc_error *err) {
  return dc_compose(op, 1, &a, (dc_scalar){ .kind = DC_SCALAR_INT, .i = number }, err);
}

dc_array *dc_compose_float(dc_op op, dc_array *a, double number, dc_error *err) {
  return dc_compose(op, 1, &a, (dc_scalar){ .kind = DC_SCALAR_FLOAT, .f = number }, err);
}

dc_array *dc_compose_cast(dc_array *a, dc_dtype dtype, dc_error *err) {
  dc_array *result = a != NULL ? dc_array_cast(a, dtype, err) : NULL;
  dc_array_unref(a);
  return result;
}

dc_array *dc_compose_again(dc_array *a) {
  if (a != NULL) dc_array_ref(a);
  return a;
}
