/*
** lower_video.c - see lower_video.h: vadd, vmad, vset … on sub-words of registers, and their packed
** forms vadd2, vabsdiff4 …; PTX ISA 9.7.15 and 9.7.16.  CUDA's SIMD intrinsics (__vabsdiffu4 …) compile to these.
**
** Sub-words are computed as wide integers, of 32 bits in packed forms, else of 64, saturated (.sat) or wrapped, then
** merged into c or combined with it.
*/
#include "cpu/ptx/lower_video.h"

#include <string.h>

#include "cpu/ptx/opcode.h"

#define PUT(...) dc_buf_printf(t, __VA_ARGS__)

typedef enum action { ADD, SUB, ABSDIFF, MIN, MAX, AVERAGE, COMPARE, SHL, SHR, MAD } action;

/* What an opcode does, and the bits of its sub-words, by its name, as "vabsdiff4"; 32: scalar. */
static int form_of(int op, action *what) {
  static const char names[][8] = {"add", "sub", "absdiff", "min", "max", "avrg", "set", "shl", "shr", "mad"};
  const char *name = ptx_op_text((unsigned)op) + 1;
  const size_t n = strcspn(name, "24");
  *what = ADD;
  while (strlen(names[*what]) != n || memcmp(names[*what], name, n) != 0) ++*what;
  return name[n] == '2' ? 16 : name[n] == '4' ? 8 : 32;
}

/* Types of the instruction's two operands and of its result: vset names only the former. */
typedef struct kinds {
  bool a, b, d;
} kinds;
static kinds signs_of(const ptx_ins *ins, action what) {
  if (what == COMPARE) return (kinds){ptx_is_signed(ins->type), ptx_is_signed(ins->type2), false};
  return (kinds){ptx_is_signed(ins->type2), ptx_is_signed(ins->type3), ptx_is_signed(ins->type)};
}

/* Of registers 1 and 2 of kind k, which have `bits` bits, to 3. */
static void act(const ptx_ins *ins, action what, dc_buf *t, char k, int bits) {
  static const char *const names[] = {[ADD] = "add", [SUB] = "sub", [MIN] = "min", [MAX] = "max"};
  switch (what) {
    case ABSDIFF:
      PUT("max.s%d %c4, %c1, %c2; min.s%d %c5, %c1, %c2; ", bits, k, k, k, bits, k, k, k);
      PUT("sub.s%d %c3, %c4, %c5; ", bits, k, k, k);
      return;
    case AVERAGE: /* halves away from zero */
      PUT("add.s32 w4, w1, w2; shr.s32 w5, w4, 31; add.s32 w6, w4, w5; add.s32 w7, w6, 1; shr.s32 w3, w7, 1; ");
      return;
    case COMPARE:
      PUT("setp.%s.s%d p1, %c1, %c2; selp.b%d %c3, 1, 0, p1; ", ptx_relation_text(ins->cmp), bits, k, k,
          bits, k);
      return;
    case SHL: case SHR:
      PUT("cvt.u32.u64 w4, d2; %s w5, w4, %d; %s d3, d1, w5; ", ins->flags & PTX_F_CLAMP ? "min.u32" : "and.b32",
          ins->flags & PTX_F_CLAMP ? 32 : 31, what == SHL ? "shl.b64" : "shr.s64");
      return;
    default: PUT("%s.s%d %c3, %c1, %c2; ", names[what], bits, k, k, k);
  }
}

/* Register 3 of kind k into the range of `to` bits. */
static void limit(const ptx_ins *ins, dc_buf *t, char k, int bits, int to, bool sign) {
  const long long most = (1ll << (to - sign)) - 1;
  if (!(ins->flags & PTX_F_SAT)) return;
  PUT("min.s%d %c3, %c3, %lld; max.s%d %c3, %c3, %llu; ", bits, k, k, most, bits, k, k,
      sign ? (unsigned long long)(-most - 1) : 0);
}

static uint32_t subword_at(const ptx_ins *ins, int i) { return ins->opnd[i].subword; }

/* --- packed ---------------------------------------------------------------------------------------------- */

/* Index i of the sub-words of b:a, the lowest first; by default a's, b's. */
static int index_in(uint32_t part, int i, int first) {
  return part & PTX_SUBWORD_LIST ? (int)(part >> (3 * i) & 7) : first + i;
}
/* Which sub-words of d are written: .h0, .b20 …, by default all. */
static uint32_t lanes_of(uint32_t part, int n) {
  uint32_t set = 0;
  const uint32_t count = (part / PTX_SUBWORD_COUNT & 3) + 1;
  if (!part) return (1u << n) - 1;
  if (!(part & PTX_SUBWORD_LIST)) return 1u << (part - (n == 4 ? PTX_SUBWORD_B0 : PTX_SUBWORD_H0));
  for (uint32_t i = 0; i < count; i++) set |= 1u << (part >> (3 * i) & 7);
  return set;
}

static void packed(const ptx_ins *ins, action what, int bits, dc_buf *t) {
  const kinds sign = signs_of(ins, what);
  const int n = 32 / bits;
  const uint32_t lanes = lanes_of(subword_at(ins, 0), n);
  PUT("mov.b32 w8, C; ");
  for (int i = 0; i < n; i++) {
    const int a = index_in(subword_at(ins, 1), i, 0), b = index_in(subword_at(ins, 2), i, n);
    if (!(lanes >> i & 1)) continue;
    PUT("bfe.%s w1, %c, %d, %d; bfe.%s w2, %c, %d, %d; ", sign.a ? "s32" : "u32", "AB"[a >= n], a % n * bits, bits,
        sign.b ? "s32" : "u32", "AB"[b >= n], b % n * bits, bits);
    act(ins, what, t, 'w', 32);
    limit(ins, t, 'w', 32, bits, sign.d);
    if (ins->mode == PTX_ATOM_ADD) PUT("add.u32 w8, w8, w3; ");
    else PUT("bfi.b32 w8, w3, w8, %d, %d; ", i * bits, bits);
  }
  PUT("mov.b32 D, w8");
}

/* --- scalar ---------------------------------------------------------------------------------------------- */

/* The bits of a sub-word and its position. */
static int subword_bits(uint32_t said, int *at) {
  const int part = (int)(said & 7);
  *at = part >= PTX_SUBWORD_H0 ? 16 * (part - PTX_SUBWORD_H0) : part ? 8 * (part - PTX_SUBWORD_B0) : 0;
  return part >= PTX_SUBWORD_H0 ? 16 : part ? 8 : 32;
}
/* Of source i, to d<i>. */
static void put_subword(const ptx_ins *ins, dc_buf *t, int i, bool sign) {
  int at;
  const int bits = subword_bits(subword_at(ins, i), &at);
  const char s = sign ? 's' : 'u';
  PUT("shr.u32 w%d, %c, %d; cvt.%c64.%c%d d%d, w%d; ", i, "AB"[i - 1], at, s, s, bits, i, i);
}

/* The product of d1 and d2, plus c, with signs, a shift and .sat.  64 bits hold all but the negative of an unsigned
** product, or it less c: of these what is far out of the result's range is cut first. */
static void multiply_add(const ptx_ins *ins, dc_buf *t) {
  const kinds sign = signs_of(ins, MAD);
  const bool minus = ((subword_at(ins, 1) ^ subword_at(ins, 2)) & PTX_SUBWORD_NEGATED) != 0;
  const bool less = (subword_at(ins, 3) & PTX_SUBWORD_NEGATED) != 0, final = sign.a || sign.b || minus || less;
  const char s = final ? 's' : 'u';
  PUT("mul.lo.s64 d3, d1, d2; cvt.%c64.%c32 d4, C; ", s, s);
  if (final && !sign.a && !sign.b && ins->flags & PTX_F_SAT) PUT("min.u64 d3, d3, 0x3fffffffffffffff; ");
  if (ins->flags & PTX_F_PLUS_ONE) PUT("add.s64 d3, d3, 1; ");
  else if (minus) PUT("neg.s64 d3, d3; ");
  else if (less) PUT("neg.s64 d4, d4; ");
  PUT("add.s64 d3, d3, d4; shr.%c64 d3, d3, %d; ", s, ins->flags & PTX_F_SHR7 ? 7 : ins->flags & PTX_F_SHR15 ? 15 : 0);
  if (final) limit(ins, t, 'd', 64, 32, true);
  else if (ins->flags & PTX_F_SAT) PUT("min.u64 d3, d3, 0xffffffff; ");
  PUT("cvt.u32.u64 D, d3");
}

static void scalar(const ptx_ins *ins, action what, dc_buf *t) {
  const kinds sign = signs_of(ins, what);
  int at;
  const int bits = subword_bits(subword_at(ins, 0), &at);
  const char *type = sign.d ? "s32" : "u32";
  put_subword(ins, t, 1, sign.a);
  put_subword(ins, t, 2, sign.b);
  if (what == MAD) {
    multiply_add(ins, t);
    return;
  }
  act(ins, what, t, 'd', 64);
  limit(ins, t, 'd', 64, bits, sign.d);
  PUT("cvt.u32.u64 w3, d3; ");
  switch (ins->mode) {
    case PTX_ATOM_ADD: PUT("add.u32 D, w3, C"); return;
    case PTX_ATOM_MIN: PUT("min.%s D, w3, C", type); return;
    case PTX_ATOM_MAX: PUT("max.%s D, w3, C", type); return;
    default: break;
  }
  if (bits == 32) PUT("mov.b32 D, w3");
  else PUT("bfi.b32 D, w3, C, %d, %d", at, bits);
}

static bool is_word(int type) { return type == PTX_U32 || type == PTX_S32; }

bool ptxp_lower_video(const ptx_ins *ins, dc_buf *t) {
  action what;
  const int bits = form_of(ins->op, &what), mode = ins->mode;
  const bool is_scalar = bits == 32;
  const bool second = mode == PTX_ATOM_ADD || (is_scalar && (mode == PTX_ATOM_MIN || mode == PTX_ATOM_MAX));
  if (mode != PTX_MODE_NONE && !second) return false;
  if ((mode != PTX_MODE_NONE || (is_scalar && subword_at(ins, 0))) && ins->nsrc < 3) return false;
  for (int i = 0; i < 3; i++)
    if (is_scalar && (subword_at(ins, i) & PTX_SUBWORD_LIST)) return false;
  if (what == COMPARE && (ins->cmp < PTX_EQ || ins->cmp > PTX_HS)) return false;
  if (!is_word(ins->type) || !is_word(ins->type2) || (what != COMPARE && !is_word(ins->type3))) return false;
  if (is_scalar) scalar(ins, what, t);
  else packed(ins, what, bits, t);
  return true;
}
