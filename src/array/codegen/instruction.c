/*
** instruction.c - the C expression of each operator.
**
** Every operator rounds to its own dtype and nothing is contracted (--fmad=false), so that a fused expression gives
** the bits of the operators run one by one.  Signed integers wrap: their arithmetic is done in unsigned ones.
** Operators that cannot leave a 16-bit format need no rounding to it.
*/
#include "array/codegen/instruction.h"

#include <stdio.h>
#include <string.h>

#include "array/codegen/ir.h"
#include "array/codegen/random.h"
#include "array/codegen/schedule.h"
#include "array/codegen/text.h"
#include "array/codegen/value.h"
#include "array/graph/op.h"
#include "base/buf.h"
#include "base/dtype.h"

/* The instruction that is written: its operands as text, in the dtype `as`. */
typedef struct dc_writer {
  const dc_text *t;
  const dc_instruction *s;
  dc_buf *b;
  dc_dtype as;
  char kind; /* of `as` */
  char v[DC_MAX_ARGS][DC_VALUE_TEXT];
} dc_writer;

static const char *wide_unsigned(dc_dtype t) { return dc_dtype_size(t) == 8 ? "unsigned long long" : "unsigned int"; }

/* "" or "f": the suffix of the math library's functions for the dtype. */
static const char *suffix(dc_dtype t) { return t == DC_FLOAT64 ? "" : "f"; }

/* --- integers and floats apart ----------------------------------------------------------------------------- */

/* The integer v[0] passed to a lambda that negates it and returns `result`, on GPUs.  ptxas takes 16-bit negations
** (before CUDA 13.3) and absolute values (before 13.1) for free of overflow: -(-32768) is 32768 where it is widened,
** and abs of the least integer never negative.  For compute capability 9.0 it also loses the sign of min(min(a, -b), c)
** and max(max(a, -b), c) of 32-bit integers (CUDA 13.0).  NVRTC makes these instructions of every form of `0 - x` and
** `abs` that it recognizes, so the negation is one that it does not see through: ~(x - 1). */
static void put_negated(dc_writer *w, const char *result) {
  const bool wide = dc_dtype_size(w->as) == 8;
  const char *type = wide ? "long long" : "int", letter = wide ? 'l' : 'r';
  const int bits = wide ? 64 : 32;
  dc_buf_printf(w->b, "(%s)[](%s v) { %s r; ", dc_ctype_of(w->as), type, type);
  dc_buf_printf(w->b, "asm(\"add.s%d %%0, %%1, -1; not.b%d %%0, %%0;\" : \"=%c\"(r) : \"%c\"(v)); ", bits, bits,
                letter, letter);
  dc_buf_printf(w->b, "return %s; }(%s)", result, w->v[0]);
}

static void put_negation(dc_writer *w) {
  if (w->kind == 'f' || w->kind == 'c') dc_buf_printf(w->b, "-%s", w->v[0]);
  else if (w->kind == 'i' && dc_dtype_size(w->as) < 8 && w->t->p->dev->target.gpu) put_negated(w, "r");
  else dc_buf_printf(w->b, "(%s)(0 - (%s)%s)", dc_ctype_of(w->as), wide_unsigned(w->as), w->v[0]);
}

static void put_abs(dc_writer *w) {
  if (w->kind == 'f') {
    dc_buf_printf(w->b, "fabs%s(%s)", suffix(w->as), w->v[0]);
  } else if (w->kind == 'c') {
    dc_buf_printf(w->b, "c_abs(%s)", w->v[0]);
  } else if (w->kind == 'i') {
    if (w->t->p->dev->target.gpu) {
      put_negated(w, "v > r ? v : r");
      return;
    }
    dc_buf_printf(w->b, "%s < 0 ? ", w->v[0]);
    put_negation(w);
    dc_buf_printf(w->b, " : %s", w->v[0]);
  } else {
    dc_buf_puts(w->b, w->v[0]);
  }
}

static void put_division(dc_writer *w, const char *name) {
  const bool div = name[0] == 'd';
  if (w->kind != 'f') {
    const char *u = wide_unsigned(w->as);
    const char *s = w->kind == 'u' ? u : dc_dtype_size(w->as) == 8 ? "long long" : "int";
    dc_buf_printf(w->b, "(%s)floor_%s<%s, %s>(%s, %s)", dc_ctype_of(w->as), name, s, u, w->v[0], w->v[1]);
  } else if (div) {
    dc_buf_printf(w->b, "floor%s(%s / %s)", suffix(w->as), w->v[0], w->v[1]);
  } else {
    dc_buf_printf(w->b, "float_mod(%s, %s)", w->v[0], w->v[1]);
  }
}

static void put_bits(dc_writer *w, const char *sign) {
  dc_buf_printf(w->b, "(%s)(%s %s %s)", dc_ctype_of(w->as), w->v[0], sign, w->v[1]);
}

/* A negative number of bits is a large one. */
static void put_shift(dc_writer *w, bool left) {
  const char *c = dc_ctype_of(w->as);
  if (!left && w->kind == 'i')
    dc_buf_printf(w->b, "(%s)((long long)%s >> (int)min((unsigned long long)%s, 63ull))", c, w->v[0], w->v[1]);
  else
    dc_buf_printf(w->b, "(%s)((unsigned long long)%s >= %dull ? 0 : (%s)%s %s (int)%s)", c, w->v[1],
                  8 * (int)dc_dtype_size(w->as), wide_unsigned(w->as), w->v[0], left ? "<<" : ">>", w->v[1]);
}

static void put_sign(dc_writer *w) {
  const char *c = dc_ctype_of(w->as), *v = w->v[0];
  if (w->kind == 'f') dc_buf_printf(w->b, "%s != %s ? %s : (%s)((%s > 0) - (%s < 0))", v, v, v, c, v, v);
  else if (w->kind == 'i') dc_buf_printf(w->b, "(%s)((%s > 0) - (%s < 0))", c, v, v);
  else if (w->kind == 'c') dc_buf_printf(w->b, "c_sign(%s)", v);
  else dc_buf_printf(w->b, "(%s)(%s != 0)", c, v);
}

/* Of floats the number wins over NaN (`number`), or NaN does. */
static void put_extreme(dc_writer *w, bool least, bool number) {
  const char *l = w->v[0], *r = w->v[1];
  if (w->kind == 'f' && number) dc_buf_printf(w->b, "f%s%s(%s, %s)", least ? "min" : "max", suffix(w->as), l, r);
  else if (w->kind == 'f')
    dc_buf_printf(w->b, "(%s %s %s || %s != %s) && %s == %s ? %s : %s", r, least ? "<" : ">", l, r, r, l, l, r, l);
  else dc_buf_printf(w->b, "%s %s %s ? %s : %s", r, least ? "<" : ">", l, r, l);
}

/* NaN wins, whichever of the three it is. */
static void put_clip(dc_writer *w) {
  const char *c = dc_ctype_of(w->as), *low = w->kind == 'f' ? " || low != low" : "";
  const char *high = w->kind == 'f' ? " || high != high" : "";
  dc_buf_printf(w->b, "[](%s x, %s low, %s high) { x = x < low%s ? low : x; return (%s)(x > high%s ? high : x); }"
                "(%s, %s, %s)", c, c, c, low, c, high, w->v[0], w->v[1], w->v[2]);
}

/* --- tests and comparisons ---------------------------------------------------------------------------------------- */

static void put_test(dc_writer *w, const char *real, const char *join) {
  const dc_dtype t = dc_ir_dtype(&w->t->p->ir, w->s->arg[0]);
  const char *v = w->v[0];
  char x[DC_VALUE_TEXT + 2], y[DC_VALUE_TEXT + 2];
  snprintf(x, sizeof x, "%s.x", v);
  snprintf(y, sizeof y, "%s.y", v);
  const bool complex = dc_dtype_kind(t) == 'c';
  for (int part = 0; part < (complex ? 2 : 1); part++) {
    const char *a = !complex ? v : part ? y : x;
    if (part) dc_buf_puts(w->b, join);
    dc_buf_puts(w->b, "(");
    for (const char *p = real; *p; p++) {
      if (*p == 'a') dc_buf_puts(w->b, a);
      else dc_buf_printf(w->b, "%c", *p);
    }
    dc_buf_puts(w->b, ")");
  }
}

static void put_question(dc_writer *w) {
  const dc_dtype t = dc_ir_dtype(&w->t->p->ir, w->s->arg[0]);
  const char k = dc_dtype_kind(t), *v = w->v[0];
  const bool whole = k != 'f' && k != 'c';
  switch (w->s->op) {
    case DC_OP_ISNAN: whole ? dc_buf_puts(w->b, "false") : put_test(w, "a != a", " || "); break;
    case DC_OP_ISINF: whole ? dc_buf_puts(w->b, "false") : put_test(w, "a == a && a - a != 0", " || "); break;
    case DC_OP_ISFINITE: whole ? dc_buf_puts(w->b, "true") : put_test(w, "a - a == 0", " && "); break;
    default: /* SIGNBIT */
      if (k == 'f') dc_buf_printf(w->b, t == DC_FLOAT64 ? "__double_as_longlong(%s) < 0" : "__float_as_int(%s) < 0", v);
      else if (k == 'i') dc_buf_printf(w->b, "%s < 0", v);
      else dc_buf_puts(w->b, "false");
  }
}

/* What values of the dtype are compared as. */
static const char *compared_as(dc_dtype t) {
  switch (dc_dtype_kind(t)) {
    case 'f': return "double";
    case 'i': return "long long";
    default: return "unsigned long long";
  }
}

/* Equality with a complex number, whose imaginary part is 0 where it equals a real one. */
static void put_complex_comparison(dc_writer *w, dc_dtype l, dc_dtype r, bool equal) {
  const bool real_left = dc_dtype_kind(l) != 'c', real_right = dc_dtype_kind(r) != 'c';
  char a[DC_VALUE_TEXT], b[DC_VALUE_TEXT];
  dc_convert(w->v[real_left], real_left ? r : l, DC_COMPLEX128, a);
  if (real_left || real_right) {
    const char *type = compared_as(real_left ? l : r);
    dc_buf_printf(w->b, "[](c128 a, %s b) { return a.y == 0 && compare(a.x, b) == 0; }(%s, (%s)%s)", type, a, type,
                  w->v[real_right]);
  } else {
    dc_convert(w->v[1], r, DC_COMPLEX128, b);
    dc_buf_printf(w->b, "[](c128 a, c128 b) { return a.x == b.x && a.y == b.y; }(%s, %s)", a, b);
  }
  dc_buf_puts(w->b, equal ? " == true" : " == false");
}

static void put_comparison(dc_writer *w, dc_op op) {
  static const char *const tests[] = { "== 0", "!= 0", "== -1", "<= 0", "== 1", "< 2u" };
  static const char *const signs[] = { "==", "!=", "<", "<=", ">", ">=" };
  const dc_dtype l = dc_ir_dtype(&w->t->p->ir, w->s->arg[0]), r = dc_ir_dtype(&w->t->p->ir, w->s->arg[1]);
  const int i = op == DC_OP_EQUAL ? 0 : (int)op - DC_OP_EQ;
  if (dc_dtype_kind(l) == 'c' || dc_dtype_kind(r) == 'c') {
    put_complex_comparison(w, l, r, i == 0);
  } else if (l == r) {
    dc_buf_printf(w->b, "%s %s %s", w->v[0], signs[i], w->v[1]);
  } else {
    dc_buf_printf(w->b, "%scompare((%s)%s, (%s)%s) %s", i == 5 ? "(unsigned int)" : "", compared_as(l), w->v[0],
                  compared_as(r), w->v[1], tests[i]);
  }
}

/* Equal infinities are close; an infinity and anything else are not. */
static void put_close(dc_writer *w) {
  const bool complex = w->kind == 'c';
  const char *c = complex ? "c128" : "double", *size = complex ? "c_abs" : "fabs";
  dc_buf_printf(w->b, "[](%s a, %s b, double rtol, double atol) { return ", c, c);
  dc_buf_puts(w->b, complex ? "(a.x == b.x && a.y == b.y)" : "a == b");
  dc_buf_printf(w->b, " || (%s(b) <= 1.7976931348623157e308 && %s(a - b) <= atol + rtol * %s(b)); }(%s, %s, %s, %s)",
                size, size, size, w->v[0], w->v[1], w->v[2], w->v[3]);
}

/* --- calls and the rest ------------------------------------------------------------------------------------- */

static void put_call(dc_writer *w) {
  const dc_op op = (dc_op)w->s->op;
  const char *name = dc_ops[op].name;
  if (w->kind == 'c') dc_buf_printf(w->b, "c_%s(", name);
  else dc_buf_printf(w->b, "%s%s(", name, suffix(dc_op_whole_operand(op) >= 0 ? (dc_dtype)w->s->dtype : w->as));
  for (int i = 0; i < w->s->nargs; i++) dc_buf_printf(w->b, "%s%s", i ? ", " : "", w->v[i]);
  dc_buf_puts(w->b, ")");
}

/* The integer nearest to a float, saturating. */
static void put_whole(dc_writer *w) {
  const char *c = dc_ctype_of(w->as), *f = suffix(w->as);
  char v[DC_VALUE_TEXT];
  if (w->s->op == DC_OP_ILOGB) {
    dc_buf_printf(w->b, "(long long)ilogb%s(%s)", f, w->v[0]);
    return;
  }
  dc_convert("x", w->as == DC_FLOAT64 ? DC_FLOAT64 : DC_FLOAT32, DC_INT64, v);
  dc_buf_printf(w->b, "[](%s x) { return (long long)%s; }(%s%s(%s))", c, v, w->s->op == DC_OP_LLRINT ? "rint" : "round",
                f, w->v[0]);
}

static void put_angle(dc_writer *w) {
  if (w->kind == 'c') {
    const char *f = w->as == DC_COMPLEX128 ? "" : "f";
    dc_buf_printf(w->b, "[](%s a) { return atan2%s(a.y, a.x); }(%s)", dc_ctype_of(w->as), f, w->v[0]);
  } else {
    dc_buf_printf(w->b, "atan2%s(0, %s)", suffix(w->as), w->v[0]);
  }
}

static void put_part(dc_writer *w, const char *part) {
  if (w->kind == 'c') dc_buf_printf(w->b, "%s%s", w->v[0], part);
  else if (part[1] == 'x') dc_buf_puts(w->b, w->v[0]);
  else dc_buf_printf(w->b, "(%s)0", dc_ctype_of(w->as));
}

static void put_index(dc_writer *w) {
  if (w->s->dtype == DC_FLOAT64) dc_buf_printf(w->b, "%s + (double)%s * %s", w->v[1], w->v[0], w->v[2]);
  else
    dc_buf_printf(w->b, "(long long)((unsigned long long)%s + (unsigned long long)%s * (unsigned long long)%s)",
                  w->v[1], w->v[0], w->v[2]);
}

static void put_gather(dc_writer *w) {
  char place[DC_VALUE_TEXT], v[DC_VALUE_TEXT];
  snprintf(place, sizeof place, "x%d[%.100s + %.100s]", w->s->arg[0].index, w->v[1], w->v[2]);
  dc_from_memory(place, (dc_dtype)w->s->dtype, v);
  dc_buf_puts(w->b, v);
}

static void put_power(dc_writer *w) {
  if (w->kind == 'c') dc_buf_printf(w->b, "c_pow(%s, %s)", w->v[0], w->v[1]);
  else if (w->kind != 'f')
    dc_buf_printf(w->b, "whole_power<%s, %s>(%s, %s)", dc_ctype_of(w->as), wide_unsigned(w->as), w->v[0], w->v[1]);
  else dc_buf_printf(w->b, "pow%s(%s, %s)", suffix(w->as), w->v[0], w->v[1]);
}

static void put_power_half(dc_writer *w) {
  const char *type = dc_ctype_of(w->as);
  dc_buf_printf(w->b, "%s == -(%s)INFINITY ? (%s)INFINITY : sqrt%s(%s + (%s)0)", w->v[0], type, type, suffix(w->as),
                w->v[0], type);
}

static void put_operator(dc_writer *w) {
  const dc_op op = (dc_op)w->s->op;
  switch (op) {
    case DC_OP_NEG: put_negation(w); return;
    case DC_OP_ADD: dc_emit_arithmetic(w->b, "+", w->as, w->v[0], w->v[1]); return;
    case DC_OP_SUB: dc_emit_arithmetic(w->b, "-", w->as, w->v[0], w->v[1]); return;
    case DC_OP_MUL: dc_emit_arithmetic(w->b, "*", w->as, w->v[0], w->v[1]); return;
    case DC_OP_SQUARE: dc_emit_arithmetic(w->b, "*", w->as, w->v[0], w->v[0]); return;
    case DC_OP_CUBE: dc_buf_printf(w->b, "%s * %s * %s", w->v[0], w->v[0], w->v[0]); return;
    case DC_OP_POWER_HALF: put_power_half(w); return;
    case DC_OP_DIV: dc_buf_printf(w->b, "%s / %s", w->v[0], w->v[1]); return;
    case DC_OP_RECIPROCAL:
      if (w->kind == 'c') dc_buf_printf(w->b, "c_reciprocal(%s)", w->v[0]);
      else dc_buf_printf(w->b, "(%s)1 / %s", dc_ctype_of(w->as), w->v[0]);
      return;
    case DC_OP_FLOORDIV: put_division(w, "div"); return;
    case DC_OP_MOD: put_division(w, "mod"); return;
    case DC_OP_POWER: case DC_OP_POW: put_power(w); return;
    case DC_OP_AND: put_bits(w, "&"); return;
    case DC_OP_OR: put_bits(w, "|"); return;
    case DC_OP_XOR: put_bits(w, "^"); return;
    case DC_OP_NOT:
      dc_buf_printf(w->b, w->kind == 'b' ? "(%s)!%s" : "(%s)~%s", dc_ctype_of(w->as), w->v[0]);
      return;
    case DC_OP_SHL: put_shift(w, true); return;
    case DC_OP_SHR: put_shift(w, false); return;
    case DC_OP_EQ: case DC_OP_NE: case DC_OP_LT: case DC_OP_LE: case DC_OP_GT: case DC_OP_GE: case DC_OP_EQUAL:
      put_comparison(w, op);
      return;
    case DC_OP_CLOSE: put_close(w); return;
    case DC_OP_ABS: put_abs(w); return;
    case DC_OP_SIGN: put_sign(w); return;
    case DC_OP_REAL: put_part(w, ".x"); return;
    case DC_OP_IMAG: put_part(w, ".y"); return;
    case DC_OP_CONJ:
      if (w->kind == 'c') dc_buf_printf(w->b, "%s{ %s.x, -%s.y }", dc_ctype_of(w->as), w->v[0], w->v[0]);
      else dc_buf_puts(w->b, w->v[0]);
      return;
    case DC_OP_ANGLE: put_angle(w); return;
    case DC_OP_PARTS: dc_buf_printf(w->b, "%s{ %s, %s }", dc_ctype_of(w->s->dtype), w->v[0], w->v[1]); return;
    case DC_OP_ISNAN: case DC_OP_ISINF: case DC_OP_ISFINITE: case DC_OP_SIGNBIT: put_question(w); return;
    case DC_OP_LOGICAL_NOT: dc_buf_printf(w->b, "!%s", w->v[0]); return;
    case DC_OP_LOGICAL_AND: dc_buf_printf(w->b, "%s && %s", w->v[0], w->v[1]); return;
    case DC_OP_LOGICAL_OR: dc_buf_printf(w->b, "%s || %s", w->v[0], w->v[1]); return;
    case DC_OP_LOGICAL_XOR: dc_buf_printf(w->b, "%s != %s", w->v[0], w->v[1]); return;
    case DC_OP_FMIN: put_extreme(w, true, true); return;
    case DC_OP_FMAX: put_extreme(w, false, true); return;
    case DC_OP_MINIMUM: put_extreme(w, true, false); return;
    case DC_OP_MAXIMUM: put_extreme(w, false, false); return;
    case DC_OP_CLIP: put_clip(w); return;
    case DC_OP_WHERE: dc_buf_printf(w->b, "%s ? %s : %s", w->v[0], w->v[1], w->v[2]); return;
    case DC_OP_NEXTAFTER:
      if (dc_dtype_is_half(w->as)) dc_buf_printf(w->b, "%s_next(%s, %s)", dc_half_name(w->as), w->v[0], w->v[1]);
      else put_call(w);
      return;
    case DC_OP_LLRINT: case DC_OP_LLROUND: case DC_OP_ILOGB: put_whole(w); return;
    case DC_OP_INDEX: put_index(w); return;
    case DC_OP_RANDOM:
      if (dc_random_drawn(w->t->p, w->s))
        dc_buf_printf(w->b, w->t->p->ir.kind == DC_ELEMENTS ? "z%d[k]" : "z%d", (int)(w->s - w->t->p->ir.code));
      else
        dc_emit_random(w->b, (dc_random)w->s->as, (dc_dtype)w->s->dtype, w->v[0], w->v[1], w->v[2], w->v[3]);
      return;
    case DC_OP_GATHER: put_gather(w); return;
    case DC_OP_CAST: case DC_OP_VIEW: dc_buf_puts(w->b, w->v[0]); return;
    default: /* floor and the like leave integers as they are */
      if (dc_ops[op].rule == DC_RULE_KEEP && w->kind != 'f' && w->kind != 'c') dc_buf_puts(w->b, w->v[0]);
      else put_call(w);
      return;
  }
}

/* In which dtype operand i is wanted. */
static dc_dtype operand_dtype(const dc_text *t, const dc_instruction *s, int i) {
  const dc_dtype own = dc_ir_dtype(&t->p->ir, s->arg[i]);
  switch ((dc_rule)dc_ops[s->op].rule) {
    case DC_RULE_TEST: case DC_RULE_COMPARE: return own;
    case DC_RULE_WHERE: return i == 0 ? DC_BOOL : (dc_dtype)s->dtype;
    case DC_RULE_SCALE: case DC_RULE_ORDER:
      return i == dc_op_whole_operand((dc_op)s->op) ? DC_INT32 : (dc_dtype)s->dtype;
    case DC_RULE_INTERNAL:
      if (s->op == DC_OP_CAST) return (dc_dtype)s->dtype;
      return s->op == DC_OP_CLOSE && i < 2 ? (dc_dtype)s->as : own;
    default: return (dc_dtype)s->as;
  }
}

static bool stays_in_format(const dc_instruction *s) {
  const dc_rule rule = (dc_rule)dc_ops[s->op].rule;
  return rule == DC_RULE_KEEP || rule == DC_RULE_REAL || rule == DC_RULE_WHERE || s->op == DC_OP_NEXTAFTER ||
         s->op == DC_OP_CAST || s->op == DC_OP_VIEW;
}

static void put_step(const dc_text *t, const dc_instruction *s, int index) {
  const dc_dtype out = (dc_dtype)s->dtype;
  dc_writer w = { .t = t, .s = s, .b = t->b };
  const bool internal = dc_ops[s->op].rule == DC_RULE_INTERNAL && s->op != DC_OP_CLOSE;
  w.as = internal || s->as == DC_DTYPE_NONE ? out : (dc_dtype)s->as;
  w.kind = dc_dtype_kind(w.as);
  for (int i = 0; i < s->nargs; i++) dc_value_as(t, s->arg[i], operand_dtype(t, s, i), w.v[i]);
  const bool round = dc_dtype_is_half(out) && !stays_in_format(s);
  dc_buf_printf(t->b, "const %s t%d = ", dc_ctype_of(out), index);
  if (round) dc_buf_printf(t->b, "%s_round(", dc_half_name(out));
  put_operator(&w);
  dc_buf_puts(t->b, round ? ");\n" : ";\n");
}

void dc_emit_instructions(const dc_text *t, unsigned scope, int level, const char *indent) {
  for (int i = 0; i < t->p->ir.ninstructions; i++) {
    const dc_instruction *s = &t->p->ir.code[i];
    if (!(s->scopes & scope) || s->op == DC_OP_REDUCE || (level >= 0 && s->level != level)) continue;
    dc_buf_puts(t->b, indent);
    put_step(t, s, i);
  }
}
