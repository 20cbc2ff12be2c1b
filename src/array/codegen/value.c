/*
** value.c - values in generated code: their types, and conversions between them.
*/
#include "array/codegen/value.h"

#include <stdio.h>

#include "array/codegen/ir.h"
#include "array/codegen/text.h"
#include "base/buf.h"
#include "base/dtype.h"

const char *dc_ctype_of(dc_dtype t) {
  if (dc_dtype_is_half(t)) return "float";
  return t == DC_COMPLEX64 ? "c64" : t == DC_COMPLEX128 ? "c128" : dc_dtypes[t].ctype;
}

const char *dc_stored_as(dc_dtype t) {
  if (t == DC_BOOL) return "unsigned char"; /* users' kernels may have set it to anything */
  return dc_dtype_is_half(t) ? "unsigned short" : dc_ctype_of(t);
}

const char *dc_value_type(const dc_text *t, dc_dtype d) {
  return t->p->ir.body != NULL ? dc_dtypes[d].ctype : dc_ctype_of(d);
}

const char *dc_memory_type(const dc_text *t, dc_dtype d) {
  return t->p->ir.body != NULL && d != DC_BOOL ? dc_dtypes[d].ctype : dc_stored_as(d);
}

const char *dc_half_name(dc_dtype t) { return t == DC_FLOAT16 ? "half" : "brain"; }

void dc_from_memory(const char *v, dc_dtype t, char out[DC_VALUE_TEXT]) {
  if (t == DC_BOOL) snprintf(out, DC_VALUE_TEXT, "%s != 0", v);
  else if (dc_dtype_is_half(t)) snprintf(out, DC_VALUE_TEXT, "%s_value(%s)", dc_half_name(t), v);
  else snprintf(out, DC_VALUE_TEXT, "%s", v);
}

void dc_to_memory(const char *v, dc_dtype t, char out[DC_VALUE_TEXT]) {
  if (dc_dtype_is_half(t)) snprintf(out, DC_VALUE_TEXT, "%s_bits(%s)", dc_half_name(t), v);
  else snprintf(out, DC_VALUE_TEXT, "%s", v);
}

/* Floating to integer: toward zero, saturating, NaN gives 0 (the conversions of the hardware do not agree
** on NaN, so it is asked for). */
static void float_to_integer(const char *v, dc_dtype from, dc_dtype to, char out[DC_VALUE_TEXT]) {
  const char *f = from == DC_FLOAT64 ? "double" : "float";
  size_t size = dc_dtype_size(to);
  bool is_signed = dc_dtype_kind(to) == 'i';
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

/* To a 16-bit float, by way of a float32 (and of a double, for 64-bit integers) that is rounded to odd where it is not
** exact: so it is rounded but once (Boldo and Melquiond, Emulation of FMA and correctly rounded sums, 2008). */
static void to_half(const char *v, dc_dtype from, dc_dtype to, char out[DC_VALUE_TEXT]) {
  const char *name = dc_half_name(to);
  const bool direct = from == DC_FLOAT32 || dc_dtype_is_half(from);
  const bool small = dc_dtype_kind(from) != 'f' && dc_dtype_size(from) < 4;
  if (direct || small) snprintf(out, DC_VALUE_TEXT, "%s_round(%s%s)", name, direct ? "" : "(float)", v);
  else if (dc_dtype_kind(from) != 'f' && dc_dtype_size(from) == 8)
    snprintf(out, DC_VALUE_TEXT, "%s_round(odd_float(%s))", name, v);
  else snprintf(out, DC_VALUE_TEXT, "%s_round(odd_float((double)%s))", name, v);
}

static void to_complex(const char *v, dc_dtype from, dc_dtype to, char out[DC_VALUE_TEXT]) {
  const char *c = dc_ctype_of(to), *part = to == DC_COMPLEX64 ? "float" : "double";
  if (dc_dtype_kind(from) == 'c') snprintf(out, DC_VALUE_TEXT, "%s{ (%s)%s.x, (%s)%s.y }", c, part, v, part, v);
  else snprintf(out, DC_VALUE_TEXT, "%s{ (%s)%s, 0 }", c, part, v);
}

void dc_convert(const char *v, dc_dtype from, dc_dtype to, char out[DC_VALUE_TEXT]) {
  const char kf = dc_dtype_kind(from), kt = dc_dtype_kind(to);
  if (from == to) snprintf(out, DC_VALUE_TEXT, "%s", v);
  else if (to == DC_BOOL && kf == 'c') snprintf(out, DC_VALUE_TEXT, "(%s.x != 0 || %s.y != 0)", v, v);
  else if (to == DC_BOOL) snprintf(out, DC_VALUE_TEXT, "(%s != 0)", v);
  else if (kt == 'c') to_complex(v, from, to, out);
  else if (kf == 'c') snprintf(out, DC_VALUE_TEXT, "(%s)%s.x", dc_ctype_of(to), v); /* only asked of parts */
  else if (dc_dtype_is_half(to)) to_half(v, from, to, out);
  else if (kf == 'f' && kt != 'f') float_to_integer(v, from, to, out);
  else snprintf(out, DC_VALUE_TEXT, "(%s)%s", dc_ctype_of(to), v);
}

void dc_name_of(dc_ref r, char name[16]) {
  static const char letter[] = { [DC_REF_INSTRUCTION] = 't', [DC_REF_INPUT] = 'v', [DC_REF_NUMBER] = 's' };
  snprintf(name, 16, "%c%d", letter[r.kind], r.index);
}

void dc_value_as(const dc_text *t, dc_ref r, dc_dtype to, char out[DC_VALUE_TEXT]) {
  char name[16];
  dc_name_of(r, name);
  dc_convert(name, dc_ir_dtype(&t->p->ir, r), to, out);
}

static const char *unsigned_of(dc_dtype t) { return dc_dtype_size(t) == 8 ? "unsigned long long" : "unsigned int"; }

void dc_emit_arithmetic(dc_buf *b, const char *op, dc_dtype t, const char *l, const char *r) {
  if (dc_dtype_is_floating(t)) dc_buf_printf(b, "%s %s %s", l, op, r);
  else dc_buf_printf(b, "(%s)((%s)%s %s (%s)%s)", dc_ctype_of(t), unsigned_of(t), l, op, unsigned_of(t), r);
}
