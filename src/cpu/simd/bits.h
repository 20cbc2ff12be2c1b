/*
** bits.h - logic, shifts, bit fields, permutation of bytes, moves of natively compiled kernels.
*/
#pragma once

#include "int.h"

DC_FN P v_and_pred(P x, P y) { return P_and(x, y); }
DC_FN P v_or_pred(P x, P y) { return P_or(x, y); }
DC_FN P v_xor_pred(P x, P y) { return P_xor(x, y); }
DC_FN P v_not_pred(P x) { return P_not(x); }
DC_FN P v_mov_pred(P x) { return x; }
DC_FN M m_and_pred(M x, M y) { return x & y; }
DC_FN M m_or_pred(M x, M y) { return x | y; }
DC_FN M m_xor_pred(M x, M y) { return x ^ y; }
DC_FN M m_not_pred(M x) { return M_not(x); }
DC_FN M m_mov_pred(M x) { return x; }
DC_FN int s_and_pred(int x, int y) { return x & y; }
DC_FN int s_or_pred(int x, int y) { return x | y; }
DC_FN int s_xor_pred(int x, int y) { return x ^ y; }
DC_FN int s_not_pred(int x) { return !x; }
DC_FN int s_mov_pred(int x) { return x; }

/* --- shifts: past the width all bits go ----------------------------------------------------------------------- */

#if DC_NW >= 8
#define DC_SHIFT(how, x, y, else_) DC_MM(how)((dc_mi)(x), (dc_mi)(y))
#else
#define DC_SHIFT(how, x, y, else_) (else_)
#endif
DC_VW2(shl_32, (dc_u)DC_SHIFT(sllv_epi32, x, y, (x << (y & 31u)) & (dc_u)(y < 32u)))
DC_VW2(shr_u32, (dc_u)DC_SHIFT(srlv_epi32, x, y, (x >> (y & 31u)) & (dc_u)(y < 32u)))
DC_VW2(shr_s32, (dc_u)DC_SHIFT(srav_epi32, x, y, (dc_s)x >> n_min_u32(y, n_splat(31))))
/* Of 64 bits, by amounts below 2^32. */
#if DC_NW == 4
DC_FN dc_ul n_within(dc_ul y) { return n_sign_fill(y - 64); }
#endif
DC_FN dc_ul n_shl_64(dc_ul x, dc_ul y) { return (dc_ul)DC_SHIFT(sllv_epi64, x, y, (x << (y & 63)) & n_within(y)); }
DC_FN dc_ul n_shr_u64(dc_ul x, dc_ul y) { return (dc_ul)DC_SHIFT(srlv_epi64, x, y, (x >> (y & 63)) & n_within(y)); }
#if DC_NW == 16
DC_FN dc_ul n_shr_s64(dc_ul x, dc_ul y) { return (dc_ul)_mm512_srav_epi64((__m512i)x, (__m512i)y); }
#else
DC_FN dc_ul n_shr_s64(dc_ul x, dc_ul y) {
  const dc_ul sign = n_less_s64(x, n_splat64(0));
  return n_shr_u64(x ^ sign, y) ^ sign;
}
#endif
DC_LIFT_d_dw(shl_64)
DC_LIFT_d_dw(shr_u64)
DC_LIFT_d_dw(shr_s64)

/* Funnel shifts of y:x by n, at most 32. */
#define DC_FUNNEL(mode, amount)                                                                                     \
  DC_FN dc_u n_shf_l_##mode(dc_u x, dc_u y, dc_u z) {                                                                  \
    const dc_u n = amount;                                                                                             \
    return n_shl_32(y, n) | n_shr_u32(x, 32u - n);                                                                     \
  }                                                                                                                    \
  DC_FN dc_u n_shf_r_##mode(dc_u x, dc_u y, dc_u z) {                                                                  \
    const dc_u n = amount;                                                                                             \
    return n_shr_u32(x, n) | n_shl_32(y, 32u - n);                                                                     \
  }                                                                                                                    \
  DC_LIFT_w_www(shf_l_##mode)                                                                                          \
  DC_LIFT_w_www(shf_r_##mode)
DC_FUNNEL(wrap, z & 31u)
DC_FUNNEL(clamp, n_min_u32(z, n_splat(32)))

/* --- bit fields of 64 bits (of 32: composed.h) ---------------------------------------------------------------- */

/* The lowest n bits. */
DC_FN dc_ul n_ones_64(dc_ul n) { return ~n_shl_64(n_splat64(~(u64)0), n); }

DC_FN dc_ul n_bfe_u64(dc_ul x, dc_ul y, dc_ul z) { return n_shr_u64(x, y & 0xff) & n_ones_64(z & 0xff); }
DC_FN dc_ul n_bfe_s64(dc_ul x, dc_ul y, dc_ul z) {
  const dc_ul len = n_min_s64(z & 0xff, n_splat64(64)), up = 64 - len;
  return n_shr_s64(n_shl_64(n_shr_s64(x, y & 0xff), up), up);
}
DC_LIFT_d_dww(bfe_u64)
DC_LIFT_d_dww(bfe_s64)
DC_FN dc_ul n_bfi_64(dc_ul x, dc_ul y, dc_ul z, dc_ul v) {
  const dc_ul at = z & 0xff, field = n_shl_64(n_ones_64(v & 0xff), at);
  return (y & ~field) | (n_shl_64(x, at) & field);
}
DC_LIFT_d_ddww(bfi_64)

/* --- counting ------------------------------------------------------------------------------------------------- */

/* Leading zeros are in the exponent of x as f32, rounded down: the bits below the first are thinned out so that none
** carries. */
DC_FN dc_u n_clz_32(dc_u x) {
#if defined(DC_X86) && defined(__AVX512CD__)
  return (dc_u)_mm512_lzcnt_epi32((__m512i)x);
#else
  const dc_u thin = x & ~(x >> 1), exponent = (dc_u)__builtin_convertvector((dc_s)thin, dc_f) >> 23;
  return n_min_u32(158u - exponent, n_splat(32)) & ~n_negative(x);
#endif
}
DC_LIFT_w_w(clz_32)
DC_FN dc_u n_clz_64(dc_ul l, dc_ul h) {
  const dc_u high = n_narrow_high(l, h);
  return n_select(n_is_zero(high), n_clz_32(n_narrow(l, h)) + 32u, n_clz_32(high));
}
DC_LIFT_w_dpair(clz_64)
/* With AVX2 (Mula 2008, "SSSE3: fast popcount"): a table of the counts of 4 bits, then sums of bytes side by side. */
DC_FN dc_u n_popc_32(dc_u x) {
#if defined(DC_X86) && defined(__AVX512VPOPCNTDQ__)
  return (dc_u)_mm512_popcnt_epi32((__m512i)x);
#elif defined(DC_X86) && defined(__AVX2__) && DC_NW == 8
  const __m256i counts = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,
                                          0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
  const __m256i low = _mm256_shuffle_epi8(counts, (__m256i)(x & 0x0f0f0f0fu));
  const __m256i high = _mm256_shuffle_epi8(counts, (__m256i)(x >> 4 & 0x0f0f0f0fu));
  const __m256i pairs = _mm256_maddubs_epi16(_mm256_add_epi8(low, high), _mm256_set1_epi8(1));
  return (dc_u)_mm256_madd_epi16(pairs, _mm256_set1_epi16(1));
#else
  x = x - (x >> 1 & 0x55555555u);
  x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
  x = (x + (x >> 4)) & 0x0f0f0f0fu;
  x = x + (x >> 8);
  return (x + (x >> 16)) & 0x3fu;
#endif
}
DC_LIFT_w_w(popc_32)
DC_FN dc_u n_popc_64(dc_ul l, dc_ul h) { return n_popc_32(n_narrow(l, h)) + n_popc_32(n_narrow_high(l, h)); }
DC_LIFT_w_dpair(popc_64)
DC_FN dc_u n_brev_32(dc_u x) { DC_BREV(x); }
DC_LIFT_w_w(brev_32)
DC_FN dc_ul n_brev_64(dc_ul x) {
  const dc_ul swapped = (dc_ul)n_brev_32((dc_u)x);
  return swapped >> 32 | swapped << 32;
}
DC_LIFT_d_d(brev_64)
DC_FN dc_u n_bfind_u64(dc_ul l, dc_ul h) { return 63u - n_clz_64(l, h); }
DC_FN dc_ul n_magnitude(dc_ul x) { return x ^ n_shr_s64(x, n_splat64(63)); }
DC_FN dc_u n_bfind_s64(dc_ul l, dc_ul h) { return n_bfind_u64(n_magnitude(l), n_magnitude(h)); }
DC_LIFT_w_dpair(bfind_u64)
DC_LIFT_w_dpair(bfind_s64)

/* --- bytes and bits from several operands --------------------------------------------------------------------- */

LANE_W4(lop3_32, DC_LOP3(x, y, z, v))

#if DC_NW >= 8
#define DC_BYTES(x, at) (dc_u) DC_MM(shuffle_epi8)((dc_mi)(x), (dc_mi)(at))
#if DC_NW == 16
#define DC_BASE (dc_u) _mm512_broadcast_i32x4(_mm_setr_epi32(0, 0x04040404, 0x08080808, 0x0c0c0c0c))
#else
#define DC_BASE (dc_u) _mm256_broadcastsi128_si256(_mm_setr_epi32(0, 0x04040404, 0x08080808, 0x0c0c0c0c))
#endif
DC_FN dc_u n_prmt(dc_u x, dc_u y, dc_u z) {
  dc_u n = z & 0xffffu;
  n = (n | n << 8) & 0x00ff00ffu;
  n = (n | n << 4) & 0x0f0f0f0fu;
  const dc_u at = (n & 0x03030303u) | DC_BASE, upper = (n >> 2 & 0x01010101u) * 0xffu;
  const dc_u r = (DC_BYTES(x, at) & ~upper) | (DC_BYTES(y, at) & upper);
  const dc_u sign = (n >> 3 & 0x01010101u) * 0xffu, signs = (r >> 7 & 0x01010101u) * 0xffu;
  return (r & ~sign) | (signs & sign);
}
#else
DC_FN dc_u n_prmt(dc_u x, dc_u y, dc_u z) {
  dc_u r = {0};
  for (u32 i = 0; i < 4; i++) {
    const dc_u n = z >> 4 * i & 15u, upper = -(n >> 2 & 1u), sign = -(n >> 3);
    const dc_u b = n_shr_u32((x & ~upper) | (y & upper), (n & 3u) << 3) & 0xffu;
    r |= ((b & ~sign) | (-(b >> 7) & 0xffu & sign)) << 8 * i;
  }
  return r;
}
#endif
DC_LIFT_w_www(prmt)

#include "composed.h"

/* --- packing: two destinations come first, as pointers -------------------------------------------------------- */

#if DC_NW == 16
#define DC_PACK_(i, unused)                                                                                            \
  r.l##i = (dc_ul)n_mix(x.p##i, (n_iota() >> 1) + (n_iota() & 1) * 16, y.p##i);                                        \
  r.h##i = (dc_ul)n_mix(x.p##i, (n_iota() >> 1) + (n_iota() & 1) * 16 + 8, y.p##i);
#else
#define DC_PACK_(i, unused)                                                                                            \
  r.l##i = n_lo_u64(x.p##i) | n_lo_u64(y.p##i) << 32;                                                                  \
  r.h##i = n_hi_u64(x.p##i) | n_hi_u64(y.p##i) << 32;
#endif
DC_BY_PARTS(V64, v_pack_64, (V32 x, V32 y), DC_PACK_, )
DC_FN u64 s_pack_64(u32 x, u32 y) { return x | (u64)y << 32; }
DC_FN void v_unpack_32(V32 *lo, V32 *hi, V32 x) {
#define DC_UNPACK_(i, unused) lo->p##i = x.p##i & 0xffffu, hi->p##i = x.p##i >> 16;
  DC_PARTS(DC_UNPACK_, )
}
DC_FN void s_unpack_32(u32 *lo, u32 *hi, u32 x) { *lo = x & 0xffff, *hi = x >> 16; }
DC_FN void v_unpack_64(V32 *lo, V32 *hi, V64 x) {
#define DC_UNPACK64_(i, unused) lo->p##i = n_narrow(x.l##i, x.h##i), hi->p##i = n_narrow_high(x.l##i, x.h##i);
  DC_PARTS(DC_UNPACK64_, )
}
DC_FN void s_unpack_64(u32 *lo, u32 *hi, u64 x) { *lo = (u32)x, *hi = (u32)(x >> 32); }
