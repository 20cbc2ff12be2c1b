/*
** pool.h - the workers of a Lua state's launches: worker 0, which is the launching thread, and the process's threads
** (threads.h), which help where a launch takes longer than waking them.
*/
#pragma once

#include "base/error.h"
#include "cpu/interp/interp.h"
#include "cpu/runtime/job.h"
#include "cpu/runtime/shares.h"
#include "cpu/runtime/state.h"
#include "cpu/runtime/warp_order.h"

/* Coordinates of a block's threads, where each row begins at a multiple of `pitch` lanes. */
typedef struct dc_tids {
  dc_dim3 block;      /* 0: none yet */
  uint32_t pitch;
  uint32_t at[DC_MAX_GANGS][3][DC_LANES] __attribute__((aligned(64)));
} dc_tids;

typedef struct dc_pool {
  int nthreads;       /* workers that a launch may have */
  dc_worker worker;   /* the launching thread */
  uint64_t first_id;  /* of this state's launches: no two launches of the process have one id */
  uint64_t launches;
  double unaided;     /* seconds of launches that were too short to wake threads for, since the last rousing */
  uint64_t workspace; /* host address of the state by which the blocks of a grid synchronize: its size, the barrier */
  dc_warp_order order; /* DOTCOMPUTE_CPU_ORDER */
  dc_block_range ranges[DC_MOST_RANGES]; /* of the launch */
  dc_tids warps, gangs; /* the coordinates of a block's threads, by warp and by gang in rows */
} dc_pool;

int dc_pool_open(dc_cpu_device *cpu, dc_error *err); /* sets cpu->pool; cpu->memory and cpu->serial are set */
void dc_pool_close(dc_cpu_device *cpu);
void dc_pool_forget(dc_cpu_device *cpu, const struct dc_code *code); /* the code is about to be unloaded */

/* Runs work(k, job) for worker 0 on this thread, and for the others if that takes long; returns when all have. */
void dc_pool_run(dc_cpu_device *cpu, dc_job *job, void (*work)(dc_worker *k, dc_job *job));

/* Calls part(ud, i) for each i below n on the device's threads, at once; DC_INTERRUPTED when Ctrl-C came between. */
int dc_pool_each(dc_cpu_device *cpu, int n, void (*part)(void *ud, int i), void *ud, dc_error *err);
