/*
** accumulator.c - see accumulator.h.
**
** moments (of variances) sums deviations d from the row's first element and their squares, in float64; then the sum of
** squared deviations from the mean is sum(d*d) - sum(d)^2/n.  As that element is itself one of the row, it is at most
** sqrt(n) standard deviations from the mean, so the relative error is below n * 2^-52 (Chan, Golub and LeVeque,
** Algorithms for Computing the Sample Variance, 1983, section 3, for shifted data).
*/
#include "array/codegen/accumulator.h"

#include <stdio.h>

#include "array/codegen/body_text.h"
#include "array/codegen/device_text.h"
#include "array/codegen/ir.h"
#include "array/codegen/program.h"
#include "array/codegen/text.h"
#include "array/codegen/value.h"
#include "array/graph/op.h"
#include "base/buf.h"
#include "base/dtype.h"

static const dc_instruction *reduction_of(const dc_program *p, int k) { return &p->ir.code[p->ir.reduction[k]]; }

/* The dtype of the operand, and that in which it is accumulated. */
static dc_dtype operand_of(const dc_program *p, int k) { return dc_ir_dtype(&p->ir, reduction_of(p, k)->arg[0]); }

static dc_dtype accumulated(const dc_program *p, int k) {
  const dc_instruction *s = reduction_of(p, k);
  if (s->reduce == DC_REDUCE_ANY || s->reduce == DC_REDUCE_ALL) return DC_INT32;
  const dc_dtype t = s->reduce == DC_REDUCE_SUM || s->reduce == DC_REDUCE_PROD ? (dc_dtype)s->dtype : operand_of(p, k);
  if (dc_dtype_is_half(t)) return DC_FLOAT32;
  if (dc_dtype_is_floating(t) || dc_dtype_size(t) == 8) return t;
  return dc_dtype_kind(t) == 'i' ? DC_INT32 : DC_UINT32;
}

static bool is_arg(const dc_instruction *s) { return s->reduce == DC_REDUCE_ARGMIN || s->reduce == DC_REDUCE_ARGMAX; }

/* The least or the greatest value of the dtype. */
static const char *limit(dc_dtype t, bool greatest) {
  switch (t) {
    case DC_FLOAT32: return greatest ? "__int_as_float(0x7f800000)" : "__int_as_float(0xff800000)";
    case DC_FLOAT64:
      return greatest ? "__longlong_as_double(0x7ff0000000000000ll)" : "__longlong_as_double(0xfff0000000000000ll)";
    case DC_INT32: return greatest ? "0x7fffffff" : "(-0x7fffffff - 1)";
    case DC_INT64: return greatest ? "0x7fffffffffffffffll" : "(-0x7fffffffffffffffll - 1)";
    default: return !greatest ? "0" : t == DC_UINT32 ? "0xffffffffu" : "0xffffffffffffffffull";
  }
}

void dc_accumulator(const dc_program *p, int k, char type[32], char identity[96]) {
  const dc_instruction *s = reduction_of(p, k);
  if (s->reduce == DC_REDUCE_BODY) {
    snprintf(type, 32, "dc_part");
    snprintf(identity, 96, "dc_part{}");
    return;
  }
  const dc_dtype a = accumulated(p, k);
  const char *c = dc_ctype_of(a);
  snprintf(type, 32, is_arg(s) ? "indexed<%s>" : s->reduce == DC_REDUCE_M2 ? "moments" : "%s", c);
  switch ((dc_reduce)s->reduce) {
    case DC_REDUCE_SUM: /* -0 + x is x, signs of zeros included */
      if (dc_dtype_kind(a) == 'c') snprintf(identity, 96, "%s{ -0.0f, -0.0f }", c);
      else snprintf(identity, 96, "%s", a == DC_FLOAT32 ? "-0.0f" : a == DC_FLOAT64 ? "-0.0" : "0");
      return;
    case DC_REDUCE_PROD: snprintf(identity, 96, dc_dtype_kind(a) == 'c' ? "%s{ 1, 0 }" : "1", c); return;
    case DC_REDUCE_ANY: snprintf(identity, 96, "0"); return;
    case DC_REDUCE_ALL: snprintf(identity, 96, "1"); return;
    case DC_REDUCE_ARGMIN: case DC_REDUCE_ARGMAX: /* an index behind all others */
      snprintf(identity, 96, "indexed<%s>{ %s, %s }", c, limit(a, s->reduce == DC_REDUCE_ARGMIN),
               limit(p->schedule.wide ? DC_INT64 : DC_INT32, true));
      return;
    case DC_REDUCE_M2: snprintf(identity, 96, "moments{ -0.0, 0.0 }"); return;
    default: snprintf(identity, 96, "%s", limit(a, s->reduce == DC_REDUCE_MIN)); return;
  }
}

static const char indexed_text[] = "template <typename T> struct indexed { T v; %s i; };\n";
static const char moments_text[] = "struct moments { double s, q; };\n";

static void emit_combine(const dc_text *t, int k) {
  const dc_instruction *s = reduction_of(t->p, k);
  const dc_dtype a = accumulated(t->p, k);
  char type[32], identity[96];
  dc_accumulator(t->p, k, type, identity);
  dc_buf_printf(t->b, "static __device__ __forceinline__ %s combine%d(%s a, %s b) {\n  ", type, k, type, type);
  const bool floating = dc_dtype_kind(a) == 'f';
  const char *cmp = s->reduce == DC_REDUCE_MIN || s->reduce == DC_REDUCE_ARGMIN ? "<" : ">";
  switch ((dc_reduce)s->reduce) {
    case DC_REDUCE_SUM: case DC_REDUCE_PROD:
      dc_buf_puts(t->b, "return ");
      dc_emit_arithmetic(t->b, s->reduce == DC_REDUCE_SUM ? "+" : "*", a, "a", "b");
      break;
    case DC_REDUCE_ANY: dc_buf_puts(t->b, "return a | b"); break;
    case DC_REDUCE_ALL: dc_buf_puts(t->b, "return a & b"); break;
    case DC_REDUCE_M2: dc_buf_puts(t->b, "return { a.s + b.s, a.q + b.q }"); break;
    case DC_REDUCE_ARGMIN: case DC_REDUCE_ARGMAX: /* NaN wins, then the first one */
      dc_buf_printf(t->b, "const bool same = a.v == b.v%s;\n  return b.v %s a.v%s || (same && b.i < a.i) ? b : a",
                    floating ? " || (a.v != a.v && b.v != b.v)" : "", cmp,
                    floating ? " || (b.v != b.v && a.v == a.v)" : "");
      break;
    default: /* NaN wins */
      dc_buf_printf(t->b, dc_dtype_kind(a) == 'f' ? "return b %s a || b != b ? b : a" : "return b %s a ? b : a", cmp);
      break;
  }
  dc_buf_puts(t->b, ";\n}\n");
}

const char *dc_ordered_combiner(const dc_program *p, int k) {
  return is_arg(reduction_of(p, k)) ? "ordered" : "combine";
}

bool dc_first_is_peeled(const dc_program *p) { return p->ir.body != NULL; }

const char *dc_element_combiner(const dc_program *p, int k) {
  return p->ir.body != NULL ? "known" : dc_ordered_combiner(p, k);
}

/* Where b's element is known to be behind a's, indices need not be compared. */
static void emit_ordered(const dc_text *t, int k) {
  const dc_instruction *s = reduction_of(t->p, k);
  const bool least = s->reduce == DC_REDUCE_ARGMIN, floating = dc_dtype_kind(accumulated(t->p, k)) == 'f';
  char type[32], identity[96];
  dc_accumulator(t->p, k, type, identity);
  dc_buf_printf(t->b, "static __device__ __forceinline__ %s ordered%d(%s a, %s b) {\n  return ", type, k, type, type);
  if (floating) dc_buf_printf(t->b, "!(b.v %s a.v) && a.v == a.v ? b : a;\n}\n", least ? ">=" : "<=");
  else dc_buf_printf(t->b, "b.v %s a.v ? b : a;\n}\n", least ? "<" : ">");
}

/* An accumulator begins with its first element's index, so that ordered<k> is right where all values are the limit. */
void dc_emit_first_index(const dc_text *t, int k, const char *indent, const char *accumulator) {
  if (is_arg(reduction_of(t->p, k)))
    dc_buf_printf(t->b, "#pragma unroll\n%sfor (int q = 0; q < %d; q++) a%d[q].i = first + %s;\n", indent,
                  t->p->schedule.row.items, k, accumulator);
}

void dc_emit_combiners(const dc_text *t) {
  bool arg = false, moments = false;
  dc_emit_device_text(t->b, "accumulator/words");
  if (t->p->schedule.row.cluster > 1) dc_emit_device_text(t->b, "accumulator/cluster");
  if (t->p->ir.body != NULL) {
    dc_emit_body_combiner(t);
    return;
  }
  for (int k = 0; k < t->p->ir.nreduces; k++) {
    arg = arg || is_arg(reduction_of(t->p, k));
    moments = moments || reduction_of(t->p, k)->reduce == DC_REDUCE_M2;
  }
  if (arg) dc_buf_printf(t->b, indexed_text, t->index);
  if (moments) dc_buf_puts(t->b, moments_text);
  for (int k = 0; k < t->p->ir.nreduces; k++) {
    emit_combine(t, k);
    if (is_arg(reduction_of(t->p, k))) emit_ordered(t, k);
  }
}

void dc_emit_contribution(const dc_text *t, int k, const char *indent) {
  const dc_instruction *s = reduction_of(t->p, k);
  if (s->reduce == DC_REDUCE_BODY) {
    dc_emit_body_contribution(t, indent);
    return;
  }
  const dc_dtype a = accumulated(t->p, k);
  char v[DC_VALUE_TEXT];
  if (s->reduce == DC_REDUCE_ANY || s->reduce == DC_REDUCE_ALL) {
    dc_value_as(t, s->arg[0], DC_BOOL, v);
    dc_buf_printf(t->b, "%sr%d = %s;\n", indent, k, v);
    return;
  }
  dc_value_as(t, s->arg[0], s->reduce == DC_REDUCE_M2 ? DC_FLOAT64 : a, v);
  if (is_arg(s)) dc_buf_printf(t->b, "%sr%d = { %s, r };\n", indent, k, v);
  else if (s->reduce == DC_REDUCE_M2)
    dc_buf_printf(t->b, "%sconst double d%d = %s - pivot%d;\n%sr%d = { d%d, d%d * d%d };\n", indent, k, v, k, indent, k,
                  k, k, k);
  else dc_buf_printf(t->b, "%sr%d = %s;\n", indent, k, v);
}

void dc_emit_reduced(const dc_text *t, int k) {
  const dc_program *p = t->p;
  const dc_instruction *s = reduction_of(p, k);
  if (s->reduce == DC_REDUCE_BODY) {
    dc_emit_body_reduced(t);
    return;
  }
  const dc_dtype a = accumulated(p, k), out = (dc_dtype)s->dtype;
  char v[DC_VALUE_TEXT], name[96];
  snprintf(name, sizeof name, "f%d", k);
  if (s->reduce == DC_REDUCE_M2) {
    dc_buf_printf(t->b, "  const double q%d = f%d.q - f%d.s * f%d.s / (double)length;\n", k, k, k, k);
    dc_buf_printf(t->b, "  const double p%d = q%d < 0 ? 0 : q%d;\n", k, k, k);
    snprintf(name, sizeof name, "p%d", k);
    dc_convert(name, DC_FLOAT64, out, v);
  } else if (is_arg(s)) {
    snprintf(v, sizeof v, "f%d.i", k);
  } else {
    dc_convert(name, a, out, v);
  }
  dc_buf_printf(t->b, "  const %s t%d = ", dc_ctype_of(out), p->ir.reduction[k]);
  const bool empty = s->reduce == DC_REDUCE_SUM && dc_dtype_is_floating(out);
  if (empty) dc_buf_printf(t->b, "length == 0 ? %s{} : ", dc_ctype_of(out)); /* the sum of no elements is 0, not -0 */
  dc_buf_printf(t->b, "%s;\n", v);
}

void dc_accumulator_type(const dc_text *t, int k, char type[32]) {
  char identity[96];
  dc_accumulator(t->p, k, type, identity);
}

void dc_emit_accumulators(const dc_text *t, int pass, const char *indent, const char *name, int n) {
  char type[32], identity[96];
  for (int k = 0; k < t->p->ir.nreduces; k++) {
    if (reduction_of(t->p, k)->level - 1 != pass) continue;
    dc_accumulator(t->p, k, type, identity);
    dc_buf_printf(t->b, "%s%s %s%d[%d];\n#pragma unroll\n%sfor (int q = 0; q < %d; q++) %s%d[q] = %s;\n", indent, type,
                  name, k, n, indent, n, name, k, identity);
  }
}
