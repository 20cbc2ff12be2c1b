/*
** contention.h - launches that go on without the other threads, since these only take cache lines from each other.
**
** A thread that is alone needs no locks for atomics either (alone.h): with two threads a gradient of embeddings takes
** three times as long as with one, counters in sixteen words on sixteen threads twenty times.  Blocks that take turns
** wait for as long as a word takes from processor to processor.  So now and then, at times that are further and further
** apart, the threads that help a launch of code with atomics outside of shared memory, or with loops that wait, pause,
** and are sent away if the launching thread is faster alone than all were together.  The kernel's next launches begin
** accordingly.
*/
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "cpu/runtime/state.h"

/* Seconds for which a launch of c is to be alone at least; 0: as long as it takes until threads come. */
double dc_contention_delay(const dc_native_code *c);
/* All of these are called by each worker on its own thread.  Before its first block. */
void dc_contention_begin(dc_worker *k);
/* After each share of `blocks` blocks; 0 for a block that waits. */
void dc_contention_note(dc_worker *k, uint64_t blocks);
/* Before each share.  A worker that helps waits while it is to pause, unless it has begun blocks, for which others may
** wait.  False: the launch is over, or the worker is to leave. */
bool dc_contention_pause(dc_worker *k);
/* Before one more block is begun.  False: a worker that helps is to end those that it has begun, and pause. */
bool dc_contention_may_begin(const dc_worker *k);
/* When there are no blocks left, or the launch has failed. */
void dc_contention_end(dc_worker *k);
