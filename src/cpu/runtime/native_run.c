/* native_run.c - see native_run.h. */
#include "cpu/runtime/native_run.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cpu/codegen/native.h"
#include "cpu/codegen/wrapped_rows.h"
#include "cpu/interp/code.h"
#include "cpu/interp/interp.h"
#include "cpu/runtime/block.h"
#include "cpu/runtime/fault.h"
#include "cpu/runtime/launch.h"
#include "cpu/runtime/state.h"
#include "cpu/runtime/warp.h"
#include "cpu/runtime/warp_order.h"
#include "cpu/runtime/worker.h"
#include "cpu/simd/abi.h"
#include "device/device.h"

#define FUEL 16384   /* jumps back between two looks at the clock */
#define PATIENCE 256 /* jumps back in a loop that waits for others, before tier 0 takes over */

/* --- what emitted code calls ---------------------------------------------------------------------------- */

static void operate(dc_native *n, uint32_t op, uint32_t lanes) {
  dc_warp *w = n->warp;
  dc_worker *k = w->ctl->worker;
  const dc_cpu_function *fn = w->ctl->frame->fn;
  const dc_uop *o = &fn->nodes[0].first[op];
  if (o->ins->pred >= 0) o = (const dc_uop *)(const void *)o->v; /* the guard has been looked at */
  if (lanes == 0) return;
  k->in_native = false; /* a fault here is tier 0's own: everything is known about it */
  if (lanes != w->mask) k->ops->set_mask(w, lanes);
  o->fn_masked(w, o);
  k->in_native = true;
}

static int tick(dc_native *n) {
  const dc_warp *w = n->warp;
  n->poll_budget = FUEL;
  return dc_launch_tick(w->ctl->worker);
}

static __attribute__((noreturn)) void misaligned(dc_native *n) {
  dc_warp *w = n->warp;
  dc_warp_fault(w, NULL, DC_FAULT_MISALIGNED, 0, 0);
}

static __attribute__((noreturn)) void outsider(dc_native *n) {
  dc_warp *w = n->warp;
  dc_warp_fault(w, NULL, DC_FAULT_MEMBER, 0, 0);
}

/* --- one gang ------------------------------------------------------------------------------------------- */

/* What stays the same for a launch. */
static void set_up(dc_native *n, const dc_job *job, dc_warp *w) {
  const dc_grid *g = &job->grid;
  const dc_dim3 *size[2] = {&g->block, &g->grid};
  uint32_t *to[2] = {n->ntid, n->nctaid};
  for (int i = 0; i < 2; i++) {
    to[i][0] = size[i]->x;
    to[i][1] = size[i]->y;
    to[i][2] = size[i]->z;
  }
  n->nwarps = g->nwarps;
  n->nsmid = g->nsm;
  n->warp = w;
  n->operate = operate;
  n->tick = tick;
  n->fault = misaligned;
  n->outsider = outsider;
  n->wrapped = dc_native_wrapped;
  n->poll_budget = FUEL;
  n->spin_budget = PATIENCE;
}

static void set_block(dc_native *n, dc_dim3 ctaid) {
  n->ctaid[0] = ctaid.x;
  n->ctaid[1] = ctaid.y;
  n->ctaid[2] = ctaid.z;
}

static void set_frame(dc_native *n, const dc_frame *f) {
  n->regs = f->regs;
  n->preds = f->preds;
  n->save = f->save;
}

int dc_native_frame(dc_warp *w, dc_frame *f, int32_t node) {
  dc_worker *k = w->ctl->worker;
  dc_native *n = &k->native;
  const dc_native_code *c = f->native;
  if (k->native_for != w->block->grid->id) {
    set_up(n, k->job, w);
    n->smid = k->index;
    k->native_for = w->block->grid->id;
  }
  n->warp = w;
  set_block(n, w->block->ctaid);
  set_frame(n, f);
  memcpy(n->base, w->base, sizeof w->base);
  memcpy(n->lane_stride, w->lane_stride, sizeof w->lane_stride);
  n->tid = w->tid;
  n->warpid = w->warpid;
  n->wait = f->save ? (uint32_t *)(void *)(f->save + c->info.save_bytes) : NULL;
  n->node = (uint32_t)node;
  n->lanes = n->live = f->lanes;
  n->warp_live = w->live;
  k->in_native = true;
  int r = c->run(n);
  k->in_native = false;
  return r;
}

/* --- whole blocks --------------------------------------------------------------------------------------- */

/* The worker's one warp, which all gangs of simple code share but for the frame. */
static dc_warp_slot *stage(dc_worker *k) {
  dc_job *job = k->job;
  dc_block_run *b = k->simple_block;
  if (b == NULL) {
    b = k->simple_block = calloc(1, sizeof *b);
    if (b == NULL) return NULL;
    b->worker = k;
  }
  dc_warp_slot *s = k->simple_warp;
  if (s == NULL) s = k->simple_warp = dc_warp_slot_take(k);
  if (s == NULL || dc_block_start(b, 0) != 0) return NULL;
  dc_warp_stage(s, b);
  dc_native *n = &k->native;
  if (k->native_for != job->grid.id) set_up(n, job, &s->w);
  k->native_for = job->grid.id;
  n->warp = &s->w;
  n->smid = k->index;
  n->wait = NULL;
  memcpy(n->base, s->w.base, sizeof s->w.base);
  return s;
}

static dc_frame *frame_of(dc_worker *k, uint32_t index) {
  dc_native_code *c = k->job->native;
  if (k->gang_frames[index] == NULL) {
    dc_frame *f = dc_frame_new(k, c->fn);
    if (f == NULL || dc_frame_save(k, f, c->info.save_bytes + 64) != 0) return NULL;
    k->gang_frames[index] = f;
  }
  return k->gang_frames[index];
}

static void enter_gang(dc_native *n, const dc_gang *g) {
  dc_warp *w = n->warp;
  dc_worker *k = w->ctl->worker;
  dc_frame *f = g->frame;
  set_frame(n, f);
  w->ctl->frame = f;
  w->regs = f->regs;
  w->preds = f->preds;
  w->base[DC_BASE_LOCAL] = g->local;
  w->tid = g->tid;
  w->warpid = (uint32_t)((const uint32_t(*)[3][DC_LANES])(const void *)g->tid - k->job->tids);
  w->live = g->live;
}

static uint32_t lanes_of(const dc_grid *g, uint32_t index, uint32_t width) {
  uint32_t threads = g->block.x * g->block.y * g->block.z, left = threads - index * width;
  return left >= width ? (width == 32 ? DC_ALL_LANES : 0xffffu) : (1u << left) - 1;
}

/* The gangs in the order of a block. False: no memory. */
static bool order_gangs(dc_worker *k, uint64_t block) {
  const dc_native_code *c = k->job->native;
  const dc_grid *g = &k->job->grid;
  const uint32_t width = (uint32_t)c->shape.width;
  uint8_t order[DC_MAX_GANGS];
  dc_warp_order_fill(&k->cpu->order, block, g->shared_bytes > 0, k->native.ngangs, order);
  for (uint32_t i = 0; i < k->native.ngangs; i++) {
    const uint32_t number = order[i], lane = number * width;
    dc_frame *f = frame_of(k, c->info.suspends ? number : 0);
    if (f == NULL) return false;
    k->gangs[i] = (dc_gang){
        .live = lanes_of(g, number, width),
        .save = f->save,
        .tid = (const uint32_t(*)[DC_LANES])(const void *)&k->job->tids[lane / DC_LANES][0][lane % DC_LANES],
        .frame = f,
        .local = (uint64_t)(uintptr_t)f->local,
        .number = number};
  }
  return true;
}

/* Everything that blocks begin with. False: no memory. */
static bool prepare_gangs(dc_worker *k, uint64_t block) {
  const dc_native_code *c = k->job->native;
  const dc_grid *g = &k->job->grid;
  uint32_t threads = g->block.x * g->block.y * g->block.z, width = (uint32_t)c->shape.width;
  dc_warp_slot *s = stage(k);
  if (s == NULL) return false;
  k->native.ngangs = (threads + width - 1) / width;
  k->native.gangs = k->gangs;
  k->native.enter = enter_gang;
  if (!order_gangs(k, block)) return false;
  s->w.low[DC_BASE_LOCAL] = (uint64_t)(uintptr_t)k->lanes.base; /* where the frames' local memory came from */
  s->w.high[DC_BASE_LOCAL] = s->w.low[DC_BASE_LOCAL] + (k->lanes.base ? k->cpu->stack_reserve : 0);
  k->simple_ready = true;
  return true;
}

bool dc_native_is_simple(const dc_native_code *c) { return c->info.simple; }

dc_progress dc_native_blocks(dc_worker *k, uint64_t first, uint64_t count) {
  dc_job *job = k->job;
  const dc_grid *g = &job->grid;
  const dc_native_code *c = job->native;
  dc_native *n = &k->native;
  const bool reorder = k->cpu->order.kind == DC_ORDER_RANDOM;
  if (!k->simple_ready && !prepare_gangs(k, first)) {
    dc_job_fail(job, DC_MEMORY, NULL, 0, "out of memory (host) for the registers of a block");
    return DC_STOPPED;
  }
  dc_dim3 at = {(uint32_t)(first % g->grid.x), (uint32_t)(first / g->grid.x % g->grid.y),
                (uint32_t)(first / g->grid.x / g->grid.y)};
  int r = DC_NATIVE_DONE;
  k->warp = &k->simple_warp->w;
  k->in_native = true;
  for (uint64_t i = 0; i < count && r == DC_NATIVE_DONE; i++) {
    set_block(n, at);
    k->simple_block->s.ctaid = at;
    for (uint32_t j = 0; c->info.suspends && j < n->ngangs; j++) {
      k->gangs[j].node = 0;
      k->gangs[j].live = lanes_of(g, k->gangs[j].number, (uint32_t)c->shape.width);
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
  return r == DC_NATIVE_DONE ? DC_DONE : DC_STOPPED;
}

/* After a launch: the frames go back. */
void dc_native_tidy(dc_worker *k) {
  for (int i = 0; i < DC_MAX_GANGS; i++) {
    if (k->gang_frames[i]) dc_frame_release(k, k->gang_frames[i]);
    k->gang_frames[i] = NULL;
  }
  k->simple_ready = false;
}
