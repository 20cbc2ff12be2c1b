/*
** threads.h - the worker threads of the CPU device, one set for the process.
**
** The launching thread is worker 0 of its launch (pool.h).  A launch that takes longer than calling a thread is opened
** to these threads, which look out for the next launch before they sleep.  Launches of several Lua states at the same
** time share them, each thread working for one of them at a time.  The launching thread alone finishes its launch where
** the threads have other work, so launches never wait for each other.
*/
#pragma once

#include <stddef.h>

#include "base/error.h"
#include "cpu/runtime/allocator.h"
#include "cpu/runtime/job.h"
#include "cpu/runtime/state.h"

#define DC_WAKE_AFTER 30e-6 /* seconds of a launch after which threads that sleep are called */

int dc_cpu_threads(void); /* DOTCOMPUTE_CPU_THREADS, else the processors that this process may use */

/* Before anything else, by one thread at a time; later calls change nothing.  `memory` is the device's, for good. */
int dc_threads_open(dc_memory *memory, dc_error *err);
int dc_threads_count(void);    /* workers of a launch at most, its launching thread among them */

/* The launching thread finds that its launch takes long, so that n threads, itself among them, are to work for it:
** Ctrl-C ends it from now on, and the threads are called while it has blocks left; those that sleep, only for the
** largest number that it may have.  To be called again after each of its polls until it has that. */
void dc_threads_help(dc_job *job, int n);
bool dc_threads_are_awake(void); /* some thread looks out for work: it would begin within a few us */
void dc_threads_rouse(void);     /* wakes the threads for launches to come; they sleep again if none calls them */
/* The threads that help, paused or not, are to leave when they can, and no others come.  Returns whether all have left:
** to be called again until they have. */
bool dc_threads_send_away(dc_job *job);
/* The launch is over: waits for the threads that work for it.  Where Ctrl-C has ended it, it ends all others that take
** long. */
void dc_threads_leave(dc_job *job);
/* The code, which no launch uses, is about to be unloaded. */
void dc_threads_forget(const struct dc_code *code);

void dc_worker_start(dc_worker *k, dc_cpu_device *cpu, uint32_t index);
void dc_worker_end(dc_worker *k); /* frees the warps, blocks and frames that it keeps for reuse */
