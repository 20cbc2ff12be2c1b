/*
** needed_lanes.c - see needed_lanes.h.
**
** One walk from the last instruction to the first: what reads a register with one definition comes behind it, or else
** all of its lanes count as needed.
*/
#include "cpu/analysis/needed_lanes.h"

#include "cpu/analysis/ranges.h"
#include "cpu/analysis/value_shapes.h"
#include "cpu/ptx/opcode.h"

enum { ALL = 32 };

int dc_shuffle_distance(const dc_uniformity *k, const ptx_ins *ins) {
  if (!dc_is_shuffle(k->f, ins) || ins->mode == PTX_SHFL_IDX) return 0;
  const ptx_operand *src = &ins->opnd[ins->ndst];
  const dc_range n = dc_range_of(k->range, &src[1]), clamp = dc_range_of(k->range, &src[2]);
  const int whole = ins->mode == PTX_SHFL_UP ? 0 : 31;
  return n.low == n.high && n.low > 0 && n.low < ALL && clamp.low == whole && clamp.high == whole ? (int)n.low : 0;
}

/* Of what source `i` gives, where `d` lanes of the result are needed. */
static int of_source(const dc_uniformity *k, const ptx_ins *ins, int i, int d, dc_has_scalar has_scalar) {
  const int n = dc_shuffle_distance(k, ins);
  if (n == 0) return has_scalar(ins) ? d : ALL;
  if (i > ins->ndst) return ALL; /* distance, clamp, members */
  if (d == 0) return 0;
  if (ins->mode == PTX_SHFL_UP) return d;
  if (ins->mode == PTX_SHFL_DOWN) return d + n < ALL ? d + n : ALL;
  for (int power = 1; power < ALL; power *= 2)
    if (d <= power && n < power) return power;
  return ALL;
}

/* Whether a result but the first one is needed: whether a shuffle was within bounds, upper parts of a word. */
static bool needs_others(const ptx_ins *ins, const uint8_t *need) {
  bool found = false;
  for (int i = 1; i < ins->ndst; i++) found |= ins->opnd[i].reg >= 0 && need[ins->opnd[i].reg] > 0;
  return found;
}

const uint8_t *dc_needed_lanes_find(dc_uniformity *k, dc_has_scalar has_scalar) {
  const ptx_func *f = k->f;
  uint8_t *need = dc_arena_alloc(&k->arena, (size_t)f->nregs + 1);
  if (need == NULL) return NULL;
  for (int32_t r = 0; r < f->nregs; r++) {
    need[r] = dc_is_defined_once(k->def_at, r) ? 0 : ALL;
    for (int32_t u = k->use_at[r]; u < k->use_at[r + 1] && need[r] == 0; u++)
      if (k->uses[u] <= k->defs[k->def_at[r]]) need[r] = ALL;
  }
  for (int32_t i = f->nins - 1; i >= 0; i--) {
    const ptx_ins *ins = &f->ins[i];
    const int32_t d = ins->ndst > 0 ? ins->opnd[0].reg : -1;
    const bool first = dc_runs_first_lane(k, k->block_of[i]);
    if (ins->pred >= 0) need[ins->pred] = ALL;
    for (int o = ins->ndst; o < ins->ndst + ins->nsrc; o++) {
      const int32_t r = ins->opnd[o].reg;
      int n = ALL;
      if (r < 0) continue;
      if (first) n = 1;
      else if (d >= 0 && ins->pred < 0 && !needs_others(ins, need)) n = of_source(k, ins, o, need[d], has_scalar);
      if (n > need[r]) need[r] = (uint8_t)n;
    }
  }
  return need;
}
