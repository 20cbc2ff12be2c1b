/* prelude.c - see prelude.h.  A kernel gets only the functions that it needs, since each takes time to compile. */
#include "array/codegen/prelude.h"

#include <string.h>

#include "array/codegen/device_text.h"
#include "array/codegen/ir.h"
#include "array/codegen/program.h"
#include "array/codegen/random.h"
#include "array/codegen/text.h"
#include "array/codegen/value.h"
#include "array/graph/op.h"
#include "base/buf.h"
#include "base/dtype.h"

/* Texts of complex.cu, in the order in which they are written: each needs earlier ones only. */
enum {
  ABS, SCALE, SQRT, MODULUS, LOG, LOG2, LOG10, LOG1P, EXP, EXPM1, SINH, COSH, TANH, SIN, COS, TAN, INVERSE, ASIN, ACOS,
  ACOSH, ASINH, ATANH, ATAN, RECIPROCAL, POW, SIGN, RINT, PIECES
};

#define NEEDS(piece) (1u << (piece))

static const struct piece {
  const char *name;
  dc_op op; /* that calls it; of some pieces none does */
  uint32_t needs;
} pieces[PIECES] = {
  [ABS] = { "complex/abs", DC_OP_ABS, 0 },
  [SCALE] = { "complex/scale", DC_NOPS, 0 },
  [SQRT] = { "complex/sqrt", DC_OP_SQRT, NEEDS(SCALE) },
  [MODULUS] = { "complex/modulus", DC_NOPS, NEEDS(SCALE) },
  [LOG] = { "complex/log", DC_OP_LOG, NEEDS(MODULUS) },
  [LOG2] = { "complex/log2", DC_OP_LOG2, NEEDS(MODULUS) },
  [LOG10] = { "complex/log10", DC_OP_LOG10, NEEDS(MODULUS) },
  [LOG1P] = { "complex/log1p", DC_OP_LOG1P, NEEDS(MODULUS) },
  [EXP] = { "complex/exp", DC_OP_EXP, 0 },
  [EXPM1] = { "complex/expm1", DC_OP_EXPM1, NEEDS(EXP) },
  [SINH] = { "complex/sinh", DC_OP_SINH, 0 },
  [COSH] = { "complex/cosh", DC_OP_COSH, 0 },
  [TANH] = { "complex/tanh", DC_OP_TANH, 0 },
  [SIN] = { "complex/sin", DC_OP_SIN, NEEDS(SINH) },
  [COS] = { "complex/cos", DC_OP_COS, NEEDS(COSH) },
  [TAN] = { "complex/tan", DC_OP_TAN, NEEDS(TANH) },
  [INVERSE] = { "complex/inverse", DC_NOPS, NEEDS(MODULUS) | NEEDS(SQRT) },
  [ASIN] = { "complex/asin", DC_OP_ASIN, NEEDS(INVERSE) },
  [ACOS] = { "complex/acos", DC_OP_ACOS, NEEDS(INVERSE) },
  [ACOSH] = { "complex/acosh", DC_OP_ACOSH, NEEDS(ACOS) },
  [ASINH] = { "complex/asinh", DC_OP_ASINH, NEEDS(ASIN) },
  [ATANH] = { "complex/atanh", DC_OP_ATANH, 0 },
  [ATAN] = { "complex/atan", DC_OP_ATAN, NEEDS(ATANH) },
  [RECIPROCAL] = { "complex/reciprocal", DC_OP_RECIPROCAL, NEEDS(SCALE) },
  [POW] = { "complex/pow", DC_OP_POW, NEEDS(LOG) | NEEDS(EXP) | NEEDS(RECIPROCAL) },
  [SIGN] = { "complex/sign", DC_OP_SIGN, NEEDS(SCALE) },
  [RINT] = { "complex/rint", DC_OP_RINT, 0 },
};

/* The functions that an operator on complex numbers calls, as bits. */
static uint32_t complex_functions(dc_op op) {
  uint32_t mask = 0;
  if (op == DC_OP_POWER) op = DC_OP_POW;
  if (op == DC_OP_CLOSE) op = DC_OP_ABS;
  for (int k = 0; k < PIECES; k++)
    if (pieces[k].op == op) mask |= NEEDS(k);
  return mask;
}

/* A text that other parts of the source may have, too. */
static void emit_once(dc_buf *b, const char *name) {
  const char *word = strchr(name, '/') + 1;
  dc_buf_printf(b, "#ifndef DC_TEXT_%s\n#define DC_TEXT_%s\n", word, word);
  dc_emit_device_text(b, name);
  dc_buf_puts(b, "#endif\n");
}

/* Their text, with all that they need. */
static void emit_complex_functions(dc_buf *b, uint32_t mask) {
  for (int k = PIECES - 1; k >= 0; k--)
    if (mask & NEEDS(k)) mask |= pieces[k].needs;
  for (int k = 0; k < PIECES; k++)
    if (mask & NEEDS(k)) emit_once(b, pieces[k].name);
}

void dc_emit_complex(dc_buf *b) { emit_once(b, "numbers/complex"); }

bool dc_emit_complex_function(dc_buf *b, const char *name) {
  for (int k = 0; k < PIECES; k++)
    if (pieces[k].op != DC_NOPS && strcmp(strchr(pieces[k].name, '/') + 1, name) == 0) {
      emit_complex_functions(b, NEEDS(k));
      return true;
    }
  return false;
}

typedef struct dc_needs {
  bool half, brain, next, complex, division, power, compare, random;
  uint32_t complex_functions;
} dc_needs;

static void need_dtype(dc_needs *n, dc_dtype t) {
  if (t == DC_DTYPE_NONE) return;
  if (t == DC_FLOAT16) n->half = true;
  if (t == DC_BFLOAT16) n->brain = true;
  if (dc_dtype_kind(t) == 'c') n->complex = true;
}

static void need_step(dc_needs *n, const dc_program *p, const dc_instruction *s) {
  need_dtype(n, (dc_dtype)s->dtype);
  if (s->op == DC_OP_RANDOM) {
    n->random = true; /* its `as` is no dtype */
    return;
  }
  need_dtype(n, (dc_dtype)s->as);
  for (int i = 0; i < s->nargs; i++) { /* it may be compared or converted as complex */
    dc_dtype t = dc_ir_dtype(&p->ir, s->arg[i]);
    need_dtype(n, t);
  }
  const dc_rule rule = (dc_rule)dc_ops[s->op].rule;
  if (s->op == DC_OP_FLOORDIV || s->op == DC_OP_MOD) n->division = true;
  if (rule == DC_RULE_POW && strchr("iu", dc_dtype_kind((dc_dtype)s->as)) != NULL) n->power = true;
  if (s->op == DC_OP_NEXTAFTER && dc_dtype_is_half((dc_dtype)s->as)) n->next = true;
  if (rule == DC_RULE_COMPARE || s->op == DC_OP_EQUAL) n->compare = true;
  const dc_dtype as = s->as == DC_DTYPE_NONE ? (dc_dtype)s->dtype : (dc_dtype)s->as;
  if (dc_dtype_kind(as) == 'c') n->complex_functions |= complex_functions((dc_op)s->op);
}

void dc_emit_prelude(const dc_text *t) {
  const dc_program *p = t->p;
  const dc_ir *ir = &p->ir;
  dc_needs n = { .half = false };
  need_dtype(&n, ir->out.dtype);
  for (int i = 0; i < ir->ninputs; i++) need_dtype(&n, ir->input[i].dtype);
  for (int i = 0; i < ir->nnumbers; i++) need_dtype(&n, ir->number[i].dtype);
  for (int i = 0; i < ir->ninstructions; i++) need_step(&n, p, &ir->code[i]);
  if (n.half || n.brain) dc_emit_device_text(t->b, "numbers/odd");
  if (n.half) dc_emit_device_text(t->b, "numbers/half");
  if (n.brain) dc_emit_device_text(t->b, "numbers/brain");
  if (n.next) dc_emit_device_text(t->b, "numbers/step");
  if (n.next && n.half) dc_emit_device_text(t->b, "numbers/half_next");
  if (n.next && n.brain) dc_emit_device_text(t->b, "numbers/brain_next");
  if (n.complex) dc_emit_complex(t->b);
  emit_complex_functions(t->b, n.complex_functions);
  if (n.division) dc_emit_device_text(t->b, "numbers/division");
  if (n.power) dc_emit_device_text(t->b, "numbers/power");
  if (n.compare) dc_emit_device_text(t->b, "numbers/compare");
  if (n.random) dc_emit_random_prelude(t->b);
}
