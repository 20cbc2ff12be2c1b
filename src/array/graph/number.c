/* number.c - see number.h. */
#include "array/graph/number.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "base/error.h"
#include "base/half.h"
#include "base/line.h"

dc_dtype dc_dtype_real(dc_dtype t) {
  return t == DC_COMPLEX64 ? DC_FLOAT32 : t == DC_COMPLEX128 ? DC_FLOAT64 : t;
}

static int64_t lowest(dc_dtype t) {
  if (dc_dtype_kind(t) != 'i') return 0;
  return -1 - (int64_t)(UINT64_MAX >> (65 - 8 * dc_dtype_size(t)));
}

static uint64_t highest(dc_dtype t) {
  if (t == DC_BOOL) return 1;
  return UINT64_MAX >> (64 - 8 * dc_dtype_size(t) + (dc_dtype_kind(t) == 'i'));
}

static bool is_in_range(int64_t v, dc_dtype t) { return v >= lowest(t) && (v < 0 || (uint64_t)v <= highest(t)); }

static int fail_range(const char *text, dc_dtype t, dc_error *err) {
  if (t == DC_BOOL) return dc_fail(err, DC_DTYPE, NULL, "%s is neither true nor false: bool holds 0 and 1", text);
  return dc_fail(err, DC_DTYPE, NULL, "%s is out of range for %s (%" PRId64 " to %" PRIu64 ")", text, dc_dtype_name(t),
                 lowest(t), highest(t));
}

static int integer_from_int(int64_t v, dc_dtype t, dc_number *out, dc_error *err) {
  char text[32];
  if (t != DC_UINT64 && !is_in_range(v, t)) {
    snprintf(text, sizeof text, "%" PRId64, v);
    return fail_range(text, t, err);
  }
  out->i = v;
  return 0;
}

/* The shortest of 15 and 17 digits that gives the number back. */
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
  if (t == DC_UINT64) {
    if (v < 0 || v >= 0x1p64) return fail_range(text, t, err);
    out->u = (uint64_t)v;
    return 0;
  }
  if (v == floor(v) && v >= -0x1p63 && v < 0x1p63) return integer_from_int((int64_t)v, t, out, err);
  return fail_range(text, t, err);
}

static DC_COLD int fail_floating(double v, dc_dtype t, dc_error *err) {
  char text[32];
  return dc_fail(err, DC_DTYPE, NULL, "%s is out of range for %s (at most %.8g)", shown(v, text), dc_dtype_name(t),
                 dc_dtype_largest(t));
}

/* A float as registers hold it, rounded once. False: it is finite, but too large for the dtype, and became infinite. */
static inline bool round_real(double v, dc_dtype t, dc_number *out) {
  if (t == DC_FLOAT64) {
    out->f64 = v;
    return true;
  }
  const bool half = t != DC_FLOAT32;
  out->f32 = half ? (float)dc_half_value(dc_half_bits(v, t), t) : (float)v;
  return !isinf(out->f32) || isinf(v);
}

/* A double that rounds to the real dtype as the integer does. */
static double whole(int64_t v, dc_dtype t) { return t == DC_FLOAT64 ? (double)v : dc_half_round_once(v); }

/* Any number for a floating or complex dtype, but no complex one for a real dtype.  NULL, or the part, a finite one,
** that became infinite. */
static const double *round_parts(const dc_scalar *s, dc_dtype t, dc_number *out, double part[2]) {
  const dc_dtype real = dc_dtype_real(t);
  dc_number re, im;
  const int64_t i = s->kind == DC_SCALAR_BOOL ? s->b : s->i;
  const bool complex = s->kind == DC_SCALAR_COMPLEX;
  part[0] = complex ? s->re : s->kind == DC_SCALAR_FLOAT ? s->f : whole(i, real);
  part[1] = complex ? s->im : 0;
  const bool fits[2] = { round_real(part[0], real, &re), round_real(part[1], real, &im) };
  if (t == DC_COMPLEX64) {
    out->c64[0] = re.f32;
    out->c64[1] = im.f32;
  } else if (t == DC_COMPLEX128) {
    out->c128[0] = re.f64;
    out->c128[1] = im.f64;
  } else if (t == DC_FLOAT64) {
    out->f64 = re.f64;
  } else {
    out->f32 = re.f32;
  }
  return !fits[0] ? &part[0] : !fits[1] ? &part[1] : NULL;
}

/* `infinite`: what is too large for a floating dtype becomes infinite, else it is an error. */
static DC_NOINLINE int number_of(const dc_scalar *s, dc_dtype dtype, bool infinite, dc_number *out, dc_error *err) {
  const char kind = dc_dtype_kind(dtype);
  double part[2];
  if (s->kind == DC_SCALAR_COMPLEX && kind != 'c')
    return dc_fail(err, DC_DTYPE, NULL, "a complex number has no %s value; complex64 and complex128 have it",
                   dc_dtype_name(dtype));
  if (kind == 'f' || kind == 'c') {
    const double *large = round_parts(s, dtype, out, part);
    return large == NULL || infinite ? 0 : fail_floating(*large, dc_dtype_real(dtype), err);
  }
  if (s->kind == DC_SCALAR_FLOAT) return integer_from_float(s->f, dtype, out, err);
  return integer_from_int(s->kind == DC_SCALAR_BOOL ? s->b : s->i, dtype, out, err);
}

static inline int number_from(const dc_scalar *s, dc_dtype dtype, bool infinite, dc_number *out, dc_error *err) {
  out->dtype = dtype;
  memset(out->c128, 0, sizeof out->c128);
  if (s->kind == DC_SCALAR_FLOAT && dc_dtype_kind(dtype) == 'f')
    return DC_LIKELY(round_real(s->f, dtype, out)) || infinite ? 0 : fail_floating(s->f, dtype, err);
  return number_of(s, dtype, infinite, out, err);
}

DC_HOT int dc_number_from(const dc_scalar *s, dc_dtype dtype, dc_number *out, dc_error *err) {
  return number_from(s, dtype, false, out, err);
}

DC_HOT int dc_number_operand(const dc_scalar *s, dc_dtype dtype, dc_number *out, dc_error *err) {
  return number_from(s, dtype, true, out, err);
}

bool dc_number_is_exact(const dc_scalar *s, dc_dtype t, dc_number *out) {
  const char kind = dc_dtype_kind(t);
  if (kind != 'i' && kind != 'u') return false;
  const bool whole_float = s->kind == DC_SCALAR_FLOAT && s->f == floor(s->f) && fabs(s->f) < 0x1p63;
  if (s->kind != DC_SCALAR_INT && !whole_float) return false;
  const int64_t v = whole_float ? (int64_t)s->f : s->i;
  *out = (dc_number){ .dtype = t, .i = v };
  return is_in_range(v, t);
}

/* Little-endian bytes of an integer, sign-extended where the dtype is signed. */
static int64_t integer_at(const void *bytes, dc_dtype t) {
  uint64_t u = 0;
  size_t size = dc_dtype_size(t);
  if (size == 8) memcpy(&u, bytes, 8); /* of a length that the compiler knows, these are loads */
  else if (size == 4) memcpy(&u, bytes, 4);
  else memcpy(&u, bytes, size);
  if (dc_dtype_kind(t) == 'i' && size < 8) {
    uint64_t sign = (uint64_t)1 << (8 * size - 1);
    u = (u ^ sign) - sign;
  }
  return (int64_t)u;
}

void dc_number_store(const dc_number *v, void *bytes) {
  if (dc_dtype_is_half(v->dtype)) {
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
  switch (dc_dtype_kind(dtype)) {
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
