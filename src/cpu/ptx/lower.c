/*
** lower.c - see lower.h.  The sections of the PTX ISA: integers 9.7.1, extended precision 9.7.2, floats 9.7.3 and
** 9.7.4, comparisons 9.7.6, bits 9.7.8, conversions 9.7.9.
*/
#include "cpu/ptx/lower.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "cpu/ptx/lower_video.h"
#include "cpu/ptx/opcode.h"

#define PUT(...) dc_buf_printf(t, __VA_ARGS__)
#define CLUSTER_BARRIER 15

/* --- texts ------------------------------------------------------------------------------------------------------- */

enum { MOST_OPERANDS = 8, MOST_HIDDEN = 100 };

typedef struct lowering {
  ptx_parser *P;
  const ptx_ins *ins;
  int32_t hidden[4][MOST_HIDDEN]; /* registers by kind and number; -1: not made yet */
} lowering;

static const char kinds[] = "phwd"; /* of hidden registers */

static bool is_hidden(const char *word) { return strchr(kinds, *word) != NULL; }

/* Makes the register at its first use. */
static int name_register(ptx_parser *P, int32_t *reg, int bits, ptx_operand *o) {
  if (*reg < 0 && (*reg = ptxp_new_register(P, bits)) < 0) return -1;
  *o = (ptx_operand){.kind = PTX_REG, .reg = *reg};
  return 0;
}

static int read_word(lowering *l, const char *word, ptx_operand *o) {
  static const char sources[] = "ABCEF";
  static const uint8_t bits[] = {1, 16, 32, 64};
  const char *source = strchr(sources, *word);
  if (is_hidden(word)) {
    const size_t kind = (size_t)(strchr(kinds, *word) - kinds);
    return name_register(l->P, &l->hidden[kind][atoi(word + 1)], bits[kind], o);
  }
  if (strncmp(word, "CF", 2) == 0) return name_register(l->P, &l->P->carry_reg, 32, o);
  if (*word == 'D' || *word == 'Q') *o = l->ins->opnd[*word == 'Q'];
  else if (source) *o = l->ins->opnd[l->ins->ndst + (source - sources)];
  else *o = (ptx_operand){.kind = PTX_IMM, .reg = -1, .imm = (int64_t)strtoull(word, NULL, 0)};
  o->subword = 0;
  return 0;
}

static int append(lowering *l, const char *text, const char *end) {
  const size_t length = strcspn(text, " ;");
  const char *opcode = dc_arena_strndup(&l->P->m->arena, text, length);
  ptx_operand opnd[MOST_OPERANDS];
  ptx_ins like = *l->ins;
  ptx_form form;
  if (!opcode) return ptxp_oom(l->P);
  ptx_form_decode(opcode, &form);
  const bool pure = form.ins.op == PTX_OP_MOV || ptx_traits(form.ins.op) & PTX_T_PURE;
  int n = 0, ndst = form.shape == PTX_SHAPE_FIXED ? form.ndst_min : form.shape != PTX_SHAPE_STORE;
  for (text += length;;) {
    const size_t gap = strspn(text, " ,|");
    if (memchr(text, '|', gap)) ndst = 2;
    if ((text += gap) >= end) return ptxp_emit(l->P, opcode, &like, ndst, n, opnd);
    if (n == 0 && pure && is_hidden(text)) like.pred = -1;
    if (read_word(l, text, &opnd[n++]) != 0) return -1;
    text += strcspn(text, " ,|;");
  }
}

/* Appends, in place of `ins`, the instructions of a text, which is freed: "OPCODE OPERAND, OPERAND; …".  Operands are
**   D, Q              the destinations of `ins` (a second destination follows a bar: "mov.b32 h1 | h2, A")
**   A, B, C, E, F     its sources
**   h1, w1, d1, p1    hidden registers of 16, 32 and 64 bits and predicates, numbered up to 99.  Each is to be written
**                     once, as analyses like it; what is only computed there is not guarded
**   CF                the carry flag, a register of the function
**   integers          the bits of floats, too
** Forms that are lowered themselves may stand in it.  1, or -1: failed. */
static int put_text(ptx_parser *P, const ptx_ins *ins, dc_buf *text) {
  lowering l = {.P = P, .ins = ins};
  int rc = text->failed ? ptxp_oom(P) : 1;
  memset(l.hidden, -1, sizeof l.hidden);
  for (const char *at = dc_buf_str(text); *at && rc > 0;) {
    const char *end = at + strcspn(at, ";");
    if (append(&l, at, end) != 0) rc = -1;
    at = end + strspn(end, "; ");
  }
  dc_buf_free(text);
  return rc;
}

static const char *type_of(const ptx_ins *ins) { return ptx_type_text(ins->type); }
static int bits_of(const ptx_ins *ins) { return ptx_type_bits((ptx_type)ins->type); }
static bool has(const ptx_ins *ins, uint32_t flags) { return (ins->flags & flags) != 0; }
static const char *ftz_of(const ptx_ins *ins) { return has(ins, PTX_F_FTZ) ? ".ftz" : ""; }
/* The letter of a hidden register. */
static char kind_of(int bits) { return bits == 64 ? 'd' : bits == 32 ? 'w' : 'h'; }

static const char *rounding(const ptx_ins *ins) {
  static const char *const names[] = {[PTX_RM] = ".rm", [PTX_RP] = ".rp", [PTX_RZ] = ".rz", [PTX_RNA] = ".rna"};
  return names[ins->round] ? names[ins->round] : ".rn";
}

/* Parts of 16 or 32 bits of a register twice as long, to hidden ones from number `at` on. */
static void split(dc_buf *t, int bits, const char *from, int at) {
  const char part = kind_of(bits);
  PUT("mov.b%d %c%d | %c%d, %s; ", 2 * bits, part, at, part, at + 1, from);
}

/* --- integers ---------------------------------------------------------------------------------------------------- */

/* Sums and differences with the carry flag, a register that is 0 or 1; mad's are of a half of a product. As in a GPU's
** adders a difference is a + ~b + 1: its carry is 1 where nothing is borrowed. The PTX ISA calls the flag the borrow,
** which is the same within a chain of differences; NVRTC's division of 128-bit integers reads it by addc. */
static bool with_carry(const ptx_ins *ins, dc_buf *t) {
  const int bits = bits_of(ins);
  const char k = kind_of(bits), sum[] = {k, '2', '\0'}, product[] = {k, '1', '\0'}, inverse[] = {k, '5', '\0'};
  const bool mad = ins->op == PTX_OP_MAD || ins->op == PTX_OP_MADC;
  const bool minus = ins->op == PTX_OP_SUB, adds_inverse = ins->op == PTX_OP_SUBC;
  const char *x = mad ? product : "A", *y = mad ? "C" : adds_inverse ? inverse : "B";
  if (!ptx_is_integer(ins->type) || bits < 32) return false;
  if (mad) PUT("mul.%s.%s %s, A, B; ", ins->mode == PTX_HI_HALF ? "hi" : "lo", type_of(ins), product);
  if (adds_inverse) PUT("not.b%d %s, B; ", bits, inverse);
  PUT("%s.u%d %s, %s, %s; ", minus ? "sub" : "add", bits, sum, x, y);
  if (has(ins, PTX_F_CC)) PUT("setp.%s.u%d p1, %s, %s; ", minus ? "ge" : "lt", bits, minus ? x : sum, minus ? y : x);
  if (has(ins, PTX_F_CARRY_IN)) {
    const char *in = bits == 64 ? "d3" : "CF", result[] = {k, '4', '\0'};
    if (bits == 64) PUT("cvt.u64.u32 d3, CF; ");
    PUT("add.u%d %s, %s, %s; ", bits, result, sum, in);
    if (has(ins, PTX_F_CC)) PUT("setp.lt.u%d p2, %s, %s; or.pred p3, p1, p2; ", bits, result, in);
  }
  if (has(ins, PTX_F_CC)) PUT("selp.b32 CF, 1, 0, p%d; ", has(ins, PTX_F_CARRY_IN) ? 3 : 1);
  PUT("mov.b%d D, %c%d", bits, k, has(ins, PTX_F_CARRY_IN) ? 4 : 2);
  return true;
}

static bool high_sum(const ptx_ins *ins, dc_buf *t) {
  const char k = kind_of(bits_of(ins));
  PUT("mul.hi.%s %c1, A, B; add%s.%s D, %c1, C", type_of(ins), k, has(ins, PTX_F_SAT) ? ".sat" : "", type_of(ins), k);
  return true;
}

static bool absolute_differences(const ptx_ins *ins, dc_buf *t) {
  const char *type = type_of(ins), k = kind_of(bits_of(ins));
  PUT("max.%s %c1, A, B; min.%s %c2, A, B; sub.%s %c3, %c1, %c2; add.%s D, %c3, C", type, k, type, k, type, k, k, k,
      type, k);
  return true;
}

/* Products of the lower 24 bits: their bits 0 to 31 or 16 to 47. */
static bool product_24(const ptx_ins *ins, dc_buf *t) {
  const char *type = type_of(ins), *add = has(ins, PTX_F_SAT) ? "add.sat" : "add";
  const bool high = ins->mode == PTX_HI_HALF, mad = ins->op == PTX_OP_MAD24;
  for (int i = 1; i <= 2; i++) {
    PUT("shl.b32 w%d, %c, 8; ", i, i == 1 ? 'A' : 'B');
    if (!high) PUT("shr.%s w%d, w%d, 8; ", type, 2 + i, i);
  }
  PUT("mul.%s.%s %s, w%d, w%d; ", high ? "hi" : "lo", type, mad ? "w5" : "D", high ? 1 : 3, high ? 2 : 4);
  if (mad) PUT("%s.%s D, w5, C", add, type);
  return true;
}

/* .relu: what is negative becomes 0. */
static bool not_negative(const ptx_ins *ins, dc_buf *t) {
  const char *type = type_of(ins);
  if (has(ins, PTX_F_RELU)) PUT("%s.%s w1, A, B; max.%s D, w1, 0", ptx_op_text(ins->op), type, type);
  return has(ins, PTX_F_RELU);
}

/* Two products of halves of a with bytes of b, and c. */
static bool dot_product(const ptx_ins *ins, dc_buf *t) {
  const char *a = type_of(ins), *b = ptx_type_text(ins->type2);
  for (int i = 0; i < 2; i++)
    PUT("bfe.%s w%d, A, %d, 16; bfe.%s w%d, B, %d, 8; ", a, 1 + i, 16 * i, b, 3 + i,
        8 * i + (ins->mode == PTX_HI_HALF ? 16 : 0));
  PUT("mad.lo.s32 w5, w1, w3, C; mad.lo.s32 D, w2, w4, w5");
  return true;
}

static bool pairs_of_16(const ptx_ins *ins, dc_buf *t) {
  const char *op = ptx_op_text(ins->op), *type = type_of(ins); /* "s16x2" */
  if (not_negative(ins, t)) return true;
  split(t, 16, "A", 1);
  split(t, 16, "B", 3);
  PUT("%s.%.3s h5, h1, h3; %s.%.3s h6, h2, h4; mov.b32 D, h5, h6", op, type, op, type);
  return !has(ins, PTX_F_SAT);
}

/* How far from the top the bit is that bfind finds. */
static bool find_from_top(const ptx_ins *ins, dc_buf *t) {
  PUT("bfind.%s w1, A; sub.u32 w2, %d, w1; setp.eq.u32 p1, w1, 0xffffffff; selp.b32 D, w1, w2, p1", type_of(ins),
      bits_of(ins) - 1);
  return has(ins, PTX_F_SHIFTAMT);
}

/* --- bits -------------------------------------------------------------------------------------------------------- */

/* The named modes: four selectors of 16 bits, for each value of the control's low two bits. */
static bool permutation(const ptx_ins *ins, dc_buf *t) {
  static const char *const selectors[] = {
    [PTX_PRMT_F4E] = "0x6543543243213210", [PTX_PRMT_B4E] = "0x0123701267015670", [PTX_PRMT_RC8] = "0x3333222211110000",
    [PTX_PRMT_ECL] = "0x3333322232113210", [PTX_PRMT_ECR] = "0x3210221011100000", [PTX_PRMT_RC16] = "0x3232101032321010"
  };
  if (ins->mode < PTX_PRMT_F4E || ins->mode > PTX_PRMT_RC16) return false;
  PUT("and.b32 w1, C, 3; shl.b32 w2, w1, 4; shr.u64 d1, %s, w2; cvt.u32.u64 w3, d1; prmt.b32 D, A, B, w3",
      selectors[ins->mode]);
  return true;
}

/* lop3 that tells whether anything came out, with a predicate. */
static bool tested_logic(const ptx_ins *ins, dc_buf *t) {
  PUT("lop3.b32 w1, A, B, C, E; setp.ne.u32 p1, w1, 0; %s.pred p2, p1, F; ", ins->boolop == 1 ? "and" : "or");
  if (ins->opnd[0].kind != PTX_SINK) PUT("mov.b32 D, w1; ");
  PUT("mov.pred Q, p2");
  return ins->boolop != 0;
}

/* A field of 64 bits at a constant place, as two halves of a word are joined: shifts, and masks computed once. */
static bool field(const ptx_ins *ins, dc_buf *t) {
  const ptx_operand *const place = &ins->opnd[3], *const length = &ins->opnd[4];
  if (bits_of(ins) != 64 || place->kind != PTX_IMM || length->kind != PTX_IMM) return false;
  if (place->imm < 0 || length->imm < 1 || place->imm >= 64 || length->imm > 64 - place->imm) return false;
  const unsigned long long mask = UINT64_MAX >> (64 - length->imm) << place->imm;
  const bool top = place->imm + length->imm == 64;
  PUT("shl.b64 d1, A, C; and.b64 d3, B, %llu; ", ~mask);
  if (!top) PUT("and.b64 d2, d1, %llu; ", mask);
  PUT("or.b64 D, d%d, d3", top ? 1 : 2);
  return true;
}

/* --- floats ------------------------------------------------------------------------------------------------------ */

/* With .sat, or of halves but for the last source, which are widened first. */
static bool single(const ptx_ins *ins, dc_buf *t) {
  const char *ftz = ftz_of(ins), *half = ptx_type_text(ins->type2);
  if (ins->type2 == PTX_F16 || ins->type2 == PTX_BF16) {
    PUT("cvt.f32.%s w1, A; ", half);
    if (ins->nsrc > 2) PUT("cvt.f32.%s w2, B; ", half);
    PUT("%.*s D, w1, %s", (int)(strrchr(ins->text, '.') - ins->text), ins->text, ins->nsrc > 2 ? "w2, C" : "B");
    return true;
  }
  if (!has(ins, PTX_F_SAT)) return false;
  PUT("%s%s%s.f32 w1, A, B%s; cvt%s.sat.f32.f32 D, w1", ptx_op_text(ins->op), rounding(ins), ftz,
      ins->nsrc > 2 ? ", C" : "", ftz);
  return true;
}

static bool pairs_of_floats(const ptx_ins *ins, dc_buf *t) {
  for (int i = 0; i < ins->nsrc; i++) split(t, 32, (char[]){(char)('A' + i), '\0'}, 1 + 2 * i);
  for (int i = 0; i < 2; i++)
    PUT("%s%s%s.f32 w%d, w%d, w%d%s; ", ptx_op_text(ins->op), rounding(ins), ftz_of(ins), 7 + i, 1 + i, 3 + i,
        ins->nsrc < 3 ? "" : i ? ", w6" : ", w5");
  PUT("mov.b64 D, w7, w8");
  return !has(ins, ~(uint32_t)PTX_F_FTZ);
}

/* min and max: .NaN gives a NaN for one, .xorsign.abs the magnitude with the product's sign.  Of three, by two and two:
** the NaN and the signs of zeros come out alike either way. */
static bool order(const ptx_ins *ins, dc_buf *t) {
  const char *op = ptx_op_text(ins->op), *ftz = ftz_of(ins), *x = "A", *y = "B", *r = "w1";
  const bool nan = has(ins, PTX_F_NAN), sign = has(ins, PTX_F_XORSIGN), magnitudes = has(ins, PTX_F_ABS);
  if (ins->nsrc == 3) {
    const char *const from[] = {magnitudes ? "w1" : "A", magnitudes ? "w2" : "B", magnitudes ? "w3" : "C"};
    const char *const how = sign ? nan ? ".NaN.xorsign.abs" : ".xorsign.abs" : nan ? ".NaN" : "";
    if (magnitudes) PUT("abs.f32 w1, A; abs.f32 w2, B; abs.f32 w3, C; ");
    PUT("%s%s%s.f32 w4, %s, %s; %s%s%s.f32 D, w4, %s", op, ftz, how, from[0], from[1], op, ftz, how, from[2]);
    return true;
  }
  if (magnitudes || (!nan && !sign)) return false;
  if (sign) {
    PUT("xor.b32 w2, A, B; and.b32 w3, w2, 0x80000000; and.b32 w4, A, 0x7fffffff; and.b32 w5, B, 0x7fffffff; ");
    x = "w4", y = "w5";
  }
  PUT("%s%s.f32 w1, %s, %s; ", op, ftz, x, y);
  if (sign) PUT("and.b32 w6, w1, 0x7fffffff; or.b32 w7, w6, w3; "), r = "w7";
  if (nan) PUT("setp.nan.f32 p1, A, B; selp.b32 D, 0x7fffffff, %s, p1", r);
  else PUT("mov.b32 D, %s", r);
  return true;
}

static bool signs(const ptx_ins *ins, dc_buf *t) {
  const int bits = bits_of(ins);
  const char k = kind_of(bits), *sign = bits == 64 ? "0x8000000000000000" : "0x80000000";
  PUT("and.b%d %c1, A, %s; and.b%d %c2, B, 0x7%s; or.b%d D, %c1, %c2", bits, k, sign, bits, k,
      bits == 64 ? "fffffffffffffff" : "fffffff", bits, k, k);
  return true;
}

/* testp, on the magnitude as an integer; what is normal is finite and not subnormal, zero included. */
static bool class_of(const ptx_ins *ins, dc_buf *t) {
  static const char *const relations[] = {"lt", "eq", "le", "gt"}; /* to infinity */
  const int bits = bits_of(ins), i = ins->mode - PTX_TESTP_FINITE;
  const char k = kind_of(bits), *infinity = bits == 64 ? "0x7ff0000000000000" : "0x7f800000";
  const char *subnormals = bits == 64 ? "0xfffffffffffff" : "0x7fffff";
  const char *most = bits == 64 ? "0x7fffffffffffffff" : "0x7fffffff";
  PUT("and.b%d %c1, A, %s; ", bits, k, most);
  if (i < 4) {
    PUT("setp.%s.u%d D, %c1, %s", relations[i], bits, k, infinity);
    return true;
  }
  PUT("sub.u%d %c2, %c1, 1; setp.lt.u%d p1, %c2, %s; ", bits, k, k, bits, k, subnormals);
  if (ins->mode == PTX_TESTP_SUBNORMAL) PUT("mov.pred D, p1");
  else PUT("setp.lt.u%d p2, %c1, %s; not.pred p3, p1; and.pred D, p2, p3", bits, k, infinity);
  return true;
}

/* --- halves ------------------------------------------------------------------------------------------------------ */

static bool is_brain(int type) { return type == PTX_BF16 || type == PTX_BF16X2; }
static bool is_pair(int type) { return type == PTX_F16X2 || type == PTX_BF16X2; }
static bool is_half(int type) { return type == PTX_F16 || is_pair(type) || type == PTX_BF16; }
static const char *half_of(int type) { return is_brain(type) ? "bf16" : "f16"; }

/* With .ftz a subnormal half becomes a zero of its sign. */
static void flush(dc_buf *t, const char *from, int to) {
  PUT("neg.ftz.f16 h%d, %s; neg.f16 h%d, h%d; ", to, from, to, to);
}

/* neg and abs with .ftz. */
static bool flushed_signs(const ptx_ins *ins, dc_buf *t) {
  const bool pair = is_pair(ins->type), negates = ins->op == PTX_OP_NEG;
  if (is_brain(ins->type) || (negates && !pair)) return false;
  if (pair) split(t, 16, "A", 1);
  for (int i = 0; pair && i < 2; i++) PUT("neg.ftz.f16 h%d, h%d; ", 3 + i, 1 + i);
  if (!pair) PUT("neg.ftz.f16 h1, A; abs.f16 D, h1");
  else if (negates) PUT("mov.b32 D, h3, h4");
  else PUT("mov.b32 w1, h3, h4; abs.f16x2 D, w1");
  return true;
}

/* The names of part i of the sources: what pairs are split to, or what is made of it by flush. */
static void name_sources(const ptx_ins *ins, dc_buf *t, int i, char names[3][4]) {
  for (int s = 0; s < ins->nsrc && s < 3; s++) {
    if (is_pair(ins->type)) snprintf(names[s], sizeof names[s], "h%d", 1 + 2 * s + i);
    else snprintf(names[s], sizeof names[s], "%c", "ABC"[s]);
    if (!has(ins, PTX_F_FTZ) || is_brain(ins->type)) continue;
    flush(t, names[s], 7 + s);
    snprintf(names[s], sizeof names[s], "h%d", 7 + s);
  }
}

/* Part i of the result to h7, by way of f32 in w1: what follows the operation itself is exact. */
static void put_half(const ptx_ins *ins, dc_buf *t, int i) {
  const char *T = half_of(ins->type), *op = ptx_op_text(ins->op);
  const bool ftz = has(ins, PTX_F_FTZ), brain = is_brain(ins->type);
  char x[3][4];
  name_sources(ins, t, i, x);
  switch (ins->op) {
    case PTX_OP_MIN: case PTX_OP_MAX:
      PUT("cvt.f32.%s w1, %s; cvt.f32.%s w2, %s; %s%s%s.f32 w1, w1, w2; ", T, x[0], T, x[1], op,
          has(ins, PTX_F_NAN) ? ".NaN" : "", has(ins, PTX_F_XORSIGN) ? ".xorsign.abs" : "");
      break;
    case PTX_OP_EX2: case PTX_OP_TANH:
      PUT("cvt.f32.%s w1, %s; cvt%s.f32.f32 w1, w1; %s.approx.f32 w1, w1; ", T, x[0], brain ? ftz_of(ins) : "", op);
      break;
    default:
      PUT("%s.rn.%s h7, %s, %s%s%s; cvt.f32.%s w1, h7; ", op, T, x[0], x[1], ins->nsrc > 2 ? ", " : "",
          ins->nsrc > 2 ? x[2] : "", T);
  }
  if (has(ins, PTX_F_SAT)) PUT("cvt.sat.f32.f32 w1, w1; ");
  if (has(ins, PTX_F_RELU)) PUT("setp.gtu.f32 p1, w1, 0; selp.b32 w1, w1, 0, p1; ");
  PUT("cvt.rn.%s.f32 h7, w1; ", T);
  if (ftz && !brain) flush(t, "h7", 7);
  if (ftz && brain) PUT("cvt.f32.bf16 w1, h7; cvt.ftz.f32.f32 w1, w1; cvt.rn.bf16.f32 h7, w1; ");
}

static bool halves(const ptx_ins *ins, dc_buf *t) {
  const uint32_t rare = PTX_F_FTZ | PTX_F_SAT | PTX_F_RELU | PTX_F_NAN | PTX_F_XORSIGN;
  const bool approximates = ins->op == PTX_OP_EX2 || ins->op == PTX_OP_TANH, pair = is_pair(ins->type);
  if (!approximates && !has(ins, rare)) return false;
  for (int s = 0; pair && s < ins->nsrc; s++) split(t, 16, (char[]){(char)('A' + s), '\0'}, 1 + 2 * s);
  for (int i = 0; i <= pair; i++) {
    put_half(ins, t, i);
    if (pair) PUT("mov.b16 h%d, h7; ", 10 + i);
  }
  PUT(pair ? "mov.b32 D, h10, h11" : "mov.b16 D, h7");
  return true;
}

/* --- comparisons ------------------------------------------------------------------------------------------------- */

/* Numbers of this type: the predicate, and of pairs a second one, to p<the result> and the next. */
static int compare(const ptx_ins *ins, dc_buf *t, int type) {
  static const char *const joins[] = {"", "and", "or", "xor"};
  const char *relation = ptx_relation_text(ins->cmp), *T = is_half(type) ? "f32" : ptx_type_text(type);
  const int n = 1 + is_pair(type);
  for (int i = 0; i < n; i++) {
    char x[2][16] = {"A", "B"};
    for (int s = 0; s < 2 && is_half(type); s++) {
      if (is_pair(type) && i == 0) split(t, 16, x[s], 1 + 2 * s);
      if (is_pair(type)) snprintf(x[s], sizeof x[s], "h%d", 1 + 2 * s + i);
      if (has(ins, PTX_F_FTZ) && !is_brain(type)) {
        flush(t, x[s], 5 + 2 * s + i);
        snprintf(x[s], sizeof x[s], "h%d", 5 + 2 * s + i);
      }
      PUT("cvt.f32.%s w%d, %s; ", half_of(type), 1 + 2 * s + i, x[s]);
      snprintf(x[s], sizeof x[s], "w%d", 1 + 2 * s + i);
    }
    PUT("setp.%s%s.%s p%d, %s, %s; ", relation, is_half(type) ? "" : ftz_of(ins), T, 1 + i, x[0], x[1]);
  }
  if (n == 1) PUT("not.pred p2, p1; ");
  for (int i = 0; i < 2 && ins->boolop; i++) PUT("%s.pred p%d, p%d, C; ", joins[ins->boolop & 3], 3 + i, 1 + i);
  return ins->boolop ? 3 : 1;
}

/* setp with a third operand, of halves, or p|q: q is the opposite, of pairs the upper half's. */
static bool predicates(const ptx_ins *ins, dc_buf *t) {
  const bool common = ins->type == PTX_F16 && !has(ins, PTX_F_FTZ);
  if (!ins->boolop && ins->ndst == 1 && (!is_half(ins->type) || common)) return false;
  if (is_pair(ins->type) && ins->ndst != 2) return false;
  const int p = compare(ins, t, ins->type);
  for (int i = 0; i < ins->ndst; i++)
    if (ins->opnd[i].kind != PTX_SINK) PUT("mov.pred %c, p%d; ", "DQ"[i], p + i);
  return true;
}

/* set: the bits of true or 0; of pairs for each half. */
static bool truth(const ptx_ins *ins, dc_buf *t) {
  const int type = ins->type, bits = bits_of(ins);
  const bool pair = is_pair(ins->type2), wide = bits == 32 && !pair, half = type == PTX_F16 || type == PTX_F16X2;
  const unsigned one = type == PTX_F32 ? 0x3f800000 : half ? 0x3c00 : is_brain(type) ? 0x3f80 : wide ? ~0u : 0xffff;
  const int p = compare(ins, t, ins->type2);
  if (pair) PUT("selp.b32 w7, %u, 0, p%d; selp.b32 w8, %u, 0, p%d; or.b32 D, w7, w8", one, p, one << 16, p + 1);
  else PUT("selp.b%d D, %u, 0, p%d", bits, one, p);
  return true;
}

static bool choice_by_sign(const ptx_ins *ins, dc_buf *t) {
  PUT("setp.ge%s.%s p1, C, 0; selp.b%d D, A, B, p1", ftz_of(ins), ptx_type_text(ins->type2), bits_of(ins));
  return true;
}

/* --- conversions ------------------------------------------------------------------------------------------------- */

/* cvt.pack: a and b in the range of 8 or 16 bits, side by side; the remaining upper bits are c's lower ones. */
static bool packed(const ptx_ins *ins, dc_buf *t) {
  const int bits = bits_of(ins);
  const bool sign = ptx_is_signed(ins->type);
  const int most = (1 << (bits - sign)) - 1;
  if (!has(ins, PTX_F_SAT)) return false;
  if ((bits == 8) != (ins->type3 == PTX_B32) || ins->nsrc != (bits == 8 ? 3 : 2)) return false;
  for (int i = 0; i < 2; i++)
    PUT("min.s32 w%d, %c, %d; max.s32 w%d, w%d, %u; ", 1 + i, "AB"[i], most, 3 + i, 1 + i, sign ? ~(unsigned)most : 0);
  PUT("bfi.b32 w5, w3, w4, %d, %d; ", bits, bits);
  if (bits == 8) PUT("bfi.b32 D, C, w5, 16, 16");
  else PUT("mov.b32 D, w5");
  return true;
}

/* The f32 next to an f64 towards zero: the nearest one, or the one before if that is farther from zero than the f64. */
static void towards_zero(dc_buf *t) {
  PUT("cvt.rn.f32.f64 w1, A; cvt.f64.f32 d1, w1; abs.f64 d2, d1; abs.f64 d3, A; ");
  PUT("setp.gt.f64 p1, d2, d3; selp.b32 w2, 1, 0, p1; sub.u32 D, w1, w2");
}

/* A half from the f64 in register `from`, by an f32 that is rounded to odd: with two fraction bits more than the half
** has, it rounds as the f64 does (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums: proved algorithms
** using rounding to odd", 2008). */
static void half_from_f64(const char *half, const char *from, dc_buf *t) {
  PUT("cvt.rz.f32.f64 w1, %s; cvt.f64.f32 d1, w1; setp.neu.f64 p1, d1, %s; selp.b32 w2, 1, 0, p1; ", from, from);
  PUT("or.b32 w3, w1, w2; cvt.rn.%s.f32 D, w3", half);
}

/* A float of `bits` bits, to w7 or d7, from a 64-bit integer: the leading bits of its magnitude, which are exact, and
** the next float if the others are not 0 and rounding leads away from zero.  `odd`: f32 rounded to odd, for a half. */
static void from_64_bits(const ptx_ins *ins, int bits, bool odd, dc_buf *t) {
  const bool sign = ptx_is_signed(ins->type2), away = ins->round == PTX_RP || (sign && ins->round == PTX_RM);
  const char k = kind_of(bits), *from = sign ? "d1" : "A";
  if (sign) PUT("abs.s64 d1, A; ");
  PUT("clz.b64 w1, %s; sub.u32 w2, %d, w1; max.s32 w3, w2, 0; shr.u64 d2, %s, w3; shl.b64 d3, d2, w3; ", from,
      bits == 64 ? 11 : 40, from);
  PUT("cvt.rn.f%d.u64 %c4, d3; ", bits, k);
  if (odd || away) PUT("setp.ne.u64 p1, d3, %s; ", from);
  if (sign && away && !odd) PUT("setp.%s.s64 p2, A, 0; and.pred p3, p1, p2; ", ins->round == PTX_RM ? "lt" : "ge");
  if (odd || away) PUT("selp.b%d %c5, 1, 0, p%d; ", bits, k, sign && !odd ? 3 : 1);
  if (odd) PUT("or.b32 w6, w4, w5; ");
  else if (away) PUT("add.u%d %c6, %c4, %c5; ", bits, k, k, k);
  else PUT("mov.b%d %c6, %c4; ", bits, k, k);
  if (!sign) PUT("mov.b%d %c7, %c6; ", bits, k, k);
  else if (bits == 64) PUT("and.b64 d8, A, 0x8000000000000000; or.b64 d7, d6, d8; ");
  else PUT("shr.u64 d8, A, 63; cvt.u32.u64 w8, d8; shl.b32 w9, w8, 31; or.b32 w7, w6, w9; ");
}

/* To f32 or f64 from an integer by a directed rounding.  Smaller ones are exact. */
static bool directed(const ptx_ins *ins, dc_buf *t) {
  const int bits = bits_of(ins), from = ptx_type_bits((ptx_type)ins->type2);
  if (has(ins, PTX_F_SAT) || ins->round == PTX_RN || (from == 32 && bits == 32)) return false;
  if (from < 64) {
    PUT("cvt.rn.f%d.%s D, A", bits, ptx_type_text(ins->type2));
    return true;
  }
  from_64_bits(ins, bits, false, t);
  PUT("mov.b%d D, %c7", bits, kind_of(bits));
  return true;
}

/* To a half from f64 or an integer.  Integers that f32 does not hold are infinite in f16, but not in bf16.  Directed
** roundings, one after the other, give what one does. */
static bool to_half(const ptx_ins *ins, dc_buf *t) {
  const char *half = half_of(ins->type), *from = ptx_type_text(ins->type2), *round = rounding(ins);
  if (is_pair(ins->type) || has(ins, PTX_F_SAT | PTX_F_FTZ | PTX_F_RELU)) return false;
  if (ins->type2 == PTX_F64 && ins->round == PTX_RN) {
    half_from_f64(half, "A", t);
    return true;
  }
  if (!ptx_is_integer(ins->type2)) return false;
  const int bits = ptx_type_bits((ptx_type)ins->type2);
  if (bits <= 16 || ins->round != PTX_RN || ins->type == PTX_F16) {
    PUT("cvt%s.f32.%s w1, A; cvt%s.%s.f32 D, w1", round, from, round, half);
    return true;
  }
  if (bits == 64) {
    from_64_bits(ins, 32, true, t);
    PUT("cvt.rn.bf16.f32 D, w7");
    return true;
  }
  PUT("cvt.rn.f64.%s d2, A; ", from);
  half_from_f64(half, "d2", t);
  return true;
}

/* The bits in f32 of the largest number of a half or tf32. */
static unsigned largest(int type) { return type == PTX_F16 ? 0x477fe000 : type == PTX_BF16 ? 0x7f7f0000 : 0x7f7fe000; }

/* To two halves at once, a to the upper one, and with .relu: what is negative becomes 0, .satfinite: what is too large
** becomes the largest number. */
static bool to_halves(const ptx_ins *ins, dc_buf *t) {
  const bool relu = has(ins, PTX_F_RELU), finite = has(ins, PTX_F_SATFINITE);
  const char *T = half_of(ins->type), *round = rounding(ins);
  const char *limits = relu && finite ? ".relu.satfinite" : relu ? ".relu" : finite ? ".satfinite" : "";
  if (ins->type2 != PTX_F32) return false;
  if (is_pair(ins->type) && (*limits || ins->round != PTX_RN)) {
    PUT("cvt%s%s.%s.f32 h1, A; cvt%s%s.%s.f32 h2, B; mov.b32 D, h2, h1", round, limits, T, round, limits, T);
    return true;
  }
  if (!*limits || (!is_half(ins->type) && ins->type != PTX_TF32)) return false;
  const unsigned most = largest(ins->type);
  if (relu) PUT("setp.gtu.f32 p1, A, 0; selp.b32 w1, A, 0, p1; ");
  if (finite) PUT("min.NaN.f32 w2, %s, %u; max.NaN.f32 w3, w2, %u; ", relu ? "w1" : "A", most, most | 0x80000000);
  PUT("cvt%s.%s.f32 D, %s", round, type_of(ins), finite ? "w3" : "w1");
  return true;
}

static bool conversion(const ptx_ins *ins, dc_buf *t) {
  if (ins->mode == PTX_CVT_PACK) return packed(ins, t);
  if (ins->type == PTX_F32 && ins->type2 == PTX_F64 && ins->round == PTX_RZ && !has(ins, PTX_F_SAT | PTX_F_FTZ)) {
    towards_zero(t);
    return true;
  }
  if ((ins->type == PTX_F32 || ins->type == PTX_F64) && ptx_is_integer(ins->type2)) return directed(ins, t);
  return is_half(ins->type) && ins->type2 != PTX_F32 ? to_half(ins, t) : to_halves(ins, t);
}

/* --- threads ----------------------------------------------------------------------------------------------------- */

/* vote and shfl without .sync (PTX before 6.0): among the lanes that are converged at the instruction. */
static bool unmasked(const ptx_ins *ins, dc_buf *t) {
  const bool is_vote = ins->op == PTX_OP_VOTE;
  const char *rest = strchr(ins->text, '.');
  if (!rest || ins->nsrc != (is_vote ? 1 : 3)) return false;
  PUT("activemask.b32 w1; %.*s.sync%s %s, A, %sw1", (int)(rest - ins->text), ins->text, rest,
      ins->ndst > 1 ? "D | Q" : "D", is_vote ? "" : "B, C, ");
  return true;
}

/* cp.async of 4 or 8 bytes, all of them: done at once, a load and a store. */
static bool copied_word(const ptx_ins *ins, dc_buf *t) {
  const int bits = bits_of(ins);
  PUT("ld.global.b%d %c1, B; st.shared.b%d A, %c1", bits, kind_of(bits), bits, kind_of(bits));
  return ins->mode == PTX_CP_COPY && ins->nsrc == 3 && ins->type != PTX_B128;
}

/* A barrier of a cluster, which is one block: all threads arrive and all wait, so the wait alone is the barrier. */
static bool cluster_barrier(const ptx_ins *ins, dc_buf *t) {
  if (ins->mode != PTX_BAR_ARRIVE) PUT("barrier.sync %d", CLUSTER_BARRIER);
  return has(ins, PTX_F_CLUSTER);
}

/* --- all --------------------------------------------------------------------------------------------------------- */

static bool arithmetic(const ptx_ins *ins, dc_buf *t) {
  const bool orders = ins->op == PTX_OP_MIN || ins->op == PTX_OP_MAX;
  if (has(ins, PTX_F_CC | PTX_F_CARRY_IN)) return with_carry(ins, t);
  switch (ins->type) {
    case PTX_F32: return orders ? order(ins, t) : single(ins, t);
    case PTX_F32X2: return pairs_of_floats(ins, t);
    case PTX_U16X2: case PTX_S16X2: return pairs_of_16(ins, t);
    case PTX_S32: return orders && not_negative(ins, t);
    default: return is_half(ins->type) && halves(ins, t);
  }
}

/* The text for an instruction of a rare form; false: it is a common one. */
static bool find_text(const ptx_ins *ins, dc_buf *t) {
  switch (ins->op) {
    case PTX_OP_MAD: return ins->mode == PTX_HI_HALF && !has(ins, PTX_F_CC) ? high_sum(ins, t) : arithmetic(ins, t);
    case PTX_OP_ADD: case PTX_OP_SUB: case PTX_OP_MUL: case PTX_OP_FMA: case PTX_OP_MIN: case PTX_OP_MAX:
    case PTX_OP_ADDC: case PTX_OP_SUBC: case PTX_OP_MADC: return arithmetic(ins, t);
    case PTX_OP_NEG: case PTX_OP_ABS: return has(ins, PTX_F_FTZ) && is_half(ins->type) && flushed_signs(ins, t);
    case PTX_OP_DP2A: return dot_product(ins, t);
    case PTX_OP_EX2: case PTX_OP_TANH: return is_half(ins->type) && halves(ins, t);
    case PTX_OP_SAD: return absolute_differences(ins, t);
    case PTX_OP_MUL24: case PTX_OP_MAD24: return product_24(ins, t);
    case PTX_OP_BFIND: return has(ins, PTX_F_SHIFTAMT) && find_from_top(ins, t);
    case PTX_OP_CNOT: PUT("setp.eq.u%d p1, A, 0; selp.b%d D, 1, 0, p1", bits_of(ins), bits_of(ins)); return true;
    case PTX_OP_PRMT: return permutation(ins, t);
    case PTX_OP_LOP3: return ins->boolop && tested_logic(ins, t);
    case PTX_OP_BFI: return field(ins, t);
    case PTX_OP_COPYSIGN: return signs(ins, t);
    case PTX_OP_TESTP: return class_of(ins, t);
    case PTX_OP_SETP: return predicates(ins, t);
    case PTX_OP_SET: return truth(ins, t);
    case PTX_OP_SLCT: return choice_by_sign(ins, t);
    case PTX_OP_CVT: return conversion(ins, t);
    case PTX_OP_VOTE: case PTX_OP_SHFL: return unmasked(ins, t);
    case PTX_OP_CP: return copied_word(ins, t);
    case PTX_OP_BARRIER: return cluster_barrier(ins, t);
    case PTX_OP_FENCE: PUT("fence.acq_rel.sys"); return ins->nsrc > 0; /* with a range of addresses */
    /* of a cluster, which is one block; a cache policy, which there is none of */
    case PTX_OP_MAPA: PUT("mov.b%d D, A", bits_of(ins)); return true;
    case PTX_OP_GETCTARANK: PUT("mov.b32 D, 0"); return true;
    case PTX_OP_CREATEPOLICY: PUT("mov.b64 D, 0"); return true;
    case PTX_OP_CVTA: PUT("mov.b%d D, A", bits_of(ins)); return ins->space == PTX_GLOBAL;
    default: return (ptx_traits(ins->op) & PTX_T_VIDEO) && ptxp_lower_video(ins, t);
  }
}

int ptxp_lower(ptx_parser *P, const ptx_ins *ins) {
  dc_buf text = DC_BUF_INIT;
  if (find_text(ins, &text)) return put_text(P, ins, &text);
  dc_buf_free(&text);
  return 0;
}

int ptxp_emit(ptx_parser *P, const char *text, const ptx_ins *like, int ndst, int n, const ptx_operand *opnd) {
  ptx_form form;
  ptx_form_decode(text, &form);
  ptx_ins ins = form.ins;
  ins.ndst = (uint16_t)ndst;
  ins.nsrc = (uint16_t)(n - ndst);
  ins.pred = like->pred;
  ins.pred_neg = like->pred_neg;
  ins.line = like->line;
  ins.ptx_line = like->ptx_line;
  ins.opnd = dc_arena_alloc(&P->m->arena, (size_t)(n ? n : 1) * sizeof *opnd);
  if (!ins.opnd) return ptxp_oom(P);
  if (n) memcpy(ins.opnd, opnd, (size_t)n * sizeof *opnd);
  const int rc = ptxp_lower(P, &ins);
  return rc == 0 ? ptxp_append(P, &P->ins, &ins, sizeof ins) : rc < 0 ? -1 : 0;
}
