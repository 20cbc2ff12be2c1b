/*
** math_half.h - f16 and bf16 to f32 and back, of single lanes.
*/
#pragma once

#include "cpu/ops/gangs.h"

static inline f32 f16_to_f32(u32 h) { return bits_f32(s_widen_f16(h)); }
static inline u32 f32_to_f16(f32 x) { return s_to_f16(f32_bits(x)); }
static inline f32 bf16_to_f32(u32 h) { return bits_f32(h << 16); }
static inline u32 f32_to_bf16(f32 x) { return s_to_bf16(f32_bits(x)); }
