/*
** float.h - f32 and f64 arithmetic of natively compiled kernels: IEEE rounding, min, max, signs, classes.
**
** f32 operations come as NAME_f32, with .ftz as NAME_ftz.
*/
#pragma once

#include "compare.h"

/* --- f32 lanes as f64, and back ------------------------------------------------------------------------------- */

#if DC_NW == 16
DC_FN dc_d n_lo_f64(dc_u x) { return (dc_d)_mm512_cvtps_pd(_mm512_castps512_ps256((__m512)x)); }
DC_FN dc_d n_hi_f64(dc_u x) { return (dc_d)_mm512_cvtps_pd(_mm512_extractf32x8_ps((__m512)x, 1)); }
DC_FN dc_u n_narrow_f64(dc_d l, dc_d h) {
  return (dc_u)_mm512_insertf32x8(_mm512_castps256_ps512(_mm512_cvtpd_ps((__m512d)l)), _mm512_cvtpd_ps((__m512d)h), 1);
}
#elif DC_NW == 8
DC_FN dc_d n_lo_f64(dc_u x) { return (dc_d)_mm256_cvtps_pd(_mm256_castps256_ps128((__m256)x)); }
DC_FN dc_d n_hi_f64(dc_u x) { return (dc_d)_mm256_cvtps_pd(_mm256_extractf128_ps((__m256)x, 1)); }
DC_FN dc_u n_narrow_f64(dc_d l, dc_d h) {
  const __m128 low = _mm256_cvtpd_ps((__m256d)l), high = _mm256_cvtpd_ps((__m256d)h);
  return (dc_u)_mm256_insertf128_ps(_mm256_castps128_ps256(low), high, 1);
}
#elif defined(DC_X86)
DC_FN dc_d n_lo_f64(dc_u x) { return (dc_d)_mm_cvtps_pd((__m128)x); }
DC_FN dc_d n_hi_f64(dc_u x) { return (dc_d)_mm_cvtps_pd(_mm_movehl_ps((__m128)x, (__m128)x)); }
DC_FN dc_u n_narrow_f64(dc_d l, dc_d h) {
  return (dc_u)_mm_movelh_ps(_mm_cvtpd_ps((__m128d)l), _mm_cvtpd_ps((__m128d)h));
}
#else
/* On vectors of half the size: gcc 12 takes lanes that are converted one by one down and up again for the same. */
typedef f32 dc_half_f __attribute__((vector_size(8)));
DC_FN dc_d n_lo_f64(dc_u x) { return __builtin_convertvector(((dc_half_f){((dc_f)x)[0], ((dc_f)x)[1]}), dc_d); }
DC_FN dc_d n_hi_f64(dc_u x) { return __builtin_convertvector(((dc_half_f){((dc_f)x)[2], ((dc_f)x)[3]}), dc_d); }
DC_FN dc_u n_narrow_f64(dc_d l, dc_d h) {
  const dc_half_f a = __builtin_convertvector(l, dc_half_f), b = __builtin_convertvector(h, dc_half_f);
  return (dc_u)(dc_f){a[0], a[1], b[0], b[1]};
}
#endif

/* --- sums, products, quotients -------------------------------------------------------------------------------- */

/* x > y ? x : y, x < y ? x : y: y where either is NaN, and of zeros. */
#if defined(DC_X86)
DC_FN dc_u n_above(dc_u x, dc_u y) { return (dc_u)DC_MM(max_ps)((dc_mf)x, (dc_mf)y); }
DC_FN dc_u n_below(dc_u x, dc_u y) { return (dc_u)DC_MM(min_ps)((dc_mf)x, (dc_mf)y); }
DC_FN dc_ul n_above_64(dc_ul x, dc_ul y) { return (dc_ul)DC_MM(max_pd)((dc_md)x, (dc_md)y); }
DC_FN dc_ul n_below_64(dc_ul x, dc_ul y) { return (dc_ul)DC_MM(min_pd)((dc_md)x, (dc_md)y); }
#else
DC_FN dc_u n_above(dc_u x, dc_u y) { return n_select((dc_m)((dc_f)x > (dc_f)y), x, y); }
DC_FN dc_u n_below(dc_u x, dc_u y) { return n_select((dc_m)((dc_f)x < (dc_f)y), x, y); }
DC_FN dc_ul n_above_64(dc_ul x, dc_ul y) { return n_select_64((dc_ul)((dc_d)x > (dc_d)y), x, y); }
DC_FN dc_ul n_below_64(dc_ul x, dc_ul y) { return n_select_64((dc_ul)((dc_d)x < (dc_d)y), x, y); }
#endif

/* .sat: into [0, 1], NaN to +0. */
DC_FN dc_u n_saturate(dc_u x) { return n_below(n_above(x, n_splat(0)), n_splat(0x3f800000u)); }

/* The other forms of a f32 operation. */
#define DC_FTZ1(name)                                                                                                  \
  DC_LIFT_w_w(name##_f32)                                                                                              \
  DC_W1(name##_ftz, n_flush(n_##name##_f32(n_flush(x))), s_flush(s_##name##_f32(s_flush(x))))
#define DC_FTZ2(name)                                                                                                  \
  DC_LIFT_w_ww(name##_f32)                                                                                             \
  DC_W2(name##_ftz, n_flush(n_##name##_f32(n_flush(x), n_flush(y))), s_flush(s_##name##_f32(s_flush(x), s_flush(y))))
#define DC_FTZ3(name)                                                                                                  \
  DC_LIFT_w_www(name##_f32)                                                                                            \
  DC_W3(name##_ftz, n_flush(n_##name##_f32(n_flush(x), n_flush(y), n_flush(z))),                                       \
        s_flush(s_##name##_f32(s_flush(x), s_flush(y), s_flush(z))))
#define DC_ARITHMETIC(name, op)                                                                                        \
  DC_FN dc_u n_##name##_f32(dc_u x, dc_u y) { return (dc_u)((dc_f)x op(dc_f) y); }                                     \
  DC_FN u32 s_##name##_f32(u32 x, u32 y) { return f32_bits(bits_f32(x) op bits_f32(y)); }                     \
  DC_D2(name##_f64, (dc_ul)((dc_d)x op(dc_d) y), f64_bits(bits_f64(x) op bits_f64(y)))
DC_ARITHMETIC(add, +)
DC_ARITHMETIC(sub, -)
DC_ARITHMETIC(mul, *)
DC_ARITHMETIC(div, /)
DC_FTZ2(add)
DC_FTZ2(sub)
DC_FTZ2(mul)
DC_FTZ2(div)
#define DC_ONE_F32 n_splat(0x3f800000u)
#define DC_ONE_F64 n_splat64((u64)0x3ff << 52)
DC_FN dc_u n_rcp_f32(dc_u x) { return n_div_f32(DC_ONE_F32, x); }
DC_FN u32 s_rcp_f32(u32 x) { return s_div_f32(0x3f800000u, x); }
DC_FTZ1(rcp)
DC_D1(rcp_f64, n_div_f64(DC_ONE_F64, x), s_div_f64((u64)0x3ff << 52, x))
DC_FN u32 s_sqrt_f32(u32 x) { return f32_bits(__builtin_sqrtf(bits_f32(x))); }
DC_FN u64 s_sqrt_f64(u64 x) { return f64_bits(__builtin_sqrt(bits_f64(x))); }
#if defined(DC_X86)
DC_FN dc_u n_sqrt_f32(dc_u x) { return (dc_u)DC_MM(sqrt_ps)((dc_mf)x); }
DC_FN dc_ul n_sqrt_f64(dc_ul x) { return (dc_ul)DC_MM(sqrt_pd)((dc_md)x); }
#else
DC_LANEWISE1(sqrt_f32, dc_u, u32)
DC_LANEWISE1(sqrt_f64, dc_ul, u64)
#endif
DC_FTZ1(sqrt)
DC_LIFT_d_d(sqrt_f64)

/* --- fused multiply-add --------------------------------------------------------------------------------------- */

/* x + y and its error (Knuth's TwoSum); rounded to odd: the last bit tells that something was lost (see
** n_add_to_odd_f32 in half.h). */
DC_FN dc_d n_sum_error(dc_d x, dc_d y, dc_d s) {
  const dc_d v = s - x;
  return (x - (s - v)) + (y - v);
}
DC_FN dc_f n_sum_error_f32(dc_f x, dc_f y, dc_f s) {
  const dc_f v = s - x;
  return (x - (s - v)) + (y - v);
}
DC_FN dc_d n_add_to_odd(dc_d x, dc_d y) {
  const dc_d s = x + y, e = n_sum_error(x, y, s), zero = {0};
  const dc_ul u = (dc_ul)s, toward = 1 - ((u ^ (dc_ul)e) >> 63 << 1);
  const dc_ul inexact = (dc_ul)((e < zero) | (e > zero));
  return (dc_d)(u + (toward & inexact & ((u & 1) - 1)));
}
S_D3(fma_f64, f64_bits(__builtin_fma(bits_f64(x), bits_f64(y), bits_f64(z))))
#if (defined(__FMA__) && DC_NW >= 8) || defined(__FP_FAST_FMAF)
S_W3(fma_f32, f32_bits(__builtin_fmaf(bits_f32(x), bits_f32(y), bits_f32(z))))
#endif
#if defined(__FMA__) && DC_NW >= 8
DC_FN dc_u n_fma_f32(dc_u x, dc_u y, dc_u z) { return (dc_u)DC_MM(fmadd_ps)((dc_mf)x, (dc_mf)y, (dc_mf)z); }
DC_FN dc_ul n_fma_f64(dc_ul x, dc_ul y, dc_ul z) { return (dc_ul)DC_MM(fmadd_pd)((dc_md)x, (dc_md)y, (dc_md)z); }
#else
DC_LANEWISE3(fma_f64, dc_ul, u64)
#if defined(__FP_FAST_FMAF)
DC_LANEWISE3(fma_f32, dc_u, u32)
#else
/* The product is exact in f64.  Rounding the sum to f64 first is harmless unless it lies half way between two f32, or
** the result is subnormal: then the sum is rounded to odd, and may be rounded again. */
static __attribute__((noinline, unused)) dc_u n_fma_exact(dc_u x, dc_u y, dc_u z) {
  return n_narrow_f64(n_add_to_odd(n_lo_f64(x) * n_lo_f64(y), n_lo_f64(z)),
                      n_add_to_odd(n_hi_f64(x) * n_hi_f64(y), n_hi_f64(z)));
}
DC_FN dc_u n_fma_f32(dc_u x, dc_u y, dc_u z) {
  const dc_d l = n_lo_f64(x) * n_lo_f64(y) + n_lo_f64(z), h = n_hi_f64(x) * n_hi_f64(y) + n_hi_f64(z);
  const dc_u low = n_narrow((dc_ul)l, (dc_ul)h), high = n_narrow_high((dc_ul)l, (dc_ul)h) & 0x7fffffffu;
  const dc_u half_way = (dc_u)((low & 0x1fffffffu) == 0x10000000u), tiny = (dc_u)(high - 1u < 0x380fffffu);
  if (__builtin_expect(n_word((dc_m)(half_way | tiny)) != 0, 0)) return n_fma_exact(x, y, z);
  return n_narrow_f64(l, h);
}
DC_SCALAR_w_www(fma_f32)
#endif
#endif
DC_FTZ3(fma)
DC_LIFT_d_ddd(fma_f64)

/* --- directed rounding of f32 --------------------------------------------------------------------------------- */

#if DC_NW == 16
#define DC_MODE_rm (_MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC)
#define DC_MODE_rp (_MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC)
#define DC_MODE_rz (_MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC)
#define DC_DIRECTED(m)                                                                                                 \
  DC_FN dc_u n_add_##m##_f32(dc_u x, dc_u y) {                                                                         \
    return (dc_u)_mm512_add_round_ps((__m512)x, (__m512)y, DC_MODE_##m);                                               \
  }                                                                                                                    \
  DC_FN dc_u n_mul_##m##_f32(dc_u x, dc_u y) {                                                                         \
    return (dc_u)_mm512_mul_round_ps((__m512)x, (__m512)y, DC_MODE_##m);                                               \
  }                                                                                                                    \
  DC_FN dc_u n_fma_##m##_f32(dc_u x, dc_u y, dc_u z) {                                                                 \
    return (dc_u)_mm512_fmadd_round_ps((__m512)x, (__m512)y, (__m512)z, DC_MODE_##m);                                  \
  }                                                                                                                    \
  DC_FN dc_u n_narrow_##m(dc_d l, dc_d h) {                                                                            \
    return (dc_u)_mm512_insertf32x8(_mm512_castps256_ps512(_mm512_cvt_roundpd_ps((__m512d)l, DC_MODE_##m)),            \
                                    _mm512_cvt_roundpd_ps((__m512d)h, DC_MODE_##m), 1);                                \
  }
#else
/* The exact number is s + e, s its f64; the nearest f32 steps aside where it lies on the wrong side. */
DC_FN dc_ul n_too_high(dc_d near, dc_d s, dc_d e) { return (dc_ul)((near > s) | ((near == s) & (e < (dc_d){0}))); }
DC_FN dc_ul n_too_low(dc_d near, dc_d s, dc_d e) { return (dc_ul)((near < s) | ((near == s) & (e > (dc_d){0}))); }
DC_FN dc_u n_next_down(dc_u r) {
  return n_select(n_is_zero(r & 0x7fffffffu), n_splat(0x80000001u), r + (~n_negative(r) | 1u));
}
DC_FN dc_u n_next_up(dc_u r) { return n_select(n_is_zero(r & 0x7fffffffu), n_splat(1), r + (n_negative(r) | 1u)); }
DC_FN dc_u n_finish_rm(dc_u r, dc_d sl, dc_d sh, dc_d el, dc_d eh) {
  const dc_u high = n_narrow(n_too_high(n_lo_f64(r), sl, el), n_too_high(n_hi_f64(r), sh, eh));
  return n_select((dc_m)high, n_next_down(r), r);
}
DC_FN dc_u n_finish_rp(dc_u r, dc_d sl, dc_d sh, dc_d el, dc_d eh) {
  const dc_u low = n_narrow(n_too_low(n_lo_f64(r), sl, el), n_too_low(n_hi_f64(r), sh, eh));
  return n_select((dc_m)low, n_next_up(r), r);
}
DC_FN dc_u n_finish_rz(dc_u r, dc_d sl, dc_d sh, dc_d el, dc_d eh) {
  const dc_u high = n_narrow(n_too_high(n_lo_f64(r), sl, el), n_too_high(n_hi_f64(r), sh, eh));
  const dc_u low = n_narrow(n_too_low(n_lo_f64(r), sl, el), n_too_low(n_hi_f64(r), sh, eh));
  const dc_u beyond = n_select((dc_m)n_negative(r), low, high) & ~(dc_u)((r & 0x7fffffffu) == 0);
  return r + beyond;
}
/* Downwards, an exact sum of 0 is -0 unless both terms were +0. */
#define DC_ZERO_rm(r, s, x, y) ((r) | ((dc_ul)((s) == (dc_d){0}) & ((dc_ul)(x) | (dc_ul)(y)) & (u64)1 << 63))
#define DC_ZERO_rp(r, s, x, y) (r)
#define DC_ZERO_rz(r, s, x, y) (r)
#define DC_SUM_(m, xl, xh, yl, yh)                                                                                     \
  const dc_d sl = xl + yl, sh = xh + yh, el = n_sum_error(xl, yl, sl), eh = n_sum_error(xh, yh, sh);                   \
  const dc_ul l = DC_ZERO_##m((dc_ul)sl, sl, xl, yl), h = DC_ZERO_##m((dc_ul)sh, sh, xh, yh);                          \
  return n_finish_##m(n_narrow_f64((dc_d)l, (dc_d)h), sl, sh, el, eh)
/* Where the terms of a fused operation are neither tiny nor huge (else n_fma_…_exact gives the result), the number that
** the nearest f32, r, misses is known to its sign without f64; by a sum of error terms, each of them exact: Boldo and
** Muller, Exact and Approximated Error of the FMA, 2011. */
#if defined(__FMA__) && DC_NW == 8
DC_FN dc_f n_missed(dc_f x, dc_f y, dc_f z, dc_f r) {
  const dc_f product = x * y, product_error = (dc_f)n_fma_f32((dc_u)x, (dc_u)y, (dc_u)-product);
  const dc_f a = z + product_error, a_error = n_sum_error_f32(z, product_error, a);
  const dc_f b = product + a, b_error = n_sum_error_f32(product, a, b);
  return ((b - r) + b_error) + a_error;
}
/* Whether |x| is in [2^low, 2^high). */
DC_FN dc_u n_is_between(dc_u x, int low, int high) {
  return (dc_u)((x & 0x7fffffffu) - ((u32)(127 + low) << 23) < (u32)(high - low) << 23);
}
/* A result of 0 is exact, and downwards -0. */
#define DC_STEP_rm(r, missed)                                                                                          \
  ((r + ((dc_u)(missed < 0.0f) & (~n_negative(r) | 1u))) | ((dc_u)n_is_zero(r) & 0x80000000u))
#define DC_STEP_rp(r, missed) (r + ((dc_u)(missed > 0.0f) & (n_negative(r) | 1u)))
#define DC_STEP_rz(r, missed) (r + ((dc_u)(missed != 0.0f) & (n_negative((dc_u)missed) ^ n_negative(r))))
/* Downwards, z + x y for a constant integer z in the middle of [2^23, 2^24), where an f32's last bit counts 1, is z
** plus the product's floor: an exponential rounds so (its array takes 0.7 of the time). */
DC_FN int n_is_all(dc_u z, u32 constant) {
  return __builtin_constant_p(z[0]) && z[0] == constant && z[1] == z[0] && z[2] == z[0] && z[3] == z[0] &&
         z[4] == z[0] && z[5] == z[0] && z[6] == z[0] && z[7] == z[0];
}
#define DC_MIDDLE 0x4b400001u /* 1.5 * 2^23 + 1 */
DC_FN dc_u n_add_floor(dc_u x, dc_u y, dc_f product, dc_u z) {
  const dc_f whole = (dc_f)_mm256_floor_ps((__m256)product), rest = (dc_f)n_fma_f32(x, y, (dc_u)-product);
  const dc_u rounded_up = (dc_u)((whole == product) & (rest < 0.0f)) & 0x3f800000u;
  return (dc_u)((dc_f)z + (whole - (dc_f)rounded_up));
}
#define DC_FLOOR_rm(x, y, z)                                                                                           \
  if (n_is_all(z, DC_MIDDLE)) {                                                                                        \
    const dc_f product = (dc_f)x * (dc_f)y;                                                                            \
    const dc_u size = (dc_u)product & 0x7fffffffu; /* -0 may be a product that is too small */                         \
    if (DC_USUAL(n_word((dc_m)((size >= 0x4a800000u) | ((dc_u)product == 0x80000000u))) == 0))                         \
      return n_add_floor(x, y, product, z);                                                                            \
  }
#define DC_FLOOR_rp(x, y, z)
#define DC_FLOOR_rz(x, y, z)
#define DC_FUSED_DIRECTED(m)                                                                                           \
  DC_FN dc_u n_fma_##m##_f32(dc_u x, dc_u y, dc_u z) {                                                                 \
    DC_FLOOR_##m(x, y, z)                                                                                              \
    const dc_u r = n_fma_f32(x, y, z), product = (dc_u)((dc_f)x * (dc_f)y) & 0x7fffffffu;                              \
    /* else it may be too small */                                                                                     \
    const dc_u no_product = (dc_u)(n_is_zero(x & 0x7fffffffu) | n_is_zero(y & 0x7fffffffu));                          \
    const dc_u usual = n_is_between(z, -60, 100) & ((dc_u)(product - 1u < 227u << 23) | no_product);                   \
    if (DC_RARE(n_word((dc_m)~usual) != 0)) return n_fma_##m##_exact(x, y, z);                                         \
    const dc_f missed = n_missed((dc_f)x, (dc_f)y, (dc_f)z, (dc_f)r);                                                  \
    return DC_STEP_##m(r, missed);                                                                                     \
  }
#else
#define DC_FUSED_DIRECTED(m)                                                                                           \
  DC_FN dc_u n_fma_##m##_f32(dc_u x, dc_u y, dc_u z) { return n_fma_##m##_exact(x, y, z); }
#endif
#define DC_DIRECTED(m)                                                                                                 \
  DC_FN dc_u n_add_##m##_f32(dc_u x, dc_u y) {                                                                         \
    const dc_d xl = n_lo_f64(x), xh = n_hi_f64(x), yl = n_lo_f64(y), yh = n_hi_f64(y);                                 \
    DC_SUM_(m, xl, xh, yl, yh);                                                                                        \
  }                                                                                                                    \
  DC_CALL dc_u n_fma_##m##_exact(dc_u x, dc_u y, dc_u z) {                                                             \
    const dc_d xl = n_lo_f64(x) * n_lo_f64(y), xh = n_hi_f64(x) * n_hi_f64(y), yl = n_lo_f64(z), yh = n_hi_f64(z);     \
    DC_SUM_(m, xl, xh, yl, yh);                                                                                        \
  }                                                                                                                    \
  DC_FN dc_u n_narrow_##m(dc_d l, dc_d h) { return n_finish_##m(n_narrow_f64(l, h), l, h, (dc_d){0}, (dc_d){0}); }     \
  DC_FN dc_u n_mul_##m##_f32(dc_u x, dc_u y) {                                                                         \
    return n_narrow_##m(n_lo_f64(x) * n_lo_f64(y), n_hi_f64(x) * n_hi_f64(y));                                         \
  }                                                                                                                    \
  DC_FUSED_DIRECTED(m)
#endif
#define DC_DIRECTED_FORMS(m)                                                                                           \
  DC_DIRECTED(m)                                                                                                       \
  DC_FN dc_u n_sub_##m##_f32(dc_u x, dc_u y) { return n_add_##m##_f32(x, y ^ 0x80000000u); }                           \
  DC_SCALAR_w_ww(add_##m##_f32)                                                                                        \
  DC_SCALAR_w_ww(sub_##m##_f32)                                                                                        \
  DC_SCALAR_w_ww(mul_##m##_f32)                                                                                        \
  DC_SCALAR_w_www(fma_##m##_f32)                                                                                       \
  DC_FTZ2(add_##m)                                                                                                     \
  DC_FTZ2(sub_##m)                                                                                                     \
  DC_FTZ2(mul_##m)                                                                                                     \
  DC_FTZ3(fma_##m)
DC_DIRECTED_FORMS(rm)
DC_DIRECTED_FORMS(rp)
DC_DIRECTED_FORMS(rz)

/* --- directed rounding of sums of f64 ------------------------------------------------------------------------- */

#define DC_TOP64 ((u64)1 << 63)
#if DC_NW == 16
#define DC_SUMS_64(m)                                                                                                  \
  DC_FN dc_ul n_add_##m##_f64(dc_ul x, dc_ul y) {                                                                      \
    return (dc_ul)_mm512_add_round_pd((__m512d)x, (__m512d)y, DC_MODE_##m);                                            \
  }
DC_SUMS_64(rm)
DC_SUMS_64(rp)
DC_SUMS_64(rz)
#else
/* The nearest number steps aside where the sum's error, which is exact, lies on the other side, and where it has become
** infinite. */
DC_FN dc_ul n_negative_64(dc_ul x) { return (dc_ul)((dc_sl)x >> 63); }
DC_FN dc_ul n_overflows(dc_ul x, dc_ul y, dc_ul s) {
  const dc_d infinity = (dc_d)n_splat64((u64)0x7ff << 52);
  return (dc_ul)(((dc_d)(s & ~DC_TOP64) == infinity) & ((dc_d)(x & ~DC_TOP64) < infinity) &
                 ((dc_d)(y & ~DC_TOP64) < infinity));
}
DC_FN dc_ul n_add_rz_f64(dc_ul x, dc_ul y) {
  const dc_ul s = (dc_ul)((dc_d)x + (dc_d)y), e = (dc_ul)n_sum_error((dc_d)x, (dc_d)y, (dc_d)s);
  const dc_d error = (dc_d)e, zero = {0};
  return s + (((dc_ul)((error < zero) | (error > zero)) & n_negative_64(e ^ s)) | n_overflows(x, y, s));
}
DC_FN dc_ul n_add_rm_f64(dc_ul x, dc_ul y) {
  const dc_ul s = (dc_ul)((dc_d)x + (dc_d)y);
  const dc_d error = n_sum_error((dc_d)x, (dc_d)y, (dc_d)s), zero = {0};
  const dc_ul step = ((dc_ul)(error < zero) & (~n_negative_64(s) | 1u)) | (n_overflows(x, y, s) & ~n_negative_64(s));
  return DC_ZERO_rm(s + step, (dc_d)s, x, y);
}
DC_FN dc_ul n_add_rp_f64(dc_ul x, dc_ul y) { return n_add_rm_f64(x ^ DC_TOP64, y ^ DC_TOP64) ^ DC_TOP64; }
#endif
#define DC_SUM_FORMS_64(m)                                                                                             \
  DC_SCALAR_d_dd(add_##m##_f64)                                                                                        \
  DC_LIFT_d_dd(add_##m##_f64)                                                                                          \
  DC_D2(sub_##m##_f64, n_add_##m##_f64(x, y ^ DC_TOP64), s_add_##m##_f64(x, y ^ DC_TOP64))
DC_SUM_FORMS_64(rm)
DC_SUM_FORMS_64(rp)
DC_SUM_FORMS_64(rz)

/* --- order: the number wins over NaN, -0 is below +0 ---------------------------------------------------------- */

#if DC_NW == 16
#define DC_EXTREME(name, V, R, p, e, extreme, join)                                                                    \
  DC_FN V n_##name(V x, V y) {                                                                                         \
    const R a = (R)x, b = (R)y;                                                                                        \
    const __m512i r =                                                                                                  \
      (__m512i)_mm512_mask_mov_##p(_mm512_##extreme##_##p(a, b), _mm512_cmp_##p##_mask(b, b, _CMP_UNORD_Q), a);        \
    return (V)_mm512_mask_##join##_##e(r, _mm512_cmp_##p##_mask(a, b, _CMP_EQ_OQ), (__m512i)x, (__m512i)y);            \
  }
DC_EXTREME(min_f32, dc_u, __m512, ps, epi32, min, or)
DC_EXTREME(max_f32, dc_u, __m512, ps, epi32, max, and)
DC_EXTREME(min_f64, dc_ul, __m512d, pd, epi64, min, or)
DC_EXTREME(max_f64, dc_ul, __m512d, pd, epi64, max, and)
#else
#define DC_EXTREME(name, V, F, mask, select, extreme, join)                                                            \
  DC_FN V n_##name(V x, V y) {                                                                                         \
    const F a = (F)x, b = (F)y;                                                                                        \
    const V r = select((mask)(b != b), x, extreme(x, y));                                                              \
    return select((mask)(a == b), x join y, r);                                                                        \
  }
DC_EXTREME(min_f32, dc_u, dc_f, dc_m, n_select, n_below, |)
DC_EXTREME(max_f32, dc_u, dc_f, dc_m, n_select, n_above, &)
DC_EXTREME(min_f64, dc_ul, dc_d, dc_ul, n_select_64, n_below_64, |)
DC_EXTREME(max_f64, dc_ul, dc_d, dc_ul, n_select_64, n_above_64, &)
#endif
#define DC_EXTREME_S(name, T, F, from, op, join)                                                                       \
  DC_FN T s_##name(T x, T y) {                                                                                         \
    const F a = from(x), b = from(y);                                                                                  \
    return a == b ? x join y : b != b || a op b ? x : y;                                                               \
  }
DC_EXTREME_S(min_f32, u32, f32, bits_f32, <, |)
DC_EXTREME_S(max_f32, u32, f32, bits_f32, >, &)
DC_EXTREME_S(min_f64, u64, f64, bits_f64, <, |)
DC_EXTREME_S(max_f64, u64, f64, bits_f64, >, &)
DC_FTZ2(min)
DC_FTZ2(max)
DC_LIFT_d_dd(min_f64)
DC_LIFT_d_dd(max_f64)

/* --- signs ---------------------------------------------------------------------------------------------------- */

DC_W1(neg_f32, x ^ 0x80000000u, x ^ 0x80000000u)
DC_W1(abs_f32, x & 0x7fffffffu, x & 0x7fffffffu)
DC_W1(neg_ftz, n_flush(x) ^ 0x80000000u, s_flush(x) ^ 0x80000000u)
DC_W1(abs_ftz, n_flush(x) & 0x7fffffffu, s_flush(x) & 0x7fffffffu)
DC_D1(neg_f64, x ^ DC_TOP64, x ^ DC_TOP64)
DC_D1(abs_f64, x & ~DC_TOP64, x & ~DC_TOP64)
