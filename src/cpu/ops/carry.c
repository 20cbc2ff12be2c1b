/*
** carry.c - extended precision: add.cc, addc, sub.cc, subc, mad.cc, madc; PTX ISA 9.7.2.
**
** w->carry is the condition code register's CF, one bit a lane: the carry of sums, the borrow of differences.
*/
#include "cpu/ops/lanes.h"

/* With two sources z is 0 (and c, which the decoder has not set, is not read). */
#define CARRY(name, T, W, N, expr)                                                                                     \
  static void name(dc_warp *w, const dc_uop *o) {                                                                      \
    T *d = REG(T, o->d);                                                                                               \
    const T *a = REG(T, o->a), *b = REG(T, o->b), *c = o->ins->nsrc > 2 ? REG(T, o->c) : NULL;                         \
    const u32 in = o->ins->flags & PTX_F_CARRY_IN ? w->carry : 0;                                                      \
    u32 out = 0;                                                                                                       \
    EACH_LANE(l, w->mask) {                                                                                            \
      const T x = a[l], y = b[l], z = c ? c[l] : 0;                                                                    \
      const W r = (expr);                                                                                              \
      d[l] = (T)r;                                                                                                     \
      out |= (u32)(r >> N & 1) << l;                                                                                   \
    }                                                                                                                  \
    if (o->ins->flags & PTX_F_CC) w->carry = (w->carry & ~w->mask) | out;                                              \
  }
#define CF (in >> l & 1)

CARRY(add_cc_32, u32, u64, 32, (u64)x + y + z + CF)
CARRY(add_cc_64, u64, u128, 64, (u128)x + y + z + CF)
CARRY(sub_cc_32, u32, u64, 32, (u64)x - y - z - CF)
CARRY(sub_cc_64, u64, u128, 64, (u128)x - y - z - CF)
CARRY(madl_cc_32, u32, u64, 32, (u64)(x * y) + z + CF)
CARRY(madl_cc_64, u64, u128, 64, (u128)(x * y) + z + CF)
CARRY(madh_cc_u32, u32, u64, 32, (((u64)x * y) >> 32) + z + CF)
CARRY(madh_cc_s32, u32, u64, 32, (u64)(u32)((u64)((s64)(s32)x *(s32)y) >> 32) + z + CF)
CARRY(madh_cc_u64, u64, u128, 64, ((u128)x * y >> 64) + z + CF)
CARRY(madh_cc_s64, u64, u128, 64, (u128)(u64)((u128)((s128)(s64)x *(s64)y) >> 64) + z + CF)

bool PER_ISA(dc_select_carry)(dc_uop *o) {
  const ptx_ins *ins = o->ins;
  int bits = ptx_type_bits((ptx_type)ins->type);
  bool sign = ptx_is_signed(ins->type), hi = ins->mode == PTX_HI_HALF;
  if (!(ins->flags & (PTX_F_CC | PTX_F_CARRY_IN)) || (bits != 32 && bits != 64)) return false;
  if (!dc_shaped(o, bits, bits, bits, ins->nsrc > 2 ? bits : 0)) return false;
  switch (ins->op) {
    case PTX_OP_ADD: case PTX_OP_ADDC: return bits == 32 ? PICK_RARE(add_cc_32) : PICK_RARE(add_cc_64);
    case PTX_OP_SUB: case PTX_OP_SUBC: return bits == 32 ? PICK_RARE(sub_cc_32) : PICK_RARE(sub_cc_64);
    case PTX_OP_MAD: case PTX_OP_MADC:
      if (!hi) return bits == 32 ? PICK_RARE(madl_cc_32) : PICK_RARE(madl_cc_64);
      if (bits == 32) return sign ? PICK_RARE(madh_cc_s32) : PICK_RARE(madh_cc_u32);
      return sign ? PICK_RARE(madh_cc_s64) : PICK_RARE(madh_cc_u64);
    default: return false;
  }
}
