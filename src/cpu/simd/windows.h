/*
** windows.h - values of 32 and 64 bits at constant distances from each other (analysis/patterns.h): whole vectors of
** the window of memory in which they lie, and permutations of their words, instead of an access a lane.  Emitted code
** has the constants.
*/
#pragma once

#include "strides.h"

/* Whether lanes whose index is x in lane 0 and, by constants, no less than `low` and no more than `high` above it in
** others have indices that do not wrap around. */
DC_FN int dc_fits(V32 x, int sign, s64 low, s64 high) {
  const s64 first = sign ? (s64)(s32)x.p0[0] : (s64)x.p0[0];
  return first + low >= (sign ? -((s64)1 << 31) : 0) && first + high < (sign ? (s64)1 << 31 : (s64)1 << 32);
}

#if DC_NW == 16
#define DC_WINDOW_LOAD(a, words) (dc_u) _mm512_maskz_loadu_epi32((__mmask16)(words), DC_AT(const void, a))
/* Word l is word from[l], counted from the beginning of one vector, or two, at a, of which those in `words` are
** loaded. */
DC_FN dc_u n_take1(u64 a, u32 words, dc_u from) {
  return (dc_u)_mm512_permutexvar_epi32((__m512i)from, (__m512i)DC_WINDOW_LOAD(a, words));
}
DC_FN dc_u n_take2(u64 a, u32 words, dc_u from) {
  return (dc_u)_mm512_permutex2var_epi32((__m512i)DC_WINDOW_LOAD(a, words), (__m512i)from,
                                         (__m512i)DC_WINDOW_LOAD(a + 64, words >> 16));
}
/* The words `words` at a are words from[0], from[1] … of x; `shared`: a vector of the block's shared memory. */
DC_FN void n_place(u64 a, u32 words, dc_u x, dc_u from, int shared) {
  (void)shared;
  _mm512_mask_storeu_epi32(DC_AT(void, a), (__mmask16)words, _mm512_permutexvar_epi32((__m512i)from, (__m512i)x));
}
#elif DC_NW == 8
DC_FN __m256i n_window_load(u64 a, u32 words) {
  if (words == 0xff) return _mm256_loadu_si256(DC_AT(const __m256i, a));
  return _mm256_maskload_epi32(DC_AT(const int, a), (__m256i)n_from(words));
}
DC_FN dc_u n_take1(u64 a, u32 words, dc_u from) {
  return (dc_u)_mm256_permutevar8x32_epi32(n_window_load(a, words), (__m256i)from);
}
/* Shared memory, which no other thread accesses, is stored as a whole: masked stores are not forwarded to loads. */
DC_FN void n_place(u64 a, u32 words, dc_u x, dc_u from, int shared) {
  const __m256i y = _mm256_permutevar8x32_epi32((__m256i)x, (__m256i)from), m = (__m256i)n_from(words);
  __m256i *const p = DC_AT(__m256i, a);
  if (words == 0xff) _mm256_storeu_si256(p, y);
  else if (shared) _mm256_storeu_si256(p, _mm256_blendv_epi8(_mm256_loadu_si256(p), y, m));
  else _mm256_maskstore_epi32((int *)p, m, y);
}
#endif
