/*
** emit_compare.c - see emit_compare.h.
**
** Most guards compare the thread's index or an affine value made of it with a bound (if (i < n), a step of a tree in
** shared memory): which lanes that holds for follows from two scalars, without comparing vectors (PageRank, a warp a
** vertex, takes 0.87 of the time).
*/
#include "cpu/codegen/emit_compare.h"

#include <stdlib.h>

#include "cpu/analysis/value_shapes.h"
#include "cpu/codegen/emit_short.h"
#include "cpu/ptx/opcode.h"
#include "cpu/ptx/ptx.h"

#define PUT(...) dc_buf_printf(e->t, __VA_ARGS__)
#define MOST_STRIDE (1 << 20)

/* Whether the operand is an affine value of 32 bits, which does not depend on whether another one wraps around. */
static bool is_affine(const emitter *e, const ptx_operand *o) {
  if (o->kind != PTX_REG || dc_emit_bits(e, o->reg) != 32) return false;
  const dc_value_shape *s = dc_emit_shape(e, o->reg);
  return s->tag == DC_AFFINE && s->origin < 0 && s->exact != 0 && llabs(s->exact) <= MOST_STRIDE;
}

static bool is_uniform(const emitter *e, const ptx_operand *o) {
  return dc_value_shape_of(&e->k, o).tag == DC_UNIFORM && (o->reg < 0 || dc_emit_bits(e, o->reg) == 32);
}

ptx_cmp dc_emit_relation(const ptx_ins *ins, bool exchanged) {
  static const ptx_cmp signed_of[] = {[PTX_LO] = PTX_LT, [PTX_LS] = PTX_LE, [PTX_HI] = PTX_GT, [PTX_HS] = PTX_GE};
  static const ptx_cmp across[] = {[PTX_EQ] = PTX_EQ, [PTX_NE] = PTX_NE, [PTX_LT] = PTX_GT, [PTX_LE] = PTX_GE,
                                   [PTX_GT] = PTX_LT, [PTX_GE] = PTX_LE};
  ptx_cmp r = (ptx_cmp)ins->cmp;
  if (r >= PTX_LO && r <= PTX_HS) r = signed_of[r];
  if (ins->op != PTX_OP_SETP || ins->ndst != 1 || ins->nsrc != 2 || r < PTX_EQ || r > PTX_GE)
    return PTX_CMP_NONE;
  if (!ptx_is_integer(ins->type) || ptx_type_bits((ptx_type)ins->type) != 32) return PTX_CMP_NONE;
  return exchanged ? across[r] : r;
}

bool dc_emit_compares_lanes(const emitter *e, const ptx_ins *ins) {
  const ptx_operand *a = &ins->opnd[1], *b = &ins->opnd[2];
  if (dc_emit_relation(ins, false) == PTX_CMP_NONE || !e->word[ins->opnd[0].reg]) return false;
  return (is_affine(e, a) && is_uniform(e, b)) || (is_affine(e, b) && is_uniform(e, a));
}

void dc_emit_lanes(emitter *e, const ptx_ins *ins) {
  const bool exchanged = !is_affine(e, &ins->opnd[1]);
  const int32_t affine = ins->opnd[exchanged ? 2 : 1].reg;
  const dc_value_shape *s = dc_emit_shape(e, affine);
  const ptx_cmp r = dc_emit_relation(ins, exchanged);
  const bool equal = r == PTX_EQ || r == PTX_NE, sign = ptx_is_signed(ins->type) && ins->cmp <= PTX_GE;
  if (r == PTX_NE || r == PTX_GT || r == PTX_GE) PUT("M_not");
  PUT(equal ? "(dc_lanes_eq(s%d, %lldll, " : "(dc_lanes_lt(s%d, %lldll, ", affine, (long long)s->exact);
  dc_emit_operand(e, &ins->opnd[exchanged ? 1 : 2], 'W');
  if (!equal) PUT(", %d, %d, %d", sign, r == PTX_LE || r == PTX_GT, !s->aligned);
  PUT("))");
}

/* --- predicates as words ---------------------------------------------------------------------------------------- */

static bool is_logic(const ptx_ins *ins) {
  return ins->op != PTX_OP_VOTE && ins->ndst == 1 && ptx_wants_predicate(ins, 0) && ins->type == PTX_PRED;
}

bool dc_emit_is_on_words(const emitter *e, const ptx_ins *ins) {
  return is_logic(ins) && ins->opnd[0].reg >= 0 && e->word[ins->opnd[0].reg];
}

/* Whether the instruction takes its sources as words: branches and guards do anyway. */
static bool takes_words(const emitter *e, const ptx_ins *ins) {
  if (dc_emit_is_on_words(e, ins) || dc_emit_is_alone(e, ins)) return true;
  if (ins->op == PTX_OP_SELP && dc_emit_is_short(e, ins)) return true;
  return ins->op == PTX_OP_VOTE || ins->op == PTX_OP_BAR || ins->op == PTX_OP_BARRIER;
}

void dc_emit_find_words(emitter *e) {
  for (int32_t r = 0; r < e->f->nregs; r++)
    e->word[r] = e->f->regs[r].bits == 1 && dc_emit_shape(e, r)->tag == DC_VARYING;
  for (int32_t n = 0; n < e->nnodes; n++) /* chooses by the branch's predicate itself */
    if (e->predicated[n] >= 0 && !dc_emit_divergent(e, n)) e->word[e->fn->nodes[n].op->ins->pred] = false;
  for (bool news = true; news;) {
    news = false;
    for (int32_t i = 0; i < e->f->nins; i++) {
      const ptx_ins *ins = &e->f->ins[i];
      for (int k = ins->ndst; k < ins->ndst + ins->nsrc && !takes_words(e, ins); k++) {
        const int32_t r = ins->opnd[k].reg;
        if (r < 0 || !e->word[r]) continue;
        e->word[r] = false;
        news = true;
      }
    }
  }
}
