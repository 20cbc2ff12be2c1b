/*
** native_blocks.c - see native_blocks.h.
**
** All gangs of a block share one warp and one dc_native; gangs that suspend at barriers have a frame each.
*/
#include "cpu/runtime/native_blocks.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cpu/codegen/native.h"
#include "cpu/interp/interp.h"
#include "cpu/runtime/alone.h"
#include "cpu/runtime/block.h"
#include "cpu/runtime/frames.h"
#include "cpu/runtime/job.h"
#include "cpu/runtime/native_frame.h"
#include "cpu/runtime/warp.h"
#include "cpu/runtime/warp_order.h"
#include "cpu/simd/abi.h"
#include "device/device.h"

/* The warp that all gangs share, set up for the launch; NULL: no memory. */
static dc_warp_slot *stage(dc_worker *k) {
  dc_block_run *b = k->simple_block;
  if (b == NULL) {
    b = k->simple_block = calloc(1, sizeof *b);
    if (b == NULL) return NULL;
    b->worker = k;
  }
  dc_warp_slot *s = k->simple_warp;
  if (s == NULL) s = k->simple_warp = dc_warp_new(k);
  if (s == NULL || dc_block_start(b, 0) != 0) return NULL;
  dc_warp_prepare(s, b);
  dc_native_begin(k, &s->w);
  k->native.wait = NULL;
  memcpy(k->native.base, s->w.base, sizeof s->w.base);
  return s;
}

static dc_frame *frame_of(dc_worker *k, uint32_t index) {
  dc_native_code *c = k->job->native;
  if (k->gang_frames[index] == NULL) {
    dc_frame *f = dc_frame_new(&k->frames, c->fn);
    if (f == NULL || dc_frame_save(&k->frames, f, c->info.save_bytes + 64) != 0 ||
        dc_frame_local(&k->frames, f, c->info.stack_bytes) != 0)
      return NULL;
    k->gang_frames[index] = f;
  }
  return k->gang_frames[index];
}

static void enter_gang(dc_native *n, const dc_gang *g) {
  dc_warp *w = n->warp;
  dc_frame *f = g->frame;
  dc_native_set_frame(n, f);
  w->ctl->frame = f;
  w->regs = f->regs;
  w->preds = f->preds;
  w->base[DC_BASE_LOCAL] = g->local;
  w->base[DC_BASE_CALL] = (uint64_t)(uintptr_t)f->call_area;
  w->tid = g->tid;
  w->warpid = g->number; /* where it can be read gangs are warps */
  w->live = g->live;
}

/* k->gangs in the order of a block.  False: no memory. */
static bool order_gangs(dc_worker *k, uint64_t block) {
  const dc_native_code *c = k->job->native;
  const dc_grid *g = &k->job->grid;
  const uint32_t width = (uint32_t)c->shape.width, gangs_of_row = dc_gangs_of_row(c->shape, g->block);
  const uint32_t all = width == 32 ? DC_ALL_LANES : 0xffffu, rest = dc_gang_row(c->shape, g->block) % width;
  uint8_t order[DC_MAX_GANGS];
  dc_warp_order_fill(k->job->order, block, g->shared_bytes > 0, k->native.ngangs, order);
  for (uint32_t i = 0; i < k->native.ngangs; i++) {
    const uint32_t number = order[i], lane = number * width;
    dc_frame *f = frame_of(k, c->info.suspends ? number : 0);
    if (f == NULL) return false;
    const bool last_of_row = (number + 1) % gangs_of_row == 0;
    const uint32_t lanes = last_of_row && rest != 0 ? (1u << rest) - 1 : all; /* that have threads */
    k->gangs[i] = (dc_gang){
        .live = lanes,
        .all = lanes,
        .save = f->save,
        .tid = (const uint32_t(*)[DC_LANES])(const void *)&k->job->gang_tids[lane / DC_LANES][0][lane % DC_LANES],
        .frame = f,
        .local = (uint64_t)(uintptr_t)f->local,
        .number = number};
  }
  return true;
}

/* Releases the gangs' frames. */
static void drop_gangs(dc_worker *k) {
  const bool gone = k->gangs_for.forgotten != k->frames.forgotten;
  for (uint32_t i = 0; i < DC_MAX_GANGS; i++) {
    if (k->gang_frames[i] && !gone) dc_frame_release(&k->frames, k->gang_frames[i]);
    k->gang_frames[i] = NULL;
  }
  k->gangs_for.code = NULL;
}

/* Whether the last launch's gangs are those of the job. */
static bool has_gangs(const dc_worker *k) {
  const dc_job *job = k->job;
  return k->gangs_for.code == job->native && k->gangs_for.forgotten == k->frames.forgotten &&
         k->gangs_for.tids == job->gang_tids && k->gangs_for.shared == (job->grid.shared_bytes > 0) &&
         memcmp(&k->gangs_for.block, &job->grid.block, sizeof job->grid.block) == 0;
}

/* False: no memory. */
static bool make_gangs(dc_worker *k, uint64_t block) {
  drop_gangs(k);
  k->gangs_for.forgotten = k->frames.forgotten;
  if (!order_gangs(k, block)) return false;
  k->gangs_for.code = k->job->native;
  k->gangs_for.block = k->job->grid.block;
  k->gangs_for.tids = k->job->gang_tids;
  k->gangs_for.shared = k->job->grid.shared_bytes > 0;
  return true;
}

/* Sets up what all blocks of the launch on this worker have in common.  False: no memory. */
static bool prepare_gangs(dc_worker *k, uint64_t block) {
  const dc_native_code *c = k->job->native;
  const dc_grid *g = &k->job->grid;
  dc_warp_slot *s = stage(k);
  if (s == NULL) return false;
  k->native.ngangs = dc_gangs_of(c->shape, g->block);
  k->native.gangs = k->gangs;
  k->native.enter = enter_gang;
  if (!has_gangs(k) && !make_gangs(k, block)) return false;
  dc_warp_set_local(&s->w, k);
  k->simple_ready = true;
  return true;
}

dc_progress dc_native_blocks(dc_worker *k, uint64_t first, uint64_t count) {
  dc_job *job = k->job;
  const dc_grid *g = &job->grid;
  const dc_native_code *c = job->native;
  dc_native *n = &k->native;
  const bool reorder = job->order->kind == DC_ORDER_RANDOM;
  if (!k->simple_ready && !prepare_gangs(k, first)) {
    dc_job_fail(job, DC_MEMORY, NULL, 0, "out of memory (host) for the registers of a block");
    return DC_STOPPED;
  }
  dc_dim3 at = {(uint32_t)(first % g->grid.x), (uint32_t)(first / g->grid.x % g->grid.y),
                (uint32_t)(first / g->grid.x / g->grid.y)};
  int r = DC_NATIVE_DONE;
  k->warp = &k->simple_warp->w;
  k->in_native = true;
  n->alone = c->info.atomics && k->index == 0 && dc_alone_begin(job);
  for (uint64_t i = 0; i < count && r == DC_NATIVE_DONE; i++) {
    dc_native_set_block(n, at);
    k->simple_block->s.ctaid = at;
    for (uint32_t j = 0; c->info.suspends && j < n->ngangs; j++) {
      k->gangs[j].node = 0;
      k->gangs[j].live = k->gangs[j].all;
    }
    if (reorder) order_gangs(k, first + i);
    r = c->run(n);
    if (++at.x == g->grid.x) {
      at.x = 0;
      if (++at.y == g->grid.y) at.y = 0, at.z++;
    }
  }
  k->in_native = false;
  k->warp = NULL;
  dc_native_end_alone(n);
  return r == DC_NATIVE_DONE ? DC_DONE : DC_STOPPED;
}
