/*
** types.h - the run-time of natively compiled kernels: values of W lanes, masks, loads and stores.
**
** Emitted code defines DC_W (lanes of a gang, 32 or 16) and includes lanes.h, which includes this.  A value
** is a struct of DC_P native vectors, each of DC_NW lanes of 32 bits, with named members, which compilers keep in
** registers.  Everything is inlined.
**
**   V32  lanes of 32 bits: u32, s32, bits of f32; 16-bit registers too, zero-extended
**   V64  lanes of 64 bits: each part a pair of vectors, lower lanes in l, upper ones in h
**   P    a truth value a lane, as comparisons give them: bits, or lanes of 0 and -1
**   M    a set of lanes, a word
**
** Prefixes: n_ works on native vectors, v_ on whole values, s_ on the scalars that stand for uniform values:
** uint32_t (16-bit ones zero-extended), uint64_t, int (0 or 1).
*/
#pragma once

#include "scalar.h"

#if defined(__SSE2__) && !defined(DC_PLAIN) /* DC_PLAIN: as on a machine without intrinsics of ours */
#define DC_X86
#include <immintrin.h>
#endif

#ifndef DC_W
#define DC_W 32
#endif
#if defined(DC_X86) && defined(__AVX512F__) && !defined(DC_NARROW) /* DC_NARROW: vectors of 256 bits at most */
#define DC_NW 16
#elif defined(DC_X86) && defined(__AVX2__)
#define DC_NW 8
#else
#define DC_NW 4
#endif
#define DC_P (DC_W / DC_NW)

/* One intrinsic at the native width, and its types. */
#if DC_NW == 16
#define DC_MM(name) _mm512_##name
typedef __m512i dc_mi;
typedef __m512 dc_mf;
typedef __m512d dc_md;
#elif DC_NW == 8
#define DC_MM(name) _mm256_##name
typedef __m256i dc_mi;
typedef __m256 dc_mf;
typedef __m256d dc_md;
#elif defined(DC_X86)
#define DC_MM(name) _mm_##name
typedef __m128i dc_mi;
typedef __m128 dc_mf;
typedef __m128d dc_md;
#endif

/* A native vector's value as one of unknown origin: no constant, and not what is in memory. */
#if DC_NW == 16
#define DC_UNSEEN(x) __asm__("" : "+v"(x))
#elif defined(__aarch64__)
#define DC_UNSEEN(x) __asm__("" : "+w"(x))
#else
#define DC_UNSEEN(x) __asm__("" : "+x"(x))
#endif

/* DC_PARTS(X, ...) is X(0, ...) X(1, ...) … for each part. */
#if DC_P == 1
#define DC_PARTS(X, ...) X(0, __VA_ARGS__)
#elif DC_P == 2
#define DC_PARTS(X, ...) X(0, __VA_ARGS__) X(1, __VA_ARGS__)
#elif DC_P == 4
#define DC_PARTS(X, ...) X(0, __VA_ARGS__) X(1, __VA_ARGS__) X(2, __VA_ARGS__) X(3, __VA_ARGS__)
#elif DC_P == 8
#define DC_PARTS(X, ...)                                                                                               \
  X(0, __VA_ARGS__) X(1, __VA_ARGS__) X(2, __VA_ARGS__) X(3, __VA_ARGS__)                                              \
  X(4, __VA_ARGS__) X(5, __VA_ARGS__) X(6, __VA_ARGS__) X(7, __VA_ARGS__)
#else
#error "DC_W must be 16 or 32, or DC_NW"
#endif
/* A function whose result r is made part by part: each(i, f) sets part i. */
#define DC_BY_PARTS(R, name, params, each, f)                                                                          \
  DC_FN R name params {                                                                                                \
    R r;                                                                                                               \
    DC_PARTS(each, f)                                                                                                  \
    return r;                                                                                                          \
  }

#define DC_RARE(x) __builtin_expect((x), 0)
#define DC_USUAL(x) __builtin_expect((x), 1)
#define DC_CALL static __attribute__((noinline, unused))
#define DC_SLOW static __attribute__((noinline, cold, unused))

/* Native vectors. A cast between them keeps the bits. */
#define DC_VECTOR __attribute__((vector_size(4 * DC_NW)))
typedef u32 dc_u DC_VECTOR;
typedef s32 dc_s DC_VECTOR;
typedef f32 dc_f DC_VECTOR;
typedef u64 dc_ul DC_VECTOR;
typedef s64 dc_sl DC_VECTOR;
typedef f64 dc_d DC_VECTOR;
typedef struct dc_pair {
  dc_ul l, h;
} dc_pair;
#if DC_NW == 16
typedef __mmask16 dc_m; /* a bit a lane */
#else
typedef dc_s dc_m; /* 0 or -1 */
#endif

#define DC_M32(i, v) v p##i;
typedef struct V32 {
  DC_PARTS(DC_M32, dc_u)
} V32;
/* Which lanes run, a bit a lane: such masks are mostly tested.  What lanes compare is mostly chosen by, so a P is what
** native comparisons give; to make a word of it takes several instructions. */
typedef u32 M;
#define DC_EVERY ((M)(0xffffffffu >> (32 - DC_W)))
#define DC_PART(m, i) n_from((m) >> (DC_NW * (i))) /* its lanes of part i, as native instructions want them */
typedef struct P {
  DC_PARTS(DC_M32, dc_m)
} P;
#define DC_M64(i, v) v l##i, h##i;
typedef struct V64 {
  DC_PARTS(DC_M64, dc_ul)
} V64;

/* --- native vectors ------------------------------------------------------------------------------------------- */

DC_FN dc_u n_splat(u32 x) { return (dc_u){0} + x; }
DC_FN dc_ul n_splat64(u64 x) { return (dc_ul){0} + x; }
DC_FN dc_u n_iota(void) {
#if DC_NW == 16
  return (dc_u){0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
#elif DC_NW == 8
  return (dc_u){0, 1, 2, 3, 4, 5, 6, 7};
#else
  return (dc_u){0, 1, 2, 3};
#endif
}

/* 32-bit lanes of the lower or upper half as 64-bit ones; the lower (narrow) or upper (narrow_high) halves of
** 64-bit lanes as 32-bit ones. */
#if DC_NW == 16
#define DC_LO(x) _mm512_castsi512_si256((__m512i)(x))
#define DC_HI(x) _mm512_extracti64x4_epi64((__m512i)(x), 1)
#define DC_JOIN(l, h) (dc_u) _mm512_inserti64x4(_mm512_castsi256_si512(l), h, 1)
/* Words of two vectors, by their numbers, which count through both. */
DC_FN dc_u n_mix(dc_u x, dc_u from, dc_u y) {
  return (dc_u)_mm512_permutex2var_epi32((__m512i)x, (__m512i)from, (__m512i)y);
}
DC_FN dc_u n_narrow(dc_ul l, dc_ul h) { return n_mix((dc_u)l, 2 * n_iota(), (dc_u)h); }
DC_FN dc_u n_narrow_high(dc_ul l, dc_ul h) { return n_mix((dc_u)l, 2 * n_iota() + 1, (dc_u)h); }
#elif DC_NW == 8
#define DC_LO(x) _mm256_castsi256_si128((__m256i)(x))
#define DC_HI(x) _mm256_extracti128_si256((__m256i)(x), 1)
#define DC_JOIN(l, h) (dc_u) _mm256_inserti128_si256(_mm256_castsi128_si256(l), h, 1)
#define DC_SHUFFLE(l, h, how)                                                                                          \
  (dc_u) _mm256_permute4x64_epi64(_mm256_castps_si256(_mm256_shuffle_ps((__m256)(l), (__m256)(h), how)), 0xd8)
DC_FN dc_u n_narrow(dc_ul l, dc_ul h) { return DC_SHUFFLE(l, h, 0x88); }
DC_FN dc_u n_narrow_high(dc_ul l, dc_ul h) { return DC_SHUFFLE(l, h, 0xdd); }
#elif defined(DC_X86)
#define DC_LOW_WITH(x, y) (dc_ul) _mm_unpacklo_epi32((__m128i)(x), (__m128i)(y))
#define DC_HIGH_WITH(x, y) (dc_ul) _mm_unpackhi_epi32((__m128i)(x), (__m128i)(y))
DC_FN dc_ul n_lo_u64(dc_u x) { return DC_LOW_WITH(x, (dc_u){0}); }
DC_FN dc_ul n_hi_u64(dc_u x) { return DC_HIGH_WITH(x, (dc_u){0}); }
DC_FN dc_ul n_lo_s64(dc_u x) { return DC_LOW_WITH(x, (dc_s)x >> 31); }
DC_FN dc_ul n_hi_s64(dc_u x) { return DC_HIGH_WITH(x, (dc_s)x >> 31); }
DC_FN dc_u n_narrow(dc_ul l, dc_ul h) { return (dc_u)_mm_shuffle_ps((__m128)l, (__m128)h, 0x88); }
DC_FN dc_u n_narrow_high(dc_ul l, dc_ul h) { return (dc_u)_mm_shuffle_ps((__m128)l, (__m128)h, 0xdd); }
#else
DC_FN dc_ul n_lo_u64(dc_u x) { return (dc_ul){x[0], x[1]}; }
DC_FN dc_ul n_hi_u64(dc_u x) { return (dc_ul){x[2], x[3]}; }
DC_FN dc_ul n_lo_s64(dc_u x) { return (dc_ul){(u64)(s64)(s32)x[0], (u64)(s64)(s32)x[1]}; }
DC_FN dc_ul n_hi_s64(dc_u x) { return (dc_ul){(u64)(s64)(s32)x[2], (u64)(s64)(s32)x[3]}; }
DC_FN dc_u n_narrow(dc_ul l, dc_ul h) { return (dc_u){(u32)l[0], (u32)l[1], (u32)h[0], (u32)h[1]}; }
DC_FN dc_u n_narrow_high(dc_ul l, dc_ul h) { return n_narrow(l >> 32, h >> 32); }
#endif
#if DC_NW >= 8
DC_FN dc_ul n_lo_u64(dc_u x) { return (dc_ul)DC_MM(cvtepu32_epi64)(DC_LO(x)); }
DC_FN dc_ul n_hi_u64(dc_u x) { return (dc_ul)DC_MM(cvtepu32_epi64)(DC_HI(x)); }
DC_FN dc_ul n_lo_s64(dc_u x) { return (dc_ul)DC_MM(cvtepi32_epi64)(DC_LO(x)); }
DC_FN dc_ul n_hi_s64(dc_u x) { return (dc_ul)DC_MM(cvtepi32_epi64)(DC_HI(x)); }
#endif

/* Masks.  n_test: lanes whose top bit is set.  n_from: bit i of the word, in lane i. */
#if DC_NW == 16
DC_FN dc_u n_select(dc_m m, dc_u yes, dc_u no) {
  return (dc_u)_mm512_mask_blend_epi32(m, (__m512i)no, (__m512i)yes);
}
DC_FN dc_ul n_select_lo(dc_m m, dc_ul yes, dc_ul no) {
  return (dc_ul)_mm512_mask_blend_epi64((__mmask8)m, (__m512i)no, (__m512i)yes);
}
DC_FN dc_ul n_select_hi(dc_m m, dc_ul yes, dc_ul no) {
  return (dc_ul)_mm512_mask_blend_epi64((__mmask8)(m >> 8), (__m512i)no, (__m512i)yes);
}
DC_FN dc_m n_from(u32 word) { return (dc_m)word; }
/* A comparison's word is taken from a register in which it is a mask of 16 bits: GCC (12.2 for one) drops the extension
** of a comparison that is also used as a mask, stores 16 bits of the register and loads 32. */
DC_FN u32 n_word(dc_m m) {
  __asm__("" : "+k"(m));
  return m;
}
DC_FN dc_m n_truth(int truth) { return (dc_m)(truth ? 0xffffu : 0); }
#else
#if DC_NW == 8
DC_FN dc_u n_select(dc_m m, dc_u yes, dc_u no) {
  return (dc_u)_mm256_blendv_epi8((__m256i)no, (__m256i)yes, (__m256i)m);
}
DC_FN dc_ul n_select_64(dc_ul m, dc_ul yes, dc_ul no) {
  return (dc_ul)_mm256_blendv_epi8((__m256i)no, (__m256i)yes, (__m256i)m);
}
DC_FN u32 n_word(dc_m m) { return (u32)_mm256_movemask_ps((__m256)m); }
#else
DC_FN dc_u n_select(dc_m m, dc_u yes, dc_u no) { return ((dc_u)m & yes) | (~(dc_u)m & no); }
DC_FN dc_ul n_select_64(dc_ul m, dc_ul yes, dc_ul no) { return (m & yes) | (~m & no); }
#if defined(DC_X86)
DC_FN u32 n_word(dc_m m) { return (u32)_mm_movemask_ps((__m128)m); }
#else
DC_FN u32 n_word(dc_m m) { return (u32)((m[0] & 1) | (m[1] & 2) | (m[2] & 4) | (m[3] & 8)); }
#endif
#endif
DC_FN dc_ul n_select_lo(dc_m m, dc_ul yes, dc_ul no) { return n_select_64(n_lo_s64((dc_u)m), yes, no); }
DC_FN dc_ul n_select_hi(dc_m m, dc_ul yes, dc_ul no) { return n_select_64(n_hi_s64((dc_u)m), yes, no); }
DC_FN dc_m n_from(u32 word) {
  const dc_u bit = n_splat(1) << n_iota();
  return (dc_m)((n_splat(word) & bit) == bit);
}
DC_FN dc_m n_truth(int truth) { return (dc_m)n_splat(truth ? 0xffffffffu : 0); }
#endif
DC_FN dc_m n_and(dc_m x, dc_m y) { return (dc_m)(x & y); }
DC_FN dc_m n_or(dc_m x, dc_m y) { return (dc_m)(x | y); }
DC_FN dc_m n_xor(dc_m x, dc_m y) { return (dc_m)(x ^ y); }
DC_FN dc_m n_andn(dc_m x, dc_m y) { return (dc_m)(x & ~y); }
DC_FN dc_m n_not(dc_m x) { return (dc_m)~x; }

/* --- masks ---------------------------------------------------------------------------------------------------- */

DC_FN M M_and(M x, M y) { return x & y; }
DC_FN M M_or(M x, M y) { return x | y; }
DC_FN M M_andn(M x, M y) { return x & ~y; }
/* Bit l of the word: lane l. */
DC_FN u32 M_word(M x) { return x; }
DC_FN M M_from(u32 word) { return word & DC_EVERY; }
DC_FN M M_none(void) { return 0; }
DC_FN M M_all(void) { return DC_EVERY; }
DC_FN int M_any(M x) { return x != 0; }
DC_FN M M_splat(int x) { return x ? DC_EVERY : 0; }
DC_FN M M_not(M x) { return x ^ DC_EVERY; }
DC_FN M M_select(M m, M yes, M no) { return (m & yes) | (no & ~m); }

#define DC_w_w_(i, f) r.p##i = f(x.p##i);
#define DC_w_ww_(i, f) r.p##i = f(x.p##i, y.p##i);
DC_BY_PARTS(P, P_and, (P x, P y), DC_w_ww_, n_and)
DC_BY_PARTS(P, P_or, (P x, P y), DC_w_ww_, n_or)
DC_BY_PARTS(P, P_xor, (P x, P y), DC_w_ww_, n_xor)
DC_BY_PARTS(P, P_andn, (P x, P y), DC_w_ww_, n_andn)
DC_BY_PARTS(P, P_not, (P x), DC_w_w_, n_not)
DC_FN u32 P_word(P x) {
#if DC_NW == 16 && DC_P == 2
  return (u32)_mm512_kunpackw(n_word(x.p1), n_word(x.p0));
#else
  u32 r = 0;
#define DC_WORD_(i, unused) r |= n_word(x.p##i) << (DC_NW * i);
  DC_PARTS(DC_WORD_, )
  return r;
#endif
}
#define DC_FROM_(i, unused) r.p##i = DC_PART(word, i);
DC_BY_PARTS(P, P_from, (u32 word), DC_FROM_, )
#define DC_SPLAT_(i, f) r.p##i = f(x);
DC_BY_PARTS(P, P_splat, (int x), DC_SPLAT_, n_truth)
DC_FN P P_select(M m, P yes, P no) {
  const P c = P_from(m);
  return P_or(P_and(c, yes), P_andn(no, c));
}

/* --- values --------------------------------------------------------------------------------------------------- */

DC_BY_PARTS(V32, V32_splat, (u32 x), DC_SPLAT_, n_splat)
#define DC_SPLAT64_(i, unused) r.l##i = r.h##i = n_splat64(x);
DC_BY_PARTS(V64, V64_splat, (u64 x), DC_SPLAT64_, )
/* base + stride * lane */
#define DC_AFFINE_(i, unused) r.p##i = base + (n_iota() + (u32)(DC_NW * i)) * stride;
DC_BY_PARTS(V32, V32_affine, (u32 base, u32 stride), DC_AFFINE_, )
#define DC_AFFINE64_(i, unused)                                                                                        \
  r.l##i = base + n_lo_u64(n_iota() + (u32)(DC_NW * i)) * stride;                                                      \
  r.h##i = base + n_hi_u64(n_iota() + (u32)(DC_NW * i)) * stride;
DC_BY_PARTS(V64, V64_affine, (u64 base, u64 stride), DC_AFFINE64_, )
#define DC_SELECT_(i, unused) r.p##i = n_select(c.p##i, yes.p##i, no.p##i);
DC_BY_PARTS(V32, V32_choose, (P c, V32 yes, V32 no), DC_SELECT_, )
#define DC_SELECT64_(i, unused)                                                                                        \
  r.l##i = n_select_lo(c.p##i, yes.l##i, no.l##i);                                                                     \
  r.h##i = n_select_hi(c.p##i, yes.h##i, no.h##i);
DC_BY_PARTS(V64, V64_choose, (P c, V64 yes, V64 no), DC_SELECT64_, )
DC_FN u32 V32_first(V32 x) { return x.p0[0]; }
DC_FN u64 V64_first(V64 x) { return x.l0[0]; }
DC_FN V32 V32_select(M m, V32 yes, V32 no) { return V32_choose(P_from(m), yes, no); }
DC_FN V64 V64_select(M m, V64 yes, V64 no) { return V64_choose(P_from(m), yes, no); }

/* --- consecutive lanes in memory, at any address -------------------------------------------------------------- */

#define DC_LOAD_(i, unused) memcpy(&r.p##i, p + DC_NW * i, sizeof r.p##i);
DC_BY_PARTS(V32, V32_load, (const u32 *p), DC_LOAD_, )
DC_FN void V32_store(u32 *p, V32 x) {
#define DC_STORE_(i, unused) memcpy(p + DC_NW * i, &x.p##i, sizeof x.p##i);
  DC_PARTS(DC_STORE_, )
}
#define DC_LOAD64_(i, unused)                                                                                          \
  memcpy(&r.l##i, p + DC_NW * i, sizeof r.l##i);                                                                       \
  memcpy(&r.h##i, p + DC_NW * i + DC_NW / 2, sizeof r.h##i);
DC_BY_PARTS(V64, V64_load, (const u64 *p), DC_LOAD64_, )
DC_FN void V64_store(u64 *p, V64 x) {
#define DC_STORE64_(i, unused)                                                                                         \
  memcpy(p + DC_NW * i, &x.l##i, sizeof x.l##i);                                                                       \
  memcpy(p + DC_NW * i + DC_NW / 2, &x.h##i, sizeof x.h##i);
  DC_PARTS(DC_STORE64_, )
}

/* 16 bits in memory, 32 in a register. */
#if DC_NW == 16
DC_FN dc_u n_load16(const uint16_t *p) {
  return (dc_u)_mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)(const void *)p));
}
DC_FN void n_store16(uint16_t *p, dc_u x) {
  _mm256_storeu_si256((__m256i *)(void *)p, _mm512_cvtepi32_epi16((__m512i)x));
}
#elif DC_NW == 8
DC_FN dc_u n_load16(const uint16_t *p) {
  return (dc_u)_mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)(const void *)p));
}
DC_FN void n_store16(uint16_t *p, dc_u x) { /* packus saturates what is above 16 bits: nothing is */
  _mm_storeu_si128((__m128i *)(void *)p, _mm_packus_epi32(DC_LO(x), DC_HI(x)));
}
#else
typedef uint16_t dc_half_u __attribute__((vector_size(8)));
DC_FN dc_u n_load16(const uint16_t *p) {
  dc_half_u x;
  memcpy(&x, p, sizeof x);
  return __builtin_convertvector(x, dc_u);
}
DC_FN void n_store16(uint16_t *p, dc_u x) {
  const dc_half_u r = __builtin_convertvector(x, dc_half_u);
  memcpy(p, &r, sizeof r);
}
#endif
#define DC_LOAD16_(i, unused) r.p##i = n_load16(p + DC_NW * i);
DC_BY_PARTS(V32, V16_load, (const uint16_t *p), DC_LOAD16_, )
DC_FN void V16_store(uint16_t *p, V32 x) {
#define DC_STORE16_(i, unused) n_store16(p + DC_NW * i, x.p##i);
  DC_PARTS(DC_STORE16_, )
}

/* --- operations from those on native vectors ------------------------------------------------------------------ */

/* DC_LIFT_r_abc(name): v_name of kinds a, b, c to kind r (w 32-bit, d 64-bit, p mask) from n_name.  n_name of 64-bit
** operands takes one vector of the pair; where 32-bit operands go with them (d_dw, d_dww, d_ddww: shift amounts and
** the like) those come zero-extended. */
#define DC_LIFT_(R, name, params, each) DC_BY_PARTS(R, v_##name, params, each, n_##name)
#define DC_w_www_(i, f) r.p##i = f(x.p##i, y.p##i, z.p##i);
#define DC_w_wwww_(i, f) r.p##i = f(x.p##i, y.p##i, z.p##i, v.p##i);
#define DC_d_d_(i, f) r.l##i = f(x.l##i), r.h##i = f(x.h##i);
#define DC_d_dd_(i, f) r.l##i = f(x.l##i, y.l##i), r.h##i = f(x.h##i, y.h##i);
#define DC_d_ddd_(i, f) r.l##i = f(x.l##i, y.l##i, z.l##i), r.h##i = f(x.h##i, y.h##i, z.h##i);
#define DC_d_dw_(i, f) r.l##i = f(x.l##i, n_lo_u64(y.p##i)), r.h##i = f(x.h##i, n_hi_u64(y.p##i));
#define DC_d_dww_(i, f)                                                                                                \
  r.l##i = f(x.l##i, n_lo_u64(y.p##i), n_lo_u64(z.p##i)), r.h##i = f(x.h##i, n_hi_u64(y.p##i), n_hi_u64(z.p##i));
#define DC_d_ddww_(i, f)                                                                                               \
  r.l##i = f(x.l##i, y.l##i, n_lo_u64(z.p##i), n_lo_u64(v.p##i));                                                      \
  r.h##i = f(x.h##i, y.h##i, n_hi_u64(z.p##i), n_hi_u64(v.p##i));
#define DC_PAIR_(i, call)                                                                                              \
  const dc_pair t##i = call;                                                                                           \
  r.l##i = t##i.l, r.h##i = t##i.h;
#define DC_d_w_(i, f) DC_PAIR_(i, f(x.p##i)) /* n_name gives a pair */
#define DC_d_ww_(i, f) DC_PAIR_(i, f(x.p##i, y.p##i))
#define DC_w_dpair_(i, f) r.p##i = f(x.l##i, x.h##i); /* n_name takes a pair */
#define DC_p_dd_(i, f) r.p##i = f(x.l##i, x.h##i, y.l##i, y.h##i);
#define DC_LIFT_w_w(name) DC_LIFT_(V32, name, (V32 x), DC_w_w_)
#define DC_LIFT_w_ww(name) DC_LIFT_(V32, name, (V32 x, V32 y), DC_w_ww_)
#define DC_LIFT_w_www(name) DC_LIFT_(V32, name, (V32 x, V32 y, V32 z), DC_w_www_)
#define DC_LIFT_w_wwww(name) DC_LIFT_(V32, name, (V32 x, V32 y, V32 z, V32 v), DC_w_wwww_)
#define DC_LIFT_d_d(name) DC_LIFT_(V64, name, (V64 x), DC_d_d_)
#define DC_LIFT_d_dd(name) DC_LIFT_(V64, name, (V64 x, V64 y), DC_d_dd_)
#define DC_LIFT_d_ddd(name) DC_LIFT_(V64, name, (V64 x, V64 y, V64 z), DC_d_ddd_)
#define DC_LIFT_d_dw(name) DC_LIFT_(V64, name, (V64 x, V32 y), DC_d_dw_)
#define DC_LIFT_d_dww(name) DC_LIFT_(V64, name, (V64 x, V32 y, V32 z), DC_d_dww_)
#define DC_LIFT_d_ddww(name) DC_LIFT_(V64, name, (V64 x, V64 y, V32 z, V32 v), DC_d_ddww_)
#define DC_LIFT_d_w(name) DC_LIFT_(V64, name, (V32 x), DC_d_w_)
#define DC_LIFT_d_ww(name) DC_LIFT_(V64, name, (V32 x, V32 y), DC_d_ww_)
#define DC_LIFT_w_dpair(name) DC_LIFT_(V32, name, (V64 x), DC_w_dpair_)
#define DC_LIFT_p_ww(name) DC_LIFT_(P, name, (V32 x, V32 y), DC_w_ww_)
#define DC_LIFT_p_dd(name) DC_LIFT_(P, name, (V64 x, V64 y), DC_p_dd_)

/* n_name lane by lane from s_name, for what has no vectors. T, R: types of lanes; V, VR: vectors. */
#define DC_LANEWISE_(name, VR, R, params, takes, call)                                                                 \
  DC_FN VR n_##name params {                                                                                           \
    VR r_;                                                                                                             \
    R r[sizeof r_ / sizeof(R)];                                                                                        \
    takes for (unsigned i = 0; i < sizeof r / sizeof *r; i++) r[i] = call;                                             \
    memcpy(&r_, r, sizeof r);                                                                                          \
    return r_;                                                                                                         \
  }
#define DC_TAKE_(T, a, x)                                                                                              \
  T a[sizeof x / sizeof(T)];                                                                                           \
  memcpy(a, &x, sizeof a);
#define DC_LANEWISE1(name, V, T) DC_LANEWISE_(name, V, T, (V x), DC_TAKE_(T, a, x), s_##name(a[i]))
#define DC_LANEWISE2(name, V, T)                                                                                       \
  DC_LANEWISE_(name, V, T, (V x, V y), DC_TAKE_(T, a, x) DC_TAKE_(T, b, y), s_##name(a[i], b[i]))
#define DC_LANEWISE3(name, V, T)                                                                                       \
  DC_LANEWISE_(name, V, T, (V x, V y, V z), DC_TAKE_(T, a, x) DC_TAKE_(T, b, y) DC_TAKE_(T, c, z),                     \
               s_##name(a[i], b[i], c[i]))

/* s_name from lane 0 of n_name, for what would take as long as a scalar. */
#define DC_SCALAR_w_w(name)                                                                                            \
  DC_FN u32 s_##name(u32 x) { return n_##name(n_splat(x))[0]; }
#define DC_SCALAR_w_ww(name)                                                                                           \
  DC_FN u32 s_##name(u32 x, u32 y) { return n_##name(n_splat(x), n_splat(y))[0]; }
#define DC_SCALAR_w_www(name)                                                                                          \
  DC_FN u32 s_##name(u32 x, u32 y, u32 z) { return n_##name(n_splat(x), n_splat(y), n_splat(z))[0]; }
#define DC_SCALAR_d_d(name)                                                                                            \
  DC_FN u64 s_##name(u64 x) { return n_##name(n_splat64(x))[0]; }
#define DC_SCALAR_d_dd(name)                                                                                           \
  DC_FN u64 s_##name(u64 x, u64 y) { return n_##name(n_splat64(x), n_splat64(y))[0]; }
