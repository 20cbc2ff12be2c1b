/*
** bits.c - logic, shifts, bit fields, permutation of bytes; PTX ISA 9.7.8 and the bit counting part of 9.7.1.
*/
#include "cpu/ops/lanes.h"

#define LOGIC(name)                                                                                                    \
  OP2(name##_16, u16, u16, u16, s_##name##_16(x, y))                                                                   \
  OP2(name##_32, u32, u32, u32, s_##name##_32(x, y))                                                                   \
  OP2(name##_64, u64, u64, u64, s_##name##_64(x, y))
LOGIC(and)
LOGIC(or)
LOGIC(xor)
OP1(not_16, u16, u16, s_not_16(x))
OP1(not_32, u32, u32, s_not_32(x))
OP1(not_64, u64, u64, s_not_64(x))
RARE1(cnot_16, u16, u16, x == 0)
RARE1(cnot_32, u32, u32, x == 0)
RARE1(cnot_64, u64, u64, x == 0)
#define SHIFT(name)                                                                                                    \
  OP2(name##16, u16, u16, u32, s_##name##16(x, y))                                                                     \
  OP2(name##32, u32, u32, u32, s_##name##32(x, y))                                                                     \
  OP2(name##64, u64, u64, u32, s_##name##64(x, y))
SHIFT(shl_)
SHIFT(shr_u)
SHIFT(shr_s)

/* Predicates as words. */
#define PRED_OP(name, expr)                                                                                            \
  static u32 name##_bits(const dc_warp *w, const dc_uop *o) {                                                          \
    const u32 x = pred_of(w, o->a, o->neg_a), y = pred_of(w, o->b, o->neg_b);                                          \
    return expr;                                                                                                       \
  }                                                                                                                    \
  static void name(dc_warp *w, const dc_uop *o) { put_pred(w, o->d, name##_bits(w, o)); }                              \
  static void name##_m(dc_warp *w, const dc_uop *o) { put_pred_masked(w, o->d, name##_bits(w, o)); }
PRED_OP(and_pred, x & (y))
PRED_OP(or_pred, x | y)
PRED_OP(xor_pred, x ^ y)
static void not_pred_m(dc_warp *w, const dc_uop *o) { put_pred_masked(w, o->d, ~pred_of(w, o->a, o->neg_a)); }

/* fns: the n-th set bit from `base`, upwards for n > 0, downwards for n < 0, base itself for 0. */
static inline u32 fns(u32 mask, u32 base, s32 n) {
  s32 at = (s32)(base & 31), step = n < 0 ? -1 : 1, left = n < 0 ? -n : n;
  if (n == 0) return mask >> at & 1 ? (u32)at : ~(u32)0;
  for (; at >= 0 && at < 32; at += step)
    if ((mask >> at & 1) && --left == 0) return (u32)at;
  return ~(u32)0;
}
static inline u32 bmsk(u32 pos, u32 len, bool clamp) {
  if (!clamp) return s_ones_32(len & 31) << (pos & 31);
  return pos >= 32 ? 0 : s_ones_32(len) << pos;
}
/* szext: x as an integer of n bits, extended. */
static inline u32 szext(u32 x, u32 n, bool clamp, bool sign) {
  if (!clamp) n &= 31;
  if (n >= 32) return x;
  if (n == 0) return 0;
  u32 v = x & s_ones_32(n);
  return sign && v >> (n - 1) & 1 ? v | ~s_ones_32(n) : v;
}
RARE3(bfe_s32, u32, u32, u32, u32, s_bfe_s32(x, y, z))
RARE3(bfe_u32, u32, u32, u32, u32, s_bfe_u32(x, y, z))
RARE3(bfe_s64, u64, u64, u32, u32, s_bfe_s64(x, y, z))
RARE3(bfe_u64, u64, u64, u32, u32, s_bfe_u64(x, y, z))
RARE4(bfi_32, u32, u32, u32, u32, u32, s_bfi_32(x, y, z, v))
RARE4(bfi_64, u64, u64, u64, u32, u32, s_bfi_64(x, y, z, v))
#define COUNT(name, T) RARE1(name, u32, T, s_##name(x))
COUNT(bfind_s32, u32)
COUNT(bfind_u32, u32)
COUNT(bfind_s64, u64)
COUNT(bfind_u64, u64)
COUNT(bfind_shift_s32, u32)
COUNT(bfind_shift_u32, u32)
COUNT(bfind_shift_s64, u64)
COUNT(bfind_shift_u64, u64)
COUNT(popc_32, u32)
COUNT(popc_64, u64)
COUNT(clz_32, u32)
COUNT(clz_64, u64)
RARE1(brev_32, u32, u32, s_brev_32(x))
RARE1(brev_64, u64, u64, s_brev_64(x))
RARE3(fns_32, u32, u32, u32, s32, fns(x, y, z))
RARE2(bmsk_clamp, u32, u32, u32, bmsk(x, y, true))
RARE2(bmsk_wrap, u32, u32, u32, bmsk(x, y, false))
RARE2(szext_clamp_s, u32, u32, u32, szext(x, y, true, true))
RARE2(szext_clamp_u, u32, u32, u32, szext(x, y, true, false))
RARE2(szext_wrap_s, u32, u32, u32, szext(x, y, false, true))
RARE2(szext_wrap_u, u32, u32, u32, szext(x, y, false, false))

RARE3(shf_l_wrap, u32, u32, u32, u32, s_shf_l_wrap(x, y, z))
RARE3(shf_l_clamp, u32, u32, u32, u32, s_shf_l_clamp(x, y, z))
RARE3(shf_r_wrap, u32, u32, u32, u32, s_shf_r_wrap(x, y, z))
RARE3(shf_r_clamp, u32, u32, u32, u32, s_shf_r_clamp(x, y, z))
RARE4(lop3_32, u32, u32, u32, u32, u32, s_lop3_32(x, y, z, v))

/* lop3.and d|p, a, b, c, table, q: also whether anything came out, with q.  q's index is in imm, its sign neg_c. */
static void lop3_pred(dc_warp *w, const dc_uop *o) {
  const u32 *a = REG(u32, o->a), *b = REG(u32, o->b), *c = REG(u32, o->c), *e = REG(u32, o->e);
  const u32 q = pred_of(w, (u32)o->imm, o->neg_c);
  u32 t[DC_LANES] BUFFER, some = 0;
  LANES(l) t[l] = s_lop3_32(a[l], b[l], c[l], e[l]);
  for (u32 l = 0; l < DC_LANES; l++) some |= (u32)(t[l] != 0) << l;
  if (o->d != DC_NO_OPERAND) PUT_MASKED(u32, o->d, t);
  if (o->d2 != DC_NO_OPERAND) put_pred_masked(w, o->d2, o->ins->boolop == 1 ? some & q : some | q);
}

/* The selectors of the named modes, four nibbles for each value of the control's low two bits. */
static inline u32 prmt_mode(u32 x, u32 y, u32 c, const u16 *selectors) { return s_prmt(x, y, selectors[c & 3]); }
static const u16 prmt_f4e[4] = {0x3210, 0x4321, 0x5432, 0x6543};
static const u16 prmt_b4e[4] = {0x5670, 0x6701, 0x7012, 0x0123};
static const u16 prmt_rc8[4] = {0x0000, 0x1111, 0x2222, 0x3333};
static const u16 prmt_ecl[4] = {0x3210, 0x3211, 0x3222, 0x3333};
static const u16 prmt_ecr[4] = {0x0000, 0x1110, 0x2210, 0x3210};
static const u16 prmt_rc16[4] = {0x1010, 0x3232, 0x1010, 0x3232};
OP3(prmt_any, u32, u32, u32, u32, s_prmt(x, y, z))
RARE3(prmt_f4e_, u32, u32, u32, u32, prmt_mode(x, y, z, prmt_f4e))
RARE3(prmt_b4e_, u32, u32, u32, u32, prmt_mode(x, y, z, prmt_b4e))
RARE3(prmt_rc8_, u32, u32, u32, u32, prmt_mode(x, y, z, prmt_rc8))
RARE3(prmt_ecl_, u32, u32, u32, u32, prmt_mode(x, y, z, prmt_ecl))
RARE3(prmt_ecr_, u32, u32, u32, u32, prmt_mode(x, y, z, prmt_ecr))
RARE3(prmt_rc16_, u32, u32, u32, u32, prmt_mode(x, y, z, prmt_rc16))

#define BY_WIDTH_(pick, name)                                                                                          \
  switch (bits) {                                                                                                      \
    case 16: return pick(name##16);                                                                                    \
    case 32: return pick(name##32);                                                                                    \
    case 64: return pick(name##64);                                                                                    \
    default: return false;                                                                                             \
  }

static bool select_pred(dc_uop *o) {
  switch (o->ins->op) {
    case PTX_OP_AND: return PICK(and_pred);
    case PTX_OP_OR: return PICK(or_pred);
    case PTX_OP_XOR: return PICK(xor_pred);
    case PTX_OP_NOT: return dc_pick(o, not_pred_m, not_pred_m);
    default: return false;
  }
}

static bool select_logic(dc_uop *o, int bits) {
  if (!dc_shaped(o, bits, bits, o->ins->op == PTX_OP_NOT || o->ins->op == PTX_OP_CNOT ? 0 : bits, 0)) return false;
  switch (o->ins->op) {
    case PTX_OP_AND: BY_WIDTH_(PICK, and_)
    case PTX_OP_OR: BY_WIDTH_(PICK, or_)
    case PTX_OP_XOR: BY_WIDTH_(PICK, xor_)
    case PTX_OP_NOT: BY_WIDTH_(PICK, not_)
    case PTX_OP_CNOT: BY_WIDTH_(PICK_RARE, cnot_)
    default: return false;
  }
}

static bool select_shift(dc_uop *o, int bits) {
  if (!dc_shaped(o, bits, bits, 32, 0)) return false;
  if (o->ins->op == PTX_OP_SHL) BY_WIDTH_(PICK, shl_)
  if (dc_is_signed(o->ins->type)) BY_WIDTH_(PICK, shr_s)
  BY_WIDTH_(PICK, shr_u)
}

static bool select_field(dc_uop *o, int bits) {
  bool sign = dc_is_signed(o->ins->type), wide = bits == 64, amount = (o->ins->flags & PTX_F_SHIFTAMT) != 0;
  if (bits != 32 && bits != 64) return false;
  switch (o->ins->op) {
    case PTX_OP_BFE:
      if (!dc_shaped(o, bits, bits, 32, 32)) return false;
      if (wide) return sign ? PICK_RARE(bfe_s64) : PICK_RARE(bfe_u64);
      return sign ? PICK_RARE(bfe_s32) : PICK_RARE(bfe_u32);
    case PTX_OP_BFI: return dc_shaped(o, bits, bits, bits, 32) && (wide ? PICK_RARE(bfi_64) : PICK_RARE(bfi_32));
    case PTX_OP_BFIND:
      if (!dc_shaped(o, 32, bits, 0, 0)) return false;
      if (wide && sign) return amount ? PICK_RARE(bfind_shift_s64) : PICK_RARE(bfind_s64);
      if (wide) return amount ? PICK_RARE(bfind_shift_u64) : PICK_RARE(bfind_u64);
      if (sign) return amount ? PICK_RARE(bfind_shift_s32) : PICK_RARE(bfind_s32);
      return amount ? PICK_RARE(bfind_shift_u32) : PICK_RARE(bfind_u32);
    case PTX_OP_POPC: return dc_shaped(o, 32, bits, 0, 0) && (wide ? PICK_RARE(popc_64) : PICK_RARE(popc_32));
    case PTX_OP_CLZ: return dc_shaped(o, 32, bits, 0, 0) && (wide ? PICK_RARE(clz_64) : PICK_RARE(clz_32));
    case PTX_OP_BREV: return dc_shaped(o, bits, bits, 0, 0) && (wide ? PICK_RARE(brev_64) : PICK_RARE(brev_32));
    default: return false;
  }
}

static bool select_32(dc_uop *o) {
  bool sign = dc_is_signed(o->ins->type), clamp = o->ins->mode == PTX_L_CLAMP;
  if (!dc_shaped(o, o->d == DC_NO_OPERAND ? 0 : 32, 32, 32, 0)) return false;
  switch (o->ins->op) {
    case PTX_OP_FNS: return PICK_RARE(fns_32);
    case PTX_OP_BMSK: return clamp ? PICK_RARE(bmsk_clamp) : PICK_RARE(bmsk_wrap);
    case PTX_OP_SZEXT:
      if (clamp) return sign ? PICK_RARE(szext_clamp_s) : PICK_RARE(szext_clamp_u);
      return sign ? PICK_RARE(szext_wrap_s) : PICK_RARE(szext_wrap_u);
    case PTX_OP_LOP3: return o->ins->boolop ? PICK_RARE(lop3_pred) : PICK_RARE(lop3_32);
    case PTX_OP_SHF:
      switch (o->ins->mode) {
        case PTX_L_WRAP: return PICK_RARE(shf_l_wrap);
        case PTX_L_CLAMP: return PICK_RARE(shf_l_clamp);
        case PTX_R_WRAP: return PICK_RARE(shf_r_wrap);
        default: return PICK_RARE(shf_r_clamp);
      }
    case PTX_OP_PRMT:
      switch (o->ins->mode) {
        case PTX_MODE_NONE: return PICK(prmt_any);
        case PTX_PRMT_F4E: return PICK_RARE(prmt_f4e_);
        case PTX_PRMT_B4E: return PICK_RARE(prmt_b4e_);
        case PTX_PRMT_RC8: return PICK_RARE(prmt_rc8_);
        case PTX_PRMT_ECL: return PICK_RARE(prmt_ecl_);
        case PTX_PRMT_ECR: return PICK_RARE(prmt_ecr_);
        case PTX_PRMT_RC16: return PICK_RARE(prmt_rc16_);
        default: return false;
      }
    default: return false;
  }
}

bool PER_ISA(dc_select_bits)(dc_uop *o) {
  int bits = ptx_type_bits((ptx_type)o->ins->type);
  switch (o->ins->op) {
    case PTX_OP_AND:
    case PTX_OP_OR:
    case PTX_OP_XOR:
    case PTX_OP_NOT:
    case PTX_OP_CNOT: return o->ins->type == PTX_PRED ? select_pred(o) : select_logic(o, bits);
    case PTX_OP_SHL:
    case PTX_OP_SHR: return select_shift(o, bits);
    case PTX_OP_BFE:
    case PTX_OP_BFI:
    case PTX_OP_BFIND:
    case PTX_OP_POPC:
    case PTX_OP_CLZ:
    case PTX_OP_BREV: return select_field(o, bits);
    case PTX_OP_FNS:
    case PTX_OP_BMSK:
    case PTX_OP_SZEXT:
    case PTX_OP_LOP3:
    case PTX_OP_SHF:
    case PTX_OP_PRMT: return select_32(o);
    default: return false;
  }
}
