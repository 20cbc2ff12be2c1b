/*
** emit_tables.c - see emit_tables.h.
**
** Threads that share the elements of a tile divide their numbers by its width in each iteration, some ten operations on
** vectors.  Such a variable grows from a small number to a constant bound, and its lanes are in a row: so what it alone
** determines is a row of a table (a Cholesky factorization in shared memory takes 0.7 of the time).  Lanes that run lie
** between the bounds, the others less than a gang's width beside.
*/
#include "cpu/codegen/emit_tables.h"

#include "base/error.h"
#include "cpu/analysis/ranges.h"
#include "cpu/codegen/emit_compare.h"
#include "cpu/codegen/tabulate.h"

#define PUT(...) dc_buf_printf(e->t, __VA_ARGS__)
#define MOST_NUMBERS 2048 /* of a table */
#define MOST_TABLES 8
#define LEAST_COST 5      /* operations on vectors that a look-up replaces */

/* Up to which number lanes stay in the loop with header h, at whose end the branch is; -1: unknown. */
static int64_t last_number(const emitter *e, int32_t reg, int32_t h, int32_t update) {
  const ptx_block *latch = &e->f->blocks[e->k.loop_last[h]];
  const ptx_ins *bra = &e->f->ins[latch->last - 1];
  const int32_t at = dc_only_definition(&e->k, bra->pred);
  if (bra->op != PTX_OP_BRA || at < 0) return -1;
  const ptx_ins *by = &e->f->ins[at];
  if (at <= update || at >= latch->last || latch->succ[!bra->pred_neg] != h || by->pred >= 0) return -1;
  const ptx_cmp r = dc_emit_relation(by, false);
  if (r == PTX_CMP_NONE || by->opnd[1].reg != reg || by->opnd[2].kind != PTX_IMM) return -1;
  if (r == (bra->pred_neg ? PTX_GE : PTX_LT)) return by->opnd[2].imm - 1;
  return r == (bra->pred_neg ? PTX_GT : PTX_LE) ? by->opnd[2].imm : -1;
}

/* Whether a loop adds to register `reg`, its variable, by one instruction in its last block; fills *v. */
static bool find_variable(const emitter *e, int32_t reg, dc_variable *v) {
  const dc_value_shape *s = dc_emit_shape(e, reg);
  const int32_t *d = &e->k.defs[e->k.def_at[reg]], width = e->k.shape.width;
  if (s->tag != DC_AFFINE || s->origin >= 0 || s->exact != 1 || dc_emit_bits(e, reg) != 32) return false;
  if (e->k.def_at[reg + 1] - e->k.def_at[reg] != 2) return false;
  for (int i = 0; i < 2; i++) {
    const ptx_ins *init = &e->f->ins[d[i]], *update = &e->f->ins[d[1 - i]];
    const int32_t b = e->k.block_of[d[1 - i]], h = e->k.loop_at[b], from = e->k.block_of[d[i]];
    if (h < 0 || e->k.loop_last[h] != b || e->k.latches[h] != 1 || (from >= h && from <= b)) continue;
    if (init->ndst != 1 || update->op != PTX_OP_ADD || init->pred >= 0 || update->pred >= 0) continue;
    if (update->opnd[1].reg != reg) continue;
    const dc_range first = dc_range_of_result(e->k.range, init), step = dc_range_of(e->k.range, &update->opnd[2]);
    const int64_t last = last_number(e, reg, h, d[1 - i]), high = last > first.high ? last : first.high;
    const int64_t n = high - first.low + 2 * width - 1;
    if (first.low < 0 || first.low > first.high || step.low < 0 || step.low > step.high) continue;
    if (last < 0 || n > MOST_NUMBERS || high + step.high > INT32_MAX) continue; /* or it might wrap around */
    *v = (dc_variable){ .reg = reg, .first = (int32_t)first.low - width + 1, .from = e->fn->node_of[h],
                        .to = e->fn->node_of[b + 1], .n = (int32_t)n, .end = update };
    return true;
  }
  return false;
}

static bool is_result(const emitter *e, dc_by_thread values, int32_t reg) {
  const int bits = reg >= 0 && values[reg] ? dc_emit_bits(e, reg) : 0;
  return (bits == 32 || bits == 16) && dc_emit_shape(e, reg)->tag == DC_VARYING;
}

/* Whether a register is read but for what is in a table itself. */
static bool is_read_elsewhere(const emitter *e, dc_by_thread values, int32_t reg) {
  bool found = false;
  for (int32_t u = e->k.use_at[reg]; u < e->k.use_at[reg + 1]; u++) {
    const ptx_ins *ins = &e->f->ins[e->k.uses[u]];
    found |= ins->ndst != 1 || !is_result(e, values, ins->opnd[0].reg);
  }
  return found;
}

static int find_results(emitter *e, const dc_variable *v) {
  const dc_by_thread values = dc_tabulate_by(e->fn, v, &e->tables);
  int *cost = dc_arena_alloc(&e->k.arena, ((size_t)e->f->nregs + 1) * sizeof *cost);
  if (!values || !cost) return dc_fail_oom(e->err);
  for (int32_t n = v->from; n < v->to; n++)
    for (const dc_uop *o = e->fn->nodes[n].first; o < e->fn->nodes[n].last && o->ins != v->end; o++) {
      const ptx_ins *ins = o->ins;
      const int32_t d = ins->ndst == 1 ? ins->opnd[0].reg : -1;
      if (!is_result(e, values, d)) continue;
      cost[d] = ins->op != PTX_OP_MUL && ins->op != PTX_OP_MAD ? 1 : ins->mode == PTX_HI_HALF ? 5 : 3;
      for (int i = 1; i <= ins->nsrc; i++)
        if (ins->opnd[i].reg >= 0 && cost[d] < LEAST_COST) cost[d] += cost[ins->opnd[i].reg];
      if (cost[d] < LEAST_COST || e->ntables == MOST_TABLES || !is_read_elsewhere(e, values, d)) continue;
      dc_looked_up *t = dc_arena_alloc(&e->k.arena, sizeof *t);
      if (t == NULL) return dc_fail_oom(e->err);
      *t = (dc_looked_up){ values[d], v->reg, v->first, v->n, dc_emit_bits(e, d) == 16 };
      e->looked_up[dc_emit_at(e, ins)] = t;
      e->ntables++;
      cost[d] = 1;
    }
  return 0;
}

int dc_emit_find_tables(emitter *e) {
  e->looked_up = dc_arena_alloc(&e->k.arena, ((size_t)e->f->nins + 1) * sizeof *e->looked_up);
  if (e->looked_up == NULL) return dc_fail_oom(e->err);
  for (int32_t r = 0; r < e->f->nregs && e->ntables < MOST_TABLES; r++) {
    dc_variable v;
    if (find_variable(e, r, &v) && find_results(e, &v) != 0) return -1;
  }
  return 0;
}

static uint32_t number(const dc_looked_up *t, int32_t i) {
  return t->halves ? ((const uint16_t *)t->values)[i] : ((const uint32_t *)t->values)[i];
}

/* Whether halves of words suffice.  Only numbers between the variable's bounds count, not those of lanes beside. */
static bool is_small(const emitter *e, const dc_looked_up *t) {
  uint32_t any = 0;
  for (int32_t i = e->k.shape.width - 1; i <= t->n - e->k.shape.width; i++) any |= number(t, i);
  return any <= UINT16_MAX;
}

void dc_emit_tables(emitter *e) {
  for (int32_t i = 0; i < e->f->nins; i++) {
    const dc_looked_up *t = e->looked_up[i];
    if (t == NULL) continue;
    PUT("static const uint%d_t table%d[%d] = {", is_small(e, t) ? 16 : 32, i, (int)t->n);
    for (int32_t k = 0; k <= t->n - e->k.shape.width; k++)
      PUT("%u,", k < e->k.shape.width - 1 ? 0 : (unsigned)number(t, k));
    PUT("};\n");
  }
}

bool dc_emit_look_up(emitter *e, const ptx_ins *ins, const char *mask, bool keep) {
  const int32_t i = dc_emit_at(e, ins), d = ins->opnd[0].reg;
  const dc_looked_up *t = e->looked_up[i];
  if (t == NULL) return false;
  dc_emit_assign(e, d, mask, keep);
  PUT("V%d_load(table%d + ((int32_t)s%d - %d))", is_small(e, t) ? 16 : 32, i, t->by, (int)t->first);
  dc_emit_assign_end(e, d, keep);
  return true;
}
