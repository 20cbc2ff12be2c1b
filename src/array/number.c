/*
** number.c - one number of Lua's as a value of an element type, and back.
*/
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array/expr.h"
#include "base/half.h"

static int64_t lowest(dc_dtype t) {
  if (dc_dtypes[t].kind != 'i') return 0;
  return -1 - (int64_t)(UINT64_MAX >> (65 - 8 * dc_dtype_size(t)));
}

static uint64_t highest(dc_dtype t) {
  if (t == DC_BOOL) return 1;
  return UINT64_MAX >> (64 - 8 * dc_dtype_size(t) + (dc_dtypes[t].kind == 'i'));
}

static int fail_range(const char *text, dc_dtype t, dc_error *err) {
  if (t == DC_BOOL) return dc_fail(err, DC_DTYPE, NULL, "%s is neither true nor false: bool holds 0 and 1", text);
  return dc_fail(err, DC_DTYPE, NULL, "%s is out of range for %s (%" PRId64 " to %" PRIu64 ")", text, dc_dtype_name(t),
                 lowest(t), highest(t));
}

static int integer_from_int(int64_t v, dc_dtype t, dc_number *out, dc_error *err) {
  char text[32];
  if (v < lowest(t) || (v > 0 && (uint64_t)v > highest(t))) {
    snprintf(text, sizeof text, "%" PRId64, v);
    return fail_range(text, t, err);
  }
  out->i = v;
  return 0;
}

/* As few digits as give the number back, or 17. */
static const char *shown(double v, char text[static 32]) {
  snprintf(text, 32, "%.15g", v);
  if (strtod(text, NULL) != v) snprintf(text, 32, "%.17g", v);
  return text;
}

static int integer_from_float(double v, dc_dtype t, dc_number *out, dc_error *err) {
  char text[32];
  shown(v, text);
  if ((!(v == floor(v)) || isinf(v)) && t != DC_BOOL)
    return dc_fail(err, DC_DTYPE, NULL, "%s has no integer representation, which %s needs", text, dc_dtype_name(t));
  if (v == floor(v) && v >= -0x1p63 && v < 0x1p63) return integer_from_int((int64_t)v, t, out, err);
  if (t != DC_UINT64 || v < 0 || v >= 0x1p64) return fail_range(text, t, err);
  out->u = (uint64_t)v;
  return 0;
}

static DC_RARELY int fail_floating(double v, dc_dtype t, dc_error *err) {
  char text[32];
  return dc_fail(err, DC_DTYPE, NULL, "%s is out of range for %s (at most %s)", shown(v, text), dc_dtype_name(t),
                 t == DC_FLOAT16 ? "65504" : t == DC_BFLOAT16 ? "3.3895314e+38" : "3.4028235e+38");
}

/* A float as registers hold it; what is too large for the dtype is an error. */
static int floating_from(double v, dc_dtype t, dc_number *out, dc_error *err) {
  if (t == DC_FLOAT64) {
    out->f64 = v;
    return 0;
  }
  const bool half = t != DC_FLOAT32;
  out->f32 = half ? (float)dc_half_value(dc_half_bits(v, t), t) : (float)v;
  return isinf(out->f32) && !isinf(v) ? fail_floating(v, t, err) : 0;
}

static int floating_from_int(int64_t v, dc_dtype t, dc_number *out, dc_error *err) {
  return floating_from(t == DC_FLOAT64 ? (double)v : dc_half_round_once(v), t, out, err);
}

static int complex_from(double re, double im, dc_dtype t, dc_number *out, dc_error *err) {
  dc_number part[2];
  const dc_dtype real = t == DC_COMPLEX64 ? DC_FLOAT32 : DC_FLOAT64;
  if (floating_from(re, real, &part[0], err) != 0 || floating_from(im, real, &part[1], err) != 0) return -1;
  for (int i = 0; i < 2; i++) {
    if (t == DC_COMPLEX64) out->c64[i] = part[i].f32;
    else out->c128[i] = part[i].f64;
  }
  return 0;
}

/* Any but a float for a real floating dtype. */
static DC_APART int number_of(const dc_scalar *s, dc_dtype dtype, dc_number *out, dc_error *err) {
  int64_t i = s->kind == DC_SCALAR_BOOL ? s->b : s->kind == DC_SCALAR_INT ? s->i : 0;
  if (dc_dtypes[dtype].kind == 'c' && s->kind == DC_SCALAR_COMPLEX) return complex_from(s->re, s->im, dtype, out, err);
  if (dc_dtypes[dtype].kind == 'c') {
    const double whole = dtype == DC_COMPLEX64 ? dc_half_round_once(i) : (double)i;
    return complex_from(s->kind == DC_SCALAR_FLOAT ? s->f : whole, 0, dtype, out, err);
  }
  if (s->kind == DC_SCALAR_COMPLEX)
    return dc_fail(err, DC_DTYPE, NULL, "a complex number has no %s value; complex64 and complex128 have it",
                   dc_dtype_name(dtype));
  if (dc_dtypes[dtype].kind == 'f') return floating_from_int(i, dtype, out, err);
  return s->kind == DC_SCALAR_FLOAT ? integer_from_float(s->f, dtype, out, err) : integer_from_int(i, dtype, out, err);
}

DC_HOT int dc_number_from(const dc_scalar *s, dc_dtype dtype, dc_number *out, dc_error *err) {
  out->dtype = dtype;
  memset(out->c128, 0, sizeof out->c128);
  if (s->kind == DC_SCALAR_FLOAT && dc_dtypes[dtype].kind == 'f') return floating_from(s->f, dtype, out, err);
  return number_of(s, dtype, out, err);
}

/* Little-endian bytes of an integer, sign-extended where the dtype is signed. */
static int64_t integer_at(const void *bytes, dc_dtype t) {
  uint64_t u = 0;
  size_t size = dc_dtype_size(t);
  memcpy(&u, bytes, size);
  if (dc_dtypes[t].kind == 'i' && size < 8) {
    uint64_t sign = (uint64_t)1 << (8 * size - 1);
    u = (u ^ sign) - sign;
  }
  return (int64_t)u;
}

void dc_number_store(const dc_number *v, void *bytes) {
  if (v->dtype == DC_FLOAT16 || v->dtype == DC_BFLOAT16) {
    uint16_t bits = dc_half_bits((double)v->f32, v->dtype);
    memcpy(bytes, &bits, sizeof bits);
  } else {
    memcpy(bytes, v->c128, dc_dtype_size(v->dtype)); /* little-endian, as the devices */
  }
}

/* One floating number of memory. */
static double floating_at(const void *bytes, dc_dtype t) {
  float f;
  double d;
  uint16_t h;
  switch (t) {
    case DC_FLOAT64: case DC_COMPLEX128: memcpy(&d, bytes, sizeof d); return d;
    case DC_FLOAT32: case DC_COMPLEX64: memcpy(&f, bytes, sizeof f); return (double)f;
    default: memcpy(&h, bytes, sizeof h); return dc_half_value(h, t);
  }
}

int dc_scalar_put(const dc_scalar *s, dc_dtype dtype, void *bytes, dc_error *err) {
  dc_number v;
  if (dc_number_from(s, dtype, &v, err) != 0) return -1;
  dc_number_store(&v, bytes);
  return 0;
}

void dc_scalar_get(const void *bytes, dc_dtype dtype, dc_scalar *out) {
  switch (dc_dtypes[dtype].kind) {
    case 'f': *out = (dc_scalar){ .kind = DC_SCALAR_FLOAT, .f = floating_at(bytes, dtype) }; break;
    case 'c': {
      const char *im = (const char *)bytes + dc_dtype_size(dtype) / 2;
      *out = (dc_scalar){ .kind = DC_SCALAR_COMPLEX, .re = floating_at(bytes, dtype), .im = floating_at(im, dtype) };
      break;
    }
    case 'b': *out = (dc_scalar){ .kind = DC_SCALAR_BOOL, .b = integer_at(bytes, dtype) != 0 }; break;
    default: *out = (dc_scalar){ .kind = DC_SCALAR_INT, .i = integer_at(bytes, dtype) }; break;
  }
}
