/*
** approx.h - .approx operations: ex2, lg2, sin, cos, tanh in single precision, with the same bits on every instruction
** set.  Steps of polynomials are fused: rounded once everywhere.
**
** Errors, found by the unit test against long double: ex2 and lg2 under 2 ulp (lg2 near 1: 2^-22 absolute), sin and
** cos 2^-22 absolute for |x| < 2^20 (beyond, the argument's reduction loses bits, as on a GPU), tanh 2^-21 relative.
*/
#pragma once

#include "convert.h"

/* An f32 constant for all lanes. */
#define DC_F(x) ((dc_f){0} + (x))
/* Lanes of f32 by a comparison. */
#if DC_NW == 16
#define DC_WHERE(x, op, y, yes, no)                                                                                    \
  (dc_f) n_select(_mm512_cmp_ps_mask((__m512)(x), (__m512)(y), DC_IS_##op), (dc_u)(yes), (dc_u)(no))
#define DC_IS_LT _CMP_LT_OQ
#define DC_IS_GT _CMP_GT_OQ
#define DC_IS_EQ _CMP_EQ_OQ
#define DC_IS_UN _CMP_UNORD_Q
#else
#define DC_WHERE(x, op, y, yes, no) (dc_f) n_select((dc_m)((x)DC_IS_##op(y)), (dc_u)(yes), (dc_u)(no))
#define DC_IS_LT <
#define DC_IS_GT >
#define DC_IS_EQ ==
#define DC_IS_UN !=
#endif
/* x where it is NaN, else r. (UN compares x with itself.) */
#define DC_OR_NAN(x, r) DC_WHERE(x, UN, x, x, r)

/* x y + z, rounded once. */
DC_FN dc_f n_fused(dc_f x, dc_f y, dc_f z) { return (dc_f)n_fma_f32((dc_u)x, (dc_u)y, (dc_u)z); }
/* p x + a constant: a step of a polynomial. */
#define DC_STEP(p, x, constant) n_fused(p, x, DC_F(constant))

/* 2^x = 2^n 2^f with |f| <= 1/2, (2^f - 1) / f being a polynomial through Chebyshev's nodes there (error 2^-26.7).  2^n
** comes in two factors, so that subnormal results are rounded once.  NaN passes through all of it.  Adding and taking
** away 1.5 * 2^23 rounds to an integer, which is then in the sum's low bits. */
DC_FN dc_f n_exp2(dc_f x) {
  const dc_f c = (dc_f)n_above((dc_u)DC_F(-152.0f), n_below((dc_u)DC_F(129.0f), (dc_u)x));
#if DC_NW == 16
  const dc_f n = (dc_f)_mm512_roundscale_ps((__m512)c, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC), f = c - n;
#else
  const dc_f t = c + 12582912.0f, f = c - (t - 12582912.0f);
#endif
  dc_f p = DC_STEP(f, DC_F(1.54531634e-4f), 1.33908633e-3f);
  p = DC_STEP(p, f, 9.61808302e-3f);
  p = DC_STEP(p, f, 5.55035695e-2f);
  p = DC_STEP(p, f, 2.40226507e-1f);
  p = DC_STEP(p, f, 6.93147182e-1f);
  p = DC_STEP(p, f, 1.0f);
#if DC_NW == 16
  return (dc_f)_mm512_scalef_ps((__m512)p, (__m512)n);
#else
  const dc_s i = (dc_s)((dc_u)t - (dc_u)DC_F(12582912.0f)), half = i >> 1;
  return p * (dc_f)((half + 127) << 23) * (dc_f)((i - half + 127) << 23);
#endif
}
DC_FN dc_u n_ex2_f32(dc_u x) { return (dc_u)n_exp2((dc_f)x); }

/* x = 2^k m with m in [sqrt(1/2), sqrt(2)); log2(m) = 2/ln(2) atanh(s), s = (m - 1) / (m + 1), |s| < 0.172. */
DC_FN dc_u n_lg2_f32(dc_u bits) {
  const dc_f x = (dc_f)bits, zero = {0};
  const dc_u u = (dc_u)DC_WHERE(x, LT, DC_F(0x1p-126f), x * 0x1p23f, x);
  const dc_s k = (dc_s)(u - 0x3f3504f3u) >> 23;
  const dc_f m = (dc_f)(u - ((dc_u)k << 23)), s = (m - 1.0f) / (m + 1.0f), q = s * s;
  dc_f p = DC_STEP(q, DC_F(3.20598898e-1f), 4.12198583e-1f);
  p = DC_STEP(p, q, 5.77078016e-1f);
  p = DC_STEP(p, q, 9.61796694e-1f);
  p = DC_STEP(p, q, 2.88539008f);
  const dc_f whole = __builtin_convertvector(k, dc_f) - DC_WHERE(x, LT, DC_F(0x1p-126f), DC_F(23.0f), zero);
  dc_f r = n_fused(s, p, whole);
  r = DC_WHERE(x, EQ, DC_F(__builtin_inff()), x, r);
  r = DC_WHERE(x, EQ, zero, DC_F(-__builtin_inff()), r);
  r = DC_WHERE(x, LT, zero, DC_F(__builtin_nanf("")), r);
  return (dc_u)DC_OR_NAN(x, r);
}

/* The rest of x after whole quarter turns, which are counted from `quarter` in q.  In f64: the magic sum's low bits are
** the count.  Results of huge arguments are meaningless but stay within [-1, 1]; infinities give NaN. */
DC_FN dc_d n_quarters(dc_d x, dc_ul *q, u64 quarter) {
  const dc_d magic = (dc_d){0} + 6755399441055744.0, turns = (dc_d){0} + 0.63661977236758134308;
  const dc_d t = (dc_d)n_fma_f64((dc_ul)x, (dc_ul)turns, (dc_ul)magic), pi_half = (dc_d){0} + 1.57079632679489661923;
  *q = (dc_ul)t + quarter;
  return (dc_d)n_fma_f64((dc_ul)(-(t - magic)), (dc_ul)pi_half, (dc_ul)x);
}
DC_FN dc_u n_turn(dc_u x, u64 quarter) {
  dc_ul ql, qh;
  const dc_d l = n_quarters(n_lo_f64(x), &ql, quarter), h = n_quarters(n_hi_f64(x), &qh, quarter);
  const dc_u q = n_narrow(ql, qh), rest = n_narrow_f64(l, h);
  /* the constant first: NaN stays */
  const dc_f r = (dc_f)n_above((dc_u)DC_F(-0.8f), n_below((dc_u)DC_F(0.8f), rest)), z = r * r;
  dc_f s = DC_STEP(z, DC_F(2.75573192e-6f), -1.98412698e-4f);
  s = DC_STEP(s, z, 8.33333333e-3f);
  s = DC_STEP(s, z, -1.66666667e-1f);
  s = r * DC_STEP(z, s, 1.0f); /* a product, so that -0 stays -0 */
  dc_f c = DC_STEP(z, DC_F(-2.75573192e-7f), 2.48015873e-5f);
  c = DC_STEP(c, z, -1.38888889e-3f);
  c = DC_STEP(c, z, 4.16666667e-2f);
  c = DC_STEP(z, DC_STEP(z, c, -0.5f), 1.0f);
  const dc_u odd = -(q & 1u), value = ((dc_u)c & odd) | ((dc_u)s & ~odd);
  return value ^ (q & 2u) << 30;
}
DC_FN dc_u n_sin_f32(dc_u x) { return n_turn(x, 0); }
DC_FN dc_u n_cos_f32(dc_u x) { return n_turn(x, 1); }

/* 1 - 2 / (e^2x + 1) away from 0, Taylor below 0.35. */
DC_FN dc_u n_tanh_f32(dc_u bits) {
  const dc_f x = (dc_f)bits, a = (dc_f)(bits & 0x7fffffffu), z = a * a;
  const dc_f far = 1.0f - 2.0f / (n_exp2(a * 2.88539008f) + 1.0f);
  dc_f near = DC_STEP(z, DC_F(-8.86323553e-3f), 2.18694885e-2f);
  near = DC_STEP(near, z, -5.39682540e-2f);
  near = DC_STEP(near, z, 1.33333333e-1f);
  near = DC_STEP(near, z, -3.33333333e-1f);
  near = n_fused(a * z, near, a);
  const dc_f r = DC_WHERE(a, LT, DC_F(0.35f), near, far);
  return (dc_u)DC_OR_NAN(x, (dc_u)r | (bits & 0x80000000u));
}
DC_SCALAR_w_w(ex2_f32)
DC_SCALAR_w_w(lg2_f32)
DC_SCALAR_w_w(sin_f32)
DC_SCALAR_w_w(cos_f32)
DC_SCALAR_w_w(tanh_f32)
/* The lanes of x that are no positive normal numbers. */
DC_FN dc_m n_special(dc_u x) {
#if DC_NW == 16
  return _mm512_fpclass_ps_mask((__m512)x, 0xff); /* one instruction: all classes but that one */
#else
  return (dc_m)(x - 0x00800000u >= 0x7f000000u);
#endif
}
/* A guess y by halving the exponent, which is off by 3.4 %, so that |e| < 0.0682 for e = 1 - x y^2; then
** y / sqrt(1 - e) by a polynomial (error 2^-25.4, with the roundings 2^-23.2 at most).  That is multiplications alone,
** with the same bits everywhere: 16 lanes take a Xeon 6 cycles, where a root and a division take 35. */
DC_FN dc_u n_rsqrt_f32(dc_u x) {
  const dc_f one = DC_F(1.0f), y = (dc_f)(0x5f374800u - (x >> 1));
  const dc_f e = n_fused(-((dc_f)x * y), y, one);
  dc_f p = DC_STEP(e, DC_F(2.74913809e-1f), 3.13930544e-1f);
  p = DC_STEP(p, e, 3.74997811e-1f);
  p = DC_STEP(p, e, 4.99998347e-1f);
  const dc_u r = (dc_u)n_fused(y, p * e, y);
  const dc_m special = n_special(x);
  return __builtin_expect(n_word(special) == 0, 1) ? r : n_select(special, n_rcp_f32(n_sqrt_f32(x)), r);
}
DC_SCALAR_w_w(rsqrt_f32)
/* (A subnormal argument gives 1, as 0 does.) */
DC_LIFT_w_w(ex2_f32)
DC_W1(ex2_ftz, n_flush(n_ex2_f32(x)), s_flush(s_ex2_f32(x)))
DC_FTZ1(lg2)
DC_FTZ1(sin)
DC_FTZ1(cos)
DC_FTZ1(tanh)
DC_FTZ1(rsqrt)

/* A divisor beyond 2^126 has a reciprocal that is flushed: the quotient is 0, or NaN for an infinite dividend. */
DC_FN dc_u n_div_approx_f32(dc_u x, dc_u y) {
  const dc_u size = (y & 0x7fffffffu) - 0x7e800001u; /* 2^126 < |y| < inf */
  const dc_u flushed = (dc_u)((dc_f)x * 0.0f * (dc_f)y), q = n_div_f32(x, y);
#if DC_NW == 16
  return n_select(_mm512_cmplt_epu32_mask((__m512i)size, _mm512_set1_epi32(0x00ffffff)), flushed, q);
#else
  return n_select((dc_m)(size < 0x00ffffffu), flushed, q);
#endif
}
DC_FN u32 s_div_approx_f32(u32 x, u32 y) {
  const f32 flushed = bits_f32(x) * 0.0f * bits_f32(y);
  return (y & 0x7fffffffu) - 0x7e800001u < 0x00ffffffu ? f32_bits(flushed) : s_div_f32(x, y);
}
DC_FTZ2(div_approx)
/* The f64 forms with .ftz look at, and give, the upper 32 bits only. */
DC_FN u64 s_gross(u64 x) { return x & (u64)0x7ff << 52 ? x & ~(u64)0xffffffffu : x & DC_TOP64; }
DC_FN dc_ul n_gross(dc_ul x) {
  const dc_u high = (dc_u)(x & ~(u64)0xffffffffu), normal = ~(dc_u)((high & 0x7ff00000u) == 0);
  return (dc_ul)(high & (normal | 0x80000000u));
}
DC_D1(rcp_gross, n_gross(n_rcp_f64(n_gross(x))), s_gross(s_rcp_f64(s_gross(x))))
DC_D1(rsqrt_gross, n_gross(n_rcp_f64(n_sqrt_f64(n_gross(x)))), s_gross(s_rcp_f64(s_sqrt_f64(s_gross(x)))))
DC_D1(rsqrt_f64, n_rcp_f64(n_sqrt_f64(x)), s_rcp_f64(s_sqrt_f64(x)))
