/*
** alone.c - see alone.h.
**
** The state that launches says that it is alone, then looks whether another one has come; that one says that it has
** come, then looks whether the first one is alone. So one of them sees the other (Dekker's exclusion).
*/
#include "cpu/runtime/alone.h"

#include <sched.h>
#include <stdatomic.h>

static atomic_int states;
static atomic_bool alone;

void dc_alone_open(void) {
  atomic_fetch_add(&states, 1);
  while (atomic_load(&alone)) sched_yield();
}

void dc_alone_close(void) { atomic_fetch_sub(&states, 1); }

/* Whether all threads that help the launch pause. */
static bool all_pause(const dc_job *job) {
  return atomic_load(&job->pause) && atomic_load(&job->paused) == atomic_load(&job->helpers);
}

bool dc_alone_begin(const dc_job *job) {
  if ((job->open && !all_pause(job)) || atomic_load_explicit(&states, memory_order_relaxed) != 1) return false;
  atomic_store(&alone, true);
  if (atomic_load(&states) == 1) return true;
  dc_alone_end();
  return false;
}

void dc_alone_end(void) { atomic_store(&alone, false); }
