/*
** emit.c - control flow as C: nodes, jumps, suspension for what warp.c does (emitter.h has the names in emitted code).
**
** Convergent nodes, which all lanes reach together, are labels, and jumps between them gotos.  A divergent node has a
** mask of the lanes that wait there, t<node>.  The lowest-numbered node with waiting lanes runs first, as at tier 0, so
** a divergent node is followed by a jump to the next node with waiting lanes.
*/
#include "cpu/codegen/emit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bitset.h"
#include "base/buf.h"
#include "cpu/analysis/value_shapes.h"
#include "cpu/codegen/emit_ahead.h"
#include "cpu/codegen/emit_calls.h"
#include "cpu/codegen/emit_copies.h"
#include "cpu/codegen/emit_estimate.h"
#include "cpu/codegen/emit_gangs.h"
#include "cpu/codegen/emit_hoist.h"
#include "cpu/codegen/emit_loops.h"
#include "cpu/codegen/emit_matrix.h"
#include "cpu/codegen/emit_memory.h"
#include "cpu/codegen/emit_ops.h"
#include "cpu/codegen/emit_remat.h"
#include "cpu/codegen/emit_state.h"
#include "cpu/codegen/emit_survey.h"
#include "cpu/codegen/emit_tables.h"
#include "cpu/codegen/emit_waiting.h"
#include "cpu/codegen/emit_windows.h"
#include "cpu/codegen/emit_yields.h"
#include "cpu/interp/decode.h"
#include "cpu/interp/interp.h"
#include "cpu/ptx/opcode.h"
#include "cpu/ptx/ptx.h"

#define PUT(...) dc_buf_printf(e->t, __VA_ARGS__)
#define MAX_INSTRUCTIONS 15000
#define TEXT(number) TEXT_OF(number)
#define TEXT_OF(number) #number

static bool is_bra(const dc_basic_block *node) { return node->end == DC_END_JUMP; }
static bool leaves(const dc_basic_block *node) {
  return node->end == DC_END_LEAVE || node->end == DC_END_EXIT;
}
static bool is_scalar(const emitter *e, int32_t reg) { return dc_is_scalar(dc_emit_shape(e, reg)); }
static int32_t guard_reg(const dc_basic_block *node) { return node->op && node->guard >= 0 ? node->op->ins->pred : -1; }

/* --- jumps ---------------------------------------------------------------------------------------------- */

static void go_to_waiting(emitter *e, int32_t n) {
  if (n < 0) PUT("goto done;\n");
  else PUT("goto T%d;\n", n);
}

/* A back edge counts against the poll budget; in loops that may wait for other threads also against the spin budget.
** When it is spent, simple code gives way to the block's other gangs, at once if only these can end the wait; other
** code is deoptimized to tier 0, unless the device finds that waiting on takes less. */
static void burn(emitter *e, int32_t n, int32_t to) {
  if (to < 0 || to > n) return;
  PUT("if (DC_RARE(--polls < 0)) { if (n->tick(n)) return DC_NATIVE_STOP; polls = n->poll_budget; } ");
  dc_emit_yield(e, to);
  if (!dc_emit_loop_waits(e, e->block_of[to], e->block_of[n])) return;
  dc_emit_leaves(e, n, true, to);
  const bool own = e->waits[to] && dc_emit_loop_waits_for_block(e, e->block_of[to], e->block_of[n]);
  PUT(own ? "{ " : "if (DC_RARE(--spins < 0)) { ");
  if (e->waits[to]) {
    dc_emit_give_way(e, n, to);
    return;
  }
  if (dc_emit_loop_waits_for_flag(e, e->block_of[to], e->block_of[n]))
    PUT("if (n->keep_spinning(n)) spins = n->spin_budget; else ");
  if (dc_emit_divergent(e, to)) PUT("goto deoptimize; } ");
  else PUT("{ t%d = act; goto deoptimize; } } ", to);
}

/* Lanes of `mask` exit at the end of node n. */
static void exit_lanes(emitter *e, int32_t n, const char *mask) {
  int32_t h = e->k.loop_at[e->block_of[n]];
  while (h >= 0 && e->k.loop_up[h] >= 0) h = e->k.loop_up[h];
  if ((h >= 0 ? e->fn->node_of[h] : n) <= e->last_pause) e->exits = true;
  PUT("act = M_andn(act, %s); ", mask);
}

/* Lanes of `mask` go from node n to node `to`. */
static void send(emitter *e, int32_t n, int32_t to, const char *mask) {
  if (to == DC_NODE_LEAVE) exit_lanes(e, n, mask);
  else if (dc_emit_is_exit(e, to)) PUT("if (M_any(%s)) { m = %s; goto N%d; } ", mask, mask, to);
  else PUT("t%d = M_or(t%d, %s); ", to, to, mask);
}

/* All lanes of a convergent node go to `to`. */
static void jump_together(emitter *e, int32_t n, int32_t to) {
  if (to == DC_NODE_LEAVE) {
    PUT("act = M_none(); goto done;\n");
  } else if (dc_emit_divergent(e, to)) {
    PUT("t%d = act; ", to);
    burn(e, n, to);
    PUT("goto T%d;\n", to);
  } else {
    burn(e, n, to);
    PUT("goto N%d;\n", to);
  }
}

/* Lanes of node n went to a and b, either of which may be a back edge: the lower one runs first. */
static void go_on_after_split(emitter *e, int32_t n, int32_t a, int32_t b) {
  const int32_t to[] = { a < b ? a : b, a < b ? b : a };
  for (int i = 0; i < 2; i++) {
    if (to[i] < 0 || to[i] > n || (i && to[i] == to[0])) continue;
    PUT("if (M_any(t%d)) { ", to[i]);
    burn(e, n, to[i]);
    PUT("goto T%d; } ", to[i]);
  }
  go_to_waiting(e, dc_emit_next_waiting(e, n));
}

/* Whether a lane that runs node n alone goes on to `to` alone. */
static bool runs_on_alone(const emitter *e, int32_t n, int32_t to) {
  const int32_t *alone = e->k.alone;
  return to > n && alone[e->block_of[n]] && alone[e->block_of[to]] == alone[e->block_of[n]] && !dc_emit_is_exit(e, to);
}

/* Lanes of node n all go to `to`. */
static void go(emitter *e, int32_t n, int32_t to) {
  if (!dc_emit_divergent(e, n)) {
    jump_together(e, n, to);
    return;
  }
  const bool follows = to > n && e->ways[to] == 1 && dc_emit_next_waiting(e, n) == to && dc_emit_divergent(e, to);
  if (follows || runs_on_alone(e, n, to)) {
    PUT("goto N%d;\n", to); /* the same lanes */
    return;
  }
  send(e, n, to, e->mask);
  go_on_after_split(e, n, to, -1);
}

/* Whether a convergent node's diverging lanes rejoin at `to`, so that they may jump there together. */
static bool rejoins(const emitter *e, int32_t n, int32_t to) {
  return to > n && !dc_emit_divergent(e, n) && !dc_emit_divergent(e, to) && !dc_emit_is_exit(e, to);
}

/* Jumps to `to` if no lane takes the other side. */
static void skip(emitter *e, int32_t n, int32_t to, const char *others) {
  if (rejoins(e, n, to)) PUT("if (!M_any(%s)) goto N%d; ", others, to);
}

static void body(emitter *e, const dc_basic_block *node, const char *mask);

/* The predicated arm of node n.  In a convergent node the branch's predicate alone is the mask: values of lanes that
** have exited are not read. */
static void run_arm(emitter *e, int32_t n) {
  const dc_basic_block *node = dc_emit_node(e, n);
  const bool not = (e->predicated[n] == node->next) != (node->flip != 0);
  e->chooses = !dc_emit_divergent(e, n);
  if (!e->chooses) {
    PUT("{ const M in_ = M_and%s(%s, ", not ? "n" : "", e->mask);
    dc_emit_register(e, guard_reg(node), 'm');
    PUT(");\n");
  } else PUT("{ const P in_ = %s(p%d);\n", not ? "P_not" : "", guard_reg(node));
  body(e, dc_emit_node(e, e->predicated[n]), "in_");
  PUT("}\n");
  e->chooses = false;
}

/* The node's lanes for which its guard holds, tk, and the others, nt. */
static void split_lanes(emitter *e, const dc_basic_block *node) {
  const char *flip = node->flip ? "n" : "", *keep = node->flip ? "" : "n";
  PUT("{ const M g_ = ");
  dc_emit_register(e, guard_reg(node), 'm');
  PUT("; tk = M_and%s(%s, g_); nt = M_and%s(%s, g_); }\n", flip, e->mask, keep, e->mask);
}

/* Node n is a loop that polls memory.  If none of its lanes polls again (`stay` is empty), they go on to `on` with the
** mask that they have: by a branch, which the processor predicts, so that later loads do not depend on what was
** polled. */
static void pass_together(emitter *e, int32_t n, int32_t on, const char *stay) {
  if (on < n || dc_emit_is_exit(e, on) || !dc_emit_divergent(e, n)) return;
  if (!dc_emit_loop_waits(e, e->block_of[n], e->block_of[n])) return;
  PUT("if (DC_USUAL(!M_any(%s))) { ", stay);
  send(e, n, on, e->mask);
  go_to_waiting(e, dc_emit_next_waiting(e, n));
  PUT("} ");
}

/* A divergent branch: lanes tk take it, nt do not. */
static void diverge(emitter *e, int32_t n) {
  const dc_basic_block *node = dc_emit_node(e, n);
  int32_t taken = node->taken, next = node->next;
  if (e->predicated[n] >= 0) {
    run_arm(e, n);
    go(e, n, e->predicated[n] == next ? taken : next);
    return;
  }
  split_lanes(e, node);
  if (!dc_emit_divergent(e, n) && (taken == DC_NODE_LEAVE) != (next == DC_NODE_LEAVE)) { /* some exit */
    int32_t on = taken == DC_NODE_LEAVE ? next : taken;
    skip(e, n, on, taken == DC_NODE_LEAVE ? "tk" : "nt");
    exit_lanes(e, n, taken == DC_NODE_LEAVE ? "tk" : "nt");
    PUT("if (!M_any(act)) goto done; ");
    jump_together(e, n, on);
    return;
  }
  skip(e, n, taken, "nt");
  skip(e, n, next, "tk");
  if (taken == n) pass_together(e, n, next, "tk");
  if (next == n) pass_together(e, n, taken, "nt");
  bool first = !dc_emit_is_exit(e, taken); /* to exits last: lanes do not return from there */
  send(e, n, first ? taken : next, first ? "tk" : "nt");
  send(e, n, first ? next : taken, first ? "nt" : "tk");
  go_on_after_split(e, n, taken, next);
}

static void jump(emitter *e, int32_t n) {
  const dc_basic_block *node = dc_emit_node(e, n);
  int32_t g = guard_reg(node);
  if (g >= 0 && !is_scalar(e, g)) {
    diverge(e, n);
    return;
  }
  if (g >= 0) {
    PUT("if (%ss%d) { ", node->flip ? "!" : "", g);
    go(e, n, node->taken);
    PUT("}\n");
  }
  go(e, n, g >= 0 ? node->next : node->taken);
}

/* --- ends of nodes -------------------------------------------------------------------------------------- */

/* The operands of the node's end, which warp.c does, to tier 0's register file; mask NULL: of all lanes. */
static void store_operands(emitter *e, const dc_basic_block *node, const char *mask) {
  const ptx_ins *ins = node->op->ins;
  dc_emit_sources_to_slots(e, ins, mask);
  if (ins->pred >= 0) dc_emit_to_slot(e, ins->pred, mask);
}

/* Counts the lanes for which the predicate of a barrier's reduction holds, and the others. */
static void contribute(emitter *e, const dc_basic_block *node) {
  e->reduces = true;
  PUT("if (simple) { const M p_ = ");
  dc_emit_operand(e, &node->op->ins->opnd[2], 'm');
  PUT("; yes += s_popc_32(M_word(act) & p_); no += s_popc_32(M_word(act) & ~p_); } else { ");
  store_operands(e, node, NULL);
  PUT("}\n");
}

/* The result, where a gang goes on at node n: of all gangs, or from warp.c in the register file. */
static void put_reduction(emitter *e, int32_t n) {
  const ptx_ins *ins = e->reduced[n] >= 0 ? dc_emit_node(e, e->reduced[n])->op->ins : NULL;
  const int32_t d = ins ? ins->opnd[0].reg : -1;
  if (d < 0 || e->f->slot[d] < 0) return;
  const char *result = ins->mode == PTX_BAR_RED_POPC ? "sum" : ins->mode == PTX_BAR_RED_OR ? "sum != 0" : "every";
  const bool scalar = is_scalar(e, d), truth = dc_emit_bits(e, d) == 1;
  if (scalar) PUT("s%d = simple ? %s : ", d, result);
  else PUT("%c%d = %s_splat(simple ? %s : ", truth ? 'p' : 'v', d, e->word[d] ? "M" : truth ? "P" : "V32", result);
  dc_emit_first_of_slot(e, d);
  PUT(scalar ? ";\n" : ");\n");
}

static void pause_at(emitter *e, int32_t n) {
  const dc_basic_block *node = dc_emit_node(e, n);
  const bool whole = dc_emit_is_simple_barrier(e, n);
  e->out->suspends = true;
  if (!whole) {
    store_operands(e, node, NULL);
  } else if (node->op->ins->ndst) {
    contribute(e, node);
  }
  dc_emit_suspend(e, n);
  if (whole && node->next < 0) PUT("act = M_none(); DC_PAUSE(%d, 0)\n", n);
  else if (whole && e->from[n] >= 0) dc_emit_pause_from(e, n);
  else PUT("DC_PAUSE(%d, %d)\n", n, node->next);
}

/* Deoptimizes before the end of the node, which tier 0 does. */
static void leave_at_end(emitter *e, int32_t n) {
  const dc_basic_block *node = dc_emit_node(e, n);
  dc_emit_leaves(e, n, false, -1);
  PUT("DC_ENTER ");
  store_operands(e, node, e->mask);
  if (node->end == DC_END_BRX)
    for (int32_t i = 0; i < node->ntargets; i++) dc_emit_deoptimize(e, node->targets[i], e->mask);
  else dc_emit_deoptimize(e, node->next, e->mask);
  PUT("n->node = %d; n->lanes = M_word(%s); goto finish;\n", n, e->mask);
}

/* ret or exit, of all lanes or those for which the guard holds. */
static void end_lanes(emitter *e, int32_t n) {
  const dc_basic_block *node = dc_emit_node(e, n);
  const int32_t g = guard_reg(node);
  const bool divergent = dc_emit_divergent(e, n);
  if (g < 0) {
    if (!divergent) {
      PUT("act = M_none(); goto done;\n");
      return;
    }
    send(e, n, DC_NODE_LEAVE, e->mask);
    go_to_waiting(e, dc_emit_next_waiting(e, n));
    return;
  }
  split_lanes(e, node);
  exit_lanes(e, n, "tk");
  if (divergent) {
    send(e, n, node->next, "nt");
    go_on_after_split(e, n, node->next, -1);
  } else {
    PUT("if (!M_any(act)) goto done; ");
    jump_together(e, n, node->next);
  }
}

/* A trap or a failed assertion ends the launch. */
static void call_builtin(emitter *e, int32_t n) {
  const dc_basic_block *node = dc_emit_node(e, n);
  dc_emit_builtin(e, n, e->mask);
  if ((node->end == DC_END_TRAP || node->end == DC_END_ASSERT) && node->guard < 0) PUT("return DC_NATIVE_STOP;\n");
  else go(e, n, node->next);
}

static void end_node(emitter *e, int32_t n) {
  const dc_basic_block *node = dc_emit_node(e, n);
  if (is_bra(node)) jump(e, n);
  else if (leaves(node)) end_lanes(e, n);
  else if (dc_emit_pauses(e, n)) pause_at(e, n);
  else if (dc_emit_is_call(e, node)) dc_emit_call(e, node), go(e, n, node->next);
  else if (dc_is_builtin_end(node)) call_builtin(e, n);
  else if (node->end == DC_END_SLEEP) go(e, n, node->next); /* which may take any time, also none */
  else leave_at_end(e, n);
}

/* --- nodes ---------------------------------------------------------------------------------------------- */

/* A lane that is missing in its own member mask is a fault: tier 0 runs the operation again and reports it. */
static void check_members(emitter *e, const ptx_ins *ins) {
  if (!dc_may_lack_members(ins)) return;
  const ptx_operand *member = ptx_member(ins);
  const bool scalar = dc_value_shape_of(&e->k, member).tag == DC_UNIFORM;
  PUT(scalar ? "if (DC_RARE((M_word(%s) & ~" : "if (DC_RARE(dc_outsiders(", scalar ? e->mask : "");
  dc_emit_operand(e, member, scalar ? 'W' : 'w');
  if (!scalar) PUT(", %s)", e->mask);
  else PUT(")");
  if (ins->pred >= 0) {
    PUT(" & %s", ins->pred_neg ? "~" : "");
    dc_emit_register(e, ins->pred, 'm');
  }
  PUT(")) n->outsider(n);\n");
}

/* A warp-wide operation in divergent code waits for the lanes of its member mask: if some are missing, the lanes here
** are deoptimized to tier 0. */
static void gather(emitter *e, int32_t n) {
  const dc_basic_block *node = dc_emit_node(e, n);
  if (node->wait == DC_WAIT_NOT) return;
  const ptx_ins *ins = dc_emit_waiting(node);
  e->out->lane_free = false;
  const ptx_operand *member = ptx_member(ins);
  bool divergent = dc_emit_divergent(e, n), scalar = dc_value_shape_of(&e->k, member).tag == DC_UNIFORM;
  check_members(e, ins);
  if (!divergent) return;
  dc_emit_leaves(e, n, false, n);
  PUT("if (DC_RARE((");
  if (!scalar) PUT("dc_members(");
  dc_emit_operand(e, member, scalar ? 'W' : 'w');
  if (!scalar) PUT(", %s)", e->mask);
  PUT(" & M_word(act) & ~M_word(%s)) != 0", e->mask);
  PUT(")) { t%d = %s; goto deoptimize; }\n", n, e->mask);
}

static void body(emitter *e, const dc_basic_block *node, const char *mask) {
  const dc_uop *first = e->fn->nodes[0].first;
  const int32_t b = e->block_of[node - e->fn->nodes];
  dc_emit_enter_loops(e, b);
  if (dc_runs_first_lane(&e->k, b)) PUT("lane = 0;\n");
  else if (e->k.alone[b])
    PUT("lane = dc_first_lane(%s(%s));\n", e->chooses ? "P_word" : "M_word", mask);
  for (const dc_uop *o = node->first; o < node->last; o++) {
    const ptx_ins *ins = o->ins;
    int32_t index = (int32_t)(o - first);
    if (dc_emit_is_hoisted(e, ins)) continue;
    if (!dc_emit_is_product(o)) dc_emit_end_products(e);
    e->alone = dc_emit_is_alone(e, ins);
    if (ins->pred < 0) {
      const bool keep = e->k.blend[dc_emit_at(e, ins)] && dc_emit_must_keep(e, (int32_t)(node - e->fn->nodes), ins);
      dc_emit_prefetch_elements(e, ins, mask);
      dc_emit_operation(e, ins, index, mask, keep);
      continue;
    }
    dc_emit_end_copies(e);
    PUT("{ const M g_ = M_and%s(%s, ", ins->pred_neg ? "n" : "", mask);
    dc_emit_register(e, ins->pred, 'm');
    PUT("); if (M_any(g_)) {\n");
    dc_emit_operation(e, ins, index, "g_", true);
    dc_emit_end_copies(e);
    PUT("} }\n");
  }
  dc_emit_end_copies(e);
  e->alone = false;
}

/* Whether node n is entered from the one before it alone, by all lanes. */
static bool continues(const emitter *e, int32_t n) {
  if (n == 0 || e->entered[n] || e->inlined[n - 1] || e->ways[n] != 1) return false;
  const dc_basic_block *before = dc_emit_node(e, n - 1);
  return before->end == DC_END_JUMP && before->guard < 0 && before->taken == n && !dc_emit_divergent(e, n - 1) &&
         !dc_emit_divergent(e, n);
}

static void emit_node(emitter *e, int32_t n) {
  if (e->inlined[n]) return;
  if (!continues(e, n)) e->region++;
  bool divergent = dc_emit_divergent(e, n);
  e->mask = divergent ? "m" : "act";
  if (e->tracked[n]) {
    PUT("T%d: if (!M_any(t%d)) ", n, n);
    go_to_waiting(e, dc_emit_next_without(e, n));
    if (divergent) PUT("m = t%d; ", n);
    PUT("t%d = M_none();\n", n);
  }
  PUT("N%d: ;\n", n);
  if (!dc_emit_is_exit(e, n)) gather(e, n);
  body(e, dc_emit_node(e, n), e->mask);
  if (n + 1 == e->nnodes || !continues(e, n + 1)) dc_emit_end_products(e);
  end_node(e, n);
}

/* --- the function --------------------------------------------------------------------------------------- */

/* Whether a register needs an initial value: a masked write reads it, and C compilers treat a value that depends on an
** uninitialized one as undefined in all lanes. */
static bool is_blended(const emitter *e, int32_t r) {
  for (int32_t i = e->k.def_at[r]; i < e->k.def_at[r + 1]; i++)
    if (e->k.blend[e->k.defs[i]]) return true;
  return false;
}

static void declare(emitter *e) {
  for (int32_t r = 0; r < e->f->nregs; r++) {
    bool defined = e->k.def_at[r] != e->k.def_at[r + 1], used = e->k.use_at[r] != e->k.use_at[r + 1];
    int bits = dc_emit_bits(e, r);
    if ((!defined && !used) || e->sum_at[r] >= 0) continue;
    if (dc_is_scalar(dc_emit_shape(e, r))) PUT("uint%d_t s%d = 0; ", bits == 64 ? 64 : 32, r);
    else if (e->word[r]) PUT("M p%d = 0; ", r);
    else if (bits == 1) PUT("P p%d%s; ", r, is_blended(e, r) ? " = P_splat(0)" : "");
    else if (bits == 64) PUT("V64 v%d%s; ", r, is_blended(e, r) ? " = V64_splat(0)" : "");
    else if (e->lane_bits[r]) PUT("%s v%d; ", e->lane_bits[r] == 8 ? "VB" : "VH", r);
    else PUT("V32 v%d%s; ", r, is_blended(e, r) ? " = V32_splat(0)" : "");
  }
  for (int32_t i = 0; i < e->f->nins; i++)
    if (e->origin[i]) PUT(dc_emit_is_index(e, i) ? "V32 i%d; " : "uint32_t x%d = 0; int ok%d = 1; ", i, i);
  for (int32_t i = 0; i < e->f->nins; i++)
    if (e->joined[i].by == i + 1 && e->joined[i].kind != DC_JOINED_SAME) {
      const bool word = e->joined[i].kind == DC_JOINED_WORD, field = e->joined[i].kind == DC_JOINED_FIELD;
      PUT("%s w%d; ", word ? "V32" : field ? "dc_four" : dc_emit_pair(&e->f->ins[i]), i);
      if (field) PUT("int c%d = 0; ", i);
    }
  for (int32_t i = 0; i < e->f->nins; i++)
    if (e->strides[i])
      PUT("dc_last_access a%d = { .window = %d }; ", i, dc_emit_is_in_storing_loop(e, e->k.block_of[i]));
  for (int32_t i = 0; i < e->f->nins; i++)
    if (dc_emit_walks(e, i)) PUT("dc_walk b%d; b%d.known = M_none(); ", i, i);
    else if (dc_emit_row_of_loop(e, i) == i) PUT("dc_loop_row r%d = { .tested = M_none() }; ", i);
  for (int32_t i = 0; i < e->f->nins; i++)
    if (e->loops[i]) PUT("dc_last_access h%d[DC_LAST_ACCESSES] = {{0}}; ", i);
  for (int32_t n = 0; n < e->nnodes; n++)
    if (e->tracked[n]) PUT("M t%d = M_none(); ", n);
  if (e->prefetches_ahead) PUT("uint64_t ahead = 0; ");
  if (e->streamed_bytes) PUT("\n#define DC_STREAMS (n->cached_bytes < %du)\n", e->streamed_bytes);
  if (e->most_copies) PUT("dc_copying copies[%d]; ", e->most_copies);
  for (int b = DC_BASE_SHARED; b < DC_BASE_LOCAL; b++) {
    const bool changes = b == DC_BASE_SHARED && e->out->yields && e->out->simple;
    PUT("%suint64_t %s = n->base[%d]; ", changes ? "" : "const ", dc_emit_base(b), b);
  }
  PUT("const uint64_t variables = n->variables, functions = n->functions; ");
  if (!e->callee) PUT("uint64_t base4 = n->base[4]; enum { depth = 0 }; ");
  if (e->k.shape.by_lane)
    PUT("uint8_t call_[%u] __attribute__((aligned(16))); ", e->fn->call_stride + 16);
  PUT("\nM act, m = M_none(), tk, nt; uint32_t lane = 0, go_on;\n"
      "int polls = n->poll_budget, spins = n->spin_budget, r;\n");
  dc_emit_hoist(e);
}

static void begin(emitter *e) {
  if (e->reduces)
    PUT("const int simple = %d; uint32_t yes = n->counts.yes, no = n->counts.no, sum = n->counts.sum, "
        "every = n->counts.every;\n", e->out->simple);
  if (e->out->yields) PUT("int turn = 0;\n");
  if (!e->k.shape.by_lane) PUT("#define call_ (uint8_t *)(uintptr_t)n->base[%d]\n", DC_BASE_CALL);
  if (e->out->simple) dc_emit_begin_gangs(e);
  else
    PUT("#define DC_SAVE n->save\n#define DC_PAUSE(at, to) { n->node = at; goto pause; }\n"
        "#define DC_PAUSE_FROM(at, to, from, or, busy, then) DC_PAUSE(at, to)\n"
        "#define DC_LEADS 0\n#define DC_YIELDS 0\n#define DC_YIELD(at)\n#define DC_ENTER\n"
        "const uint32_t(*const tid)[32] = n->tid; act = M_from(n->lanes); switch (n->node) {\n");
  for (int32_t n = 0; n < e->nnodes; n++) {
    if (!e->entered[n]) continue;
    PUT("case %d: E%d: ", n, n);
    if (e->out->simple && e->out->suspends) dc_emit_enter_gang(e);
    if (n) {
      dc_emit_resume(e, n);
      dc_emit_remat(e, n);
      put_reduction(e, n);
      if (e->out->simple && e->has_leave) PUT("if (DC_RARE(n->leave_all)) { t%d = act; goto deoptimize; }\n", n);
    }
    if (dc_emit_divergent(e, n)) PUT("t%d = act; goto T%d;\n", n, n);
    else PUT("goto N%d;\n", n);
  }
  if (e->out->simple) dc_emit_yield_entries(e);
  PUT("default: return DC_NATIVE_STOP; }\n");
}

/* The ends of the function: done, suspension, deoptimization of all waiting lanes. */
static void tail(emitter *e) {
  if (e->out->simple) {
    dc_emit_end_gangs(e);
  } else {
    PUT("done: n->live = M_word(act); return DC_NATIVE_DONE;\n");
    PUT("pause: n->live = n->lanes = M_word(act); return DC_NATIVE_SUSPEND;\n");
  }
  if (!e->has_leave) return;
  PUT("deoptimize: DC_ENTER n->node = n->lanes = 0; r = DC_NATIVE_LEAVE; goto out;\n");
  PUT("finish: r = DC_NATIVE_FINISH;\nout: n->live = M_word(act); m = M_none();\n");
  for (int32_t i = 0; i < e->out->nwaiting; i++)
    PUT("n->wait[%d] = M_word(t%d); m = M_or(m, t%d);\n", i, e->out->waiting[i], e->out->waiting[i]);
  dc_emit_deoptimize_all(e);
  if (e->out->simple) dc_emit_leave_gangs(e);
  PUT("return r;\n");
}

/* What keeps a function at tier 0, for messages; NULL: nothing.  Only code that runs lanes one by one calls other
** functions of the module. */
static const char *obstacle(const dc_cpu_function *fn, bool by_lane) {
  const ptx_func *f = fn->ptx;
  if (f->nins > MAX_INSTRUCTIONS) return "too many instructions (of PTX, the limit is " TEXT(MAX_INSTRUCTIONS) ")";
  if (f->has_indirect_call && !by_lane) return "calls through pointers";
  for (int32_t r = 0; r < f->nregs; r++)
    if (f->regs[r].bits == 128 && f->slot[r] >= 0) return "registers of 128 bits";
  for (int32_t n = 0; n < fn->nnodes; n++) {
    if (fn->nodes[n].callee && !by_lane) return "calls of functions";
    if (!f->entry && fn->nodes[n].end == DC_END_EXIT) return "an exit of the thread in a function";
  }
  return NULL;
}

/* What code that runs lanes one by one cannot do, or not within calls. */
static const char obstacle_of_lanes[] =
    "barriers, warp-wide operations, loops that may wait for others, or pointers to many functions";

void dc_emit_refuse_calls(char why[DC_REFUSAL]) {
  snprintf(why, DC_REFUSAL, "it calls functions, and has %s", obstacle_of_lanes);
}

static int outputs(emitter *e) {
  dc_emitted *out = e->out;
  out->waiting = malloc(((size_t)e->nnodes + 1) * sizeof *out->waiting);
  out->resumes = calloc((size_t)e->nnodes + 1, 1);
  if (!out->waiting || !out->resumes) return dc_fail_oom(e->err);
  if (e->has_leave && out->simple)
    for (int32_t n = 1; n < e->nnodes; n++)
      if (e->entered[n]) dc_emit_waits_at(e, n);
  for (int32_t n = 0; n < e->nnodes; n++) {
    if (dc_bit_has(e->waiting, n)) out->waiting[out->nwaiting++] = n;
    out->resumes[n] = e->entered[n];
  }
  out->leaves = e->has_leave;
  out->lane_free = out->lane_free && out->simple && !e->has_leave; /* a gang that leaves goes on as a warp */
  out->narrow = out->narrow && out->lane_free;
  out->operates = e->operates;
  dc_emit_estimate(e);
  return 0;
}

/* The text of all nodes: before the function's head, since declarations and prologue depend on them. */
static void emit_nodes(emitter *e, dc_buf *nodes) {
  e->t = nodes;
  for (int32_t n = 0; n < e->nnodes; n++) emit_node(e, n);
}

/* Not on the stack: its 20 KiB are too many for small ones.  NULL: out of memory. */
static emitter *new_emitter(const dc_cpu_function *fn, dc_emitted *out, dc_callees *callees, dc_error *err) {
  emitter *e = malloc(sizeof *e);
  if (e == NULL) dc_fail_oom(err);
  else *e = (emitter){ .fn = fn, .f = fn->ptx, .out = out, .err = err, .nnodes = fn->nnodes, .callees = callees };
  return e;
}

static void free_emitter(emitter *e) {
  dc_uniformity_free(&e->k); /* with all arrays */
  dc_arena_free(&e->tables);
  free(e);
}

static const char irregular[] = "loops with several entries, or too many in one another";

/* 1, with the reason for which fn stays at tier 0 in `why`. */
static int refuse(char why[DC_REFUSAL], const dc_cpu_function *fn, const char *what) {
  snprintf(why, DC_REFUSAL, "%s has %s", fn->ptx->entry ? "it" : "a function that it calls", what);
  return 1;
}

/* A function that the kernel calls, appended to `text`.  1: it is one that tier 1 does not take. */
static int emit_callee(emitter *kernel, const dc_cpu_function *fn, char why[DC_REFUSAL], dc_buf *text) {
  const char *what = obstacle(fn, true);
  if (what) return refuse(why, fn, what);
  kernel->out->recursive |= fn->ptx->recursive;
  dc_emitted out = { .simple = true, .lane_free = true, .narrow = true };
  emitter *e = new_emitter(fn, &out, kernel->callees, kernel->err);
  if (e == NULL) return -1;
  e->callee = true;
  int rc = dc_emit_survey(e, kernel->k.shape);
  if (rc == 1) refuse(why, fn, irregular);
  if (rc == 0) {
    dc_buf nodes = DC_BUF_INIT;
    emit_nodes(e, &nodes);
    e->t = text;
    dc_emit_prototype(e, fn);
    PUT(" {\n");
    declare(e);
    dc_emit_callee_begin(e);
    dc_buf_add(e->t, dc_buf_str(&nodes), nodes.len);
    PUT("done: return DC_NATIVE_DONE;\n}\n");
    if (e->has_leave || e->operates || out.suspends || !out.narrow || !out.lane_free)
      rc = refuse(why, fn, obstacle_of_lanes);
    if (nodes.failed || text->failed) rc = dc_fail_oom(e->err);
    dc_buf_free(&nodes);
    kernel->numbers |= e->numbers;
    kernel->out->atomics |= out.atomics;
    if (fn->local_stride) kernel->out->stack_bytes = DC_THREAD_STACK;
  }
  free_emitter(e);
  return rc;
}

static int emit(emitter *e, dc_gang_layout shape, char why[DC_REFUSAL]) {
  int rc = dc_emit_survey(e, shape);
  if (rc == 1) refuse(why, e->fn, irregular);
  if (rc != 0) return rc;
  dc_buf functions = DC_BUF_INIT, nodes = DC_BUF_INIT;
  emit_nodes(e, &nodes);
  for (int32_t i = 0; i < e->callees->n && rc == 0; i++) rc = emit_callee(e, e->callees->list[i], why, &functions);
  if (rc == 0) rc = outputs(e);
  e->t = &e->out->text;
  PUT("#include \"native%d.h\"\n", shape.width);
  dc_emit_matrix_head(e);
  dc_emit_tables(e);
  dc_emit_windows(e);
  PUT("#define DC_GANG %s\n", !e->out->simple ? "0" : e->out->yields ? "g->number" : "((uint64_t)(uintptr_t)g >> 4)");
  for (int32_t i = 0; i < e->callees->n; i++) {
    dc_emit_prototype(e, e->callees->list[i]);
    PUT(";\n");
  }
  dc_buf_add(e->t, dc_buf_str(&functions), functions.len);
  PUT("__attribute__((visibility(\"default\"))) int dc_run(dc_native *n) {\n");
  declare(e);
  dc_emit_matrix_variables(e);
  begin(e);
  dc_buf_add(e->t, dc_buf_str(&nodes), nodes.len);
  tail(e);
  PUT("}\n");
  if (nodes.failed || functions.failed || e->t->failed) rc = dc_fail_oom(e->err);
  dc_buf_free(&nodes);
  dc_buf_free(&functions);
  return rc;
}

int dc_emit(const dc_cpu_function *fn, dc_gang_layout shape, dc_emitted *out, char why[DC_REFUSAL], dc_error *err) {
  const char *what = obstacle(fn, shape.by_lane);
  dc_callees callees = { .n = 0 };
  memset(out, 0, sizeof *out);
  out->lane_free = out->narrow = true;
  out->simple = !shape.by_warp;
  if (what) return refuse(why, fn, what);
  emitter *e = new_emitter(fn, out, &callees, err);
  if (e == NULL) return -1;
  const int rc = emit(e, shape, why);
  free(callees.list);
  free_emitter(e);
  if (rc != 0) dc_emitted_free(out);
  return rc;
}

void dc_emitted_free(dc_emitted *e) {
  dc_buf_free(&e->text);
  free(e->waiting);
  free(e->resumes);
  memset(e, 0, sizeof *e);
}
