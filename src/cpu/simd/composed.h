/*
** composed.h - operations made of others, with one expression for scalars (scalar.h) and for vectors (bits.h); both
** include this.  LANE(f) is s_f or n_f; the rest: elementwise.h, and LANE_W4 (x, y, z, v).
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

LANE_W2(mulwide_s16, LANE(sign16)(x) * LANE(sign16)(y))
LANE_W3(madwide_s16, LANE(mulwide_s16)(x, y) + z)
LANE_W2(mulhi_s16, LANE(mulwide_s16)(x, y) >> 16)

/* .sat: what overflows becomes the bound on the first operand's side. */
#define SATURATED(r, overflow)                                                                                         \
  ((r) & ~LANE(negative)(overflow)) | ((LANE(negative)(x) ^ 0x7fffffffu) & LANE(negative)(overflow))
LANE_W2(add_sat_s32, SATURATED(x + y, ~(x ^ y) & (x ^ (x + y))))
LANE_W2(sub_sat_s32, SATURATED(x - y, (x ^ y) & (x ^ (x - y))))

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

/* The y-th set bit of x, from 1 on, if there are that many: the most bits from 0 on of which fewer than y are set, by
** halves. */
#define HALF(s) LANE_W3(nth_##s, y + (LANE(negative)(LANE(popc_32)(x & LANE(ones_32)(y + s##u)) - z) & s##u))
HALF(16)
HALF(8)
HALF(4)
HALF(2)
HALF(1)
LANE_W2(nth_low, LANE(nth_4)(x, LANE(nth_8)(x, LANE(nth_16)(x, LANE(splat)(0), y), y), y))
LANE_W2(nth, LANE(nth_1)(x, LANE(nth_2)(x, LANE(nth_low)(x, y), y), y))
/* fns: the z-th set bit of x from bit y on, upwards for z > 0, downwards for z < 0, y itself for 0; all ones if there
** is none.  Of the bits that count, it is the z-th, or z + 1 more than there are. */
LANE_W3(fns_bits, x & (LANE(negative)(0u - z) | LANE(ones_32)(y + 1u)) & (LANE(negative)(z) | ~LANE(ones_32)(y)))
LANE_W2(fns_rank, (LANE(negative)(y) & (LANE(popc_32)(x) + 1u + y)) |
                      (~LANE(negative)(y) & LANE(max_u32)(y, LANE(splat)(1))))
LANE_W2(nth_or_none, LANE(nth)(x, y) | LANE(negative)(LANE(popc_32)(x) - y) | LANE(negative)(y - 1u))
LANE_W2(fns_among, LANE(nth_or_none)(x, LANE(fns_rank)(x, y)))
LANE_W3(fns, LANE(fns_among)(LANE(fns_bits)(x, y & 31u, z), z))

#undef HALF
#undef ORDER16
#undef DIV16
#undef SATURATED
