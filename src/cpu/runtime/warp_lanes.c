/*
** warp_lanes.c - see warp_lanes.h.
**
** Frames form a tree, since subsets of a warp may be in different calls.  A frame's lanes are those in the function or
** in its callees, so when all lanes of a frame are at one node, no call is under way and registers may be written
** whole.
*/
#include "cpu/runtime/warp_lanes.h"

#include <string.h>

#include "cpu/ptx/ptx.h"
#include "cpu/runtime/barrier.h"
#include "cpu/runtime/frames.h"

/* --- frames --------------------------------------------------------------------------------------------- */

void dc_warp_enter(dc_warp *w, dc_frame *f) {
  const dc_cpu_function *fn = f->fn;
  w->ctl->frame = f;
  w->regs = f->regs;
  w->preds = f->preds;
  w->base[DC_BASE_LOCAL] = (uint64_t)(uintptr_t)f->local;
  w->base[DC_BASE_FRAME] = (uint64_t)(uintptr_t)f->params;
  w->base[DC_BASE_CALL] = (uint64_t)(uintptr_t)f->call_area;
  w->lane_stride[DC_BASE_LOCAL] = fn->local_stride;
  w->lane_stride[DC_BASE_FRAME] = fn->params_stride;
  w->lane_stride[DC_BASE_CALL] = fn->call_stride;
}

static size_t stack_bytes(const dc_cpu_function *fn) { return fn->frame_bytes + fn->lane_bytes; }

void dc_warp_add_frame(dc_warp *w, dc_frame *f, dc_frame *parent, uint32_t lanes) {
  dc_warp_control *c = w->ctl;
  f->parent = parent;
  f->lanes = lanes;
  f->low = f->fn->words;
  f->native = NULL;
  f->below = c->frames;
  c->frames = f;
  c->depth++;
  c->stack += stack_bytes(f->fn);
}

dc_frame *dc_warp_push_frame(dc_warp *w, const dc_cpu_function *fn, dc_frame *parent, uint32_t lanes) {
  const dc_warp_control *c = w->ctl;
  const size_t stack = c->worker->cpu->stack;
  const bool full = (size_t)c->depth >= stack / DC_LEAST_FRAME || c->stack + stack_bytes(fn) > stack * DC_LANES;
  if (parent && full) return NULL;
  dc_frame *f = dc_frame_new(&c->worker->frames, fn);
  if (f) dc_warp_add_frame(w, f, parent, lanes);
  return f;
}

void dc_warp_pop_frame(dc_warp *w, dc_frame *f) {
  dc_warp_control *c = w->ctl;
  dc_frame **at = &c->frames;
  while (*at != f) at = &(*at)->below;
  *at = f->below;
  c->depth--;
  c->stack -= stack_bytes(f->fn);
  if (c->spin_frame == f) c->spin_frame = NULL;
  dc_frame_release(&c->worker->frames, f);
}

void dc_lanes_end(dc_warp *w, dc_frame *f, uint32_t lanes) {
  for (; f; f = f->parent) f->lanes &= ~lanes;
  w->live &= ~lanes;
  w->ctl->recheck = true;
  dc_barrier_lanes_ended(w->ctl->block, (uint32_t)__builtin_popcount(lanes));
}

void dc_lanes_copy(uint8_t *to, size_t to_stride, const uint8_t *from, size_t from_stride, size_t size,
                   uint32_t lanes) {
  for (; lanes; lanes &= lanes - 1) {
    size_t l = (size_t)__builtin_ctz(lanes);
    memcpy(to + l * to_stride, from + l * from_stride, size);
  }
}

void dc_lanes_leave(dc_warp *w, dc_frame *f, uint32_t lanes) {
  dc_frame *p = f->parent;
  if (p == NULL) {
    dc_lanes_end(w, f, lanes);
    return;
  }
  const dc_copy *r = &f->call->ret;
  if (r->size)
    dc_lanes_copy(p->call_area + r->to, p->fn->call_stride, f->params + r->from, f->fn->params_stride, r->size, lanes);
  f->lanes &= ~lanes;
  dc_lanes_send(w, p, f->call->next, lanes);
}

void dc_lanes_send(dc_warp *w, dc_frame *f, int32_t n, uint32_t lanes) {
  if (lanes == 0) return;
  if (n == DC_NODE_LEAVE) dc_lanes_leave(w, f, lanes);
  else dc_lanes_arrive(f, n, lanes);
}

/* --- nodes with lanes ----------------------------------------------------------------------------------------- */

/* The lowest node of the frame with lanes that can run, except the `n` nodes `skip`; -1: none. */
static int32_t lowest(dc_frame *f, const int32_t *skip, int32_t n) {
  for (uint32_t i = f->low; i < f->fn->words; i++) {
    uint64_t word = f->ready[i];
    for (int32_t k = 0; k < n; k++)
      if ((uint32_t)skip[k] >> 6 == i) word &= ~((uint64_t)1 << (skip[k] & 63));
    if (word == 0) continue;
    if (n == 0) f->low = i;
    return (int32_t)(i * 64) + __builtin_ctzll(word);
  }
  if (n == 0) f->low = f->fn->words;
  return -1;
}

void dc_lanes_unblock(dc_warp_control *c) {
  c->recheck = false;
  for (dc_frame *f = c->frames; f; f = f->below)
    for (uint32_t i = 0; i < f->fn->words; i++) {
      if (f->blocked[i] == 0) continue;
      f->ready[i] |= f->blocked[i];
      f->blocked[i] = 0;
      if (i < f->low) f->low = i;
    }
}

bool dc_warp_pop_empty(dc_warp *w) {
  dc_frame *f = w->ctl->frame;
  while (f && f->lanes == 0) {
    dc_frame *parent = f->parent;
    dc_warp_pop_frame(w, f);
    f = parent;
  }
  if (f) dc_warp_enter(w, f);
  return f != NULL;
}

int32_t dc_lanes_find_ready(dc_warp *w) {
  dc_warp_control *c = w->ctl;
  dc_frame *f = c->frame;
  int32_t n = lowest(f, c->spin_nodes, f == c->spin_frame ? c->nspin : 0);
  if (n >= 0) return n;
  for (f = c->frames; f; f = f->below) {
    if (f == c->frame || (n = lowest(f, c->spin_nodes, f == c->spin_frame ? c->nspin : 0)) < 0) continue;
    dc_warp_enter(w, f);
    return n;
  }
  return -1;
}

/* Lanes of frame `from` continue in `to`, a frame of the same call instruction. */
static void merge_frame(dc_warp *w, dc_frame *to, dc_frame *from) {
  const ptx_func *f = to->fn->ptx;
  const uint32_t lanes = from->lanes;
  for (int32_t r = 0; r < f->nregs; r++) {
    const size_t bits = f->regs[r].bits, size = bits <= 16 ? 2 : bits / 8;
    if (f->slot[r] >= 0 && bits > 1)
      dc_lanes_copy(to->regs + f->slot[r], size, from->regs + f->slot[r], size, size, lanes);
  }
  for (uint32_t i = 0; i < to->fn->npreds; i++)
    to->preds[i] = (to->preds[i] & ~lanes) | (from->preds[i] & lanes);
  dc_lanes_copy(to->params, to->fn->params_stride, from->params, to->fn->params_stride, to->fn->params_stride, lanes);
  dc_lanes_copy(to->call_area, to->fn->call_stride, from->call_area, to->fn->call_stride, to->fn->call_stride, lanes);
  for (int32_t n = 0; n < to->fn->nnodes; n++)
    if (from->pend[n]) dc_lanes_block(to, n, from->pend[n]);
  dc_frame_clear(from); /* as free frames are */
  for (dc_frame *g = w->ctl->frames; g; g = g->below)
    if (g->parent == from) g->parent = to;
  to->lanes |= lanes;
  if (w->ctl->frame == from) dc_warp_enter(w, to);
  dc_warp_pop_frame(w, from);
}

bool dc_warp_merge_frames(dc_warp *w) {
  for (dc_frame *a = w->ctl->frames; a; a = a->below)
    for (dc_frame *b = a->below; a->parent && b; b = b->below)
      if (b->fn == a->fn && b->parent == a->parent && b->call == a->call && !a->native && !b->native &&
          a->fn->local_stride == 0) {
        merge_frame(w, a, b);
        return true;
      }
  return false;
}
