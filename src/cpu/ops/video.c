/*
** video.c - video instructions: vadd, vmad, vset … on sub-words of registers, and their packed forms vadd2, vabsdiff4
** …; PTX ISA 9.7.15 and 9.7.16.  CUDA's SIMD intrinsics (__vabsdiffu4 …) compile to these.
**
** Sub-words are computed as wide integers, saturated (.sat) or wrapped, then merged into c or combined with it.
*/
#include "cpu/ops/lanes.h"
#include "cpu/ptx/opcode.h"

typedef enum action { ADD, SUB, ABSDIFF, MIN, MAX, AVERAGE, COMPARE, SHL, SHR, MAD } action;

/* What an opcode does, and the bits of its sub-words, by its name, as "vabsdiff4"; 32: scalar, 0: it is none. */
static int form_of(int op, action *what) {
  static const char names[][8] = {"add", "sub", "absdiff", "min", "max", "avrg", "set", "shl", "shr", "mad"};
  if (!(ptx_traits((unsigned)op) & PTX_T_VIDEO)) return 0;
  const char *name = ptx_op_text((unsigned)op) + 1;
  const size_t n = strcspn(name, "24");
  *what = ADD;
  while (strlen(names[*what]) != n || memcmp(names[*what], name, n) != 0) ++*what;
  return name[n] == '2' ? 16 : name[n] == '4' ? 8 : 32;
}

static bool related(s64 x, s64 y, int cmp) {
  switch (cmp) {
    case PTX_EQ: return x == y;
    case PTX_NE: return x != y;
    case PTX_LT: case PTX_LO: return x < y;
    case PTX_LE: case PTX_LS: return x <= y;
    case PTX_GT: case PTX_HI: return x > y;
    default: return x >= y;
  }
}

static s64 act(const ptx_ins *ins, action what, s64 x, s64 y) {
  switch (what) {
    case ADD: return x + y;
    case SUB: return x - y;
    case ABSDIFF: return x > y ? x - y : y - x;
    case MIN: return x < y ? x : y;
    case MAX: return x > y ? x : y;
    case AVERAGE: return x + y < 0 ? (x + y) >> 1 : (x + y + 1) >> 1;
    case SHL:
    case SHR: {
      const u32 n = (u32)y, by = !(ins->flags & PTX_F_CLAMP) ? n & 31 : n > 32 ? 32 : n;
      return what == SHL ? x << by : x >> by;
    }
    default: return related(x, y, ins->cmp);
  }
}

static s64 limit(s64 x, int bits, bool sign) {
  const s64 most = ((s64)1 << (bits - sign)) - 1, least = sign ? -most - 1 : 0;
  return x > most ? most : x < least ? least : x;
}

/* Bits [at, at + bits) of x as a number. */
static inline s64 field(u64 x, int at, int bits, bool sign) {
  const u64 up = x << (64 - bits - at);
  return sign ? (s64)up >> (64 - bits) : (s64)(up >> (64 - bits));
}

/* Types of the instruction's two operands and of its result: vset names only the former. */
typedef struct kinds {
  bool a, b, d;
} kinds;
static kinds signs_of(const ptx_ins *ins, action what) {
  if (what == COMPARE) return (kinds){ptx_is_signed(ins->type), ptx_is_signed(ins->type2), false};
  return (kinds){ptx_is_signed(ins->type2), ptx_is_signed(ins->type3), ptx_is_signed(ins->type)};
}

static u32 subword_at(const ptx_ins *ins, int i) { return ins->opnd ? ins->opnd[i].subword : 0; }

/* --- packed ---------------------------------------------------------------------------------------------- */

/* Indices of sub-words of b:a, the lowest first; by default a's, b's. */
static u32 list_of(u32 part, int n, int first) {
  u32 list = 0;
  if (part & PTX_SUBWORD_LIST) return part & 0xfff;
  for (int i = 0; i < n; i++) list |= (u32)(first + i) << (3 * i);
  return list;
}
/* Which sub-words of d are written: .h0, .b20 …, by default all. */
static u32 lanes_of(u32 part, int n) {
  u32 set = 0;
  const u32 count = (part / PTX_SUBWORD_COUNT & 3) + 1;
  if (!part) return (1u << n) - 1;
  if (!(part & PTX_SUBWORD_LIST)) return 1u << (part - (n == 4 ? PTX_SUBWORD_B0 : PTX_SUBWORD_H0));
  for (u32 i = 0; i < count; i++) set |= 1u << (part >> (3 * i) & 7);
  return set;
}

static u32 packed_lane(const ptx_ins *ins, action what, int bits, u32 x, u32 y, u32 c) {
  const kinds sign = signs_of(ins, what);
  const int n = 32 / bits;
  const u32 la = list_of(subword_at(ins, 1), n, 0), lb = list_of(subword_at(ins, 2), n, n);
  const u32 lanes = lanes_of(subword_at(ins, 0), n);
  const u64 both = (u64)y << 32 | x;
  u32 r = c;
  s64 sum = 0;
  for (int i = 0; i < n; i++) {
    if (!(lanes >> i & 1)) continue;
    const s64 p = field(both, (int)(la >> (3 * i) & 7) * bits, bits, sign.a);
    const s64 q = field(both, (int)(lb >> (3 * i) & 7) * bits, bits, sign.b);
    s64 v = act(ins, what, p, q);
    if (ins->flags & PTX_F_SAT) v = limit(v, bits, sign.d);
    const u32 mask = (u32)(((u64)1 << bits) - 1) << (i * bits);
    sum += v;
    r = (r & ~mask) | ((u32)v << (i * bits) & mask);
  }
  return ins->mode == PTX_ATOM_ADD ? (u32)sum + c : r;
}

/* --- scalar ---------------------------------------------------------------------------------------------- */

/* The bits of a sub-word and its position. */
static int subword_bits(u32 said, int *at) {
  const int part = (int)(said & 7);
  *at = part >= PTX_SUBWORD_H0 ? 16 * (part - PTX_SUBWORD_H0) : part ? 8 * (part - PTX_SUBWORD_B0) : 0;
  return part >= PTX_SUBWORD_H0 ? 16 : part ? 8 : 32;
}
static s64 subword_of(u32 said, u32 x, bool sign) {
  int at;
  const int bits = subword_bits(said, &at);
  return field(x, at, bits, sign);
}

/* The product of sub-words, plus c, with signs, a shift and .sat: up to 66 bits. */
static u32 multiply_add(const ptx_ins *ins, s64 x, s64 y, u32 z) {
  const kinds sign = signs_of(ins, MAD);
  const bool minus = ((subword_at(ins, 1) ^ subword_at(ins, 2)) & PTX_SUBWORD_NEGATED) != 0;
  const bool less = (subword_at(ins, 3) & PTX_SUBWORD_NEGATED) != 0, final = sign.a || sign.b || minus || less;
  s128 r = (s128)x * y, c = final ? (s128)(s32)z : (s128)z;
  if (ins->flags & PTX_F_PLUS_ONE) r += 1;
  else if (minus) r = -r;
  else if (less) c = -c;
  r += c;
  r >>= ins->flags & PTX_F_SHR7 ? 7 : ins->flags & PTX_F_SHR15 ? 15 : 0;
  if (!(ins->flags & PTX_F_SAT)) return (u32)r;
  const s128 most = final ? INT32_MAX : UINT32_MAX, least = final ? INT32_MIN : 0;
  return (u32)(r > most ? most : r < least ? least : r);
}

static u32 scalar_lane(const ptx_ins *ins, action what, u32 a, u32 b, u32 c) {
  const kinds sign = signs_of(ins, what);
  const s64 x = subword_of(subword_at(ins, 1), a, sign.a), y = subword_of(subword_at(ins, 2), b, sign.b);
  int at;
  const int bits = subword_bits(subword_at(ins, 0), &at);
  if (what == MAD) return multiply_add(ins, x, y, c);
  s64 v = act(ins, what, x, y);
  if (ins->flags & PTX_F_SAT) v = limit(v, bits, sign.d);
  const u32 r = (u32)v;
  switch (ins->mode) {
    case PTX_ATOM_ADD: return r + c;
    case PTX_ATOM_MIN: return (sign.d ? (s32)r < (s32)c : r < c) ? r : c;
    case PTX_ATOM_MAX: return (sign.d ? (s32)r > (s32)c : r > c) ? r : c;
    default: break;
  }
  if (bits == 32) return r;
  const u32 mask = (u32)(((u64)1 << bits) - 1) << at;
  return (c & ~mask) | (r << at & mask);
}

static void video(dc_warp *w, const dc_uop *o) {
  const action what = (action)(o->imm >> 8);
  const int bits = (int)(o->imm & 0xff);
  const u32 *a = REG(u32, o->a), *b = REG(u32, o->b), *c = o->ins->nsrc > 2 ? REG(u32, o->c) : a;
  u32 *d = REG(u32, o->d);
  EACH_LANE(l, w->mask)
  d[l] = bits == 32 ? scalar_lane(o->ins, what, a[l], b[l], c[l]) : packed_lane(o->ins, what, bits, a[l], b[l], c[l]);
}

static bool is_word(int type) { return type == PTX_U32 || type == PTX_S32; }

bool PER_ISA(dc_select_video)(dc_uop *o) {
  const ptx_ins *ins = o->ins;
  action what;
  const int bits = form_of(ins->op, &what), mode = ins->mode;
  if (!bits) return false;
  o->imm = what << 8 | bits;
  const bool scalar = bits == 32;
  const bool second = mode == PTX_ATOM_ADD || (scalar && (mode == PTX_ATOM_MIN || mode == PTX_ATOM_MAX));
  if (mode != PTX_MODE_NONE && !second) return false;
  if ((mode != PTX_MODE_NONE || (scalar && subword_at(ins, 0))) && ins->nsrc < 3) return false;
  for (int i = 0; i < 3; i++)
    if (scalar && (subword_at(ins, i) & PTX_SUBWORD_LIST)) return false;
  if (what == COMPARE && (ins->cmp < PTX_EQ || ins->cmp > PTX_HS)) return false;
  if (!is_word(ins->type) || !is_word(ins->type2) || (what != COMPARE && !is_word(ins->type3))) return false;
  return dc_shaped(o, 32, 32, 32, ins->nsrc > 2 ? 32 : 0) && PICK_RARE(video);
}
