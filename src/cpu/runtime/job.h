/*
** job.h - one launch: the state that its workers share, its failure, polling.
*/
#pragma once

#include <pthread.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/runtime.h"
#include "cpu/interp/code.h"
#include "cpu/interp/interp.h"
#include "cpu/runtime/warp_order.h"

struct dc_block_range;
struct dc_worker;
struct dc_nested;

typedef struct dc_job {
  dc_grid grid;
  const dc_cpu_function *fn;
  struct dc_native_code *native;  /* NULL: tier 0 */
  const dc_warp_order *order;
  uint64_t nblocks;
  bool all_resident;              /* its blocks may wait for each other */
  _Atomic uint64_t next_block;
  /* of shares.h, where blocks wait for no others */
  struct dc_block_range *ranges;
  int nranges;                    /* 0: the grid is not divided when threads join */
  bool is_divided;                /* next_block no longer counts */
  atomic_bool left_to_native;     /* of a launch at tier 0: native code is to run the blocks that have not begun */
  _Atomic uint64_t deoptimized;   /* number of blocks that native code had to leave to tier 0 */
  atomic_bool waits;              /* some block has waited for others */
  _Atomic uint64_t progress;      /* times that a block ended, or went on after it had waited, since `waits` */
  _Atomic int workers;            /* threads that run its blocks, where these may wait for each other */
  const uint32_t (*tids)[3][DC_LANES]; /* thread coordinates of the lanes of each warp of a block */
  const uint32_t (*gang_tids)[3][DC_LANES]; /* thread coordinates of its gangs' lanes, one gang after another */
  dc_cpu_device *cpu;             /* of the Lua state that launches */
  void (*work)(struct dc_worker *k, struct dc_job *job); /* a worker's part */
  void (*wake)(struct dc_job *job, double now); /* called by the launching thread at each poll; now: dc_clock */
  double begun;                   /* dc_clock at the launch */
  int most_workers;               /* threads that may work for it, the launching one among them: its device's share */
  int called;                     /* those that are to, since it takes long; 0: threads.c does not know it */
  double delay;                   /* seconds after which threads are called; 0: as long as it takes until they come */
  _Atomic uint64_t most_share;    /* blocks that a worker may take at a time; 0: any number (contention.h) */
  atomic_bool no_help;            /* there are no threads to help, or they are to leave when they can */
  atomic_bool pause;              /* threads that help are to pause before their next block */
  _Atomic int paused;             /* number of threads that pause */
  /* of threads.c, guarded by its lock */
  bool open;                      /* threads may join, or work for it; set by the launching thread alone */
  _Atomic int helpers;            /* threads that work for it */
  struct dc_job *next;
  pthread_mutex_t lock;           /* guards what follows */
  bool failed;
  atomic_bool interrupted;
  dc_error *err;
  dc_buf out;                     /* printf's output */
  int print_errno;                /* errno of a failed write of it, 0 none */
  struct dc_nested *prepared;     /* launches of its kernel, of which the parameters are written */
  struct dc_nested *launched;     /* those that are to run when it has ended, newest first */
} dc_job;

/* Where block `number` of the grid is.  A small grid needs no divisions. */
static inline dc_dim3 dc_job_block_at(const dc_job *job, uint64_t number) {
  const dc_dim3 g = job->grid.grid;
  if (number < g.x) return (dc_dim3){ (uint32_t)number, 0, 0 };
  const uint64_t row = number / g.x;
  return (dc_dim3){ (uint32_t)(number % g.x), (uint32_t)(row % g.y), (uint32_t)(row / g.y) };
}

/* The first failure of a job is its error; all workers stop at their next poll. */
void dc_job_fail(dc_job *job, dc_kind kind, const char *code, uint32_t line, const char *fmt, ...) DC_PRINTF(5, 6);
void dc_job_interrupt(dc_job *job); /* all workers stop at their next poll */

/* Whether Ctrl-C was pressed; the job is then interrupted. */
static inline bool dc_job_interrupted(dc_job *job) {
  if (!dc_interrupted()) return false;
  dc_job_interrupt(job);
  return true;
}

/* Whether other workers run blocks of the launch, which a block of this worker may wait for.  False for a grid whose
** blocks are all to be resident: those that have not begun may be waited for as well. */
static inline bool dc_job_others_progress(const dc_job *job) {
  if (job->all_resident) return false;
  const int paused = atomic_load_explicit(&job->paused, memory_order_relaxed);
  return atomic_load_explicit(&job->workers, memory_order_relaxed) - paused > 1;
}

/* To be called by a running kernel at regular intervals; `launching`: on the thread that launches.  True: stop. */
bool dc_job_poll(dc_job *job, bool launching);
void dc_job_flush(dc_job *job); /* writes printf's output to stdout; the lock is held */
