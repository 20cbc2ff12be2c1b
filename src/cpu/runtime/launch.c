/*
** launch.c - see launch.h.
**
** A block whose warps only spin yields to other blocks, up to DC_MAX_RESIDENT a worker, so that blocks which wait for
** each other make progress with a single thread too.
*/
#include "cpu/runtime/launch.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/limit.h"
#include "base/name.h"
#include "base/runtime.h"
#include "cpu/codegen/native.h"
#include "cpu/interp/decode_calls.h"
#include "cpu/runtime/block.h"
#include "cpu/runtime/contention.h"
#include "cpu/runtime/fault.h"
#include "cpu/runtime/frames.h"
#include "cpu/runtime/job.h"
#include "cpu/runtime/native_blocks.h"
#include "cpu/runtime/native_frame.h"
#include "cpu/runtime/nested.h"
#include "cpu/runtime/pool.h"
#include "cpu/runtime/shares.h"
#include "cpu/runtime/threads.h"
#include "cpu/runtime/state.h"

#define REPLAY_TURNS 1000 /* yields of a block that is replayed to find a fault, before that is given up */

/* --- the blocks of one worker --------------------------------------------------------------------------- */

static void push_block(dc_block_run **list, dc_block_run *b) {
  b->next = *list;
  *list = b;
}

static void drop_blocks(dc_worker *k) {
  while (k->live_blocks) {
    dc_block_run *b = k->live_blocks;
    k->live_blocks = b->next;
    dc_block_drop(b);
    push_block(&k->free_blocks, b);
  }
  k->resident = 0;
}

static dc_block_run *take_block_run(dc_worker *k) {
  dc_block_run *b = k->free_blocks;
  if (b) k->free_blocks = b->next;
  else if ((b = calloc(1, sizeof *b)) != NULL) b->worker = k;
  return b;
}

/* A new block at the end of live_blocks. NULL: there is none left, or the launch failed. */
static dc_block_run *next_block(dc_worker *k) {
  dc_job *job = k->job;
  if (atomic_load_explicit(&job->next_block, memory_order_relaxed) >= job->nblocks) return NULL;
  uint64_t linear = atomic_fetch_add_explicit(&job->next_block, 1, memory_order_relaxed);
  if (linear >= job->nblocks) return NULL;
  dc_block_run *b = take_block_run(k);
  if (b == NULL || dc_block_start(b, linear) != 0) {
    const dc_dim3 *size = &job->grid.block;
    dc_job_fail(job, DC_MEMORY, NULL, 0,
                "out of memory (host) for a block of %u threads with %u bytes of shared memory",
                size->x * size->y * size->z, job->grid.shared_bytes);
    if (b) push_block(&k->free_blocks, b);
    return NULL;
  }
  dc_block_run **end = &k->live_blocks;
  while (*end) end = &(*end)->next;
  push_block(end, b);
  k->resident++;
  return b;
}

/* The live block that goes on next; NULL: there is none.  They take turns; every other time the one that began first
** goes on, since blocks most often wait for those before them (rows of a triangular system by 16 threads on 2
** processors, where workers begin many blocks while others do not run: 0.1 of the time).  Not where all blocks are
** resident, each of which may wait for all others. */
static dc_block_run *resume_block(dc_worker *k) {
  dc_block_run *b = k->next_turn ? k->next_turn : k->live_blocks;
  if (!k->firsts_turn || k->job->all_resident) k->next_turn = b ? b->next : NULL;
  else b = k->live_blocks;
  k->firsts_turn = !k->firsts_turn;
  return b;
}

static void unlink_block(dc_worker *k, dc_block_run *b) {
  dc_block_run **at = &k->live_blocks;
  while (*at != b) at = &(*at)->next;
  *at = b->next;
  if (k->next_turn == b) k->next_turn = b->next;
}

/* A block that yields waits for others, and so would later blocks.  While other workers run blocks that it may wait
** for, a worker takes no new block until none has made progress for QUIET, and native code that runs warps of its only
** block spins for up to SPIN_LIMIT instead of leaving them to tier 0. */
#define QUIET 100e-6    /* seconds */
#define SPIN_LIMIT 5e-3 /* halved after a block that spun in vain, doubled up to this after one that did not */

static void renew_spin_time(dc_worker *k) {
  if (k->spin_time <= 0) k->spin_limit /= 2;
  else if (k->spin_time < k->spin_limit && k->spin_limit < SPIN_LIMIT) k->spin_limit *= 2;
  k->spin_time = k->spin_limit;
}

/* Runs block b until it ends or waits for others. */
static dc_progress run_block(dc_worker *k, dc_block_run *b) {
  const dc_native_code *c = k->job->native;
  dc_progress p = DC_PASSED;
  if (c && c->info.simple && b->started == 0) p = dc_native_block(k, b);
  if (p == DC_PASSED) p = dc_block_run_warps(b);
  return p;
}

/* After a turn of a block with result p: notes when job->progress last changed, of which *seen is the value that this
** worker has seen last. */
static void note_progress(dc_worker *k, dc_progress p, uint64_t *seen) {
  dc_job *job = k->job;
  if (p == DC_YIELDED && !atomic_load_explicit(&job->waits, memory_order_relaxed)) atomic_store(&job->waits, true);
  if (!atomic_load_explicit(&job->waits, memory_order_relaxed)) return;
  if (p == DC_DONE || k->native.moved) atomic_fetch_add_explicit(&job->progress, 1, memory_order_relaxed);
  k->native.moved = 0;
  const uint64_t now = atomic_load_explicit(&job->progress, memory_order_relaxed);
  if (now != *seen || k->quiet_since == 0) k->quiet_since = dc_clock();
  *seen = now;
}

/* Whether native code has become ready since the launch began at tier 0: it is to run the blocks not begun yet. */
static bool is_left_to_native(dc_worker *k) {
  dc_job *job = k->job;
  if (k->index == 0 && job->native == NULL && dc_native_is_ready(job->fn)) job->left_to_native = true;
  return job->left_to_native;
}

#define LONG_QUIET 10e-3 /* seconds */
#define MOST_DOUBLINGS 7 /* of DC_MAX_RESIDENT: each block may have 99 KB of shared memory */

/* Whether a worker whose DC_MAX_RESIDENT blocks or more all wait takes a new one.  Of a grid whose blocks are all to be
** resident the launching thread does where no other thread takes them: those may be at work for another launch or have
** left the rest to native code.  Other kernels whose blocks wait for blocks far behind them rely on how many a GPU has
** at a time, some thousands: twice as many after each LONG_QUIET without progress. */
static bool needs_more(const dc_worker *k, bool to_native) {
  if (k->job->all_resident && (k->index == 0 || to_native)) return true;
  const double periods = (dc_clock() - k->quiet_since) / LONG_QUIET;
  return k->resident < DC_MAX_RESIDENT << (periods < MOST_DOUBLINGS ? (int)periods : MOST_DOUBLINGS);
}

/* Runs blocks until there are none, or until native code is to run those that have not begun: new ones while those that
** have begun wait. */
static void run_blocks(dc_worker *k) {
  dc_job *job = k->job;
  bool prefer_new = true;
  int quiet = 0; /* blocks in a row that yielded */
  uint64_t seen = 0; /* of job->progress */
  k->spin_time = k->spin_limit = SPIN_LIMIT;
  k->quiet_since = 0;
  k->next_turn = NULL;
  k->native.moved = 0;
  dc_contention_begin(k);
  while (!atomic_load_explicit(&job->grid.stop, memory_order_relaxed) && !dc_job_interrupted(job)) {
    dc_block_run *b = NULL;
    const bool to_native = is_left_to_native(k);
    if (to_native && k->resident == 0) return;
    const bool all_wait = quiet > 2 * k->resident; /* whichever of them had two turns */
    if (!dc_contention_pause(k)) return;
    const bool begins_new = k->resident < DC_MAX_RESIDENT ? prefer_new && (!to_native || all_wait)
                                                          : all_wait && needs_more(k, to_native);
    if (k->resident == 0 || (begins_new && dc_contention_may_begin(k))) b = next_block(k);
    if (b == NULL) b = resume_block(k);
    if (b == NULL) return;
    dc_progress p = run_block(k, b);
    dc_native_end_alone(&k->native); /* not at each barrier: it takes as long as all stores before it */
    dc_contention_note(k, p == DC_DONE);
    if (p == DC_STOPPED) return;
    note_progress(k, p, &seen);
    if (p == DC_YIELDED) {
      prefer_new = !dc_job_others_progress(job) || dc_clock() - k->quiet_since > QUIET;
      if (quiet++ > k->resident) sched_yield();
    } else {
      unlink_block(k, b);
      push_block(&k->free_blocks, b);
      if (--k->resident == 0) renew_spin_time(k);
      prefer_new = !prefer_new && !dc_job_others_progress(job);
      quiet = 0;
    }
    if (k->index == 0 && dc_job_has_blocks(job)) job->wake(job, dc_clock());
  }
}

/* Whether native code runs whole blocks, which wait for no others: simple blocks. */
static bool are_simple(const dc_job *job) {
  return job->native && job->native->info.simple && !job->native->info.leaves;
}

/* Runs simple blocks, a share of them at a time. */
static void run_simple_blocks(dc_worker *k) {
  dc_job *job = k->job;
  dc_share s = dc_share_begin(k);
  const bool launches = k->index == 0;
  double begun = launches ? job->begun : dc_clock();
  dc_contention_begin(k);
  while (!atomic_load_explicit(&job->grid.stop, memory_order_relaxed) && !dc_job_interrupted(job)) {
    if (!dc_contention_pause(k) || !dc_share_take(k, &s)) return;
    if (dc_native_blocks(k, s.first, s.count) == DC_STOPPED || s.is_last) return;
    dc_contention_note(k, s.count);
    const double now = dc_clock(); /* which takes as long as a block may */
    dc_share_note(&s, now - begun);
    begun = now;
    if (launches) job->wake(job, now);
  }
}

/* Of a fault in native code only the block is known: tier 0 runs the block again, to find thread and instruction.
** (Results of a failed launch are undefined.) */
static void replay(dc_worker *k, dc_dim3 at) {
  const dc_dim3 *grid = &k->job->grid.grid;
  dc_block_run *b = take_block_run(k);
  k->replaying = true;
  if (b && dc_block_start(b, at.x + (uint64_t)grid->x * (at.y + (uint64_t)grid->y * at.z)) == 0) {
    push_block(&k->live_blocks, b);
    for (int i = 0; i < REPLAY_TURNS && dc_block_run_warps(b) == DC_YIELDED; i++) {}
  }
  k->replaying = false;
  dc_fault_report_block(k, at);
}

/* One worker's part of the job, with its faults. */
static void work(dc_worker *k, dc_job *job) {
  k->job = job;
  dc_frames_begin(&k->frames, job->fn->code);
  dc_fault_catch(k);
  k->replaying = k->in_native = false;
  bool again = false;
  if (sigsetjmp(k->escape, 0) == 0) {
    if (are_simple(job)) {
      run_simple_blocks(k);
    } else { /* only here, since a locked operation takes as long as all stores before it */
      atomic_fetch_add(&job->workers, 1);
      run_blocks(k);
      atomic_fetch_sub(&job->workers, 1);
    }
  } else {
    dc_fault_landed();
    again = k->in_native && k->fault.kind != DC_FAULT_HOST;
    if (!again) dc_fault_report(k);
  }
  if (again) {
    const dc_dim3 at = { k->native.ctaid[0], k->native.ctaid[1], k->native.ctaid[2] };
    k->in_native = false;
    if (sigsetjmp(k->escape, 0) == 0) {
      replay(k, at);
    } else {
      dc_fault_landed();
      dc_fault_report(k);
    }
  }
  k->warp = NULL;
  dc_native_end_alone(&k->native); /* after a fault */
  dc_contention_end(k);
  dc_fault_catch(NULL);
  drop_blocks(k);
  k->simple_ready = false;
  dc_frames_trim(&k->frames);
}

/* --- launching ------------------------------------------------------------------------------------------ */

/* Fills t, unless the last launch's blocks were the same. */
static void fill_tids(dc_tids *t, dc_dim3 block, uint32_t pitch) {
  if (t->pitch == pitch && memcmp(&t->block, &block, sizeof block) == 0) return;
  t->block = block;
  t->pitch = pitch;
  for (uint32_t row = 0; row < block.y * block.z; row++)
    for (uint32_t x = 0; x < block.x; x++) {
      const uint32_t i = row * pitch + x;
      uint32_t(*at)[DC_LANES] = t->at[i / DC_LANES];
      at[0][i % DC_LANES] = x;
      at[1][i % DC_LANES] = row % block.y;
      at[2][i % DC_LANES] = row / block.y;
    }
}

/* Lets the grid be divided among the threads, if its blocks wait for no others. */
static void offer_ranges(dc_pool *pool, dc_job *job) {
  if (!are_simple(job)) return;
  job->ranges = pool->ranges;
  job->nranges = pool->nthreads < DC_MOST_RANGES ? pool->nthreads : DC_MOST_RANGES;
}

/* The coordinates of the lanes of the job's warps and gangs. */
static void give_tids(dc_pool *pool, dc_job *job) {
  const dc_dim3 block = job->grid.block;
  const uint32_t width = job->native ? (uint32_t)job->native->shape.width : 1;
  const bool padded = job->native && job->native->shape.rows && block.y * block.z > 1 && block.x % width != 0;
  fill_tids(&pool->warps, block, block.x);
  if (padded) fill_tids(&pool->gangs, block, (block.x + width - 1) / width * width);
  job->tids = pool->warps.at;
  job->gang_tids = padded ? pool->gangs.at : pool->warps.at;
}

/* Blocks that are all resident may synchronize through the pool's workspace. */
static void offer_grid_barrier(const dc_pool *pool, dc_job *job) {
  if (job->nblocks > (uint64_t)pool->nthreads * DC_MAX_RESIDENT) return;
  ((uint32_t *)(uintptr_t)pool->workspace)[1] = 0;
  job->grid.envreg[0] = (uint32_t)(pool->workspace >> 32);
  job->grid.envreg[1] = (uint32_t)pool->workspace;
  job->all_resident = true;
}

static int check_launch(const dc_cpu_function *fn, const dc_launch *l, dc_error *err) {
  const uint32_t *r = fn->ptx->reqntid;
  const dc_dim3 want = { r[0], r[1] ? r[1] : 1, r[2] ? r[2] : 1 };
  if (r[0] && (l->block.x != want.x || l->block.y != want.y || l->block.z != want.z))
    return dc_fail(err, DC_LAUNCH, "CUDA_ERROR_INVALID_VALUE",
                   "block of %ux%ux%u threads: the kernel was compiled for blocks of exactly %ux%ux%u", l->block.x,
                   l->block.y, l->block.z, want.x, want.y, want.z);
  if (l->params_size < fn->ptx->params_size)
    return dc_fail(err, DC_LAUNCH, "CUDA_ERROR_INVALID_VALUE", "%zu bytes of parameters, but the kernel has %u",
                   l->params_size, fn->ptx->params_size);
  if (fn->ptx->shared_size + l->shared > DC_SHARED_OPTIN)
    return dc_fail(err, DC_LAUNCH, "CUDA_ERROR_INVALID_VALUE", "%zu bytes of shared memory, but a block may have %zu",
                   (size_t)fn->ptx->shared_size + l->shared, DC_SHARED_OPTIN);
  return 0;
}

/* When all workers have stopped: flushes printf's output, and turns the job's state into a result. */
static int conclude(dc_job *job, dc_error *err) {
  if (job->interrupted) atomic_store(&dc_interrupt_flag, 0);
  if (job->out.len) {
    dc_write_guard guard;
    dc_job_flush(job);
    dc_write_begin(&guard);
    if (fflush(stdout) != 0) job->print_errno = errno;
    dc_write_end(&guard);
  }
  dc_buf_free(&job->out);
  if (job->failed) return -1;
  if (job->print_errno && !job->interrupted)
    return dc_fail(err, DC_IO, NULL, "the output of the kernel's printf cannot be written: %s",
                   strerror(job->print_errno));
  if (!job->interrupted) return 0;
  return dc_fail(err, DC_INTERRUPTED, NULL, "interrupted");
}

/* `children`: what the kernel launches. */
static int launch_one(dc_cpu_device *cpu, dc_cpu_function *fn, const dc_launch *l, dc_nested **children,
                      dc_error *err) {
  if (check_launch(fn, l, err) != 0) return -1;
  dc_pool *pool = cpu->pool;
  uint32_t threads = l->block.x * l->block.y * l->block.z;
  dc_job job = {
    .grid = { .grid = l->grid, .block = l->block, .nwarps = (threads + DC_LANES - 1) / DC_LANES,
              .shared_bytes = (uint32_t)(fn->ptx->shared_size + l->shared), .dynamic_shared = l->shared,
              .params = l->params, .nsm = (uint32_t)dc_threads_count(), .id = pool->first_id + ++pool->launches },
    .fn = fn, .native = dc_native_prepare(fn, l->grid, l->block), .order = &pool->order,
    .nblocks = (uint64_t)l->grid.x * l->grid.y * l->grid.z, .err = err,
    .lock = PTHREAD_MUTEX_INITIALIZER, .out = DC_BUF_INIT,
  };
  job.delay = dc_contention_delay(job.native);
  offer_grid_barrier(pool, &job);
  offer_ranges(pool, &job);
  give_tids(pool, &job);
  dc_pool_run(cpu, &job, work);
  if (job.left_to_native && dc_job_has_blocks(&job) && !job.grid.stop && !job.interrupted) {
    job.left_to_native = false;
    job.native = dc_native_prepare(fn, l->grid, l->block);
    job.grid.id = pool->first_id + ++pool->launches; /* workers set themselves up again */
    offer_ranges(pool, &job);
    give_tids(pool, &job);
    dc_pool_run(cpu, &job, work);
  }
  if (job.native) dc_native_count(job.native, job.nblocks, job.deoptimized);
  if (job.prepared || job.launched) *children = dc_nested_take(&job, cpu->memory);
  return conclude(&job, err);
}

static int launch_nested(dc_cpu_device *cpu, const dc_nested *n, dc_nested **children, dc_error *err) {
  dc_launch l = { .grid = n->grid, .block = n->block, .shared = n->shared,
                  .params = (const void *)(uintptr_t)n->params, .params_size = n->fn->ptx->params_size };
  if (dc_decode_to_run(n->fn, err) == 0 && launch_one(cpu, n->fn, &l, children, err) == 0) return 0;
  char name[64];
  if (err->kind == DC_INTERRUPTED) return -1;
  return dc_error_prefix(err, "'%s', launched by a kernel: ", dc_short_name(n->fn->ptx->name, name, sizeof name));
}

int dc_cpu_launch(dc_cpu_device *cpu, dc_cpu_function *fn, const dc_launch *l, dc_error *err) {
  dc_nested *queue = NULL;
  int result = launch_one(cpu, fn, l, &queue, err);
  while (queue) { /* after a failure only freed */
    dc_nested *n = queue, *own = NULL;
    queue = n->next;
    if (result == 0) result = launch_nested(cpu, n, &own, err);
    queue = dc_nested_join(own, queue);
    dc_nested_free(n, cpu->memory);
  }
  return result;
}
