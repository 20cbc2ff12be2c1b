/* shares.c - see shares.h. */
#include "cpu/runtime/shares.h"

#include "cpu/runtime/native_blocks.h"
#include "cpu/runtime/state.h"

#define FIRST_SHARE 64     /* blocks that a worker takes at first, or fewer */
#define SHORT_SHARE 100e-6 /* seconds; after a shorter share twice as many are taken, but for what is left to others */
#define TINY_SHARE 5e-6    /* seconds; after a shorter share twice as many are taken, whatever is left to others */

static uint64_t threads_of(const dc_job *job) { return (uint64_t)job->most_workers; }

/* Other threads are called after the first share. */
dc_share dc_share_begin(const dc_worker *k) {
  const uint64_t quarter = k->job->nblocks / (4 * threads_of(k->job)), part = quarter / 16;
  const uint32_t nranges = (uint32_t)k->job->nranges;
  return (dc_share){ .quarter = quarter, .limit = part > FIRST_SHARE ? FIRST_SHARE : part < 1 ? 1 : part, .least = 1,
                     .range = k->index < nranges ? k->index : k->index % nranges };
}

void dc_share_note(dc_share *s, double seconds) {
  if (s->count == s->limit && seconds < SHORT_SHARE) s->limit *= 2;
  if (seconds < TINY_SHARE) s->least = 2 * s->count;
}

/* The size of the next share of the `left` blocks that `threads` threads take from: a part of them, so that all end at
** about the same time (guided self-scheduling), but at least s->least.  That lower bound is at most 4, or half of the
** blocks that each thread runs, since long blocks may follow tiny ones.  A worker takes many blocks at a time if they
** are short, since memory is quicker where each stays in a part of its own for long: saxpy of 2^24 elements, two
** threads, takes 3.9 ms with 64 blocks at a time, 3.5 with 2048. */
static uint64_t size_of(const dc_job *job, const dc_share *s, uint64_t left, uint64_t threads) {
  const uint64_t most = atomic_load_explicit(&job->most_share, memory_order_relaxed);
  const uint64_t limit = most && most < s->limit ? most : s->limit;
  const uint64_t together = dc_native_together(job), quarter = s->quarter;
  const uint64_t part = quarter > 1 ? left / (8 * threads) : 0;
  const uint64_t half = quarter > 2 ? 2 * quarter : 4, least = s->least < half ? s->least : half;
  const uint64_t guided = part < limit ? part : limit, share = guided > least ? guided : least;
  if (share >= together) return share - share % together;
  return together < quarter ? together : quarter > share ? quarter : share;
}

/* While no other thread may join, without a locked operation: it takes as long as all stores before it. */
static bool take_alone(dc_job *job, dc_share *s) {
  const uint64_t first = atomic_load_explicit(&job->next_block, memory_order_relaxed), left = job->nblocks - first;
  if (left == 0) return false;
  const uint64_t size = size_of(job, s, left, threads_of(job));
  s->first = first;
  s->is_last = size >= left;
  s->count = s->is_last ? left : size;
  atomic_store_explicit(&job->next_block, first + s->count, memory_order_relaxed);
  return true;
}

static uint64_t left_of(const dc_block_range *r) {
  const uint64_t next = atomic_load_explicit(&r->next, memory_order_relaxed);
  return next < r->end ? r->end - next : 0;
}

bool dc_share_take(const dc_worker *k, dc_share *s) {
  dc_job *job = k->job;
  if (!job->is_divided) return take_alone(job, s);
  s->is_last = false;
  for (int i = 0; i < job->nranges; i++, s->range = (s->range + 1) % (uint32_t)job->nranges) {
    dc_block_range *r = &job->ranges[s->range];
    const uint64_t left = left_of(r);
    if (left == 0) continue;
    const uint64_t size = size_of(job, s, left, 1);
    s->first = atomic_fetch_add_explicit(&r->next, size, memory_order_relaxed);
    if (s->first >= r->end) continue;
    s->count = r->end - s->first < size ? r->end - s->first : size;
    return true;
  }
  return false;
}

void dc_ranges_divide(dc_job *job) {
  if (job->is_divided || job->nranges == 0) return;
  uint64_t first = atomic_load_explicit(&job->next_block, memory_order_relaxed);
  for (int i = 0; i < job->nranges; i++) {
    const uint64_t count = (job->nblocks - first) / (uint64_t)(job->nranges - i);
    atomic_store_explicit(&job->ranges[i].next, first, memory_order_relaxed);
    job->ranges[i].end = first += count;
  }
  atomic_store_explicit(&job->next_block, job->nblocks, memory_order_relaxed);
  job->is_divided = true;
}

bool dc_job_has_blocks(const dc_job *job) {
  if (!job->is_divided) return atomic_load_explicit(&job->next_block, memory_order_relaxed) < job->nblocks;
  for (int i = 0; i < job->nranges; i++)
    if (left_of(&job->ranges[i]) > 0) return true;
  return false;
}
