/*
** native_leave.c - see native_leave.h.
**
** One gang has left in the middle of what it does between two barriers; of the others some have ended, some wait at
** the next barrier, some are behind the last one, and some have not begun.  The gangs are the block's warps (no other
** layout has code that leaves), and each one's frame becomes its warp's.  Native code writes the registers of those
** that have begun to their frames, one by one.  Then all is as if tier 0 had run the block so far.
*/
#include "cpu/runtime/native_leave.h"

#include "cpu/codegen/native.h"
#include "cpu/interp/code.h"
#include "cpu/ptx/opcode.h"
#include "cpu/runtime/job.h"
#include "cpu/runtime/native_wait.h"
#include "cpu/runtime/warp.h"

/* The barrier of the whole block behind which lanes go on at node n. */
static int32_t barrier_before(const dc_cpu_function *fn, int32_t n) {
  for (int32_t i = 0; i < fn->nnodes; i++) {
    const dc_basic_block *node = &fn->nodes[i];
    if (node->next == n && dc_is_whole_barrier(node)) return i;
  }
  return -1;
}

/* The lanes of gang i that are left. */
static uint32_t live_lanes(const dc_native_code *c, const dc_native *n, uint32_t i) {
  if (i == n->leaver) return n->live;
  if (!c->info.suspends) return i < n->leaver ? 0 : n->gangs[i].all;
  return n->gangs[i].live;
}

static bool has_begun(const dc_native_code *c, const dc_native *n, uint32_t i) {
  return i <= n->leaver || (c->info.suspends && n->gangs[i].node != 0);
}

/* The warp of gang i, of which `live` lanes are left, with the gang's frame.  NULL: no memory. */
static dc_warp_slot *adopt(dc_worker *k, dc_block_run *b, uint32_t i, uint32_t live) {
  dc_gang *g = &k->native.gangs[i];
  dc_warp_slot *s = dc_warp_new(k);
  if (s == NULL) return NULL;
  dc_warp_adopt(s, b, g->number, g->frame, live);
  if (b->gangs == NULL) k->gang_frames[k->job->native->info.suspends ? g->number : 0] = NULL;
  b->warps[g->number] = s;
  return s;
}

/* Makes warps of the gangs that have begun.  False: no memory. */
static bool make_warps(dc_worker *k, dc_block_run *b) {
  const dc_native *n = &k->native;
  const dc_native_code *c = k->job->native;
  b->live = 0;
  dc_native_forget_gangs(k);
  for (uint32_t i = 0; i < n->ngangs; i++) {
    const uint32_t live = live_lanes(c, n, i);
    b->order[i] = (uint8_t)n->gangs[i].number;
    b->live += (uint32_t)__builtin_popcount(live);
    if (!has_begun(c, n, i)) continue; /* nor have those behind it */
    if (live == 0) b->done++;
    else if (adopt(k, b, i, live) == NULL) return false;
    b->started = i + 1;
  }
  return true;
}

/* Gang i, which waits in a loop or stands at a barrier or behind it, leaves there as well. */
static void leave_there(dc_worker *k, dc_warp_slot *s, uint32_t i) {
  const dc_native_code *c = k->job->native;
  const dc_gang *g = &k->native.gangs[i];
  const bool in_loop = g->node >= DC_AT_YIELD, behind = i > k->native.leaver && !k->native.holds;
  dc_native n = k->native; /* what native code tells of the gang that leaves first is kept */
  n.gangs += i;
  n.ngangs = 1;
  n.leave_all = 1;
  n.resumes = 0;
  c->run(&n);
  if (in_loop || behind) dc_warp_take_back(s, c, DC_NATIVE_LEAVE, 0, 0);
  else dc_warp_await(s, barrier_before(c->fn, (int32_t)g->node));
}

/* Frees the gangs of a block that has waited; frames are those of its warps. */
static void free_gangs(dc_block_run *b) {
  for (uint32_t i = 0; b->gangs && i < b->ngangs; i++)
    if (b->warps[b->gangs[i].number]) b->gangs[i].frame = NULL;
  dc_native_end_wait(b);
}

dc_progress dc_native_leave(dc_worker *k, dc_block_run *b, int result) {
  const dc_native *n = &k->native;
  const dc_native_code *c = k->job->native;
  const dc_gang *gangs = n->gangs;
  const bool room = make_warps(k, b);
  if (result != DC_NATIVE_WAIT || n->may_hold_lock)
    atomic_fetch_add_explicit(&k->job->deoptimized, 1, memory_order_relaxed);
  if (!room) {
    free_gangs(b);
    dc_job_fail(k->job, DC_MEMORY, NULL, 0, "out of memory (host) for the warps of a block");
    return DC_STOPPED;
  }
  for (uint32_t i = 0; c->info.suspends && i < b->started; i++)
    if (i != n->leaver && b->warps[gangs[i].number]) leave_there(k, b->warps[gangs[i].number], i);
  if (b->used) b->barriers[0].sum += n->counts.yes;
  dc_warp_slot *s = n->leaver < n->ngangs ? b->warps[gangs[n->leaver].number] : NULL;
  free_gangs(b);
  if (s == NULL) return DC_PASSED;
  k->warp = &s->w;
  dc_warp_take_back(s, c, result, (int32_t)n->node, n->lanes);
  k->warp = NULL;
  return DC_PASSED;
}
