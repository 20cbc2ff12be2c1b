/*
** number.c - one number of Lua's as a value of an element type, and back.
*/
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "array/expr.h"

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

static int integer_from_float(double v, dc_dtype t, dc_number *out, dc_error *err) {
  char text[32];
  snprintf(text, sizeof text, "%.17g", v);
  if (!(v == floor(v)) || isinf(v)) return dc_fail(err, DC_DTYPE, NULL, "%s has no %s value", text, dc_dtype_name(t));
  if (v >= -0x1p63 && v < 0x1p63) return integer_from_int((int64_t)v, t, out, err);
  if (t != DC_UINT64 || v < 0 || v >= 0x1p64) return fail_range(text, t, err);
  out->u = (uint64_t)v;
  return 0;
}

static int floating_from(double v, dc_dtype t, dc_number *out, dc_error *err) {
  if (t == DC_FLOAT64) {
    out->f64 = v;
    return 0;
  }
  float f = (float)v;
  if (isinf(f) && !isinf(v)) return dc_fail(err, DC_DTYPE, NULL, "%.17g is out of range for float32", v);
  out->f32 = f;
  return 0;
}

/* Straight to float32: by way of double an integer would round twice. */
static int floating_from_int(int64_t v, dc_dtype t, dc_number *out) {
  if (t == DC_FLOAT64) out->f64 = (double)v;
  else out->f32 = (float)v;
  return 0;
}

int dc_number_from(const dc_scalar *s, dc_dtype dtype, dc_number *out, dc_error *err) {
  int64_t i = s->kind == DC_SCALAR_BOOL ? s->b : s->kind == DC_SCALAR_INT ? s->i : 0;
  *out = (dc_number){ .dtype = dtype, .bits = 0 };
  if (dc_dtypes[dtype].kind == 'f')
    return s->kind == DC_SCALAR_FLOAT ? floating_from(s->f, dtype, out, err) : floating_from_int(i, dtype, out);
  return s->kind == DC_SCALAR_FLOAT ? integer_from_float(s->f, dtype, out, err) : integer_from_int(i, dtype, out, err);
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

void dc_number_to(const void *bytes, dc_dtype dtype, dc_scalar *out) {
  if (dtype == DC_FLOAT32) {
    float f;
    memcpy(&f, bytes, sizeof f);
    *out = (dc_scalar){ .kind = DC_SCALAR_FLOAT, .f = (double)f };
  } else if (dtype == DC_FLOAT64) {
    *out = (dc_scalar){ .kind = DC_SCALAR_FLOAT };
    memcpy(&out->f, bytes, sizeof out->f);
  } else if (dtype == DC_BOOL) {
    *out = (dc_scalar){ .kind = DC_SCALAR_BOOL, .b = integer_at(bytes, dtype) != 0 };
  } else {
    *out = (dc_scalar){ .kind = DC_SCALAR_INT, .i = integer_at(bytes, dtype) };
  }
}
