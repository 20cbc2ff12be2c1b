/*
** int.h - integer arithmetic of natively compiled kernels: add to div, min and max, dot products.
*/
#pragma once

#include "types.h"

/* n_name and v_name from an expression on vectors; DC_W1 and its like: s_name too, from one on scalars. */
#define DC_VW1(name, vec) DC_FN dc_u n_##name(dc_u x) { return vec; } DC_LIFT_w_w(name)
#define DC_VW2(name, vec) DC_FN dc_u n_##name(dc_u x, dc_u y) { return vec; } DC_LIFT_w_ww(name)
#define DC_VW3(name, vec) DC_FN dc_u n_##name(dc_u x, dc_u y, dc_u z) { return vec; } DC_LIFT_w_www(name)
#define DC_VD1(name, vec) DC_FN dc_ul n_##name(dc_ul x) { return vec; } DC_LIFT_d_d(name)
#define DC_VD2(name, vec) DC_FN dc_ul n_##name(dc_ul x, dc_ul y) { return vec; } DC_LIFT_d_dd(name)
#define DC_VD3(name, vec) DC_FN dc_ul n_##name(dc_ul x, dc_ul y, dc_ul z) { return vec; } DC_LIFT_d_ddd(name)
#define DC_W1(name, vec, sca) DC_VW1(name, vec) S_W1(name, sca)
#define DC_W2(name, vec, sca) DC_VW2(name, vec) S_W2(name, sca)
#define DC_W3(name, vec, sca) DC_VW3(name, vec) S_W3(name, sca)
#define DC_D1(name, vec, sca) DC_VD1(name, vec) S_D1(name, sca)
#define DC_D2(name, vec, sca) DC_VD2(name, vec) S_D2(name, sca)

#define LANE(name) n_##name
#define LANE_W1 DC_VW1
#define LANE_W2 DC_VW2
#define LANE_W3 DC_VW3
#define LANE_W4(name, vec)                                                                                             \
  DC_FN dc_u n_##name(dc_u x, dc_u y, dc_u z, dc_u v) { return vec; }                                                  \
  DC_LIFT_w_wwww(name)
#define LANE_ANY1(name, expr) DC_VW1(name##_16, S_LOW16(expr)) DC_VW1(name##_32, expr) DC_VD1(name##_64, expr)
#define LANE_ANY2(name, expr) DC_VW2(name##_16, S_LOW16(expr)) DC_VW2(name##_32, expr) DC_VD2(name##_64, expr)
#define LANE_ANY3(name, expr) DC_VW3(name##_16, S_LOW16(expr)) DC_VW3(name##_32, expr) DC_VD3(name##_64, expr)
#include "elementwise.h"

/* 16 bits, sign-extended. */
DC_FN dc_u n_sign16(dc_u x) { return (dc_u)((dc_s)(x << 16) >> 16); }
DC_FN dc_u n_negative(dc_u x) { return (dc_u)((dc_s)x >> 31); } /* 0 or ~0 */

DC_VW1(abs_32, (x ^ n_negative(x)) - n_negative(x))

/* --- order ---------------------------------------------------------------------------------------------------- */

/* Where there are no masks of bits, a comparison of 64-bit lanes is 0 or ~0. */
#if DC_NW != 16
#if DC_NW == 8
DC_FN dc_ul n_less_s64(dc_ul x, dc_ul y) { return (dc_ul)_mm256_cmpgt_epi64((__m256i)y, (__m256i)x); }
DC_FN dc_ul n_less_u64(dc_ul x, dc_ul y) {
  const dc_ul top = n_splat64((u64)1 << 63);
  return n_less_s64(x ^ top, y ^ top);
}
#else
/* The top bit of a 64-bit lane in all of it. */
DC_FN dc_ul n_sign_fill(dc_ul x) {
#if defined(DC_X86)
  return (dc_ul)_mm_shuffle_epi32(_mm_srai_epi32((__m128i)x, 31), 0xf5);
#else
  return (dc_ul)((dc_sl)x >> 63);
#endif
}
DC_FN dc_ul n_less_s64(dc_ul x, dc_ul y) { return n_sign_fill((x & ~y) | (~(x ^ y) & (x - y))); }
DC_FN dc_ul n_less_u64(dc_ul x, dc_ul y) { return n_sign_fill((~x & y) | (~(x ^ y) & (x - y))); }
#endif
#endif

#if DC_NW >= 8
#define DC_LEAST(V, f, less, x, y) (V) DC_MM(min_##f)((dc_mi)(x), (dc_mi)(y))
#define DC_MOST(V, f, less, x, y) (V) DC_MM(max_##f)((dc_mi)(x), (dc_mi)(y))
#else
#define DC_LEAST(V, f, T, x, y) n_select((dc_m)((T)(x) < (T)(y)), x, y)
#define DC_MOST(V, f, T, x, y) n_select((dc_m)((T)(x) < (T)(y)), y, x)
#endif
#if DC_NW == 16
#define DC_LEAST64 DC_LEAST
#define DC_MOST64 DC_MOST
#else
#define DC_LEAST64(V, f, less, x, y) n_select_64(less(x, y), x, y)
#define DC_MOST64(V, f, less, x, y) n_select_64(less(x, y), y, x)
#endif
DC_VW2(min_u32, DC_LEAST(dc_u, epu32, dc_u, x, y))
DC_VW2(max_u32, DC_MOST(dc_u, epu32, dc_u, x, y))
DC_VW2(min_s32, DC_LEAST(dc_u, epi32, dc_s, x, y))
DC_VW2(max_s32, DC_MOST(dc_u, epi32, dc_s, x, y))
DC_VD2(min_u64, DC_LEAST64(dc_ul, epu64, n_less_u64, x, y))
DC_VD2(max_u64, DC_MOST64(dc_ul, epu64, n_less_u64, x, y))
DC_VD2(min_s64, DC_LEAST64(dc_ul, epi64, n_less_s64, x, y))
DC_VD2(max_s64, DC_MOST64(dc_ul, epi64, n_less_s64, x, y))
DC_VD1(abs_64, n_max_s64(x, -x))

/* --- products of twice the width ------------------------------------------------------------------------------ */

/* Of the lower 32 bits of each 64-bit lane. */
#if defined(DC_X86)
DC_FN dc_ul n_product_u(dc_ul x, dc_ul y) { return (dc_ul)DC_MM(mul_epu32)((dc_mi)x, (dc_mi)y); }
#else
DC_FN dc_ul n_product_u(dc_ul x, dc_ul y) { return (x & 0xffffffffu) * (y & 0xffffffffu); }
#endif
#if DC_NW >= 8
DC_FN dc_ul n_product_s(dc_ul x, dc_ul y) { return (dc_ul)DC_MM(mul_epi32)((dc_mi)x, (dc_mi)y); }
#else
DC_FN dc_ul n_product_s(dc_ul x, dc_ul y) { /* a negative factor counts 2^32 too much */
  const dc_u sx = n_negative((dc_u)x) & (dc_u)y, sy = n_negative((dc_u)y) & (dc_u)x;
  return n_product_u(x, y) - ((dc_ul)(sx + sy) << 32);
}
#endif
#define DC_WIDE(t, product)                                                                                            \
  DC_FN dc_pair n_mulwide_##t(dc_u x, dc_u y) {                                                                        \
    return (dc_pair){product(n_lo_u64(x), n_lo_u64(y)), product(n_hi_u64(x), n_hi_u64(y))};                            \
  }                                                                                                                    \
  DC_LIFT_d_ww(mulwide_##t)                                                                                            \
  DC_FN V64 v_madwide_##t(V32 x, V32 y, V64 z) { return v_add_64(v_mulwide_##t(x, y), z); }                            \
  DC_FN dc_u n_mulhi_##t(dc_u x, dc_u y) {                                                                             \
    const dc_ul even = product((dc_ul)x, (dc_ul)y), odd = product((dc_ul)x >> 32, (dc_ul)y >> 32);                     \
    return (dc_u)((even >> 32) | (odd & ~(u64)0xffffffffu));                                                           \
  }                                                                                                                    \
  DC_LIFT_w_ww(mulhi_##t)
DC_WIDE(u32, n_product_u)
DC_WIDE(s32, n_product_s)
#define DC_LANEWISE64(name)                                                                                            \
  DC_LANEWISE2(name, dc_ul, u64)                                                                                       \
  DC_LIFT_d_dd(name)
DC_LANEWISE64(mulhi_u64)
DC_LANEWISE64(mulhi_s64)

/* --- division: by zero gives all ones, the smallest integer by -1 wraps --------------------------------------- */

/* Quotients of 32 bits by way of f64: x times the reciprocal of y, one unit in the last place above the nearest, which
** is no less than x / y and too little above to reach the next integer. */
DC_FN dc_d n_above_reciprocal(dc_d y) { return (dc_d)((dc_ul)(1.0 / y) + 1); }
#if DC_NW == 16
DC_FN dc_d n_reciprocal_lo(dc_u y) { return n_above_reciprocal((dc_d)_mm512_cvtepu32_pd(DC_LO(y))); }
DC_FN dc_d n_reciprocal_hi(dc_u y) { return n_above_reciprocal((dc_d)_mm512_cvtepu32_pd(DC_HI(y))); }
DC_FN dc_u n_times(dc_u x, dc_d lo, dc_d hi) {
  return DC_JOIN(_mm512_cvttpd_epu32(_mm512_cvtepu32_pd(DC_LO(x)) * (__m512d)lo),
                 _mm512_cvttpd_epu32(_mm512_cvtepu32_pd(DC_HI(x)) * (__m512d)hi));
}
DC_FN dc_m n_is_zero(dc_u x) { return _mm512_testn_epi32_mask((__m512i)x, (__m512i)x); }
#else
/* An integer below 2^52 in the low bits of 2^52 plus it, and a product back. */
DC_FN dc_d n_double(dc_ul x) {
  const dc_ul magic = n_splat64(0x4330000000000000u);
  return (dc_d)(x | magic) - (dc_d)magic;
}
DC_FN dc_ul n_times_half(dc_ul x, dc_d y) {
  const dc_d big = (dc_d)n_splat64(0x4330000000000000u), q = n_double(x) * y, r = q + big;
  return (dc_ul)r + (dc_ul)(r - big > q); /* rounded up: one too many */
}
DC_FN dc_d n_reciprocal_lo(dc_u y) { return n_above_reciprocal(n_double(n_lo_u64(y))); }
DC_FN dc_d n_reciprocal_hi(dc_u y) { return n_above_reciprocal(n_double(n_hi_u64(y))); }
DC_FN dc_u n_times(dc_u x, dc_d lo, dc_d hi) {
  return n_narrow(n_times_half(n_lo_u64(x), lo), n_times_half(n_hi_u64(x), hi));
}
DC_FN dc_m n_is_zero(dc_u x) { return (dc_m)(x == 0); }
#endif
DC_FN dc_u n_times_s(dc_u x, dc_d lo, dc_d hi, dc_u y) {
  const dc_u s = n_negative(x ^ y);
  return (n_times(n_abs_32(x), lo, hi) ^ s) - s;
}
DC_FN dc_u n_quotient(dc_u x, dc_u y) { return n_times(x, n_reciprocal_lo(y), n_reciprocal_hi(y)); }
DC_FN dc_u n_quotient_s(dc_u x, dc_u y) {
  return n_times_s(x, n_reciprocal_lo(n_abs_32(y)), n_reciprocal_hi(n_abs_32(y)), y);
}
DC_VW2(div_u32, n_select(n_is_zero(y), n_splat(~0u), n_quotient(x, y)))
DC_VW2(rem_u32, n_select(n_is_zero(y), n_splat(~0u), x - n_quotient(x, y) * y))
DC_VW2(div_s32, n_select(n_is_zero(y), n_splat(~0u), n_quotient_s(x, y)))
DC_VW2(rem_s32, n_select(n_is_zero(y), n_splat(~0u), x - n_quotient_s(x, y) * y))
/* By one number for all lanes, which has one reciprocal. */
#define DC_DIV_BY_(i, q) r.p##i = q(x.p##i);
#define DC_BY(name, magnitude, q)                                                                                      \
  DC_FN V32 v_##name##_by(V32 x, u32 y) {                                                                              \
    const dc_d by = n_reciprocal_lo(n_splat(magnitude));                                                               \
    V32 r;                                                                                                             \
    DC_PARTS(DC_DIV_BY_, q)                                                                                            \
    return y ? r : V32_splat(~0u);                                                                                     \
  }
#define DC_Q(x) n_times(x, by, by)
#define DC_Q_S(x) n_times_s(x, by, by, n_splat(y))
#define DC_REM(x) x - DC_Q(x) * y
#define DC_REM_S(x) x - DC_Q_S(x) * y
DC_BY(div_u32, y, DC_Q)
DC_BY(rem_u32, y, DC_REM)
DC_BY(div_s32, s_abs_32(y), DC_Q_S)
DC_BY(rem_s32, s_abs_32(y), DC_REM_S)
DC_LANEWISE64(div_u64)
DC_LANEWISE64(rem_u64)
DC_LANEWISE64(div_s64)
DC_LANEWISE64(rem_s64)

/* --- dot products --------------------------------------------------------------------------------------------- */

typedef int16_t dc_h DC_VECTOR;
typedef uint16_t dc_uh DC_VECTOR;
/* lower half * lower half + upper * upper, signed */
DC_FN dc_u n_halves(dc_h x, dc_h y) {
#if defined(DC_X86)
  return (dc_u)DC_MM(madd_epi16)((dc_mi)x, (dc_mi)y);
#else
  return n_sign16((dc_u)x) * n_sign16((dc_u)y) + (dc_u)((dc_s)x >> 16) * (dc_u)((dc_s)y >> 16);
#endif
}
DC_FN dc_h n_even_s(dc_u x) { return (dc_h)(x << 8) >> 8; }
DC_FN dc_h n_even_u(dc_u x) { return (dc_h)(x & 0x00ff00ffu); }
DC_FN dc_h n_odd_s(dc_u x) { return (dc_h)x >> 8; }
DC_FN dc_h n_odd_u(dc_u x) { return (dc_h)((dc_uh)x >> 8); }
DC_FN dc_u n_byte_s(dc_u x, int i) { return (dc_u)((dc_s)(x << (24 - 8 * i)) >> 24); }
DC_FN dc_u n_byte_u(dc_u x, int i) { return x >> 8 * i & 0xffu; }
DC_FN dc_u n_half_s(dc_u x, int i) { return (dc_u)((dc_s)(x << (16 - 16 * i)) >> 16); }
DC_FN dc_u n_half_u(dc_u x, int i) { return x >> 16 * i & 0xffffu; }
#define DC_DOT(a, b)                                                                                                   \
  DC_VW3(dp4a_##a##b, z + n_halves(n_even_##a(x), n_even_##b(y)) + n_halves(n_odd_##a(x), n_odd_##b(y)))
DC_DOT(s, s)
DC_DOT(s, u)
DC_DOT(u, s)
DC_DOT(u, u)
