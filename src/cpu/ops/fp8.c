/*
** fp8.c - cvt to and from pairs of 8-bit floats, e4m3x2 and e5m2x2; PTX ISA 9.7.9.
*/
#include "cpu/ops/gangs.h"

#include <math.h>

/* Digits behind the point, bias of the exponent, the largest number and its bits. */
typedef struct small_float {
  int digits, bias;
  f64 limit;
  u32 most;
} small_float;

/* To nearest even; beyond the largest number that number (.satfinite, which these conversions must have). */
static u32 to_small(f64 x, int type) {
  const small_float s = type == PTX_E5M2X2 ? (small_float){2, 15, 57344, 0x7b} : (small_float){3, 7, 448, 0x7e};
  const u32 sign = f64_bits(x) >> 63 ? 0x80u : 0;
  const f64 size = fabs(x);
  if (x != x) return 0x7fu;
  if (size >= s.limit) return sign | s.most;
  int e = size > 0 ? ilogb(size) : 1 - s.bias;
  if (e < 1 - s.bias) e = 1 - s.bias;
  const u32 n = (u32)rint(ldexp(size, s.digits - e)); /* in units of the last digit */
  return sign | (n + ((u32)(e + s.bias - 1) << s.digits)); /* a carry goes into the exponent */
}

static f64 relu(f64 x, const ptx_ins *ins) { return (ins->flags & PTX_F_RELU) && x <= 0 ? 0 : x; }

static u32 two_small(f64 hi, f64 lo, const ptx_ins *ins) {
  return to_small(relu(hi, ins), ins->type) << 8 | to_small(relu(lo, ins), ins->type);
}
static u32 to_half(u32 h, const ptx_ins *ins) {
  const f32 x = bits_f32(ins->type2 == PTX_E5M2X2 ? s_widen_e5m2(h) : s_widen_e4m3(h));
  return f32_to_f16((f32)relu(x, ins));
}

RARE2(small_f32, u16, f32, f32, two_small((f64)x, (f64)y, o->ins))
RARE1(small_f16, u16, u32, two_small((f64)f16_to_f32(x >> 16), (f64)f16_to_f32(x & 0xffffu), o->ins))
RARE1(f16_small, u32, u16, to_half(x >> 8, o->ins) << 16 | to_half(x & 0xffu, o->ins))

bool PER_ISA(dc_select_fp8)(dc_uop *o) {
  const ptx_ins *ins = o->ins;
  const bool to = ins->type == PTX_E4M3X2 || ins->type == PTX_E5M2X2;
  const bool from = ins->type2 == PTX_E4M3X2 || ins->type2 == PTX_E5M2X2;
  if (ins->op != PTX_OP_CVT || to == from || ins->round != PTX_RN) return false;
  if (from) return ins->type == PTX_F16X2 && dc_shaped(o, 32, 16, 0, 0) && PICK_RARE(f16_small);
  if (ins->type2 == PTX_F16X2) return ins->nsrc == 1 && dc_shaped(o, 16, 32, 0, 0) && PICK_RARE(small_f16);
  return ins->type2 == PTX_F32 && ins->nsrc == 2 && dc_shaped(o, 16, 32, 32, 0) && PICK_RARE(small_f32);
}
