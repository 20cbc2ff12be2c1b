/*
** composed.h - operations made of others, with one expression for scalars (scalar.h) and for vectors (bits.h); both
** include this.  LANE(f) is s_f or n_f; the rest: elementwise.h, and LANE_W4 (x, y, z, v), LANE_D3.
*/

/* --- integers ------------------------------------------------------------------------------------------------- */

LANE_W1(abs_16, LANE(abs_32)(LANE(sign16)(x)))
#define ORDER16(name)                                                                                                  \
  LANE_W2(name##_u16, LANE(name##_u32)(x, y))                                                                          \
  LANE_W2(name##_s16, S_LOW16(LANE(name##_s32)(LANE(sign16)(x), LANE(sign16)(y))))
ORDER16(min)
ORDER16(max)
#define DIV16(name)                                                                                                    \
  LANE_W2(name##_u16, S_LOW16(LANE(name##_u32)(x, y)))                                                                 \
  LANE_W2(name##_s16, S_LOW16(LANE(name##_s32)(LANE(sign16)(x), LANE(sign16)(y))))
DIV16(div)
DIV16(rem)
#define SAD(L, t) L(sad_##t, LANE(max_##t)(x, y) - LANE(min_##t)(x, y) + z)
SAD(LANE_W3, s32)
SAD(LANE_W3, u32)
SAD(LANE_D3, s64)
SAD(LANE_D3, u64)
LANE_W3(sad_u16, S_LOW16(LANE(sad_u32)(x, y, z)))
LANE_W3(sad_s16, S_LOW16(LANE(sad_s32)(LANE(sign16)(x), LANE(sign16)(y), z)))

LANE_W2(mulwide_s16, LANE(sign16)(x) * LANE(sign16)(y))
LANE_W3(madwide_s16, LANE(mulwide_s16)(x, y) + z)
LANE_W2(mulhi_s16, LANE(mulwide_s16)(x, y) >> 16)
LANE_W3(madhi_u16, S_LOW16(LANE(mulhi_u16)(x, y) + z))
LANE_W3(madhi_s16, S_LOW16(LANE(mulhi_s16)(x, y) + z))
LANE_W3(madhi_u32, LANE(mulhi_u32)(x, y) + z)
LANE_W3(madhi_s32, LANE(mulhi_s32)(x, y) + z)
LANE_D3(madhi_u64, LANE(mulhi_u64)(x, y) + z)
LANE_D3(madhi_s64, LANE(mulhi_s64)(x, y) + z)

/* .sat: what overflows becomes the bound on the first operand's side.  .relu: what is negative becomes 0. */
#define SATURATED(r, overflow)                                                                                         \
  ((r) & ~LANE(negative)(overflow)) | ((LANE(negative)(x) ^ 0x7fffffffu) & LANE(negative)(overflow))
LANE_W2(add_sat_s32, SATURATED(x + y, ~(x ^ y) & (x ^ (x + y))))
LANE_W2(sub_sat_s32, SATURATED(x - y, (x ^ y) & (x ^ (x - y))))
LANE_W3(madhi_sat_s32, LANE(add_sat_s32)(LANE(mulhi_s32)(x, y), z))
LANE_W1(relu_s32, x & ~LANE(negative)(x))
LANE_W1(relu_s16, x & ~LANE(negative)(x << 16))
LANE_W2(min_relu_s32, LANE(relu_s32)(LANE(min_s32)(x, y)))
LANE_W2(max_relu_s32, LANE(relu_s32)(LANE(max_s32)(x, y)))

/* The product of the lower 24 bits, its bits 0 to 31 or 16 to 47. */
LANE_W1(low24_u32, x & 0xffffffu)
LANE_W1(low24_s32, LANE(shr_s32)(x << 8, LANE(splat)(8)))
#define MUL24(t)                                                                                                       \
  LANE_W2(mul24lo_##t, LANE(low24_##t)(x) * LANE(low24_##t)(y))                                                        \
  LANE_W2(mul24hi_##t, LANE(mulhi_##t)(x << 8, y << 8))                                                                \
  LANE_W3(mad24lo_##t, LANE(mul24lo_##t)(x, y) + z)                                                                    \
  LANE_W3(mad24hi_##t, LANE(mul24hi_##t)(x, y) + z)
MUL24(s32)
MUL24(u32)
LANE_W3(mad24hi_sat_s32, LANE(add_sat_s32)(LANE(mul24hi_s32)(x, y), z))

/* Pairs of 16 bits. */
#define PAIR(name, part)                                                                                               \
  LANE_W2(name##16x2, LANE(part)(S_LOW16(x), S_LOW16(y)) | LANE(part)(x >> 16, y >> 16) << 16)
PAIR(add_, add_16)
PAIR(min_u, min_u16)
PAIR(max_u, max_u16)
PAIR(min_s, min_s16)
PAIR(max_s, max_s16)
LANE_W2(min_relu_s16, LANE(relu_s16)(LANE(min_s16)(x, y)))
LANE_W2(max_relu_s16, LANE(relu_s16)(LANE(max_s16)(x, y)))
PAIR(min_relu_s, min_relu_s16)
PAIR(max_relu_s, max_relu_s16)

#define DOT2(name, a, b, at)                                                                                           \
  LANE_W3(dp2a_##name,                                                                                                 \
          z + LANE(half_##a)(x, 0) * LANE(byte_##b)(y, at) + LANE(half_##a)(x, 1) * LANE(byte_##b)(y, at + 1))
#define DOT2_(a, b) DOT2(lo_##a##b, a, b, 0) DOT2(hi_##a##b, a, b, 2)
DOT2_(s, s)
DOT2_(s, u)
DOT2_(u, s)
DOT2_(u, u)

/* The lowest bits as a type that cvt takes out of its source. */
LANE_W1(take_u8, LANE(byte_u)(x, 0))
LANE_W1(take_s8, LANE(byte_s)(x, 0))
LANE_W1(take_u16, LANE(half_u)(x, 0))
LANE_W1(take_s16, LANE(half_s)(x, 0))
LANE_W1(take_u32, x)
LANE_W1(take_s32, x)

/* --- bits ----------------------------------------------------------------------------------------------------- */

LANE_W2(shl_16, S_LOW16(LANE(shl_32)(x, y)))
LANE_W2(shr_u16, LANE(shr_u32)(x, y))
LANE_W2(shr_s16, S_LOW16(LANE(shr_s32)(LANE(sign16)(x), y)))

/* Bit fields: position and length are the low bytes of their operands.  A signed field goes to the top and comes back
** with its sign; szext: x as an integer of y bits, extended. */
LANE_W1(ones_32, ~LANE(shl_32)(LANE(splat)(~0u), x))
LANE_W3(bfe_u32, LANE(shr_u32)(x, y & 0xffu) & LANE(ones_32)(z & 0xffu))
LANE_W1(above_32, 32u - LANE(min_u32)(x, LANE(splat)(32)))
LANE_W2(szext_clamp_u32, x & LANE(ones_32)(y))
LANE_W2(szext_clamp_s32, LANE(shr_s32)(LANE(shl_32)(x, LANE(above_32)(y)), LANE(above_32)(y)))
LANE_W2(szext_wrap_u32, LANE(szext_clamp_u32)(x, y & 31u))
LANE_W2(szext_wrap_s32, LANE(szext_clamp_s32)(x, y & 31u))
LANE_W3(bfe_s32, LANE(szext_clamp_s32)(LANE(shr_s32)(x, y & 0xffu), z & 0xffu))
/* bmsk: y bits from x on. */
LANE_W2(bmsk_clamp, LANE(shl_32)(LANE(ones_32)(y), x))
LANE_W2(bmsk_wrap, LANE(bmsk_clamp)(x & 31u, y & 31u))
/* x into y at position z, v bits. */
LANE_W2(field_32, LANE(bmsk_clamp)(x & 0xffu, y & 0xffu))
LANE_W4(bfi_32, (y & ~LANE(field_32)(z, v)) | (LANE(shl_32)(x, z & 0xffu) & LANE(field_32)(z, v)))

/* bfind: the highest bit that differs from the sign, all ones if there is none. */
LANE_W1(bfind_u32, 31u - LANE(clz_32)(x))
LANE_W1(bfind_s32, LANE(bfind_u32)(x ^ LANE(negative)(x)))
LANE_W1(bfind_shift_s32, LANE(bfind_shift_u32)(x ^ LANE(negative)(x)))

/* The named modes of prmt: four selectors, for each value of the control's low two bits. */
#define PRMT(mode, first, second) /* the first two, the others */                                                      \
  LANE_W1(selectors_##mode, ((first) & ((x >> 1 & 1u) - 1u)) | ((second) & -(x >> 1 & 1u)))                            \
  LANE_W1(selector_##mode, LANE(shr_u32)(LANE(selectors_##mode)(x), (x & 1u) << 4))                                    \
  LANE_W3(prmt_##mode, LANE(prmt)(x, y, LANE(selector_##mode)(z)))
PRMT(f4e, 0x43213210u, 0x65435432u)
PRMT(b4e, 0x67015670u, 0x01237012u)
PRMT(rc8, 0x11110000u, 0x33332222u)
PRMT(ecl, 0x32113210u, 0x33333222u)
PRMT(ecr, 0x11100000u, 0x32102210u)
PRMT(rc16, 0x32321010u, 0x32321010u)

#undef ORDER16
#undef DIV16
#undef SAD
#undef SATURATED
#undef MUL24
#undef PAIR
#undef DOT2
#undef DOT2_
#undef PRMT
