/*
** op_names.c - PTX instructions to functions of simd/lanes.h: by opcode, the name and the kinds of its operands.
*/
#include "cpu/codegen/op_names.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cpu/ptx/opcode.h"
#include "cpu/ptx/ptx.h"

/* --- filling a form ------------------------------------------------------------------------------------------- */

static bool is_signed(int type) { return type >= PTX_S8 && type <= PTX_S64; }
static bool is_integer(int type) { return type >= PTX_B8 && type <= PTX_S64 && type != PTX_B128; }
static int bits_of(int type) { return ptx_type_bits((ptx_type)type); }
static int container_of(int type) { return bits_of(type) < 16 ? 16 : bits_of(type); }
static char letter(int type) { return is_signed(type) ? 's' : 'u'; }
static char kind_of(int bits) { return bits == 1 ? 'p' : bits == 64 ? 'd' : 'w'; }

/* Operands of `bits` bits each, as many as the instruction has; true when that is 1 and n. */
static bool shape(dc_native_form *form, int ndst, int nsrc, int bits) {
  if (form->ndst != ndst || form->nsrc != nsrc) return false;
  for (int i = 0; i < ndst; i++) form->dst[i] = kind_of(bits), form->dst_bits[i] = (uint8_t)bits;
  for (int i = 0; i < nsrc; i++) form->src[i] = kind_of(bits);
  return true;
}

static bool named(dc_native_form *form, const char *format, ...) {
  va_list ap;
  va_start(ap, format);
  int n = vsnprintf(form->name, sizeof form->name, format, ap);
  va_end(ap);
  return n > 0 && n < (int)sizeof form->name;
}

static void to_bits(dc_native_form *form, int bits) {
  form->dst[0] = kind_of(bits);
  form->dst_bits[0] = (uint8_t)bits;
}

static bool by_type(const ptx_ins *ins, dc_native_form *form, const char *op) {
  const int bits = bits_of(ins->type);
  return shape(form, 1, ins->nsrc, bits) && named(form, "%s_%c%d", op, letter(ins->type), bits);
}
static bool by_width(const ptx_ins *ins, dc_native_form *form, const char *op) {
  return shape(form, 1, ins->nsrc, bits_of(ins->type)) && named(form, "%s_%d", op, bits_of(ins->type));
}

/* Integers by the opcode's traits: add_32, min_s32; and_pred. */
static bool regular(const ptx_ins *ins, dc_native_form *form) {
  const uint32_t traits = ptx_traits(ins->op);
  const char *op = ins->flags & PTX_F_SHIFTAMT ? "bfind_shift" : ptx_op_text(ins->op);
  if (ins->type == PTX_PRED)
    return traits & PTX_T_BY_WIDTH && shape(form, 1, ins->nsrc, 1) && named(form, "%s_pred", op);
  if (!is_integer(ins->type) || bits_of(ins->type) < 16 || ins->flags & PTX_F_SAT) return false;
  if (!(traits & PTX_T_BY_WIDTH ? by_width : by_type)(ins, form, op)) return false;
  if (traits & PTX_T_COUNT) to_bits(form, 32);
  return true;
}

/* --- integers ------------------------------------------------------------------------------------------------- */

static bool product(const ptx_ins *ins, dc_native_form *form, const char *op, int nsrc) {
  int bits = bits_of(ins->type);
  if (!shape(form, 1, nsrc, bits)) return false;
  if (ins->mode == PTX_HI_HALF) return named(form, "%shi_%c%d", op, letter(ins->type), bits);
  if (ins->mode != PTX_WIDE) return named(form, "%s_%d", op, bits);
  if (bits > 32) return false;
  to_bits(form, 2 * bits);
  if (nsrc > 2) form->src[2] = kind_of(2 * bits);
  return named(form, "%swide_%c%d", op, letter(ins->type), bits);
}

static bool dot(const ptx_ins *ins, dc_native_form *form) {
  const char *half = ins->op == PTX_OP_DP4A ? "dp4a_" : ins->mode == PTX_HI_HALF ? "dp2a_hi_" : "dp2a_lo_";
  return shape(form, 1, 3, 32) && named(form, "%s%c%c", half, letter(ins->type), letter(ins->type2));
}

static bool shift(const ptx_ins *ins, dc_native_form *form) {
  int bits = bits_of(ins->type);
  if (bits < 16 || bits > 64 || !shape(form, 1, 2, bits)) return false;
  form->src[1] = 'w';
  if (ins->op == PTX_OP_SHL) return named(form, "shl_%d", bits);
  return named(form, "shr_%c%d", letter(ins->type), bits);
}

/* Position and length have 32 bits. */
static bool field(const ptx_ins *ins, dc_native_form *form) {
  const bool extract = ins->op == PTX_OP_BFE;
  if (bits_of(ins->type) < 32 || bits_of(ins->type) > 64) return false;
  if (!(extract ? by_type(ins, form, "bfe") : by_width(ins, form, "bfi"))) return false;
  form->src[ins->nsrc - 2] = form->src[ins->nsrc - 1] = 'w';
  return true;
}

static bool funnel(const ptx_ins *ins, dc_native_form *form) {
  if (!shape(form, 1, 3, 32) || bits_of(ins->type) != 32) return false;
  switch (ins->mode) {
    case PTX_L_WRAP: return named(form, "shf_l_wrap");
    case PTX_L_CLAMP: return named(form, "shf_l_clamp");
    case PTX_R_WRAP: return named(form, "shf_r_wrap");
    case PTX_R_CLAMP: return named(form, "shf_r_clamp");
    default: return false;
  }
}

/* --- comparing and choosing ----------------------------------------------------------------------------------- */

/* "lt_s32": the relation and the operands' type. */
static bool relation(const ptx_ins *ins, int type, char *text, size_t size) {
  static const char *const names[] = {[PTX_EQ] = "eq",   [PTX_NE] = "ne",   [PTX_LT] = "lt",   [PTX_LE] = "le",
                                      [PTX_GT] = "gt",   [PTX_GE] = "ge",   [PTX_LO] = "lt",   [PTX_LS] = "le",
                                      [PTX_HI] = "gt",   [PTX_HS] = "ge",   [PTX_EQU] = "equ", [PTX_NEU] = "neu",
                                      [PTX_LTU] = "ltu", [PTX_LEU] = "leu", [PTX_GTU] = "gtu", [PTX_GEU] = "geu",
                                      [PTX_NUM] = "num", [PTX_NAN] = "nan"};
  int cmp = ins->cmp, bits = bits_of(type);
  bool spelled_unsigned = cmp >= PTX_LO && cmp <= PTX_HS, equality = cmp == PTX_EQ || cmp == PTX_NE;
  if (cmp == PTX_CMP_NONE || cmp > PTX_NAN) return false;
  if (type == PTX_F32 || type == PTX_F64 || type == PTX_F16) {
    bool ftz = (ins->flags & PTX_F_FTZ) != 0;
    if (spelled_unsigned || (ftz && type == PTX_F16)) return false;
    const char *form = type == PTX_F64 ? "f64" : type == PTX_F16 ? "f16" : ftz ? "ftz" : "f32";
    return snprintf(text, size, "%s_%s", names[cmp], form) > 0;
  }
  if (!is_integer(type) || bits < 16 || cmp > PTX_HS) return false;
  char sign = is_signed(type) && !spelled_unsigned && !equality ? 's' : 'u';
  return snprintf(text, size, "%s_%c%d", names[cmp], sign, bits) > 0;
}

static bool setp(const ptx_ins *ins, dc_native_form *form) {
  static const char *const joins[] = {"", "_and", "_or", "_xor"};
  char text[12];
  if (!relation(ins, ins->type, text, sizeof text)) return false;
  if (!shape(form, 1, ins->boolop ? 3 : 2, bits_of(ins->type))) return false;
  to_bits(form, 1);
  if (ins->boolop) form->src[2] = 'p';
  return named(form, "setp_%s%s", text, joins[ins->boolop & 3]);
}

static bool selp(const ptx_ins *ins, dc_native_form *form) {
  int bits = bits_of(ins->type);
  if ((bits < 16 && bits != 1) || bits > 64 || !shape(form, 1, 3, bits)) return false;
  form->src[2] = 'p';
  return named(form, bits == 1 ? "selp_pred" : bits == 64 ? "selp_64" : "selp_32");
}

static bool slct(const ptx_ins *ins, dc_native_form *form) {
  int bits = bits_of(ins->type);
  const char *how = ins->type2 == PTX_S32 ? "s32" : ins->flags & PTX_F_FTZ ? "ftz" : "f32";
  if (ins->type2 != PTX_S32 && ins->type2 != PTX_F32) return false;
  if (bits < 16 || bits > 64 || !shape(form, 1, 3, bits)) return false;
  form->src[2] = 'w';
  return named(form, "slct_%d_%s", bits == 64 ? 64 : 32, how);
}

/* --- moves ---------------------------------------------------------------------------------------------------- */

static bool mov(const ptx_ins *ins, dc_native_form *form) {
  int bits = bits_of(ins->type);
  if (ins->opnd && form->nsrc == 1 && ins->opnd[ins->ndst].kind == PTX_SREG) return false;
  if (ins->type == PTX_PRED) return shape(form, 1, 1, 1) && named(form, "mov_pred");
  if (bits < 16 || bits > 64) return false;
  if (form->ndst == 1 && form->nsrc == 1) return by_width(ins, form, "mov");
  if (bits < 32) return false;
  if (form->ndst == 1) {
    if (!shape(form, 1, 2, bits / 2)) return false;
    to_bits(form, bits);
    return named(form, "pack_%d", bits);
  }
  if (!shape(form, 2, 1, bits / 2)) return false;
  form->src[0] = kind_of(bits);
  return named(form, "unpack_%d", bits);
}

/* --- floats --------------------------------------------------------------------------------------------------- */

static const char *directed(int round) {
  return round == PTX_RM ? "_rm" : round == PTX_RP ? "_rp" : round == PTX_RZ ? "_rz" : "";
}

/* Suffix of an f32 or f64 form; NULL: there is none. */
static const char *float_suffix(const ptx_ins *ins, bool may_saturate) {
  bool ftz = (ins->flags & PTX_F_FTZ) != 0, sat = (ins->flags & PTX_F_SAT) != 0;
  if (sat && (!may_saturate || ins->type == PTX_F64)) return NULL;
  if (ins->type == PTX_F64) return ftz ? NULL : "f64";
  if (sat) return ftz ? "ftz_sat" : "sat";
  return ftz ? "ftz" : "f32";
}

static bool approximate(const ptx_ins *ins, dc_native_form *form) {
  const char *suffix = float_suffix(ins, false), *op = NULL;
  bool wide = ins->type == PTX_F64, ftz = (ins->flags & PTX_F_FTZ) != 0;
  if (wide && ins->op == PTX_OP_RCP) return ftz && shape(form, 1, 1, 64) && named(form, "rcp_gross");
  if (wide && ins->op == PTX_OP_RSQRT) return shape(form, 1, 1, 64) && named(form, ftz ? "rsqrt_gross" : "rsqrt_f64");
  if (wide || !suffix) return false;
  switch (ins->op) {
    case PTX_OP_RCP: op = "rcp"; break;
    case PTX_OP_SQRT: op = "sqrt"; break;
    case PTX_OP_RSQRT: op = "rsqrt"; break;
    case PTX_OP_EX2: op = "ex2"; break;
    case PTX_OP_LG2: op = "lg2"; break;
    case PTX_OP_SIN: op = "sin"; break;
    case PTX_OP_COS: op = "cos"; break;
    case PTX_OP_TANH: op = "tanh"; break;
    case PTX_OP_DIV:
      return shape(form, 1, 2, 32) && named(form, "%s_%s", ins->flags & PTX_F_FULL ? "div" : "div_approx", suffix);
    default: return false;
  }
  return shape(form, 1, 1, 32) && named(form, "%s_%s", op, suffix);
}

static bool testp(const ptx_ins *ins, dc_native_form *form) {
  static const char *const names[] = {"finite", "infinite", "number", "notanumber", "normal", "subnormal"};
  int i = ins->mode - PTX_TESTP_FINITE;
  if (i < 0 || i > 5 || !shape(form, 1, 1, bits_of(ins->type))) return false;
  to_bits(form, 1);
  return named(form, "testp_%s_%s", names[i], ins->type == PTX_F64 ? "f64" : "f32");
}

static bool floating(const ptx_ins *ins, dc_native_form *form) {
  int bits = bits_of(ins->type), nsrc = 1;
  const char *op = NULL, *suffix = NULL;
  bool may_round = false, may_saturate = false;
  switch (ins->op) {
    case PTX_OP_ADD: op = "add", nsrc = 2, may_round = may_saturate = true; break;
    case PTX_OP_SUB: op = "sub", nsrc = 2, may_round = may_saturate = true; break;
    case PTX_OP_MUL: op = "mul", nsrc = 2, may_round = may_saturate = true; break;
    case PTX_OP_FMA:
    case PTX_OP_MAD: op = "fma", nsrc = 3, may_round = may_saturate = true; break;
    case PTX_OP_DIV: op = "div", nsrc = 2; break;
    case PTX_OP_SQRT: op = "sqrt"; break;
    case PTX_OP_RCP: op = "rcp"; break;
    case PTX_OP_MIN: op = "min", nsrc = 2; break;
    case PTX_OP_MAX: op = "max", nsrc = 2; break;
    case PTX_OP_NEG: op = "neg"; break;
    case PTX_OP_ABS: op = "abs"; break;
    case PTX_OP_COPYSIGN: return shape(form, 1, 2, bits) && named(form, "copysign_f%d", bits);
    case PTX_OP_TESTP: return testp(ins, form);
    default: return approximate(ins, form);
  }
  const char *round = directed(ins->round);
  if (ins->flags & (PTX_F_APPROX | PTX_F_FULL)) return approximate(ins, form);
  if (*round && (!may_round || ins->type != PTX_F32 || ins->flags & PTX_F_SAT)) return false;
  suffix = float_suffix(ins, may_saturate);
  return suffix && shape(form, 1, nsrc, bits) && named(form, "%s%s_%s", op, round, suffix);
}

/* f16 and f16x2 without suffixes. */
static bool halves(const ptx_ins *ins, dc_native_form *form) {
  const char *op = NULL;
  int nsrc = 2;
  switch (ins->op) {
    case PTX_OP_ADD: op = "add"; break;
    case PTX_OP_SUB: op = "sub"; break;
    case PTX_OP_MUL: op = "mul"; break;
    case PTX_OP_MIN: op = "min"; break;
    case PTX_OP_MAX: op = "max"; break;
    case PTX_OP_FMA: op = "fma", nsrc = 3; break;
    case PTX_OP_NEG: op = "neg", nsrc = 1; break;
    case PTX_OP_ABS: op = "abs", nsrc = 1; break;
    default: return false;
  }
  if (ins->flags & (PTX_F_FTZ | PTX_F_SAT)) return false;
  return shape(form, 1, nsrc, bits_of(ins->type)) && named(form, "%s_f16%s", op, ins->type == PTX_F16X2 ? "x2" : "");
}

/* --- conversions ---------------------------------------------------------------------------------------------- */

/* Taking the narrower type out of the source: see ops/convert.c. */
static bool integer_to_integer(const ptx_ins *ins, dc_native_form *form) {
  int to = bits_of(ins->type), from = bits_of(ins->type2);
  if (ins->flags & PTX_F_SAT || (to == 8 && from < 8)) return false;
  if (to == 64 && from == 64) return named(form, "mov_64");
  int container = container_of(ins->type), type = to < from || (to == from && to < container) ? ins->type : ins->type2;
  int bits = to < from ? to : from;
  bool sign = is_signed(type) && (bits < 32 || container == 64);
  if (bits == 64) bits = 32, sign = false;
  return named(form, "cvt_i%d_%c%d_%c", container, sign ? 's' : 'u', bits, kind_of(from));
}

static bool integer_to_float(const ptx_ins *ins, dc_native_form *form) {
  int bits = bits_of(ins->type2);
  const char *round = *directed(ins->round) ? directed(ins->round) : "_rn";
  bool half = ins->type == PTX_F16 && (bits == 16 || bits == 32);
  if ((ins->type != PTX_F32 && ins->type != PTX_F64 && !half) || ins->flags & PTX_F_SAT) return false;
  if (ins->round >= PTX_RNI) return false;
  if (strcmp(round, "_rn") != 0 && (ins->type != PTX_F32 || bits != 32)) return false;
  return named(form, "cvt%s_f%d_%c%d", round, bits_of(ins->type), letter(ins->type2), bits);
}

/* To a whole number. */
static const char *whole(int round) {
  switch (round) {
    case PTX_RNI: return "rni";
    case PTX_RMI: return "rmi";
    case PTX_RPI: return "rpi";
    case PTX_RZI: return "rzi";
    default: return NULL;
  }
}

static bool float_to_integer(const ptx_ins *ins, dc_native_form *form) {
  int bits = bits_of(ins->type);
  const char *round = ins->round == PTX_RND_NONE ? "rzi" : whole(ins->round);
  bool away = ins->round == PTX_RMI || ins->round == PTX_RPI;
  if (ins->type2 == PTX_F16 && (away || (bits != 16 && bits != 32))) return false;
  if (!round || (ins->type2 != PTX_F16 && ins->type2 != PTX_F32 && ins->type2 != PTX_F64)) return false;
  if (ins->type2 == PTX_F64 && bits < 32) return false;
  if (ins->flags & PTX_F_FTZ && away) return false;
  return named(form, "cvt_%s_%c%d_f%d", round, letter(ins->type), bits, bits_of(ins->type2));
}

static bool float_to_float(const ptx_ins *ins, dc_native_form *form) {
  bool ftz = (ins->flags & PTX_F_FTZ) != 0, sat = (ins->flags & PTX_F_SAT) != 0;
  int bits = bits_of(ins->type);
  if (*directed(ins->round)) return false;
  if (ins->type == ins->type2 && (ins->type == PTX_F32 || ins->type == PTX_F64)) {
    const char *round = whole(ins->round);
    if ((round || ins->type == PTX_F64) && (ftz || sat)) return false;
    if (round) return named(form, "cvt_%s_f%d_f%d", round, bits, bits);
    if (ftz || sat) return named(form, "cvt%s%s_f32_f32", ftz ? "_ftz" : "", sat ? "_sat" : "");
    return named(form, "mov_%d", bits);
  }
  if (sat || (ins->round != PTX_RN && ins->round != PTX_RND_NONE)) return false;
  if (ins->type == PTX_F64 && ins->type2 == PTX_F32) return named(form, ftz ? "cvt_ftz_f64_f32" : "cvt_f64_f32");
  if (ins->type == PTX_F32 && ins->type2 == PTX_F64) return named(form, ftz ? "cvt_ftz_f32_f64" : "cvt_f32_f64");
  if (ins->type == PTX_F32 && ins->type2 == PTX_F16) return named(form, "cvt_f32_f16");
  if (ins->type == PTX_F16 && ins->type2 == PTX_F32) return named(form, "cvt_f16_f32");
  if (ftz) return false;
  if (ins->type == PTX_F32 && ins->type2 == PTX_BF16) return named(form, "cvt_f32_bf16");
  if (ins->type == PTX_BF16 && ins->type2 == PTX_F32) return named(form, "cvt_bf16_f32");
  return false;
}

static bool is_real(int type) { return type >= PTX_F16 && type <= PTX_F64; }

/* cvt.rn.f16x2.f32 d, a, b */
static bool to_pair(const ptx_ins *ins, dc_native_form *form) {
  if (ins->type2 != PTX_F32 || ins->flags & (PTX_F_SAT | PTX_F_FTZ) || ins->round != PTX_RN) return false;
  return shape(form, 1, 2, 32) && named(form, ins->type == PTX_F16X2 ? "cvt_f16x2_f32" : "cvt_bf16x2_f32");
}

static bool cvt(const ptx_ins *ins, dc_native_form *form) {
  if (ins->type == PTX_F16X2 || ins->type == PTX_BF16X2) return to_pair(ins, form);
  bool from_integer = is_integer(ins->type2), to_integer = is_integer(ins->type);
  if (!shape(form, 1, 1, container_of(ins->type)) || bits_of(ins->type) > 64 || bits_of(ins->type2) > 64) return false;
  form->src[0] = kind_of(bits_of(ins->type2));
  if (from_integer && to_integer) return integer_to_integer(ins, form);
  if (from_integer) return integer_to_float(ins, form);
  if (to_integer) return float_to_integer(ins, form);
  return is_real(ins->type) && is_real(ins->type2) && float_to_float(ins, form);
}

/* --- all ------------------------------------------------------------------------------------------------------ */

bool dc_native_op(const ptx_ins *ins, dc_native_form *form) {
  const uint32_t known = PTX_F_FTZ | PTX_F_SAT | PTX_F_APPROX | PTX_F_FULL | PTX_F_SHIFTAMT;
  memset(form, 0, sizeof *form);
  if (ins->flags & ~known) return false;
  form->ndst = ins->ndst;
  form->nsrc = ins->nsrc;
  switch (ins->op) {
    case PTX_OP_SHL:
    case PTX_OP_SHR: return shift(ins, form);
    case PTX_OP_BFE:
    case PTX_OP_BFI: return field(ins, form);
    case PTX_OP_SHF: return funnel(ins, form);
    case PTX_OP_LOP3: return shape(form, 1, 4, 32) && named(form, "lop3_32");
    case PTX_OP_PRMT: return ins->mode == PTX_MODE_NONE && shape(form, 1, 3, 32) && named(form, "prmt");
    case PTX_OP_SETP: return setp(ins, form);
    case PTX_OP_SELP: return selp(ins, form);
    case PTX_OP_SLCT: return slct(ins, form);
    case PTX_OP_MOV: return mov(ins, form);
    case PTX_OP_CVT: return cvt(ins, form);
    default: break;
  }
  if (ins->type == PTX_F32 || ins->type == PTX_F64) return floating(ins, form);
  if (ins->type == PTX_F16 || ins->type == PTX_F16X2) return halves(ins, form);
  if (ptx_traits(ins->op) & (PTX_T_BY_WIDTH | PTX_T_BY_TYPE)) return regular(ins, form);
  if (!is_integer(ins->type) || bits_of(ins->type) < 16 || ins->flags & PTX_F_SAT) return false;
  switch (ins->op) {
    case PTX_OP_MUL: return product(ins, form, "mul", 2);
    case PTX_OP_MAD: return product(ins, form, "mad", 3);
    case PTX_OP_DP4A:
    case PTX_OP_DP2A: return dot(ins, form);
    default: return false;
  }
}
