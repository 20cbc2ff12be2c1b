/*
** emit_predicated.c - see emit_predicated.h.
**
** A branch that lanes take differently costs a test and a jump, perhaps mispredicted, and ends what a C compiler can
** move about (sinf and cosf have two each).  The node behind it, its arm, must have no other predecessor, join the
** branch's other side, and consist of a few vector functions, whose results are masked in the other lanes.
*/
#include "cpu/codegen/emit_predicated.h"

#include <stdlib.h>

#include "base/error.h"
#include "cpu/analysis/uniformity.h"
#include "cpu/codegen/emit_ops.h"
#include "cpu/codegen/emitter.h"
#include "cpu/interp/code.h"
#include "cpu/interp/interp.h"
#include "cpu/ptx/opcode.h"
#include "cpu/ptx/ptx.h"

#define MOST_OPERATIONS 4

/* A scalar has one value for lanes that do not run the arm too: it must be the arm's own. */
static bool is_local(const emitter *e, int32_t reg, int32_t block) {
  const dc_uniformity *k = &e->k;
  if (!dc_is_scalar(&k->reg[reg])) return true;
  if (k->def_at[reg + 1] - k->def_at[reg] != 1) return false;
  for (int32_t u = k->use_at[reg]; u < k->use_at[reg + 1]; u++)
    if (k->block_of[k->uses[u]] != block) return false;
  return true;
}

static bool is_arm(const emitter *e, int32_t n, int32_t to) {
  const dc_basic_block *node = &e->fn->nodes[n];
  if (node->end != DC_END_JUMP || node->guard >= 0 || node->taken != to) return false;
  if (node->wait != DC_WAIT_NOT || node->spin || node->last - node->first > MOST_OPERATIONS) return false;
  for (const dc_uop *o = node->first; o < node->last; o++) {
    const ptx_ins *ins = o->ins;
    if (ins->pred >= 0 || (ptx_traits(ins->op) & PTX_T_SLOW) || !dc_emit_is_plain(e, ins)) return false;
    if (dc_emit_bits(e, ins->opnd[0].reg) == 1 || !is_local(e, ins->opnd[0].reg, e->block_of[n])) return false;
  }
  return true;
}

static void count(int32_t *ways, int32_t to) {
  if (to >= 0) ways[to]++;
}

static void count_ways(const emitter *e, int32_t *ways) {
  for (int32_t n = 0; n < e->nnodes; n++) {
    const dc_basic_block *node = &e->fn->nodes[n];
    if (node->guard >= 0 || node->end != DC_END_JUMP) count(ways, node->next);
    if (node->end == DC_END_JUMP) count(ways, node->taken);
    for (int32_t i = 0; i < node->ntargets; i++) count(ways, node->targets[i]);
  }
}

int dc_emit_find_predicated(emitter *e) {
  int32_t *ways = calloc((size_t)e->nnodes + 1, sizeof *ways);
  if (!ways) return dc_fail_oom(e->err);
  count_ways(e, ways);
  for (int32_t n = 0; n < e->nnodes; n++) {
    const dc_basic_block *node = &e->fn->nodes[n];
    e->predicated[n] = -1;
    if (node->end != DC_END_JUMP || !node->op || node->guard < 0 || node->taken < 0 || node->next < 0) continue;
    if (dc_is_scalar(dc_emit_shape(e, node->op->ins->pred)) || e->inlined[n]) continue;
    for (int i = 0; i < 2 && e->predicated[n] < 0; i++) {
      const int32_t arm = i ? node->taken : node->next, to = i ? node->next : node->taken;
      if (arm <= n || to <= arm || ways[arm] != 1 || !is_arm(e, arm, to)) continue;
      e->predicated[n] = arm;
      e->inlined[arm] = true;
    }
  }
  free(ways);
  return 0;
}
