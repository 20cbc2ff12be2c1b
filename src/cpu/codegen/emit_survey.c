/* emit_survey.c - see emit_survey.h. */
#include "cpu/codegen/emit_survey.h"

#include "cpu/analysis/cfg.h"
#include "cpu/codegen/emit_access.h"
#include "cpu/codegen/emit_compare.h"
#include "cpu/codegen/emit_copies.h"
#include "cpu/codegen/emit_hoist.h"
#include "cpu/codegen/emit_matrix.h"
#include "cpu/codegen/emit_memory.h"
#include "cpu/codegen/emit_ops.h"
#include "cpu/codegen/emit_remat.h"
#include "cpu/codegen/emit_short.h"
#include "cpu/codegen/emit_state.h"
#include "cpu/codegen/emit_tables.h"
#include "cpu/codegen/emit_waiting.h"
#include "cpu/codegen/emit_yields.h"
#include "cpu/codegen/tabulate.h"
#include "cpu/interp/interp.h"
#include "cpu/ptx/opcode.h"
#include "cpu/ptx/ptx.h"

#define MOST_PREDICATED 4 /* operations of a node */

/* The block of each node. */
static void find_blocks(emitter *e) {
  int32_t n = 0;
  for (int32_t b = 0; b < e->f->nblocks; b++)
    for (; n < e->fn->node_of[b + 1]; n++) e->block_of[n] = b;
}

/* A scalar that the arm writes is seen by the other lanes too: it must have no use outside of the arm. */
static bool is_local(const emitter *e, int32_t reg, int32_t block) {
  const dc_uniformity *k = &e->k;
  if (!dc_is_scalar(&k->reg[reg])) return true;
  if (!dc_is_defined_once(k->def_at, reg)) return false;
  for (int32_t u = k->use_at[reg]; u < k->use_at[reg + 1]; u++)
    if (k->block_of[k->uses[u]] != block) return false;
  return true;
}

static bool is_arm(const emitter *e, int32_t n, int32_t to) {
  const dc_basic_block *node = dc_emit_node(e, n);
  if (node->end != DC_END_JUMP || node->guard >= 0 || node->taken != to) return false;
  if (node->wait != DC_WAIT_NOT || node->spin || node->last - node->first > MOST_PREDICATED) return false;
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
    const dc_basic_block *node = dc_emit_node(e, n);
    if (node->guard >= 0 || node->end != DC_END_JUMP) count(ways, node->next);
    if (node->end == DC_END_JUMP) count(ways, node->taken);
    for (int32_t i = 0; i < node->ntargets; i++) count(ways, node->targets[i]);
  }
}

/* If-conversion: fills e->predicated and e->inlined.  A divergent branch costs a test and a jump, perhaps mispredicted,
** and is a barrier to the C compiler's scheduler (sinf and cosf have two each).  The arm, the node that the branch
** jumps around, must have no other predecessor, join the branch's other side, and consist of a few vector operations,
** whose results are masked in the other lanes. */
static void find_predicated(emitter *e) {
  const int32_t *ways = e->ways;
  count_ways(e, e->ways);
  for (int32_t n = 0; n < e->nnodes; n++) {
    const dc_basic_block *node = dc_emit_node(e, n);
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
}

/* The result of a reduction is there where its gang goes on.  If gangs go on there from another barrier too, warp.c
** has to tell them apart. */
static void find_reductions(emitter *e) {
  for (int32_t n = 0; n < e->nnodes; n++) e->reduced[n] = -1;
  for (int32_t n = 0; n < e->nnodes; n++) {
    const int32_t next = dc_emit_node(e, n)->next;
    if (dc_emit_pauses(e, n)) e->last_pause = n, e->has_pause = true;
    if (next < 0 || !dc_emit_pauses(e, n)) continue;
    if (e->entered[next]) e->reduced[next] = -1;
    else if (dc_is_whole_barrier(dc_emit_node(e, n)) && dc_emit_node(e, n)->op->ins->ndst) e->reduced[next] = n;
    e->entered[next] = true;
  }
}

enum { NOWHERE = -1, SEVERAL = -2 }; /* of e->from */

static bool come_from(emitter *e, int32_t n, int32_t entry) {
  if (n < 0 || entry == NOWHERE || e->from[n] == entry || e->from[n] == SEVERAL || e->also[n] == entry) return false;
  if (e->from[n] == NOWHERE || entry == SEVERAL) e->from[n] = entry;
  else if (e->also[n] == NOWHERE) e->also[n] = entry;
  else e->from[n] = SEVERAL;
  return true;
}

/* Fills e->from and e->also. */
static void find_entries(emitter *e) {
  bool news = true;
  int32_t to;
  for (int32_t n = 0; n < e->nnodes; n++) {
    e->from[n] = e->entered[n] ? n : NOWHERE;
    e->also[n] = NOWHERE;
  }
  while (news) {
    news = false;
    for (int32_t n = 0; n < e->nnodes; n++) {
      const dc_basic_block *node = dc_emit_node(e, n);
      const int32_t by[] = { e->from[n], e->also[n] };
      if (dc_emit_pauses(e, n)) continue;
      for (int i = 0; i < 2; i++)
        for (int k = 0; dc_node_succ(node, k, &to); k++) news |= come_from(e, to, by[i]);
    }
  }
}

bool dc_emit_is_simple_barrier(const emitter *e, int32_t n) {
  const dc_basic_block *node = dc_emit_node(e, n);
  return dc_is_whole_barrier(node) && (node->op->ins->ndst == 0 || (node->next >= 0 && e->reduced[node->next] == n));
}

/* Whether gangs pause at barriers of the whole block alone. */
static bool has_simple_pauses(const emitter *e) {
  for (int32_t n = 0; n < e->nnodes; n++)
    if (!e->inlined[n] && dc_emit_pauses(e, n) && !dc_emit_is_simple_barrier(e, n)) return false;
  return true;
}

/* Registers that warp.c writes. */
static void find_given(emitter *e) {
  e->entered[0] = true;
  for (int32_t n = 0; n < e->nnodes; n++) {
    const dc_basic_block *node = dc_emit_node(e, n);
    if (e->inlined[n] || dc_emit_is_simple_barrier(e, n)) continue;
    for (int i = 0; node->op && i < node->op->ins->ndst; i++)
      if (node->op->ins->opnd[i].reg >= 0) e->given[node->op->ins->opnd[i].reg] = true;
  }
}

/* All arrays of numbers are one allocation, all of truth values another. */
static int allocate(emitter *e) {
  const size_t nodes = (size_t)e->nnodes + 1, regs = (size_t)e->f->nregs + 1, ins = (size_t)e->f->nins + 1;
  e->block_of = dc_arena_alloc(&e->k.arena, (6 * nodes + regs + 3 * ins) * sizeof *e->block_of);
  e->tracked = dc_arena_alloc(&e->k.arena, (4 * nodes + 5 * ins + 3 * regs) * sizeof *e->tracked);
  e->lane_bits = dc_arena_alloc(&e->k.arena, 2 * regs);
  e->joined = dc_arena_alloc(&e->k.arena, ins * sizeof *e->joined);
  if (!e->block_of || !e->tracked || !e->lane_bits || !e->joined) return dc_fail_oom(e->err);
  e->predicated = e->block_of + nodes;
  e->save_at = e->predicated + nodes;
  e->origin_save_at = e->save_at + regs;
  e->origin_turn = e->origin_save_at + ins;
  e->copied = e->origin_turn + ins;
  e->ways = e->copied + ins;
  e->reduced = e->ways + nodes;
  e->from = e->reduced + nodes;
  e->also = e->from + nodes;
  for (size_t i = 0; i < regs + ins; i++) e->save_at[i] = -1; /* origin_save_at too */
  e->entered = e->tracked + nodes;
  e->inlined = e->entered + nodes;
  e->origin = e->inlined + nodes;
  e->strides = e->origin + ins;
  e->loops = e->strides + ins;
  e->listed = e->loops + ins;
  e->lines = e->listed + ins;
  e->given = e->lines + ins;
  e->prefetched = e->given + regs;
  e->word = e->prefetched + regs;
  e->waits = e->word + regs;
  e->extension = e->lane_bits + regs;
  return 0;
}

int dc_emit_survey(emitter *e, dc_gang_layout shape) {
  const dc_by_thread values = dc_tabulate(e->fn, &e->tables);
  if (values == NULL || dc_prune(e->fn, values, &e->tables) != 0) return dc_fail_oom(e->err);
  if (dc_uniformity_find(&e->k, e->f, values, shape, dc_emit_has_scalar) != 0) return ptx_fail_pass(e->err);
  if (!e->k.regular) return 1;
  if (!(e->patterns = dc_patterns_find(&e->k))) return dc_fail_oom(e->err);
  if (!(e->needed_lanes = dc_needed_lanes_find(&e->k, dc_emit_has_scalar))) return dc_fail_oom(e->err);
  if (allocate(e) != 0) return -1;
  dc_emit_find_copies(e);
  find_blocks(e);
  e->straight = true;
  for (int32_t b = 0; b < e->f->nblocks; b++) e->straight &= e->k.loop_at[b] < 0;
  dc_emit_find_streams(e);
  find_predicated(e);
  dc_emit_find_short(e);
  dc_emit_find_words(e);
  find_reductions(e);
  e->out->simple = e->out->simple && has_simple_pauses(e);
  find_given(e);
  find_entries(e);
  if (dc_emit_find_waiting(e) != 0 || dc_emit_find_tables(e) != 0) return -1;
  dc_emit_find_far(e);
  if (dc_emit_liveness(e) != 0 || dc_emit_find_yields(e) != 0) return -1;
  if (dc_emit_place_sums(e) != 0 || dc_emit_find_hoisted(e) != 0 || dc_emit_find_remat(e) != 0) return -1;
  for (int32_t r = 0; r < e->f->nregs; r++)
    if (dc_is_scalar(&e->k.reg[r]) && e->k.reg[r].origin >= 0) e->origin[e->k.reg[r].origin] = true;
  return 0;
}
