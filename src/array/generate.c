/*
** generate.c - the CUDA C of a program.
**
** Kernels come in three shapes: one element a thread, several in vector accesses (where the device likes
** that and an element's number is its place in every operand), and reductions (generate_reduce.c).
** Operands that are not flat are reached by coordinates and strides.
**
** Every operator rounds to its own dtype and nothing is contracted (--fmad=false), so that a fused
** expression gives the bits of the operators run one by one.  Signed integers wrap: their arithmetic is
** done in unsigned ones.
**
** Names in the text: x0 … are the operands' addresses, v0 … their values, s0 … the numbers, t0 … the
** steps, r0 … a reduction's values, a0 … its accumulators; n elements, i one of them.
*/
#include "array/generate.h"

#include <stdio.h>
#include <string.h>

/* --- values ---------------------------------------------------------------------------------------- */

static void name_of(dc_ref r, char name[16]) {
  static const char letter[] = { [DC_REF_STEP] = 't', [DC_REF_LEAF] = 'v', [DC_REF_NUMBER] = 's' };
  snprintf(name, 16, "%c%d", letter[r.kind], r.index);
}

/* Floating to integer: toward zero, saturating, NaN gives 0 (the conversions of the hardware do not agree
** on NaN, so it is asked for). */
static void float_to_integer(const char *v, dc_dtype from, dc_dtype to, char out[DC_VALUE_TEXT]) {
  const char *f = from == DC_FLOAT32 ? "float" : "double";
  size_t size = dc_dtype_size(to);
  bool is_signed = dc_kind_of(to) == 'i';
  const char *target = size == 8 ? (is_signed ? "ll" : "ull") : is_signed ? "int" : "uint";
  char whole[96];
  snprintf(whole, sizeof whole, "__%s2%s_rz(%s)", f, target, v);
  if (size >= 4) snprintf(out, DC_VALUE_TEXT, "(%s == %s ? %s : 0)", v, v, whole);
  else if (is_signed)
    snprintf(out, DC_VALUE_TEXT, "(%s)(%s == %s ? max(-%d, min(%d, %s)) : 0)", dc_ctype_of(to), v, v,
             1 << (8 * size - 1), (1 << (8 * size - 1)) - 1, whole);
  else
    snprintf(out, DC_VALUE_TEXT, "(%s)(%s == %s ? min(%uu, %s) : 0u)", dc_ctype_of(to), v, v, (1u << (8 * size)) - 1,
             whole);
}

/* The C expression for `v`, a name of type `from`, as a `to`. */
void dc_convert(const char *v, dc_dtype from, dc_dtype to, char out[DC_VALUE_TEXT]) {
  if (from == to) snprintf(out, DC_VALUE_TEXT, "%s", v);
  else if (to == DC_BOOL) snprintf(out, DC_VALUE_TEXT, "(%s != 0)", v);
  else if (dc_kind_of(from) == 'f' && dc_kind_of(to) != 'f') float_to_integer(v, from, to, out);
  else snprintf(out, DC_VALUE_TEXT, "(%s)%s", dc_ctype_of(to), v);
}

void dc_value_as(const dc_text *t, dc_ref r, dc_dtype to, char out[DC_VALUE_TEXT]) {
  char name[16];
  name_of(r, name);
  dc_convert(name, dc_program_dtype(t->p, r), to, out);
}

/* --- operators -------------------------------------------------------------------------------------- */

static const char *unsigned_of(dc_dtype t) { return dc_dtype_size(t) == 8 ? "unsigned long long" : "unsigned int"; }

void dc_emit_arithmetic(dc_buf *b, const char *op, dc_dtype t, const char *l, const char *r) {
  if (dc_kind_of(t) == 'f') dc_buf_printf(b, "%s %s %s", l, op, r);
  else dc_buf_printf(b, "(%s)((%s)%s %s (%s)%s)", dc_ctype_of(t), unsigned_of(t), l, op, unsigned_of(t), r);
}

static void emit_negation(dc_buf *b, dc_dtype t, const char *v) {
  if (dc_kind_of(t) == 'f') dc_buf_printf(b, "-%s", v);
  else dc_buf_printf(b, "(%s)(0 - (%s)%s)", dc_ctype_of(t), unsigned_of(t), v);
}

static void emit_abs(dc_buf *b, dc_dtype t, const char *v) {
  if (dc_kind_of(t) == 'f') {
    dc_buf_printf(b, "%s(%s)", t == DC_FLOAT32 ? "fabsf" : "fabs", v);
  } else if (dc_kind_of(t) == 'i') {
    dc_buf_printf(b, "%s < 0 ? ", v);
    emit_negation(b, t, v);
    dc_buf_printf(b, " : %s", v);
  } else {
    dc_buf_puts(b, v);
  }
}

/* An integer against a floating number, exactly: by way of double, which holds all of 32 bits; for 64 the
** double must also convert back to the very integer. */
static void emit_equal_mixed(dc_buf *b, const char *i, dc_dtype ti, const char *f) {
  dc_buf_printf(b, "(double)%s == (double)%s", i, f);
  if (dc_dtype_size(ti) < 8) return;
  bool is_signed = dc_kind_of(ti) == 'i';
  dc_buf_printf(b, " && (double)%s < %s && __double2%s_rz((double)%s) == %s", f,
                is_signed ? "9223372036854775808.0" : "18446744073709551616.0", is_signed ? "ll" : "ull", f, i);
}

static void emit_equal(dc_buf *b, const char *l, dc_dtype tl, const char *r, dc_dtype tr) {
  char kl = dc_kind_of(tl), kr = dc_kind_of(tr);
  if (kl == 'b') kl = 'u';
  if (kr == 'b') kr = 'u';
  if (kl == 'f' && kr == 'f') dc_buf_printf(b, "(double)%s == (double)%s", l, r);
  else if (kr == 'f') emit_equal_mixed(b, l, tl, r);
  else if (kl == 'f') emit_equal_mixed(b, r, tr, l);
  else if (kl == kr && kl == 'i') dc_buf_printf(b, "(long long)%s == (long long)%s", l, r);
  else if (kl == kr) dc_buf_printf(b, "(unsigned long long)%s == (unsigned long long)%s", l, r);
  else dc_buf_printf(b, "%s >= 0 && (unsigned long long)%s == (unsigned long long)%s", kl == 'i' ? l : r, l, r);
}

/* Equal infinities are close; an infinity and anything else are not. */
static void emit_close(dc_buf *b, const char *l, const char *r, const char *rtol, const char *atol) {
  dc_buf_printf(b, "%s == %s || (fabs(%s) <= 1.7976931348623157e308 && fabs(%s - %s) <= %s + %s * fabs(%s))", l, r, r,
                l, r, atol, rtol, r);
}

static void emit_iota(dc_buf *b, dc_dtype t, const char *first, const char *step) {
  if (t == DC_FLOAT64) dc_buf_printf(b, "%s + (double)i * %s", first, step);
  else dc_buf_printf(b, "(long long)((unsigned long long)%s + (unsigned long long)i * (unsigned long long)%s)", first,
                     step);
}

/* A function of the math library for float32 or float64. */
static void emit_call(dc_buf *b, const char *name, dc_dtype t, const char *v) {
  dc_buf_printf(b, "%s%s(%s)", name, t == DC_FLOAT32 ? "f" : "", v);
}

/* The values are looked at several times, so they get names. */
static void emit_close_step(const dc_text *t, const dc_step *s, int index) {
  char l[DC_VALUE_TEXT], r[DC_VALUE_TEXT], rtol[16], atol[16], ln[16], rn[16];
  dc_value_as(t, s->arg[0], DC_FLOAT64, l);
  dc_value_as(t, s->arg[1], DC_FLOAT64, r);
  name_of((dc_ref){ DC_REF_NUMBER, s->extra }, rtol);
  name_of((dc_ref){ DC_REF_NUMBER, (uint8_t)(s->extra + 1) }, atol);
  snprintf(ln, sizeof ln, "p%d", index);
  snprintf(rn, sizeof rn, "q%d", index);
  dc_buf_printf(t->b, "const double %s = %s, %s = %s;\n    const bool t%d = ", ln, l, rn, r, index);
  emit_close(t->b, ln, rn, rtol, atol);
}

static void emit_operator(const dc_text *t, const dc_step *s, int index) {
  dc_dtype d = (dc_dtype)s->dtype;
  char l[DC_VALUE_TEXT] = "", r[DC_VALUE_TEXT] = "";
  if (s->op == DC_OP_CLOSE) {
    emit_close_step(t, s, index);
    return;
  }
  dc_buf_printf(t->b, "const %s t%d = ", dc_ctype_of(d), index);
  bool raw = s->op == DC_OP_EQUAL || s->op == DC_OP_IOTA; /* operands in their own dtypes */
  if (s->nargs > 0) dc_value_as(t, s->arg[0], raw ? dc_program_dtype(t->p, s->arg[0]) : d, l);
  if (s->nargs > 1) dc_value_as(t, s->arg[1], raw ? dc_program_dtype(t->p, s->arg[1]) : d, r);
  switch (s->op) {
    case DC_OP_NEG: emit_negation(t->b, d, l); break;
    case DC_OP_ABS: emit_abs(t->b, d, l); break;
    case DC_OP_SQRT: emit_call(t->b, "sqrt", d, l); break;
    case DC_OP_EXP: emit_call(t->b, "exp", d, l); break;
    case DC_OP_LOG: emit_call(t->b, "log", d, l); break;
    case DC_OP_SIN: emit_call(t->b, "sin", d, l); break;
    case DC_OP_COS: emit_call(t->b, "cos", d, l); break;
    case DC_OP_ADD: dc_emit_arithmetic(t->b, "+", d, l, r); break;
    case DC_OP_SUB: dc_emit_arithmetic(t->b, "-", d, l, r); break;
    case DC_OP_MUL: dc_emit_arithmetic(t->b, "*", d, l, r); break;
    case DC_OP_DIV: dc_buf_printf(t->b, "%s / %s", l, r); break;
    case DC_OP_EQUAL:
      emit_equal(t->b, l, dc_program_dtype(t->p, s->arg[0]), r, dc_program_dtype(t->p, s->arg[1]));
      break;
    case DC_OP_IOTA: emit_iota(t->b, d, l, r); break;
    default: dc_buf_puts(t->b, l); break; /* DC_OP_CAST: the conversion is all */
  }
}

/* All steps of a scope, one a line. */
void dc_emit_steps(const dc_text *t, int scope, const char *indent) {
  for (int i = 0; i < t->p->nsteps; i++) {
    const dc_step *s = &t->p->step[i];
    if (!(s->scopes & scope) || s->op == DC_OP_REDUCE) continue;
    dc_buf_puts(t->b, indent);
    emit_operator(t, s, i);
    dc_buf_puts(t->b, ";\n");
  }
}

/* The result as it is stored: `place = value;` */
void dc_emit_store(const dc_text *t, const char *indent, const char *place) {
  char v[DC_VALUE_TEXT];
  dc_value_as(t, t->p->result, t->p->out.dtype, v);
  dc_buf_printf(t->b, "%s%s = %s;\n", indent, place, v);
}

/* --- operands ---------------------------------------------------------------------------------------- */

static void operand_name(const dc_program *p, const dc_operand *o, char name[16]) {
  if (o == &p->out) snprintf(name, 16, "out");
  else snprintf(name, 16, "x%d", (int)(o - p->leaf));
}

static void emit_stride_params(const dc_text *t, const dc_operand *o) {
  char name[16];
  operand_name(t->p, o, name);
  if (o->layout != DC_LAYOUT_STRIDED) return;
  for (int d = 0; d < t->p->rank; d++) dc_buf_printf(t->b, ", %s %s_%d", t->index, name, d);
}

static bool any_strided(const dc_program *p) {
  if (p->out.layout == DC_LAYOUT_STRIDED) return true;
  for (int i = 0; i < p->nleaves; i++)
    if (p->leaf[i].layout == DC_LAYOUT_STRIDED) return true;
  return false;
}

/* The order here is the order in which kernels.c packs. */
static void emit_params(const dc_text *t) {
  const dc_program *p = t->p;
  const char *alone = p->in_place ? "" : "__restrict__ ";
  dc_buf_printf(t->b, "(%s *%sout", dc_stored_as(p->out.dtype), alone);
  for (int i = 0; i < p->nleaves; i++)
    dc_buf_printf(t->b, ", const %s *%sx%d", dc_stored_as(p->leaf[i].dtype), alone, i);
  dc_buf_printf(t->b, ", %s n", t->index);
  if (p->nreduces > 0) dc_buf_puts(t->b, ", unsigned long long turn");
  emit_stride_params(t, &p->out);
  for (int i = 0; i < p->nleaves; i++) emit_stride_params(t, &p->leaf[i]);
  if (any_strided(p))
    for (int d = 1; d < p->rank; d++) dc_buf_printf(t->b, ", %s n_%d", t->index, d);
  for (int i = 0; i < p->nnumbers; i++) dc_buf_printf(t->b, ", %s s%d", dc_ctype_of(p->number[i].dtype), i);
  dc_buf_puts(t->b, ") {\n");
}

static void emit_value(const dc_text *t, const char *indent, int leaf, const char *place) {
  dc_dtype d = t->p->leaf[leaf].dtype;
  dc_buf_printf(t->b, "%sconst %s v%d = %s%s;\n", indent, dc_ctype_of(d), leaf, place, d == DC_BOOL ? " != 0" : "");
}

/* Operands of which there is one value. */
void dc_emit_single_values(const dc_text *t) {
  char place[32];
  for (int i = 0; i < t->p->nleaves; i++) {
    if (t->p->leaf[i].layout != DC_LAYOUT_ONE) continue;
    snprintf(place, sizeof place, "*x%d", i);
    emit_value(t, "  ", i, place);
  }
}

static void emit_place_steps(const dc_text *t, const dc_operand *o, const char *indent, int d) {
  char name[16];
  operand_name(t->p, o, name);
  if (o->layout != DC_LAYOUT_STRIDED) return;
  if (d == t->p->rank - 1) dc_buf_printf(t->b, "%s%s %s_at = c%d * %s_%d;\n", indent, t->index, name, d, name, d);
  else dc_buf_printf(t->b, "%s%s_at += c%d * %s_%d;\n", indent, name, d, name, d);
}

/* From the element's number to the place of each strided operand, last axis first. */
static void emit_places(const dc_text *t, const char *indent) {
  const dc_program *p = t->p;
  if (!any_strided(p)) return;
  char rest[16] = "i";
  for (int d = p->rank - 1; d >= 0; d--) {
    if (d > 0) {
      const char *u = p->wide ? "unsigned long long" : "unsigned int"; /* the cheaper division */
      dc_buf_printf(t->b, "%sconst %s i%d = (%s)((%s)%s / (%s)n_%d);\n", indent, t->index, d, t->index, u, rest, u, d);
      dc_buf_printf(t->b, "%sconst %s c%d = %s - i%d * n_%d;\n", indent, t->index, d, rest, d, d);
    } else {
      dc_buf_printf(t->b, "%sconst %s c0 = %s;\n", indent, t->index, rest);
    }
    emit_place_steps(t, &p->out, indent, d);
    for (int i = 0; i < p->nleaves; i++) emit_place_steps(t, &p->leaf[i], indent, d);
    snprintf(rest, sizeof rest, "i%d", d);
  }
}

/* One element a time: values of all operands at element i. */
void dc_emit_element_values(const dc_text *t, const char *indent) {
  char place[32];
  emit_places(t, indent);
  for (int i = 0; i < t->p->nleaves; i++) {
    if (t->p->leaf[i].layout == DC_LAYOUT_ONE) continue;
    snprintf(place, sizeof place, t->p->leaf[i].layout == DC_LAYOUT_FLAT ? "x%d[i]" : "x%d[x%d_at]", i, i);
    emit_value(t, indent, i, place);
  }
}

void dc_emit_entry(const dc_text *t) {
  dc_buf_printf(t->b, "extern \"C\" __global__ void __launch_bounds__(%d) " DC_ENTRY, DC_BLOCK);
  emit_params(t);
}

/* --- one element a thread ------------------------------------------------------------------------------ */

/* Several elements a thread, one block's width apart: what a thread does before its first element is paid
** once.  Only where the whole block has all of them is the loop unrolled. */
static void emit_rounds(const dc_text *t) {
  int block = DC_BLOCK * t->p->rounds;
  dc_emit_entry(t);
  dc_emit_single_values(t);
  dc_buf_printf(t->b, "  auto element = [&](const %s i) {\n", t->index);
  dc_emit_element_values(t, "    ");
  dc_emit_steps(t, DC_SCOPE_ELEMENT, "    ");
  dc_emit_store(t, "    ", t->p->out.layout == DC_LAYOUT_STRIDED ? "out[out_at]" : "out[i]");
  dc_buf_printf(t->b, "  };\n  const %s first = (%s)blockIdx.x * %d;\n  if (first + %d <= n) {\n#pragma unroll\n",
                t->index, t->index, block, block);
  dc_buf_printf(t->b, "    for (int k = 0; k < %d; k++) element(first + k * %d + (%s)threadIdx.x);\n", t->p->rounds,
                DC_BLOCK, t->index);
  dc_buf_printf(t->b, "  } else {\n#pragma unroll 1\n    for (%s i = first + (%s)threadIdx.x; i < n; i += %d) "
                "element(i);\n  }\n}\n", t->index, t->index, DC_BLOCK);
}

static void emit_plain(const dc_text *t) {
  dc_emit_entry(t);
  dc_buf_printf(t->b, "  const %s i = (%s)blockIdx.x * %d + (%s)threadIdx.x;\n  if (i >= n) return;\n", t->index,
                t->index, DC_BLOCK, t->index);
  dc_emit_single_values(t);
  dc_emit_element_values(t, "  ");
  dc_emit_steps(t, DC_SCOPE_ELEMENT, "  ");
  dc_emit_store(t, "  ", t->p->out.layout == DC_LAYOUT_STRIDED ? "out[out_at]" : "out[i]");
  dc_buf_puts(t->b, "}\n");
}

/* --- several elements a thread ---------------------------------------------------------------------------- */

static bool any_flat(const dc_program *p) {
  for (int i = 0; i < p->nleaves; i++)
    if (p->leaf[i].layout == DC_LAYOUT_FLAT) return true;
  return false;
}

static void emit_pack_loads(const dc_text *t) {
  const dc_program *p = t->p;
  for (int k = 0; k < p->nleaves; k++)
    if (p->leaf[k].layout == DC_LAYOUT_FLAT)
      dc_buf_printf(t->b, "  pack<%s> p%d;\n", dc_stored_as(p->leaf[k].dtype), k);
  dc_buf_printf(t->b, "  pack<%s> po;\n  const bool whole = first + %d <= n;\n", dc_stored_as(p->out.dtype), p->lanes);
  if (!any_flat(p)) return;
  dc_buf_puts(t->b, "  if (whole) {\n");
  for (int k = 0; k < p->nleaves; k++)
    if (p->leaf[k].layout == DC_LAYOUT_FLAT)
      dc_buf_printf(t->b, "    p%d = *(const pack<%s> *)(x%d + first);\n", k, dc_stored_as(p->leaf[k].dtype), k);
  dc_buf_printf(t->b, "  } else {\n#pragma unroll\n    for (int k = 0; k < %d; k++) {\n", p->lanes);
  dc_buf_puts(t->b, "      const bool in = first + k < n;\n");
  for (int k = 0; k < p->nleaves; k++)
    if (p->leaf[k].layout == DC_LAYOUT_FLAT)
      dc_buf_printf(t->b, "      p%d.v[k] = in ? x%d[first + k] : (%s)0;\n", k, k, dc_stored_as(p->leaf[k].dtype));
  dc_buf_puts(t->b, "    }\n  }\n");
}

static void emit_packed(const dc_text *t) {
  const dc_program *p = t->p;
  char place[32];
  dc_buf_printf(t->b, "template <typename T> struct __align__(sizeof(T) * %d) pack { T v[%d]; };\n", p->lanes,
                p->lanes);
  dc_emit_entry(t);
  dc_buf_printf(t->b, "  const %s first = ((%s)blockIdx.x * %d + (%s)threadIdx.x) * %d;\n  if (first >= n) return;\n",
                t->index, t->index, DC_BLOCK, t->index, p->lanes);
  dc_emit_single_values(t);
  emit_pack_loads(t);
  dc_buf_printf(t->b, "#pragma unroll\n  for (int k = 0; k < %d; k++) {\n", p->lanes);
  if (p->nsteps > 0 && p->step[0].op == DC_OP_IOTA) dc_buf_printf(t->b, "    const %s i = first + k;\n", t->index);
  for (int k = 0; k < p->nleaves; k++) {
    snprintf(place, sizeof place, "p%d.v[k]", k);
    if (p->leaf[k].layout == DC_LAYOUT_FLAT) emit_value(t, "    ", k, place);
  }
  dc_emit_steps(t, DC_SCOPE_ELEMENT, "    ");
  dc_emit_store(t, "    ", "po.v[k]");
  dc_buf_printf(t->b, "  }\n  if (whole) {\n    *(pack<%s> *)(out + first) = po;\n  } else {\n#pragma unroll\n",
                dc_stored_as(p->out.dtype));
  dc_buf_printf(t->b, "    for (int k = 0; k < %d; k++)\n      if (first + k < n) out[first + k] = po.v[k];\n  }\n}\n",
                p->lanes);
}

void dc_generate(const dc_program *p, dc_buf *text) {
  dc_text t = { .p = p, .b = text, .index = p->wide ? "long long" : "int" };
  if (p->nreduces > 0) dc_emit_reduction(&t);
  else if (p->lanes > 1) emit_packed(&t);
  else if (p->rounds > 1) emit_rounds(&t);
  else emit_plain(&t);
}
