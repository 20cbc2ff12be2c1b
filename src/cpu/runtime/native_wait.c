/*
** native_wait.c - see native_wait.h.
**
** Most blocks end without waiting, so the gangs of all are those of the worker until they have to wait.
*/
#include "cpu/runtime/native_wait.h"

#include <stdlib.h>
#include <string.h>

#include "base/runtime.h"
#include "cpu/runtime/frames.h"

#define IN_VAIN 0.1         /* seconds */
#define IN_VAIN_LOCKED 1e-3 /* where a lane may hold a lock that other lanes of its gang wait for; */
#define FEW_DEOPTIMIZED 8   /* 0 s where at least that many blocks have been left to tier 0 */

bool dc_native_set_aside(dc_worker *k, dc_block_run *b) {
  dc_native *n = &k->native;
  b->counts = n->counts;
  if (b->gangs) return true;
  b->gangs = malloc(n->ngangs * sizeof *b->gangs);
  if (b->gangs == NULL) return false;
  b->ngangs = n->ngangs;
  memcpy(b->gangs, n->gangs, n->ngangs * sizeof *b->gangs);
  n->gangs = b->gangs;
  for (uint32_t i = 0; i < n->ngangs; i++) k->gang_frames[n->gangs[i].number] = NULL;
  dc_native_forget_gangs(k);
  return true;
}

void dc_native_take_up(dc_worker *k, const dc_block_run *b) {
  k->native.gangs = b->gangs;
  k->native.ngangs = b->ngangs;
  k->native.counts = b->counts;
}

bool dc_native_waits_in_vain(const dc_worker *k) {
  if (k->native.moved || k->quiet_since == 0) return false;
  const bool locked = k->native.may_hold_lock;
  if (locked && atomic_load_explicit(&k->job->deoptimized, memory_order_relaxed) >= FEW_DEOPTIMIZED) return true;
  return dc_clock() - k->quiet_since > (locked ? IN_VAIN_LOCKED : IN_VAIN);
}

void dc_native_end_wait(dc_block_run *b) {
  for (uint32_t i = 0; b->gangs && i < b->ngangs; i++)
    if (b->gangs[i].frame) dc_frame_release(&b->worker->frames, b->gangs[i].frame);
  free(b->gangs);
  b->gangs = NULL;
}
