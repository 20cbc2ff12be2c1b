/*
** warp.c - see warp.h.
**
** Each node (a dc_basic_block) has a word of pending lanes.  The lowest-numbered node with pending lanes runs first, so
** lanes reconverge at joins, which have higher numbers than their predecessors.  While all lanes of a frame are at one
** node, no word is accessed: a jump is an assignment.
*/
#include "cpu/runtime/warp.h"

#include <stdlib.h>
#include <string.h>

#include "base/bitset.h"
#include "cpu/codegen/native.h"
#include "cpu/interp/code.h"
#include "cpu/ptx/ptx.h"
#include "cpu/runtime/barrier.h"
#include "cpu/runtime/builtin.h"
#include "cpu/runtime/fault.h"
#include "cpu/runtime/frames.h"
#include "cpu/runtime/job.h"
#include "cpu/runtime/livelock.h"
#include "cpu/runtime/native_frame.h"
#include "cpu/runtime/warp_lanes.h"
#include "cpu/simd/abi.h"
#include "device/device.h"

#define POLL_BUDGET 4096 /* backward jumps between two polls */
#define SPIN_COST 16     /* of a back edge of a loop that may wait for other threads */
#define SPLIT_COST 128   /* of the same while other lanes of the warp are elsewhere */
#define LOOK_BUDGET (8 * SPIN_COST) /* until the next poll, of a warp that has only spun */
#define BACKOFF_PICKS 200

/* --- scheduling ----------------------------------------------------------------------------------------- */

/* Whether some lanes wait at a warp-wide operation, and none at a barrier. */
static bool only_warp_waits(const dc_warp_control *c) {
  if (c->at_barrier) return false;
  for (const dc_frame *f = c->frames; f; f = f->below)
    for (uint32_t i = 0; i < f->fn->words; i++)
      if (f->blocked[i]) return true;
  return false;
}

static void pass_barriers(dc_warp *w);

/* The next node to run and its lanes.  -1: none now, *progress says why. */
static int32_t pick(dc_warp *w, uint32_t *lanes, dc_progress *progress) {
  dc_warp_control *c = w->ctl;
  if (c->turn_over) {
    c->turn_over = false;
    *progress = DC_PASSED;
    return -1;
  }
  for (;;) {
    if (c->frame->lanes == 0 && !dc_warp_pop_empty(w)) {
      *progress = DC_DONE;
      return -1;
    }
    if (c->released) pass_barriers(w);
    if (c->spin_frame && c->backoff_left-- <= 0) c->spin_frame = NULL;
    int32_t n = dc_lanes_find_ready(w);
    if (n >= 0) {
      dc_frame *f = c->frame;
      *lanes = f->pend[n];
      f->pend[n] = 0;
      dc_bit_remove(f->ready, n);
      dc_bit_remove(f->blocked, n);
      if (*lanes) return n;
      continue; /* they exited while they waited */
    }
    if (c->recheck) {
      dc_lanes_unblock(c);
      continue;
    }
    if (c->spin_frame) { /* all runnable lanes are in back-off: other warps first, and then a short look */
      c->spin_frame = NULL;
      c->poll_budget = LOOK_BUDGET;
      *progress = DC_YIELDED;
      return -1;
    }
    if (!c->force && only_warp_waits(c)) { /* subsets of the warp wait for each other: lets the first pass */
      c->force = !dc_warp_merge_frames(w);
      dc_lanes_unblock(c);
      continue;
    }
    *progress = DC_BLOCKED;
    return -1;
  }
}

/* Back-off of the lanes that spin at node n of the current frame: all others run first.  Loops already in back-off stay
** there: where two subsets of a warp spin on a lock that a third holds, they would else only yield to each other. */
static void back_off(dc_warp_control *c, int32_t n) {
  int32_t i = 0;
  if (c->spin_frame != c->frame) c->nspin = 0;
  c->spin_frame = c->frame;
  c->backoff_left = BACKOFF_PICKS;
  while (i < c->nspin && c->spin_nodes[i] != n) i++;
  if (i < c->nspin) return;
  if (c->nspin < DC_MAX_SPINNING) c->nspin++;
  else memmove(c->spin_nodes, c->spin_nodes + 1, (DC_MAX_SPINNING - 1) * sizeof *c->spin_nodes);
  c->spin_nodes[c->nspin - 1] = n;
}

/* The poll budget is used up.  True: the launch is to stop. */
static bool poll(dc_warp *w, int32_t n, bool spin, dc_progress *progress) {
  dc_warp_control *c = w->ctl;
  c->poll_budget = POLL_BUDGET;
  dc_native_end_alone(&c->worker->native); /* the poll may wake the other threads */
  if (dc_job_poll(c->worker->job, c->worker->index == 0)) {
    *progress = DC_STOPPED;
    return true;
  }
  if (spin) back_off(c, n);
  return false;
}

/* --- member masks --------------------------------------------------------------------------------------- */

/* Lanes `m` reach a warp-wide operation: a fault if one of them is not in its own member mask. */
static void check_members(dc_warp *w, const dc_basic_block *node, uint32_t m) {
  const dc_uop *o = node->strict;
  const uint32_t *member = (const uint32_t *)(const void *)(w->regs + node->member);
  if (o->ins->pred >= 0) m &= o->neg_a ? ~w->preds[o->a] : w->preds[o->a];
  for (; m; m &= m - 1) {
    int l = __builtin_ctz(m);
    if (!(member[l] >> l & 1)) dc_warp_fault(w, o, DC_FAULT_MEMBER, l, member[l]);
  }
}

/* Those of `lanes` with the same value as the first of them. */
static uint32_t same_value(const uint32_t *values, uint32_t lanes) {
  uint32_t same = 0, first = values[__builtin_ctz(lanes)];
  for (int l = 0; l < DC_LANES; l++) same |= (uint32_t)(values[l] == first) << l;
  return same & lanes;
}

/* Of the lanes `m` at a warp-wide operation, those whose member masks are complete here; the others wait. */
static uint32_t gather(dc_warp *w, dc_frame *f, const dc_basic_block *node, int32_t n, uint32_t m) {
  const uint32_t *member = (const uint32_t *)(const void *)(w->regs + node->member);
  dc_warp_control *c = w->ctl;
  uint32_t go = 0;
  if (m == w->live) go = m;
  for (uint32_t rest = m & ~go; rest; rest &= rest - 1) {
    int l = __builtin_ctz(rest);
    if ((member[l] & w->live & ~m) == 0) go |= 1u << l;
  }
  if (go == 0 && c->force) go = m;
  if (go) c->force = false;
  if (node->wait == DC_WAIT_GROUP && go) { /* one member mask at a time */
    const uint32_t same = same_value(member, go);
    if (go & ~same) dc_lanes_arrive(f, n, go & ~same);
    m &= ~(go & ~same);
    go &= same;
  }
  if (m & ~go) dc_lanes_block(f, n, m & ~go);
  return go;
}

/* --- ends of nodes -------------------------------------------------------------------------------------- */

/* The result of bar.red for released lanes. */
static void put_reduction(dc_warp *w, const dc_basic_block *node, uint32_t lanes) {
  const dc_uop *o = node->op;
  const dc_warp_control *c = w->ctl;
  if (o->ins->ndst == 0 || o->d == DC_NO_OPERAND) return;
  for (; lanes; lanes &= lanes - 1) {
    int l = __builtin_ctz(lanes);
    if (o->bits[0] == 1) w->preds[o->d] = (w->preds[o->d] & ~(1u << l)) | (uint32_t)(c->red[l] != 0) << l;
    else ((uint32_t *)(void *)(w->regs + o->d))[l] = c->red[l];
  }
}

static uint32_t predicate_lanes(const dc_warp *w, const dc_uop *o) {
  int last = o->ins->nsrc;
  uint32_t at = last == 3 ? o->c : o->b;
  bool neg = last == 3 ? o->neg_c : o->neg_b;
  return neg ? ~w->preds[at] : w->preds[at];
}

/* Moves all lanes that a barrier has released behind it before any of them runs, so that they reconverge there. */
static void pass_barriers(dc_warp *w) {
  dc_warp_control *c = w->ctl;
  dc_frame *here = c->frame;
  for (dc_frame *f = c->frames; f && c->released; f = f->below) {
    dc_warp_enter(w, f);
    for (uint32_t i = 0; i < f->fn->words; i++)
      for (uint64_t word = f->ready[i] | f->blocked[i]; word && c->released; word &= word - 1) {
        const int32_t n = (int32_t)(i * 64) + __builtin_ctzll(word);
        const dc_basic_block *node = &f->fn->nodes[n];
        const uint32_t lanes = node->end == DC_END_BARRIER ? f->pend[n] & c->released : 0;
        if (lanes == 0) continue;
        f->pend[n] &= ~lanes;
        c->released &= ~lanes;
        put_reduction(w, node, lanes);
        dc_lanes_send(w, f, node->next, lanes);
      }
  }
  dc_warp_enter(w, here);
}

/* Lanes `t` arrive at a barrier, or were waiting there.  True: it is complete, and has released exactly these lanes. */
static bool at_barrier(dc_warp *w, dc_frame *f, const dc_basic_block *node, int32_t n, uint32_t t) {
  dc_warp_control *c = w->ctl;
  const dc_uop *o = node->op;
  uint32_t fresh = t & ~c->at_barrier;
  bool red = o->ins->mode >= PTX_BAR_RED_POPC && o->ins->mode <= PTX_BAR_RED_OR;
  bool wait = o->ins->mode != PTX_BAR_ARRIVE, counted = o->ins->nsrc - red > 1;
  if (t & c->at_barrier) dc_lanes_block(f, n, t & c->at_barrier);
  uint32_t truth = red ? predicate_lanes(w, o) : 0;
  while (fresh) { /* lanes with one barrier number at a time */
    int l = __builtin_ctz(fresh);
    const uint32_t *ids = (const uint32_t *)(const void *)(w->regs + o->a);
    const uint32_t same = same_value(ids, fresh), id = ids[l];
    uint32_t count = 0;
    fresh &= ~same;
    if (id >= DC_BARRIERS) dc_warp_fault(w, o, DC_FAULT_BARRIER, l, id);
    if (counted) {
      count = ((const uint32_t *)(const void *)(w->regs + o->b))[l];
      const bool never = !wait && count > c->block->nwarps * DC_LANES; /* if it waits, the deadlock is found */
      if (never || !dc_barrier_counts(count)) dc_warp_fault(w, o, DC_FAULT_COUNT, l, count);
    }
    c->at_barrier |= wait ? same : 0;
    bool complete = dc_barrier_arrive(c->block, w, id, count, same, wait, truth & same, o->ins->mode);
    if (!wait) {
      dc_lanes_send(w, f, node->next, same);
    } else if (complete && same == t && c->released == t && c->block->nwarps == 1) {
      c->released = 0;
      put_reduction(w, node, same);
      return true;
    } else {
      dc_lanes_block(f, n, same); /* pass_barriers lets released ones pass */
      c->turn_over = c->turn_over || complete;
    }
  }
  return false;
}

/* Calls: makes a frame of `callee` for lanes `t` the current one. */
static void call(dc_warp *w, dc_frame *f, const dc_basic_block *node, const dc_cpu_function *callee, uint32_t t) {
  int l = __builtin_ctz(t);
  if (callee->state != 1) dc_warp_fault(w, node->op, DC_FAULT_REFUSED, l, (uint64_t)(uintptr_t)callee);
  dc_frame *g = dc_warp_push_frame(w, callee, f, t);
  if (g == NULL) dc_warp_fault(w, node->op, DC_FAULT_STACK, l, 0);
  g->call = node;
  for (int i = 0; i < node->nargs; i++) {
    const dc_copy *a = &node->args[i];
    size_t to = node->callee ? a->to : (size_t)callee->ptx->params[i]->offset;
    dc_lanes_copy(g->params + to, callee->params_stride, f->call_area + a->from, f->fn->call_stride, a->size, t);
  }
  dc_warp_enter(w, g);
}

/* Calls through a pointer: the lanes of `t` with the same target as the first of them; the others stay at this node. */
static uint32_t call_address(dc_warp *w, dc_frame *f, const dc_basic_block *node, int32_t n, uint32_t t) {
  const uint8_t *reg = w->regs + node->op->a;
  bool narrow = node->op->bits[1] == 32;
  uint64_t target = 0;
  uint32_t same = 0;
  for (uint32_t rest = t; rest; rest &= rest - 1) {
    int l = __builtin_ctz(rest);
    uint64_t v = narrow ? ((const uint32_t *)(const void *)reg)[l] : ((const uint64_t *)(const void *)reg)[l];
    if (same == 0) target = v;
    same |= (uint32_t)(v == target) << l;
  }
  const dc_cpu_function *callee = dc_code_function_at(f->fn->code, target);
  if (callee == NULL || node->op->ins->flags & PTX_F_LOST || !dc_code_fits(callee, node))
    dc_warp_fault(w, node->op, DC_FAULT_CALL, __builtin_ctz(same), target);
  dc_lanes_send(w, f, n, t & ~same);
  call(w, f, node, callee, same);
  return same;
}

static void branch_indexed(dc_warp *w, dc_frame *f, const dc_basic_block *node, uint32_t t) {
  const uint32_t *index = (const uint32_t *)(const void *)(w->regs + node->op->a);
  for (; t; t &= t - 1) {
    int l = __builtin_ctz(t);
    if (index[l] >= (uint32_t)node->ntargets) dc_warp_fault(w, node->op, DC_FAULT_BRANCH, l, index[l]);
    dc_lanes_send(w, f, node->targets[index[l]], 1u << l);
  }
}

/* All ends but jumps.  True: lanes `*m` are at node `*n` of a new current frame; false: the scheduler picks. */
static bool end_node(dc_warp *w, dc_frame *f, const dc_basic_block *node, int32_t *n, uint32_t *m, uint32_t t) {
  uint32_t all = *m;
  if (t == 0) { /* the guard holds for no lane */
    dc_lanes_send(w, f, node->next, all);
    return false;
  }
  w->at = node->op;
  dc_lanes_send(w, f, node->next, all & ~t);
  switch ((dc_end)node->end) {
    case DC_END_BRX:
      branch_indexed(w, f, node, t);
      return false;
    case DC_END_LEAVE:
      dc_lanes_leave(w, f, t);
      return false;
    case DC_END_EXIT:
      dc_lanes_end(w, f, t);
      return false;
    case DC_END_CALL:
      call(w, f, node, node->callee, t);
      *n = 0;
      *m = t;
      return true;
    case DC_END_CALL_ADDRESS:
      *m = call_address(w, f, node, *n, t);
      *n = 0;
      return true;
    case DC_END_BARRIER:
      if (!at_barrier(w, f, node, *n, t)) return false;
      break;
    case DC_END_SLEEP: /* other lanes first: the sleeper may wait for them */
      dc_lanes_send(w, f, node->next, t);
      if (node->next >= 0) back_off(w->ctl, node->next);
      return false;
    case DC_END_TRAP:
    case DC_END_ASSERT:
    case DC_END_PRINTF:
    case DC_END_MALLOC:
    case DC_END_FREE:
    case DC_END_PREPARE:
    case DC_END_LAUNCH:
      dc_builtin_call(w, (dc_call_area){f->call_area, f->fn->call_stride}, node, t);
      break;
    case DC_END_JUMP: break;
  }
  dc_lanes_send(w, f, node->next, t);
  return false;
}

/* --- running -------------------------------------------------------------------------------------------- */

/* Whether the operand, in the registers at `at`, has one value in lanes m: *value. */
static bool same_operand(const dc_warp *w, uint32_t at, const ptx_operand *operand, uint32_t m, uint32_t *value) {
  const uint32_t *values = (const uint32_t *)(const void *)(w->regs + at);
  *value = values[__builtin_ctz(m)];
  if (operand->kind == PTX_IMM) return true;
  if (m == DC_ALL_LANES) return memcmp(values, values + 1, (DC_LANES - 1) * sizeof *values) == 0;
  return same_value(values, m) == m;
}

/* The fast path of a barrier: every live lane of the warp is there, in one frame, and all name the same barrier and
** number of threads.  False: another case. */
static bool park(dc_warp *w, const dc_basic_block *node, int32_t n, uint32_t m, bool *complete) {
  dc_warp_control *c = w->ctl;
  const dc_uop *o = node->op;
  if (o->ins->mode != PTX_BAR_SYNC || node->next < 0) return false;
  if (c->at_barrier | c->released) return false; /* some have been counted already */
  uint32_t id, count = 0;
  if (!same_operand(w, o->a, &o->ins->opnd[0], m, &id) || id >= DC_BARRIERS) return false;
  const bool counted = o->ins->nsrc > 1;
  if (counted && (!same_operand(w, o->b, &o->ins->opnd[1], m, &count) || !dc_barrier_counts(count))) return false;
  c->parked = true;
  c->node = n;
  *complete = dc_barrier_arrive(c->block, w, id, count, m, true, 0, PTX_BAR_SYNC);
  if (*complete && c->block->nwarps == 1) c->parked = false;
  return true;
}

/* The lanes of m for which the guard of the node's end holds. */
static inline uint32_t guarded(const dc_warp *w, const dc_basic_block *node, uint32_t m) {
  return node->guard >= 0 ? m & (w->preds[node->guard] ^ node->flip) : m;
}

#define PICK (-2) /* beside node numbers and DC_NODE_LEAVE: the scheduler picks the next node */
#define STOP (-3)

/* A backward jump.  True: the poll budget is used up. */
static inline bool spend(dc_warp_control *c, const dc_basic_block *node, bool whole) {
  c->poll_budget -= !node->spin ? 1 : whole ? SPIN_COST : SPLIT_COST;
  return c->poll_budget < 0;
}

/* A divergent jump: lanes `t` of *m take it.  The node at which the frame continues with *m lanes, or PICK. */
static int32_t diverge(dc_warp *w, dc_frame *f, const dc_basic_block *node, int32_t n, uint32_t *m, uint32_t t,
                    dc_progress *progress) {
  if (node->next == DC_NODE_LEAVE || node->taken == DC_NODE_LEAVE) { /* some return, the rest stay together */
    bool taken_leaves = node->taken == DC_NODE_LEAVE;
    dc_lanes_leave(w, f, taken_leaves ? t : *m & ~t);
    *m = taken_leaves ? *m & ~t : t;
    return taken_leaves ? node->next : node->taken;
  }
  dc_lanes_arrive(f, node->next, *m & ~t);
  dc_lanes_arrive(f, node->taken, t);
  int32_t back = node->taken <= n ? node->taken : node->next;
  if (back <= n && spend(w->ctl, node, false) && poll(w, back, node->spin, progress)) return STOP;
  return PICK;
}

/* Where lanes `*m`, which have run the node, continue: a node of the same frame, PICK or STOP. */
static inline int32_t jump(dc_warp *w, dc_frame *f, const dc_basic_block *node, int32_t n, uint32_t *m, uint32_t t,
                           dc_progress *progress) {
  int32_t to = t == *m ? node->taken : t == 0 ? node->next : diverge(w, f, node, n, m, t, progress);
  if (to == DC_NODE_LEAVE) {
    dc_lanes_leave(w, f, *m);
    return PICK;
  }
  if (to < 0) return to;
  bool whole = *m == f->lanes;
  if (to <= n && spend(w->ctl, node, whole)) {
    dc_lanes_arrive(f, to, *m);
    return poll(w, to, node->spin, progress) ? STOP : PICK;
  }
  if (whole) return to;
  dc_lanes_arrive(f, to, *m);
  return PICK;
}

/* All ends but jumps.  A node of c->frame, PICK or STOP. */
static int32_t finish(dc_warp *w, dc_frame *f, const dc_basic_block *node, int32_t n, uint32_t *m, uint32_t t,
                      dc_progress *progress) {
  dc_warp_control *c = w->ctl;
  bool spent = spend(c, node, true); /* `next` may lead back */
  if (spent && poll(w, n, false, progress)) return STOP;
  if (node->end == DC_END_BARRIER && t == w->live && *m == f->lanes) {
    bool complete;
    if (park(w, node, n, *m, &complete)) {
      *progress = complete ? DC_PASSED : DC_BLOCKED;
      return c->parked ? STOP : node->next;
    }
  }
  if (end_node(w, f, node, &n, m, t)) return n;
  if (spent && node->spin && node->next >= 0 && c->frame == f) back_off(c, node->next);
  return PICK;
}

/* Frame f, deoptimized, goes on at tier 0: lanes wait where native code `c` has left them. */
static void go_to_tier_0(dc_frame *f, const dc_native_code *c) {
  const uint32_t *wait = dc_native_waits(f, c);
  f->native = NULL;
  for (int32_t i = 0; i < c->info.nwaiting; i++)
    if (wait[i]) dc_lanes_arrive(f, c->info.waiting[i], wait[i]);
}

/* Native code continues frame f at node n.  The result is as of jump: a node, PICK or STOP. */
static int32_t run_native(dc_warp *w, dc_frame *f, int32_t n, uint32_t *m, dc_progress *progress) {
  const dc_native_code *c = f->native;
  if (!c->info.resumes[n]) { /* they have waited at the end of the node */
    const dc_basic_block *node = &f->fn->nodes[n];
    return finish(w, f, node, n, m, guarded(w, node, *m), progress);
  }
  if (*m != f->lanes) { /* the others are in a call, or have not arrived yet */
    dc_lanes_block(f, n, *m);
    return PICK;
  }
  const dc_native *io = &w->ctl->worker->native;
  int r = dc_native_frame(w, f, n);
  uint32_t gone = f->lanes & ~io->live;
  if (r == DC_NATIVE_STOP) {
    *progress = DC_STOPPED;
    return STOP;
  }
  if (r == DC_NATIVE_LEAVE || r == DC_NATIVE_FINISH) go_to_tier_0(f, c);
  if (gone) dc_lanes_leave(w, f, gone);
  n = (int32_t)io->node;
  *m = io->lanes;
  if (r == DC_NATIVE_LEAVE && *m) dc_lanes_arrive(f, n, *m);
  if (r == DC_NATIVE_DONE || r == DC_NATIVE_LEAVE) return PICK;
  const dc_basic_block *node = &f->fn->nodes[n];
  return finish(w, f, node, n, m, guarded(w, node, *m), progress);
}

dc_progress dc_warp_run(dc_warp_slot *s) {
  dc_warp *w = &s->w;
  dc_warp_control *c = &s->c;
  const dc_isa *ops = w->ops;
  dc_progress progress = DC_DONE;
  uint32_t m = 0;
  int32_t n = PICK;
  if (c->parked) { /* released: continue behind the barrier */
    c->parked = false;
    n = c->frame->fn->nodes[c->node].next;
    m = c->frame->lanes;
  }
  for (;;) {
    if (n == PICK && (n = pick(w, &m, &progress)) < 0) return progress;
    dc_frame *f = c->frame;
    const dc_basic_block *node = &f->fn->nodes[n];
    if (f->native) {
      if ((n = run_native(w, f, n, &m, &progress)) == STOP) return progress;
      continue;
    }
    if (node->strict) check_members(w, node, m);
    if (node->wait != DC_WAIT_NOT && (m != w->live || node->wait == DC_WAIT_GROUP)) {
      m = gather(w, f, node, n, m);
      if (m == 0) {
        n = PICK;
        continue;
      }
    }
    if (m != w->mask) ops->set_mask(w, m);
    if (c->block->watching) dc_livelock_run(w, node, m != f->lanes);
    else if (node->first != node->last) ops->run(w, node->first, node->last, m != f->lanes);
    const uint32_t t = guarded(w, node, m);
    n = node->end == DC_END_JUMP ? jump(w, f, node, n, &m, t, &progress) : finish(w, f, node, n, &m, t, &progress);
    if (n == STOP) return progress;
  }
}

/* --- beginning and end ---------------------------------------------------------------------------------- */

dc_warp_slot *dc_warp_new(dc_worker *k) {
  dc_warp_slot *s = k->free_warps;
  if (s) {
    k->free_warps = s->next;
    return s;
  }
  s = aligned_alloc(64, (sizeof *s + 63) / 64 * 64);
  if (s) memset(s, 0, sizeof *s);
  return s;
}

/* Lets native code run the kernel's frame, if there is native code and room for its saved values. */
static void go_native(dc_warp *w, dc_frame *f, const dc_native_code *c) {
  dc_worker *k = w->ctl->worker;
  if (c == NULL || c->info.simple || k->replaying) return;
  if (dc_frame_save(&k->frames, f, dc_native_save_bytes(c)) == 0) f->native = c;
}

/* Sets the fields that all warps of a launch on this worker have in common. */
static void set_up(dc_warp_slot *s, dc_worker *k) {
  dc_warp *w = &s->w;
  const dc_job *job = k->job;
  const struct dc_code *code = job->fn->code;
  s->launch = job->grid.id;
  w->ctl = &s->c;
  w->ops = k->cpu->ops;
  w->fault = dc_warp_fault;
  s->c.worker = k;
  w->base[DC_BASE_CONST] = w->low[DC_BASE_CONST] = code->const_image;
  w->high[DC_BASE_CONST] = w->low[DC_BASE_CONST] + code->ptx.const_size;
  w->base[DC_BASE_PARAM] = w->low[DC_BASE_PARAM] = (uint64_t)(uintptr_t)job->grid.params;
  w->high[DC_BASE_PARAM] = w->low[DC_BASE_PARAM] + job->fn->ptx->params_size;
}

void dc_warp_set_local(dc_warp *w, const dc_worker *k) {
  const uint8_t *base = k->frames.lanes.base;
  w->low[DC_BASE_LOCAL] = (uint64_t)(uintptr_t)base;
  w->high[DC_BASE_LOCAL] = w->low[DC_BASE_LOCAL] + (base ? k->frames.reserve : 0);
}

/* Sets the fields that all warps of a block have in common. */
static void enter_block(dc_warp_slot *s, dc_block_run *b) {
  dc_warp *w = &s->w;
  const dc_job *job = b->worker->job;
  if (s->launch != job->grid.id) set_up(s, b->worker);
  s->c.block = b;
  w->block = &b->s;
  w->at = NULL;
  w->base[DC_BASE_SHARED] = w->low[DC_BASE_SHARED] = (uint64_t)(uintptr_t)b->s.shared;
  w->high[DC_BASE_SHARED] = w->low[DC_BASE_SHARED] + job->grid.shared_bytes;
}

void dc_warp_prepare(dc_warp_slot *s, dc_block_run *b) {
  dc_warp *w = &s->w;
  const dc_job *job = b->worker->job;
  enter_block(s, b);
  s->c.frames = s->c.frame = NULL;
  w->tid = job->tids[0];
  w->warpid = 0;
  w->live = DC_ALL_LANES;
  w->lane_stride[DC_BASE_LOCAL] = job->fn->local_stride;
  w->lane_stride[DC_BASE_FRAME] = job->fn->params_stride;
  w->lane_stride[DC_BASE_CALL] = job->fn->call_stride;
}

/* Warp `index` of the block, with lanes `live` and no frames. */
static void begin(dc_warp_slot *s, dc_block_run *b, uint32_t index, uint32_t live) {
  dc_warp_control *c = &s->c;
  enter_block(s, b);
  c->poll_budget = POLL_BUDGET;
  c->at_barrier = c->released = 0;
  c->parked = c->recheck = c->force = c->turn_over = false;
  c->runnable = true;
  s->w.warpid = index;
  s->w.live = live;
  s->w.tid = b->worker->job->tids[index];
}

void dc_warp_start(dc_warp_slot *s, dc_block_run *b, uint32_t index) {
  dc_warp *w = &s->w;
  const dc_job *job = b->worker->job;
  const dc_dim3 *size = &job->grid.block;
  const uint32_t left = size->x * size->y * size->z - index * DC_LANES;
  begin(s, b, index, left >= DC_LANES ? DC_ALL_LANES : (1u << left) - 1);
  dc_frame *f = dc_warp_push_frame(w, job->fn, NULL, w->live);
  if (f == NULL) dc_warp_fault(w, NULL, DC_FAULT_HOST, 0, 0);
  go_native(w, f, job->native);
  dc_warp_set_local(w, b->worker);
  dc_warp_enter(w, f);
  dc_lanes_arrive(f, 0, w->live);
}

void dc_warp_adopt(dc_warp_slot *s, dc_block_run *b, uint32_t index, dc_frame *f, uint32_t live) {
  begin(s, b, index, live);
  dc_warp_add_frame(&s->w, f, NULL, live);
  dc_warp_set_local(&s->w, b->worker);
  dc_warp_enter(&s->w, f);
}

void dc_warp_await(dc_warp_slot *s, int32_t n) {
  dc_warp *w = &s->w;
  dc_frame *f = s->c.frame;
  dc_lanes_block(f, n, w->live);
  s->c.at_barrier = w->live;
  dc_barrier_arrive(s->c.block, w, 0, 0, w->live, true, 0, f->fn->nodes[n].op->ins->mode);
}

void dc_warp_take_back(dc_warp_slot *s, const dc_native_code *c, int result, int32_t n, uint32_t lanes) {
  dc_warp *w = &s->w;
  dc_frame *f = s->c.frame;
  const dc_basic_block *node = &f->fn->nodes[n];
  dc_progress progress = DC_DONE;
  go_to_tier_0(f, c);
  if (lanes == 0) return;
  if (result == DC_NATIVE_LEAVE) {
    dc_lanes_arrive(f, n, lanes);
    return;
  }
  n = finish(w, f, node, n, &lanes, guarded(w, node, lanes), &progress);
  if (n >= 0) dc_lanes_arrive(s->c.frame, n, lanes);
  if (n == STOP && progress == DC_BLOCKED) s->c.runnable = false;
}

void dc_warp_drop(dc_warp_slot *s) {
  while (s->c.frames) {
    dc_frame_clear(s->c.frames); /* as free frames are */
    dc_warp_pop_frame(&s->w, s->c.frames);
  }
}

bool dc_warp_force(dc_warp_slot *s) {
  dc_warp_control *c = &s->c;
  if (c->parked) return false;
  c->force = false;
  for (const dc_frame *f = c->frames; f; f = f->below)
    for (int32_t n = 0; n < f->fn->nnodes; n++)
      if (dc_bit_has(f->blocked, n) && f->fn->nodes[n].wait != DC_WAIT_NOT) c->force = true;
  c->recheck = c->force;
  return c->force;
}
