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
#include "cpu/runtime/native_leave.h"
#include "cpu/runtime/native_wait.h"
#include "cpu/runtime/warp.h"
#include "cpu/runtime/warp_order.h"
#include "cpu/simd/abi.h"
#include "device/device.h"

/* Their gangs pass their values through memory, which had better fit in the first cache. */
#define GANGS_TOGETHER 64

uint32_t dc_native_together(const dc_job *job) {
  const dc_native_code *c = job->native;
  if (!c->info.yields || c->info.operates || c->info.leaves || job->order->kind == DC_ORDER_RANDOM) return 1;
  const uint32_t n = GANGS_TOGETHER / dc_gangs_of(c->shape, job->grid.block);
  return n > DC_MOST_TOGETHER ? DC_MOST_TOGETHER : n < 1 ? 1 : n;
}

/* The blocks that run together, on which all those of the launch follow one another.  False: no memory. */
static bool make_blocks(dc_worker *k) {
  dc_block_run **b = k->simple_blocks;
  for (uint32_t i = 0; i < dc_native_together(k->job); i++) {
    if (b[i] == NULL && (b[i] = calloc(1, sizeof **b)) == NULL) return false;
    b[i]->worker = k;
    if (dc_block_start(b[i], 0) != 0) return false;
  }
  return true;
}

/* The warp that all gangs share, for block b and those that follow on it.  False: no memory. */
static bool stage(dc_worker *k, dc_block_run *b) {
  if (k->simple_warp == NULL) k->simple_warp = dc_warp_new(k);
  if (k->simple_warp == NULL) return false;
  dc_warp_prepare(k->simple_warp, b);
  dc_native_begin(k, &k->simple_warp->w);
  memcpy(k->native.base, k->simple_warp->w.base, sizeof k->native.base);
  return true;
}

static dc_frame *frame_of(dc_worker *k, uint32_t index) {
  dc_native_code *c = k->job->native;
  if (k->gang_frames[index] == NULL) {
    dc_frame *f = dc_frame_new(&k->frames, c->fn);
    if (f == NULL || dc_frame_save(&k->frames, f, dc_native_save_bytes(c)) != 0 ||
        dc_frame_local(&k->frames, f, c->info.stack_bytes) != 0)
      return NULL;
    k->gang_frames[index] = f;
  }
  return k->gang_frames[index];
}

static void enter_gang(dc_native *n, const dc_gang *g) {
  dc_warp *w = n->warp;
  dc_frame *f = g->frame;
  n->entered = 1;
  dc_native_set_frame(n, f, w->ctl->worker->job->native);
  w->ctl->frame = f;
  w->regs = f->regs;
  w->preds = f->preds;
  w->base[DC_BASE_LOCAL] = g->local;
  n->base[DC_BASE_CALL] = w->base[DC_BASE_CALL] = (uint64_t)(uintptr_t)f->call_area;
  w->tid = g->tid;
  w->warpid = g->number; /* where it can be read gangs are warps */
  w->live = g->live;
}

/* k->gangs in the order of a block, of several those with one number side by side.  False: no memory. */
static bool order_gangs(dc_worker *k, uint64_t block, uint32_t nblocks) {
  const dc_native_code *c = k->job->native;
  const dc_grid *g = &k->job->grid;
  const uint32_t width = (uint32_t)c->shape.width, gangs_of_row = dc_gangs_of_row(c->shape, g->block);
  const uint32_t all = width == 32 ? DC_ALL_LANES : 0xffffu, rest = dc_gang_row(c->shape, g->block) % width;
  uint8_t order[DC_MAX_GANGS];
  const uint32_t of_block = dc_gangs_of(c->shape, g->block);
  dc_warp_order_fill(k->job->order, block, g->shared_bytes > 0, of_block, order);
  k->native.ngangs = of_block * nblocks;
  k->native.descending = nblocks == 1 && g->block.y * g->block.z == 1 ? of_block : 0;
  for (uint32_t i = 0; i < k->native.ngangs; i++) {
    const uint32_t number = order[i / nblocks], lane = number * width;
    if (number != of_block - 1 - i / nblocks) k->native.descending = 0;
    dc_frame *f = frame_of(k, c->info.suspends ? number + of_block * (i % nblocks) : 0);
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
        .number = number,
        .leads = i % nblocks == 0 ? nblocks : 0};
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
  dc_native_forget_gangs(k);
}

/* Whether the last launch's gangs are those of the job. */
static bool has_gangs(const dc_worker *k) {
  const dc_job *job = k->job;
  return k->gangs_for.code == job->native && k->gangs_for.forgotten == k->frames.forgotten &&
         k->gangs_for.tids == job->gang_tids && k->gangs_for.shared == (job->grid.shared_bytes > 0) &&
         memcmp(&k->gangs_for.block, &job->grid.block, sizeof job->grid.block) == 0;
}

/* False: no memory. */
static bool make_gangs(dc_worker *k, uint64_t block, uint32_t nblocks) {
  drop_gangs(k);
  k->gangs_for.forgotten = k->frames.forgotten;
  if (!order_gangs(k, block, nblocks)) return false;
  k->gangs_for.nblocks = nblocks;
  k->gangs_for.code = k->job->native;
  k->gangs_for.block = k->job->grid.block;
  k->gangs_for.tids = k->job->gang_tids;
  k->gangs_for.shared = k->job->grid.shared_bytes > 0;
  return true;
}

/* Sets up what all blocks of the launch on this worker have in common. */
static void prepare_gangs(dc_worker *k) {
  k->native.gangs = k->gangs;
  k->native.enter = enter_gang;
  k->native.leave_all = k->native.resumes = 0;
  k->native.counts = (dc_counts){ .yes = 0 };
  if (!has_gangs(k)) drop_gangs(k);
  k->native.ngangs = k->gangs_for.nblocks * dc_gangs_of(k->job->native->shape, k->job->grid.block);
  dc_warp_set_local(&k->simple_warp->w, k);
  k->simple_ready = true;
}

/* Behind the block at `at`, in the grid. */
static dc_dim3 next_block(const dc_grid *g, dc_dim3 at) {
  if (++at.x == g->grid.x) {
    at.x = 0;
    if (++at.y == g->grid.y) at.y = 0, at.z++;
  }
  return at;
}

/* The gangs of the n blocks from `at` on, number `block`, where they begin; b: these.  False: no memory. */
static bool begin_blocks(dc_worker *k, dc_block_run *const *b, dc_dim3 *at, uint64_t block, uint32_t nblocks) {
  const dc_job *job = k->job;
  const dc_emitted *info = &job->native->info;
  if (k->gangs_for.nblocks != nblocks && !make_gangs(k, block, nblocks)) return false;
  if (job->order->kind == DC_ORDER_RANDOM && !order_gangs(k, block, nblocks)) return false;
  k->native.nblocks = nblocks;
  b[0]->s.ctaid = *at;
  dc_native_set_block(&k->native, *at);
  for (uint32_t i = 0; info->suspends && i < k->native.ngangs; i++) {
    k->gangs[i].node = 0;
    k->gangs[i].live = k->gangs[i].all;
  }
  for (uint32_t i = 0; i < nblocks; i++) {
    for (uint32_t j = i; info->yields && j < k->native.ngangs; j += nblocks) {
      k->gangs[j].shared = (uint64_t)(uintptr_t)b[i]->s.shared;
      memcpy(k->gangs[j].ctaid, at, sizeof *at);
    }
    *at = next_block(&job->grid, *at);
  }
  return true;
}

static void begin_native(dc_worker *k) {
  k->warp = &k->simple_warp->w;
  k->in_native = true;
  k->native.alone = k->job->native->info.atomics && k->index == 0 && dc_alone_begin(k->job);
}

static void end_native(dc_worker *k) {
  k->in_native = false;
  k->warp = NULL;
  dc_native_end_alone(&k->native);
}

static dc_progress no_room(dc_worker *k) {
  dc_job_fail(k->job, DC_MEMORY, NULL, 0, "out of memory (host) for the registers of a block");
  return DC_STOPPED;
}

dc_progress dc_native_blocks(dc_worker *k, uint64_t first, uint64_t count) {
  dc_job *job = k->job;
  const dc_native_code *c = job->native;
  dc_dim3 at = dc_job_block_at(job, first);
  const uint64_t together = dc_native_together(job);
  if (!k->simple_ready) {
    if (!make_blocks(k) || !stage(k, k->simple_blocks[0])) return no_room(k);
    prepare_gangs(k);
  }
  bool room = true;
  int r = DC_NATIVE_DONE;
  begin_native(k);
  for (uint64_t i = 0, some; i < count && room && r == DC_NATIVE_DONE; i += some) {
    some = count - i < together ? count - i : together;
    room = begin_blocks(k, k->simple_blocks, &at, first + i, (uint32_t)some);
    if (room) r = c->run(&k->native);
  }
  end_native(k);
  if (!room) return no_room(k);
  return r == DC_NATIVE_DONE ? DC_DONE : DC_STOPPED;
}

/* Sets up block b's gangs, at its beginning or where they wait.  False: no memory. */
static bool set_up_gangs(dc_worker *k, dc_block_run *b) {
  dc_dim3 at = b->s.ctaid;
  if (!stage(k, b)) return false;
  if (!k->simple_ready) prepare_gangs(k);
  k->native.resumes = b->gangs != NULL;
  k->native.moved = 0;
  if (b->gangs) {
    dc_native_take_up(k, b);
    dc_native_set_block(&k->native, at);
    return true;
  }
  k->native.gangs = k->gangs;
  k->native.counts = (dc_counts){ .yes = 0 };
  return begin_blocks(k, &b, &at, b->number, 1);
}

dc_progress dc_native_block(dc_worker *k, dc_block_run *b) {
  if (!set_up_gangs(k, b)) return no_room(k);
  begin_native(k);
  const int r = k->job->native->run(&k->native);
  end_native(k);
  switch (r) {
    case DC_NATIVE_DONE: dc_native_end_wait(b); return DC_DONE;
    case DC_NATIVE_STOP: return DC_STOPPED;
    case DC_NATIVE_WAIT:
      if (!k->native.resumes) k->native.moved = 0; /* that it has begun is no progress */
      if (!dc_native_set_aside(k, b)) return no_room(k);
      if (!dc_native_waits_in_vain(k)) return DC_YIELDED;
      k->native.leaver = b->ngangs;
  }
  return dc_native_leave(k, b, r);
}
