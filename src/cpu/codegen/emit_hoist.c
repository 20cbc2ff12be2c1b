/*
** emit_hoist.c - see emit_hoist.h.
**
** A value made of parameters and the grid's sizes alone is the same in all gangs of a block.  In code of a few
** operations a gang it would take as long as the rest (a PageRank step: 0.92 of the time with these values hoisted).
*/
#include "cpu/codegen/emit_hoist.h"

#include "base/error.h"
#include "cpu/codegen/emit_ops.h"
#include "cpu/ptx/opcode.h"
#include "cpu/ptx/ptx.h"

/* Whether all gangs have one value, which is computed without an access that may fault.  `one_block`: they are of one
** block. */
static bool is_of_all(const emitter *e, const ptx_ins *ins, bool one_block) {
  const int32_t d = ins->ndst == 1 ? ins->opnd[0].reg : -1;
  if (d < 0 || e->callee || ins->pred >= 0 || !dc_is_defined_once(e->k.def_at, d)) return false;
  if (ins->op == PTX_OP_CVTA && ins->space != PTX_GLOBAL) return false; /* shared memory is a gang's block's */
  const dc_value_shape *s = dc_emit_shape(e, d);
  if (s->tag != DC_UNIFORM || s->origin >= 0 || e->sum_at[d] >= 0 || !dc_emit_is_pure(e, ins)) return false;
  for (int i = 1; i <= ins->nsrc; i++) {
    const ptx_operand *o = &ins->opnd[i];
    if (o->sym && o->sym->inside) return false; /* what a call leaves */
    const bool of_grid = (o->sreg >= PTX_SR_NTID_X && o->sreg <= PTX_SR_NTID_Z) ||
                         (o->sreg >= PTX_SR_NCTAID_X && o->sreg <= PTX_SR_NCTAID_Z) ||
                         (o->sreg >= PTX_SR_CTAID_X && o->sreg <= PTX_SR_CTAID_Z && one_block);
    if (o->kind == PTX_SREG ? !of_grid : o->reg >= 0 && !e->hoisted[o->reg]) return false;
  }
  return true;
}

int dc_emit_find_hoisted(emitter *e) {
  const ptx_func *f = e->f;
  e->hoisted = dc_arena_alloc(&e->k.arena, (size_t)f->nregs + 1);
  if (!e->hoisted) return dc_fail_oom(e->err);
  bool one_block = true;
  for (int32_t n = 0; n < e->nnodes; n++) one_block &= e->pace[n] == NULL; /* else they may run by turns */
  for (int32_t i = 0; i < f->nins; i++)
    if (is_of_all(e, &f->ins[i], one_block)) e->hoisted[f->ins[i].opnd[0].reg] = true;
  return 0;
}

bool dc_emit_is_hoisted(const emitter *e, const ptx_ins *ins) {
  return ins->ndst == 1 && ins->opnd[0].reg >= 0 && e->hoisted[ins->opnd[0].reg];
}

void dc_emit_hoist(emitter *e) {
  for (int32_t i = 0; i < e->f->nins; i++)
    if (dc_emit_is_hoisted(e, &e->f->ins[i])) dc_emit_operation(e, &e->f->ins[i], 0, "M_all()", false);
}
