/*
** expand.c - see expand.h.
**
** Lowers these forms to simple instructions on hidden registers and variables, so that no later pass sees them.
*/
#include "cpu/ptx/expand.h"

#include <string.h>

#include "base/arena.h"
#include "cpu/ptx/declaration.h"
#include "cpu/ptx/lower.h"
#include "cpu/ptx/opcode.h"

#define STACK_BYTES 4096u /* of a function that calls alloca, for each thread; a GPU gives 1024 by default */
#define MOST_MATRIX_OPERANDS 40 /* wmma.mma has 32, mma.sp 22 */

static ptx_operand reg_operand(int32_t reg) { return (ptx_operand){.kind = PTX_REG, .reg = reg}; }
static ptx_operand imm_operand(int64_t v) { return (ptx_operand){.kind = PTX_IMM, .reg = -1, .imm = v}; }
static ptx_operand address_operand(ptx_sym *sym) { return (ptx_operand){.kind = PTX_ADDR, .reg = -1, .sym = sym}; }

/* The current source lines and no guard, for instructions that the text does not have. */
static ptx_ins unguarded(const ptx_parser *P) {
  return (ptx_ins){.pred = -1, .line = ptxp_line(P, P->lex.tok.line), .ptx_line = P->lex.tok.line};
}

/* The text of a load (0) or store (1) of 1, 2, 4, 8 or 16 bytes of a parameter. */
static const char *access_text(bool store, uint64_t size) {
  static const char *const texts[2][5] = {
    {"ld.param.b8", "ld.param.b16", "ld.param.b32", "ld.param.b64", "ld.param.b128"},
    {"st.param.b8", "st.param.b16", "st.param.b32", "st.param.b64", "st.param.b128"}
  };
  return texts[store][size & (size - 1) ? 4 : __builtin_ctzll(size | 16)];
}

static int load_param(ptx_parser *P, const ptx_ins *like, int32_t reg, ptx_sym *sym) {
  ptx_operand opnd[] = {reg_operand(reg), address_operand(sym)};
  return ptxp_emit(P, access_text(false, sym->size), like, 1, 2, opnd);
}
static int store_param(ptx_parser *P, const ptx_ins *like, ptx_sym *sym, ptx_operand value) {
  ptx_operand opnd[] = {address_operand(sym), value};
  return ptxp_emit(P, access_text(true, sym->size), like, 0, 2, opnd);
}

/* ---- functions with registers as parameters ---- */

/* A body's prologue: loads of register parameters; the stack pointer, where alloca may need one. */
int ptxp_begin_body(ptx_parser *P) {
  ptx_ins like = unguarded(P);
  const ptx_regparam *all = P->regparams.data;
  for (size_t i = 0; i < P->regparams.n; i++)
    if (!all[i].result && load_param(P, &like, all[i].reg, all[i].sym) != 0) return -1;
  P->stack_reg = P->carry_reg = -1;
  if (!P->has_stack) return 0;
  P->stack = dc_arena_alloc(&P->m->arena, sizeof *P->stack);
  if (!P->stack) return ptxp_oom(P);
  *P->stack = (ptx_sym){.name = "", .kind = PTX_SYM_VAR, .space = PTX_LOCAL, .align = 16, .size = STACK_BYTES};
  uint64_t end = P->f->local_size;
  P->stack->offset = ptxp_lay_out(&end, STACK_BYTES, 16);
  P->f->local_size = (uint32_t)end;
  if ((P->stack_reg = ptxp_new_register(P, 64)) < 0) return -1;
  ptx_operand opnd[] = {reg_operand(P->stack_reg), {.kind = PTX_SYM, .reg = -1, .sym = P->stack}};
  return ptxp_emit(P, "mov.u64", &like, 1, 2, opnd);
}

/* Before a ret: stores of register results. */
int ptxp_before_ret(ptx_parser *P, const ptx_ins *ret) {
  const ptx_regparam *all = P->regparams.data;
  for (size_t i = 0; i < P->regparams.n; i++)
    if (all[i].result && store_param(P, ret, all[i].sym, reg_operand(all[i].reg)) != 0) return -1;
  return 0;
}

ptx_sym *ptxp_hidden_param(ptx_parser *P, uint64_t size) {
  ptx_sym *sym = dc_arena_alloc(&P->m->arena, sizeof *sym);
  if (!sym) return NULL;
  *sym = (ptx_sym){.name = "", .kind = PTX_SYM_VAR, .space = PTX_PARAM, .align = (uint32_t)size, .size = size,
                   .inside = true};
  sym->offset = ptxp_lay_out(&P->callparam, size, (uint32_t)size);
  if (P->callparam > P->f->callparam_size) P->f->callparam_size = (uint32_t)P->callparam;
  return sym;
}

int ptxp_before_call(ptx_parser *P, const ptx_ins *call, const ptx_vec *args) {
  const ptx_argument *a = args->data;
  for (size_t i = 0; i < args->n; i++)
    if (a[i].direct && store_param(P, call, a[i].sym, a[i].value) != 0) return -1;
  return 0;
}

int ptxp_after_call(ptx_parser *P, const ptx_ins *call, const ptx_vec *rets) {
  const ptx_argument *a = rets->data;
  for (size_t i = 0; i < rets->n; i++)
    if (a[i].direct && load_param(P, call, a[i].value.reg, a[i].sym) != 0) return -1;
  return 0;
}

/* ---- operands ---- */

/* Only mov reads special registers: other instructions read a hidden register that a mov in front of them writes. */
int ptxp_move_specials(ptx_parser *P, const ptx_ins *ins) {
  ptx_ins like = {.pred = -1, .line = ins->line, .ptx_line = ins->ptx_line};
  for (size_t i = 0; ins->op != PTX_OP_MOV && i < P->ops.n; i++) {
    ptx_operand *o = (ptx_operand *)P->ops.data + i;
    bool wide = o->sreg == PTX_SR_CLOCK64 || o->sreg == PTX_SR_GLOBALTIMER ||
                (o->sreg == PTX_SR_GRIDID && ptx_type_bits((ptx_type)ins->type) == 64);
    if (o->kind != PTX_SREG || o->sreg == PTX_SR_NONE) continue;
    const int32_t reg = ptxp_new_register(P, wide ? 64 : 32);
    if (reg < 0) return -1;
    ptx_operand opnd[] = {reg_operand(reg), *o};
    if (ptxp_emit(P, wide ? "mov.u64" : "mov.u32", &like, 1, 2, opnd) != 0) return -1;
    *o = opnd[0];
  }
  return 0;
}

/* mov.v2 {a, b}, {c, d}: one mov an element.  1: expanded; 0: another form. */
static int expand_vector(ptx_parser *P, const ptx_ins *ins) {
  static const char *const texts[] = {"mov.b16", "mov.b32", "mov.b64"};
  int bits = ptx_type_bits((ptx_type)ins->type), n = ins->vec;
  if (ins->op != PTX_OP_MOV || n < 2 || ins->ndst != n || ins->nsrc != n) return 0;
  for (int i = 0; i < n; i++) /* no destination may be a later source */
    for (int k = i + 1; k < n; k++)
      if (ins->opnd[i].reg >= 0 && ins->opnd[i].reg == ins->opnd[n + k].reg) return 0;
  for (int i = 0; i < n; i++) {
    ptx_operand opnd[] = {ins->opnd[i], ins->opnd[n + i]};
    if (opnd[0].kind != PTX_SINK && ptxp_emit(P, texts[bits == 64 ? 2 : bits == 32], ins, 1, 2, opnd) != 0) return -1;
  }
  return 1;
}

/* Matrix instructions are for all lanes of a warp: the member mask as of other warp-wide operations. */
static int expand_matrix(ptx_parser *P, const ptx_ins *ins) {
  ptx_operand opnd[MOST_MATRIX_OPERANDS + 1];
  const int n = ins->ndst + ins->nsrc;
  if (n > MOST_MATRIX_OPERANDS) return 0;
  memcpy(opnd, ins->opnd, (size_t)n * sizeof *opnd);
  opnd[n] = imm_operand(0xffffffff);
  return ptxp_emit(P, ins->text, ins, ins->ndst, n + 1, opnd) != 0 ? -1 : 1;
}

/* ---- copies to shared memory ---- */

/* cp.async with a number of bytes in a register, behind which zeros follow: most threads copy all of them, which takes
** less, as an instruction of its own. */
static int split_copy(ptx_parser *P, const ptx_ins *ins) {
  const int32_t whole = ptxp_new_register(P, 1);
  const ptx_operand size = ins->opnd[3], test[] = {reg_operand(whole), size, ins->opnd[2]};
  if (ins->pred >= 0 || size.kind != PTX_REG || ((ptx_reg *)P->regs.data)[size.reg].bits != 32) return 0;
  ptx_ins all = *ins, part = *ins;
  if (whole < 0 || ptxp_emit(P, "setp.ge.u32", ins, 1, 3, test) != 0) return -1;
  all.nsrc = 3;
  all.pred = part.pred = whole;
  part.pred_neg = true;
  if (ins->type != PTX_B128 ? ptxp_lower(P, &all) < 0 : ptxp_append(P, &P->ins, &all, sizeof all) != 0) return -1;
  return ptxp_append(P, &P->ins, &part, sizeof part) != 0 ? -1 : 1;
}

/* ---- the stack ---- */

/* alloca d, size[, align]: rounds the stack pointer up to align and adds size; past the end the thread traps. */
static int expand_alloca(ptx_parser *P, const ptx_ins *ins) {
  int64_t align = ins->nsrc > 1 ? ins->opnd[2].imm : 8;
  const int32_t pred = ptxp_new_register(P, 1), sp = P->stack_reg;
  ptx_ins trap = *ins;
  if (align < 1 || align > 4096 || (align & (align - 1)))
    return ptxp_fail(P, ins->ptx_line, "alloca aligns to a power of two up to 4096");
  if (pred < 0) return -1;
  int64_t end = (int64_t)(P->stack->offset + STACK_BYTES);
  ptx_operand s = reg_operand(sp), up[] = {s, s, imm_operand(align - 1)}, down[] = {s, s, imm_operand(-align)};
  ptx_operand move[] = {ins->opnd[0], s}, grow[] = {s, s, ins->opnd[1]};
  ptx_operand past[] = {reg_operand(pred), s, imm_operand(end)}, large[] = {reg_operand(pred), ins->opnd[1],
                                                                          imm_operand(STACK_BYTES)};
  trap.pred = pred;
  trap.pred_neg = false;
  ptx_ins always = *ins;
  always.pred = -1;
  for (int i = 0; i < 2; i++) { /* the size alone, which might wrap, then the sum */
    ptx_operand no[] = {reg_operand(pred), imm_operand(0), imm_operand(0)};
    if (i && (ptxp_emit(P, "add.u64", ins, 1, 3, up) || ptxp_emit(P, "and.b64", ins, 1, 3, down) ||
              ptxp_emit(P, "mov.u64", ins, 1, 2, move) || ptxp_emit(P, "add.u64", ins, 1, 3, grow)))
      return -1;
    if (ptxp_emit(P, "setp.ne.u32", &always, 1, 3, no) || ptxp_emit(P, "setp.gt.u64", ins, 1, 3, i ? past : large) ||
        ptxp_emit(P, "trap", &trap, 0, 0, NULL))
      return -1;
  }
  return 1;
}

static int expand_stack(ptx_parser *P, const ptx_ins *ins) {
  ptx_operand sp = reg_operand(P->stack_reg), save[] = {ins->opnd[0], sp}, restore[] = {sp, ins->opnd[0]};
  if (P->stack_reg < 0 || ptx_type_bits((ptx_type)ins->type) != 64) return 0;
  if (ins->op == PTX_OP_ALLOCA) return expand_alloca(P, ins);
  bool saves = ins->op == PTX_OP_STACKSAVE;
  return ptxp_emit(P, "mov.u64", ins, 1, 2, saves ? save : restore) != 0 ? -1 : 1;
}

int ptxp_expand(ptx_parser *P, const ptx_ins *ins) {
  switch (ins->op) {
    case PTX_OP_MOV: return expand_vector(P, ins);
    case PTX_OP_WMMA: case PTX_OP_MMA: case PTX_OP_LDMATRIX: case PTX_OP_STMATRIX: case PTX_OP_MOVMATRIX:
      return expand_matrix(P, ins);
    case PTX_OP_CP: return ins->mode == PTX_CP_COPY && ins->nsrc == 4 ? split_copy(P, ins) : ptxp_lower(P, ins);
    case PTX_OP_ALLOCA: case PTX_OP_STACKSAVE: case PTX_OP_STACKRESTORE: return expand_stack(P, ins);
    default: return ptxp_lower(P, ins);
  }
}
