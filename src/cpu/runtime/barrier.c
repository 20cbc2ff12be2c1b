/* barrier.c - see barrier.h. */
#include "cpu/runtime/barrier.h"

#include "cpu/ptx/ptx.h"

/* The threads that have arrived, for comparison with an expected count: a warp whose live lanes have all arrived counts
** as 32, as the hardware's barriers count warps. */
static uint32_t counted(const dc_block_run *b, const dc_barrier *bar) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < b->nwarps; i++) {
    uint32_t lanes = bar->arrived[i];
    if (lanes == 0) continue;
    uint32_t live = b->warps[i] ? b->warps[i]->w.live : 0;
    n += (live & ~lanes) == 0 ? DC_LANES : (uint32_t)__builtin_popcount(lanes);
  }
  return n;
}

static uint32_t result_of(const dc_barrier *bar) {
  switch (bar->mode) {
    case PTX_BAR_RED_AND: return bar->sum == bar->count;
    case PTX_BAR_RED_OR: return bar->sum != 0;
    default: return bar->sum;
  }
}

static void release(dc_warp_slot *s, uint32_t lanes, const uint32_t *result) {
  dc_warp_control *c = &s->c;
  c->runnable = true;
  if (c->parked) return;
  c->at_barrier &= ~lanes;
  c->released |= lanes;
  c->recheck = true;
  for (; result && lanes; lanes &= lanes - 1) c->red[__builtin_ctz(lanes)] = *result;
}

/* Releases the waiting lanes if all have arrived. */
static bool try_complete(dc_block_run *b, uint32_t id) {
  dc_barrier *bar = &b->barriers[id];
  if (bar->count == 0) return false;
  if (bar->expected ? counted(b, bar) < bar->expected : bar->count < b->live) return false;
  uint32_t result = result_of(bar);
  bool red = bar->mode != PTX_BAR_SYNC && bar->mode != PTX_BAR_ARRIVE;
  for (uint32_t i = 0; i < b->nwarps; i++) {
    if (bar->waiting[i]) release(b->warps[i], bar->waiting[i], red ? &result : NULL);
    bar->waiting[i] = bar->arrived[i] = 0;
  }
  bar->count = bar->sum = bar->expected = 0;
  b->used &= ~(1u << id);
  return true;
}

bool dc_barrier_arrive(dc_block_run *b, dc_warp *w, uint32_t id, uint32_t count, uint32_t lanes, bool wait,
                       uint32_t truth, uint8_t mode) {
  dc_barrier *bar = &b->barriers[id];
  bar->count += (uint32_t)__builtin_popcount(lanes);
  bar->sum += (uint32_t)__builtin_popcount(truth);
  bar->expected = count;
  bar->mode = mode;
  bar->arrived[w->warpid] |= lanes;
  if (wait) bar->waiting[w->warpid] |= lanes;
  b->used |= 1u << id;
  return try_complete(b, id);
}

void dc_barrier_lanes_ended(dc_block_run *b, uint32_t n) {
  b->live -= n;
  for (uint32_t left = b->used; left; left &= left - 1) try_complete(b, (uint32_t)__builtin_ctz(left));
}
