/*
** scalar.h - what PTX integer instructions and conversions compute, on one lane: for uniform values in emitted code,
** and where there is no vector form.
**
** s_NAME takes and gives registers: uint32_t (16-bit ones zero-extended), uint64_t; floats as their bits.
*/
#pragma once

#include <stdint.h>
#include <string.h>

#define DC_FN static inline __attribute__((always_inline, unused))

typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t s32;
typedef int64_t s64;
typedef float f32;
typedef double f64;

/* The same bits as another type. */
#define S_RECAST(name, R, T)                                                                                           \
  DC_FN R name(T x) {                                                                                                  \
    R r;                                                                                                               \
    memcpy(&r, &x, sizeof r);                                                                                          \
    return r;                                                                                                          \
  }
S_RECAST(f32_bits, u32, f32)
S_RECAST(bits_f32, f32, u32)
S_RECAST(f64_bits, u64, f64)
S_RECAST(bits_f64, f64, u64)

#define S_W1(name, expr) DC_FN u32 s_##name(u32 x) { return expr; }
#define S_W2(name, expr) DC_FN u32 s_##name(u32 x, u32 y) { return expr; }
#define S_W3(name, expr) DC_FN u32 s_##name(u32 x, u32 y, u32 z) { return expr; }
#define S_D1(name, expr) DC_FN u64 s_##name(u64 x) { return expr; }
#define S_D2(name, expr) DC_FN u64 s_##name(u64 x, u64 y) { return expr; }
#define S_D3(name, expr) DC_FN u64 s_##name(u64 x, u64 y, u64 z) { return expr; }
#define S_COUNT(name, expr) DC_FN u32 s_##name(u64 x) { return expr; }
#define S_LOW16(expr) ((expr)&0xffffu)

#define LANE(name) s_##name
#define LANE_W1 S_W1
#define LANE_W2 S_W2
#define LANE_W3 S_W3
#define LANE_W4(name, expr) DC_FN u32 s_##name(u32 x, u32 y, u32 z, u32 v) { return expr; }
#define LANE_ANY1(name, expr) S_W1(name##_16, S_LOW16(expr)) S_W1(name##_32, expr) S_D1(name##_64, expr)
#define LANE_ANY2(name, expr) S_W2(name##_16, S_LOW16(expr)) S_W2(name##_32, expr) S_D2(name##_64, expr)
#define LANE_ANY3(name, expr) S_W3(name##_16, S_LOW16(expr)) S_W3(name##_32, expr) S_D3(name##_64, expr)
#include "elementwise.h"

/* --- integers ------------------------------------------------------------------------------------------------- */

S_W1(sign16, (u32)(int16_t)x)
S_W1(abs_32, (s32)x < 0 ? -x : x)
S_W1(negative, (u32)((s32)x >> 31)) /* 0 or ~0 */
DC_FN u32 s_splat(u32 x) { return x; }
S_D1(abs_64, (s64)x < 0 ? -x : x)

#define S_MIN(x, y) ((x) < (y) ? (x) : (y))
#define S_MAX(x, y) ((x) > (y) ? (x) : (y))
S_W2(min_u32, S_MIN(x, y))
S_W2(max_u32, S_MAX(x, y))
S_W2(min_s32, (u32)S_MIN((s32)x, (s32)y))
S_W2(max_s32, (u32)S_MAX((s32)x, (s32)y))
S_D2(min_u64, S_MIN(x, y))
S_D2(max_u64, S_MAX(x, y))
S_D2(min_s64, (u64)S_MIN((s64)x, (s64)y))
S_D2(max_s64, (u64)S_MAX((s64)x, (s64)y))

DC_FN u64 s_mulwide_u32(u32 x, u32 y) { return (u64)x * y; }
DC_FN u64 s_mulwide_s32(u32 x, u32 y) { return (u64)((s64)(s32)x * (s32)y); }
DC_FN u64 s_madwide_u32(u32 x, u32 y, u64 z) { return s_mulwide_u32(x, y) + z; }
DC_FN u64 s_madwide_s32(u32 x, u32 y, u64 z) { return s_mulwide_s32(x, y) + z; }
S_W2(mulhi_u32, (u32)(s_mulwide_u32(x, y) >> 32))
S_W2(mulhi_s32, (u32)(s_mulwide_s32(x, y) >> 32))
S_D2(mulhi_u64, (u64)((unsigned __int128)x * y >> 64))
S_D2(mulhi_s64, (u64)((__int128)(s64)x * (s64)y >> 64))

/* Division by zero gives all ones, the smallest integer by -1 wraps.  Operands of 64 bits are most often small: the
** shorter division then. */
S_W2(div_u32, y ? x / y : ~0u)
S_W2(rem_u32, y ? x % y : ~0u)
S_W2(div_s32, y == 0 ? ~0u : y == ~0u ? -x : (u32)((s32)x / (s32)y))
S_W2(rem_s32, y == 0 ? ~0u : y == ~0u ? 0 : (u32)((s32)x % (s32)y))
S_D2(div_u64, y == 0 ? ~(u64)0 : (x | y) >> 32 ? x / y : (u32)x / (u32)y)
S_D2(rem_u64, y == 0 ? ~(u64)0 : (x | y) >> 32 ? x % y : (u32)x % (u32)y)
S_D2(div_s64, (x | y) >> 32 == 0 ? s_div_u64(x, y) : y == 0 ? ~(u64)0 : y == ~(u64)0 ? -x : (u64)((s64)x / (s64)y))
S_D2(rem_s64, (x | y) >> 32 == 0 ? s_rem_u64(x, y) : y == 0 ? ~(u64)0 : y == ~(u64)0 ? 0 : (u64)((s64)x % (s64)y))

DC_FN u32 s_byte_s(u32 x, int i) { return (u32)(int8_t)(x >> 8 * i); }
DC_FN u32 s_byte_u(u32 x, int i) { return x >> 8 * i & 0xff; }
DC_FN u32 s_half_s(u32 x, int i) { return (u32)(int16_t)(x >> 16 * i); }
DC_FN u32 s_half_u(u32 x, int i) { return x >> 16 * i & 0xffff; }
#define S_DOT(a, b)                                                                                                    \
  S_W3(dp4a_##a##b, z + s_byte_##a(x, 0) * s_byte_##b(y, 0) + s_byte_##a(x, 1) * s_byte_##b(y, 1) +                    \
                        s_byte_##a(x, 2) * s_byte_##b(y, 2) + s_byte_##a(x, 3) * s_byte_##b(y, 3))
S_DOT(s, s)
S_DOT(s, u)
S_DOT(u, s)
S_DOT(u, u)

/* --- bits ----------------------------------------------------------------------------------------------------- */

/* Shifts by the width or more give 0, or the sign. */
S_W2(shl_32, y < 32 ? x << (y & 31) : 0)
S_W2(shr_u32, y < 32 ? x >> (y & 31) : 0)
S_W2(shr_s32, (u32)((s32)x >> (y < 32 ? y : 31)))
DC_FN u64 s_shl_64(u64 x, u32 y) { return y < 64 ? x << (y & 63) : 0; }
DC_FN u64 s_shr_u64(u64 x, u32 y) { return y < 64 ? x >> (y & 63) : 0; }
DC_FN u64 s_shr_s64(u64 x, u32 y) { return (u64)((s64)x >> (y < 64 ? y : 63)); }

/* Funnel shifts of y:x. */
S_W3(shf_l_wrap, (u32)(((u64)y << 32 | x) << (z & 31) >> 32))
S_W3(shf_r_wrap, (u32)(((u64)y << 32 | x) >> (z & 31)))
S_W3(shf_l_clamp, (u32)(((u64)y << 32 | x) << s_min_u32(z, 32) >> 32))
S_W3(shf_r_clamp, (u32)(((u64)y << 32 | x) >> s_min_u32(z, 32)))

/* Bit fields of 64 bits; of 32: composed.h. */
DC_FN u64 s_ones_64(u32 n) { return ~s_shl_64(~(u64)0, n); }
DC_FN u64 s_bfe_u64(u64 x, u32 y, u32 z) { return s_shr_u64(x, y & 0xff) & s_ones_64(z & 0xff); }
DC_FN u64 s_bfe_s64(u64 x, u32 y, u32 z) {
  const u32 up = 64 - s_min_u32(z & 0xff, 64);
  return s_shr_s64(s_shl_64(s_shr_s64(x, y & 0xff), up), up);
}
DC_FN u64 s_bfi_64(u64 x, u64 y, u32 z, u32 v) {
  const u32 at = z & 0xff;
  const u64 field = s_shl_64(s_ones_64(v & 0xff), at);
  return (y & ~field) | (s_shl_64(x, at) & field);
}

S_W1(clz_32, x ? (u32)__builtin_clz(x) : 32)
S_COUNT(clz_64, x ? (u32)__builtin_clzll(x) : 64)
/* Without an instruction for it compilers call a function of their library, which emitted code is not linked with. */
DC_FN u32 s_count_bits(u64 x) {
#if defined(__x86_64__) && !defined(__POPCNT__)
  x -= x >> 1 & 0x5555555555555555u;
  x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
  return (u32)(((x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu) * 0x0101010101010101u >> 56);
#else
  return (u32)__builtin_popcountll(x);
#endif
}
S_W1(popc_32, s_count_bits(x))
S_COUNT(popc_64, s_count_bits(x))
/* The bits of each lane reversed, for scalars and vectors of 32 bits. */
#define DC_BREV(x)                                                                                                     \
  x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;                                                                 \
  x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;                                                                 \
  x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;                                                                 \
  x = (x >> 8 & 0x00ff00ffu) | (x & 0x00ff00ffu) << 8;                                                                 \
  return x >> 16 | x << 16
DC_FN u32 s_brev_32(u32 x) { DC_BREV(x); }
S_D1(brev_64, (u64)s_brev_32((u32)x) << 32 | s_brev_32((u32)(x >> 32)))
S_COUNT(bfind_u64, 63u - s_clz_64(x))
S_COUNT(bfind_s64, s_bfind_u64(x ^ (u64)((s64)x >> 63)))

/* lop3: any function of three bits by its table, for scalars and vectors.  A constant table folds to the few operations
** that are needed. */
#define DC_LOP3(x, y, z, v)                                                                                            \
  (~x & ~y & ~z & -(v & 1u)) | (~x & ~y & z & -(v >> 1 & 1u)) | (~x & y & ~z & -(v >> 2 & 1u)) |                       \
      (~x & y & z & -(v >> 3 & 1u)) | (x & ~y & ~z & -(v >> 4 & 1u)) | (x & ~y & z & -(v >> 5 & 1u)) |                 \
      (x & y & ~z & -(v >> 6 & 1u)) | (x & y & z & -(v >> 7 & 1u))
DC_FN u32 s_lop3_32(u32 x, u32 y, u32 z, u32 v) { return DC_LOP3(x, y, z, v); }

/* prmt: four bytes out of the eight of y:x, each chosen by a nibble of z; its top bit asks for the byte's sign. */
DC_FN u32 s_prmt(u32 x, u32 y, u32 z) {
  const u64 bytes = (u64)y << 32 | x;
  u32 r = 0;
  for (int i = 0; i < 4; i++) {
    const u32 n = z >> 4 * i & 15, b = (u32)(bytes >> 8 * (n & 7)) & 0xff;
    r |= (n & 8 ? 0xff & -(b >> 7) : b) << 8 * i;
  }
  return r;
}

#include "composed.h"
#undef LANE
#undef LANE_W1
#undef LANE_W2
#undef LANE_W3
#undef LANE_W4
#undef LANE_ANY1
#undef LANE_ANY2
#undef LANE_ANY3

/* --- floats --------------------------------------------------------------------------------------------------- */

/* .ftz: a subnormal becomes a zero of its sign.  .sat: into [0, 1], NaN to +0. */
S_W1(flush, x & 0x7f800000u ? x : x & 0x80000000u)
S_W2(above, bits_f32(x) > bits_f32(y) ? x : y)
S_W2(below, bits_f32(x) < bits_f32(y) ? x : y)
S_W1(saturate, s_below(s_above(x, 0), 0x3f800000u))

/* Floats to integers, cut off: the nearer bound when out of range, `nan_` for NaN.  `safe` keeps the C conversion
** defined without a branch. */
#define S_CLAMPED(name, R, T, B, F, inside, least, most, nan_)                                                         \
  DC_FN R s_##name(B bits) {                                                                                           \
    const F x = bits_##F(bits), safe = (inside) ? x : (F)0;                                                            \
    const T r = (T)safe, c = (inside) ? r : x > 0 ? (most) : (least);                                                  \
    return (R)(x == x ? c : (T)(nan_));                                                                                \
  }
S_CLAMPED(f32_s32, u32, s32, u32, f32, x >= -0x1p31f && x < 0x1p31f, INT32_MIN, INT32_MAX, 0)
S_CLAMPED(f32_u32, u32, u32, u32, f32, x > -1.0f && x < 0x1p32f, 0, UINT32_MAX, 0)
S_CLAMPED(f32_s64, u64, s64, u32, f32, x >= -0x1p63f && x < 0x1p63f, INT64_MIN, INT64_MAX, INT64_MIN)
S_CLAMPED(f32_u64, u64, u64, u32, f32, x > -1.0f && x < 0x1p64f, 0, UINT64_MAX, (u64)1 << 63)
S_CLAMPED(f64_s32, u32, s32, u64, f64, x > -0x1p31 - 1 && x < 0x1p31, INT32_MIN, INT32_MAX, INT32_MIN)
S_CLAMPED(f64_u32, u32, u32, u64, f64, x > -1.0 && x < 0x1p32, 0, UINT32_MAX, 0x80000000u)
S_CLAMPED(f64_s64, u64, s64, u64, f64, x >= -0x1p63 && x < 0x1p63, INT64_MIN, INT64_MAX, INT64_MIN)
S_CLAMPED(f64_u64, u64, u64, u64, f64, x > -1.0 && x < 0x1p64, 0, UINT64_MAX, (u64)1 << 63)
