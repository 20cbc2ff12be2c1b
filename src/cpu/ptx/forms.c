/*
** forms.c - see forms.h.
*/
#include "cpu/ptx/forms.h"

/* Types, modifiers and opcodes by the names that ptx_forms.def has for them. */
enum {
#define T(t) t = 1 << PTX_##t
  T(NOTYPE), T(PRED), T(B16), T(B32), T(B64), T(B128), T(U8), T(U16), T(U32), T(U64), T(S8), T(S16), T(S32), T(S64),
  T(F16), T(F16X2), T(BF16), T(BF16X2), T(F32), T(F64), T(TF32), T(F32X2), T(U16X2), T(S16X2), T(E4M3X2), T(E5M2X2),
#undef T
  BITS = B16 | B32 | B64, I8 = U8 | S8, I16 = U16 | S16, I32 = U32 | S32, I64 = U64 | S64,
  INTEGERS = I16 | I32 | I64, HALF = F16 | F16X2, BRAIN = BF16 | BF16X2
};
enum {
  RN = 1, RZ = 2, DIRECTED = 4 /* rm, rp */, WHOLE = 8 /* rni, rzi, rmi, rpi */, RNA = 16, ROUNDS = RN | RZ | DIRECTED,
  LO = 1 << 5, HI = 1 << 6, WIDE = 1 << 7, HALVES = LO | HI | WIDE, MODE = 1 << 8 /* of an opcode's own */,
  EQUAL = 1 << 9, LESS = 1 << 10, LOWER = 1 << 11, UNORDERED = 1 << 12, FLOATING = EQUAL | LESS | UNORDERED,
  RELATIONS = FLOATING | LOWER,
  JOIN = 1 << 13 /* and, or, xor */, SPACE = 1 << 14, VECTOR = 1 << 15,
  FTZ = 1 << 16, SAT = 1 << 17, APPROX = 1 << 18, FULL = 1 << 19, CC = 1 << 20, NANS = 1 << 21, XORSIGN = 1 << 22,
  MAGNITUDES = 1 << 23, RELU = 1 << 24, SATFINITE = 1 << 25, SHIFTAMT = 1 << 26, TO = 1 << 27, OTHER = 1 << 28
};
enum {
#define X(id, ...) id = PTX_OP_##id,
#include "cpu/ptx/ptx_ops.def"
#undef X
  MOST_OPCODES = 12
};

static const struct row {
  uint32_t types, types2, may, must;
  uint8_t ops[MOST_OPCODES];
} rows[] = {
#define X(types, types2, may, must, ...) {types, (types2) ? (types2) : NOTYPE, may, must, {__VA_ARGS__}},
#include "cpu/ptx/ptx_forms.def"
#undef X
};

uint32_t ptx_modifiers(const ptx_ins *ins) {
  static const uint32_t flags[] = {PTX_F_FTZ, PTX_F_SAT, PTX_F_APPROX, PTX_F_FULL, PTX_F_CC, PTX_F_NAN, PTX_F_XORSIGN,
                                   PTX_F_ABS, PTX_F_RELU, PTX_F_SATFINITE, PTX_F_SHIFTAMT, PTX_F_TO};
  static const uint32_t rounds[] = {0, RN, RZ, DIRECTED, DIRECTED, WHOLE, WHOLE, WHOLE, WHOLE, RNA};
  const int cmp = ins->cmp;
  uint32_t all = rounds[ins->round], left = ins->flags & ~(uint32_t)PTX_F_CARRY_IN;
  for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
    if (left & flags[i]) all |= (uint32_t)FTZ << i, left &= ~flags[i];
  if (ins->mode) all |= ins->mode <= PTX_WIDE ? (uint32_t)LO << (ins->mode - PTX_LO_HALF) : MODE;
  if (cmp) all |= cmp <= PTX_NE ? EQUAL : cmp <= PTX_GE ? LESS : cmp <= PTX_HS ? LOWER : UNORDERED;
  return all | (ins->boolop ? JOIN : 0) | (ins->space ? SPACE : 0) | (ins->vec != 1 ? VECTOR : 0) | (left ? OTHER : 0);
}

static bool has_opcode(const struct row *r, unsigned op) {
  for (int i = 0; i < MOST_OPCODES; i++)
    if (r->ops[i] == op) return true;
  return false;
}

/* Of roundings, halves and relations one has to be given, of what else is needed all. */
static bool has_needed(uint32_t given, uint32_t needed) {
  static const uint32_t choices[] = {ROUNDS | WHOLE | RNA, HALVES, RELATIONS};
  for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
    if ((needed & choices[i]) && !(given & needed & choices[i])) return false;
    needed &= ~choices[i];
  }
  return !(needed & ~given);
}

ptx_misfit ptx_form_misfit(const ptx_ins *ins, uint32_t *odd) {
  const uint32_t given = ptx_modifiers(ins);
  ptx_misfit found = PTX_FITS;
  for (const struct row *r = rows; r < rows + sizeof rows / sizeof *rows; r++) {
    const uint32_t beyond = given & ~r->may;
    if (!has_opcode(r, ins->op)) continue;
    if (found == PTX_FITS) found = PTX_BAD_TYPES;
    if (!(r->types >> ins->type & 1) || !(r->types2 >> ins->type2 & 1)) continue;
    if (!beyond && has_needed(given, r->must)) return PTX_FITS;
    if (found == PTX_BAD_TYPES || !beyond) {
      found = beyond ? PTX_BAD_MODIFIERS : PTX_LACKS_MODIFIER;
      *odd = beyond;
    }
  }
  return found;
}
