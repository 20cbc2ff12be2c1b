/*
** operators.c - dtypes and shapes of operators' results, and which operands they refuse.
**
** The rules:
**  - arrays meet in dc_dtype_promote's dtype; a number takes the arrays', except that a floating one makes an integer
**    dtype float32, an integer one makes bool int32, and a complex one makes a real dtype complex;
**  - arithmetic on bools counts: it is int32;
**  - / and ^ and the functions of analysis give a floating dtype: float32 for integers and bools, float64 where a
**    64-bit integer takes part; for / and ^ where a 32-bit one does; pow of integers is an integer;
**  - beside uint64 arrays an integer is its 64 bits, as Lua reads them, but for the exponent of ^; what is too large
**    for a floating dtype is infinite;
**  - // and % round toward minus infinity, as Lua's; by an integer 0 they give 0; integers wrap around;
**  - comparisons are exact, whatever the dtypes; a number that meets a floating array takes its dtype first;
**  - & | ~ of bools are bool; shifts by the dtype's width or more leave nothing but a negative number's sign.
*/
#include "array/operators.h"

#include <stdio.h>

#include "array/array.h"
#include "array/graph/expr.h"
#include "array/graph/geometry.h"
#include "array/graph/number.h"
#include "array/graph/op.h"
#include "array/graph/types.h"
#include "array/node.h"
#include "base/dtype.h"
#include "base/error.h"
#include "base/line.h"
#include "device/device.h"

/* The floating dtype that takes an integer's place. */
static dc_dtype floating_for(dc_dtype t) {
  return dc_dtype_is_floating(t) ? t : dc_dtype_size(t) == 8 ? DC_FLOAT64 : DC_FLOAT32;
}

/* The dtype of an array combined with a number. */
static dc_dtype with_number(dc_dtype t, const dc_scalar *s) {
  if (dc_dtype_kind(t) == 'c') return t;
  if (s->kind == DC_SCALAR_COMPLEX) return t == DC_FLOAT64 ? DC_COMPLEX128 : DC_COMPLEX64;
  if (dc_dtype_is_floating(t) || s->kind == DC_SCALAR_BOOL) return t;
  if (s->kind == DC_SCALAR_FLOAT) return DC_FLOAT32;
  return t == DC_BOOL ? DC_INT32 : t;
}

/* --- calls -------------------------------------------------------------------------------- */

/* An operator applied: operand i is arg[i] or, where that is NULL, scalar[i]. */
typedef struct dc_call {
  dc_op op;
  const dc_op_info *info;
  dc_array *const *arg;
  const dc_scalar *scalar;
} dc_call;

static const char *title(const dc_call *c, char text[64]) {
  const bool function = dc_op_is_function(c->op) || c->op == DC_OP_PARTS;
  snprintf(text, 64, function ? "'%s'" : "operator '%s'", c->info->name);
  return text;
}

static int fail_dtype(const dc_call *c, dc_dtype t, const char *why, dc_error *err) {
  char name[64];
  return dc_fail(err, DC_DTYPE, NULL, "%s is not defined for %s%s", title(c, name), dc_dtype_name(t), why);
}

/* Operands first … last in one dtype. */
static DC_HOT dc_dtype meet(const dc_call *c, int first, int last) {
  dc_dtype t = DC_DTYPE_NONE;
  for (int i = first; i <= last; i++)
    if (c->arg[i] != NULL) t = t == DC_DTYPE_NONE ? c->arg[i]->dtype : dc_dtype_promote(t, c->arg[i]->dtype);
  for (int i = first; i <= last; i++) {
    if (c->arg[i] != NULL) continue;
    if (t == DC_DTYPE_NONE) t = c->scalar[i].kind == DC_SCALAR_BOOL ? DC_BOOL : DC_FLOAT32;
    t = with_number(t, &c->scalar[i]);
  }
  return t;
}

/* --- numbers ------------------------------------------------------------------------------------------- */

static bool is_true(const dc_scalar *s) {
  switch (s->kind) {
    case DC_SCALAR_INT: return s->i != 0;
    case DC_SCALAR_FLOAT: return s->f != 0;
    case DC_SCALAR_COMPLEX: return s->re != 0 || s->im != 0;
    default: return s->b;
  }
}

static int truth(const dc_scalar *s, dc_number *out, dc_error *err) {
  const dc_scalar v = { .kind = DC_SCALAR_BOOL, .b = is_true(s) };
  return dc_number_from(&v, DC_BOOL, out, err);
}

/* A number that is compared with an array of dtype t: as t if that is floating, else as it is. */
static int compared(const dc_scalar *s, dc_dtype t, dc_number *out, dc_error *err) {
  const bool complex = s->kind == DC_SCALAR_COMPLEX;
  if (dc_dtype_is_floating(t) && (!complex || dc_dtype_kind(t) == 'c')) {
    dc_error narrow = DC_ERROR_INIT; /* a number that t cannot represent is compared in float64 */
    if (dc_number_from(s, complex ? t : dc_dtype_real(t), out, &narrow) == 0) return 0;
    dc_error_clear(&narrow);
  }
  if (complex) return dc_number_from(s, DC_COMPLEX128, out, err);
  if (dc_dtype_is_floating(t) || s->kind == DC_SCALAR_FLOAT) return dc_number_from(s, DC_FLOAT64, out, err);
  if (s->kind == DC_SCALAR_BOOL) return dc_number_from(s, DC_BOOL, out, err);
  return dc_number_from(s, t == DC_UINT64 ? t : DC_INT64, out, err);
}

/* --- the rules ------------------------------------------------------------------------------------------ */

/* The dtypes that operands are converted to (`as`; NONE: not at all) and the result's. */
typedef struct dc_typing {
  dc_dtype out, as[DC_MAX_ARGS];
} dc_typing;

static void all_as(dc_typing *t, int n, dc_dtype as) {
  for (int i = 0; i < n; i++) t->as[i] = as;
}

static int check_integers(const dc_call *c, dc_dtype t, dc_error *err) {
  return dc_dtype_is_floating(t) ? fail_dtype(c, t, ": it takes integers and bools", err) : 0;
}

static int check_real(const dc_call *c, dc_dtype t, dc_error *err) {
  return dc_dtype_kind(t) == 'c' && !(c->info->flags & DC_OP_COMPLEX) ? fail_dtype(c, t, " numbers", err) : 0;
}

static bool divides(const dc_call *c) { return c->info->rule == DC_RULE_DIVIDE || c->info->rule == DC_RULE_POW; }

/* The dtype of an operator that computes in a floating dtype, for operands that promote to `d`. 1.5 / int64 is float64,
** though 1.5 * int64 is float32; so is 1.5 / int32, but not 1.5 / int16, whose values float32 has. */
static dc_dtype type_floating(const dc_call *c, dc_dtype d) {
  dc_dtype arrays = DC_DTYPE_NONE;
  size_t widest = 0;
  for (int i = 0; i < c->info->nargs; i++) {
    if (c->arg[i] == NULL || dc_dtype_kind(c->arg[i]->dtype) == 'b') continue;
    const dc_dtype t = c->arg[i]->dtype;
    arrays = arrays == DC_DTYPE_NONE ? t : dc_dtype_promote(arrays, t);
    if (!dc_dtype_is_floating(t) && dc_dtype_size(t) > widest) widest = dc_dtype_size(t);
  }
  if (arrays != DC_DTYPE_NONE && !dc_dtype_is_floating(arrays)) {
    const bool wide = divides(c) ? widest >= 4 : dc_dtype_size(arrays) == 8;
    d = dc_dtype_promote(wide ? DC_FLOAT64 : DC_FLOAT32, dc_dtype_is_floating(d) ? d : DC_FLOAT32);
  }
  return floating_for(d);
}

/* Whether a power is an integer's: of integer arrays (not of bools alone) and integer numbers. */
static bool is_whole_power(const dc_call *c, dc_dtype d) {
  bool integers = false;
  for (int i = 0; i < 2; i++) integers = integers || (c->arg[i] != NULL && dc_dtype_kind(c->arg[i]->dtype) != 'b');
  return integers && !dc_dtype_is_floating(d);
}

static int type_same(const dc_call *c, dc_typing *t, dc_error *err) {
  const int n = c->info->nargs;
  dc_dtype d = meet(c, 0, n - 1);
  switch ((dc_rule)c->info->rule) {
    case DC_RULE_ARITHMETIC: case DC_RULE_SHIFT: d = d == DC_BOOL ? DC_INT32 : d; break;
    case DC_RULE_POW: d = is_whole_power(c, d) ? d : type_floating(c, d); break;
    case DC_RULE_FLOAT: case DC_RULE_DIVIDE: case DC_RULE_ANGLE: case DC_RULE_WHOLE: d = type_floating(c, d); break;
    case DC_RULE_PARTS:
      d = type_floating(c, d);
      if (dc_dtype_is_half(d)) d = DC_FLOAT32;
      break;
    default: break;
  }
  if (c->op == DC_OP_NEG && d == DC_BOOL)
    return dc_fail(err, DC_DTYPE, NULL, "a bool array cannot be negated: cast it first");
  if (c->info->rule == DC_RULE_BITS || c->info->rule == DC_RULE_SHIFT)
    if (check_integers(c, d, err) != 0) return -1;
  if (check_real(c, d, err) != 0) return -1;
  all_as(t, n, d);
  t->out = d;
  if (c->info->rule == DC_RULE_REAL || c->info->rule == DC_RULE_ANGLE) t->out = dc_dtype_real(d);
  if (c->info->rule == DC_RULE_WHOLE) t->out = DC_INT64;
  if (c->info->rule == DC_RULE_PARTS) t->out = d == DC_FLOAT64 ? DC_COMPLEX128 : DC_COMPLEX64;
  return 0;
}

static int type_call(const dc_call *c, dc_typing *t, dc_error *err) {
  const int n = c->info->nargs;
  all_as(t, DC_MAX_ARGS, DC_DTYPE_NONE);
  switch ((dc_rule)c->info->rule) {
    case DC_RULE_TEST: case DC_RULE_COMPARE:
      t->out = DC_BOOL;
      return check_real(c, meet(c, 0, n - 1), err);
    case DC_RULE_LOGIC:
      t->out = DC_BOOL;
      all_as(t, n, DC_BOOL);
      return 0;
    case DC_RULE_WHERE:
      t->as[0] = DC_BOOL;
      t->out = t->as[1] = t->as[2] = meet(c, 1, 2);
      return 0;
    case DC_RULE_SCALE: case DC_RULE_ORDER: {
      const int whole = dc_op_whole_operand(c->op);
      dc_dtype d = floating_for(meet(c, 1 - whole, 1 - whole));
      dc_dtype i = meet(c, whole, whole);
      const bool number = c->arg[whole] == NULL && c->scalar[whole].kind != DC_SCALAR_COMPLEX;
      if (dc_dtype_is_floating(i) && !number)
        return fail_dtype(c, i, " there: its order or exponent is an integer", err);
      if (dc_dtype_kind(d) == 'c') return fail_dtype(c, d, " numbers", err);
      t->out = t->as[1 - whole] = d;
      t->as[whole] = DC_INT32;
      return 0;
    }
    default: return type_same(c, t, err);
  }
}

/* --- making ---------------------------------------------------------------------------------------------- */

/* *room = the broadcast of `shape`, which may be *room itself, and a's. */
static int widen(const dc_geometry *shape, const dc_array *a, dc_geometry *room, dc_error *err) {
  dc_geometry before;
  dc_geometry_copy(&before, shape);
  return dc_geometry_broadcast(&before, &a->g, room, err);
}

/* *shape: the operands' common shape; in `room` where it is not that of an operand. */
static int check_operands(const dc_call *c, const dc_geometry **shape, dc_geometry *room, dc_device **dev,
                          dc_error *err) {
  const dc_array *first = NULL;
  for (int i = 0; i < c->info->nargs; i++) {
    const dc_array *a = c->arg[i];
    if (a == NULL) continue;
    if (dc_array_check_open(a, err) != 0) return -1;
    if (first == NULL) {
      first = a;
      *shape = &a->g;
      continue;
    }
    if (dc_array_check_together(first, a, err) != 0) return -1;
    if (dc_geometry_same_shape(*shape, &a->g)) continue;
    if (widen(*shape, a, room, err) != 0) return -1;
    *shape = room;
  }
  if (first == NULL) return dc_fail(err, DC_ARGUMENT, NULL, "'%s' needs an array among its operands", c->info->name);
  *dev = first->dev;
  return 0;
}

/* Number i, which is compared with an array.  One that the array's integer dtype has is compared as that on the CPU
** device, where narrower elements are more to a vector. */
static int compared_number(const dc_call *c, int i, dc_number *out, dc_error *err) {
  const dc_scalar *s = &c->scalar[i];
  const dc_array *with = c->arg[1 - i];
  if (with != NULL && !with->dev->target.gpu && dc_number_is_exact(s, with->dtype, out)) return 0;
  return compared(s, with != NULL ? with->dtype : DC_FLOAT64, out, err);
}

/* Whether number i, which is converted to a floating dtype, is a negative integer that stands for its 64 bits. */
static bool is_wrapped(const dc_call *c, int i) {
  const dc_scalar *s = &c->scalar[i];
  dc_dtype arrays = DC_DTYPE_NONE;
  if (s->kind != DC_SCALAR_INT || s->i >= 0 || (c->op == DC_OP_POWER && i == 1)) return false;
  for (int k = c->info->rule == DC_RULE_WHERE; k < c->info->nargs; k++)
    if (c->arg[k] != NULL)
      arrays = arrays == DC_DTYPE_NONE ? c->arg[k]->dtype : dc_dtype_promote(arrays, c->arg[k]->dtype);
  return arrays == DC_UINT64;
}

static int number_operand(const dc_call *c, int i, const dc_typing *t, dc_number *out, dc_error *err) {
  const dc_scalar *s = &c->scalar[i];
  if (t->as[i] == DC_BOOL && c->info->rule != DC_RULE_BITS) return truth(s, out, err);
  if (t->as[i] == DC_DTYPE_NONE) return compared_number(c, i, out, err);
  if (dc_dtype_is_floating(t->as[i]) && is_wrapped(c, i)) {
    const dc_scalar value = { .kind = DC_SCALAR_FLOAT, .f = (double)(uint64_t)s->i };
    return dc_number_operand(&value, t->as[i], out, err);
  }
  return dc_number_operand(s, t->as[i], out, err);
}

/* The operator of one operand that equals a power by a number; `op` where there is none, or it is no power by a number.
** x ^ 2 is the exact product.  Of floating dtypes x ^ 3 is two products, x ^ -1 the reciprocal and x ^ 0.5 the square
** root (but for -0 and -infinity, where C's pow has 0 and infinity): more exact than the function, and several times as
** fast. */
static inline dc_op without_exponent(dc_op op, dc_array *const arg[], const dc_scalar scalar[], dc_dtype as) {
  if ((op != DC_OP_POWER && op != DC_OP_POW) || arg[1] != NULL) return op;
  const dc_scalar *exponent = &scalar[1];
  if (exponent->kind != DC_SCALAR_INT && exponent->kind != DC_SCALAR_FLOAT) return op;
  const double y = exponent->kind == DC_SCALAR_INT ? (double)exponent->i : exponent->f;
  if (y == 2) return DC_OP_SQUARE;
  if (!dc_dtype_is_floating(as) || dc_dtype_kind(as) == 'c') return op;
  return y == 3 ? DC_OP_CUBE : y == -1 ? DC_OP_RECIPROCAL : y == 0.5 ? DC_OP_POWER_HALF : op;
}

static inline bool is_plain(const dc_array *a) {
  return (a->dtype == DC_FLOAT32 || a->dtype == DC_FLOAT64) && !dc_array_is_closed(a);
}

/* Whether float32 and float64 operands give a result of their dtype. */
static inline bool keeps_plain(dc_op op) {
  const unsigned rules = 1u << DC_RULE_ARITHMETIC | 1u << DC_RULE_KEEP | 1u << DC_RULE_FLOAT | 1u << DC_RULE_DIVIDE |
                         1u << DC_RULE_POW | 1u << DC_RULE_REAL | 1u << DC_RULE_ANGLE;
  return rules >> dc_ops[op].rule & 1;
}

/* The fast path: float32 or float64 arrays of one dtype, shape and device, and real numbers.  The first array; NULL in
** any other case, and where an operand is invalid. */
static inline const dc_array *alike(int n, dc_array *const arg[], const dc_scalar scalar[]) {
  const dc_array *first = NULL;
  for (int i = 0; i < n; i++) {
    const dc_array *a = arg[i];
    if (a == NULL) {
      if (scalar[i].kind != DC_SCALAR_INT && scalar[i].kind != DC_SCALAR_FLOAT) return NULL;
      continue;
    }
    if (!is_plain(a)) return NULL;
    if (first == NULL) first = a;
    else if (a->dtype != first->dtype || a->dev != first->dev || !dc_geometry_same_shape(&a->g, &first->g)) return NULL;
  }
  return first;
}

/* All other cases. */
static DC_NOINLINE dc_array *apply_any(dc_op op, dc_array *const arg[], const dc_scalar scalar[], dc_error *err) {
  const dc_call c = { op, &dc_ops[op], arg, scalar };
  const dc_geometry *shape = NULL;
  dc_geometry room;
  dc_device *dev = NULL;
  dc_typing t = { .out = DC_DTYPE_NONE };
  if (check_operands(&c, &shape, &room, &dev, err) != 0 || type_call(&c, &t, err) != 0) return NULL;
  dc_expr e; /* of its operands only the first nargs are set */
  e.as = (uint8_t)t.as[0];
  e.op = (uint8_t)without_exponent(op, arg, scalar, t.as[0]);
  e.reduce = 0;
  e.keep = false;
  e.nargs = e.op == op ? c.info->nargs : 1;
  e.axes = 0;
  e.frame = NULL;
  for (int i = 0; i < e.nargs; i++) {
    e.arg[i] = arg[i];
    if (arg[i] == NULL && number_operand(&c, i, &t, &e.number[i], err) != 0) return NULL;
  }
  return dc_node_make(&e, dev, t.out, shape, err);
}

static DC_HOT DC_NOINLINE dc_array *apply_several(dc_op op, dc_array *const arg[], const dc_scalar scalar[],
                                               dc_error *err) {
  const int n = dc_ops[op].nargs;
  const dc_array *like = keeps_plain(op) ? alike(n, arg, scalar) : NULL;
  if (like == NULL) return apply_any(op, arg, scalar, err);
  const dc_op one = without_exponent(op, arg, scalar, like->dtype);
  if (one != op) return dc_node_like_one(one, arg, err);
  return dc_node_like(op, n, arg, scalar, like, err);
}

DC_HOT dc_array *dc_array_apply(dc_op op, dc_array *const arg[], const dc_scalar scalar[], dc_error *err) {
  if (dc_ops[op].nargs == 1 && keeps_plain(op) && arg[0] != NULL && is_plain(arg[0]))
    return dc_node_like_one(op, arg, err);
  return apply_several(op, arg, scalar, err);
}

dc_array *dc_array_cast(dc_array *a, dc_dtype dtype, dc_error *err) {
  if (dc_array_check_open(a, err) != 0) return NULL;
  if (a->dtype == dtype) {
    dc_array_ref(a);
    return a;
  }
  if (dc_dtype_kind(a->dtype) == 'c' && dc_dtype_kind(dtype) != 'c' && dtype != DC_BOOL) {
    dc_fail(err, DC_DTYPE, NULL,
            "%s does not become %s: its imaginary part would be lost; take dc.real(a) or dc.abs(a)",
            dc_dtype_name(a->dtype), dc_dtype_name(dtype));
    return NULL;
  }
  dc_expr e = { .op = DC_OP_CAST, .nargs = 1, .arg = { a } };
  return dc_node_make(&e, a->dev, dtype, &a->g, err);
}
