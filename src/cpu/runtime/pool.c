/* pool.c - see pool.h. */
#include "cpu/runtime/pool.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/runtime.h"
#include "cpu/runtime/allocator.h"
#include "cpu/runtime/alone.h"
#include "cpu/runtime/fault.h"
#include "cpu/runtime/floats.h"
#include "cpu/runtime/frames.h"
#include "cpu/runtime/threads.h"

/* Seconds of a launch after which other threads are called, and seconds of work that must be left then. */
#define WAKE_FOR 50e-6  /* threads that sleep, after DC_WAKE_AFTER: about as long as it takes to wake them */
#define CALL_AFTER 3e-6 /* threads that are awake */
#define CALL_FOR 12e-6
#define LEAST_WORK 6e-6 /* for each thread, where only those that are awake are called */
#define UNAIDED 500e-6  /* total of launches that only threads that are awake could have helped: then they are woken */
#define WORKSPACE 4096  /* bytes of the cooperative grid's barrier state */

int dc_pool_open(dc_cpu_device *cpu, dc_error *err) {
  if (dc_threads_open(cpu->memory, err) != 0) return -1;
  dc_pool *pool = aligned_alloc(64, sizeof *pool);
  if (pool == NULL) return dc_fail_oom(err);
  memset(pool, 0, sizeof *pool);
  pool->first_id = cpu->serial << 40;
  pool->workspace = dc_memory_alloc(cpu->memory, WORKSPACE, err);
  if (pool->workspace == 0 || dc_warp_order_read(&pool->order, err) != 0) {
    dc_memory_free(cpu->memory, pool->workspace);
    free(pool);
    return -1;
  }
  memset((void *)(uintptr_t)pool->workspace, 0, WORKSPACE);
  *(uint32_t *)(uintptr_t)pool->workspace = WORKSPACE;
  dc_worker_start(&pool->worker, cpu, 0);
  dc_alone_open();
  cpu->pool = pool;
  return 0;
}

void dc_pool_close(dc_cpu_device *cpu) {
  dc_pool *pool = cpu->pool;
  if (pool == NULL) return;
  dc_alone_close();
  dc_worker_end(&pool->worker);
  dc_memory_free(cpu->memory, pool->workspace);
  free(pool);
  cpu->pool = NULL;
}

void dc_pool_forget(dc_cpu_device *cpu, const struct dc_code *code) {
  dc_frames *s = &cpu->pool->worker.frames;
  if (s->code == code) dc_frames_forget(s);
  dc_threads_forget(code);
}

/* Seconds of work for the launching thread that are left `passed` seconds after the launch, at its rate so far.  Of the
** last block's length nothing is known. */
static double left_of(const dc_job *job, double passed) {
  const uint64_t begun = atomic_load_explicit(&job->next_block, memory_order_relaxed);
  return begun < job->nblocks ? passed * (double)(job->nblocks - begun) / (double)begun : INFINITY;
}

/* The number of threads that are to work from now on for a launch that began `passed` seconds ago; 0: it is too short
** for a call. */
static int workers_of(const dc_job *job, double passed) {
  if (job->called > 0) /* most if it takes longer than expected */
    return passed < DC_WAKE_AFTER + WAKE_FOR ? job->called : job->most_workers;
  const double left = left_of(job, passed);
  if (passed >= (job->delay > 0 ? job->delay : DC_WAKE_AFTER) && left >= WAKE_FOR) return job->most_workers;
  if (job->delay > 0 || passed < CALL_AFTER || left < CALL_FOR || !dc_threads_are_awake()) return 0;
  return left < LEAST_WORK * job->most_workers ? (int)(left / LEAST_WORK) : job->most_workers;
}

/* On the launching thread at each poll. */
static void call_if_long(dc_job *job, double now) {
  if (job->called < job->most_workers) dc_threads_help(job, workers_of(job, now - job->begun));
}

/* After a launch: where many are too short to wake threads for, the threads are to be awake. */
static void note_unaided(dc_pool *pool, const dc_job *job) {
  if (job->called > 0 || job->nblocks <= 1 || job->most_workers <= 1 || job->delay > 0) return;
  const double passed = dc_clock() - job->begun;
  if (passed < CALL_AFTER + CALL_FOR) return;
  pool->unaided += passed;
  if (pool->unaided < UNAIDED) return;
  pool->unaided = 0;
  dc_threads_rouse();
}

void dc_pool_run(dc_cpu_device *cpu, dc_job *job, void (*work)(dc_worker *k, dc_job *job)) {
  job->cpu = cpu;
  job->work = work;
  job->most_workers = cpu->pool->nthreads;
  job->wake = call_if_long;
  if (job->nblocks > 1) job->begun = dc_clock(); /* of one block nothing is left for others, whenever it began */
  dc_fault_thread();
  unsigned floats = dc_floats_reset();
  work(&cpu->pool->worker, job);
  note_unaided(cpu->pool, job);
  dc_threads_leave(job);
  dc_floats_restore(floats);
}

/* --- C code on the threads -------------------------------------------------------------------------------- */

typedef struct each {
  dc_job job; /* its blocks are the parts */
  void (*part)(void *ud, int i);
  void *ud;
} each;

static void work_parts(dc_worker *k, dc_job *job) {
  const each *e = (const each *)job;
  const bool launching = k == &job->cpu->pool->worker;
  if (launching && job->nblocks > 1) dc_threads_help(job, job->most_workers); /* parts are long */
  while (!dc_job_poll(job, launching)) {
    const uint64_t i = atomic_fetch_add(&job->next_block, 1);
    if (i >= job->nblocks) return;
    e->part(e->ud, (int)i);
  }
}

int dc_pool_each(dc_cpu_device *cpu, int n, void (*part)(void *ud, int i), void *ud, dc_error *err) {
  if (n == 1) { /* no thread is woken for it, which takes longer than to sort a thousand keys */
    const unsigned floats = dc_floats_reset();
    part(ud, 0);
    dc_floats_restore(floats);
    return 0;
  }
  dc_pool *pool = cpu->pool;
  each e = { .job = { .grid = { .id = pool->first_id + ++pool->launches }, .nblocks = (uint64_t)n, .err = err,
                      .lock = PTHREAD_MUTEX_INITIALIZER, .out = DC_BUF_INIT },
             .part = part, .ud = ud };
  dc_pool_run(cpu, &e.job, work_parts);
  if (!e.job.interrupted) return 0;
  atomic_store(&dc_interrupt_flag, 0);
  return dc_fail(err, DC_INTERRUPTED, NULL, "interrupted");
}
