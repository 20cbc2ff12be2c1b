/*
** int.c - integer arithmetic: add to div, min and max, mul24, sad, dp4a; PTX ISA 9.7.1.
**
** Nothing traps.  Division by zero gives all ones for quotient and remainder, as GPUs do; the smallest
** integer divided by -1 wraps.
*/
#include "cpu/ops/lanes.h"

/* --- single lanes --- */

/* 32-bit quotients through f64, which has vectors: below 2^32 a correctly rounded quotient never rounds up to the
** next integer, being at least 1/y away from it. */
static inline u32 div_u32_lane(u32 x, u32 y) { return y ? (u32)((f64)x / (f64)(y ? y : 1)) : ~(u32)0; }
static inline u32 abs_u32(s32 x) { return x < 0 ? 0u - (u32)x : (u32)x; }
static inline u32 div_s32_lane(s32 x, s32 y) {
  u32 q = div_u32_lane(abs_u32(x), abs_u32(y));
  return y == 0 ? ~(u32)0 : (x ^ y) < 0 ? 0u - q : q;
}
static inline u32 rem_u32_lane(u32 x, u32 y) { return y ? x - div_u32_lane(x, y) * y : ~(u32)0; }
static inline u32 rem_s32_lane(s32 x, s32 y) { return y ? (u32)x - div_s32_lane(x, y) * (u32)y : ~(u32)0; }
static inline u64 div_s64_lane(s64 x, s64 y) { return y == 0 ? ~(u64)0 : y == -1 ? 0u - (u64)x : (u64)(x / y); }
static inline u64 rem_s64_lane(s64 x, s64 y) { return y == 0 ? ~(u64)0 : y == -1 ? 0 : (u64)(x % y); }

static inline s32 clamp_s32(s64 x) { return x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : (s32)x; }
static inline u32 low24(u32 x) { return x & 0xffffffu; }
static inline s32 low24s(u32 x) { return (s32)(x << 8) >> 8; }
static inline s32 mul24hi_s(u32 x, u32 y) { return (s32)(((s64)low24s(x) * low24s(y)) >> 16); }
static inline u32 mul24hi_u(u32 x, u32 y) { return (u32)(((u64)low24(x) * low24(y)) >> 16); }

/* Byte or half i of x. */
static inline s32 byte_of(u32 x, int i, bool sign) {
  u32 v = x >> (8 * i) & 0xff;
  return sign ? (s32)(s8)v : (s32)v;
}
static inline s32 half_of(u32 x, int i, bool sign) {
  u32 v = x >> (16 * i) & 0xffff;
  return sign ? (s32)(s16)v : (s32)v;
}
static inline u32 dp4a(u32 x, u32 y, u32 z, bool sx, bool sy) {
  for (int i = 0; i < 4; i++) z += (u32)byte_of(x, i, sx) * (u32)byte_of(y, i, sy);
  return z;
}
static inline u32 dp2a(u32 x, u32 y, u32 z, bool sx, bool sy, int first) {
  for (int i = 0; i < 2; i++) z += (u32)half_of(x, i, sx) * (u32)byte_of(y, i + first, sy);
  return z;
}

OP2_WIDTHS(add, x + y)
OP2_WIDTHS(sub, x - y)
OP2_WIDTHS(mul, x * (y))
OP3_WIDTHS(mad, x * (y) + z)
OP1_WIDTHS(neg, 0u - x)
OP1(abs_16, u16, s16, x < 0 ? -x : x)
OP1(abs_32, u32, s32, abs_u32(x))
OP1(abs_64, u64, s64, x < 0 ? 0u - (u64)x : (u64)x)
RARE2(add_sat, s32, s32, s32, clamp_s32((s64)x + y))
RARE2(sub_sat, s32, s32, s32, clamp_s32((s64)x - y))

/* Widening products, upper halves. */
OP2(mulw_s16, u32, s16, s16, (s32)x * (y))
OP2(mulw_u16, u32, u16, u16, (u32)x * (y))
OP2(mulw_s32, u64, s32, s32, (s64)x * (y))
OP2(mulw_u32, u64, u32, u32, (u64)x * (y))
RARE3(madw_s16, u32, s16, s16, u32, (u32)((s32)x * (y)) + z)
RARE3(madw_u16, u32, u16, u16, u32, (u32)x * (y) + z)
OP3(madw_s32, u64, s32, s32, u64, (u64)((s64)x * (y)) + z)
OP3(madw_u32, u64, u32, u32, u64, (u64)x * (y) + z)
#define HIGH_HALF(OP, T, U, W, UW, N)                                                                                  \
  OP(mulh_##T, U, T, T, (UW)((W)x * y) >> N) RARE3(madh_##T, U, T, T, U, (U)((UW)((W)x * y) >> N) + z)
HIGH_HALF(RARE2, s16, u16, s32, u32, 16)
HIGH_HALF(RARE2, u16, u16, u32, u32, 16)
HIGH_HALF(OP2, s32, u32, s64, u64, 32)
HIGH_HALF(OP2, u32, u32, u64, u64, 32)
HIGH_HALF(RARE2, s64, u64, s128, u128, 64)
HIGH_HALF(RARE2, u64, u64, u128, u128, 64)
RARE3(madh_sat, s32, s32, s32, s32, clamp_s32((((s64)x * y) >> 32) + z))
RARE2(mul24l_s, u32, u32, u32, low24s(x) * low24s(y))
RARE2(mul24l_u, u32, u32, u32, low24(x) * low24(y))
RARE2(mul24h_s, u32, u32, u32, mul24hi_s(x, y))
RARE2(mul24h_u, u32, u32, u32, mul24hi_u(x, y))
RARE3(mad24l_s, u32, u32, u32, u32, (u32)(low24s(x) * low24s(y)) + z)
RARE3(mad24l_u, u32, u32, u32, u32, low24(x) * low24(y) + z)
RARE3(mad24h_s, u32, u32, u32, u32, (u32)mul24hi_s(x, y) + z)
RARE3(mad24h_u, u32, u32, u32, u32, mul24hi_u(x, y) + z)
RARE3(mad24h_sat, s32, u32, u32, s32, clamp_s32((s64)mul24hi_s(x, y) + z))

/* Division. */
RARE2(div_s16, u16, s16, s16, div_s32_lane(x, y))
RARE2(div_u16, u16, u16, u16, div_u32_lane(x, y))
RARE2(div_s32, u32, s32, s32, div_s32_lane(x, y))
RARE2(div_u32, u32, u32, u32, div_u32_lane(x, y))
RARE2(div_s64, u64, s64, s64, div_s64_lane(x, y))
RARE2(div_u64, u64, u64, u64, y ? x / y : ~(u64)0)
RARE2(rem_s16, u16, s16, s16, rem_s32_lane(x, y))
RARE2(rem_u16, u16, u16, u16, rem_u32_lane(x, y))
RARE2(rem_s32, u32, s32, s32, rem_s32_lane(x, y))
RARE2(rem_u32, u32, u32, u32, rem_u32_lane(x, y))
RARE2(rem_s64, u64, s64, s64, rem_s64_lane(x, y))
RARE2(rem_u64, u64, u64, u64, y ? x % y : ~(u64)0)

/* Order.  The 16-bit ones are done in the upper halves of 32 bits: gcc 12 fails on masked 16-bit vectors of them. */
#define HIGH_(T, x) ((T)((u32)(x) << 16 | 1))
#define HIGH(sign, x) HIGH_(sign##32, x)
#define ORDER(name, op)                                                                                                \
  OP2(name##_s16, s16, s16, s16, (HIGH(s, x) op HIGH(s, y) ? HIGH(s, x) : HIGH(s, y)) >> 16)                           \
  OP2(name##_u16, u16, u16, u16, (HIGH(u, x) op HIGH(u, y) ? HIGH(u, x) : HIGH(u, y)) >> 16)                           \
  OP2(name##_s32, s32, s32, s32, x op y ? x : y) OP2(name##_u32, u32, u32, u32, x op y ? x : y)                        \
  OP2(name##_s64, s64, s64, s64, x op y ? x : y) OP2(name##_u64, u64, u64, u64, x op y ? x : y)
ORDER(min, <)
ORDER(max, >)
RARE2(min_relu, s32, s32, s32, (x < y ? x : y) > 0 ? (x < y ? x : y) : 0)
RARE2(max_relu, s32, s32, s32, (x > y ? x : y) > 0 ? (x > y ? x : y) : 0)
#define SAD(T, U) RARE3(sad_##T, U, T, T, U, (x < y ? (U)y - (U)x : (U)x - (U)y) + z)
SAD(s16, u16) SAD(u16, u16) SAD(s32, u32) SAD(u32, u32) SAD(s64, u64) SAD(u64, u64)

/* Dot products. */
OP3(dp4a_ss, u32, u32, u32, u32, dp4a(x, y, z, true, true))
RARE3(dp4a_su, u32, u32, u32, u32, dp4a(x, y, z, true, false))
RARE3(dp4a_us, u32, u32, u32, u32, dp4a(x, y, z, false, true))
RARE3(dp4a_uu, u32, u32, u32, u32, dp4a(x, y, z, false, false))
#define DP2A(half, first)                                                                                              \
  RARE3(dp2a_##half##_ss, u32, u32, u32, u32, dp2a(x, y, z, true, true, first))                                        \
  RARE3(dp2a_##half##_su, u32, u32, u32, u32, dp2a(x, y, z, true, false, first))                                       \
  RARE3(dp2a_##half##_us, u32, u32, u32, u32, dp2a(x, y, z, false, true, first))                                       \
  RARE3(dp2a_##half##_uu, u32, u32, u32, u32, dp2a(x, y, z, false, false, first))
DP2A(lo, 0)
DP2A(hi, 2)

/* --- choosing ---------------------------------------------------------------------------------- */

static bool select_mul(dc_uop *o, int bits, bool sign) {
  switch (o->ins->mode) {
    case PTX_WIDE:
      if (!dc_shaped(o, 2 * bits, bits, bits, 0)) return false;
      if (bits == 16) return sign ? PICK(mulw_s16) : PICK(mulw_u16);
      return bits == 32 && (sign ? PICK(mulw_s32) : PICK(mulw_u32));
    case PTX_HI_HALF:
      if (!dc_shaped(o, bits, bits, bits, 0)) return false;
      if (bits == 32) return sign ? PICK(mulh_s32) : PICK(mulh_u32);
      if (bits == 16) return sign ? PICK_RARE(mulh_s16) : PICK_RARE(mulh_u16);
      return sign ? PICK_RARE(mulh_s64) : PICK_RARE(mulh_u64);
    default:
      if (!dc_shaped(o, bits, bits, bits, 0)) return false;
      PICK_WIDTH(PICK, mul_)
  }
}

static bool select_mad(dc_uop *o, int bits, bool sign) {
  if (o->ins->mode == PTX_WIDE) {
    if (!dc_shaped(o, 2 * bits, bits, bits, 2 * bits)) return false;
    if (bits == 16) return sign ? PICK_RARE(madw_s16) : PICK_RARE(madw_u16);
    return bits == 32 && (sign ? PICK(madw_s32) : PICK(madw_u32));
  }
  if (!dc_shaped(o, bits, bits, bits, bits)) return false;
  if (o->ins->mode == PTX_HI_HALF) {
    if (o->ins->flags & PTX_F_SAT) return o->ins->type == PTX_S32 && PICK_RARE(madh_sat);
    PICK_TYPE(PICK_RARE, madh);
  }
  PICK_WIDTH(PICK, mad_)
}

static bool select_mul24(dc_uop *o, bool sign) {
  bool hi = o->ins->mode == PTX_HI_HALF;
  if (!dc_shaped(o, 32, 32, 32, 0)) return false;
  if (hi) return sign ? PICK_RARE(mul24h_s) : PICK_RARE(mul24h_u);
  return sign ? PICK_RARE(mul24l_s) : PICK_RARE(mul24l_u);
}

static bool select_mad24(dc_uop *o, bool sign) {
  bool hi = o->ins->mode == PTX_HI_HALF;
  if (!dc_shaped(o, 32, 32, 32, 32)) return false;
  if (o->ins->flags & PTX_F_SAT) return hi && sign && PICK_RARE(mad24h_sat);
  if (hi) return sign ? PICK_RARE(mad24h_s) : PICK_RARE(mad24h_u);
  return sign ? PICK_RARE(mad24l_s) : PICK_RARE(mad24l_u);
}

static bool select_dot(dc_uop *o) {
  bool sx = dc_is_signed(o->ins->type), sy = dc_is_signed(o->ins->type2);
  if (!dc_shaped(o, 32, 32, 32, 32)) return false;
#define BY_SIGNS(pick_ss, name)                                                                                        \
  return sx ? (sy ? pick_ss(name##_ss) : PICK_RARE(name##_su)) : (sy ? PICK_RARE(name##_us) : PICK_RARE(name##_uu))
  if (o->ins->op == PTX_OP_DP4A) BY_SIGNS(PICK, dp4a);
  if (o->ins->mode == PTX_HI_HALF) BY_SIGNS(PICK_RARE, dp2a_hi);
  BY_SIGNS(PICK_RARE, dp2a_lo);
}

/* Pairs of 16 bits: .u16x2, .s16x2. */
static inline u32 pair_part(u32 x, u32 y, const ptx_ins *ins) {
  const bool sign = ins->type == PTX_S16X2, less = sign ? (s16)x < (s16)y : x < y;
  if (ins->op == PTX_OP_ADD) return (x + y) & 0xffffu;
  const u32 r = less == (ins->op == PTX_OP_MIN) ? x : y;
  return (ins->flags & PTX_F_RELU) && (s16)r < 0 ? 0 : r;
}
RARE2(pair_16, u32, u32, u32,
      pair_part(x & 0xffffu, y & 0xffffu, o->ins) | pair_part(x >> 16, y >> 16, o->ins) << 16)

bool PER_ISA(dc_select_int)(dc_uop *o) {
  const ptx_ins *ins = o->ins;
  if (ins->type == PTX_U16X2 || ins->type == PTX_S16X2) {
    const bool known = ins->op == PTX_OP_ADD || ins->op == PTX_OP_MIN || ins->op == PTX_OP_MAX;
    return known && !(ins->flags & PTX_F_SAT) && dc_shaped(o, 32, 32, 32, 0) && PICK_RARE(pair_16);
  }
  if (!dc_is_integer(ins->type)) return false;
  if (ins->flags & (PTX_F_CC | PTX_F_CARRY_IN)) return false; /* carry.c */
  int bits = ptx_type_bits((ptx_type)ins->type);
  bool sign = dc_is_signed(ins->type), sat = (ins->flags & PTX_F_SAT) != 0;
  if (bits < 16) return false;
  switch (ins->op) {
    case PTX_OP_MUL: return select_mul(o, bits, sign);
    case PTX_OP_MAD: return select_mad(o, bits, sign);
    case PTX_OP_MUL24: return bits == 32 && select_mul24(o, sign);
    case PTX_OP_MAD24: return bits == 32 && select_mad24(o, sign);
    case PTX_OP_DP2A:
    case PTX_OP_DP4A: return select_dot(o);
    default: break;
  }
  bool two = dc_shaped(o, bits, bits, bits, 0), one = dc_shaped(o, bits, bits, 0, 0);
  if (!one) return false;
  if (ins->op == PTX_OP_NEG) PICK_WIDTH(PICK, neg_)
  if (ins->op == PTX_OP_ABS) PICK_WIDTH(PICK, abs_)
  if (!two) return false;
  switch (ins->op) {
    case PTX_OP_ADD:
      if (sat) return ins->type == PTX_S32 && PICK_RARE(add_sat);
      PICK_WIDTH(PICK, add_)
    case PTX_OP_SUB:
      if (sat) return ins->type == PTX_S32 && PICK_RARE(sub_sat);
      PICK_WIDTH(PICK, sub_)
    case PTX_OP_DIV: PICK_TYPE(PICK_RARE, div);
    case PTX_OP_REM: PICK_TYPE(PICK_RARE, rem);
    case PTX_OP_MIN:
      if (ins->flags & PTX_F_RELU) return ins->type == PTX_S32 && PICK_RARE(min_relu);
      PICK_TYPE(PICK, min);
    case PTX_OP_MAX:
      if (ins->flags & PTX_F_RELU) return ins->type == PTX_S32 && PICK_RARE(max_relu);
      PICK_TYPE(PICK, max);
    case PTX_OP_SAD:
      if (!dc_shaped(o, 0, 0, 0, bits)) return false;
      PICK_TYPE(PICK_RARE, sad);
    default: return false;
  }
}
