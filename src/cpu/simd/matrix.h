/*
** matrix.h - products of tensor cores by blocks of 8 rows and 8 columns, in the order of ops/multiply.c.
**
** An accumulator's block is two V32 (f16: one of pairs): lane l has columns 2 (l % 4) and the next of row l / 4.  A
** step adds column k of A times row k of B, so each lane needs A's element of its row, and B's of its two columns.
** Factors are decoded to words for that: of A's block two steps are 32 lanes, which have them by turns, of B's a step
** is the 4 even columns and the 4 odd ones.
** Accumulators stay as they are, and a decoded factor serves until its registers change.
**
** A word is an f32, or two integers of 16 bits whose products are added; `part` i of a register has its i-th word.
*/
#pragma once

#include "packs.h"

#if DC_W == 32 /* of whole warps only */
#define DC_MATRIX_CALL static __attribute__((noinline, unused))

/* --- words of a register -------------------------------------------------------------------------------------- */

#define DC_TWO_OF(low, high) ((dc_u)(low)&0xffffu) | (dc_u)(high) << 16
DC_FN dc_u n_part_f16(dc_u x, u32 i) { return n_widen_f16(x >> 16 * i & 0xffffu); }
DC_FN dc_u n_part_bf16(dc_u x, u32 i) { return x >> 16 * i << 16; }
DC_FN dc_u n_part_tf32(dc_u x, u32 i) { return (void)i, x & 0xffffe000u; }
DC_FN dc_u n_part_e4m3(dc_u x, u32 i) { return n_widen_e4m3(x >> 8 * i & 0xffu); }
DC_FN dc_u n_part_e5m2(dc_u x, u32 i) { return n_widen_e5m2(x >> 8 * i & 0xffu); }
DC_FN dc_u n_part_u8(dc_u x, u32 i) { return x = x >> 16 * i, DC_TWO_OF(x & 0xffu, x >> 8 & 0xffu); }
DC_FN dc_u n_part_u4(dc_u x, u32 i) { return x = x >> 8 * i, DC_TWO_OF(x & 15u, x >> 4 & 15u); }
DC_FN dc_u n_part_s8(dc_u x, u32 i) {
  const dc_s y = (dc_s)(x >> 16 * i);
  return DC_TWO_OF(y << 24 >> 24, y << 16 >> 24);
}
DC_FN dc_u n_part_s4(dc_u x, u32 i) {
  const dc_s y = (dc_s)(x >> 8 * i);
  return DC_TWO_OF(y << 28 >> 28, y << 24 >> 28);
}

/* --- decoding ------------------------------------------------------------------------------------------------- */

/* Of A's rows two steps together, in all lanes of a row by turns: lanes 0, 1 and lanes 2, 3 of x. */
#define DC_TWO_STEPS_(i, pairs) r.p##i = pairs(x.p##i, x.p##i);
DC_FN void v_put_steps(u32 *to, u32 distance, V32 x) {
  V32 r;
  DC_PARTS(DC_TWO_STEPS_, DC_LOW_PAIRS)
  V32_store(to, r);
  DC_PARTS(DC_TWO_STEPS_, DC_HIGH_PAIRS)
  V32_store(to + 32 * distance, r);
}
#define DC_LOW_TURN_(i, unused) r.p##i = DC_LOW_TURNS(x.p##i, y.p##i);
#define DC_HIGH_TURN_(i, unused) r.p##i = DC_HIGH_TURNS(x.p##i, y.p##i);
/* x, y: the two words of each lane. */
DC_FN void v_put_turns(u32 *to, u32 distance, V32 x, V32 y) {
  V32 r;
  DC_PARTS(DC_LOW_TURN_, )
  v_put_steps(to, distance, r);
  DC_PARTS(DC_HIGH_TURN_, )
  v_put_steps(to + 64 * distance, distance, r);
}
/* Steps `distance` apart, of B's columns: 4 c + i is the lane of column c. */
DC_FN void v_decode_columns(u32 *to, u32 distance, V32 x) {
#if DC_NW == 16
  for (int i = 0; i < 4; i += 2) {
    const dc_u first = {0, 8, 16, 24, 4, 12, 20, 28, 1, 9, 17, 25, 5, 13, 21, 29};
    const __m512i r = _mm512_permutex2var_epi32((__m512i)x.p0, (__m512i)(first + (u32)i), (__m512i)x.p1);
    _mm256_storeu_si256((__m256i *)(void *)(to + 8 * i * distance), _mm512_castsi512_si256(r));
    _mm256_storeu_si256((__m256i *)(void *)(to + 8 * (i + 1) * distance), _mm512_extracti64x4_epi64(r, 1));
  }
#else
  u32 lanes[32] __attribute__((aligned(64)));
  V32_store(lanes, x);
  for (u32 odd = 0; odd < 2; odd++) {
#if defined(DC_X86)
    const __m128i *c = (const __m128i *)(const void *)lanes + odd; /* every other one is a column: 4 x 4 transposed */
    const __m128i a = _mm_unpacklo_epi32(c[0], c[2]), b = _mm_unpackhi_epi32(c[0], c[2]);
    const __m128i d = _mm_unpacklo_epi32(c[4], c[6]), e = _mm_unpackhi_epi32(c[4], c[6]);
    const __m128i r[4] = {_mm_unpacklo_epi64(a, d), _mm_unpackhi_epi64(a, d), _mm_unpacklo_epi64(b, e),
                          _mm_unpackhi_epi64(b, e)};
    for (u32 i = 0; i < 4; i++) memcpy(to + 8 * i * distance + 4 * odd, &r[i], sizeof r[i]);
#else
    for (u32 i = 0; i < 4; i++)
      for (u32 c = 0; c < 4; c++) to[8 * i * distance + 4 * odd + c] = lanes[8 * c + 4 * odd + i];
#endif
  }
#endif
}

#define DC_PART_OF_(i, type) v.p##i = n_part_##type(x.p##i, part);
#define DC_WORDS(type)                                                                                                 \
  DC_FN V32 v_part_##type(V32 x, u32 part) {                                                                           \
    V32 v;                                                                                                             \
    DC_PARTS(DC_PART_OF_, type)                                                                                        \
    return v;                                                                                                          \
  }
#define DC_ROWS_OF(type, parts)                                                                                        \
  DC_FN void v_rows_##type(u32 *to, V32 x) {                                                                           \
    if (parts == 1) v_put_steps(to, 1, v_part_##type(x, 0));                                                           \
    for (u32 i = 0; i + 1 < parts; i += 2)                                                                             \
      v_put_turns(to + 16 * i, parts / 2, v_part_##type(x, i), v_part_##type(x, i + 1));                               \
  }
#define DC_COLUMNS_OF(type, parts)                                                                                     \
  DC_FN void v_columns_##type(u32 *to, V32 x) {                                                                        \
    for (u32 i = 0; i < parts; i++) v_decode_columns(to + 8 * i, parts, v_part_##type(x, i));                          \
  }
DC_WORDS(f16)
/* Of f16 rows of memory are converted whole: to the elements of 4 steps, and of the other 4. */
#if DC_NW == 16 || (DC_NW == 8 && defined(__F16C__))
#if DC_NW == 16
#define DC_ROWS_TO_F32(x) _mm512_cvtph_ps(x)
#define DC_QUARTERS_(i, odd)                                                                                           \
  r.p##i = (dc_u)_mm512_shuffle_f32x4(DC_ROWS_TO_F32(DC_LO(x.p##i)), DC_ROWS_TO_F32(DC_HI(x.p##i)), 0x88 + 0x55 * odd);
#else
#define DC_ROWS_TO_F32(x) _mm256_cvtph_ps(x)
#define DC_QUARTERS_(i, odd)                                                                                           \
  r.p##i =                                                                                                             \
      (dc_u)_mm256_permute2f128_ps(DC_ROWS_TO_F32(DC_LO(x.p##i)), DC_ROWS_TO_F32(DC_HI(x.p##i)), 0x20 + 0x11 * odd);
#endif
DC_FN void v_rows_f16(u32 *to, V32 x) {
  V32 r;
  DC_PARTS(DC_QUARTERS_, 0)
  v_put_steps(to, 1, r);
  DC_PARTS(DC_QUARTERS_, 1)
  v_put_steps(to + 64, 1, r);
}
#else
DC_ROWS_OF(f16, 2)
#endif
DC_COLUMNS_OF(f16, 2)

#define DC_PARAMETER_(i, unused) , dc_u x##i
#define DC_ARGUMENT_(i, x) , x.p##i
#define DC_BE_PART_(i, unused) x.p##i = x##i;
/* dc_rows_T, dc_columns_T: a register of elements T to its 4 steps for each word of a lane. */
#define DC_DECODE(what, type)                                                                                          \
  DC_MATRIX_CALL void dc_each_##what##_##type(u32 *to DC_PARTS(DC_PARAMETER_, )) {                                     \
    V32 x;                                                                                                             \
    DC_PARTS(DC_BE_PART_, )                                                                                            \
    v_##what##_##type(to, x);                                                                                          \
  }                                                                                                                    \
  DC_FN void dc_##what##_##type(u32 *to, V32 x) { dc_each_##what##_##type(to DC_PARTS(DC_ARGUMENT_, x)); }
#define DC_FACTOR(type, parts)                                                                                         \
  DC_WORDS(type) DC_ROWS_OF(type, parts) DC_COLUMNS_OF(type, parts) DC_DECODE(rows, type) DC_DECODE(columns, type)
DC_DECODE(rows, f16)
DC_DECODE(columns, f16)
#define DC_FACTORS(X) X(bf16, 2) X(tf32, 1) X(e4m3, 4) X(e5m2, 4) X(s8, 2) X(u8, 2) X(s4, 4) X(u4, 4)
DC_FACTORS(DC_FACTOR)

/* --- products ------------------------------------------------------------------------------------------------- */

DC_FN dc_u n_dot(dc_u x, dc_u y, dc_u sum) { return sum + n_halves((dc_h)x, (dc_h)y); }

/* Of the two steps at p, the even or odd one for all lanes: a load, without a shuffle, which would take a port that
** multiply-adds need. */
#if DC_NW == 16
#define DC_TWICE_AS "=v"
#else
#define DC_TWICE_AS "=x"
#endif
DC_FN dc_u n_step(const u32 *p, int odd) {
  dc_u r;
#if DC_NW >= 8
  if (odd) __asm__("vmovshdup %1, %0" : DC_TWICE_AS(r) : "m"(*(const dc_u *)(const void *)p));
  else __asm__("vmovsldup %1, %0" : DC_TWICE_AS(r) : "m"(*(const dc_u *)(const void *)p));
#else
  memcpy(&r, p, sizeof r);
  r = odd ? DC_GROUPS(r, r, 1, 1, 3, 3) : DC_GROUPS(r, r, 0, 0, 2, 2);
#endif
  return r;
}
/* 4 words, for each row of lanes. */
DC_FN dc_u n_each_row(const u32 *p) {
#if DC_NW == 16
  return (dc_u)_mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)(const void *)p));
#elif DC_NW == 8
  return (dc_u)_mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)p));
#else
  dc_u r;
  memcpy(&r, p, sizeof r);
  return r;
#endif
}

/* A tile is the blocks whose sums registers hold: 2 x 2, or 2 x 1 in a last column; with fewer registers one.  (A fused
** multiply-add takes 4 cycles and processors begin two in one: 8 native vectors of sums at least.) */
#if DC_NW == 16
#define DC_DOWN(X, ...) X(0, __VA_ARGS__) X(1, __VA_ARGS__)
#define DC_TWO_COLUMNS(X, ...) X(0, __VA_ARGS__) X(1, __VA_ARGS__)
#define DC_TILE_OF_TWO(X, ...) X(0, 0, __VA_ARGS__) X(1, 0, __VA_ARGS__) X(0, 1, __VA_ARGS__) X(1, 1, __VA_ARGS__)
#define DC_TILE_OF_ONE(X, ...) X(0, 0, __VA_ARGS__) X(1, 0, __VA_ARGS__)
enum { DC_TOGETHER = 2 };
#else
#define DC_DOWN(X, ...) X(0, __VA_ARGS__)
#define DC_TILE_OF_ONE(X, ...) X(0, 0, __VA_ARGS__)
enum { DC_TOGETHER = 1 };
#endif
#define DC_ONE_COLUMN(X, ...) X(0, __VA_ARGS__)
#define DC_SUM(at) (*(V32 *)(void *)(sums + (at)))
#define DC_SUM_AT(at) ((u32 *)__builtin_assume_aligned(sums + (at), 64))
/* Of block i down and j across. */
#define DC_GET_PAIR_(i, j, unused)                                                                                     \
  V32 even##i##j = V32_load(DC_SUM_AT(at[2 * n##i##j])), odd##i##j = V32_load(DC_SUM_AT(at[2 * n##i##j + 1]));
#define DC_SET_PAIR_(i, j, unused)                                                                                     \
  V32_store(DC_SUM_AT(at[2 * n##i##j]), even##i##j);                                                                   \
  V32_store(DC_SUM_AT(at[2 * n##i##j + 1]), odd##i##j);
#define DC_WIDEN_PAIR_(part, ij)                                                                                       \
  even##ij.p##part = n_part_f16(v##ij.p##part, 0);                                                                     \
  odd##ij.p##part = n_part_f16(v##ij.p##part, 1);
#define DC_NARROW_PAIR_(part, ij) v##ij.p##part = n_to_f16(even##ij.p##part) | n_to_f16(odd##ij.p##part) << 16;
#define DC_GET_HALVES_(i, j, unused)                                                                                   \
  V32 even##i##j, odd##i##j, v##i##j = V32_load(DC_SUM_AT(at[n##i##j]));                                               \
  DC_PARTS(DC_WIDEN_PAIR_, i##j)
#define DC_SET_HALVES_(i, j, unused)                                                                                   \
  DC_PARTS(DC_NARROW_PAIR_, i##j)                                                                                      \
  V32_store(DC_SUM_AT(at[n##i##j]), v##i##j);
/* The last block once more, where their number is odd. */
#define DC_ROW_(i, unused)                                                                                             \
  const u32 row##i = row + i < down ? row + i : row;                                                                   \
  const u32 *a##i = a[row##i];
#define DC_COLUMN_(j, unused) const u32 *b##j = b[column + j];
#define DC_BLOCK_(i, j, unused) const u32 n##i##j = row##i + (column + j) * down;
#define DC_ADD_PART_(part, i, j)                                                                                       \
  even##i##j.p##part = N_ADD(x##i.p##part, y##j, even##i##j.p##part);                                                  \
  odd##i##j.p##part = N_ADD(x##i.p##part, z##j, odd##i##j.p##part);
#define DC_ADD_(i, j, unused) DC_PARTS(DC_ADD_PART_, i, j)
#define DC_STEP_OF_ROW_(part, a, step) r_.p##part = n_step(a + 32 * (step / 2) + DC_NW * part, step % 2);
#define DC_GET_ROW_(i, step)                                                                                           \
  V32 x##i;                                                                                                            \
  {                                                                                                                    \
    V32 r_;                                                                                                            \
    DC_PARTS(DC_STEP_OF_ROW_, a##i, step)                                                                              \
    x##i = r_;                                                                                                         \
  }
#define DC_GET_COLUMN_(j, step) const dc_u y##j = n_each_row(b##j + 8 * step), z##j = n_each_row(b##j + 8 * step + 4);
#define DC_NEXT_ROW_(i, unused) a##i += 2 * 32;
#define DC_NEXT_COLUMN_(j, unused) b##j += 4 * 8;
#define DC_STEP_(step, TILE, COLUMNS)                                                                                  \
  {                                                                                                                    \
    DC_DOWN(DC_GET_ROW_, step)                                                                                         \
    COLUMNS(DC_GET_COLUMN_, step)                                                                                      \
    TILE(DC_ADD_, )                                                                                                    \
  }
#define DC_MULTIPLY_TILE(TILE, COLUMNS, GET, SET)                                                                      \
  for (u32 row = 0; row < down; row += DC_TOGETHER) {                                                                  \
    DC_DOWN(DC_ROW_, )                                                                                                 \
    COLUMNS(DC_COLUMN_, )                                                                                              \
    TILE(DC_BLOCK_, )                                                                                                  \
    TILE(GET, )                                                                                                        \
    for (u32 left = steps; left; left -= 4) {                                                                          \
      DC_STEP_(0, TILE, COLUMNS) DC_STEP_(1, TILE, COLUMNS) DC_STEP_(2, TILE, COLUMNS) DC_STEP_(3, TILE, COLUMNS)      \
      DC_DOWN(DC_NEXT_ROW_, )                                                                                          \
      COLUMNS(DC_NEXT_COLUMN_, )                                                                                       \
    }                                                                                                                  \
    TILE(SET, )                                                                                                        \
  }
#if DC_NW == 16
#define DC_TWO_AT_A_TIME(GET, SET)                                                                                     \
  for (; column + 1 < across; column += 2) { DC_MULTIPLY_TILE(DC_TILE_OF_TWO, DC_TWO_COLUMNS, GET, SET) }
#else
#define DC_TWO_AT_A_TIME(GET, SET)
#endif

/* sums + at[…]: the registers of D, which begin as C's: of the first column of blocks first.  a, b: decoded factors,
** for each row and column of blocks; `steps` is a multiple of 4. */
#define DC_PRODUCTS(name, GET, SET)                                                                                    \
  DC_MATRIX_CALL void dc_products_##name(uint8_t *sums, const u32 *at, const u32 *const *a, const u32 *const *b,       \
                                         u32 down, u32 across, u32 steps) {                                            \
    u32 column = 0;                                                                                                    \
    DC_TWO_AT_A_TIME(GET, SET)                                                                                         \
    for (; column < across; column++) { DC_MULTIPLY_TILE(DC_TILE_OF_ONE, DC_ONE_COLUMN, GET, SET) }                    \
  }
#define N_ADD n_fma_f32
DC_PRODUCTS(f32, DC_GET_PAIR_, DC_SET_PAIR_)
DC_PRODUCTS(f16, DC_GET_HALVES_, DC_SET_HALVES_)
#undef N_ADD
#define N_ADD n_dot
DC_PRODUCTS(s32, DC_GET_PAIR_, DC_SET_PAIR_)
#undef N_ADD

/* --- from memory ---------------------------------------------------------------------------------------------- */

/* A register that is 8 rows of 16 bytes, from their addresses; at a constant distance. */
#if DC_NW >= 8
#define DC_ROW_AT(row) _mm_loadu_si128(DC_AT(const __m128i, at(row)))
#endif
#if DC_NW == 16
#define DC_ROWS_AT_(i, unused)                                                                                         \
  const __m512i r##i = _mm512_inserti32x4(_mm512_castsi128_si512(DC_ROW_AT(4 * i)), DC_ROW_AT(4 * i + 1), 1);          \
  r.p##i = (dc_u)_mm512_inserti32x4(_mm512_inserti32x4(r##i, DC_ROW_AT(4 * i + 2), 2), DC_ROW_AT(4 * i + 3), 3);
#elif DC_NW == 8
#define DC_ROWS_AT_(i, unused)                                                                                         \
  r.p##i = (dc_u)_mm256_inserti128_si256(_mm256_castsi128_si256(DC_ROW_AT(2 * i)), DC_ROW_AT(2 * i + 1), 1);
#else
#define DC_ROWS_AT_(i, unused) memcpy(&r.p##i, DC_AT(const void, at(i)), sizeof r.p##i);
#endif
#define DC_MATRIX_FROM(name, params)                                                                                   \
  DC_FN V32 name params {                                                                                              \
    V32 r;                                                                                                             \
    DC_PARTS(DC_ROWS_AT_, )                                                                                            \
    return r;                                                                                                          \
  }
#define at(row) list[row]
DC_MATRIX_FROM(v_rows_at, (const u64 *list))
#undef at
#define at(row) (first + (u64)(stride * (row)))
DC_MATRIX_FROM(v_lines_from, (u64 first, s64 stride))
#undef at
DC_MATRIX_CALL V32 dc_rows_at(const u64 *list) { return v_rows_at(list); }
DC_MATRIX_CALL V32 dc_lines_from(u64 first, s64 stride) { return v_lines_from(first, stride); }
/* 8 x 8 elements of 16 bits. */
DC_FN V32 v_transpose_16(V32 x) {
#if DC_NW == 16
  const __m512i i = _mm512_add_epi16(
      _mm512_set_epi16(59, 51, 43, 35, 27, 19, 11, 3, 58, 50, 42, 34, 26, 18, 10, 2, 57, 49, 41, 33, 25, 17, 9, 1,
                       56, 48, 40, 32, 24, 16, 8, 0), _mm512_setzero_si512());
  V32 r;
  r.p0 = (dc_u)_mm512_permutex2var_epi16((__m512i)x.p0, i, (__m512i)x.p1);
  r.p1 = (dc_u)_mm512_permutex2var_epi16((__m512i)x.p0, _mm512_add_epi16(i, _mm512_set1_epi16(4)), (__m512i)x.p1);
  return r;
#else
  uint16_t from[64], to[64];
  V32_store((u32 *)from, x);
  for (int i = 0; i < 8; i++)
    for (int j = 0; j < 8; j++) to[8 * i + j] = from[8 * j + i];
  return V32_load((const u32 *)to);
#endif
}

/* Columns of B from the transpose of their register. */
#if DC_NW == 16
#define DC_TWO_ROWS_(i, widen, half)                                                                                   \
  _mm512_storeu_si512(to + 16 * (i), _mm512_permutexvar_epi32(order, (__m512i)widen(half)));
#define DC_FOUR_ROWS_(i, widen)                                                                                        \
  DC_TWO_ROWS_(2 * i, widen, DC_LO(x.p##i)) DC_TWO_ROWS_(2 * i + 1, widen, DC_HI(x.p##i))
#define DC_WIDEN_BF16(half) _mm512_slli_epi32(_mm512_cvtepu16_epi32(half), 16)
#define DC_COLUMNS_OF_ROWS(type, widen)                                                                                \
  DC_FN void v_columns_across_##type(u32 *to, V32 x) {                                                                 \
    const __m512i order = _mm512_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7, 8, 10, 12, 14, 9, 11, 13, 15);                     \
    DC_PARTS(DC_FOUR_ROWS_, widen)                                                                                     \
  }
DC_COLUMNS_OF_ROWS(f16, _mm512_cvtph_ps)
DC_COLUMNS_OF_ROWS(bf16, DC_WIDEN_BF16)
#else
DC_FN void v_columns_across_f16(u32 *to, V32 x) { v_columns_f16(to, v_transpose_16(x)); }
DC_FN void v_columns_across_bf16(u32 *to, V32 x) { v_columns_bf16(to, v_transpose_16(x)); }
#endif
DC_FN void v_rows_across_f16(u32 *to, V32 x) { v_rows_f16(to, v_transpose_16(x)); }
DC_FN void v_rows_across_bf16(u32 *to, V32 x) { v_rows_bf16(to, v_transpose_16(x)); }

/* The same of registers that are 8 rows of memory; …_across: their transpose. */
#define DC_FROM_MEMORY(what)                                                                                           \
  DC_MATRIX_CALL void dc_##what##_at(u32 *to, const u64 *list) { v_##what(to, v_rows_at(list)); }                      \
  DC_MATRIX_CALL void dc_##what##_from(u32 *to, u64 first, s64 stride) { v_##what(to, v_lines_from(first, stride)); }
#define DC_FACTOR_FROM_MEMORY(type, parts) DC_FROM_MEMORY(rows_##type) DC_FROM_MEMORY(columns_##type)
DC_FACTOR_FROM_MEMORY(f16, 2)
DC_FACTORS(DC_FACTOR_FROM_MEMORY)
DC_FACTOR_FROM_MEMORY(across_f16, 2)
DC_FACTOR_FROM_MEMORY(across_bf16, 2)
#endif
