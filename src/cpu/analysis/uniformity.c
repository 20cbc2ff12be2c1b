/*
** uniformity.c - uniform, affine or varying: a fixpoint over registers and branches, with divergence; see the header.
**
** A monotone data-flow analysis: every register starts as "unknown" and rises to uniform or affine, then varying.  A
** branch on a varying predicate makes the blocks between it and its join divergent.  A register written there may still
** be scalar: the lanes at a block run it together (the lowest pending block runs first, loops have one latch), so it
** depends on which lanes read the value later: see `may_be_scalar`.
*/
#include "cpu/analysis/uniformity.h"

#include <string.h>

#include "base/runtime.h"
#include "cpu/analysis/cfg.h"
#include "cpu/analysis/dominators.h"
#include "cpu/analysis/ranges.h"
#include "cpu/analysis/value_shapes.h"
#include "cpu/ptx/opcode.h"

static const dc_value_shape uniform = DC_UNIFORM_SHAPE;
static const dc_value_shape varying = DC_VARYING_SHAPE;

/* --- the flow graph ------------------------------------------------------------------------------------- */

/* Numbers the dominator tree, so that a dominates b where b is in a's interval.  In reverse post-order dominators
** precede what they dominate. */
static int find_dominators(dc_uniformity *k) {
  const int32_t n = k->f->nblocks;
  int32_t *cursor = k->stack, *size = k->leave; /* until it is an end */
  if (ptx_dominators(k->f, k->idom) != 0 || ptx_post_dominators(k->f, k->ipdom) != 0) return -1;
  for (int32_t b = 0; b < n; b++) size[b] = 1;
  for (int32_t b = n - 1; b > 0; b--) size[k->idom[b]] += size[b];
  for (int32_t b = 0; b < n; b++) {
    k->enter[b] = b ? cursor[k->idom[b]] : 0;
    k->leave[b] += k->enter[b];
    if (b) cursor[k->idom[b]] = k->leave[b];
    cursor[b] = k->enter[b] + 1;
  }
  return 0;
}

/* The sum of the loops' numbers of blocks, above which the analysis would take long; no known kernel comes near. */
#define MOST_IN_LOOPS 400000

static bool are_too_deep(const dc_uniformity *k) {
  int64_t n = 0;
  for (int32_t h = 0; h < k->f->nblocks; h++)
    if (k->loop_last[h] >= 0) n += k->loop_last[h] - h + 1;
  return n > MOST_IN_LOOPS;
}

/* Loops are contiguous blocks [header, loop_last[header]].  Irreducible ones are not covered.  Lanes that took a back
** edge to the header of an outer loop are in another iteration of it than those that stayed in the inner one, so the
** outer loop counts as one with several latches. */
static void find_loops(dc_uniformity *k) {
  const ptx_func *f = k->f;
  int32_t s, *latch = k->stack; /* the last one of a header */
  k->regular = true;
  for (int32_t b = 0; b < f->nblocks; b++) {
    const ptx_block *bl = &f->blocks[b];
    k->loop_last[b] = bl->loop_blocks ? b + bl->loop_blocks - 1 : -1;
    k->loop_up[b] = bl->loop;
    k->loop_at[b] = bl->loop_blocks ? b : bl->loop;
    latch[b] = -1;
  }
  for (int32_t b = 0; b < f->nblocks; b++)
    for (int i = 0; ptx_block_succ(&f->blocks[b], i, &s); i++) {
      if (s >= 0 && !dc_dominates(k, s, b)) k->entries[s]++;
      if (s < 0 || s > b || latch[s] == b) continue;
      if (!dc_dominates(k, s, b)) k->regular = false;
      latch[s] = b;
      k->latches[s] += k->loop_at[b] == s ? 1 : 2;
    }
  if (are_too_deep(k)) k->regular = false;
}

static bool inside(const dc_uniformity *k, int32_t header, int32_t b) {
  return b >= header && b <= k->loop_last[header];
}

/* --- definitions and uses ------------------------------------------------------------------------------- */

static void count_or_fill(int32_t *at, int32_t *list, bool fill, int32_t reg, int32_t i) {
  if (reg >= 0 && fill) list[--at[reg]] = i;
  else if (reg >= 0) at[reg]++;
}

static int list_registers(dc_uniformity *k) {
  const ptx_func *f = k->f;
  for (int fill = 0; fill < 2; fill++) {
    for (int32_t i = 0; i < f->nins; i++) {
      const ptx_ins *ins = &f->ins[i];
      count_or_fill(k->use_at, k->uses, fill, ins->pred, i);
      for (int o = 0; o < ins->ndst + ins->nsrc; o++)
        count_or_fill(o < ins->ndst ? k->def_at : k->use_at, o < ins->ndst ? k->defs : k->uses, fill, ins->opnd[o].reg,
                      i);
    }
    if (fill) break;
    for (int32_t r = 0; r < f->nregs; r++) {
      k->def_at[r + 1] += k->def_at[r];
      k->use_at[r + 1] += k->use_at[r];
    }
    k->defs = dc_arena_alloc(&k->arena, ((size_t)k->def_at[f->nregs] + 1) * sizeof *k->defs);
    k->uses = dc_arena_alloc(&k->arena, ((size_t)k->use_at[f->nregs] + 1) * sizeof *k->uses);
    if (!k->defs || !k->uses) return -1;
  }
  return 0;
}

/* --- divergence ----------------------------------------------------------------------------------------- */

static void push_region(dc_uniformity *k, int32_t b, int32_t meet, int32_t *depth) {
  const ptx_block *bl = &k->f->blocks[b];
  const bool on = ptx_goes_on(k->f, bl);
  int32_t s;
  for (int i = 0, r; (r = ptx_live_succ(k->f, bl, on, i, &s)) >= 0; i++) {
    if (!r || s == meet || k->mark[s] == k->turn) continue;
    k->mark[s] = k->turn;
    k->stack[(*depth)++] = s;
  }
}

/* Some lanes may go to the exit blocks behind block b alone.  True: one was not divergent before. */
static bool diverge_exits(dc_uniformity *k, int32_t b) {
  int32_t s;
  bool news = false;
  for (int i = 0; ptx_block_succ(&k->f->blocks[b], i, &s); i++)
    if (s >= 0 && k->exit_block[s] && !k->divergent[s]) k->divergent[s] = news = true;
  return news;
}

/* The divergent region of a branch: all blocks reachable from its successors before its join.  The join is the nearest
** post-dominator that follows the whole region in block order: the lowest pending block runs first, so an earlier one
** would run before the last lanes arrive.  True: a block was not divergent before. */
static bool split_region(dc_uniformity *k, int32_t branch) {
  int32_t meet = k->ipdom[branch], depth = 0, last = -1;
  bool news = false;
  k->turn++;
  push_region(k, branch, meet, &depth);
  for (;;) {
    while (depth > 0) {
      int32_t b = k->stack[--depth];
      if (b > last) last = b;
      news |= !k->divergent[b];
      k->divergent[b] = true;
      news |= diverge_exits(k, b);
      push_region(k, b, meet, &depth);
    }
    if (meet < 0 || last < meet) return news;
    int32_t early = meet;
    meet = k->ipdom[early];
    k->mark[early] = k->turn;
    k->stack[depth++] = early;
  }
}

static bool split(dc_uniformity *k, int32_t branch) {
  const ptx_block *bl = &k->f->blocks[branch];
  int32_t s, one = -1;
  bool on = ptx_goes_on(k->f, bl), several = false, news = diverge_exits(k, branch);
  for (int i = 0, r; (r = ptx_live_succ(k->f, bl, on, i, &s)) >= 0; i++) {
    if (r && one >= 0 && s != one) several = true;
    if (r) one = s;
  }
  return (several && split_region(k, branch)) || news;
}

static const ptx_ins *branch_of(const dc_uniformity *k, int32_t b) {
  const ptx_block *bl = &k->f->blocks[b];
  return bl->last > bl->first ? &k->f->ins[bl->last - 1] : NULL;
}

/* Whether lanes at the end of b may go different ways. */
static bool may_split(const dc_uniformity *k, int32_t b) {
  const ptx_ins *ins = branch_of(k, b);
  if (ins == NULL) return false;
  if (ins->op == PTX_OP_BRX) return true;
  return ins->pred >= 0 && k->reg[ins->pred].tag == DC_VARYING &&
         (ins->op == PTX_OP_BRA || (ptx_traits(ins->op) & PTX_T_ENDS_LANES));
}

/* Lanes leave a loop in the same iteration only by uniform branches that all of them execute. */
static bool find_non_uniform_exits(dc_uniformity *k) {
  const ptx_func *f = k->f;
  bool news = false;
  int32_t s;
  for (int32_t h = 0; h < f->nblocks; h++) {
    if (k->loop_last[h] < 0 || k->non_uniform_exit[h]) continue;
    bool found = k->latches[h] > 1 && k->divergent[h];
    for (int32_t b = h; b <= k->loop_last[h] && !found; b++)
      for (int i = 0; ptx_block_succ(&f->blocks[b], i, &s); i++) {
        if (s < 0 || inside(k, h, s) || k->exit_block[s]) continue;
        found |= may_split(k, b) || (k->divergent[b] && !dc_dominates(k, b, k->loop_last[h]));
      }
    if (found) k->non_uniform_exit[h] = news = true;
  }
  return news;
}

/* --- which registers may be one scalar ---------------------------------------------------------------- */

/* A value made at block d is read at block u by lanes that may have left a loop around d earlier than others. */
static bool outlives(const dc_uniformity *k, int32_t d, int32_t u) {
  for (int32_t h = k->loop_at[d]; h >= 0; h = k->loop_up[h])
    if (!inside(k, h, u) && k->non_uniform_exit[h]) return true;
  return false;
}

/* In a divergent loop with several ways back, lanes may be in different iterations. */
static bool scattered(const dc_uniformity *k, int32_t d) {
  for (int32_t h = k->loop_at[d]; h >= 0; h = k->loop_up[h])
    if (k->latches[h] > 1 && k->divergent[h]) return true;
  return false;
}

/* Instruction u reads instruction d's value on every path. */
static bool reaches(const dc_uniformity *k, int32_t d, int32_t u) {
  int32_t bd = k->block_of[d], bu = k->block_of[u];
  return bd == bu ? d < u : dc_dominates(k, bd, bu);
}

static bool one_definition(const dc_uniformity *k, int32_t r) {
  int32_t d = k->defs[k->def_at[r]], b = k->block_of[d];
  if (!k->divergent[b]) {
    for (int32_t i = k->use_at[r]; i < k->use_at[r + 1]; i++)
      if (!reaches(k, d, k->uses[i]) && k->divergent[k->block_of[k->uses[i]]]) return false;
    return true;
  }
  bool apart = scattered(k, b);
  for (int32_t i = k->use_at[r]; i < k->use_at[r + 1]; i++) {
    int32_t u = k->block_of[k->uses[i]];
    if (!reaches(k, d, k->uses[i]) || outlives(k, b, u) || (apart && u != b)) return false;
  }
  return true;
}

/* Whether `init` runs before each entry into the loop with header h: all loops around it contain `init`.  Otherwise the
** loop's next entry reads values of its last one, which lanes have left after different numbers of iterations. */
static bool precedes_each_entry(const dc_uniformity *k, int32_t init, int32_t h) {
  for (int32_t o = k->loop_up[h]; o >= 0; o = k->loop_up[o])
    if (!inside(k, o, k->block_of[init])) return false;
  return true;
}

/* A loop's variable: `init` before it, one update that all lanes in the loop run.  `only_inside`: no use after it.
** Where `init` is in a loop before, all lanes leave that together: else those that go on would write over the values of
** those that wait at the header. */
static bool loop_variable(const dc_uniformity *k, int32_t r, int32_t init, int32_t update, bool only_inside) {
  int32_t bi = k->block_of[init], bu = k->block_of[update], h = k->loop_at[bu];
  if (h < 0 || k->latches[h] != 1 || !dc_dominates(k, bu, k->loop_last[h])) return false;
  if (inside(k, h, bi) || !dc_dominates(k, bi, h) || !precedes_each_entry(k, init, h) || scattered(k, bu)) return false;
  if (outlives(k, bi, h)) return false;
  for (int32_t i = k->use_at[r]; i < k->use_at[r + 1]; i++) {
    int32_t u = k->block_of[k->uses[i]];
    /* in the loop, or of the first value */
    if (inside(k, h, u) || (u < h && reaches(k, init, k->uses[i]) && !outlives(k, bi, u))) continue;
    if (only_inside) return false;
    if (k->non_uniform_exit[h] || !dc_dominates(k, h, u) || outlives(k, bu, u)) return false;
  }
  return true;
}

static bool two_definitions(const dc_uniformity *k, int32_t r, bool only_inside) {
  if (k->def_at[r + 1] - k->def_at[r] != 2) return false;
  int32_t a = k->defs[k->def_at[r]], b = k->defs[k->def_at[r] + 1];
  return loop_variable(k, r, a, b, only_inside) || loop_variable(k, r, b, a, only_inside);
}

/* Whether x and ok of the origin still describe register r's value at its uses: the origin has not run again between
** r's definition and a use, as it does when a loop carries the value into its next iteration.  (Where the origin
** dominates a definition, and the definition a use, no path leads from the origin to the use around the definition.) */
static bool stays_true(const dc_uniformity *k, int32_t r, int32_t origin) {
  int32_t first = k->def_at[r], end = k->def_at[r + 1];
  if (origin < 0 || (end - first == 1 && k->defs[first] == origin)) return true;
  for (int32_t i = first; i < end; i++) {
    int32_t d = k->defs[i], u = k->use_at[r];
    if (d != origin && !reaches(k, origin, d)) continue;
    while (u < k->use_at[r + 1] && reaches(k, d, k->uses[u])) u++;
    if (u == k->use_at[r + 1]) return true;
  }
  return false;
}

/* --- code of one lane ----------------------------------------------------------------------------------- */

/* Whether block `to` is in all loops that block `from` is in: no lane has left one earlier than others. */
static bool is_in_loops_of(const dc_uniformity *k, int32_t from, int32_t to) {
  for (int32_t h = k->loop_at[from]; h >= 0; h = k->loop_up[h])
    if (!inside(k, h, to)) return false;
  return true;
}

/* Whether a comparison of 32 bits is one of distinct values of the lanes with one of all, as far as known. */
static bool tells_lanes(const dc_uniformity *k, const ptx_ins *ins) {
  enum { MOST_STRIDE = 1 << 20 };
  const dc_value_shape a = dc_value_shape_of(k, &ins->opnd[1]), b = dc_value_shape_of(k, &ins->opnd[2]);
  const int64_t stride = a.tag == DC_AFFINE ? a.exact : b.exact;
  if (a.tag == DC_UNKNOWN || b.tag == DC_UNKNOWN) return true;
  return a.tag + b.tag == DC_UNIFORM + DC_AFFINE && stride != 0 && stride <= MOST_STRIDE && stride >= -MOST_STRIDE;
}

/* Whether of the lanes that run block b together at most one goes on to block s: threadIdx.x == 0. */
static bool lets_one_on(const dc_uniformity *k, int32_t b, int32_t s) {
  const ptx_ins *ins = branch_of(k, b);
  const int32_t at = ins && ins->op == PTX_OP_BRA ? dc_only_definition(k, ins->pred) : -1;
  if (at < 0) return false;
  const int32_t from = k->block_of[at];
  const ptx_ins *by = &k->f->ins[at];
  if (by->op != PTX_OP_SETP || by->pred >= 0 || by->boolop || by->ndst != 1 || by->nsrc != 2) return false;
  if ((by->cmp != PTX_EQ && by->cmp != PTX_NE) || !ptx_is_integer(by->type)) return false;
  if (ptx_type_bits((ptx_type)by->type) != 32 || s != k->f->blocks[b].succ[(by->cmp == PTX_EQ) != ins->pred_neg])
    return false;
  return tells_lanes(k, by) && (from == b || (!k->divergent[from] && is_in_loops_of(k, from, b)));
}

static bool waits(const ptx_func *f, int32_t b) {
  bool found = false;
  for (int32_t i = f->blocks[b].first; i < f->blocks[b].last; i++)
    found |= f->ins[i].op == PTX_OP_CALL || ptx_traits(f->ins[i].op) & (PTX_T_BARRIER | PTX_T_WARP_WIDE | PTX_T_MATRIX);
  return found;
}

/* Whether the comparison that lets_one_on is `lane == 0`. */
static bool compares_with_first(const dc_uniformity *k, int32_t b) {
  const ptx_ins *by = &k->f->ins[dc_only_definition(k, branch_of(k, b)->pred)];
  const ptx_operand *zero = &by->opnd[2];
  return zero->kind == PTX_IMM && zero->imm == 0 && dc_value_shape_of(k, &by->opnd[1]).from_zero;
}

bool dc_runs_first_lane(const dc_uniformity *k, int32_t b) { return k->alone[b] && k->first_lane[k->alone[b] - 1]; }

/* Fills k->alone and k->first_lane.  A lane stays alone until it is in a loop's next iteration, or where others come
** from elsewhere. */
static void find_alone(dc_uniformity *k) {
  for (int32_t b = 1; b < k->f->nblocks; b++) {
    const int32_t d = k->idom[b], first = k->alone[d] - 1;
    const bool on = first >= 0 && is_in_loops_of(k, k->idom[first], b);
    bool begins = !on && k->entries[b] == 1 && is_in_loops_of(k, d, b) && !scattered(k, d) && lets_one_on(k, d, b);
    for (int32_t u = b; begins && u < k->f->nblocks; u++) begins = !dc_dominates(k, b, u) || !waits(k->f, u);
    k->alone[b] = on ? k->alone[d] : begins ? b + 1 : 0;
    k->first_lane[b] = begins && compares_with_first(k, d);
  }
}

/* Whether register r is written and read by a lane that runs alone, and by no other meanwhile. */
static bool is_of_one_lane(const dc_uniformity *k, int32_t r) {
  int32_t first = k->defs[k->def_at[r]];
  for (int32_t i = k->def_at[r]; i < k->def_at[r + 1]; i++)
    if (reaches(k, k->defs[i], first)) first = k->defs[i];
  const int32_t alone = k->alone[k->block_of[first]];
  if (alone == 0 || k->f->ins[first].pred >= 0) return false;
  for (int32_t i = k->def_at[r]; i < k->def_at[r + 1]; i++)
    if (k->alone[k->block_of[k->defs[i]]] != alone || (k->defs[i] != first && !reaches(k, first, k->defs[i])))
      return false;
  for (int32_t i = k->use_at[r]; i < k->use_at[r + 1]; i++)
    if (k->alone[k->block_of[k->uses[i]]] != alone || !reaches(k, first, k->uses[i])) return false;
  return true;
}

/* Whether register r may be one scalar although some lanes may be elsewhere when it is written. */
static bool may_be_scalar(const dc_uniformity *k, int32_t r) {
  int32_t n = k->def_at[r + 1] - k->def_at[r];
  bool anywhere = false;
  for (int32_t i = k->def_at[r]; i < k->def_at[r + 1]; i++) anywhere |= k->divergent[k->block_of[k->defs[i]]];
  if (is_of_one_lane(k, r)) return true;
  if (n == 1) return one_definition(k, r);
  return !anywhere || two_definitions(k, r, false);
}

/* Whether a write to varying register r, in a divergent block, must keep the other lanes' values. */
static bool must_blend(const dc_uniformity *k, int32_t r, int32_t i) {
  if (k->f->ins[i].pred >= 0) return true;
  if (!k->divergent[k->block_of[i]]) return false;
  if (dc_is_defined_once(k->def_at, r)) return !one_definition(k, r);
  return !two_definitions(k, r, true);
}

/* --- the fixpoint --------------------------------------------------------------------------------------- */

/* Whether lane 0 has the values of all operands, so that it can compute its result alone. */
static bool has_first_lane(const dc_uniformity *k, const ptx_ins *ins) {
  for (int i = ins->ndst; i < ins->ndst + ins->nsrc; i++) {
    const int32_t r = ins->opnd[i].reg;
    if (r < 0 || k->reg[r].tag < DC_INDEXED) continue;
    if (k->reg[r].tag == DC_INDEXED || (k->divergent[k->block_of[k->defs[k->def_at[r]]]] && !one_definition(k, r)))
      return false;
  }
  return true;
}

/* Whether an instruction may make an index of a varying operand. */
static bool may_index(const ptx_ins *ins) {
  return ins->ndst == 1 && ins->opnd[0].reg >= 0 &&
         (ins->op == PTX_OP_CVT || ((ins->op == PTX_OP_MUL || ins->op == PTX_OP_MAD) && ins->mode == PTX_WIDE));
}

/* Whether an instruction makes a scalar of a lane that runs alone, whatever its operands are. */
static bool is_of_lane_alone(const dc_uniformity *k, const ptx_ins *ins, dc_has_scalar has_scalar) {
  const bool loads = ptx_is_load(ins);
  if (ins->ndst != 1 || ins->opnd[0].reg < 0 || !k->alone[k->block_of[ins - k->f->ins]]) return false;
  if (!(loads || has_scalar(ins)) || ins->space == PTX_LOCAL || (loads && ins->space == PTX_PARAM)) return false;
  for (int i = 1; i <= ins->nsrc; i++)
    if (ins->opnd[i].kind == PTX_SREG || (ins->opnd[i].sym && ins->opnd[i].sym->space == PTX_LOCAL)) return false;
  return ptx_type_bits((ptx_type)ins->type) <= 64 && is_of_one_lane(k, ins->opnd[0].reg);
}

static dc_value_shape result(const dc_uniformity *k, const ptx_ins *ins, dc_has_scalar has_scalar) {
  bool unknown = false, all_uniform = true;
  dc_value_shape r;
  if (ins->pred >= 0) return varying;
  if (dc_is_one_for_all(k, ins) || is_of_lane_alone(k, ins, has_scalar)) return uniform;
  const int32_t d = ins->ndst == 1 ? ins->opnd[0].reg : -1;
  if (d >= 0 && k->of_values[d].tag != DC_UNKNOWN && has_scalar(ins) && has_first_lane(k, ins)) return k->of_values[d];
  for (int i = ins->ndst; i < ins->ndst + ins->nsrc; i++) {
    dc_value_shape s = dc_value_shape_of(k, &ins->opnd[i]);
    unknown |= s.tag == DC_UNKNOWN;
    all_uniform &= s.tag == DC_UNIFORM;
    if (s.tag == DC_VARYING && ins->op != PTX_OP_LD && !may_index(ins)) return varying;
    if (ins->opnd[i].kind == PTX_SREG && ins->op != PTX_OP_MOV) return varying;
  }
  if (unknown) return (dc_value_shape){.origin = -1};
  if (ptx_is_load(ins)) return dc_shape_of_load(k, ins);
  if (ins->op == PTX_OP_CVTA && ins->space == PTX_LOCAL && !k->shape.by_lane) return varying;
  if (ins->op == PTX_OP_MOV && ins->nsrc == 1 && ins->ndst == 1 && ins->opnd[1].kind == PTX_SREG)
    return dc_value_shape_of(k, &ins->opnd[1]);
  if (!has_scalar(ins)) return varying;
  if (all_uniform) return dc_uniform_result(k, ins);
  r = ins->ndst == 1 ? dc_affine_result(k, ins) : varying;
  /* one instruction remembers one widening */
  return r.tag == DC_UNKNOWN ? varying : r;
}

static bool sweep(dc_uniformity *k, dc_has_scalar has_scalar) {
  const ptx_func *f = k->f;
  bool news = false;
  find_alone(k);
  for (int32_t i = 0; i < f->nins; i++) {
    const ptx_ins *ins = &f->ins[i];
    if (ins->ndst == 0) continue;
    dc_value_shape r = result(k, ins, has_scalar);
    for (int d = 0; d < ins->ndst; d++) {
      int32_t reg = ins->opnd[d].reg;
      if (reg < 0 || k->reg[reg].tag == DC_VARYING) continue;
      const dc_value_shape *was = &k->reg[reg];
      /* What seemed aligned in the first iteration of a loop, and so not to wrap around, may be affine still. */
      const bool wraps = r.tag == DC_AFFINE && was->tag == DC_AFFINE && r.origin >= 0 && was->origin < 0;
      const bool rises = dc_is_defined_once(k->def_at, reg) && (r.tag > was->tag || wraps);
      dc_value_shape now = rises ? r : dc_merge_shapes(k->reg[reg], r);
      if (dc_is_scalar(&now) && !(may_be_scalar(k, reg) && stays_true(k, reg, now.origin))) now = varying;
      if (dc_same_shape(&now, &k->reg[reg]) && now.aligned == k->reg[reg].aligned &&
          now.from_zero == k->reg[reg].from_zero && now.zeros == k->reg[reg].zeros)
        continue;
      k->reg[reg] = now;
      news = true;
    }
  }
  for (int32_t b = 0; b < f->nblocks; b++)
    if (may_split(k, b)) news |= split(k, b);
  news |= find_non_uniform_exits(k);
  return news;
}

/* Demotes registers that were scalar only before the last branches became divergent. */
static bool recheck(dc_uniformity *k) {
  bool news = false;
  for (int32_t r = 0; r < k->f->nregs; r++) {
    if (!dc_is_scalar(&k->reg[r]) || k->def_at[r] == k->def_at[r + 1] || may_be_scalar(k, r)) continue;
    k->reg[r] = varying;
    news = true;
  }
  return news;
}

/* --- the whole ------------------------------------------------------------------------------------------ */

static int allocate(dc_uniformity *k) {
  const ptx_func *f = k->f;
  const size_t blocks = (size_t)f->nblocks + 2, regs = (size_t)f->nregs + 2, ins = (size_t)f->nins + 1;
  int32_t **const by_block[] = {&k->idom,    &k->ipdom,     &k->enter,   &k->leave, &k->loop_at,
                                &k->loop_up, &k->loop_last, &k->latches, &k->mark,  &k->stack,
                                &k->alone,   &k->entries};
  int32_t **const by_reg[] = {&k->def_at, &k->use_at};
  k->reg = dc_arena_alloc(&k->arena, 2 * regs * sizeof *k->reg);
  k->range = dc_arena_alloc(&k->arena, regs * sizeof *k->range);
  k->block_of = dc_arena_alloc(&k->arena, ins * sizeof *k->block_of);
  k->blend = dc_arena_alloc(&k->arena, (ins + 4 * blocks) * sizeof *k->blend);
  if (!k->reg || !k->range || !k->block_of || !k->blend || ptx_arrays(&k->arena, by_reg, 2, regs) != 0 ||
      ptx_arrays(&k->arena, by_block, sizeof by_block / sizeof *by_block, blocks) != 0)
    return -1;
  k->of_values = k->reg + regs;
  k->divergent = k->blend + ins;
  k->first_lane = k->divergent + blocks;
  k->exit_block = k->first_lane + blocks;
  k->non_uniform_exit = k->exit_block + blocks;
  return 0;
}

void dc_uniformity_free(dc_uniformity *k) {
  dc_arena_free(&k->arena);
  memset(k, 0, sizeof *k);
}

int dc_uniformity_find(dc_uniformity *k, const ptx_func *f, dc_by_thread values, dc_gang_layout shape,
                       dc_has_scalar has_scalar) {
  memset(k, 0, sizeof *k);
  k->f = f;
  k->values = values;
  k->shape = shape;
  if (allocate(k) != 0 || list_registers(k) != 0) return -1;
  for (int32_t b = 0; b < f->nblocks; b++) {
    k->exit_block[b] = ptx_is_exit_block(f, &f->blocks[b]);
    for (int32_t i = f->blocks[b].first; i < f->blocks[b].last; i++) k->block_of[i] = b;
  }
  for (int32_t r = 0; r < f->nregs; r++) {
    k->reg[r].origin = -1;
    if (values[r] && shape.rows && !shape.by_lane) k->of_values[r] = dc_shape_of_values(k, r);
    if (k->def_at[r] == k->def_at[r + 1]) k->reg[r] = uniform; /* never written: any value will do */
  }
  dc_ranges_find(f, k->def_at, values, shape.long_grid ? 0 : DC_USUAL_GRID, k->range);
  if (find_dominators(k) != 0) return -1;
  find_loops(k);
  if (!k->regular) return 0;
  do {
    while (sweep(k, has_scalar))
      if (dc_interrupted()) return -1;
  } while (recheck(k));
  for (int32_t r = 0; r < f->nregs; r++)
    if (k->reg[r].tag == DC_UNKNOWN) k->reg[r] = shape.by_lane ? uniform : varying; /* made of itself alone */
  for (int32_t i = 0; i < f->nins; i++)
    for (int d = 0; d < f->ins[i].ndst; d++)
      if (f->ins[i].opnd[d].reg >= 0 && must_blend(k, f->ins[i].opnd[d].reg, i)) k->blend[i] = true;
  return 0;
}
