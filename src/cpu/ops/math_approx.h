/*
** math_approx.h - ex2, lg2, sin, cos, tanh in single precision, without branches, so that loops of them become vectors;
** the same bits on every instruction set.  Steps of polynomials are fused: exactly rounded once everywhere, by libm's
** fmaf where the instruction set has none.
**
** Errors, found by the unit test against long double: ex2 and lg2 under 2 ulp (lg2 near 1: 2^-22 absolute), sin and
** cos 2^-22 absolute for |x| < 2^20 (beyond, the argument's reduction loses bits, as on a GPU), tanh 2^-21 relative.
*/
#pragma once

#include "cpu/ops/lanes.h"

/* Adding and taking away 1.5 * 2^23 rounds to an integer, which is then in the sum's low bits. */
#define DC_ROUNDER 12582912.0f
#define DC_FUSED(x, y, z) __builtin_fmaf(x, y, z)

/* 2^x = 2^n 2^f with |f| <= 1/2, (2^f - 1) / f being a polynomial through Chebyshev's nodes there (error 2^-26.7).  2^n
** comes in two factors, so that subnormal results are rounded once.  NaN passes through all of it. */
static inline f32 approx_ex2(f32 x) {
  f32 c = 129.0f < x ? 129.0f : x;
  c = -152.0f > c ? -152.0f : c;
  const f32 t = c + DC_ROUNDER, f = c - (t - DC_ROUNDER);
  f32 p = DC_FUSED(f, 1.54531634e-4f, 1.33908633e-3f);
  p = DC_FUSED(p, f, 9.61808302e-3f);
  p = DC_FUSED(p, f, 5.55035695e-2f);
  p = DC_FUSED(p, f, 2.40226507e-1f);
  p = DC_FUSED(p, f, 6.93147182e-1f);
  p = DC_FUSED(p, f, 1.0f);
  const s32 i = (s32)(f32_bits(t) - f32_bits(DC_ROUNDER)), half = i >> 1;
  return p * bits_f32((u32)(half + 127) << 23) * bits_f32((u32)(i - half + 127) << 23);
}

/* x = 2^k m with m in [sqrt(1/2), sqrt(2)); log2(m) = 2/ln(2) atanh(s), s = (m - 1) / (m + 1), |s| < 0.172. */
static inline f32 approx_lg2(f32 x) {
  const bool tiny = x < 0x1p-126f;
  const u32 u = f32_bits(tiny ? x * 0x1p23f : x);
  const s32 k = (s32)(u - 0x3f3504f3u) >> 23;
  const f32 m = bits_f32(u - ((u32)k << 23)), s = (m - 1.0f) / (m + 1.0f), q = s * s;
  f32 p = DC_FUSED(q, 3.20598898e-1f, 4.12198583e-1f);
  p = DC_FUSED(p, q, 5.77078016e-1f);
  p = DC_FUSED(p, q, 9.61796694e-1f);
  p = DC_FUSED(p, q, 2.88539008f);
  const f32 whole = (f32)k - (tiny ? 23.0f : 0.0f);
  f32 r = DC_FUSED(s, p, whole);
  r = x == __builtin_inff() ? x : r;
  r = x == 0.0f ? -__builtin_inff() : r;
  r = x < 0.0f ? __builtin_nanf("") : r;
  return x != x ? x : r;
}

/* Quarter turns are counted, and taken away, in f64: the magic sum's low bits are the count.  Results of huge
** arguments are meaningless but stay within [-1, 1]; infinities give NaN. */
static inline f32 approx_turn(f32 x, u64 quarter) {
  const f64 magic = 6755399441055744.0, t = __builtin_fma(x, 0.63661977236758134308, magic);
  const f64 rest = __builtin_fma(-(t - magic), 1.57079632679489661923, x);
  const u64 q = f64_bits(t) + quarter;
  f32 r = (f32)rest;
  r = r > 0.8f ? 0.8f : r;
  r = r < -0.8f ? -0.8f : r;
  const f32 z = r * r;
  f32 s = DC_FUSED(z, 2.75573192e-6f, -1.98412698e-4f);
  s = DC_FUSED(s, z, 8.33333333e-3f);
  s = DC_FUSED(s, z, -1.66666667e-1f);
  s = r * DC_FUSED(z, s, 1.0f); /* a product, so that -0 stays -0 */
  f32 c = DC_FUSED(z, -2.75573192e-7f, 2.48015873e-5f);
  c = DC_FUSED(c, z, -1.38888889e-3f);
  c = DC_FUSED(c, z, 4.16666667e-2f);
  c = DC_FUSED(z, DC_FUSED(z, c, -0.5f), 1.0f);
  const u32 sign = (u32)(q & 2) << 30;
  return bits_f32(f32_bits(q & 1 ? c : s) ^ sign);
}
static inline f32 approx_sin(f32 x) { return approx_turn(x, 0); }
static inline f32 approx_cos(f32 x) { return approx_turn(x, 1); }

/* 1 - 2 / (e^2x + 1) away from 0, Taylor below 0.35. */
static inline f32 approx_tanh(f32 x) {
  const f32 a = __builtin_fabsf(x), z = a * a;
  const f32 far = 1.0f - 2.0f / (approx_ex2(a * 2.88539008f) + 1.0f);
  f32 near = DC_FUSED(z, -8.86323553e-3f, 2.18694885e-2f);
  near = DC_FUSED(near, z, -5.39682540e-2f);
  near = DC_FUSED(near, z, 1.33333333e-1f);
  near = DC_FUSED(near, z, -3.33333333e-1f);
  near = DC_FUSED(a * z, near, a);
  const f32 r = a < 0.35f ? near : far;
  return x != x ? x : bits_f32(f32_bits(r) | (f32_bits(x) & 0x80000000u));
}
