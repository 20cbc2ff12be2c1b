/*
** livelock.c - see livelock.h.
**
** A block that makes no progress is watched: its warps run operation by operation.  If none of them writes memory,
** reads memory that other blocks can write, or reads a clock, the block's next state depends on its registers alone.
**  If these are the same after some iterations of the loops, the block never ends.
*/
#include "cpu/runtime/livelock.h"

#include "cpu/ptx/opcode.h"
#include "cpu/ptx/ptx.h"
#include "cpu/runtime/fault.h"

static bool is_time(const ptx_ins *ins) {
  for (int i = ins->ndst; i < ins->ndst + ins->nsrc; i++) {
    const ptx_operand *o = &ins->opnd[i];
    if (o->kind == PTX_SREG && ptx_is_clock(o->sreg)) return true;
  }
  return false;
}

/* Whether lanes `m` read only memory that no other block can change. */
static bool reads_own(const dc_warp *w, const dc_uop *o, uint32_t m) {
  if (o->base != DC_BASE_FLAT) return true;
  for (; m; m &= m - 1) {
    const uint64_t a = dc_lane_address(w, o, __builtin_ctz(m));
    if (a < w->low[DC_BASE_SHARED] || a >= w->high[DC_BASE_SHARED]) return false;
  }
  return true;
}

static bool is_harmless(const dc_warp *w, const dc_uop *o, uint32_t m) {
  switch (o->ins->op) {
    case PTX_OP_LD: return reads_own(w, o, m);
    case PTX_OP_MOV: return !is_time(o->ins);
    case PTX_OP_FENCE: case PTX_OP_MEMBAR: return true;
    default: return (ptx_traits(o->ins->op) & PTX_T_PURE) != 0;
  }
}

void dc_livelock_run(dc_warp *w, const dc_basic_block *node, bool masked) {
  dc_block_run *b = w->ctl->block;
  const dc_isa *ops = w->ops;
  for (const dc_uop *o = node->first; o < node->last; o++) {
    const bool guarded = o->ins->pred >= 0;
    const dc_uop *inner = guarded ? (const dc_uop *)(const void *)o->v : o;
    const uint32_t guard = !guarded ? DC_ALL_LANES : o->neg_a ? ~w->preds[o->a] : w->preds[o->a];
    if ((w->mask & guard) && !is_harmless(w, inner, w->mask & guard)) b->disturbed = true;
    if (o->ins->op == PTX_OP_LD) b->spin_line = o->ins->line;
    ops->run(w, o, o + 1, masked);
  }
  if (node->end != DC_END_JUMP && node->end != DC_END_SLEEP) b->disturbed = true;
}

static uint64_t mix(uint64_t h, const void *data, size_t bytes) {
  const uint8_t *p = data;
  for (size_t i = 0; i < bytes; i++) h = (h ^ p[i]) * 0x100000001b3u; /* FNV-1a */
  return h;
}

/* A hash of registers and positions of all threads that have not exited. */
static uint64_t fingerprint(const dc_block_run *b) {
  uint64_t h = 0xcbf29ce484222325u;
  for (uint32_t i = 0; i < b->nwarps; i++) {
    const dc_warp_slot *s = b->warps[i];
    if (s == NULL) continue;
    h = mix(h, &s->w.live, sizeof s->w.live);
    for (const dc_frame *f = s->c.frames; f; f = f->below) {
      h = mix(h, &f->lanes, sizeof f->lanes);
      h = mix(h, f->regs, f->fn->file_bytes);
      h = mix(h, f->preds, f->fn->npreds * sizeof *f->preds);
      h = mix(h, f->pend, (size_t)f->fn->nnodes * sizeof *f->pend);
    }
  }
  return h;
}

#define WATCH_EVERY 16

bool dc_livelock_check(dc_block_run *b) {
  if (b->watching) {
    b->watching = false;
    return !b->disturbed && fingerprint(b) == b->print;
  }
  if (++b->idles % WATCH_EVERY) return false;
  b->print = fingerprint(b);
  b->spin_line = 0;
  b->disturbed = false;
  b->watching = true;
  return false;
}
