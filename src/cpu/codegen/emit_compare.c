/*
** emit_compare.c - see emit_compare.h.
**
** Most guards compare the thread's index with a bound (if (i < n), a step of a tree in shared memory), and most gangs
** are wholly on one side of it: the first and the last lane tell, without comparing vectors and testing masks (a scan
** in shared memory, where half of the gangs are idle: 31.5, before 35.6 ms).
*/
#include "cpu/codegen/emit_compare.h"

#include <stdlib.h>

#include "cpu/ptx/opcode.h"

#define PUT(...) dc_buf_printf(e->t, __VA_ARGS__)
#define MOST_STRIDE (1 << 20)

/* Whether the operand has one value as long as what is made of it has: a register written at one place, or none. */
static bool is_fixed(const emitter *e, const ptx_operand *o) {
  return o->reg < 0 || dc_is_defined_once(e->k.def_at, o->reg);
}

/* Whether the operand is an affine value of 32 bits, which does not depend on whether another one wraps around. */
static bool is_affine(const emitter *e, const ptx_operand *o) {
  if (o->kind != PTX_REG || dc_emit_bits(e, o->reg) != 32) return false;
  const dc_value_shape *s = dc_emit_shape(e, o->reg);
  return s->tag == DC_AFFINE && s->origin < 0 && s->exact != 0 && llabs(s->exact) <= MOST_STRIDE;
}

static bool is_uniform(const emitter *e, const ptx_operand *o) {
  return dc_value_shape_of(&e->k, o).tag == DC_UNIFORM && (o->reg < 0 || dc_emit_bits(e, o->reg) == 32);
}

const ptx_ins *dc_emit_comparison(const emitter *e, int32_t n) {
  const dc_basic_block *node = &e->fn->nodes[n];
  const int32_t g = node->end == DC_END_JUMP && node->op && node->guard >= 0 ? node->op->ins->pred : -1;
  if (g < 0 || !dc_is_defined_once(e->k.def_at, g)) return NULL;
  const ptx_ins *ins = &e->f->ins[e->k.defs[e->k.def_at[g]]];
  if (ins->op != PTX_OP_SETP || ins->pred >= 0 || ins->boolop || ins->ndst != 1 || ins->nsrc != 2) return NULL;
  const int32_t from = e->k.block_of[ins - e->f->ins]; /* where all lanes run together */
  if (e->k.divergent[from] || !dc_is_in_loops_of(&e->k, from, e->block_of[n])) return NULL;
  if (ins->type != PTX_S32 && ins->type != PTX_U32) return NULL;
  const ptx_operand *a = &ins->opnd[1], *b = &ins->opnd[2];
  if (!is_fixed(e, a) || !is_fixed(e, b)) return NULL;
  return (is_affine(e, a) && is_uniform(e, b)) || (is_affine(e, b) && is_uniform(e, a)) ? ins : NULL;
}

/* The relation in signed spelling, if need be negated, and with its sides exchanged. */
static ptx_cmp relation(const ptx_ins *ins, bool negated, bool exchanged) {
  static const ptx_cmp signed_of[] = {[PTX_LO] = PTX_LT, [PTX_LS] = PTX_LE, [PTX_HI] = PTX_GT, [PTX_HS] = PTX_GE};
  static const ptx_cmp not[] = {[PTX_EQ] = PTX_NE, [PTX_NE] = PTX_EQ, [PTX_LT] = PTX_GE, [PTX_LE] = PTX_GT,
                                [PTX_GT] = PTX_LE, [PTX_GE] = PTX_LT};
  static const ptx_cmp across[] = {[PTX_EQ] = PTX_EQ, [PTX_NE] = PTX_NE, [PTX_LT] = PTX_GT, [PTX_LE] = PTX_GE,
                                   [PTX_GT] = PTX_LT, [PTX_GE] = PTX_LE};
  ptx_cmp r = (ptx_cmp)ins->cmp;
  if (r >= PTX_LO && r <= PTX_HS) r = signed_of[r];
  if (r < PTX_EQ || r > PTX_GE) return PTX_CMP_NONE;
  if (negated) r = not[r];
  return exchanged ? across[r] : r;
}

void dc_emit_if_all(emitter *e, const ptx_ins *comparison, bool holds, int32_t to) {
  const bool exchanged = !is_affine(e, &comparison->opnd[1]);
  const ptx_operand *affine = &comparison->opnd[exchanged ? 2 : 1], *uniform = &comparison->opnd[exchanged ? 1 : 2];
  const dc_value_shape *s = dc_emit_shape(e, affine->reg);
  const bool sign = comparison->type == PTX_S32, up = s->exact > 0;
  const char *type = sign ? "(int32_t)" : "(uint32_t)", *low = up ? "first_" : "last_", *high = up ? "last_" : "first_";
  const ptx_cmp r = relation(comparison, !holds, exchanged);
  if (r == PTX_CMP_NONE || r == PTX_EQ) return; /* lanes differ: not all are equal to one value */
  PUT("{ const int64_t first_ = %ss%d, last_ = first_ + %lldll, u_ = %s", type, affine->reg,
      (long long)s->exact * (e->k.shape.width - 1), type);
  dc_emit_operand(e, uniform, 'W');
  PUT("; if (");
  if (!s->aligned) /* where lanes wrap around, vectors are compared */
    PUT("last_ %s && ", !up ? (sign ? ">= -0x80000000ll" : ">= 0") : sign ? "<= 0x7fffffff" : "<= 0xffffffff");
  if (r == PTX_NE) PUT("(%s > u_ || %s < u_)", low, high);
  else if (r == PTX_LT || r == PTX_LE) PUT("%s %s u_", high, r == PTX_LT ? "<" : "<=");
  else PUT("%s %s u_", low, r == PTX_GT ? ">" : ">=");
  PUT(") goto N%d; }\n", to);
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
