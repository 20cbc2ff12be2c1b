/*
** short.h - registers of 16 bits as vectors of short lanes: halves, or bytes where their upper halves say nothing more.
**
**   VH  lanes of 16 bits, functions h_name
**   VB  lanes of 8 bits, functions b_name
**
** Which registers these are codegen/emit_short.c says.  The predicates that they give and take are words (M).
*/
#pragma once

#include "packs.h"

/* Bytes and number of parts: native vectors, or one that is shorter. */
#define DC_BYTES_B (DC_W < 4 * DC_NW ? DC_W : 4 * DC_NW)
#define DC_BYTES_H (2 * DC_W < 4 * DC_NW ? 2 * DC_W : 4 * DC_NW)
#if DC_P == 8
#define DC_PARTS_B(X, ...) X(0, __VA_ARGS__) X(1, __VA_ARGS__)
#define DC_PARTS_H(X, ...) X(0, __VA_ARGS__) X(1, __VA_ARGS__) X(2, __VA_ARGS__) X(3, __VA_ARGS__)
#elif DC_P == 4
#define DC_PARTS_B(X, ...) X(0, __VA_ARGS__)
#define DC_PARTS_H(X, ...) X(0, __VA_ARGS__) X(1, __VA_ARGS__)
#else
#define DC_PARTS_B(X, ...) X(0, __VA_ARGS__)
#define DC_PARTS_H(X, ...) X(0, __VA_ARGS__)
#endif
typedef uint8_t dc_bu __attribute__((vector_size(DC_BYTES_B)));
typedef int8_t dc_bs __attribute__((vector_size(DC_BYTES_B)));
typedef uint16_t dc_hu __attribute__((vector_size(DC_BYTES_H)));
typedef int16_t dc_hs __attribute__((vector_size(DC_BYTES_H)));
/* The bytes of a part of halves. */
typedef uint8_t dc_half_bu __attribute__((vector_size(DC_BYTES_H / 2)));
typedef int8_t dc_half_bs __attribute__((vector_size(DC_BYTES_H / 2)));
#define DC_MEMBER_(i, T) T p##i;
typedef struct VB {
  DC_PARTS_B(DC_MEMBER_, dc_bu)
} VB;
typedef struct VH {
  DC_PARTS_H(DC_MEMBER_, dc_hu)
} VH;

/* --- memory and other lanes -------------------------------------------------------------------------------------- */

DC_FN VB b_load(const void *from) {
  VB r;
  memcpy(&r, from, sizeof r);
  return r;
}
DC_FN VH h_load(const void *from) {
  VH r;
  memcpy(&r, from, sizeof r);
  return r;
}
#define DC_TO_BYTES_(i, to)                                                                                            \
  const dc_half_bu t##i = __builtin_convertvector(x.p##i, dc_half_bu);                                                 \
  memcpy(to + i * sizeof t##i, &t##i, sizeof t##i);
DC_FN void h_store_low(void *to, VH x) { DC_PARTS_H(DC_TO_BYTES_, (char *)to) }
#define DC_FROM_BYTES_(i, T)                                                                                           \
  T t##i;                                                                                                              \
  memcpy(&t##i, (const char *)from + i * sizeof t##i, sizeof t##i);                                                    \
  r.p##i = (dc_hu)__builtin_convertvector(t##i, dc_hs);
DC_FN VH h_load_u8(const void *from) {
  VH r;
  DC_PARTS_H(DC_FROM_BYTES_, dc_half_bu)
  return r;
}
DC_FN VH h_load_s8(const void *from) {
  VH r;
  DC_PARTS_H(DC_FROM_BYTES_, dc_half_bs)
  return r;
}

#define DC_HERE(x) (u64)(uintptr_t)(x)
DC_FN V32 w_of_b(VB x) { return dc_row_u8(DC_HERE(&x), DC_EVERY); }
DC_FN V32 w_of_h(VH x) { return dc_row_u16(DC_HERE(&x), DC_EVERY); }
DC_FN VB b_of_w(V32 x) {
  VB r;
  dc_put_row_u8(DC_HERE(&r), x, DC_EVERY);
  return r;
}
DC_FN VH h_of_w(V32 x) {
  VH r;
  dc_put_row_u16(DC_HERE(&r), x, DC_EVERY);
  return r;
}

/* Rows.  Lanes that are not in the mask have any value. */
DC_SLOW VB b_part_row(u64 a, M m) { return b_of_w(dc_row_u8(a, m)); }
DC_SLOW void b_put_part_row(u64 a, VB x, M m) { dc_put_row_u8(a, w_of_b(x), m); }
DC_SLOW void h_put_part_row(u64 a, VH x, M m) { dc_put_row_u16(a, w_of_h(x), m); }
DC_SLOW void h_put_part_row_u8(u64 a, VH x, M m) { dc_put_row_u8(a, w_of_h(x), m); }
DC_FN VB b_row_u8(u64 a, M m) {
  if (DC_USUAL(m == DC_EVERY || dc_is_within_page(a, DC_W, m))) return b_load(DC_AT(const void, a));
  return b_part_row(a, m);
}
#define b_row_s8 b_row_u8
#define DC_SHORT_ROW(T, size, load)                                                                                    \
  DC_SLOW VH h_part_row_##T(u64 a, M m) { return h_of_w(dc_row_##T(a, m)); }                                           \
  DC_FN VH h_row_##T(u64 a, M m) {                                                                                     \
    if (DC_USUAL(m == DC_EVERY || dc_is_within_page(a, size * DC_W, m))) return load(DC_AT(const void, a));            \
    return h_part_row_##T(a, m);                                                                                       \
  }
DC_SHORT_ROW(u8, 1, h_load_u8)
DC_SHORT_ROW(s8, 1, h_load_s8)
DC_SHORT_ROW(u16, 2, h_load)
#define h_row_s16 h_row_u16
DC_FN void b_put_row_u8(u64 a, VB x, M m) {
  if (DC_USUAL(m == DC_EVERY)) memcpy(DC_AT(void, a), &x, sizeof x);
  else b_put_part_row(a, x, m);
}
DC_FN void h_put_row_u16(u64 a, VH x, M m) {
  if (DC_USUAL(m == DC_EVERY)) memcpy(DC_AT(void, a), &x, sizeof x);
  else h_put_part_row(a, x, m);
}
DC_FN void h_put_row_u8(u64 a, VH x, M m) {
  if (DC_USUAL(m == DC_EVERY)) h_store_low(DC_AT(void, a), x);
  else h_put_part_row_u8(a, x, m);
}
#define b_put_row_s8 b_put_row_u8
#define h_put_row_s8 h_put_row_u8
#define h_put_row_s16 h_put_row_u16

/* --- predicates -------------------------------------------------------------------------------------------------- */

/* n_bits: the lanes of a part that are ~0, the others being 0; n_lanes: such a part. */
#if DC_NW == 16
#if DC_W == 32
DC_FN u32 n_bits_b(dc_bu x) { return _mm256_movepi8_mask((__m256i)x); }
DC_FN u32 n_bits_h(dc_hu x) { return _mm512_movepi16_mask((__m512i)x); }
DC_FN dc_bu n_lanes_b(u32 word) { return (dc_bu)_mm256_movm_epi8(word); }
DC_FN dc_hu n_lanes_h(u32 word) { return (dc_hu)_mm512_movm_epi16(word); }
#else
DC_FN u32 n_bits_b(dc_bu x) { return _mm_movepi8_mask((__m128i)x); }
DC_FN u32 n_bits_h(dc_hu x) { return _mm256_movepi16_mask((__m256i)x); }
DC_FN dc_bu n_lanes_b(u32 word) { return (dc_bu)_mm_movm_epi8((__mmask16)word); }
DC_FN dc_hu n_lanes_h(u32 word) { return (dc_hu)_mm256_movm_epi16((__mmask16)word); }
#endif
#else
/* Bit i of eight in, or out of, byte i. */
DC_FN u32 dc_word_of_8(u64 bytes) { return (u32)((bytes & 0x8040201008040201u) * 0x0101010101010101u >> 56); }
DC_FN u64 dc_8_of_word(u32 word) { return (u64)(word & 255) * 0x0101010101010101u & 0x8040201008040201u; }
#define DC_BITS_OF_8(bytes)                                                                                            \
  u64 eight[sizeof bytes / 8];                                                                                         \
  u32 word = 0;                                                                                                        \
  memcpy(eight, &bytes, sizeof bytes);                                                                                 \
  for (u32 i = 0; i < sizeof bytes / 8; i++) word |= dc_word_of_8(eight[i]) << 8 * i;                                  \
  return word;
#define DC_8_OF_BITS(bytes)                                                                                            \
  u64 eight[sizeof bytes / 8];                                                                                         \
  for (u32 i = 0; i < sizeof bytes / 8; i++) eight[i] = dc_8_of_word(word >> 8 * i);                                   \
  memcpy(&bytes, eight, sizeof bytes);
#if defined(DC_X86) && DC_NW == 8 && DC_W == 32
DC_FN u32 n_bits_b(dc_bu x) { return (u32)_mm256_movemask_epi8((__m256i)x); }
DC_FN dc_bu n_lanes_b(u32 word) {
  const __m256i byte = _mm256_setr_epi64x(0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303);
  const __m256i bit = _mm256_set1_epi64x((s64)0x8040201008040201u);
  const __m256i x = _mm256_shuffle_epi8(_mm256_set1_epi32((s32)word), byte);
  return (dc_bu)_mm256_cmpeq_epi8(_mm256_and_si256(x, bit), bit);
}
#else
#if defined(DC_X86)
DC_FN u32 n_bits_b(dc_bu x) { return (u32)_mm_movemask_epi8((__m128i)x); }
#else
DC_FN u32 n_bits_b(dc_bu x) { DC_BITS_OF_8(x) }
#endif
DC_FN dc_bu n_lanes_b(u32 word) {
  dc_bu x;
  DC_8_OF_BITS(x)
  return (dc_bu)(x != 0);
}
#endif
DC_FN u32 n_bits_h(dc_hu x) {
  const dc_half_bu bytes = __builtin_convertvector(x, dc_half_bu);
  DC_BITS_OF_8(bytes)
}
DC_FN dc_hu n_lanes_h(u32 word) {
  dc_half_bu bytes;
  DC_8_OF_BITS(bytes)
  return (dc_hu)(__builtin_convertvector(bytes, dc_hu) != 0);
}
#endif

/* --- operations -------------------------------------------------------------------------------------------------- */

/* p_name on values of type V<q> from an expression on parts x, y, z of type U, or S with signs. */
#define DC_SHORT_(R, name, params, parts, each, f)                                                                     \
  DC_FN R name params {                                                                                                \
    R r;                                                                                                               \
    parts(each, f)                                                                                                     \
    return r;                                                                                                          \
  }
#define DC_1_(i, f) r.p##i = f(x.p##i);
#define DC_2_(i, f) r.p##i = f(x.p##i, y.p##i);
#define DC_3_(i, f) r.p##i = f(x.p##i, y.p##i, z.p##i);
#define DC_BY_(i, f) r.p##i = f(x.p##i, by);
#define DC_CHOOSE_B_(i, unused)                                                                                        \
  const dc_bu c##i = n_lanes_b(c >> (DC_BYTES_B * i));                                                                 \
  r.p##i = (c##i & x.p##i) | (~c##i & y.p##i);
#define DC_CHOOSE_H_(i, unused)                                                                                        \
  const dc_hu c##i = n_lanes_h(c >> (DC_BYTES_H / 2 * i));                                                             \
  r.p##i = (c##i & x.p##i) | (~c##i & y.p##i);
#define DC_SHORT1(p, q, U, S, name, expr)                                                                              \
  DC_FN U n_##p##name(U x) { return expr; }                                                                            \
  DC_SHORT_(V##q, p##_##name, (V##q x), DC_PARTS_##q, DC_1_, n_##p##name)
#define DC_SHORT2(p, q, U, S, name, expr)                                                                              \
  DC_FN U n_##p##name(U x, U y) { return expr; }                                                                       \
  DC_SHORT_(V##q, p##_##name, (V##q x, V##q y), DC_PARTS_##q, DC_2_, n_##p##name)
#define DC_SHORT3(p, q, U, S, name, expr)                                                                              \
  DC_FN U n_##p##name(U x, U y, U z) { return expr; }                                                                  \
  DC_SHORT_(V##q, p##_##name, (V##q x, V##q y, V##q z), DC_PARTS_##q, DC_3_, n_##p##name)
#define DC_SHORT_BY(p, q, U, S, name, expr)                                                                            \
  DC_FN U n_##p##name(U x, u32 by) { return expr; }                                                                    \
  DC_SHORT_(V##q, p##_##name, (V##q x, u32 by), DC_PARTS_##q, DC_BY_, n_##p##name)
#define DC_TEST_(i, f) word |= f(x.p##i, y.p##i) << (sizeof x.p##i / sizeof x.p##i[0] * i);
#define DC_SHORT_TEST(p, q, U, S, name, expr)                                                                          \
  DC_FN u32 n_##p##name(U x, U y) { return n_bits_##p((U)(expr)); }                                                    \
  DC_FN M p##_setp_##name(V##q x, V##q y) {                                                                            \
    u32 word = 0;                                                                                                      \
    DC_PARTS_##q(DC_TEST_, n_##p##name)                                                                                \
    return word;                                                                                                       \
  }
#define DC_CHOICE(U, c, x, y) ((c & (x)) | (~c & (y)))
#define DC_FILL_(i, U) r.p##i = (U){0} + (__typeof__(r.p##i[0]))x;
#define DC_SHORT_OPERATIONS(p, q, U, S)                                                                                \
  DC_SHORT1(p, q, U, S, mov, x)                                                                                        \
  DC_SHORT1(p, q, U, S, neg, -x)                                                                                       \
  DC_SHORT1(p, q, U, S, not, ~x)                                                                                       \
  DC_SHORT1(p, q, U, S, abs, (x ^ (U)((S)x < 0)) - (U)((S)x < 0))                                                      \
  DC_SHORT2(p, q, U, S, add, x + y)                                                                                    \
  DC_SHORT2(p, q, U, S, sub, x - y)                                                                                    \
  DC_SHORT2(p, q, U, S, mul, x * y)                                                                                    \
  DC_SHORT2(p, q, U, S, and, x & y)                                                                                    \
  DC_SHORT2(p, q, U, S, or, x | y)                                                                                     \
  DC_SHORT2(p, q, U, S, xor, x ^ y)                                                                                    \
  DC_SHORT3(p, q, U, S, mad, x * y + z)                                                                                \
  DC_SHORT2(p, q, U, S, min_u, DC_CHOICE(U, (U)((U)x < (U)y), x, y))                                                   \
  DC_SHORT2(p, q, U, S, min_s, DC_CHOICE(U, (U)((S)x < (S)y), x, y))                                                   \
  DC_SHORT2(p, q, U, S, max_u, DC_CHOICE(U, (U)((U)x < (U)y), y, x))                                                   \
  DC_SHORT2(p, q, U, S, max_s, DC_CHOICE(U, (U)((S)x < (S)y), y, x))                                                   \
  DC_SHORT_BY(p, q, U, S, shl, x << by)                                                                                \
  DC_SHORT_BY(p, q, U, S, shr_u, x >> by)                                                                              \
  DC_SHORT_BY(p, q, U, S, shr_s, (U)((S)x >> by))                                                                      \
  DC_SHORT_TEST(p, q, U, S, eq_u, x == y)                                                                              \
  DC_SHORT_TEST(p, q, U, S, ne_u, x != y)                                                                              \
  DC_SHORT_TEST(p, q, U, S, lt_u, x < y)                                                                               \
  DC_SHORT_TEST(p, q, U, S, lt_s, (S)x < (S)y)                                                                         \
  DC_SHORT_TEST(p, q, U, S, le_u, x <= y)                                                                              \
  DC_SHORT_TEST(p, q, U, S, le_s, (S)x <= (S)y)                                                                        \
  DC_SHORT_TEST(p, q, U, S, gt_u, x > y)                                                                               \
  DC_SHORT_TEST(p, q, U, S, gt_s, (S)x > (S)y)                                                                         \
  DC_SHORT_TEST(p, q, U, S, ge_u, x >= y)                                                                              \
  DC_SHORT_TEST(p, q, U, S, ge_s, (S)x >= (S)y)                                                                        \
  DC_FN V##q p##_selp(V##q x, V##q y, M c) {                                                                           \
    V##q r;                                                                                                            \
    DC_PARTS_##q(DC_CHOOSE_##q##_, )                                                                                   \
    return r;                                                                                                          \
  }                                                                                                                    \
  DC_FN V##q p##_splat(u32 x) {                                                                                        \
    V##q r;                                                                                                            \
    DC_PARTS_##q(DC_FILL_, U)                                                                                          \
    return r;                                                                                                          \
  }
DC_SHORT_OPERATIONS(b, B, dc_bu, dc_bs)
DC_SHORT_OPERATIONS(h, H, dc_hu, dc_hs)
/* The lower bytes. */
DC_SHORT1(h, H, dc_hu, dc_hs, cvt_u8, x & 255)
DC_SHORT1(h, H, dc_hu, dc_hs, cvt_s8, (dc_hu)((dc_hs)(x << 8) >> 8))
