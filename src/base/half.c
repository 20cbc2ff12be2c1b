/*
** half.c - rounding to 16-bit floats, and reading them.
*/
#include "base/half.h"

#include <math.h>

#include "base/dtype.h"

typedef struct dc_format {
  int digits; /* behind the point */
  int bias;   /* of the exponent */
} dc_format;

static dc_format format_of(dc_dtype t) {
  const int significand = dc_dtypes[t].significand;
  return (dc_format){ significand - 1, (1 << (15 - significand)) - 1 };
}

uint16_t dc_half_bits(double v, dc_dtype t) {
  const dc_format f = format_of(t);
  const uint16_t sign = signbit(v) ? 0x8000 : 0, infinite = (uint16_t)(0x7fff >> f.digits << f.digits);
  if (isnan(v)) return 0x7fff;
  if (isinf(v)) return sign | infinite;
  int e = v == 0 ? 1 - f.bias : ilogb(v);
  if (e < 1 - f.bias) e = 1 - f.bias; /* subnormal: the step stays */
  if (e > f.bias) return sign | infinite;
  double steps = rint(ldexp(fabs(v), f.digits - e)); /* 2^digits of them to the next power of two */
  double bits = steps + ldexp(e - 1 + f.bias, f.digits); /* a carry goes into the exponent */
  return sign | (bits >= infinite ? infinite : (uint16_t)bits);
}

double dc_half_value(uint16_t bits, dc_dtype t) {
  const dc_format f = format_of(t);
  const int exponent = (bits & 0x7fff) >> f.digits, most = 0x7fff >> f.digits;
  const int rest = bits & ((1 << f.digits) - 1);
  double v;
  if (exponent == most) v = rest ? NAN : INFINITY;
  else if (exponent == 0) v = ldexp(rest, 1 - f.bias - f.digits);
  else v = ldexp(rest + (1 << f.digits), exponent - f.bias - f.digits);
  return bits & 0x8000 ? -v : v;
}

int dc_half_overflows(double v, dc_dtype t) { return isfinite(v) && isinf(dc_half_value(dc_half_bits(v, t), t)); }

/* Bits that a double has no place for leave a mark in its last one. */
double dc_half_round_once(int64_t v) {
  const uint64_t u = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
  if (u >> 53 == 0) return (double)v;
  const double d = (double)(u >> 11 | ((u & 2047) != 0)) * 2048;
  return v < 0 ? -d : d;
}
