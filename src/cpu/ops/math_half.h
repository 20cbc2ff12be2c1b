/*
** math_half.h - f16 and bf16 to f32 and back, without branches, so that loops of them become vectors.
**
** To nearest even; every NaN becomes 0x7fff, as on a GPU.  Subnormals are kept.
*/
#pragma once

#include "cpu/ops/lanes.h"

/* Shifting a half's exponent and fraction into an f32's place makes a number 2^112 too small, subnormals included:
** one exact product repairs both. */
static inline f32 f16_to_f32(u32 h) {
  const u32 magnitude = (h & 0x7fffu) << 13, sign = (h & 0x8000u) << 16;
  const u32 number = f32_bits(bits_f32(magnitude) * 0x1p112f);
  return bits_f32((magnitude >= 0x7c00u << 13 ? magnitude | 0x7f800000u : number) | sign);
}

/* Normal results: rounding is an addition to the bits (13 of them go).  Subnormal ones: adding 0.5 lets the f32
** adder round at 2^-24.  From 65520 on: infinity. */
static inline u32 f32_to_f16(f32 x) {
  const u32 u = f32_bits(x), magnitude = u & 0x7fffffffu, sign = u >> 16 & 0x8000u;
  const u32 normal = (magnitude - (112u << 23) + 0xfffu + (magnitude >> 13 & 1)) >> 13;
  const u32 tiny = f32_bits(bits_f32(magnitude) + 0.5f) - 0x3f000000u;
  u32 h = magnitude < 0x38800000u ? tiny : normal;
  h = magnitude >= 0x477ff000u ? 0x7c00u : h;
  return magnitude > 0x7f800000u ? 0x7fffu : h | sign;
}

static inline f32 bf16_to_f32(u32 h) { return bits_f32(h << 16); }

static inline u32 f32_to_bf16(f32 x) {
  const u32 u = f32_bits(x);
  return (u & 0x7fffffffu) > 0x7f800000u ? 0x7fffu : (u + 0x7fffu + (u >> 16 & 1)) >> 16;
}

/* Subnormal halves to zeros of their sign (.ftz on f16). */
static inline u32 f16_flush(u32 h) { return h & 0x7c00u ? h : h & 0x8000u; }
static inline u32 bf16_flush(u32 h) { return h & 0x7f80u ? h : h & 0x8000u; }
