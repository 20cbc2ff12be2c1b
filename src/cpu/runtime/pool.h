/*
** pool.h - the worker threads of the CPU device.
**
** The launching thread is worker 0, and runs a launch alone unless it takes longer than waking the other threads.
*/
#pragma once

#include <pthread.h>
#include <sys/types.h>

#include "base/error.h"
#include "cpu/interp/interp.h"
#include "cpu/runtime/job.h"
#include "cpu/runtime/state.h"
#include "cpu/runtime/warp_order.h"

typedef struct dc_pool {
  dc_cpu_device *cpu;
  int nthreads;       /* workers, the launching thread among them */
  int nworkers;       /* workers that can run: fewer when threads could not be started */
  dc_worker *workers;
  uint64_t launches;
  uint64_t workspace; /* host address of the state by which the blocks of a grid synchronize: its size, the barrier */
  dc_warp_order order; /* DOTCOMPUTE_CPU_ORDER */
  /* threads */
  pid_t owner;
  pthread_t *threads;
  int started;
  pthread_mutex_t lock;
  pthread_cond_t wake, idle;
  void (*work)(dc_worker *k, dc_job *job);
  dc_job *job;        /* open to the threads; NULL: none */
  uint64_t serial;    /* of the job */
  int busy;           /* threads in the job, the launching one not counted */
  bool quit;
  double begun;       /* dc_clock when the job was */
  bool is_long;       /* it has run for WAKE_AFTER */
  struct dc_pool *next;
} dc_pool;

int dc_cpu_threads(void); /* DOTCOMPUTE_CPU_THREADS, else the processors that this process may use */
int dc_pool_open(dc_cpu_device *cpu, dc_error *err); /* sets cpu->pool; cpu->memory is set */
void dc_pool_close(dc_cpu_device *cpu);
void dc_pool_forget(dc_cpu_device *cpu, const struct dc_code *code); /* the code is about to be unloaded */

/* Runs work(k, job) for worker 0 on this thread, and for the others if that takes long; returns when all have. */
void dc_pool_run(dc_pool *pool, dc_job *job, void (*work)(dc_worker *k, dc_job *job));
