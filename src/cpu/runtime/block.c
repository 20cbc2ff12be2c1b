/*
** block.c - see block.h.
**
** A warp starts when its predecessor has ended or waits.  While each ends before the next begins, all use one frame,
** which stays in the cache.
*/
#include "cpu/runtime/block.h"

#include <stdio.h>
#include <string.h>

#include "base/bitset.h"
#include "base/error.h"
#include "cpu/interp/code.h"
#include "cpu/interp/interp.h"
#include "cpu/ptx/ptx.h"
#include "cpu/runtime/job.h"
#include "cpu/runtime/livelock.h"
#include "cpu/runtime/native_wait.h"
#include "cpu/runtime/allocator.h"
#include "cpu/runtime/warp.h"
#include "cpu/runtime/warp_order.h"
#include "device/device.h"

#define IDLE_ROUNDS 3 /* rounds in which all warps spin, after which another block may run */

/* --- beginning and end ---------------------------------------------------------------------------------- */

/* Bytes that masked words of a vector would access behind the end: the machine leaves out those of an inaccessible page
** in microcode, which takes hundreds of cycles. */
static size_t slack_of(const dc_job *job) {
  const dc_native_code *c = job->native;
  if (c == NULL) return 0;
  if (!c->info.overruns_shared && dc_gang_row(c->shape, job->grid.block) % (uint32_t)c->shape.width == 0) return 0;
  return sizeof(double) * (size_t)c->shape.width;
}

/* Shared memory of the block ends at an inaccessible page. */
static int give_shared(dc_block_run *b, const dc_job *job) {
  dc_memory *m = b->worker->cpu->memory;
  const size_t align = job->fn->code->shared_align; /* a power of two */
  const size_t need = ((size_t)job->grid.shared_bytes + slack_of(job) + align - 1) & -align;
  if (need > b->shared_cap || b->shared_span == NULL) {
    dc_error err = DC_ERROR_INIT;
    size_t page = dc_memory_page(m), cap = need ? (need + page - 1) / page * page : page;
    dc_memory_span_free(m, b->shared_span);
    b->shared_cap = 0;
    b->shared_span = dc_memory_span(m, DC_SPAN_SHARED, cap, cap, &err);
    dc_error_clear(&err);
    if (b->shared_span == NULL) return -1;
    b->shared_cap = cap;
  }
  b->s.shared = b->shared_span + b->shared_cap - need;
  return 0;
}

int dc_block_start(dc_block_run *b, uint64_t number) {
  dc_job *job = b->worker->job;
  dc_grid *g = &job->grid;
  uint32_t threads = g->block.x * g->block.y * g->block.z;
  b->s.grid = g;
  b->s.ctaid = dc_job_block_at(job, number);
  b->number = number;
  b->s.smid = b->worker->index;
  b->nwarps = g->nwarps;
  b->started = b->done = 0;
  b->live = threads;
  b->idle_rounds = 0;
  b->idles = b->spin_line = 0;
  b->watching = false;
  if (b->used) memset(b->barriers, 0, sizeof b->barriers);
  b->used = 0;
  if (give_shared(b, job) != 0) return -1;
  const ptx_func *f = job->fn->ptx;
  if (f->reserved_bytes) memset(b->s.shared + f->reserved_at, 0, f->reserved_bytes);
  return 0;
}

static void end_warp(dc_block_run *b, uint32_t i) {
  dc_warp_slot *s = b->warps[i];
  b->warps[i] = NULL;
  s->next = b->worker->free_warps;
  b->worker->free_warps = s;
}

void dc_block_drop(dc_block_run *b) {
  dc_native_end_wait(b);
  for (uint32_t i = 0; i < b->started; i++) {
    const uint32_t warp = b->order[i];
    if (b->warps[warp] == NULL) continue;
    dc_warp_drop(b->warps[warp]);
    end_warp(b, warp);
  }
}

/* --- running -------------------------------------------------------------------------------------------- */

/* The next warp of the order. */
static dc_warp_slot *begin_warp(dc_block_run *b) {
  dc_worker *k = b->worker;
  dc_warp_slot *s = dc_warp_new(k);
  if (s == NULL) return NULL;
  const uint32_t warp = b->order[b->started++];
  b->warps[warp] = s;
  dc_warp_start(s, b, warp);
  return s;
}

/* Source lines, each once. */
typedef struct line_set {
  uint32_t lines[8];
  int n;
} line_set;

static void add_line(line_set *set, uint32_t line) {
  for (int i = 0; i < set->n; i++)
    if (set->lines[i] == line) return;
  if (set->n < 8) set->lines[set->n++] = line;
}

/* Adds the lines where a warp's lanes wait. */
static void add_waits(line_set *set, const dc_warp_slot *s) {
  const dc_warp_control *c = &s->c;
  if (c->parked) {
    add_line(set, c->frame->fn->nodes[c->node].ins->line);
    return;
  }
  for (const dc_frame *f = c->frames; f; f = f->below)
    for (int32_t i = 0; i < f->fn->nnodes; i++)
      if (dc_bit_has(f->blocked, i) && f->fn->nodes[i].ins) add_line(set, f->fn->nodes[i].ins->line);
}

/* Every warp waits for another: fails the job with the lines where they wait. */
static dc_progress deadlock(dc_block_run *b) {
  line_set set = { .n = 0 };
  if (b->spin_line) add_line(&set, b->spin_line);
  for (uint32_t i = 0; i < b->nwarps; i++)
    if (b->warps[i]) add_waits(&set, b->warps[i]);
  const uint32_t *lines = set.lines;
  const int n = set.n;
  char text[200] = "";
  size_t len = 0;
  for (int i = 0; i < n && len < sizeof text - 16; i++)
    len += (size_t)snprintf(text + len, sizeof text - len, "%s%u", i == 0 ? "" : i + 1 == n ? " and " : ", ", lines[i]);
  dc_job_fail(b->worker->job, DC_LAUNCH, "CUDA_ERROR_LAUNCH_TIMEOUT", n ? lines[0] : 0,
              "deadlock: in block (%u,%u,%u) all %u threads that are left wait for others, at line%s %s of the source",
              b->s.ctaid.x, b->s.ctaid.y, b->s.ctaid.z, b->live, n == 1 ? "" : "s", n ? text : "unknown");
  return DC_STOPPED;
}

/* The last resort: lanes that wait at a warp-wide operation for lanes at a barrier pass without them. */
static bool force_some(dc_block_run *b) {
  bool some = false;
  for (uint32_t i = 0; i < b->nwarps; i++)
    if (b->warps[i] && dc_warp_force(b->warps[i])) b->warps[i]->c.runnable = some = true;
  return some;
}

/* Runs every runnable warp once. */
static dc_progress round_of_warps(dc_block_run *b, uint32_t *ran, uint32_t *moved) {
  dc_worker *k = b->worker;
  for (uint32_t i = 0; i < b->nwarps; i++) {
    const uint32_t warp = b->order[i];
    if (i < b->started && b->warps[warp] == NULL) continue; /* has ended */
    dc_warp_slot *s = i < b->started ? b->warps[warp] : begin_warp(b);
    if (s == NULL) {
      dc_job_fail(k->job, DC_MEMORY, NULL, 0, "out of memory (host)");
      return DC_STOPPED;
    }
    if (!s->c.runnable) continue;
    k->warp = &s->w;
    dc_progress p = dc_warp_run(s);
    k->warp = NULL;
    ++*ran;
    if (p == DC_STOPPED) return p;
    *moved += p != DC_YIELDED;
    if (p == DC_BLOCKED) s->c.runnable = false;
    if (p == DC_DONE) {
      b->done++;
      end_warp(b, warp);
    }
  }
  return DC_DONE;
}

dc_progress dc_block_run_warps(dc_block_run *b) {
  if (b->started == 0)
    dc_warp_order_fill(b->worker->job->order, b->number, b->s.grid->shared_bytes > 0, b->nwarps, b->order);
  while (b->done < b->nwarps) {
    uint32_t ran = 0, moved = 0;
    if (round_of_warps(b, &ran, &moved) == DC_STOPPED) return DC_STOPPED;
    if (ran == 0 && !force_some(b)) {
      b->spin_line = 0;
      return deadlock(b);
    }
    b->idle_rounds = moved ? 0 : b->idle_rounds + 1;
    if (b->idle_rounds > IDLE_ROUNDS) {
      b->idle_rounds = 0;
      return dc_livelock_check(b) ? deadlock(b) : DC_YIELDED;
    }
  }
  return DC_DONE;
}
