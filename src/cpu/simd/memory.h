/*
** memory.h - loads and stores of natively compiled kernels, and checks of affine addresses.
**
** T is u8, s8, u16, s16, u32 (V32) or u64 (V64).  dc_row_T: lanes side by side from an address on; dc_stride_T: at a
** constant distance (strides.h; packs of values side by side: packs.h); dc_gather_T: anywhere (dc_far_…: the same as a
** call, where there are many: a call passes vectors through memory, which takes as long as a gather); dc_elements_T:
** elements of an array, by an index (elements.h).  Lanes that are not in the mask touch no memory, and read zero.
*/
#pragma once

#include "abi.h"
#include "lanes.h"

/* X(T, values, a lane, bytes) for each T. */
#define DC_NARROW_TYPES(X) X(u8, V32, u32, 1u) X(s8, V32, u32, 1u) X(u16, V32, u32, 2u) X(s16, V32, u32, 2u)
#define DC_TYPES(X) DC_NARROW_TYPES(X) X(u32, V32, u32, 4u) X(u64, V64, u64, 8u)

/* --- small things ----------------------------------------------------------------------------------------------- */

/* Lanes in memory that are read one by one: stored 16 bytes at a time, since some processors do not forward a lane from
** a wider store (a shared histogram of bytes: 0.35 ns a lane, by stores of 64 bytes 0.7, of 32 bytes 1.2). */
DC_FN void n_spill(void *t, dc_u x) {
#if DC_NW == 16
#define DC_SPILL_(j) _mm_storeu_si128((__m128i *)t + (j), _mm512_extracti32x4_epi32((__m512i)x, j));
  DC_SPILL_(0) DC_SPILL_(1) DC_SPILL_(2) DC_SPILL_(3)
#elif DC_NW == 8
  _mm_storeu_si128((__m128i *)t, DC_LO(x));
  _mm_storeu_si128((__m128i *)t + 1, DC_HI(x));
#else
  memcpy(t, &x, sizeof x);
#endif
}
DC_FN void V32_spill(u32 *t, V32 x) {
#define DC_SPILL32_(i, unused) n_spill(t + DC_NW * i, x.p##i);
  DC_PARTS(DC_SPILL32_, )
}
DC_FN void V64_spill(u64 *t, V64 x) {
#define DC_SPILL64_(i, unused) n_spill(t + DC_NW * i, (dc_u)x.l##i), n_spill(t + DC_NW * i + DC_NW / 2, (dc_u)x.h##i);
  DC_PARTS(DC_SPILL64_, )
}

/* The mask's first lane. */
DC_FN u32 dc_first_lane(u32 m) { return (u32)__builtin_ctz(m | 1u << 31); }

/* V_lane: the value of one lane; V_last: of the last lane in the mask, which remains when all store to one address. */
#define DC_LANE(V, R)                                                                                                  \
  DC_FN R V##_lane(V x, u32 lane) {                                                                                    \
    R t[DC_W];                                                                                                         \
    V##_spill(t, x);                                                                                                   \
    return t[lane];                                                                                                    \
  }
#if DC_NW == 16 && DC_P == 2
DC_FN u32 V32_lane(V32 x, u32 lane) {
  if (__builtin_constant_p(lane)) return lane < DC_NW ? x.p0[lane % DC_NW] : x.p1[lane % DC_NW];
  return ((dc_u)_mm512_permutex2var_epi32((__m512i)x.p0, _mm512_set1_epi32((int)lane), (__m512i)x.p1))[0];
}
#else
DC_LANE(V32, u32)
#endif
DC_LANE(V64, u64)
DC_FN u32 V32_last(V32 x, M m) { return V32_lane(x, 31 - (u32)__builtin_clz(M_word(m) | 1)); }
DC_FN u64 V64_last(V64 x, M m) { return V64_lane(x, 31 - (u32)__builtin_clz(M_word(m) | 1)); }

/* The lowest bits of x, and y above them: what a lane stores side by side. */
DC_FN V32 dc_beside(V32 x, V32 y, u32 bits) {
  V32 r;
#define DC_BESIDE_(i, unused) r.p##i = (x.p##i & ((1u << bits) - 1)) | y.p##i << bits;
  DC_PARTS(DC_BESIDE_, )
  return r;
}

/* Lanes of the mask only.  Where lanes may leave native code all live values are stored so, hence in few instructions:
** the compiler spends a quarter of its time there. */
#if DC_NW == 16
#define DC_STORE_SOME_32_(i, unused) _mm512_mask_storeu_epi32(p + 16 * i, DC_PART(m, i), (__m512i)x.p##i);
#define DC_STORE_SOME_64_(i, unused)                                                                                   \
  _mm512_mask_storeu_epi64(p + 16 * i, (__mmask8)DC_PART(m, i), (__m512i)x.l##i);                                      \
  _mm512_mask_storeu_epi64(p + 16 * i + 8, (__mmask8)(DC_PART(m, i) >> 8), (__m512i)x.h##i);
DC_FN void V32_store_some(u32 *p, V32 x, M m) { DC_PARTS(DC_STORE_SOME_32_, ) }
DC_FN void V64_store_some(u64 *p, V64 x, M m) { DC_PARTS(DC_STORE_SOME_64_, ) }
#else
DC_FN void V32_store_some(u32 *p, V32 x, M m) { V32_store(p, V32_select(m, x, V32_load(p))); }
DC_FN void V64_store_some(u64 *p, V64 x, M m) { V64_store(p, V64_select(m, x, V64_load(p))); }
#endif
DC_FN void V16_store_some(uint16_t *p, V32 x, M m) { V16_store(p, V32_select(m, x, V16_load(p))); }

/* --- affine values widened from 32 bits --------------------------------------------------------------------------- */

/* Lane l of a row where x + step * l may wrap around: first + exact * l + times * (ext(x + step * l) - ext(x)), where
** ext widens 32 bits, with `sign` signed ones (see analysis/uniformity.h).  That one does is rare. */
DC_FN u64 dc_lane_of_row(u64 first, u32 x, s64 step, s64 exact, s64 times, int sign, u32 l) {
  const u32 y = x + (u32)step * l;
  return first + (u64)exact * l + (u64)times * (sign ? (u64)((s64)(s32)y - (s32)x) : (u64)y - x);
}
DC_SLOW V64 dc_wrapped(u64 first, u32 x, s64 step, s64 exact, s64 times, int sign) {
  u64 t[DC_W];
  for (u32 l = 0; l < DC_W; l++) t[l] = dc_lane_of_row(first, x, step, exact, times, sign, l);
  return V64_load(t);
}

/* The lanes of an indexed value: base + times * ext(index). */
DC_FN V64 dc_indexed(u64 base, V32 index, u64 times, int sign) {
  V64 r = sign ? v_cvt_i64_s32_w(index) : v_cvt_i64_u32_w(index);
#define DC_INDEXED_(i, unused) r.l##i = base + times * r.l##i, r.h##i = base + times * r.h##i;
  DC_PARTS(DC_INDEXED_, )
  return r;
}

/* --- alignment, and bits that the machine ignores ----------------------------------------------------------------- */

/* Offset o in its space, whose bits `low` are to be 0, is address a. */
#define DC_BAD(o, low, a) DC_RARE((((o) & (low)) | ((a)&DC_IGNORED)) != 0)
DC_FN int dc_bad_addresses(V64 a, u64 base, unsigned bytes, M m) {
  const V64 at = V64_select(m, a, V64_splat(base));
  dc_ul any = {0}, all = {0};
#define DC_BITS_(i, unused) any |= (at.l##i - base) | (at.h##i - base), all |= at.l##i | at.h##i;
  DC_PARTS(DC_BITS_, )
  any = (any & (u64)(bytes - 1)) | (all & DC_IGNORED);
#if DC_NW == 16
  return _mm512_test_epi64_mask((__m512i)any, (__m512i)any) != 0;
#elif DC_NW == 8
  return !_mm256_testz_si256((__m256i)any, (__m256i)any);
#else
  return (any[0] | any[1]) != 0;
#endif
}
/* Whether the lanes of m are in the `bytes` bytes from `first` on. */
DC_FN int dc_are_within(V64 a, u64 first, u64 bytes, M m) {
  return (P_word(v_setp_ge_u64(v_sub_64(a, V64_splat(first)), V64_splat(bytes))) & M_word(m)) == 0;
}
/* Whether the bytes [a, a + bytes) of some lane of m are in two pages of 4096. */
DC_FN int dc_crosses_page(V64 a, u64 bytes, M m) {
  const V64 within = v_and_64(V64_select(m, a, V64_splat(0)), V64_splat(4095));
  return P_word(v_setp_gt_u64(within, V64_splat(4096 - bytes))) != 0;
}
DC_SLOW int dc_misaligned_row(u64 first, s64 stride, unsigned bytes, M m) {
  for (u32 w = M_word(m); w; w &= w - 1)
    if ((first + (u64)stride * (u64)__builtin_ctz(w)) & (bytes - 1)) return 1;
  return 0;
}

/* --- one access --------------------------------------------------------------------------------------------------- */

#define DC_AT(T, a) ((T *)(uintptr_t)(a))
#define DC_ONE(T, type, R)                                                                                             \
  DC_FN R dc_ld_##T(u64 a) {                                                                                           \
    type x;                                                                                                            \
    memcpy(&x, DC_AT(void, a), sizeof x);                                                                              \
    return (R)x;                                                                                                       \
  }                                                                                                                    \
  DC_FN void dc_st_##T(u64 a, R v) {                                                                                   \
    const type x = (type)v;                                                                                            \
    memcpy(DC_AT(void, a), &x, sizeof x);                                                                              \
  }
DC_ONE(u8, uint8_t, u32)
DC_ONE(s8, int8_t, u32)
DC_ONE(u16, uint16_t, u32)
DC_ONE(s16, int16_t, u32)
DC_ONE(u32, u32, u32)
DC_ONE(u64, u64, u64)

/* A byte that may be one of several side by side: GCC makes a load of a word of those at offsets from one pointer. */
DC_FN u32 dc_ld_byte(u64 a, s64 offset) {
  const uint8_t *const p = DC_AT(const uint8_t, a);
  return p[offset];
}

/* --- lane by lane ------------------------------------------------------------------------------------------------- */

#define DC_EACH_LANE(l, m) for (u32 w_ = M_word(m), l; w_ && (l = (u32)__builtin_ctz(w_), 1); w_ &= w_ - 1)
/* Loops are not unrolled in huge kernels (codegen/compile.c): with atomics GCC takes a sixth less time for them. */
#ifdef DC_HUGE
#define DC_UNROLL(pragma)
#else
#define DC_UNROLL(pragma) _Pragma(pragma)
#endif
/* DC_EACH_LANE for a statement; most often the first lanes are in the mask, up to the end of a row of threads. */
#define DC_LANES_DO(m, statement)                                                                                      \
  do {                                                                                                                 \
    if (m == DC_EVERY) {                                                                                               \
      DC_UNROLL("GCC unroll 8") for (u32 l = 0; l < DC_W; l++) statement;                                              \
    } else if (m && (m & (m + 1)) == 0) {                                                                              \
      DC_UNROLL("GCC unroll 4") for (u32 l = 0; l < 32u - (u32)__builtin_clz(m); l++) statement;                       \
    } else {                                                                                                           \
      DC_EACH_LANE(l, m) statement;                                                                                    \
    }                                                                                                                  \
  } while (0)

/* dc_each_gather_T and dc_each_scatter_T; dc_slow_…: where a row turns out to be none. */
#define DC_LANE_BY_LANE(T, V, R, size)                                                                                 \
  DC_CALL V dc_each_gather_##T(V64 a, s64 offset, M m) {                                                               \
    u64 at[DC_W];                                                                                                      \
    R t[DC_W];                                                                                                         \
    V64_spill(at, a);                                                                                                  \
    if (m != DC_EVERY) V##_store(t, V##_splat(0));                                                                     \
    DC_LANES_DO(m, t[l] = dc_ld_##T(at[l] + (u64)offset));                                                             \
    return V##_load(t);                                                                                                \
  }                                                                                                                    \
  DC_CALL void dc_each_scatter_##T(V64 a, s64 offset, V x, M m) {                                                      \
    u64 at[DC_W];                                                                                                      \
    R t[DC_W];                                                                                                         \
    V64_spill(at, a);                                                                                                  \
    V##_spill(t, x);                                                                                                   \
    DC_LANES_DO(m, dc_st_##T(at[l] + (u64)offset, t[l]));                                                              \
  }                                                                                                                    \
  DC_SLOW V dc_slow_gather_##T(V64 a, s64 offset, M m) { return dc_each_gather_##T(a, offset, m); }                    \
  DC_SLOW void dc_slow_scatter_##T(V64 a, s64 offset, V x, M m) { dc_each_scatter_##T(a, offset, x, m); }
DC_TYPES(DC_LANE_BY_LANE)

/* --- rows --------------------------------------------------------------------------------------------------------- */

/* Whole vectors may be loaded, and those of shared memory stored, where all are in a page that a lane of the mask
** accesses: no other thread accesses the pages of a block's shared memory. */
DC_FN int dc_is_within_page(u64 a, u64 bytes, M m) { return M_any(m) && (a & 4095) <= 4096 - bytes; }

#if DC_NW == 16
/* n_row_T, n_put_row_T: one native vector. */
DC_FN dc_u n_row_u32(u64 a, dc_m m) { return (dc_u)_mm512_maskz_loadu_epi32(m, DC_AT(const void, a)); }
DC_FN dc_u n_row_u16(u64 a, dc_m m) {
  return (dc_u)_mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(m, DC_AT(const void, a)));
}
DC_FN dc_u n_row_s16(u64 a, dc_m m) {
  return (dc_u)_mm512_cvtepi16_epi32(_mm256_maskz_loadu_epi16(m, DC_AT(const void, a)));
}
DC_FN dc_u n_row_u8(u64 a, dc_m m) { return (dc_u)_mm512_cvtepu8_epi32(_mm_maskz_loadu_epi8(m, DC_AT(const void, a))); }
DC_FN dc_u n_row_s8(u64 a, dc_m m) { return (dc_u)_mm512_cvtepi8_epi32(_mm_maskz_loadu_epi8(m, DC_AT(const void, a))); }
DC_FN dc_ul n_row_lo(u64 a, dc_m m) { return (dc_ul)_mm512_maskz_loadu_epi64((__mmask8)m, DC_AT(const void, a)); }
DC_FN dc_ul n_row_hi(u64 a, dc_m m) { return n_row_lo(a, (dc_m)(m >> 8)); }
DC_FN void n_put_row_u32(u64 a, dc_u x, dc_m m) { _mm512_mask_storeu_epi32(DC_AT(void, a), m, (__m512i)x); }
DC_FN void n_put_row_u16(u64 a, dc_u x, dc_m m) {
  _mm256_mask_storeu_epi16(DC_AT(void, a), m, _mm512_cvtepi32_epi16((__m512i)x));
}
DC_FN void n_put_row_u8(u64 a, dc_u x, dc_m m) {
  _mm_mask_storeu_epi8(DC_AT(void, a), m, _mm512_cvtepi32_epi8((__m512i)x));
}
DC_FN void n_put_row_lo(u64 a, dc_ul x, dc_m m) { _mm512_mask_storeu_epi64(DC_AT(void, a), (__mmask8)m, (__m512i)x); }
DC_FN void n_put_row_hi(u64 a, dc_ul x, dc_m m) { n_put_row_lo(a, x, (dc_m)(m >> 8)); }
DC_FN void n_put_row_s8(u64 a, dc_u x, dc_m m) { n_put_row_u8(a, x, m); }
DC_FN void n_put_row_s16(u64 a, dc_u x, dc_m m) { n_put_row_u16(a, x, m); }

/* Parts without lanes are left out: they may lie behind an array, where the processor takes some 60 ns to find that it
** has nothing to access.  Where the first part begins there is most often a lane. */
#define DC_HAS(part, m) (part == 0 || DC_USUAL((dc_m)(m) != 0))
#define DC_ROW_PART_(i, T, size)                                                                                       \
  r.p##i = DC_HAS(i, DC_PART(m, i)) ? n_row_##T(a + (size)*DC_NW * i, DC_PART(m, i)) : (dc_u){0};
#define DC_PUT_PART_(i, T, size)                                                                                       \
  if (DC_HAS(i, DC_PART(m, i))) n_put_row_##T(a + (size)*DC_NW * i, x.p##i, DC_PART(m, i));
#define DC_ROWS(T, V, R, size)                                                                                         \
  DC_FN V32 dc_row_##T(u64 a, M m) {                                                                                   \
    V32 r;                                                                                                             \
    DC_PARTS(DC_ROW_PART_, T, size)                                                                                    \
    return r;                                                                                                          \
  }                                                                                                                    \
  DC_FN void dc_put_row_##T(u64 a, V32 x, M m) { DC_PARTS(DC_PUT_PART_, T, size) }
DC_NARROW_TYPES(DC_ROWS)
DC_ROWS(u32, V32, u32, 4u)
#define DC_ROW64_(i, unused)                                                                                           \
  r.l##i = DC_HAS(i, DC_PART(m, i) & 0xff) ? n_row_lo(a + 8u * DC_NW * i, DC_PART(m, i)) : (dc_ul){0};                 \
  r.h##i = DC_HAS(1, DC_PART(m, i) >> 8) ? n_row_hi(a + 8u * DC_NW * i + 4u * DC_NW, DC_PART(m, i)) : (dc_ul){0};
DC_BY_PARTS(V64, dc_row_u64, (u64 a, M m), DC_ROW64_, )
DC_FN void dc_put_row_u64(u64 a, V64 x, M m) {
#define DC_PUT64_(i, unused)                                                                                           \
  if (DC_HAS(i, DC_PART(m, i) & 0xff)) n_put_row_lo(a + 8u * DC_NW * i, x.l##i, DC_PART(m, i));                        \
  if (DC_HAS(1, DC_PART(m, i) >> 8)) n_put_row_hi(a + 8u * DC_NW * i + 4u * DC_NW, x.h##i, DC_PART(m, i));
  DC_PARTS(DC_PUT64_, )
}
#define dc_put_shared_row_u8 dc_put_row_u8
#define dc_put_shared_row_s8 dc_put_row_s8
#define dc_put_shared_row_u16 dc_put_row_u16
#define dc_put_shared_row_s16 dc_put_row_s16
#define dc_put_shared_row_u32 dc_put_row_u32
#define dc_put_shared_row_u64 dc_put_row_u64
#else
/* The whole row of a gang. */
#if DC_NW == 8
DC_FN dc_u n_load_u8(u64 a) { return (dc_u)_mm256_cvtepu8_epi32(_mm_loadl_epi64(DC_AT(const __m128i, a))); }
DC_FN dc_u n_load_s8(u64 a) { return (dc_u)_mm256_cvtepi8_epi32(_mm_loadl_epi64(DC_AT(const __m128i, a))); }
DC_FN void n_store_u8(u64 a, dc_u x) { /* the low bytes of four lanes, twice */
  const __m256i low = _mm256_setr_epi8(0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 0, 4, 8, 12, -1, -1,
                                       -1, -1, -1, -1, -1, -1, -1, -1, -1, -1);
  const __m256i b = _mm256_shuffle_epi8((__m256i)x, low);
  _mm_storel_epi64(DC_AT(__m128i, a), _mm_unpacklo_epi32(DC_LO(b), DC_HI(b)));
}
#else
typedef uint8_t dc_bytes __attribute__((vector_size(DC_NW)));
typedef int8_t dc_signed_bytes __attribute__((vector_size(DC_NW)));
DC_FN dc_u n_load_u8(u64 a) {
  dc_bytes x;
  memcpy(&x, DC_AT(const void, a), sizeof x);
  return __builtin_convertvector(x, dc_u);
}
DC_FN dc_u n_load_s8(u64 a) {
  dc_signed_bytes x;
  memcpy(&x, DC_AT(const void, a), sizeof x);
  return (dc_u)__builtin_convertvector(x, dc_s);
}
DC_FN void n_store_u8(u64 a, dc_u x) {
  const dc_bytes b = __builtin_convertvector(x, dc_bytes);
  memcpy(DC_AT(void, a), &b, sizeof b);
}
#endif
DC_FN dc_u n_load_s16(u64 a) { return (dc_u)((dc_s)(n_load16(DC_AT(const uint16_t, a)) << 16) >> 16); }
#define DC_BYTES_(i, f) r.p##i = f(a + DC_NW * i);
DC_BY_PARTS(V32, dc_whole_u8, (u64 a), DC_BYTES_, n_load_u8)
DC_BY_PARTS(V32, dc_whole_s8, (u64 a), DC_BYTES_, n_load_s8)
#define DC_HALVES_(i, f) r.p##i = f(a + 2u * DC_NW * i);
DC_BY_PARTS(V32, dc_whole_s16, (u64 a), DC_HALVES_, n_load_s16)
DC_FN V32 dc_whole_u16(u64 a) { return V16_load(DC_AT(const uint16_t, a)); }
DC_FN V32 dc_whole_u32(u64 a) { return V32_load(DC_AT(const u32, a)); }
DC_FN V64 dc_whole_u64(u64 a) { return V64_load(DC_AT(const u64, a)); }
#define DC_PUT_BYTES_(i, unused) n_store_u8(a + DC_NW * i, x.p##i);
DC_FN void dc_put_whole_u8(u64 a, V32 x) { DC_PARTS(DC_PUT_BYTES_, ) }
DC_FN void dc_put_whole_u16(u64 a, V32 x) { V16_store(DC_AT(uint16_t, a), v_cvt_i16_u16_w(x)); }
DC_FN void dc_put_whole_u32(u64 a, V32 x) { V32_store(DC_AT(u32, a), x); }
DC_FN void dc_put_whole_u64(u64 a, V64 x) { V64_store(DC_AT(u64, a), x); }
#define dc_put_whole_s8 dc_put_whole_u8
#define dc_put_whole_s16 dc_put_whole_u16

/* A part of one, lane by lane: a call, since it would be long. */
#define DC_PART_ROW(T, V, R, size)                                                                                     \
  DC_SLOW V dc_part_row_##T(u64 a, M m) {                                                                              \
    R t[DC_W];                                                                                                         \
    V##_store(t, V##_splat(0));                                                                                        \
    DC_EACH_LANE(l, m) t[l] = dc_ld_##T(a + (size)*l);                                                                 \
    return V##_load(t);                                                                                                \
  }                                                                                                                    \
  DC_CALL void dc_put_part_row_##T(u64 a, V x, M m) {                                                                  \
    R t[DC_W];                                                                                                         \
    V##_spill(t, x);                                                                                                   \
    DC_EACH_LANE(l, m) dc_st_##T(a + (size)*l, t[l]);                                                                  \
  }
#define DC_ROWS(T, V, R, size)                                                                                         \
  DC_PART_ROW(T, V, R, size)                                                                                           \
  DC_FN V dc_row_##T(u64 a, M m) {                                                                                     \
    if (DC_USUAL(m == DC_EVERY)) return dc_whole_##T(a);                                                               \
    if (DC_USUAL(dc_is_within_page(a, size * DC_W, m))) return V##_select(m, dc_whole_##T(a), V##_splat(0));           \
    return dc_part_row_##T(a, m);                                                                                      \
  }                                                                                                                    \
  DC_FN void dc_put_row_##T(u64 a, V x, M m) {                                                                         \
    if (DC_USUAL(m == DC_EVERY)) dc_put_whole_##T(a, x);                                                               \
    else dc_put_some_##T(a, x, m);                                                                                     \
  }                                                                                                                    \
  DC_FN void dc_put_shared_row_##T(u64 a, V x, M m) {                                                                  \
    if (DC_USUAL(m == DC_EVERY)) dc_put_whole_##T(a, x);                                                               \
    else if (DC_USUAL(dc_is_within_page(a, size * DC_W, m))) dc_put_whole_##T(a, V##_select(m, x, dc_whole_##T(a)));   \
    else dc_put_part_row_##T(a, x, m);                                                                                 \
  }
#define dc_put_some_u8 dc_put_part_row_u8
#define dc_put_some_s8 dc_put_part_row_s8
#define dc_put_some_u16 dc_put_part_row_u16
#define dc_put_some_s16 dc_put_part_row_s16
#if DC_NW == 8
/* Vectors without lanes are left out, as above; masked stores take AMD's processors ten times as long as plain ones. */
DC_FN void n_put_some(u64 a, dc_u x, dc_u m, u32 lanes, u32 all) {
  if (lanes == all) memcpy(DC_AT(void, a), &x, sizeof x);
  else if (lanes) _mm256_maskstore_epi32(DC_AT(int, a), (__m256i)m, (__m256i)x);
}
#define DC_PUT_SOME_(i, unused)                                                                                        \
  n_put_some(a + 32u * i, x.p##i, (dc_u)DC_PART(m, i), m >> 8 * i & 0xff, 0xff);
DC_FN void dc_put_some_u32(u64 a, V32 x, M m) { DC_PARTS(DC_PUT_SOME_, ) }
#define DC_PUT_SOME64_(i, unused)                                                                                      \
  n_put_some(a + 64u * i, (dc_u)x.l##i, (dc_u)n_lo_s64((dc_u)DC_PART(m, i)), m >> 8 * i & 0xf, 0xf);                   \
  n_put_some(a + 64u * i + 32, (dc_u)x.h##i, (dc_u)n_hi_s64((dc_u)DC_PART(m, i)), m >> (8 * i + 4) & 0xf, 0xf);
DC_FN void dc_put_some_u64(u64 a, V64 x, M m) { DC_PARTS(DC_PUT_SOME64_, ) }
#else
#define dc_put_some_u32 dc_put_part_row_u32
#define dc_put_some_u64 dc_put_part_row_u64
#endif
DC_TYPES(DC_ROWS)
#endif

/* Non-temporal stores of rows if `stream`, plain ones otherwise: cache lines that a row fills are not read before they
** are overwritten, nor kept afterwards.  Other threads may see such stores late: what publishes them (a lock, a fence)
** orders them. */
#ifdef DC_X86
#if DC_NW == 16
#define DC_STREAM(a, x) _mm512_stream_si512(DC_AT(__m512i, a), (__m512i)(x));
#elif DC_NW == 8
#define DC_STREAM(a, x) _mm256_stream_si256(DC_AT(__m256i, a), (__m256i)(x));
#else
#define DC_STREAM(a, x) _mm_stream_si128(DC_AT(__m128i, a), (__m128i)(x));
#endif
#define DC_STREAM_(i, unused) DC_STREAM(a + 4u * DC_NW * i, x.p##i)
#define DC_STREAM64_(i, unused) DC_STREAM(a + 8u * DC_NW * i, x.l##i) DC_STREAM(a + 8u * DC_NW * i + 4u * DC_NW, x.h##i)
#define DC_STREAM_ROW(T, V, part)                                                                                      \
  DC_FN void dc_stream_row_##T(u64 a, V x, M m, int stream) {                                                          \
    if (!stream || __builtin_expect(m != DC_EVERY || a % 64 != 0, 0)) {                                                \
      dc_put_row_##T(a, x, m);                                                                                         \
      return;                                                                                                          \
    }                                                                                                                  \
    DC_PARTS(part, )                                                                                                   \
  }
DC_STREAM_ROW(u32, V32, DC_STREAM_)
DC_STREAM_ROW(u64, V64, DC_STREAM64_)
#else
#define dc_stream_row_u32(a, x, m, stream) dc_put_row_u32(a, x, m)
#define dc_stream_row_u64(a, x, m, stream) dc_put_row_u64(a, x, m)
#endif

/* --- anywhere ----------------------------------------------------------------------------------------------------- */

/* Lanes often lie side by side where the analysis could not prove it: one test saves a gather. */
DC_FN int dc_in_row(V64 a, unsigned size, M m) {
  const u64 first = a.l0[0];
  u32 odd = 0;
#if DC_NW == 16
#define DC_ODD_(i, unused)                                                                                             \
  odd |= (_mm512_cmpneq_epi64_mask((__m512i)a.l##i, (__m512i)(first + size * n_lo_u64(n_iota() + (u32)(16 * i)))) |    \
          (u32)_mm512_cmpneq_epi64_mask((__m512i)a.h##i, (__m512i)(first + size * n_hi_u64(n_iota() + (u32)(16 * i)))) \
              << 8) &                                                                                                  \
         DC_PART(m, i);
#else
#define DC_ODD_(i, unused)                                                                                             \
  odd |= n_word(n_and((dc_m)n_narrow((dc_ul)(a.l##i != first + size * n_lo_u64(n_iota() + (u32)(DC_NW * i))),          \
                                     (dc_ul)(a.h##i != first + size * n_hi_u64(n_iota() + (u32)(DC_NW * i)))),         \
                      DC_PART(m, i)));
#endif
  DC_PARTS(DC_ODD_, )
  return odd == 0;
}

#if defined(DC_X86) && DC_NW > 4
#define DC_GATHERS
/* A gather or scatter takes long even if no lane is in its mask. */
#if DC_NW == 16
DC_FN __m256i n_gather_half(dc_ul a, s64 offset, __mmask8 m) {
  const __m256i zero = _mm256_setzero_si256();
  if (m == 0) return zero;
  return _mm512_mask_i64gather_epi32(zero, m, (__m512i)(a + (u64)offset), (void *)0, 1);
}
DC_FN dc_u n_gather(dc_ul l, dc_ul h, s64 offset, dc_m m) {
  return DC_JOIN(n_gather_half(l, offset, (__mmask8)m), n_gather_half(h, offset, (__mmask8)(m >> 8)));
}
DC_FN dc_ul n_gather_64(dc_ul a, s64 offset, __mmask8 m) {
  return (dc_ul)_mm512_mask_i64gather_epi64(_mm512_setzero_si512(), m, (__m512i)(a + (u64)offset), (void *)0, 1);
}
#define DC_GATHER64_(i, unused)                                                                                        \
  r.l##i = n_gather_64(a.l##i, offset, (__mmask8)DC_PART(m, i));                                                       \
  r.h##i = n_gather_64(a.h##i, offset, (__mmask8)(DC_PART(m, i) >> 8));
#else
DC_FN __m128i n_gather_half(dc_ul a, s64 offset, __m128i m) {
  return _mm256_mask_i64gather_epi32(_mm_setzero_si128(), (const int *)0, (__m256i)(a + (u64)offset), m, 1);
}
DC_FN dc_u n_gather(dc_ul l, dc_ul h, s64 offset, dc_m m) {
  if (n_word(m) == 0) return (dc_u){0};
  return DC_JOIN(n_gather_half(l, offset, DC_LO(m)), n_gather_half(h, offset, DC_HI(m)));
}
DC_FN dc_ul n_gather_64(dc_ul a, s64 offset, dc_ul m) {
  return (dc_ul)_mm256_mask_i64gather_epi64(_mm256_setzero_si256(), (const long long *)0,
                                            (__m256i)(a + (u64)offset), (__m256i)m, 1);
}
#define DC_GATHER64_(i, unused)                                                                                        \
  r.l##i = m >> 8 * i & 0xf ? n_gather_64(a.l##i, offset, n_lo_s64((dc_u)DC_PART(m, i))) : (dc_ul){0};                 \
  r.h##i = m >> 8 * i & 0xf0 ? n_gather_64(a.h##i, offset, n_hi_s64((dc_u)DC_PART(m, i))) : (dc_ul){0};
#endif
#define DC_GATHER_(i, unused) r.p##i = n_gather(a.l##i, a.h##i, offset, DC_PART(m, i));
DC_BY_PARTS(V32, dc_any_gather_u32, (V64 a, s64 offset, M m), DC_GATHER_, )
DC_BY_PARTS(V64, dc_any_gather_u64, (V64 a, s64 offset, M m), DC_GATHER64_, )
/* Elements of `bits` bits, out of the aligned words that they are in, which reach into no other page. */
#define DC_WORD_AT_(i, unused)                                                                                         \
  low.p##i = n_narrow(a.l##i + (u64)offset, a.h##i + (u64)offset) & 3;                                                 \
  a.l##i = (a.l##i + (u64)offset) & ~(u64)3, a.h##i = (a.h##i + (u64)offset) & ~(u64)3;
#define DC_OUT_OF_WORD_(i, is_signed)                                                                                  \
  r.p##i = r.p##i << ((32 - bits) - 8 * low.p##i);                                                                     \
  r.p##i = is_signed ? (dc_u)((dc_s)r.p##i >> (32 - bits)) : r.p##i >> (32 - bits);
#define DC_SMALL_GATHER(T, size, is_signed)                                                                            \
  DC_FN V32 dc_any_gather_##T(V64 a, s64 offset, M m) {                                                                \
    enum { bits = 8 * size };                                                                                          \
    V32 r, low;                                                                                                        \
    DC_PARTS(DC_WORD_AT_, )                                                                                            \
    offset = 0;                                                                                                        \
    DC_PARTS(DC_GATHER_, )                                                                                             \
    DC_PARTS(DC_OUT_OF_WORD_, is_signed)                                                                               \
    return r;                                                                                                          \
  }
DC_SMALL_GATHER(u8, 1, 0)
DC_SMALL_GATHER(s8, 1, 1)
DC_SMALL_GATHER(u16, 2, 0)
DC_SMALL_GATHER(s16, 2, 1)
#else
#define dc_any_gather_u32 dc_each_gather_u32
#define dc_any_gather_u64 dc_each_gather_u64
#define dc_any_gather_u8 dc_each_gather_u8
#define dc_any_gather_s8 dc_each_gather_s8
#define dc_any_gather_u16 dc_each_gather_u16
#define dc_any_gather_s16 dc_each_gather_s16
#endif
#if DC_NW == 16
DC_FN void n_scatter(dc_ul l, dc_ul h, s64 offset, dc_u v, dc_m m) {
  const __m512i o = _mm512_set1_epi64(offset);
  _mm512_mask_i64scatter_epi32((void *)0, (__mmask8)m, _mm512_add_epi64((__m512i)l, o), DC_LO(v), 1);
  _mm512_mask_i64scatter_epi32((void *)0, (__mmask8)(m >> 8), _mm512_add_epi64((__m512i)h, o), DC_HI(v), 1);
}
DC_FN void dc_any_scatter_u32(V64 a, s64 offset, V32 x, M m) {
#define DC_SCATTER_(i, unused) n_scatter(a.l##i, a.h##i, offset, x.p##i, DC_PART(m, i));
  DC_PARTS(DC_SCATTER_, )
}
DC_FN void dc_any_scatter_u64(V64 a, s64 offset, V64 x, M m) {
  const __m512i o = _mm512_set1_epi64(offset);
#define DC_SCATTER64_(i, unused)                                                                                       \
  _mm512_mask_i64scatter_epi64((void *)0, (__mmask8)DC_PART(m, i), _mm512_add_epi64((__m512i)a.l##i, o),               \
                               (__m512i)x.l##i, 1);                                                                    \
  _mm512_mask_i64scatter_epi64((void *)0, (__mmask8)(DC_PART(m, i) >> 8), _mm512_add_epi64((__m512i)a.h##i, o),        \
                               (__m512i)x.h##i, 1);
  DC_PARTS(DC_SCATTER64_, )
}
#else
#define dc_any_scatter_u32 dc_each_scatter_u32
#define dc_any_scatter_u64 dc_each_scatter_u64
#endif

/* Whether lanes of a row that are not in the mask may be in another page than its first one.  If that is inaccessible,
** as behind an array, to leave them out takes the machine hundreds of cycles, a gather fewer. */
DC_FN int dc_is_cut(u64 first, u64 stride, M m) { return m != DC_EVERY && (first & 4095) > 4096 - stride * DC_W; }

/* `gather` and `scatter` are what does them lane by lane. */
#define DC_ANYWHERE(T, V, size, gather, scatter)                                                                       \
  DC_FN V dc_gather_##T(V64 a, s64 offset, M m) {                                                                      \
    if (dc_in_row(a, size, m) && !dc_is_cut(a.l0[0] + (u64)offset, size, m))                                           \
      return dc_row_##T(a.l0[0] + (u64)offset, m);                                                                     \
    return gather(a, offset, m);                                                                                       \
  }                                                                                                                    \
  DC_FN void dc_scatter_##T(V64 a, s64 offset, V x, M m) {                                                             \
    if (dc_in_row(a, size, m) && !dc_is_cut(a.l0[0] + (u64)offset, size, m))                                           \
      dc_put_row_##T(a.l0[0] + (u64)offset, x, m);                                                                     \
    else                                                                                                               \
      scatter(a, offset, x, m);                                                                                        \
  }                                                                                                                    \
  DC_CALL V dc_far_gather_##T(V64 a, s64 offset, M m) { return dc_gather_##T(a, offset, m); }                          \
  DC_CALL void dc_far_scatter_##T(V64 a, s64 offset, V x, M m) { dc_scatter_##T(a, offset, x, m); }
DC_ANYWHERE(u8, V32, 1u, dc_any_gather_u8, dc_each_scatter_u8)
DC_ANYWHERE(s8, V32, 1u, dc_any_gather_s8, dc_each_scatter_s8)
DC_ANYWHERE(u16, V32, 2u, dc_any_gather_u16, dc_each_scatter_u16)
DC_ANYWHERE(s16, V32, 2u, dc_any_gather_s16, dc_each_scatter_s16)
DC_ANYWHERE(u32, V32, 4u, dc_any_gather_u32, dc_any_scatter_u32)
DC_ANYWHERE(u64, V64, 8u, dc_any_gather_u64, dc_any_scatter_u64)

/* Bytes that lanes load one after another, of strings: each lane's first one is loaded with the three behind it, unless
** some lane's word would reach into another page.  `known`: the lanes that have such a word. */
typedef struct dc_walk {
  V64 at;
  V32 word;
  M known;
} dc_walk;
#define DC_WALK(T, lowest)                                                                                             \
  DC_FN V32 dc_walk_##T(dc_walk *w, V64 a, M m) {                                                                      \
    const V64 behind = v_sub_64(a, w->at);                                                                             \
    if (!M_any(M_andn(m, M_and(w->known, M_from(P_word(v_setp_lt_u64(behind, V64_splat(4))))))))                       \
      return lowest(v_shr_u32(w->word, v_shl_32(v_low_half(behind), V32_splat(3))));                                   \
    w->known = M_none();                                                                                               \
    if (M_any(M_and(m, M_from(P_word(v_setp_gt_u64(v_and_64(a, V64_splat(4095)), V64_splat(4092)))))))                 \
      return dc_gather_##T(a, 0, m);                                                                                   \
    w->word = dc_any_gather_u32(a, 0, m), w->at = a, w->known = m;                                                     \
    return lowest(w->word);                                                                                            \
  }
#define DC_LOWEST_U8(x) v_and_32(x, V32_splat(255))
#define DC_LOWEST_S8(x) v_shr_s32(v_shl_32(x, V32_splat(24)), V32_splat(24))
DC_WALK(u8, DC_LOWEST_U8)
DC_WALK(s8, DC_LOWEST_S8)
