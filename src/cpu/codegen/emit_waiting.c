/*
** emit_waiting.c - see emit_waiting.h.
**
** The lowest node with waiting lanes runs first, so while a node runs lanes wait at higher ones alone, and only at
** those where lanes may have gone since all were together.  Data-flow sets of these keep jumps in emitted code few
** (behind a jump to any later node the C compiler merges all values there) and little what is stored where lanes are
** deoptimized (a scan's first launch compiles for 0.63, before 0.75 s).
*/
#include "cpu/codegen/emit_waiting.h"

#include <string.h>

#include "base/bitset.h"
#include "base/runtime.h"
#include "cpu/analysis/cfg.h"
#include "cpu/codegen/emit_calls.h"
#include "cpu/codegen/emit_state.h"

/* --- sets of nodes -------------------------------------------------------------------------------------- */

static uint64_t *after(const emitter *e, int32_t n) { return e->after + (size_t)n * e->node_words; }

/* The members of the set's word i that are above node n. */
static uint64_t above(const uint64_t *set, int32_t i, int32_t n) {
  if (i != n >> 6) return i < n >> 6 ? 0 : set[i];
  return set[i] & ~(uint64_t)1 << (n & 63);
}

/* The set's lowest member above n; -1: none. */
static int32_t lowest(const emitter *e, const uint64_t *set, int32_t n) {
  for (int32_t i = n < 0 ? 0 : n >> 6; i < (int32_t)e->node_words; i++) {
    const uint64_t word = n < 0 ? set[i] : above(set, i, n);
    if (word) return i * 64 + __builtin_ctzll(word);
  }
  return -1;
}

/* --- where lanes wait ----------------------------------------------------------------------------------- */

/* Whether lanes of node n may go to both of its successors. */
static bool splits(const emitter *e, int32_t n) {
  const dc_basic_block *node = dc_emit_node(e, n);
  if (!node->op || node->guard < 0 || node->end != DC_END_JUMP || e->predicated[n] >= 0) return false;
  return !dc_is_scalar(dc_emit_shape(e, node->op->ins->pred));
}

static void track(emitter *e, int32_t n) {
  if (n >= 0 && !e->inlined[n]) e->tracked[n] = true;
}

/* Whether some site may deoptimize (dc_emit_leaves), as far as is known before any is emitted. */
static bool may_leave(const emitter *e) {
  for (int32_t n = 0; n < e->nnodes; n++) {
    const dc_basic_block *node = dc_emit_node(e, n);
    if (node->spin && (node->next <= n || node->taken <= n)) return true;
    if (node->wait != DC_WAIT_NOT && dc_emit_divergent(e, n)) return true;
    const bool goes_on = node->end == DC_END_JUMP || node->end == DC_END_LEAVE || node->end == DC_END_EXIT ||
                         node->end == DC_END_SLEEP || dc_is_builtin_end(node) || dc_emit_is_call(e, node);
    if (!goes_on && !dc_emit_pauses(e, n)) return true;
  }
  return false;
}

static void find_tracked(emitter *e) {
  const bool leaves = may_leave(e);
  for (int32_t n = 0; n < e->nnodes; n++) {
    const dc_basic_block *node = dc_emit_node(e, n);
    const bool divergent = dc_emit_divergent(e, n);
    if (e->inlined[n]) continue;
    if (divergent) track(e, n);
    if (divergent || splits(e, n)) {
      track(e, node->next);
      track(e, node->taken);
    }
    if (e->entered[n] && leaves) track(e, n); /* so may those of a gang that has paused, when another leaves */
    if (node->spin && node->next <= n) track(e, node->next); /* lanes may be deoptimized there */
    if (node->spin && node->taken <= n) track(e, node->taken);
  }
}

/* Where lanes may wait when node n has sent its own on; to `set`.  Nothing: they have stayed together. */
static void behind(const emitter *e, int32_t n, uint64_t *set) {
  const dc_basic_block *node = dc_emit_node(e, n);
  const bool divergent = dc_emit_divergent(e, n);
  const int32_t to[] = {node->next, node->taken};
  if (divergent) memcpy(set, after(e, n), e->node_words * sizeof *set);
  else memset(set, 0, e->node_words * sizeof *set);
  for (int i = 0; i < 2 && (divergent || splits(e, n)); i++)
    if (to[i] >= 0 && e->tracked[to[i]] && !dc_emit_is_exit(e, to[i])) dc_bit_add(set, to[i]);
}

/* Lanes may wait at nodes of `set` above `than` when control comes to node `to`.  True: that is news. */
static bool come(emitter *e, int32_t to, const uint64_t *set, int32_t than) {
  uint64_t *into = after(e, to), news = 0;
  for (int32_t i = than < 0 ? 0 : than >> 6; i < (int32_t)e->node_words; i++) {
    const uint64_t word = than < 0 ? set[i] : above(set, i, than);
    news |= word & ~into[i];
    into[i] |= word;
  }
  return news != 0;
}

int dc_emit_find_waiting(emitter *e) {
  find_tracked(e);
  e->node_words = (size_t)(e->nnodes + 63) / 64;
  e->after = dc_arena_alloc(&e->k.arena, ((size_t)e->nnodes + 2) * e->node_words * sizeof *e->after);
  if (!e->after) return dc_fail_oom(e->err);
  uint64_t *set = e->behind = after(e, e->nnodes);
  e->waiting = after(e, e->nnodes + 1);
  for (bool news = true; news;) {
    news = false;
    if (dc_interrupted()) return ptx_fail_pass(e->err);
    for (int32_t n = 0; n < e->nnodes; n++) {
      const dc_basic_block *node = dc_emit_node(e, n);
      if (e->inlined[n]) continue;
      behind(e, n, set);
      for (int32_t y = -1; (y = lowest(e, set, y)) >= 0;) news |= come(e, y, set, y);
      if (dc_emit_is_exit(e, node->next)) news |= come(e, node->next, set, -1);
      if (dc_emit_is_exit(e, node->taken)) news |= come(e, node->taken, set, -1);
    }
  }
  return 0;
}

bool dc_emit_may_wait(const emitter *e, int32_t n, int32_t at) {
  return e->tracked[n] && (n == at || dc_bit_has(after(e, at), n));
}

bool dc_emit_must_keep(const emitter *e, int32_t n, const ptx_ins *ins) {
  if (e->inlined[n] || ins->pred >= 0 || dc_emit_is_exit(e, n)) return true; /* others do not wait at a node */
  for (int32_t at = -1; (at = lowest(e, after(e, n), at)) >= 0;)
    for (int i = 0; i < ins->ndst; i++) {
      const int32_t r = ins->opnd[i].reg;
      if (r >= 0 && dc_emit_is_live(e, at, r)) return true;
    }
  return false;
}

int32_t dc_emit_next_waiting(emitter *e, int32_t n) {
  behind(e, n, e->behind);
  return lowest(e, e->behind, dc_emit_is_exit(e, n) ? -1 : n);
}

int32_t dc_emit_next_without(const emitter *e, int32_t n) { return lowest(e, after(e, n), n); }

void dc_emit_leaves(emitter *e, int32_t n, bool sent, int32_t also) {
  e->has_leave = true;
  if (sent) behind(e, n, e->behind);
  const uint64_t *set = sent ? e->behind : after(e, n);
  for (size_t i = 0; i < e->node_words && (sent || dc_emit_divergent(e, n)); i++) e->waiting[i] |= set[i];
  if (also >= 0) dc_bit_add(e->waiting, also);
}

void dc_emit_waits_at(emitter *e, int32_t n) { dc_bit_add(e->waiting, n); }
