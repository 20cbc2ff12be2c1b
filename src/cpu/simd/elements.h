/*
** elements.h - loads and stores of elements of an array by an index: dc_elements_T, T and masks as in memory.h.  In
** loops they read whole rows in pages that other lanes touch.
*/
#pragma once

#include "memory.h"

/* The address of an element of the array at a, by an index, which with `sign` is a signed one. */
DC_FN u64 dc_element(u64 a, u32 index, u64 stride, int sign) {
  return a + stride * (sign ? (u64)(s64)(s32)index : index);
}
DC_FN u64 dc_first_element(u64 a, V32 x, u64 stride, int sign) { return dc_element(a, x.p0[0], stride, sign); }
#if DC_NW == 16
/* The mask's lanes side by side. */
#define DC_PACKED(x, m) ((dc_u)_mm512_maskz_compress_epi32(m, (__m512i)(x)))
#endif
/* The index of the mask's first lane; without AVX-512, of lane 0. */
DC_FN u32 dc_some_index(V32 x, M m) {
#if DC_NW == 16
  dc_u part = x.p0;
#if DC_P > 1
  if ((m & 0xffff) == 0) part = x.p1, m >>= 16;
#endif
  return DC_PACKED(part, (__mmask16)m)[0];
#else
  (void)m;
  return x.p0[0];
#endif
}
/* What a load in a loop is expected to do at the next execution, so that the processor begins it before it knows the
** indices, which are compared meanwhile: the addresses of lane 0, as of a row's start, were `at` at the last one and
** at - step before; prefetches go by `expected`, the step where it occurred twice in a row, else 0.  Words that lanes
** load anywhere are looked for in the DC_WINDOW bytes from `window` on, within a page; DC_NO_WINDOW: there are none, as
** where a store may be under way, since what is stored lane by lane is not forwarded to whole vectors. */
typedef struct dc_last_access {
  u64 at, step, expected, window, near;
} dc_last_access;
#define DC_WINDOW 256u
#define DC_NO_WINDOW 1ull
DC_FN u64 dc_next_step(dc_last_access *w, u64 first) {
  const u64 step = first - w->at;
  w->expected = step == w->step ? step : 0;
  w->at = first, w->step = step;
  return w->expected;
}
/* Whether no index of the mask is above the signed ones, which machines gather by. */
DC_FN int dc_may_gather(V32 x, int sign, M m) {
  return sign || (P_word(v_setp_lt_s32(x, V32_splat(0))) & M_word(m)) == 0;
}

/* Element `index`, with `sign` a signed one, of the array at a, whose elements are `stride` bytes apart: their size or,
** where one of 4 bytes is half of a pair, 8. */
#define DC_ELEMENTS(T, V, R, size)                                                                                     \
  DC_CALL V dc_each_element_##T(u64 a, V32 x, u64 stride, int sign, M m) {                                             \
    u32 at[DC_W];                                                                                                      \
    R t[DC_W];                                                                                                         \
    V32_spill(at, x);                                                                                                  \
    if (m != DC_EVERY) V##_store(t, V##_splat(0));                                                                     \
    DC_LANES_DO(m, t[l] = dc_ld_##T(dc_element(a, at[l], stride, sign)));                                              \
    return V##_load(t);                                                                                                \
  }                                                                                                                    \
  DC_CALL void dc_put_lanes_##T(u64 a, const u32 *at, u64 stride, int sign, const R *t, M m) {                        \
    DC_LANES_DO(m, dc_st_##T(dc_element(a, at[l], stride, sign), t[l]));                                               \
  }                                                                                                                    \
  DC_FN void dc_put_each_element_##T(u64 a, V32 x, u64 stride, int sign, V y, M m) {                                   \
    u32 at[DC_W];                                                                                                      \
    R t[DC_W];                                                                                                         \
    V32_spill(at, x);                                                                                                  \
    V##_spill(t, y);                                                                                                   \
    dc_put_lanes_##T(a, at, stride, sign, t, m);                                                                      \
  }
DC_TYPES(DC_ELEMENTS)
#ifdef DC_GATHERS
#if DC_NW == 8
#define DC_GATHER_BY(a, x, m, scale)                                                                                   \
  (dc_u) _mm256_mask_i32gather_epi32(_mm256_setzero_si256(), DC_AT(const int, a), (__m256i)(x), (__m256i)(m), scale)
#else
#define DC_GATHER_BY(a, x, m, scale)                                                                                   \
  (dc_u) _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), m, (__m512i)(x), DC_AT(void, a), scale)
#endif
/* Part i.  A row often ends with one lane of its last part, for which a gather would take as long as for all. */
DC_FN dc_u n_elements(u64 a, dc_u x, u64 stride, dc_m m, int i) {
  const u32 lanes = n_word(m);
  if (lanes == 0) return (dc_u){0};
#if DC_NW == 16
  if (i > 0 && (lanes & (lanes - 1)) == 0)
    return (dc_u)_mm512_maskz_set1_epi32(m, (int)dc_ld_u32(dc_element(a, DC_PACKED(x, m)[0], stride, 1)));
#endif
  (void)i;
  return stride == 8 ? DC_GATHER_BY(a, x, m, 8) : DC_GATHER_BY(a, x, m, 4);
}
#define DC_ELEMENT_(i, unused) r.p##i = n_elements(a, x.p##i, stride, DC_PART(m, i), i);
#if DC_NW == 16
#define DC_LINE_AT_(a, i) _mm512_loadu_si512(DC_AT(const void, (a) + 64 * (i)))
/* Lanes of a vector that are near each other are a permutation of two vectors from the first lane's element on: half of
** a gather's time, or less, on Zen 4.  These are in one page, which some lane of the mask accesses, so that what else
** is read there cannot fault. */
enum { DC_NEAR = 128 };
DC_FN u64 dc_near_at(u64 a, u32 index, u64 size, u32 lanes) { return lanes ? dc_element(a, index, size, 1) : 0; }
#define DC_PAST_PAGE(at) (((at) & 4095) + DC_NEAR - 1)
#define DC_NEAR_FROM_(i, unused)                                                                                       \
  const u64 at##i = dc_near_at(a, x.p##i[0], 4, DC_PART(m, i));                                                        \
  past |= DC_PAST_PAGE(at##i), from.p##i = x.p##i - x.p##i[0];
#define DC_NEAR_(i, unused)                                                                                            \
  r->p##i = DC_PART(m, i) ? (dc_u)_mm512_maskz_permutex2var_epi32(DC_PART(m, i), DC_LINE_AT_(at##i, 0),                \
                                                                  (__m512i)from.p##i, DC_LINE_AT_(at##i, 1))           \
                          : (dc_u){0};
DC_FN int dc_near_words(V32 *r, u64 a, V32 x, M m) {
  V32 from;
  u64 past = 0;
  DC_PARTS(DC_NEAR_FROM_, )
  if ((P_word(v_setp_ge_u32(from, V32_splat(DC_NEAR / 4))) & m) || (past & 4096)) return 0;
  DC_PARTS(DC_NEAR_, )
  return 1;
}
/* Whether the elements, of 1 << shift bytes, by signed indices are in w's window; *from: their indices there. */
DC_FN int dc_are_in_window(V32 *from, u64 a, V32 x, int shift, const dc_last_access *w, M m) {
  const u64 reach = 1ull << (31 + shift); /* the window is not beyond what 32 bits count */
  if (w->window - a + reach > 2 * reach - DC_WINDOW) return 0;
  *from = v_sub_32(x, V32_splat((u32)((s64)(w->window - a) >> shift)));
  return (P_word(v_setp_ge_u32(*from, V32_splat(DC_WINDOW >> shift))) & M_word(m)) == 0;
}
/* The same; if they are not, the window is moved to around some lane's element, where all may be, as at the begin of a
** search.  The page is one that this lane accesses. */
DC_FN int dc_find_window(V32 *from, u64 a, V32 x, int shift, dc_last_access *w, M m) {
  if (w == NULL || w->window == DC_NO_WINDOW || !M_any(m)) return 0;
  if (dc_are_in_window(from, a, x, shift, w, m)) {
    w->near = 4;
    return 1;
  }
  const u64 some = dc_element(a, dc_some_index(x, m), 1ull << shift, 1) & ~3ull, page = some & ~4095ull;
  const u64 before = (some & 4095) < DC_WINDOW / 2 ? 0 : (some & 4095) - DC_WINDOW / 2;
  w->near -= w->near > 0;
  w->window = page + (before < 4096 - DC_WINDOW ? before : 4096 - DC_WINDOW);
  return dc_are_in_window(from, a, x, shift, w, m);
}
/* Words of the window's four vectors, for inactive lanes, too: the mask is known later than the indices. */
#define DC_IN_WINDOW_(i, unused)                                                                                       \
  r.p##i = (dc_u)_mm512_permutex2var_epi32(low, (__m512i)word.p##i, high);                                             \
  r.p##i = (dc_u)_mm512_mask_blend_epi32(                                                                              \
      _mm512_test_epi32_mask((__m512i)word.p##i, _mm512_set1_epi32(32)), (__m512i)r.p##i,                              \
      _mm512_permutex2var_epi32(third, (__m512i)word.p##i, fourth));
DC_FN V32 dc_words_of_window(u64 window, V32 word) {
  const __m512i low = DC_LINE_AT_(window, 0), high = DC_LINE_AT_(window, 1);
  const __m512i third = DC_LINE_AT_(window, 2), fourth = DC_LINE_AT_(window, 3);
  V32 r;
  DC_PARTS(DC_IN_WINDOW_, )
  return r;
}
#endif
/* By gathers: words of an array, 4 or 8 bytes apart, by signed indices. */
DC_FN V32 dc_gathered_words(u64 a, V32 x, u64 stride, M m) {
  V32 r;
  DC_PARTS(DC_ELEMENT_, )
  return r;
}
/* The words of dc_gathered_words.  With AVX-512 lanes that are near each other are a permutation of vectors; in a loop
** these are the vectors from w->window on, loaded before the indices are known (searches in lists of 240 bytes take 0.7
** of the time). */
DC_FN V32 dc_words(u64 a, V32 x, u64 stride, dc_last_access *w, M m) {
#if DC_NW == 16
  V32 r, from;
  if (w == NULL && stride == 4 && dc_near_words(&r, a, x, m)) return r;
  if (stride == 4 && dc_find_window(&from, a, x, 2, w, m)) return dc_words_of_window(w->window, from);
#endif
  (void)w;
  return dc_gathered_words(a, x, stride, m);
}
/* Where lanes are expected to be far from each other: those of indices that were loaded, as of a graph's edges.  These
** are often few, and half a gather takes half of the time (on Zen 4, which makes it of operations for each lane). */
DC_FN dc_u n_scattered(u64 a, dc_u x, u64 stride, dc_m m, int i) {
#if DC_NW == 16
  const __m256i zero = _mm256_setzero_si256();
  if ((u32)(m - 1) < (1 << 8) - 1)
    return (dc_u)_mm512_zextsi256_si512(
        stride == 8 ? _mm256_mmask_i32gather_epi32(zero, (__mmask8)m, DC_LO(x), DC_AT(void, a), 8)
                    : _mm256_mmask_i32gather_epi32(zero, (__mmask8)m, DC_LO(x), DC_AT(void, a), 4));
#endif
  return n_elements(a, x, stride, m, i);
}
DC_FN V32 dc_scattered_u32(u64 a, V32 x, u64 stride, int sign, M m) {
  V32 r;
  if (!dc_may_gather(x, sign, m)) return dc_each_element_u32(a, x, stride, sign, m);
#define DC_SCATTERED_(i, unused) r.p##i = n_scattered(a, x.p##i, stride, DC_PART(m, i), i);
  DC_PARTS(DC_SCATTERED_, )
  return r;
}
/* Elements of which 2^few are in a word, out of the aligned words, which reach into no other page. */
#define DC_WORD_OF_(i, few) word.p##i = (dc_u)((dc_s)x.p##i >> few) + (((x.p##i & last) + first) >> few);
#define DC_OUT_OF_(i, unused)                                                                                          \
  r.p##i = word.p##i << (bits * (last - (((x.p##i & last) + first) & last)));                                          \
  r.p##i = is_signed ? (dc_u)((dc_s)r.p##i >> (32 - bits)) : r.p##i >> (32 - bits);
#if DC_NW == 16
#define DC_WINDOW_WORD_(i, few) word.p##i = from.p##i >> few;
#define DC_ROTATE_(i, few)                                                                                             \
  r.p##i = (dc_u)_mm512_rorv_epi32((__m512i)word.p##i, (__m512i)(from.p##i << (5 - few))); /* modulo 32 bits */        \
  r.p##i = is_signed ? (dc_u)((dc_s)(r.p##i << (32 - bits)) >> (32 - bits)) : r.p##i & (0xffffffffu >> (32 - bits));
#define DC_SMALL_OF_WINDOW(few)                                                                                        \
  V32 from;                                                                                                            \
  if (dc_find_window(&from, a, x, 2 - few, w, m)) {                                                                    \
    DC_PARTS(DC_WINDOW_WORD_, few)                                                                                     \
    word = dc_words_of_window(w->window, word);                                                                     \
    DC_PARTS(DC_ROTATE_, few)                                                                                          \
    return r;                                                                                                          \
  }
#else
#define DC_SMALL_OF_WINDOW(few)
#endif
#define DC_SMALL_ELEMENTS(T, few, is_signed_)                                                                          \
  DC_FN V32 dc_any_elements_##T(u64 a, V32 x, u64 stride, int sign, dc_last_access *w, M m) {                          \
    enum { last = (1 << few) - 1, bits = 32 >> few, is_signed = is_signed_ };                                          \
    const u32 first = (u32)(a & 3) >> (2 - few);                                                                       \
    V32 r, word;                                                                                                       \
    if (!dc_may_gather(x, sign, m)) return dc_each_element_##T(a, x, stride, sign, m);                                 \
    DC_SMALL_OF_WINDOW(few)                                                                                            \
    DC_PARTS(DC_WORD_OF_, few)                                                                                         \
    word = w ? dc_gathered_words(a & ~(u64)3, word, 4, m) : dc_words(a & ~(u64)3, word, 4, NULL, m);                   \
    DC_PARTS(DC_OUT_OF_, )                                                                                             \
    return r;                                                                                                          \
  }
DC_SMALL_ELEMENTS(u8, 2, 0)
DC_SMALL_ELEMENTS(s8, 2, 1)
DC_SMALL_ELEMENTS(u16, 1, 0)
DC_SMALL_ELEMENTS(s16, 1, 1)
#else
#define dc_any_elements_u8(a, x, stride, sign, w, m) dc_each_element_u8(a, x, stride, sign, m)
#define dc_any_elements_s8(a, x, stride, sign, w, m) dc_each_element_s8(a, x, stride, sign, m)
#define dc_any_elements_u16(a, x, stride, sign, w, m) dc_each_element_u16(a, x, stride, sign, m)
#define dc_any_elements_s16(a, x, stride, sign, w, m) dc_each_element_s16(a, x, stride, sign, m)
#define dc_scattered_u32 dc_each_element_u32
#endif
DC_FN V32 dc_any_elements_u32(u64 a, V32 x, u64 stride, int sign, dc_last_access *w, M m) {
  (void)w;
#ifdef DC_GATHERS
  if (dc_may_gather(x, sign, m)) return dc_words(a, x, stride, w, m);
#endif
  return dc_each_element_u32(a, x, stride, sign, m);
}
#ifdef DC_GATHERS
#if DC_NW == 16
DC_FN dc_ul n_elements_64(u64 a, __m256i x, __mmask8 m) {
  return m ? (dc_ul)_mm512_mask_i32gather_epi64(_mm512_setzero_si512(), m, x, DC_AT(void, a), 8) : (dc_ul){0};
}
#define DC_ELEMENT64_(i, unused)                                                                                       \
  r.l##i = n_elements_64(a, DC_LO(x.p##i), (__mmask8)DC_PART(m, i));                                                   \
  r.h##i = n_elements_64(a, DC_HI(x.p##i), (__mmask8)(DC_PART(m, i) >> 8));
#else
DC_FN dc_ul n_elements_64(u64 a, __m128i x, dc_ul m) {
  return (dc_ul)_mm256_mask_i32gather_epi64(_mm256_setzero_si256(), DC_AT(const long long, a), x, (__m256i)m, 8);
}
#define DC_ELEMENT64_(i, unused)                                                                                       \
  r.l##i = m >> 8 * i & 0xf ? n_elements_64(a, DC_LO(x.p##i), n_lo_s64((dc_u)DC_PART(m, i))) : (dc_ul){0};             \
  r.h##i = m >> 8 * i & 0xf0 ? n_elements_64(a, DC_HI(x.p##i), n_hi_s64((dc_u)DC_PART(m, i))) : (dc_ul){0};
#endif
DC_FN V64 dc_scattered_u64(u64 a, V32 x, u64 stride, int sign, M m) {
  V64 r;
  if (!dc_may_gather(x, sign, m)) return dc_each_element_u64(a, x, stride, sign, m);
  DC_PARTS(DC_ELEMENT64_, )
  return r;
}
#else
#define dc_scattered_u64 dc_each_element_u64
#endif
#if DC_NW == 16
#ifdef DC_AMD
#define DC_NEAR64_FROM_(i, unused)                                                                                     \
  const u64 atl##i = dc_near_at(a, x.p##i[0], 8, DC_PART(m, i) & 0xff);                                                \
  const u64 ath##i = dc_near_at(a, x.p##i[8], 8, DC_PART(m, i) >> 8);                                                  \
  past |= DC_PAST_PAGE(atl##i) | DC_PAST_PAGE(ath##i);                                                                 \
  from.p##i = x.p##i - n_mix(x.p##i, n_iota() & 8, x.p##i);
#define DC_NEAR64(at, from, m)                                                                                         \
  (__mmask8)(m) ? (dc_ul)_mm512_maskz_permutex2var_epi64((__mmask8)(m), DC_LINE_AT_(at, 0),                            \
                                                         _mm512_cvtepu32_epi64(from), DC_LINE_AT_(at, 1))              \
                : (dc_ul){0}
#define DC_NEAR64_(i, unused)                                                                                          \
  r->l##i = DC_NEAR64(atl##i, DC_LO(from.p##i), DC_PART(m, i));                                                        \
  r->h##i = DC_NEAR64(ath##i, DC_HI(from.p##i), DC_PART(m, i) >> 8);
DC_FN int dc_near_words_64(V64 *r, u64 a, V32 x, M m) {
  V32 from;
  u64 past = 0;
  DC_PARTS(DC_NEAR64_FROM_, )
  if ((P_word(v_setp_ge_u32(from, V32_splat(DC_NEAR / 8))) & m) || (past & 4096)) return 0;
  DC_PARTS(DC_NEAR64_, )
  return 1;
}
#else /* a gather takes less than to ask (Cholesky factors in shared memory: 0.76 of the time on a Xeon of 2023) */
#define dc_near_words_64(r, a, x, m) 0
#endif
DC_FN V64 dc_any_elements_u64(u64 a, V32 x, u64 stride, int sign, dc_last_access *w, M m) {
  V64 r;
  (void)w;
  if (dc_may_gather(x, sign, m) && dc_near_words_64(&r, a, x, m)) return r;
  return dc_scattered_u64(a, x, stride, sign, m);
}
/* Of lanes with one element the last one's value stays. */
DC_FN void n_put_elements(u64 a, dc_u x, u64 stride, dc_u y, dc_m m, int i) {
  if (m == 0) return;
  if (i > 0 && (m & (m - 1)) == 0) dc_st_u32(dc_element(a, DC_PACKED(x, m)[0], stride, 1), DC_PACKED(y, m)[0]);
  else if (stride == 8) _mm512_mask_i32scatter_epi32(DC_AT(void, a), m, (__m512i)x, (__m512i)y, 8);
  else _mm512_mask_i32scatter_epi32(DC_AT(void, a), m, (__m512i)x, (__m512i)y, 4);
}
DC_FN void n_put_elements_64(u64 a, __m256i x, dc_ul y, dc_m m) {
  if ((__mmask8)m) _mm512_mask_i32scatter_epi64(DC_AT(void, a), (__mmask8)m, x, (__m512i)y, 8);
}
DC_FN void dc_put_any_elements_u32(u64 a, V32 x, u64 stride, int sign, V32 y, M m) {
  if (!dc_may_gather(x, sign, m)) return dc_put_each_element_u32(a, x, stride, sign, y, m);
#define DC_PUT_ELEMENT_(i, unused) n_put_elements(a, x.p##i, stride, y.p##i, DC_PART(m, i), i);
  DC_PARTS(DC_PUT_ELEMENT_, )
}
DC_FN void dc_put_any_elements_u64(u64 a, V32 x, u64 stride, int sign, V64 y, M m) {
  if (!dc_may_gather(x, sign, m)) return dc_put_each_element_u64(a, x, stride, sign, y, m);
#define DC_PUT_ELEMENT64_(i, unused)                                                                                   \
  n_put_elements_64(a, DC_LO(x.p##i), y.l##i, DC_PART(m, i));                                                          \
  n_put_elements_64(a, DC_HI(x.p##i), y.h##i, (dc_m)(DC_PART(m, i) >> 8));
  DC_PARTS(DC_PUT_ELEMENT64_, )
}
#else
#define dc_any_elements_u64(a, x, stride, sign, w, m) dc_scattered_u64(a, x, stride, sign, m)
#define dc_put_any_elements_u32 dc_put_each_element_u32
#define dc_put_any_elements_u64 dc_put_each_element_u64
#endif
