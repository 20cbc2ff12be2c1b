/* native_frame.c - see native_frame.h. */
#include "cpu/runtime/native_frame.h"

#include <sched.h>
#include <string.h>

#include "cpu/codegen/native.h"
#include "cpu/interp/code.h"
#include "cpu/interp/special.h"
#include "cpu/runtime/alone.h"
#include "cpu/runtime/builtin.h"
#include "cpu/runtime/fault.h"
#include "cpu/runtime/job.h"

#define POLL_BUDGET 16384 /* backward jumps between two polls */
#define SPIN_BUDGET 256   /* back edges of a loop that waits for other threads, before it is deoptimized to tier 0 */

/* --- callbacks of emitted code ---------------------------------------------------------------------------- */

static void operate(dc_native *n, uint32_t op, uint32_t lanes) {
  dc_warp *w = n->warp;
  dc_worker *k = w->ctl->worker;
  const dc_cpu_function *fn = w->ctl->frame->fn;
  const dc_uop *o = &fn->nodes[0].first[op];
  if (o->ins->pred >= 0) o = (const dc_uop *)(const void *)o->v; /* emitted code has evaluated the guard */
  if (lanes == 0) return;
  k->in_native = false; /* a fault here is tier 0's: instruction and lane are known */
  if (lanes != w->mask) w->ops->set_mask(w, lanes);
  o->fn_masked(w, o);
  k->in_native = true;
}

static void call_device(dc_warp *w, dc_call_area area, const dc_basic_block *node, uint32_t lanes) {
  dc_worker *k = w->ctl->worker;
  k->in_native = false;
  w->at = node->op;
  dc_builtin_call(w, area, node, lanes);
  k->in_native = true;
}

static void builtin(dc_native *n, uint32_t node, uint32_t lanes) {
  dc_warp *w = n->warp;
  const dc_frame *f = w->ctl->frame;
  call_device(w, (dc_call_area){f->call_area, f->fn->call_stride}, &f->fn->nodes[node], lanes);
}

/* The lane is made the warp's first one, which messages name. */
static void builtin_of_lane(dc_native *n, uint32_t function, uint32_t node, uint8_t *call) {
  dc_warp *w = n->warp;
  const struct dc_code *code = w->ctl->worker->job->fn->code;
  w->tid = n->tid;
  if (w->mask != 1) w->ops->set_mask(w, 1);
  call_device(w, (dc_call_area){call, 0}, &code->functions[function].nodes[node], 1);
}

static uint64_t special(dc_native *n, int sreg) { return dc_special_register(n->warp, sreg); }

static int tick(dc_native *n) {
  const dc_worker *k = ((const dc_warp *)n->warp)->ctl->worker;
  const bool alone = n->alone;
  n->poll_budget = POLL_BUDGET;
  dc_native_end_alone(n); /* the poll may wake the other threads */
  const int stop = dc_job_poll(k->job, k->index == 0);
  n->alone = alone && dc_alone_begin(k->job);
  return stop;
}

/* While another worker may set the flag soon, and this one has no other block; yields the processor each time. */
static int keep_spinning(dc_native *n) {
  dc_worker *k = ((const dc_warp *)n->warp)->ctl->worker;
  if (k->resident != 1 || k->spin_time <= 0 || !dc_job_others_progress(k->job)) return 0;
  const double now = dc_clock();
  if (k->spun_at != 0) k->spin_time -= now - k->spun_at;
  k->spun_at = now;
  sched_yield();
  return k->spin_time > 0;
}

static __attribute__((noreturn)) void misaligned(dc_native *n) {
  dc_warp *w = n->warp;
  dc_warp_fault(w, NULL, DC_FAULT_MISALIGNED, 0, 0);
}

static __attribute__((noreturn)) void outsider(dc_native *n) {
  dc_warp *w = n->warp;
  dc_warp_fault(w, NULL, DC_FAULT_MEMBER, 0, 0);
}

void dc_native_end_alone(dc_native *n) {
  if (n->alone) dc_alone_end();
  n->alone = 0;
}

/* --- running a frame ------------------------------------------------------------------------------------ */

/* Number of bytes that each thread of the launch may store for all of them to fit in the last-level cache. */
static uint32_t cached_bytes(const dc_job *job) {
  const dc_dim3 *b = &job->grid.block;
  const uint64_t bytes = job->cpu->last_level_cache / (job->nblocks * b->x * b->y * b->z);
  return bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX;
}

void dc_native_begin(dc_worker *k, dc_warp *w) {
  dc_native *n = &k->native;
  const dc_grid *g = &k->job->grid;
  n->warp = w;
  if (k->native_for == g->id) return;
  memcpy(n->ntid, &g->block, sizeof g->block);
  memcpy(n->nctaid, &g->grid, sizeof g->grid);
  n->shared_bytes = g->shared_bytes;
  n->nwarps = g->nwarps;
  n->smid = k->index;
  n->nsmid = g->nsm;
  n->variables = k->job->fn->code->global_image;
  n->functions = (uint64_t)(uintptr_t)k->job->fn->code->functions;
  n->operate = operate;
  n->builtin = builtin;
  n->builtin_of_lane = builtin_of_lane;
  n->special = special;
  n->tick = tick;
  n->keep_spinning = keep_spinning;
  n->fault = misaligned;
  n->outsider = outsider;
  n->poll_budget = POLL_BUDGET;
  n->spin_budget = SPIN_BUDGET;
  n->cached_bytes = cached_bytes(k->job);
  k->native_for = g->id;
}

int dc_native_frame(dc_warp *w, dc_frame *f, int32_t node) {
  dc_worker *k = w->ctl->worker;
  dc_native *n = &k->native;
  const dc_native_code *c = f->native;
  dc_native_begin(k, w);
  dc_native_set_block(n, w->block->ctaid);
  dc_native_set_frame(n, f, c);
  memcpy(n->base, w->base, sizeof w->base);
  n->tid = w->tid;
  n->warpid = w->warpid;
  n->node = (uint32_t)node;
  n->lanes = n->live = f->lanes;
  k->spun_at = 0;
  k->in_native = true;
  if (!n->alone) n->alone = c->info.atomics && k->index == 0 && dc_alone_begin(k->job);
  int r = c->run(n);
  k->in_native = false;
  return r;
}
