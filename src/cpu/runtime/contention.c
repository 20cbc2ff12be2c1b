/* contention.c - see contention.h. */
#include "cpu/runtime/contention.h"

#include <sched.h>

#include "base/runtime.h"
#include "cpu/codegen/native.h"
#include "cpu/runtime/threads.h"

#define SHARE 50e-6  /* seconds that a share takes at most, so that threads pause soon */
#define FIRST 300e-6 /* seconds of help before the first pause */
#define GROWTH 8     /* ratio of the seconds of help before a pause to those before the pause that precedes it */
#define PAUSE 0.1    /* ratio of a pause's length to the seconds of help before it; its first half only fills caches */
#define FEW 2        /* number of blocks that a thread must be able to run in a pause */
#define SURELY 1.25  /* ratio of the launching thread's speed alone to that of all threads, to send them away */
#define LAUNCHES 15  /* number of launches that go by a measurement, unless they are long */
#define LONG 5e-3    /* seconds, after which such a launch is measured, too */

static bool may_contend(const dc_native_code *c) { return c && (c->info.atomics || c->info.waits); }

double dc_contention_delay(const dc_native_code *c) {
  if (!may_contend(c)) return 0;
  return c->launches_measured > 0 && c->faster_alone ? c->seconds_alone : DC_WAKE_AFTER;
}

void dc_contention_begin(dc_worker *k) {
  const dc_job *job = k->job;
  dc_native_code *c = job->native;
  k->contention.state = DC_CONTENTION_OFF;
  if (k->index != 0 || job->nblocks == 1 || !may_contend(c)) return;
  k->contention = (dc_contention){ .state = DC_TOGETHER, .since = dc_clock() };
  k->contention.next = c->launches_measured > 0 && !c->faster_alone ? LONG : FIRST;
  if (c->launches_measured > 0) c->launches_measured--;
}

static void enter(dc_contention *t, int state) {
  t->state = state;
  t->began = t->since;
  t->seconds = t->blocks = 0;
}

/* Estimates how many blocks all threads have run since the last call; `blocks`: those of the launching thread, of which
** each helper has run about as many.  Where blocks wait for other blocks, the threads run different numbers of
** blocks; there the number of blocks that have begun is the estimate, since these are taken one by one. */
static double blocks_of_all(dc_contention *t, dc_job *job, double blocks, int helpers) {
  const uint64_t before = t->taken;
  t->taken = atomic_load_explicit(&job->next_block, memory_order_relaxed);
  if (!atomic_load_explicit(&job->waits, memory_order_relaxed)) return blocks * (helpers + 1);
  return t->taken > job->nblocks ? 0 : (double)(t->taken - before);
}

/* While threads help: what a block takes, and whether they are to pause. */
static void note_together(dc_contention *t, dc_job *job, double seconds, double blocks) {
  const int helpers = atomic_load_explicit(&job->helpers, memory_order_relaxed);
  if (helpers == 0) return;
  if (t->began == 0) t->began = t->since;
  t->seconds = t->seconds / 2 + seconds; /* the last shares count most */
  t->blocks = t->blocks / 2 + blocks_of_all(t, job, blocks, helpers);
  if (t->blocks == 0 || t->seconds <= 0) return;
  t->together = t->seconds / t->blocks;
  const double block = t->together * (helpers + 1), most = SHARE / block;
  atomic_store_explicit(&job->most_share, most < 1 ? 1 : (uint64_t)most, memory_order_relaxed);
  if (t->since - t->began < t->next) return;
  if (block * FEW > PAUSE * t->next) { /* threads would wait long for each other */
    t->next = block * FEW / PAUSE;
    return;
  }
  atomic_store(&job->pause, true);
  enter(t, DC_PAUSING);
}

/* Whether the launching thread has been faster alone, which is remembered for the next launches. */
static bool was_faster(const dc_contention *t, dc_job *job) {
  if (t->blocks == 0) return false;
  job->native->faster_alone = t->seconds / t->blocks * SURELY < t->together;
  job->native->launches_measured = LAUNCHES;
  job->native->seconds_alone = t->next / PAUSE > LONG ? t->next / PAUSE : LONG;
  return job->native->faster_alone;
}

static void end_pause(dc_contention *t, dc_job *job) {
  if (was_faster(t, job)) {
    atomic_store_explicit(&job->most_share, 0, memory_order_relaxed);
    t->state = dc_threads_send_away(job) ? DC_CONTENTION_OFF : DC_SENDING_AWAY;
    return;
  }
  atomic_store(&job->pause, false);
  enter(t, DC_TOGETHER);
  t->next *= GROWTH;
}

static void note_alone(dc_contention *t, dc_job *job, double seconds, double blocks) {
  const double length = PAUSE * t->next, passed = t->since - t->began;
  if (passed - seconds >= length / 2) {
    t->seconds += seconds;
    t->blocks += blocks;
  }
  if (passed >= length) end_pause(t, job);
}

void dc_contention_note(dc_worker *k, uint64_t blocks) {
  dc_contention *t = &k->contention;
  dc_job *job = k->job;
  if (t->state == DC_CONTENTION_OFF) return;
  if (t->state == DC_TOGETHER && blocks == 0) return; /* its turn counts for the block that ends next */
  const double now = dc_clock(), seconds = now - t->since;
  t->since = now;
  switch (t->state) {
    case DC_TOGETHER: note_together(t, job, seconds, (double)blocks); break;
    case DC_PAUSING:
      if (atomic_load(&job->paused) == atomic_load(&job->helpers)) enter(t, DC_ALONE);
      else if (now - t->began > PAUSE * t->next + 2 * SHARE) end_pause(t, job);
      break;
    case DC_ALONE: note_alone(t, job, seconds, (double)blocks); break;
    case DC_SENDING_AWAY:
      if (dc_threads_send_away(job)) t->state = DC_CONTENTION_OFF;
      break;
    case DC_CONTENTION_OFF: break;
  }
}

/* `paused` and `pause` are Dekker's exclusion: the launching thread sees that this one does not pause, or this one sees
** that it is to, before it accesses memory. */
bool dc_contention_pause(dc_worker *k) {
  dc_job *job = k->job;
  if (k->index == 0 || k->resident > 0) return true;
  while (atomic_load(&job->pause) && !atomic_load(&job->grid.stop)) {
    atomic_fetch_add(&job->paused, 1);
    while (atomic_load(&job->pause) && !atomic_load(&job->grid.stop)) sched_yield();
    atomic_fetch_sub(&job->paused, 1);
  }
  return !atomic_load(&job->grid.stop) && !atomic_load(&job->no_help);
}

bool dc_contention_may_begin(const dc_worker *k) {
  return k->index == 0 || !(atomic_load_explicit(&k->job->pause, memory_order_relaxed) ||
                            atomic_load_explicit(&k->job->no_help, memory_order_relaxed));
}

/* A launch that was not measured has paused no threads; a locked store would take as long as all stores before it. */
void dc_contention_end(dc_worker *k) {
  if (k->index != 0 || k->contention.state == DC_CONTENTION_OFF) return;
  if (k->contention.state == DC_ALONE) was_faster(&k->contention, k->job);
  k->contention.state = DC_CONTENTION_OFF;
  atomic_store(&k->job->pause, false);
}
