/*
** emit_remat.c - see emit_remat.h.
**
** At a barrier each gang of a block saves its live values and loads them behind it, which in kernels with many barriers
** takes longer than what is between them.  Most of these values are a few operations away from the thread's index and
** the kernel's parameters: addresses, guards, widened indices.  A register is an invariant of its thread if it has one
** definition, by a pure operation on invariants; so it may be computed anywhere.  (Briggs, Cooper, Torczon,
** "Rematerialization", 1992, for spills.)
*/
#include "cpu/codegen/emit_remat.h"

#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "cpu/codegen/emit_ops.h"
#include "cpu/ptx/opcode.h"
#include "cpu/ptx/ptx.h"

/* Operations on scalars that take no longer than saving and loading; one on vectors counts as several. */
#define MOST_COST 12
#define VECTOR_COST 3

/* A constant, or the address of a variable. */
static bool is_constant(const ptx_ins *ins) {
  const int kind = ins->opnd[ins->ndst].kind;
  return ins->op == PTX_OP_MOV && ins->nsrc == 1 && (kind == PTX_IMM || kind == PTX_SYM);
}

static int cost_of(const emitter *e, const ptx_ins *ins) {
  const int32_t d = ins->ndst == 1 ? ins->opnd[0].reg : -1;
  if (d < 0 || ins->pred >= 0 || !dc_is_defined_once(e->k.def_at, d) || dc_emit_is_alone(e, ins)) return 0;
  if (e->k.blend[dc_emit_at(e, ins)] || (!is_constant(ins) && !dc_emit_is_cheap(e, ins))) return 0;
  if (e->sum_at[d] >= 0) return 0; /* its place may be another's by now */
  int cost = dc_is_scalar(dc_emit_shape(e, d)) ? 1 : VECTOR_COST;
  for (int i = 1; i <= ins->nsrc; i++) {
    const int32_t r = ins->opnd[i].reg;
    if (r < 0) continue;
    if (e->remat[r] == 0 && e->k.def_at[r] != e->k.def_at[r + 1]) return 0;
    cost += e->remat[r];
  }
  return cost <= MOST_COST ? cost : 0;
}

int dc_emit_find_remat(emitter *e) {
  const ptx_func *f = e->f;
  e->remat = dc_arena_alloc(&e->k.arena, (size_t)f->nregs + 1);
  e->needed = dc_arena_alloc(&e->k.arena, (size_t)f->nregs + 1);
  if (!e->remat || !e->needed) return dc_fail_oom(e->err);
  for (int32_t b = 0; b < f->nblocks; b++) /* definitions before uses: dominators precede */
    for (int32_t i = f->blocks[b].first; i < f->blocks[b].last; i++) {
      const int cost = cost_of(e, &f->ins[i]);
      if (cost > 0) e->remat[f->ins[i].opnd[0].reg] = (uint8_t)cost;
    }
  return 0;
}

static void need(emitter *e, int32_t reg) {
  if (reg >= 0 && e->remat[reg] && !e->hoisted[reg]) e->needed[reg] = true;
}

/* What is live, what describes its widening, and, from the last definition to the first, their operands. */
static void find_needed(emitter *e, int32_t node) {
  const ptx_func *f = e->f;
  memset(e->needed, 0, (size_t)f->nregs);
  for (int32_t r = 0; r < f->nregs; r++) {
    if (!dc_emit_is_live(e, node, r)) continue;
    const dc_value_shape *s = dc_emit_shape(e, r);
    need(e, r);
    if (dc_is_scalar(s) && s->origin >= 0) need(e, f->ins[s->origin].opnd[0].reg);
  }
  for (int32_t b = f->nblocks - 1; b >= 0; b--)
    for (int32_t i = f->blocks[b].last - 1; i >= f->blocks[b].first; i--) {
      const ptx_ins *ins = &f->ins[i];
      if (ins->ndst != 1 || ins->opnd[0].reg < 0 || !e->needed[ins->opnd[0].reg]) continue;
      for (int o = 1; o <= ins->nsrc; o++) need(e, ins->opnd[o].reg);
    }
}

void dc_emit_remat(emitter *e, int32_t node) {
  const ptx_func *f = e->f;
  find_needed(e, node);
  for (int32_t b = 0; b < f->nblocks; b++)
    for (int32_t i = f->blocks[b].first; i < f->blocks[b].last; i++) {
      const ptx_ins *ins = &f->ins[i];
      if (ins->ndst == 1 && ins->opnd[0].reg >= 0 && e->needed[ins->opnd[0].reg])
        dc_emit_operation(e, ins, 0, "act", false);
    }
}
