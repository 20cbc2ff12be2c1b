/*
** half.h - f16, f16x2 and bf16: to nearest even; every NaN becomes 0x7fff, as on a GPU; subnormals are kept.
*/
#pragma once

#include "approx.h"

/* --- f16 in the lower 16 bits of a lane, and f32 -------------------------------------------------------------- */

#if DC_NW == 16
DC_FN dc_u n_widen_f16(dc_u h) { return (dc_u)_mm512_cvtph_ps(_mm512_cvtepi32_epi16((__m512i)h)); }
DC_FN dc_u n_to_f16(dc_u x) {
  const __m512i h = _mm512_cvtepu16_epi32(_mm512_cvtps_ph((__m512)x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
  return n_select(_mm512_cmp_ps_mask((__m512)x, (__m512)x, _CMP_UNORD_Q), n_splat(0x7fff), (dc_u)h);
}
#elif DC_NW == 8 && defined(__F16C__)
DC_FN dc_u n_widen_f16(dc_u h) {
  h &= 0xffffu;
  return (dc_u)_mm256_cvtph_ps(_mm_packus_epi32(DC_LO(h), DC_HI(h)));
}
DC_FN dc_u n_to_f16(dc_u x) {
  const __m256i h = _mm256_cvtepu16_epi32(_mm256_cvtps_ph((__m256)x, _MM_FROUND_TO_NEAREST_INT));
  return n_select((dc_m)((dc_f)x != (dc_f)x), n_splat(0x7fff), (dc_u)h);
}
#else
/* In an f32's place a half is 2^112 too small, subnormals included. */
DC_FN dc_u n_widen_f16(dc_u h) {
  const dc_u size = (h & 0x7fffu) << 13, number = (dc_u)((dc_f)size * 0x1p112f);
  const dc_u special = (dc_u)(size >= 0x7c00u << 13);
  return (special & (size | 0x7f800000u)) | (~special & number) | (h & 0x8000u) << 16;
}
/* Normal results are rounded by an addition to the bits, subnormal ones by adding 0.5. */
DC_FN dc_u n_to_f16(dc_u x) {
  const dc_u size = x & 0x7fffffffu, normal = (size - (112u << 23) + 0xfffu + (size >> 13 & 1u)) >> 13;
  const dc_u tiny = (dc_u)((dc_f)size + 0.5f) - 0x3f000000u;
  dc_u h = n_select((dc_m)(size < 0x38800000u), tiny, normal);
  h = n_select((dc_m)(size >= 0x477ff000u), n_splat(0x7c00), h);
  return n_select((dc_m)(size > 0x7f800000u), n_splat(0x7fff), h | (x >> 16 & 0x8000u));
}
#endif
DC_SCALAR_w_w(widen_f16)
DC_SCALAR_w_w(to_f16)
DC_W1(cvt_f32_f16, n_widen_f16(x), s_widen_f16(x))
DC_W1(cvt_f16_f32, n_to_f16(x), s_to_f16(x))
/* An integer that f32 cannot hold is beyond f16 anyhow; every f16 is an f32. */
#define DC_HALF_TO_INT(r, T)                                                                                           \
  DC_W1(cvt_##r##_##T##_f16, n_cvt_##r##_##T##_f32(n_widen_f16(x)), s_cvt_##r##_##T##_f32(s_widen_f16(x)))
#define DC_HALF_TO_LONG(r, T)                                                                                          \
  DC_FN dc_pair n_cvt_##r##_##T##_f16(dc_u x) { return n_cvt_##r##_##T##_f32(n_widen_f16(x)); }                        \
  DC_FN u64 s_cvt_##r##_##T##_f16(u32 x) { return s_cvt_##r##_##T##_f32(s_widen_f16(x)); }                             \
  DC_LIFT_d_w(cvt_##r##_##T##_f16)
#define DC_HALF_WHOLE(r)                                                                                               \
  DC_HALF_TO_INT(r, s32)                                                                                               \
  DC_HALF_TO_INT(r, u32)                                                                                               \
  DC_HALF_TO_INT(r, s16)                                                                                               \
  DC_HALF_TO_INT(r, u16)                                                                                               \
  DC_HALF_TO_LONG(r, s64)                                                                                              \
  DC_HALF_TO_LONG(r, u64)                                                                                              \
  DC_FN dc_u n_cvt_##r##_f16_f16(dc_u x) { return n_to_f16(n_whole_##r(n_widen_f16(x))); }                             \
  DC_LIFT_w_w(cvt_##r##_f16_f16)                                                                                       \
  DC_SCALAR_w_w(cvt_##r##_f16_f16)
DC_HALF_WHOLE(rni)
DC_HALF_WHOLE(rzi)
DC_HALF_WHOLE(rmi)
DC_HALF_WHOLE(rpi)
/* bf16 is the upper half of an f32. */
DC_FN dc_u n_widen_bf16(dc_u x) { return x << 16; }
DC_FN dc_u n_to_bf16(dc_u x) {
  const dc_u r = (x + 0x7fffu + (x >> 16 & 1u)) >> 16;
  return n_select(n_is_nan(x), n_splat(0x7fff), r);
}
DC_SCALAR_w_w(to_bf16)
DC_W1(cvt_f32_bf16, n_widen_bf16(x), x << 16)
DC_W1(cvt_bf16_f32, n_to_bf16(x), s_to_bf16(x))

/* Directed roundings: the nearest half h, or its neighbour where h is on the other side of x. */
DC_FN dc_u n_less(dc_u x, dc_u y) { return (dc_u)((dc_f)x < (dc_f)y); } /* all ones where it is */
DC_FN dc_u n_beyond_rz(dc_u h, dc_u v, dc_u x) { return h + n_less(x & 0x7fffffffu, v & 0x7fffffffu); }
DC_FN dc_u n_beyond_rm(dc_u h, dc_u v, dc_u x) { return h + (n_less(x, v) & ((h >> 15 << 1) - 1u)); }
DC_FN dc_u n_beyond_rp(dc_u h, dc_u v, dc_u x) { return h + (n_less(v, x) & (1u - (h >> 15 << 1))); }
#define DC_TO_HALF(m, T)                                                                                               \
  DC_FN dc_u n_cvt_##m##_##T##_f32(dc_u x) {                                                                           \
    const dc_u h = n_to_##T(x);                                                                                        \
    return n_beyond_##m(h, n_widen_##T(h), x);                                                                         \
  }                                                                                                                    \
  DC_LIFT_w_w(cvt_##m##_##T##_f32)                                                                                     \
  DC_SCALAR_w_w(cvt_##m##_##T##_f32)
DC_TO_HALF(rz, f16)
DC_TO_HALF(rm, f16)
DC_TO_HALF(rp, f16)
DC_TO_HALF(rz, bf16)
DC_TO_HALF(rm, bf16)
DC_TO_HALF(rp, bf16)
/* tf32: 10 bits of fraction; ties away from zero, to even, or cut off. */
#define DC_TO_TF32(m, half)                                                                                            \
  DC_FN dc_u n_cvt_##m##_tf32_f32(dc_u x) {                                                                            \
    return n_select(n_is_nan(x), n_splat(0x7fffffff), (x + (half)) & ~0x1fffu);                                        \
  }                                                                                                                    \
  DC_LIFT_w_w(cvt_##m##_tf32_f32)                                                                                      \
  DC_SCALAR_w_w(cvt_##m##_tf32_f32)
DC_TO_TF32(rna, 0x1000u)
DC_TO_TF32(rn, 0xfffu + (x >> 13 & 1u))
DC_TO_TF32(rz, 0u)

/* Floats of 8 bits: e5m2 is the upper half of an f16; e4m3 has exponents 8 smaller, and NaN in place of infinities. */
DC_FN dc_u n_widen_e5m2(dc_u x) { return n_widen_f16(x << 8); }
DC_FN dc_u n_widen_e4m3(dc_u x) {
  const dc_u size = x & 0x7fu, number = (dc_u)((dc_f)n_widen_f16((x & 0x80u) << 8 | size << 7) * 256.0f);
  return n_select(n_is_zero(size ^ 0x7fu), n_splat(0x7fffffffu), number);
}
DC_SCALAR_w_w(widen_e5m2)
DC_SCALAR_w_w(widen_e4m3)

/* Two numbers, the first one to the upper half. */
#define DC_PAIR_OF(m, name)                                                                                            \
  DC_W2(cvt##m##_##name##x2_f32, n_cvt##m##_##name##_f32(x) << 16 | n_cvt##m##_##name##_f32(y),                        \
        s_cvt##m##_##name##_f32(x) << 16 | s_cvt##m##_##name##_f32(y))
DC_PAIR_OF(, f16)
DC_PAIR_OF(, bf16)
DC_PAIR_OF(_rz, f16)
DC_PAIR_OF(_rz, bf16)

#define DC_HALF_RELATION(cmp, ...)                                                                                     \
  DC_FN dc_m n_setp_##cmp##_f16(dc_u x, dc_u y) { return n_setp_##cmp##_f32(n_widen_f16(x), n_widen_f16(y)); }         \
  DC_LIFT_p_ww(setp_##cmp##_f16)                                                                                       \
  DC_FN int s_setp_##cmp##_f16(u32 x, u32 y) { return s_setp_##cmp##_f32(s_widen_f16(x), s_widen_f16(y)); }
DC_RELATIONS(DC_HALF_RELATION)

/* --- arithmetic ----------------------------------------------------------------------------------------------- */

/* Sums and products of f16 rounded to the 24 bits of f32 and then to 11 are right (24 >= 2 * 11 + 2, Figueroa 1995).
** Of a fused multiply-add the product is exact, and the sum is rounded to odd, so that the second rounding is as good
** as one (Boldo and Melquiond 2008). */
DC_FN dc_u n_add_to_odd_f32(dc_u x, dc_u y) {
  const dc_f s = (dc_f)x + (dc_f)y, e = n_sum_error_f32((dc_f)x, (dc_f)y, s);
  const dc_u u = (dc_u)s, toward = 1u - ((u ^ (dc_u)e) >> 31 << 1);
  return u + (toward & (dc_u)((e < DC_F(0.0f)) | (e > DC_F(0.0f))) & ((u & 1u) - 1u));
}
DC_FN dc_u n_fused_f32(dc_u x, dc_u y, dc_u z) { return n_add_to_odd_f32(n_mul_f32(x, y), z); }
/* f64 to f32, rounded to odd. */
DC_FN dc_u n_narrow_odd(dc_d l, dc_d h) {
  const dc_u f = n_narrow_f64(l, h);
  const dc_d el = l - n_lo_f64(f), eh = h - n_hi_f64(f), zero = {0};
  const dc_u toward = 1u - ((f ^ n_narrow_high((dc_ul)el, (dc_ul)eh)) >> 31 << 1);
  const dc_u inexact = n_narrow((dc_ul)((el < zero) | (el > zero)), (dc_ul)((eh < zero) | (eh > zero)));
  return f + (toward & inexact & ((f & 1u) - 1u));
}
/* bf16 has the exponents of f32, so products may overflow f32: x * y and x * y + z are rounded to odd, first at 53
** bits, then at 24. */
DC_FN dc_u n_product_bf16(dc_u x, dc_u y) {
  return n_narrow_odd(n_lo_f64(x) * n_lo_f64(y), n_hi_f64(x) * n_hi_f64(y));
}
DC_FN dc_u n_fused_bf16(dc_u x, dc_u y, dc_u z) {
  return n_narrow_odd(n_add_to_odd(n_lo_f64(x) * n_lo_f64(y), n_lo_f64(z)),
                      n_add_to_odd(n_hi_f64(x) * n_hi_f64(y), n_hi_f64(z)));
}
DC_FN dc_u n_sum_bf16(dc_u x, dc_u y) { return n_fused_bf16(x, DC_ONE_F32, y); }
DC_FN dc_u n_difference_bf16(dc_u x, dc_u y) { return n_fused_bf16(y ^ 0x80000000u, DC_ONE_F32, x); }
/* Of halves of type T, and of pairs of them: f of f32, so that the last rounding alone matters. */
#define DC_HALF2(name, T, f)                                                                                           \
  DC_FN dc_u n_##name##_##T(dc_u x, dc_u y) { return n_to_##T(f(n_widen_##T(x), n_widen_##T(y))); }                    \
  DC_FN dc_u n_##name##_##T##x2(dc_u x, dc_u y) {                                                                      \
    return n_##name##_##T(x & 0xffffu, y & 0xffffu) | n_##name##_##T(x >> 16, y >> 16) << 16;                          \
  }                                                                                                                    \
  DC_LIFT_w_ww(name##_##T)                                                                                             \
  DC_LIFT_w_ww(name##_##T##x2)                                                                                         \
  DC_SCALAR_w_ww(name##_##T)                                                                                           \
  DC_SCALAR_w_ww(name##_##T##x2)
#define DC_FMA(T, f)                                                                                                   \
  DC_FN dc_u n_fma_##T(dc_u x, dc_u y, dc_u z) { return n_to_##T(f(n_widen_##T(x), n_widen_##T(y), n_widen_##T(z))); } \
  DC_FN dc_u n_fma_##T##x2(dc_u x, dc_u y, dc_u z) {                                                                   \
    return n_fma_##T(x & 0xffffu, y & 0xffffu, z & 0xffffu) | n_fma_##T(x >> 16, y >> 16, z >> 16) << 16;              \
  }                                                                                                                    \
  DC_LIFT_w_www(fma_##T)                                                                                               \
  DC_LIFT_w_www(fma_##T##x2)                                                                                           \
  DC_SCALAR_w_www(fma_##T)                                                                                             \
  DC_SCALAR_w_www(fma_##T##x2)
#define DC_ARITHMETIC_OF(T, plus, minus, times, fused)                                                                 \
  DC_HALF2(add, T, plus)                                                                                               \
  DC_HALF2(sub, T, minus)                                                                                              \
  DC_HALF2(mul, T, times)                                                                                              \
  DC_HALF2(min, T, n_min_f32)                                                                                          \
  DC_HALF2(max, T, n_max_f32)                                                                                          \
  DC_FMA(T, fused)
DC_ARITHMETIC_OF(f16, n_add_f32, n_sub_f32, n_mul_f32, n_fused_f32)
DC_ARITHMETIC_OF(bf16, n_sum_bf16, n_difference_bf16, n_product_bf16, n_fused_bf16)
DC_W1(neg_f16, x ^ 0x8000u, x ^ 0x8000u)
DC_W1(abs_f16, x & 0x7fffu, x & 0x7fffu)
DC_W1(neg_f16x2, x ^ 0x80008000u, x ^ 0x80008000u)
DC_W1(abs_f16x2, x & 0x7fff7fffu, x & 0x7fff7fffu)
/* .ftz: a subnormal half becomes a zero of its sign. */
DC_FN u32 s_flush_f16(u32 h) { return h & 0x7c00u ? h : h & 0x8000u; }
DC_FN dc_u n_flush_f16(dc_u h) { return n_select(n_is_zero(h & 0x7c00u), h & 0x8000u, h); }
DC_W1(neg_ftz_f16, n_neg_f16(n_flush_f16(x)), s_neg_f16(s_flush_f16(x)))
