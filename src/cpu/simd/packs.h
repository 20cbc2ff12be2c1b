/*
** packs.h - loads and stores of 2 or 4 values of 32 bits a lane, or 2 of 64 (float4, double2 and their like): where
** the lanes' packs are contiguous, one range of memory, loaded as whole vectors and de-interleaved by shuffles (a
** kernel over float4 takes a quarter to a tenth of what it takes with values fetched lane by lane); anywhere else
** packs of 16 bytes, one access each.
**
** Source: a transposition by shuffles of two vectors (pairs first, then pairs of pairs).
*/
#pragma once

#include "prefetch.h"

/* Values of two vectors by their numbers, which count through both. */
#if defined(__clang__)
#define DC_MIX(x, y, ...) __builtin_shufflevector(x, y, __VA_ARGS__)
#define DC_MIX64 DC_MIX
#else
#define DC_MIX(x, y, ...) __builtin_shuffle(x, y, (dc_u){__VA_ARGS__})
#define DC_MIX64(x, y, ...) __builtin_shuffle(x, y, (dc_ul){__VA_ARGS__})
#endif

/* Every second or fourth value from the jth on of two vectors, as far as they go; what stands behind is not used. */
#if DC_NW == 16
#define DC_BY2(x, y, j)                                                                                                \
  DC_MIX(x, y, j, j + 2, j + 4, j + 6, j + 8, j + 10, j + 12, j + 14, j + 16, j + 18, j + 20, j + 22,                  \
         j + 24, j + 26, j + 28, j + 30)
#define DC_BY4(x, y, j)                                                                                                \
  DC_MIX(x, y, j, j + 4, j + 8, j + 12, j + 16, j + 20, j + 24, j + 28, 0, 0, 0, 0, 0, 0, 0, 0)
#define DC_HALVES(x, y) DC_MIX(x, y, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23)
/* The values from the kth on of both by turns, or by pairs: for as many as a vector holds. */
#define DC_TURNS(x, y, k)                                                                                              \
  DC_MIX(x, y, k, k + 16, k + 1, k + 17, k + 2, k + 18, k + 3, k + 19, k + 4, k + 20, k + 5, k + 21,                   \
         k + 6, k + 22, k + 7, k + 23)
#define DC_PAIRS(x, y, k)                                                                                              \
  DC_MIX(x, y, k, k + 1, k + 16, k + 17, k + 2, k + 3, k + 18, k + 19, k + 4, k + 5, k + 20, k + 21,                   \
         k + 6, k + 7, k + 22, k + 23)
#define DC_BY2_64(x, y, j) DC_MIX64(x, y, j, j + 2, j + 4, j + 6, j + 8, j + 10, j + 12, j + 14)
#define DC_TURNS_64(x, y, k) DC_MIX64(x, y, k, k + 8, k + 1, k + 9, k + 2, k + 10, k + 3, k + 11)
#elif DC_NW == 8
#define DC_BY2(x, y, j) DC_MIX(x, y, j, j + 2, j + 4, j + 6, j + 8, j + 10, j + 12, j + 14)
#define DC_BY4(x, y, j) DC_MIX(x, y, j, j + 4, j + 8, j + 12, 0, 0, 0, 0)
#define DC_HALVES(x, y) DC_MIX(x, y, 0, 1, 2, 3, 8, 9, 10, 11)
#define DC_TURNS(x, y, k) DC_MIX(x, y, k, k + 8, k + 1, k + 9, k + 2, k + 10, k + 3, k + 11)
#define DC_PAIRS(x, y, k) DC_MIX(x, y, k, k + 1, k + 8, k + 9, k + 2, k + 3, k + 10, k + 11)
#define DC_BY2_64(x, y, j) DC_MIX64(x, y, j, j + 2, j + 4, j + 6)
#define DC_TURNS_64(x, y, k) DC_MIX64(x, y, k, k + 4, k + 1, k + 5)
#else
#define DC_BY2(x, y, j) DC_MIX(x, y, j, j + 2, j + 4, j + 6)
#define DC_BY4(x, y, j) DC_MIX(x, y, j, j + 4, 0, 0)
#define DC_HALVES(x, y) DC_MIX(x, y, 0, 1, 4, 5)
#define DC_TURNS(x, y, k) DC_MIX(x, y, k, k + 4, k + 1, k + 5)
#define DC_PAIRS(x, y, k) DC_MIX(x, y, k, k + 1, k + 4, k + 5)
#define DC_BY2_64(x, y, j) DC_MIX64(x, y, j, j + 2)
#define DC_TURNS_64(x, y, k) DC_MIX64(x, y, k, k + 2)
#endif

/* The kth vector at `a`.  The compiler must not read memory a second time in place of the register: if another thread
** writes between the two reads, the 16 bytes of a lane are not those of one access. */
DC_FN dc_u n_load_at(u64 a, int k) {
  dc_u x;
  memcpy(&x, DC_AT(const void, a + sizeof x * (unsigned)k), sizeof x);
  DC_UNSEEN(x);
  return x;
}
DC_FN void n_store_at(u64 a, int k, dc_u x) { memcpy(DC_AT(void, a + sizeof x * (unsigned)k), &x, sizeof x); }

/* One access, where memcpy would be two; two values of 64 bits side by side are aligned to 8 bytes. */
typedef u32 dc_16_bytes __attribute__((vector_size(16), aligned(8)));
typedef struct dc_four {
  V32 x0, x1, x2, x3;
} dc_four;
typedef struct dc_two {
  V32 x0, x1;
} dc_two;
typedef struct dc_two_64 {
  V64 x0, x1;
} dc_two_64;

/* --- 16 bytes a lane, anywhere ------------------------------------------------------------------------------- */

/* Values of x and y in each group of four, by their numbers in the first group. */
#if DC_NW == 16
#define DC_GROUPS(x, y, a, b, c, d)                                                                                    \
  DC_MIX(x, y, a, b, c, d, a + 4, b + 4, c + 4, d + 4, a + 8, b + 8, c + 8, d + 8, a + 12, b + 12, c + 12, d + 12)
#define DC_CHUNKS(X, ...) X(0, __VA_ARGS__) X(1, __VA_ARGS__) X(2, __VA_ARGS__) X(3, __VA_ARGS__)
#elif DC_NW == 8
#define DC_GROUPS(x, y, a, b, c, d) DC_MIX(x, y, a, b, c, d, a + 4, b + 4, c + 4, d + 4)
#define DC_CHUNKS(X, ...) X(0, __VA_ARGS__) X(1, __VA_ARGS__)
#else
#define DC_GROUPS(x, y, a, b, c, d) DC_MIX(x, y, a, b, c, d)
#define DC_CHUNKS(X, ...) X(0, __VA_ARGS__)
#endif
#define DC_LOW_TURNS(x, y) DC_GROUPS(x, y, 0, DC_NW, 1, DC_NW + 1)
#define DC_HIGH_TURNS(x, y) DC_GROUPS(x, y, 2, DC_NW + 2, 3, DC_NW + 3)
#define DC_LOW_PAIRS(x, y) DC_GROUPS(x, y, 0, 1, DC_NW, DC_NW + 1)
#define DC_HIGH_PAIRS(x, y) DC_GROUPS(x, y, 2, 3, DC_NW + 2, DC_NW + 3)

/* 16 bytes from each of the addresses at[0], at[step] … */
DC_FN dc_u n_chunks(const u64 *at, int step) {
  dc_16_bytes c[DC_NW / 4];
#define DC_GET_CHUNK_(i, unused) c[i] = *DC_AT(const dc_16_bytes, at[step * i]);
  DC_CHUNKS(DC_GET_CHUNK_, )
#if DC_NW == 16
  const __m512i low = _mm512_inserti32x4(_mm512_castsi128_si512((__m128i)c[0]), (__m128i)c[1], 1);
  return (dc_u)_mm512_inserti32x4(_mm512_inserti32x4(low, (__m128i)c[2], 2), (__m128i)c[3], 3);
#elif DC_NW == 8
  return (dc_u)_mm256_inserti128_si256(_mm256_castsi128_si256((__m128i)c[0]), (__m128i)c[1], 1);
#else
  return c[0];
#endif
}
#if DC_NW == 16
#define DC_CHUNK(x, i) (dc_16_bytes) _mm512_extracti32x4_epi32((__m512i)(x), i)
#elif DC_NW == 8
#define DC_CHUNK(x, i) (dc_16_bytes) _mm256_extracti128_si256((__m256i)(x), i)
#else
#define DC_CHUNK(x, i) (x)
#endif
#define DC_PUT_CHUNK(to, x, i) *DC_AT(dc_16_bytes, to) = DC_CHUNK(x, i);

/* The lanes' addresses as an array; those that are not in the mask get `instead`. */
#define DC_ADDRESSES(at, a, m, instead)                                                                                \
  u64 at[DC_W];                                                                                                        \
  V64_spill(at, DC_USUAL(m == DC_EVERY) ? a : V64_select(m, a, V64_splat((u64)(uintptr_t)(instead))));

/* Whether all parts have the addresses of the first, as where each half of a warp reads one row. */
DC_FN int dc_repeats(V64 a) {
#if DC_NW == 16
  dc_ul odd = {0};
#define DC_REPEATS_(i, unused) odd |= (a.l##i ^ a.l0) | (a.h##i ^ a.h0);
  DC_PARTS(DC_REPEATS_, )
  return _mm512_test_epi64_mask((__m512i)odd, (__m512i)odd) == 0;
#else
  (void)a;
  return 0;
#endif
}
/* Vector k: the packs of lanes k, k + 4, …; value j of all lanes: the transpose of each group of four. */
#define DC_GATHER4_(i, unused)                                                                                         \
  if (i > 0 && n_word(DC_PART(m, i)) == 0) {                                                                           \
    r.x0.p##i = r.x1.p##i = r.x2.p##i = r.x3.p##i = (dc_u){0};                                                         \
  } else if (i > 0 && repeats) {                                                                                       \
    r.x0.p##i = r.x0.p0, r.x1.p##i = r.x1.p0, r.x2.p##i = r.x2.p0, r.x3.p##i = r.x3.p0;                                \
  } else {                                                                                                             \
    const u64 *const p = at + DC_NW * i;                                                                               \
    const dc_u x = n_chunks(p, 4), y = n_chunks(p + 1, 4), z = n_chunks(p + 2, 4), w = n_chunks(p + 3, 4);             \
    const dc_u lxy = DC_LOW_TURNS(x, y), hxy = DC_HIGH_TURNS(x, y);                                                    \
    const dc_u lzw = DC_LOW_TURNS(z, w), hzw = DC_HIGH_TURNS(z, w);                                                    \
    r.x0.p##i = DC_LOW_PAIRS(lxy, lzw), r.x1.p##i = DC_HIGH_PAIRS(lxy, lzw);                                           \
    r.x2.p##i = DC_LOW_PAIRS(hxy, hzw), r.x3.p##i = DC_HIGH_PAIRS(hxy, hzw);                                           \
  }
DC_CALL dc_four dc_gather_pack4(V64 a, M m) {
  static const dc_16_bytes zero;
  const int repeats = m == DC_EVERY && dc_repeats(a);
  dc_four r;
  DC_ADDRESSES(at, a, m, &zero)
  DC_PARTS(DC_GATHER4_, )
  return r;
}
/* Lanes in ascending order: where several store to one place, the last one's values remain. */
#define DC_PUT_GROUP_(i, p)                                                                                            \
  DC_PUT_CHUNK(p[4 * i], q0, i)                                                                                        \
  DC_PUT_CHUNK(p[4 * i + 1], q1, i)                                                                                    \
  DC_PUT_CHUNK(p[4 * i + 2], q2, i)                                                                                    \
  DC_PUT_CHUNK(p[4 * i + 3], q3, i)
#define DC_SCATTER4_(i, unused)                                                                                        \
  {                                                                                                                    \
    const u64 *const p = at + DC_NW * i;                                                                               \
    const dc_u lxy = DC_LOW_TURNS(x.p##i, y.p##i), hxy = DC_HIGH_TURNS(x.p##i, y.p##i);                                \
    const dc_u lzw = DC_LOW_TURNS(z.p##i, w.p##i), hzw = DC_HIGH_TURNS(z.p##i, w.p##i);                                \
    const dc_u q0 = DC_LOW_PAIRS(lxy, lzw), q1 = DC_HIGH_PAIRS(lxy, lzw);                                              \
    const dc_u q2 = DC_LOW_PAIRS(hxy, hzw), q3 = DC_HIGH_PAIRS(hxy, hzw);                                              \
    DC_CHUNKS(DC_PUT_GROUP_, p)                                                                                        \
  }
DC_CALL void dc_scatter_pack4(V64 a, M m, V32 x, V32 y, V32 z, V32 w) {
  dc_16_bytes nowhere;
  DC_ADDRESSES(at, a, m, &nowhere)
  DC_PARTS(DC_SCATTER4_, )
}

/* The same of pairs of 64 bits: vector k has the packs of lanes k, k + 2, … */
#define DC_GATHER2_64_(to, p)                                                                                          \
  {                                                                                                                    \
    const dc_u x = n_chunks(p, 2), y = n_chunks(p + 1, 2);                                                             \
    r.x0.to = (dc_ul)DC_LOW_PAIRS(x, y), r.x1.to = (dc_ul)DC_HIGH_PAIRS(x, y);                                         \
  }
#define DC_GATHER2_64_HALVES_(i, unused)                                                                               \
  DC_GATHER2_64_(l##i, (at + DC_NW * i)) DC_GATHER2_64_(h##i, (at + DC_NW * i + DC_NW / 2))
DC_CALL dc_two_64 dc_gather_pack2x64(V64 a, M m) {
  static const dc_16_bytes zero;
  dc_two_64 r;
  DC_ADDRESSES(at, a, m, &zero)
  DC_PARTS(DC_GATHER2_64_HALVES_, )
  return r;
}
#define DC_PUT_PAIR_(i, p) DC_PUT_CHUNK(p[2 * i], q0, i) DC_PUT_CHUNK(p[2 * i + 1], q1, i)
#define DC_SCATTER2_64_(from, p)                                                                                       \
  {                                                                                                                    \
    const dc_u q0 = DC_LOW_PAIRS((dc_u)x.from, (dc_u)y.from), q1 = DC_HIGH_PAIRS((dc_u)x.from, (dc_u)y.from);          \
    DC_CHUNKS(DC_PUT_PAIR_, p)                                                                                         \
  }
#define DC_SCATTER2_64_HALVES_(i, unused)                                                                              \
  DC_SCATTER2_64_(l##i, (at + DC_NW * i)) DC_SCATTER2_64_(h##i, (at + DC_NW * i + DC_NW / 2))
DC_CALL void dc_scatter_pack2x64(V64 a, M m, V64 x, V64 y) {
  dc_16_bytes nowhere;
  DC_ADDRESSES(at, a, m, &nowhere)
  DC_PARTS(DC_SCATTER2_64_HALVES_, )
}

/* Pairs of 32 bits, as one value of 64. */
DC_FN dc_two dc_two_of(V64 x) {
  dc_two r;
  v_unpack_64(&r.x0, &r.x1, x);
  return r;
}
DC_FN dc_two dc_twice(V32 x) { return (dc_two){x, x}; }
DC_CALL dc_two dc_gather_pack2(V64 a, M m) { return dc_two_of(dc_gather_u64(a, 0, m)); }
DC_CALL void dc_scatter_pack2(V64 a, M m, V32 x, V32 y) { dc_scatter_u64(a, 0, v_pack_64(x, y), m); }

/* --- contiguous ------------------------------------------------------------------------------------------------ */

/* Packs of n words, of all lanes of a part or, with AVX-512, of some: LOAD(n, k) and STORE(n, k, x) access the kth
** vector of the part, from word `at` on. */
#define DC_WHOLE_LOAD(n, k) n_load_at(a, at + (k))
#define DC_WHOLE_STORE(n, k, x) n_store_at(a, at + (k), x);
#ifdef DC_X86
#define DC_STREAM_STORE(n, k, x) DC_STREAM(a + 4u * DC_NW * (at + (k)), x)
#else
#define DC_STREAM_STORE DC_WHOLE_STORE
#endif
/* The same of the first half of the lanes: a gang of 16 often is a row of 8 threads. */
#define DC_IS_HALF(m) (DC_W == 16 && m == DC_EVERY >> DC_W / 2)
#define DC_IN_HALF(n, k) (2 * (at + (k)) < (n)*DC_P)
#define DC_HALF_LOAD(n, k) (DC_IN_HALF(n, k) ? n_load_at(a, at + (k)) : (dc_u){0})
#define DC_HALF_STORE(n, k, x)                                                                                         \
  if (DC_IN_HALF(n, k)) n_store_at(a, at + (k), x);
#define DC_OF2_(i, LOAD)                                                                                               \
  {                                                                                                                    \
    enum { at = 2 * i };                                                                                               \
    const dc_u x = LOAD(2, 0), y = LOAD(2, 1);                                                                         \
    r.x0.p##i = DC_BY2(x, y, 0), r.x1.p##i = DC_BY2(x, y, 1);                                                          \
  }
#define DC_OF4_(i, LOAD)                                                                                               \
  {                                                                                                                    \
    enum { at = 4 * i };                                                                                               \
    const dc_u x = LOAD(4, 0), y = LOAD(4, 1), z = LOAD(4, 2), w = LOAD(4, 3);                                         \
    r.x0.p##i = DC_HALVES(DC_BY4(x, y, 0), DC_BY4(z, w, 0)), r.x1.p##i = DC_HALVES(DC_BY4(x, y, 1), DC_BY4(z, w, 1));  \
    r.x2.p##i = DC_HALVES(DC_BY4(x, y, 2), DC_BY4(z, w, 2)), r.x3.p##i = DC_HALVES(DC_BY4(x, y, 3), DC_BY4(z, w, 3));  \
  }
#define DC_OF2x64_(i, LOAD)                                                                                            \
  {                                                                                                                    \
    enum { at = 4 * i };                                                                                               \
    const dc_ul x = (dc_ul)LOAD(4, 0), y = (dc_ul)LOAD(4, 1), z = (dc_ul)LOAD(4, 2), w = (dc_ul)LOAD(4, 3);            \
    r.x0.l##i = DC_BY2_64(x, y, 0), r.x1.l##i = DC_BY2_64(x, y, 1);                                                    \
    r.x0.h##i = DC_BY2_64(z, w, 0), r.x1.h##i = DC_BY2_64(z, w, 1);                                                    \
  }
#define DC_PUT2_(i, STORE)                                                                                             \
  {                                                                                                                    \
    enum { at = 2 * i };                                                                                               \
    STORE(2, 0, DC_TURNS(x.p##i, y.p##i, 0))                                                                           \
    STORE(2, 1, DC_TURNS(x.p##i, y.p##i, DC_NW / 2))                                                                   \
  }
#define DC_PUT4_(i, STORE)                                                                                             \
  {                                                                                                                    \
    enum { at = 4 * i };                                                                                               \
    const dc_u lxy = DC_TURNS(x.p##i, y.p##i, 0), hxy = DC_TURNS(x.p##i, y.p##i, DC_NW / 2);                           \
    const dc_u lzw = DC_TURNS(z.p##i, w.p##i, 0), hzw = DC_TURNS(z.p##i, w.p##i, DC_NW / 2);                           \
    STORE(4, 0, DC_PAIRS(lxy, lzw, 0))                                                                                 \
    STORE(4, 1, DC_PAIRS(lxy, lzw, DC_NW / 2))                                                                         \
    STORE(4, 2, DC_PAIRS(hxy, hzw, 0))                                                                                 \
    STORE(4, 3, DC_PAIRS(hxy, hzw, DC_NW / 2))                                                                         \
  }
#define DC_PUT2x64_(i, STORE)                                                                                          \
  {                                                                                                                    \
    enum { at = 4 * i };                                                                                               \
    STORE(4, 0, (dc_u)DC_TURNS_64(x.l##i, y.l##i, 0))                                                                  \
    STORE(4, 1, (dc_u)DC_TURNS_64(x.l##i, y.l##i, DC_NW / 4))                                                          \
    STORE(4, 2, (dc_u)DC_TURNS_64(x.h##i, y.h##i, 0))                                                                  \
    STORE(4, 3, (dc_u)DC_TURNS_64(x.h##i, y.h##i, DC_NW / 4))                                                          \
  }
#if DC_NW == 16
/* The words of the mask's lanes that are in vector `at` from there on. */
DC_FN dc_m n_words(int n, int at, M m) {
  const u32 lanes = (u32)((u64)m >> (at * 16 / n));
  return (dc_m)(n == 2 ? _pdep_u32(lanes, 0x5555) * 3 : _pdep_u32(lanes, 0x1111) * 15);
}
/* Vectors without lanes are left out (DC_HAS). */
DC_FN dc_u n_load_words(u64 a, dc_m m) { return m != 0 ? n_row_u32(a, m) : (dc_u){0}; }
DC_FN void n_store_words(u64 a, dc_u x, dc_m m) {
  if (m != 0) n_put_row_u32(a, x, m);
}
#define DC_SOME_LOAD(n, k) n_load_words(a + 64 * (at + (k)), n_words(n, at + (k), m))
#define DC_SOME_STORE(n, k, x) n_store_words(a + 64 * (at + (k)), x, n_words(n, at + (k), m));
#define DC_PART_PACKS(name, R, size, params, args)                                                                     \
  DC_CALL R dc_part_pack##name(u64 a, M m) {                                                                           \
    R r;                                                                                                               \
    DC_PARTS(DC_OF##name##_, DC_SOME_LOAD)                                                                             \
    return r;                                                                                                          \
  }                                                                                                                    \
  DC_CALL void dc_put_part_pack##name params { DC_PARTS(DC_PUT##name##_, DC_SOME_STORE) }
#else
#define DC_PART_PACKS(name, R, size, params, args)                                                                     \
  DC_CALL R dc_part_pack##name(u64 a, M m) { return dc_gather_pack##name(V64_affine(a, size), m); }                    \
  DC_CALL void dc_put_part_pack##name params { dc_scatter_pack##name args; }
#endif
#define DC_ROW_PACKS(name, R, size, params, lanes, args)                                                               \
  DC_PART_PACKS(name, R, size, params, lanes)                                                                          \
  DC_FN R dc_row_pack##name(u64 a, M m) {                                                                              \
    R r;                                                                                                               \
    if (DC_USUAL(m == DC_EVERY)) {                                                                                     \
      DC_PARTS(DC_OF##name##_, DC_WHOLE_LOAD)                                                                          \
    } else if (DC_IS_HALF(m)) {                                                                                        \
      DC_PARTS(DC_OF##name##_, DC_HALF_LOAD)                                                                           \
    } else {                                                                                                           \
      r = dc_part_pack##name(a, m);                                                                                    \
    }                                                                                                                  \
    return r;                                                                                                          \
  }                                                                                                                    \
  DC_FN void dc_put_row_pack##name params {                                                                            \
    if (DC_USUAL(m == DC_EVERY)) {                                                                                     \
      DC_PARTS(DC_PUT##name##_, DC_WHOLE_STORE)                                                                        \
    } else if (DC_IS_HALF(m)) {                                                                                        \
      DC_PARTS(DC_PUT##name##_, DC_HALF_STORE)                                                                         \
    } else {                                                                                                           \
      dc_put_part_pack##name args;                                                                                     \
    }                                                                                                                  \
  }                                                                                                                    \
  DC_FN void dc_stream_row_pack##name params {                                                                         \
    if (DC_USUAL(m == DC_EVERY && a % 64 == 0)) {                                                                      \
      DC_PARTS(DC_PUT##name##_, DC_STREAM_STORE)                                                                       \
    } else {                                                                                                           \
      dc_put_row_pack##name args;                                                                                      \
    }                                                                                                                  \
  }
DC_ROW_PACKS(2, dc_two, 8, (u64 a, M m, V32 x, V32 y), (V64_affine(a, 8), m, x, y), (a, m, x, y))
DC_ROW_PACKS(4, dc_four, 16, (u64 a, M m, V32 x, V32 y, V32 z, V32 w), (V64_affine(a, 16), m, x, y, z, w),
             (a, m, x, y, z, w))
DC_ROW_PACKS(2x64, dc_two_64, 16, (u64 a, M m, V64 x, V64 y), (V64_affine(a, 16), m, x, y), (a, m, x, y))

/* --- copies ------------------------------------------------------------------------------------------------------- */

/* 16 bytes a lane. */
typedef struct dc_copying {
  u64 to[DC_W];
  const u64 *from;
  M lanes;
} dc_copying;

/* Prefetches the sources; in loops, where w is given, those of the next execution instead. */
DC_CALL void dc_begin_copy(const u64 *from, dc_last_access *w) {
  const u64 step = w ? dc_next_step(w, from[0]) : 0;
  if (!w || step) dc_prefetch_lines(V64_load(from), from, step, 1, DC_EVERY);
}
DC_CALL void dc_end_copies(const dc_copying *c, int n) {
  for (; n > 0; n--, c++) DC_LANES_DO(c->lanes, *DC_AT(dc_16_bytes, c->to[l]) = *DC_AT(const dc_16_bytes, c->from[l]));
}
