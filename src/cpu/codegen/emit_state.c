/*
** emit_state.c - see emit_state.h.
**
** Suspension (at a barrier, in a call) saves a gang's live values in dc_native.save, scalars as scalars, each in a
** place of its own: what has not been written since the last suspension is there already.  (So the C compiler leaves
** out the loads of what passes through, too: in chains of barriers most values do.)
** Deoptimization writes them to tier 0's register file under masks, since lanes at different nodes may have different
** registers in one slot.
*/
#include "cpu/codegen/emit_state.h"

#include <stdlib.h>
#include <string.h>

#include "base/bitset.h"
#include "base/buf.h"
#include "base/error.h"
#include "cpu/analysis/uniformity.h"
#include "cpu/codegen/emit_calls.h"
#include "cpu/codegen/emit_compare.h"
#include "cpu/interp/code.h"
#include "cpu/interp/interp.h"
#include "cpu/ptx/ptx.h"

#define PUT(...) dc_buf_printf(e->t, __VA_ARGS__)

/* --- liveness, by node ---------------------------------------------------------------------------------- */

static uint64_t *row(const emitter *e, int32_t node) { return e->live + (size_t)node * e->words; }
static uint64_t *lane_row(const emitter *e, int32_t node) { return e->lane_live + (size_t)node * e->words; }
static void add(uint64_t *set, int32_t reg) {
  if (reg >= 0) dc_bit_add(set, reg);
}
static void drop(uint64_t *set, int32_t reg) {
  if (reg >= 0) dc_bit_remove(set, reg);
}

/* Live-out to live-in of one instruction. */
static void pass_back(uint64_t *set, const ptx_ins *ins) {
  for (int i = 0; i < ins->ndst && ins->pred < 0; i++) drop(set, ins->opnd[i].reg);
  for (int i = ins->ndst; i < ins->ndst + ins->nsrc; i++) add(set, ins->opnd[i].reg);
  add(set, ins->pred);
}

/* Adds a set of registers to another. True: some are new. */
static bool merge(const emitter *e, uint64_t *into, const uint64_t *from) {
  uint64_t news = 0;
  for (size_t i = 0; i < e->words; i++) {
    news |= from[i] & ~into[i];
    into[i] |= from[i];
  }
  return news != 0;
}

/* The registers that are live before the last instruction of the node; to `set`. */
static void at_end(const emitter *e, const dc_basic_block *node, uint64_t *set) {
  int32_t to;
  memset(set, 0, e->words * sizeof *set);
  for (int k = 0; dc_node_succ(node, k, &to); k++)
    if (to >= 0) merge(e, set, row(e, to));
  if (node->op) pass_back(set, node->op->ins);
}

bool dc_emit_pauses(const emitter *e, int32_t n) {
  const dc_basic_block *node = dc_emit_node(e, n);
  if (dc_emit_divergent(e, n)) return false;
  switch (node->end) {
    case DC_END_JUMP: case DC_END_LEAVE: case DC_END_EXIT: case DC_END_BRX: case DC_END_SLEEP: return false;
    default: return !dc_emit_is_call(e, node) && !dc_is_builtin_end(node);
  }
}

/* The registers that may have been written between the last entry and the end of node n; to `set`. */
static void changed_at_end(const emitter *e, int32_t n, uint64_t *set) {
  const dc_basic_block *node = dc_emit_node(e, n);
  memcpy(set, e->changed + (size_t)n * e->words, e->words * sizeof *set);
  for (const dc_uop *o = node->first; o < node->last; o++)
    for (int i = 0; i < o->ins->ndst; i++) add(set, o->ins->opnd[i].reg);
}

static bool pass_on(const emitter *e, int32_t to, const uint64_t *set) {
  return to >= 0 && merge(e, e->changed + (size_t)to * e->words, set);
}

/* Fills e->changed.  Where emitted code goes on behind a pause only what the pause itself gives is new. */
static int find_changes(emitter *e, uint64_t *set) {
  e->changed = dc_arena_alloc(&e->k.arena, (size_t)(e->nnodes + 1) * e->words * sizeof *e->changed);
  if (!e->changed) return dc_fail_oom(e->err);
  bool moved = true;
  int32_t to;
  while (moved) {
    moved = false;
    for (int32_t n = 0; n < e->nnodes; n++) {
      const dc_basic_block *node = dc_emit_node(e, n);
      if (dc_emit_pauses(e, n)) memset(set, 0, e->words * sizeof *set);
      else changed_at_end(e, n, set);
      for (int i = 0; node->op && i < node->op->ins->ndst; i++) add(set, node->op->ins->opnd[i].reg);
      for (int k = 0; dc_node_succ(node, k, &to); k++) moved |= pass_on(e, to, set);
    }
  }
  return 0;
}

int dc_emit_liveness(emitter *e) {
  const dc_cpu_function *fn = e->fn;
  e->words = (size_t)(e->f->nregs + 63) / 64 + 1;
  e->live = dc_arena_alloc(&e->k.arena, (size_t)(e->nnodes + 1) * e->words * sizeof *e->live);
  uint64_t *set = e->scratch = dc_arena_alloc(&e->k.arena, e->words * sizeof *set);
  if (!e->live || !set) return dc_fail_oom(e->err);
  bool moved = true;
  while (moved) {
    moved = false;
    for (int32_t n = e->nnodes - 1; n >= 0; n--) {
      const dc_basic_block *node = &fn->nodes[n];
      at_end(e, node, set);
      for (const dc_uop *o = node->last; o > node->first; o--) pass_back(set, o[-1].ins);
      if (node->wait != DC_WAIT_NOT) {
        const ptx_ins *ins = dc_emit_waiting(node);
        add(set, ptx_member(ins)->reg);
        add(set, ins->pred);
      }
      moved |= merge(e, row(e, n), set);
    }
  }
  e->lane_live = dc_arena_alloc(&e->k.arena, (size_t)(e->nnodes + 1) * e->words * sizeof *e->lane_live);
  if (!e->lane_live) return dc_fail_oom(e->err);
  memcpy(e->lane_live, e->live, (size_t)e->nnodes * e->words * sizeof *e->live);
  return find_changes(e, set);
}

#define EACH_LIVE(r, set)                                                                                              \
  for (size_t w_ = 0; w_ < e->words; w_++)                                                                             \
    for (uint64_t b_ = (set)[w_]; b_; b_ &= b_ - 1)                                                                    \
      for (int32_t r = (int32_t)(w_ * 64) + __builtin_ctzll(b_), once_ = 1; once_; once_ = 0)

/* --- suspension --------------------------------------------------------------------------------------- */

int32_t dc_emit_reserve(emitter *e, unsigned bytes) {
  const uint32_t align = bytes % 64 == 0 ? 64 : 8;
  uint32_t at = (e->out->save_bytes + align - 1) / align * align;
  e->out->save_bytes = at + bytes;
  return (int32_t)at;
}

static int32_t save_offset(emitter *e, int32_t reg) {
  int bits = dc_emit_bits(e, reg);
  bool scalar = dc_is_scalar(dc_emit_shape(e, reg));
  if (e->save_at[reg] >= 0) return e->save_at[reg];
  e->save_at[reg] = dc_emit_reserve(e, scalar || bits == 1 ? 8 : bits == 64 ? 256 : 128);
  return e->save_at[reg];
}

/* What has not changed since it was loaded is there. */
static bool is_kept(const emitter *e, int32_t reg) { return !dc_bit_has(e->scratch, reg); }

static void keep_origin(emitter *e, int32_t origin, bool back) {
  if (origin < 0 || e->origin_turn[origin] == e->turn) return; /* shared by several registers */
  const int32_t widened = e->f->ins[origin].opnd[0].reg;
  if (e->remat[widened] || (!back && is_kept(e, widened))) return;
  const bool index = dc_emit_is_index(e, origin);
  e->origin_turn[origin] = e->turn;
  if (e->origin_save_at[origin] < 0) e->origin_save_at[origin] = dc_emit_reserve(e, index ? 128 : 8);
  if (index)
    PUT(back ? "i%d = V32_load((const uint32_t *)(save + %d)); " : "V32_store((uint32_t *)(save + %2$d), i%1$d); ",
        origin, e->origin_save_at[origin]);
  else if (back)
    PUT("x%d = *(uint32_t *)(save + %d); ok%d = save[%d]; ", origin, e->origin_save_at[origin], origin,
        e->origin_save_at[origin] + 4);
  else
    PUT("*(uint32_t *)(save + %d) = x%d; save[%d] = (uint8_t)ok%d; ", e->origin_save_at[origin], origin,
        e->origin_save_at[origin] + 4, origin);
}

static void keep_register(emitter *e, int32_t r, bool back) {
  const dc_value_shape *s = dc_emit_shape(e, r);
  if (e->k.def_at[r] == e->k.def_at[r + 1] || e->remat[r] || e->hoisted[r]) return;
  if (e->sum_at[r] >= 0) return; /* there already */
  int bits = dc_emit_bits(e, r);
  if (e->given[r]) { /* warp.c writes it during the suspension */
    if (!back) {
      dc_emit_to_slot(e, r, NULL);
      return;
    }
    dc_emit_assign(e, r, NULL, false);
    if (dc_is_scalar(s)) dc_emit_first_of_slot(e, r);
    else dc_emit_slot(e, r);
    dc_emit_assign_end(e, r, false);
    return;
  }
  int at = save_offset(e, r);
  if (dc_is_scalar(s)) keep_origin(e, s->origin, back);
  if (!back && is_kept(e, r)) return;
  e->read[r] = true;
  if (dc_is_scalar(s)) {
    if (back) PUT("s%d = *(uint64_t *)(save + %d); ", r, at);
    else PUT("*(uint64_t *)(save + %d) = s%d; ", at, r);
  } else if (bits == 1) {
    const char *const to = e->word[r] ? "" : back ? "P_from" : "P_word";
    if (back) PUT("p%d = %s(*(uint32_t *)(save + %d)); ", r, to, at);
    else PUT("*(uint32_t *)(save + %d) = %s(p%d); ", at, to, r);
  } else {
    const char *type = bits == 64 ? "uint64_t" : "uint32_t";
    int lanes = bits == 64 ? 64 : 32;
    if (back) PUT("v%d = V%d_load((const %s *)(save + %d)); ", r, lanes, type, at);
    else PUT("V%d_store((%s *)(save + %d), v%d); ", lanes, type, at, r);
  }
}

/* `save` is a C variable, since any store may alias n->save. */
static void keep_registers(emitter *e, int32_t node, bool back) {
  e->turn++;
  PUT("{ uint8_t *const save = DC_SAVE; ");
  EACH_LIVE(r, row(e, node)) keep_register(e, r, back);
  PUT("}\n");
}

bool dc_emit_saves(emitter *e, int32_t node) {
  changed_at_end(e, node, e->scratch);
  EACH_LIVE(r, row(e, e->fn->nodes[node].next)) {
    const int32_t origin = dc_emit_shape(e, r)->origin, widened = origin < 0 ? r : e->f->ins[origin].opnd[0].reg;
    if (e->k.def_at[r] == e->k.def_at[r + 1] || e->remat[r]) continue;
    if (e->given[r] || !is_kept(e, r) || (!is_kept(e, widened) && !e->remat[widened])) return true;
  }
  return false;
}

void dc_emit_suspend(emitter *e, int32_t node) {
  const int32_t next = e->fn->nodes[node].next;
  changed_at_end(e, node, e->scratch);
  if (next >= 0) keep_registers(e, next, false);
}

void dc_emit_suspend_at(emitter *e, int32_t node) {
  memset(e->scratch, 0xff, e->words * sizeof *e->scratch);
  keep_registers(e, node, false);
}

void dc_emit_resume(emitter *e, int32_t node) { keep_registers(e, node, true); }

/* --- to tier 0 ------------------------------------------------------------------------------------------ */

void dc_emit_to_slot(emitter *e, int32_t reg, const char *mask) {
  int bits = dc_emit_bits(e, reg);
  int32_t at = e->f->slot[reg];
  if (at < 0) return;
  const char *some = mask ? "_some" : "";
  switch (bits) {
    case 1:
      PUT("n->preds[%d] = ", at);
      if (mask) PUT("M_select(%s, ", mask);
      dc_emit_register(e, reg, 'm');
      if (mask) PUT(", n->preds[%d])", at);
      PUT("; ");
      return;
    case 16: PUT("V16_store%s((uint16_t *)(n->regs + %d), ", some, at); break;
    case 32: PUT("V32_store%s((uint32_t *)(n->regs + %d), ", some, at); break;
    default: PUT("V64_store%s((uint64_t *)(n->regs + %d), ", some, at); break;
  }
  dc_emit_register(e, reg, bits == 64 ? 'd' : 'w');
  if (mask) PUT(", %s", mask);
  PUT("); ");
}

void dc_emit_sources_to_slots(emitter *e, const ptx_ins *ins, const char *mask) {
  for (int i = ins->ndst; i < ins->ndst + ins->nsrc; i++)
    if (ins->opnd[i].reg >= 0) dc_emit_to_slot(e, ins->opnd[i].reg, mask);
}

void dc_emit_slot(emitter *e, int32_t reg) {
  const int bits = dc_emit_bits(e, reg), at = e->f->slot[reg];
  if (bits == 1) PUT("P_from(n->preds[%d])", at);
  else PUT("V%d_load((const uint%d_t *)(n->regs + %d))", bits, bits, at);
}

void dc_emit_first_of_slot(emitter *e, int32_t reg) {
  const int bits = dc_emit_bits(e, reg), at = e->f->slot[reg];
  if (bits == 1) PUT("(n->preds[%d] >> __builtin_ctz(M_word(act)) & 1)", at);
  else PUT("((const uint%d_t *)(n->regs + %d))[__builtin_ctz(M_word(act))]", bits, at);
}

void dc_emit_deoptimize(emitter *e, int32_t node, const char *mask) {
  if (node < 0) return;
  EACH_LIVE(r, lane_row(e, node)) {
    if (e->k.def_at[r] != e->k.def_at[r + 1]) dc_emit_to_slot(e, r, mask);
  }
  PUT("\n");
}

/* Stores the registers that are live at any node where lanes may wait; two may share a slot, for different lanes. */
void dc_emit_deoptimize_all(emitter *e) {
  const ptx_func *f = e->f;
  uint64_t *all = dc_arena_alloc(&e->k.arena, e->words * sizeof *all);
  const size_t nslots = f->file_bytes / 64 + (size_t)f->npreds;
  int32_t *owners = dc_arena_alloc(&e->k.arena, (nslots + 1) * sizeof *owners);
  if (all == NULL || owners == NULL) {
    e->t->failed = true;
    return;
  }
  const int32_t *waiting = e->out->waiting, nwaiting = e->out->nwaiting;
  for (int32_t i = 0; i < nwaiting; i++) merge(e, all, lane_row(e, waiting[i]));
  int32_t *preds = owners + f->file_bytes / 64;
  EACH_LIVE(r, all) {
    if (f->slot[r] >= 0) ++*(f->regs[r].bits == 1 ? &preds[f->slot[r]] : &owners[f->slot[r] / 64]);
  }
  EACH_LIVE(r, all) {
    if (f->slot[r] < 0 || e->k.def_at[r] == e->k.def_at[r + 1]) continue;
    if ((f->regs[r].bits == 1 ? preds[f->slot[r]] : owners[f->slot[r] / 64]) == 1) {
      dc_emit_to_slot(e, r, "m");
      continue;
    }
    PUT("tk = M_none(); ");
    for (int32_t i = 0; i < nwaiting; i++)
      if (dc_bit_has(lane_row(e, waiting[i]), r)) PUT("tk = M_or(tk, t%d); ", waiting[i]);
    dc_emit_to_slot(e, r, "tk");
  }
  PUT("\n");
}
