/*
** operators.c - which dtype and shape each operator gives, and what it refuses.
**
** The rules, in one place:
**  - two arrays meet in dc_dtype_promote's dtype; a number takes the array's, save that a floating one
**    makes an integer array float32 and that an integer one makes a bool array int32;
**  - + - * of bools count: they are int32;
**  - / is true division: float32 for integers and bools, float64 where a 64-bit integer takes part;
**  - sqrt exp log sin cos of integers likewise; abs and - keep the dtype (- of bool is an error);
**  - integers wrap around.
*/
#include "array/expr.h"

static bool is_floating(dc_dtype t) { return dc_dtypes[t].kind == 'f'; }

/* The floating dtype that takes an integer's place. */
static dc_dtype floating_for(dc_dtype t) {
  return is_floating(t) ? t : dc_dtype_size(t) == 8 ? DC_FLOAT64 : DC_FLOAT32;
}

/* --- one operand ------------------------------------------------------------------------------------- */

static int unary_dtype(dc_op op, dc_dtype t, dc_dtype *out, dc_error *err) {
  switch (op) {
    case DC_OP_NEG:
      if (t == DC_BOOL) return dc_fail(err, DC_DTYPE, NULL, "a bool array cannot be negated: cast it first");
      *out = t;
      return 0;
    case DC_OP_ABS: *out = t; return 0;
    case DC_OP_SQRT: case DC_OP_EXP: case DC_OP_LOG: case DC_OP_SIN: case DC_OP_COS: *out = floating_for(t); return 0;
    default: return dc_fail(err, DC_ARGUMENT, NULL, "operator %d does not take one operand", (int)op);
  }
}

dc_array *dc_array_unary(dc_op op, dc_array *a, dc_error *err) {
  dc_dtype t = a->dtype;
  if (dc_array_check_open(a, err) != 0 || unary_dtype(op, a->dtype, &t, err) != 0) return NULL;
  dc_expr e = { .op = op, .nargs = 1, .arg = { a } };
  return dc_expr_make(&e, a->dev, t, &a->g, err);
}

dc_array *dc_array_cast(dc_array *a, dc_dtype dtype, dc_error *err) {
  if (dc_array_check_open(a, err) != 0) return NULL;
  if (!dc_dtype_storable(dtype)) {
    dc_fail(err, DC_DTYPE, NULL, "arrays of %s are not supported", dc_dtype_name(dtype));
    return NULL;
  }
  if (a->dtype == dtype) {
    dc_array_ref(a);
    return a;
  }
  dc_expr e = { .op = DC_OP_CAST, .nargs = 1, .arg = { a } };
  return dc_expr_make(&e, a->dev, dtype, &a->g, err);
}

/* --- two operands ------------------------------------------------------------------------------------- */

/* The dtype of an array's with a number's. */
static dc_dtype dtype_with_number(dc_op op, dc_dtype t, const dc_scalar *s) {
  if (is_floating(t)) return t;
  if (op == DC_OP_DIV) return floating_for(t);
  if (s->kind == DC_SCALAR_FLOAT) return DC_FLOAT32;
  return t == DC_BOOL ? DC_INT32 : t;
}

static dc_dtype dtype_of_both(dc_op op, dc_dtype a, dc_dtype b) {
  dc_dtype t = dc_dtype_promote(a, b);
  if (op == DC_OP_DIV) return floating_for(t);
  return t == DC_BOOL ? DC_INT32 : t;
}

dc_array *dc_array_binary(dc_op op, dc_array *a, const dc_scalar *sa, dc_array *b, const dc_scalar *sb, dc_error *err) {
  dc_geometry shape;
  dc_array *one = a != NULL ? a : b;
  if (op < DC_OP_ADD || op > DC_OP_DIV || one == NULL || (a == NULL && sa == NULL) || (b == NULL && sb == NULL)) {
    dc_fail(err, DC_ARGUMENT, NULL, "operator %d does not take these operands", (int)op);
    return NULL;
  }
  if ((a != NULL && dc_array_check_open(a, err) != 0) || (b != NULL && dc_array_check_open(b, err) != 0)) return NULL;
  dc_expr e = { .op = op, .nargs = 2, .arg = { a, b } };
  dc_dtype t;
  if (a != NULL && b != NULL) {
    if (dc_array_check_together(a, b, err) != 0 || dc_geometry_broadcast(&a->g, &b->g, &shape, err) != 0) return NULL;
    t = dtype_of_both(op, a->dtype, b->dtype);
  } else {
    shape = one->g;
    t = dtype_with_number(op, one->dtype, a != NULL ? sb : sa);
    int i = a != NULL; /* the operand that is the number */
    if (dc_number_from(i ? sb : sa, t, &e.number[i], err) != 0) return NULL;
  }
  return dc_expr_make(&e, one->dev, t, &shape, err);
}
