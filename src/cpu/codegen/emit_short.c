/*
** emit_short.c - see emit_short.h.
**
** Elements of 8 and 16 bits are loaded into registers of 16 bits, of which a vector of words holds a half or a quarter
** of what it could.  Registers that are made and read in one basic block, by instructions that have functions for short
** lanes, are vectors of halves; of bytes, where what is stored or compared does not depend on the upper bytes of what
** it is made of (a sum of 100,000 uint8: 4.4, before 7.2 us).  An instruction that cannot be done so keeps all
** of its registers in words, and with them those that are connected to these by instructions; so no value changes from
** one form to the other.  A byte is known to be zero-extended, or sign-extended, in a register of 16 bits where it is
** loaded or converted so; comparisons and shifts down need that.
*/
#include "cpu/codegen/emit_short.h"

#include <stdio.h>

#include "base/buf.h"
#include "cpu/analysis/value_shapes.h"
#include "cpu/interp/interp.h"
#include "cpu/ptx/opcode.h"
#include "cpu/ptx/ptx.h"

#define PUT(...) dc_buf_printf(e->t, __VA_ARGS__)

enum { ZERO = 1, SIGN = 2 }; /* how a register extends its lower byte; both: it is below 128 */

/* A name of simd/short.h without its prefix. */
typedef struct short_name {
  char text[16];
} short_name;

/* --- bytes ------------------------------------------------------------------------------------------------------ */

static uint8_t extension_of(const emitter *e, const ptx_operand *o) {
  if (o->kind == PTX_REG) return e->extension[o->reg];
  const int64_t v = (int16_t)o->imm;
  return (uint8_t)((v >= 0 && v < 256 ? ZERO : 0) | (v >= -128 && v < 128 ? SIGN : 0));
}

static uint8_t of_byte(int type) {
  if (ptx_type_bits((ptx_type)type) != 8) return 0;
  return ptx_is_signed(type) ? SIGN : ZERO;
}

static uint8_t extension_made(const emitter *e, const ptx_ins *ins) {
  const ptx_operand *a = &ins->opnd[1], *b = &ins->opnd[2];
  const uint8_t x = ins->nsrc > 0 ? extension_of(e, a) : 0, both = ins->nsrc > 1 ? x & extension_of(e, b) : 0;
  switch (ins->op) {
    case PTX_OP_LD: return of_byte(ins->type);
    case PTX_OP_CVT: return of_byte(ins->type2);
    case PTX_OP_MOV: return ins->nsrc == 1 ? x : 0;
    case PTX_OP_AND: return (uint8_t)(both | ((x | extension_of(e, b)) & ZERO));
    case PTX_OP_OR: case PTX_OP_XOR: case PTX_OP_SELP: case PTX_OP_MIN: case PTX_OP_MAX: return both;
    case PTX_OP_NOT: return x & SIGN;
    case PTX_OP_ABS: return x ? ZERO : 0;
    case PTX_OP_SHR: return ptx_is_signed(ins->type) ? x : x & ZERO;
    default: return 0;
  }
}

/* In the order of the text, in which definitions mostly come before uses; elsewhere nothing is known. */
static void find_extensions(emitter *e) {
  for (int32_t i = 0; i < e->f->nins; i++) {
    const ptx_ins *ins = &e->f->ins[i];
    const int32_t d = ins->ndst == 1 && ins->opnd[0].kind == PTX_REG ? ins->opnd[0].reg : -1;
    if (d < 0 || dc_emit_bits(e, d) != 16 || !dc_is_defined_once(e->k.def_at, d) || ins->pred >= 0) continue;
    e->extension[d] = extension_made(e, ins);
  }
}

/* --- instructions ----------------------------------------------------------------------------------------------- */

static bool named(short_name *name, const char *text, const char *suffix) {
  return snprintf(name->text, sizeof name->text, "%s%s", text, suffix) < (int)sizeof name->text;
}

/* With the sign by which lanes are compared: that of bytes which are extended alike. */
static bool ordered(const emitter *e, const ptx_ins *ins, const char *text, bool is_signed, int bits,
                    short_name *name) {
  if (bits == 8) {
    const uint8_t alike = extension_of(e, &ins->opnd[1]) & extension_of(e, &ins->opnd[2]);
    if (!alike) return false;
    is_signed = is_signed && !(alike & ZERO);
  }
  return named(name, text, is_signed ? "_s" : "_u");
}

static bool compares(const emitter *e, const ptx_ins *ins, int bits, short_name *name) {
  static const char *const names[] = {
    [PTX_EQ] = "setp_eq", [PTX_NE] = "setp_ne", [PTX_LT] = "setp_lt", [PTX_LE] = "setp_le", [PTX_GT] = "setp_gt",
    [PTX_GE] = "setp_ge", [PTX_LO] = "setp_lt", [PTX_LS] = "setp_le", [PTX_HI] = "setp_gt", [PTX_HS] = "setp_ge",
  };
  if (ins->nsrc != 2 || ins->cmp < PTX_EQ || ins->cmp > PTX_HS) return false;
  const bool is_signed = ptx_is_signed(ins->type) && ins->cmp >= PTX_LT && ins->cmp <= PTX_GE;
  return ordered(e, ins, names[ins->cmp], is_signed, bits, name);
}

static bool shifts(const emitter *e, const ptx_ins *ins, int bits, short_name *name) {
  const ptx_operand *by = &ins->opnd[2];
  if (by->kind != PTX_IMM || by->imm < 0 || by->imm >= bits) return false;
  if (ins->op == PTX_OP_SHL) return named(name, "shl", "");
  const uint8_t x = extension_of(e, &ins->opnd[1]);
  const bool is_signed = ptx_is_signed(ins->type) && !(bits == 8 && x & ZERO);
  if (bits == 8 && !(x & (is_signed ? SIGN : ZERO))) return false;
  return named(name, "shr", is_signed ? "_s" : "_u");
}

/* A conversion of a byte in a register of 16 bits. */
static bool converts(const ptx_ins *ins, int bits, short_name *name) {
  if (of_byte(ins->type2) == 0 || ins->mode != PTX_MODE_NONE) return false;
  return named(name, bits == 8 ? "mov" : ptx_is_signed(ins->type2) ? "cvt_s8" : "cvt_u8", "");
}

/* The name of the function of simd/short.h for the instruction on lanes of `bits` bits; false: there is none. */
static bool function_of(const emitter *e, const ptx_ins *ins, int bits, short_name *name) {
  if (ins->ndst != 1 || ins->pred >= 0 || ins->flags || !ptx_is_integer(ins->type) ||
      ptx_type_bits((ptx_type)ins->type) != 16)
    return false;
  switch (ins->op) {
    case PTX_OP_ADD: case PTX_OP_SUB: case PTX_OP_NEG: case PTX_OP_AND: case PTX_OP_OR: case PTX_OP_XOR:
    case PTX_OP_NOT: case PTX_OP_SELP: return named(name, ptx_op_text(ins->op), "");
    case PTX_OP_MOV: return ins->nsrc == 1 && named(name, "mov", "");
    case PTX_OP_MUL: case PTX_OP_MAD: return ins->mode == PTX_LO_HALF && named(name, ptx_op_text(ins->op), "");
    case PTX_OP_ABS:
      if (bits == 8 && !extension_of(e, &ins->opnd[1])) return false;
      return named(name, bits == 8 && extension_of(e, &ins->opnd[1]) & ZERO ? "mov" : "abs", "");
    case PTX_OP_MIN: case PTX_OP_MAX:
      return ordered(e, ins, ptx_op_text(ins->op), ptx_is_signed(ins->type), bits, name);
    case PTX_OP_SHL: case PTX_OP_SHR: return shifts(e, ins, bits, name);
    case PTX_OP_SETP: return compares(e, ins, bits, name);
    case PTX_OP_CVT: return converts(ins, bits, name);
    default: return false;
  }
}

/* A row of an array of bytes or, for halves, of these. */
static bool accesses_row(const emitter *e, const ptx_ins *ins, int bits) {
  const int size = ptx_type_bits((ptx_type)ins->type);
  if ((ins->op != PTX_OP_LD && ins->op != PTX_OP_ST) || ins->pred >= 0 || ins->vec > 1 || ins->flags & PTX_F_STRONG ||
      !ptx_is_integer(ins->type) || size > bits || !dc_emit_memory_supported(e, ins))
    return false;
  const dc_access p = dc_emit_access_of(e, ins);
  return p.base == DC_BASE_FLAT && p.how == DC_HOW_ROW && p.stride == p.size && p.size * 8 == size;
}

/* --- registers -------------------------------------------------------------------------------------------------- */

/* Whether all that a register is made by and read by is in one basic block, which no lane leaves or enters within. */
static bool is_local(const emitter *e, int32_t r) {
  const dc_uniformity *k = &e->k;
  if (dc_emit_bits(e, r) != 16 || k->reg[r].tag != DC_VARYING || !dc_is_defined_once(k->def_at, r)) return false;
  const int32_t b = k->block_of[k->defs[k->def_at[r]]];
  if (k->alone[b] || e->fn->node_of[b + 1] - e->fn->node_of[b] != 1) return false;
  for (int32_t u = k->use_at[r]; u < k->use_at[r + 1]; u++)
    if (k->block_of[k->uses[u]] != b) return false;
  return true;
}

/* Whether the instruction can be done on registers with lanes of `bits` bits: its other operands are predicates, or
** have one value for all lanes. */
static bool fits(const emitter *e, const ptx_ins *ins, int bits) {
  short_name name;
  if (accesses_row(e, ins, bits)) return true;
  if (!function_of(e, ins, bits, &name)) return false;
  for (int i = 0; i < ins->ndst + ins->nsrc; i++) {
    const ptx_operand *o = &ins->opnd[i];
    if (o->kind != PTX_REG && o->kind != PTX_IMM) return false;
    if (o->reg < 0 || dc_emit_bits(e, o->reg) == 1 || e->lane_bits[o->reg] == bits) continue;
    if (dc_emit_bits(e, o->reg) != 16 || e->k.reg[o->reg].tag != DC_UNIFORM || i < ins->ndst) return false;
  }
  return true;
}

bool dc_emit_is_short(const emitter *e, const ptx_ins *ins) {
  for (int i = 0; i < ins->ndst + ins->nsrc; i++)
    if (ins->opnd[i].kind == PTX_REG && ins->opnd[i].reg >= 0 && e->lane_bits[ins->opnd[i].reg]) return true;
  return false;
}

/* Gives the registers of an instruction that does not fit lanes of words again; whether there were any. */
static bool refuse(emitter *e, const ptx_ins *ins, int bits) {
  bool news = false;
  for (int i = 0; i < ins->ndst + ins->nsrc; i++) {
    const int32_t r = ins->opnd[i].kind == PTX_REG ? ins->opnd[i].reg : -1;
    if (r < 0 || e->lane_bits[r] != bits) continue;
    e->lane_bits[r] = 0;
    news = true;
  }
  return news;
}

void dc_emit_find_short(emitter *e) {
  if (e->k.shape.by_lane) return;
  find_extensions(e);
  for (int bits = 8; bits <= 16; bits += 8) {
    for (int32_t r = 0; r < e->f->nregs; r++)
      if (!e->lane_bits[r] && is_local(e, r)) e->lane_bits[r] = (uint8_t)bits;
    for (bool news = true; news;) {
      news = false;
      for (int32_t i = 0; i < e->f->nins; i++)
        if (dc_emit_is_short(e, &e->f->ins[i]) && !fits(e, &e->f->ins[i], bits))
          news |= refuse(e, &e->f->ins[i], bits);
    }
  }
}

/* --- emission --------------------------------------------------------------------------------------------------- */

static int bits_of(const emitter *e, const ptx_ins *ins) {
  for (int i = 0; i < ins->ndst + ins->nsrc; i++)
    if (ins->opnd[i].kind == PTX_REG && ins->opnd[i].reg >= 0 && e->lane_bits[ins->opnd[i].reg])
      return e->lane_bits[ins->opnd[i].reg];
  return 0;
}

void dc_emit_short(emitter *e, const ptx_ins *ins, const char *mask, bool keep) {
  const int32_t d = ins->opnd[0].reg;
  const int bits = bits_of(e, ins);
  const char kind = bits == 8 ? 'b' : 'h';
  const bool truth = ins->op == PTX_OP_SETP, word = !truth || e->word[d];
  short_name name;
  if (!function_of(e, ins, bits, &name)) return;
  if (word) dc_emit_assign_word(e, d, mask, keep);
  else dc_emit_assign(e, d, mask, keep);
  PUT("%s%c_%s(", word ? "" : "P_from(", kind, name.text);
  for (int i = 0; i < ins->nsrc; i++) {
    if (i) PUT(", ");
    if (i == 1 && (ins->op == PTX_OP_SHL || ins->op == PTX_OP_SHR)) PUT("%lldu", (long long)ins->opnd[2].imm);
    else dc_emit_operand(e, &ins->opnd[1 + i], i == 2 && ins->op == PTX_OP_SELP ? 'm' : kind);
  }
  PUT(word ? ")" : "))");
  dc_emit_assign_end(e, d, keep);
}

bool dc_emit_is_short_row(const emitter *e, const ptx_ins *ins, const dc_access *p) {
  const int32_t r = ins->op == PTX_OP_LD ? ins->opnd[0].reg : p->at[1].reg;
  return r >= 0 && e->lane_bits[r] && p->how == DC_HOW_ROW && p->stride == p->size;
}
