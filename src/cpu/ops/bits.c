/*
** bits.c - logic, shifts, bit fields, permutation of bytes; PTX ISA 9.7.8 and the bit counting part of 9.7.1.
*/
#include "cpu/ops/lanes.h"

/* Shifts clamp: past the width N all bits go. */
#define SHL(x, y, N) ((y) < (N) ? (x) << ((y) & ((N)-1)) : 0)
#define SHR(x, y, N) ((y) < (N) ? (x) >> ((y) & ((N)-1)) : 0)
#define SAR(x, y, N) ((x) >> ((y) < (N) ? (y) : (N)-1))

OP2_WIDTHS(and, x & (y))
OP2_WIDTHS(or, x | y)
OP2_WIDTHS(xor, x ^ y)
OP1_WIDTHS(not, ~x)
RARE1_WIDTHS(cnot, x == 0)
#define SHIFTS(N, U)                                                                                                   \
  OP2(shl_##N, u##N, u##N, u32, SHL((U)x, y, N))                                                                       \
  OP2(shr_u##N, u##N, u##N, u32, SHR((U)x, y, N)) OP2(shr_s##N, s##N, s##N, u32, SAR(x, y, N))
SHIFTS(16, u32) SHIFTS(32, u32) SHIFTS(64, u64)

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

/* Fields. Positions and lengths are the low byte of their operands. */
static inline u64 ones(u32 n) { return n >= 64 ? ~(u64)0 : ((u64)1 << n) - 1; }

/* bfe: bits past the width repeat the sign (signed) or are 0. */
static inline u64 bfe(u64 x, u32 pos, u32 len, u32 width, bool sign) {
  pos &= 0xff;
  len &= 0xff;
  if (len == 0) return 0;
  s64 v = sign ? (s64)(x << (64 - width)) >> (64 - width) : (s64)x;
  if (pos >= width) return sign && v < 0 ? ~(u64)0 : 0;
  u64 field = sign ? (u64)(v >> pos) : (u64)v >> pos;
  if (len >= width - pos) return field; /* already extended from the top bit */
  field &= ones(len);
  return sign && field >> (len - 1) & 1 ? field | ~ones(len) : field;
}
static inline u64 bfi(u64 from, u64 into, u32 pos, u32 len, u32 width) {
  pos &= 0xff;
  len &= 0xff;
  if (pos >= width || len == 0) return into;
  u64 field = ones(len) << pos;
  return (into & ~field) | ((from << pos) & field);
}
/* The highest bit that differs from the sign (0 for unsigned), or all ones. */
static inline u32 bfind(u64 x, u32 width, bool sign, bool shiftamt) {
  if (sign && x >> (width - 1) & 1) x = ~x & ones(width);
  if (x == 0) return ~(u32)0;
  u32 at = 63 - (u32)__builtin_clzll(x);
  return shiftamt ? width - 1 - at : at;
}
/* fns: the n-th set bit from `base`, upwards for n > 0, downwards for n < 0, base itself for 0. */
static inline u32 fns(u32 mask, u32 base, s32 n) {
  s32 at = (s32)(base & 31), step = n < 0 ? -1 : 1, left = n < 0 ? -n : n;
  if (n == 0) return mask >> at & 1 ? (u32)at : ~(u32)0;
  for (; at >= 0 && at < 32; at += step)
    if ((mask >> at & 1) && --left == 0) return (u32)at;
  return ~(u32)0;
}
static inline u32 bmsk(u32 pos, u32 len, bool clamp) {
  if (!clamp) return (u32)((u64)ones(len & 31) << (pos & 31));
  return pos >= 32 ? 0 : (u32)(ones(len) << pos);
}
/* szext: x as an integer of n bits, extended. */
static inline u32 szext(u32 x, u32 n, bool clamp, bool sign) {
  if (!clamp) n &= 31;
  if (n >= 32) return x;
  if (n == 0) return 0;
  u32 v = x & (u32)ones(n);
  return sign && v >> (n - 1) & 1 ? v | ~(u32)ones(n) : v;
}
static inline u64 brev(u64 x) {
  x = (x >> 1 & 0x5555555555555555u) | (x & 0x5555555555555555u) << 1;
  x = (x >> 2 & 0x3333333333333333u) | (x & 0x3333333333333333u) << 2;
  x = (x >> 4 & 0x0f0f0f0f0f0f0f0fu) | (x & 0x0f0f0f0f0f0f0f0fu) << 4;
  return __builtin_bswap64(x);
}
RARE3(bfe_s32, u32, u32, u32, u32, bfe(x, y, z, 32, true))
RARE3(bfe_u32, u32, u32, u32, u32, bfe(x, y, z, 32, false))
RARE3(bfe_s64, u64, u64, u32, u32, bfe(x, y, z, 64, true))
RARE3(bfe_u64, u64, u64, u32, u32, bfe(x, y, z, 64, false))
RARE4(bfi_32, u32, u32, u32, u32, u32, bfi(x, y, z, v, 32))
RARE4(bfi_64, u64, u64, u64, u32, u32, bfi(x, y, z, v, 64))
RARE1(bfind_s32, u32, u32, bfind(x, 32, true, o->ins->flags & PTX_F_SHIFTAMT))
RARE1(bfind_u32, u32, u32, bfind(x, 32, false, o->ins->flags & PTX_F_SHIFTAMT))
RARE1(bfind_s64, u32, u64, bfind(x, 64, true, o->ins->flags & PTX_F_SHIFTAMT))
RARE1(bfind_u64, u32, u64, bfind(x, 64, false, o->ins->flags & PTX_F_SHIFTAMT))
RARE1(popc_32, u32, u32, __builtin_popcount(x))
RARE1(popc_64, u32, u64, __builtin_popcountll(x))
RARE1(clz_32, u32, u32, x ? __builtin_clz(x) : 32)
RARE1(clz_64, u32, u64, x ? __builtin_clzll(x) : 64)
RARE1(brev_32, u32, u32, brev(x) >> 32)
RARE1(brev_64, u64, u64, brev(x))
RARE3(fns_32, u32, u32, u32, s32, fns(x, y, z))
RARE2(bmsk_32, u32, u32, u32, bmsk(x, y, o->ins->mode == PTX_L_CLAMP))
RARE2(szext_32, u32, u32, u32, szext(x, y, o->ins->mode == PTX_L_CLAMP, dc_is_signed(o->ins->type)))

/* Funnel shifts of b:a. */
static inline u32 funnel_left(u32 lo, u32 hi, u32 n) { return (u32)(((u64)hi << 32 | lo) << n >> 32); }
static inline u32 funnel_right(u32 lo, u32 hi, u32 n) { return (u32)(((u64)hi << 32 | lo) >> n); }
RARE3(shf_l_wrap, u32, u32, u32, u32, funnel_left(x, y, z & 31))
RARE3(shf_l_clamp, u32, u32, u32, u32, funnel_left(x, y, z < 32 ? z : 32))
RARE3(shf_r_wrap, u32, u32, u32, u32, funnel_right(x, y, z & 31))
RARE3(shf_r_clamp, u32, u32, u32, u32, funnel_right(x, y, z < 32 ? z : 32))

/* Any function of three bits, given as its truth table. */
static inline u32 lop3(u32 x, u32 y, u32 z, u32 table) {
  u32 r = 0;
  for (u32 i = 0; i < 8; i++) {
    u32 term = (i & 4 ? x : ~x) & (i & 2 ? y : ~y) & (i & 1 ? z : ~z);
    r |= term & (0u - (table >> i & 1));
  }
  return r;
}
RARE4(lop3_32, u32, u32, u32, u32, u32, lop3(x, y, z, v))

/* lop3.and d|p, a, b, c, table, q: p = d is not 0, combined with q.  q's index is in imm, its negation neg_c. */
static void lop3_pred(dc_warp *w, const dc_uop *o) {
  const u32 *a = REG(u32, o->a), *b = REG(u32, o->b), *c = REG(u32, o->c), *e = REG(u32, o->e);
  const u32 q = pred_of(w, (u32)o->imm, o->neg_c);
  u32 t[DC_LANES] BUFFER, some = 0;
  LANES(l) t[l] = lop3(a[l], b[l], c[l], e[l]);
  for (u32 l = 0; l < DC_LANES; l++) some |= (u32)(t[l] != 0) << l;
  if (o->d != DC_NO_OPERAND) PUT_MASKED(u32, o->d, t);
  if (o->d2 != DC_NO_OPERAND) put_pred_masked(w, o->d2, o->ins->boolop == 1 ? some & q : some | q);
}

/* prmt: four bytes of eight, each selected by a nibble; its top bit: that byte's sign instead. */
static inline u32 prmt(u32 x, u32 y, u32 sel) {
  u64 bytes = (u64)y << 32 | x;
  u32 r = 0;
  for (int i = 0; i < 4; i++) {
    u32 n = sel >> (4 * i) & 15;
    u32 b = (u32)(bytes >> (8 * (n & 7))) & 0xff;
    u32 s = b & 0x80 ? 0xff : 0;
    r |= (n & 8 ? s : b) << (8 * i);
  }
  return r;
}
/* The selectors of the named modes, four nibbles for each value of the control's low two bits. */
static inline u32 prmt_mode(u32 x, u32 y, u32 control, int mode) {
  static const u16 selectors[][4] = { /* f4e, b4e, rc8, ecl, ecr, rc16 */
      {0x3210, 0x4321, 0x5432, 0x6543}, {0x5670, 0x6701, 0x7012, 0x0123}, {0x0000, 0x1111, 0x2222, 0x3333},
      {0x3210, 0x3211, 0x3222, 0x3333}, {0x0000, 0x1110, 0x2210, 0x3210}, {0x1010, 0x3232, 0x1010, 0x3232},
  };
  return prmt(x, y, selectors[mode - PTX_PRMT_F4E][control & 3]);
}
OP3(prmt_any, u32, u32, u32, u32, prmt(x, y, z))
RARE3(prmt_named, u32, u32, u32, u32, prmt_mode(x, y, z, o->ins->mode))

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
    case PTX_OP_AND: PICK_WIDTH(PICK, and_)
    case PTX_OP_OR: PICK_WIDTH(PICK, or_)
    case PTX_OP_XOR: PICK_WIDTH(PICK, xor_)
    case PTX_OP_NOT: PICK_WIDTH(PICK, not_)
    case PTX_OP_CNOT: PICK_WIDTH(PICK_RARE, cnot_)
    default: return false;
  }
}

static bool select_shift(dc_uop *o, int bits) {
  if (!dc_shaped(o, bits, bits, 32, 0)) return false;
  if (o->ins->op == PTX_OP_SHL) PICK_WIDTH(PICK, shl_)
  if (dc_is_signed(o->ins->type)) PICK_WIDTH(PICK, shr_s)
  PICK_WIDTH(PICK, shr_u)
}

static bool select_field(dc_uop *o, int bits) {
  bool sign = dc_is_signed(o->ins->type), wide = bits == 64;
  if (bits != 32 && bits != 64) return false;
  switch (o->ins->op) {
    case PTX_OP_BFE:
      if (!dc_shaped(o, bits, bits, 32, 32)) return false;
      if (wide) return sign ? PICK_RARE(bfe_s64) : PICK_RARE(bfe_u64);
      return sign ? PICK_RARE(bfe_s32) : PICK_RARE(bfe_u32);
    case PTX_OP_BFI: return dc_shaped(o, bits, bits, bits, 32) && (wide ? PICK_RARE(bfi_64) : PICK_RARE(bfi_32));
    case PTX_OP_BFIND:
      if (!dc_shaped(o, 32, bits, 0, 0)) return false;
      if (wide) return sign ? PICK_RARE(bfind_s64) : PICK_RARE(bfind_u64);
      return sign ? PICK_RARE(bfind_s32) : PICK_RARE(bfind_u32);
    case PTX_OP_POPC: return dc_shaped(o, 32, bits, 0, 0) && (wide ? PICK_RARE(popc_64) : PICK_RARE(popc_32));
    case PTX_OP_CLZ: return dc_shaped(o, 32, bits, 0, 0) && (wide ? PICK_RARE(clz_64) : PICK_RARE(clz_32));
    case PTX_OP_BREV: return dc_shaped(o, bits, bits, 0, 0) && (wide ? PICK_RARE(brev_64) : PICK_RARE(brev_32));
    default: return false;
  }
}

static bool select_32(dc_uop *o) {
  if (!dc_shaped(o, o->d == DC_NO_OPERAND ? 0 : 32, 32, 32, 0)) return false;
  switch (o->ins->op) {
    case PTX_OP_FNS: return PICK_RARE(fns_32);
    case PTX_OP_BMSK: return PICK_RARE(bmsk_32);
    case PTX_OP_SZEXT: return PICK_RARE(szext_32);
    case PTX_OP_LOP3: return o->ins->boolop ? PICK_RARE(lop3_pred) : PICK_RARE(lop3_32);
    case PTX_OP_SHF:
      switch (o->ins->mode) {
        case PTX_L_WRAP: return PICK_RARE(shf_l_wrap);
        case PTX_L_CLAMP: return PICK_RARE(shf_l_clamp);
        case PTX_R_WRAP: return PICK_RARE(shf_r_wrap);
        default: return PICK_RARE(shf_r_clamp);
      }
    case PTX_OP_PRMT:
      if (o->ins->mode == PTX_MODE_NONE) return PICK(prmt_any);
      return o->ins->mode >= PTX_PRMT_F4E && o->ins->mode <= PTX_PRMT_RC16 && PICK_RARE(prmt_named);
    default: return false;
  }
}

bool PER_ISA(dc_select_bits)(dc_uop *o) {
  int bits = ptx_type_bits((ptx_type)o->ins->type);
  switch (o->ins->op) {
    case PTX_OP_AND: case PTX_OP_OR: case PTX_OP_XOR: case PTX_OP_NOT: case PTX_OP_CNOT:
      return o->ins->type == PTX_PRED ? select_pred(o) : select_logic(o, bits);
    case PTX_OP_SHL: case PTX_OP_SHR: return select_shift(o, bits);
    case PTX_OP_BFE: case PTX_OP_BFI: case PTX_OP_BFIND: case PTX_OP_POPC: case PTX_OP_CLZ: case PTX_OP_BREV:
      return select_field(o, bits);
    case PTX_OP_FNS: case PTX_OP_BMSK: case PTX_OP_SZEXT: case PTX_OP_LOP3: case PTX_OP_SHF: case PTX_OP_PRMT:
      return select_32(o);
    default: return false;
  }
}
