/*
** narrow.c - see narrow.h.
**
** Which registers are words is an optimistic fixpoint: each of 64 bits is one until an instruction reads its upper
** half, or makes it of what has no 32-bit form.  The lower half of a sum, a product, a shift up or a logical operation
** depends on the operands' lower halves alone.
*/
#include "cpu/analysis/narrow.h"

#include "cpu/analysis/cfg.h"
#include "cpu/ptx/opcode.h"

enum { MOST_SWEEPS = 64 }; /* two suffice mostly; each follows chains of instructions in one direction */

/* --- extensions --------------------------------------------------------------------------------------------------- */

/* How a shift up and an instruction that reads its result extend 32 bits to 64 together. */
typedef enum extension { NONE, ZERO_BY_SHIFTS, SIGN_BY_SHIFTS, ZERO_BY_MASK } extension;

typedef struct shifts {
  int32_t *ndefs, *def; /* per register: number of definitions, the last one */
  int32_t *nuses;
  int32_t *kind, *nkind; /* of a shift's result: the extension that its first read ends, and how many reads end it */
} shifts;

/* Whether an instruction is `op` of 64 bits of a register and a constant. */
static bool is_by_constant(const ptx_ins *ins, ptx_opcode op, int64_t *c) {
  if (ins->op != op || ins->ndst != 1 || ins->nsrc != 2 || ins->pred >= 0 || ptx_type_bits((ptx_type)ins->type) != 64)
    return false;
  *c = ins->opnd[2].imm;
  return ins->opnd[0].kind == PTX_REG && ins->opnd[1].kind == PTX_REG && ins->opnd[2].kind == PTX_IMM;
}

/* The extension that an instruction ends: (x << 32) >> c, or (x << c) & (0xffffffff << c). */
static extension extension_of(const ptx_func *f, const shifts *s, const ptx_ins *ins) {
  int64_t by, c;
  const bool shifts_down = is_by_constant(ins, PTX_OP_SHR, &c) && c >= 0 && c < 64;
  if (!shifts_down && !is_by_constant(ins, PTX_OP_AND, &c)) return NONE;
  const int32_t from = ins->opnd[1].reg;
  if (s->ndefs[from] != 1 || !is_by_constant(&f->ins[s->def[from]], PTX_OP_SHL, &by)) return NONE;
  if (shifts_down) return by != 32 ? NONE : ptx_is_signed(ins->type) ? SIGN_BY_SHIFTS : ZERO_BY_SHIFTS;
  return by > 0 && by < 32 && c == (int64_t)UINT32_MAX << by ? ZERO_BY_MASK : NONE;
}

static void convert(ptx_ins *ins, bool is_signed) {
  ins->op = PTX_OP_CVT;
  ins->type = is_signed ? PTX_S64 : PTX_U64;
  ins->type2 = is_signed ? PTX_S32 : PTX_U32;
  ins->nsrc = 1;
}

/* Ends an extension that its first shift has become: a shift by what is left. */
static void shift_rest(ptx_ins *ins, int64_t up) {
  const bool is_signed = ptx_is_signed(ins->type);
  ins->op = up >= 0 ? PTX_OP_SHL : PTX_OP_SHR;
  ins->type = up >= 0 ? PTX_B64 : is_signed ? PTX_S64 : PTX_U64;
  ins->opnd[2].imm = up >= 0 ? up : -up;
}

static void count_registers(const ptx_func *f, shifts *s) {
  for (int32_t i = 0; i < f->nins; i++)
    for (int k = 0; k < f->ins[i].ndst + f->ins[i].nsrc; k++) {
      const int32_t r = f->ins[i].opnd[k].reg;
      if (r < 0) continue;
      if (k >= f->ins[i].ndst) s->nuses[r]++;
      else s->ndefs[r]++, s->def[r] = i;
    }
}

/* Rewrites the extensions of shifts whose reads all end one; the shift itself with the last of them. */
static void find_extensions(ptx_func *f, const shifts *s) {
  int64_t by;
  for (int32_t i = 0; i < f->nins; i++) {
    const extension e = extension_of(f, s, &f->ins[i]);
    if (e == NONE) continue;
    const int32_t from = f->ins[i].opnd[1].reg;
    if (s->nkind[from] == 0) s->kind[from] = (int32_t)e;
    s->nkind[from] += s->kind[from] == (int32_t)e;
  }
  for (int32_t i = 0; i < f->nins; i++) {
    ptx_ins *ins = &f->ins[i];
    const extension e = extension_of(f, s, ins);
    const int32_t from = e ? ins->opnd[1].reg : -1;
    if (e && s->nkind[from] == s->nuses[from]) {
      is_by_constant(&f->ins[s->def[from]], PTX_OP_SHL, &by);
      shift_rest(ins, e == ZERO_BY_MASK ? by : 32 - ins->opnd[2].imm);
      if (--s->nkind[from] == 0) convert(&f->ins[s->def[from]], e == SIGN_BY_SHIFTS);
      s->nuses[from]--;
    } else if (is_by_constant(ins, PTX_OP_AND, &by) && by == (int64_t)UINT32_MAX) {
      convert(ins, false);
    }
  }
}

/* --- words -------------------------------------------------------------------------------------------------------- */

typedef struct words {
  ptx_func *f;
  int32_t *wide; /* per register: not a word, or it was none before */
} words;

static bool is_wide_integer(int type) { return ptx_is_integer(type) && ptx_type_bits((ptx_type)type) == 64; }

/* Whether the result's lower half is made of the operands' lower halves. */
static bool keeps_halves(const ptx_ins *ins) {
  if (ins->ndst != 1 || !is_wide_integer(ins->type) || (ins->flags & PTX_F_SAT)) return false;
  switch (ins->op) {
    case PTX_OP_ADD: case PTX_OP_SUB: case PTX_OP_NEG: case PTX_OP_AND: case PTX_OP_OR: case PTX_OP_XOR:
    case PTX_OP_NOT: case PTX_OP_SELP: return true;
    case PTX_OP_MUL: case PTX_OP_MAD: return ins->mode == PTX_LO_HALF;
    case PTX_OP_MOV: return ins->nsrc == 1;
    case PTX_OP_SHL: return ins->opnd[2].kind == PTX_IMM && ins->opnd[2].imm >= 0 && ins->opnd[2].imm < 32;
    default: return false;
  }
}

/* mul.wide and mad.wide of 32 bits: the lower half is that of the product of 32 bits. */
static bool is_wide_product(const ptx_ins *ins) {
  return (ins->op == PTX_OP_MUL || ins->op == PTX_OP_MAD) && ins->mode == PTX_WIDE &&
         ptx_type_bits((ptx_type)ins->type) == 32;
}

/* A conversion between integers. */
static bool converts_integers(const ptx_ins *ins) {
  return ins->op == PTX_OP_CVT && ins->ndst == 1 && ins->nsrc == 1 && ins->mode == PTX_MODE_NONE &&
         ptx_is_integer(ins->type) && ptx_is_integer(ins->type2) && !(ins->flags & PTX_F_SAT);
}

static bool is_word(const words *w, int32_t reg) { return reg >= 0 && !w->wide[reg]; }
static int bits_of(const words *w, int32_t reg) { return is_word(w, reg) ? 32 : w->f->regs[reg].bits; }

/* Whether an instruction has a form that writes a word, if its destination is one. */
static bool may_write_word(const words *w, const ptx_ins *ins) {
  if (converts_integers(ins)) return ins->opnd[1].kind == PTX_REG && is_wide_integer(ins->type);
  if (ins->op == PTX_OP_LD)
    return ins->space == PTX_PARAM && ins->ndst == 1 && ins->nsrc == 1 && is_wide_integer(ins->type) &&
           !(ins->flags & PTX_F_STRONG);
  if (!keeps_halves(ins) && !is_wide_product(ins)) return false;
  for (int k = 1; k <= ins->nsrc; k++) {
    const ptx_operand *o = &ins->opnd[k]; /* a mov of 64 bits becomes a conversion */
    const bool half = o->kind == PTX_REG && (ins->op == PTX_OP_MOV || bits_of(w, o->reg) < 64);
    if (o->kind != PTX_IMM && !half) return false;
  }
  return true;
}

/* Whether an instruction reads no more than the lower halves of its operands of 64 bits. */
static bool reads_halves(const words *w, const ptx_ins *ins) {
  const ptx_operand *d = ins->opnd;
  if (ins->op == PTX_OP_CVT && ptx_is_integer(ins->type2) && ptx_type_bits((ptx_type)ins->type2) <= 32) return true;
  if (ins->ndst == 1 && is_word(w, d->reg)) return keeps_halves(ins) || is_wide_product(ins) || converts_integers(ins);
  const int bits = ptx_type_bits((ptx_type)ins->type);
  return converts_integers(ins) && bits <= 32 && ptx_container(bits) == ptx_container(w->f->regs[d->reg].bits);
}

/* True: a register is no word that was one. */
static bool examine(const words *w, const ptx_ins *ins) {
  bool news = false;
  for (int k = 0; k < ins->ndst; k++) {
    const int32_t r = ins->opnd[k].reg;
    if (is_word(w, r) && !may_write_word(w, ins)) w->wide[r] = news = true;
  }
  for (int k = ins->ndst; k < ins->ndst + ins->nsrc; k++) {
    const int32_t r = ins->opnd[k].reg;
    if (is_word(w, r) && !reads_halves(w, ins)) w->wide[r] = news = true;
  }
  return news;
}

/* False: there are no words. */
static bool find_words(const words *w) {
  bool news = true, found = false;
  for (int n = 0; news; n++) {
    if (n == MOST_SWEEPS) return false;
    news = false;
    for (int32_t i = w->f->nins - 1; i >= 0; i--) news |= examine(w, &w->f->ins[i]);
    for (int32_t i = 0; i < w->f->nins; i++) news |= examine(w, &w->f->ins[i]);
  }
  for (int32_t r = 0; r < w->f->nregs; r++) found |= !w->wide[r];
  return found;
}

static uint8_t half_type(int type) {
  return (uint8_t)(type == PTX_S64 ? PTX_S32 : type == PTX_U64 ? PTX_U32 : type == PTX_B64 ? PTX_B32 : type);
}

/* A conversion that reads or writes a word: between words it is a move. */
static void convert_half(const words *w, ptx_ins *ins) {
  const int32_t from = ins->opnd[1].reg;
  const bool of_word = bits_of(w, from) == 32;
  ins->type = half_type(ins->type);
  if (of_word) ins->type2 = half_type(ins->type2);
  else if (ptx_type_bits((ptx_type)ins->type2) == 32) ins->type2 = PTX_U64;
  if (!of_word || bits_of(w, ins->opnd[0].reg) != 32 || ptx_type_bits((ptx_type)ins->type2) != 32) return;
  ins->op = PTX_OP_MOV;
  ins->type = PTX_B32;
  ins->type2 = PTX_NOTYPE;
}

static void halve(const words *w, ptx_ins *ins) {
  const bool writes = ins->ndst == 1 && is_word(w, ins->opnd[0].reg);
  if (converts_integers(ins) && (writes || is_word(w, ins->opnd[1].reg))) {
    if (writes || ptx_type_bits((ptx_type)ins->type) <= 32) convert_half(w, ins);
    return;
  }
  if (!writes) return;
  if (ins->op == PTX_OP_MOV && ins->opnd[1].kind == PTX_REG && !is_word(w, ins->opnd[1].reg)) {
    ins->op = PTX_OP_CVT;
    ins->type = PTX_U32;
    ins->type2 = PTX_U64;
    return;
  }
  if (is_wide_product(ins)) ins->mode = PTX_LO_HALF;
  ins->type = half_type(ins->type);
  for (int k = 1; k <= ins->nsrc; k++)
    if (ins->opnd[k].kind == PTX_IMM) ins->opnd[k].imm = (int32_t)ins->opnd[k].imm;
}

int ptx_narrow(ptx_func *f) {
  dc_arena scratch = DC_ARENA_INIT;
  shifts s;
  words w = {.f = f};
  int32_t **const each[] = {&s.ndefs, &s.def, &s.nuses, &s.kind, &s.nkind, &w.wide};
  const int rc = ptx_arrays(&scratch, each, sizeof each / sizeof *each, (size_t)f->nregs + 1);
  if (rc == 0) {
    count_registers(f, &s);
    find_extensions(f, &s);
    for (int32_t r = 0; r < f->nregs; r++) w.wide[r] = f->regs[r].bits != 64 || s.ndefs[r] == 0;
  }
  if (rc == 0 && find_words(&w)) {
    for (int32_t i = 0; i < f->nins; i++) halve(&w, &f->ins[i]);
    for (int32_t r = 0; r < f->nregs; r++)
      if (!w.wide[r]) f->regs[r].bits = 32;
  }
  dc_arena_free(&scratch);
  return rc;
}
