/*
** registers.c - see registers.h.
**
** Linear scan (Poletto and Sarkar 1999) over one interval a register, in block order, that covers every point where
** the register is live.  A guarded write counts as a read too, since the other lanes keep the old value.  An unguarded
** write in a divergent block does not: liveness holds for each lane alone, and lanes write only their own.  Registers
** of one size share a pool of slots; predicates are words of a pool of their own.
**
** Positions: instruction i reads at 2i and writes at 2i + 1.  Only elementwise operations may write the slot of a
** source that dies there; the results of all others are live from 2i on.
*/
#include "cpu/analysis/registers.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/runtime.h"
#include "cpu/analysis/cfg.h"
#include "cpu/ptx/opcode.h"

enum { POOL_PRED, NPOOLS = 5 }; /* predicates; then by a slot's bytes */

typedef struct interval {
  int32_t reg, begin, end;
} interval;

/* A read of a register in a block before any write there. */
typedef struct exposed {
  int32_t reg, block;
} exposed;

/* Liveness of up to 64 registers at a block, one bit each. */
typedef struct flow {
  uint64_t use, def, in, out;
  bool seen;
} flow;

typedef struct scan {
  ptx_func *f;
  dc_arena scratch;
  int32_t *begin, *end;     /* per register: its interval; begin -1 for none */
  ptx_edges edges;          /* of blocks */
  exposed *exposed;         /* sorted by register at the end */
  int32_t nexposed;
  int32_t *def_at, *defs;   /* blocks that write register r whole: defs[def_at[r] .. def_at[r+1]) */
  int32_t *killed;          /* per register: see read_reg */
  flow *flow;               /* per block */
  uint64_t *queued;         /* a bit per block: on the worklist */
  int32_t nqueued, top;     /* their number, and the last of them */
  int32_t *seen, nseen;     /* blocks whose flow is not zero */
  interval *list;
  int32_t nlist;
} scan;

/* Whether source and destination may share a slot. */
static bool is_elementwise(const ptx_ins *ins) {
  if (ins->ndst != 1) return false;
  return ins->op == PTX_OP_MOV ? ins->nsrc == 1 : (ptx_traits(ins->op) & PTX_T_ELEMENTWISE) != 0;
}

static void touch(scan *s, int32_t reg, int32_t at) {
  if (s->begin[reg] < 0 || at < s->begin[reg]) s->begin[reg] = at;
  if (at > s->end[reg]) s->end[reg] = at;
}

/* ---- upward-exposed reads and full writes of each block ---- */

/* killed[r]: 2b+2 when block b has written r whole, 2b+1 when it has read r before that. */
static void read_reg(scan *s, int32_t reg, int32_t block, int32_t at) {
  if (reg < 0) return;
  touch(s, reg, at);
  if (s->killed[reg] >= 2 * block + 1) return;
  s->killed[reg] = 2 * block + 1;
  s->exposed[s->nexposed++] = (exposed){reg, block};
}

static void write_reg(scan *s, int32_t reg, int32_t block, int32_t at, bool guarded, int32_t *ndefs) {
  if (reg < 0) return;
  if (guarded) read_reg(s, reg, block, at);
  touch(s, reg, at);
  touch(s, reg, at | 1);
  if (guarded || s->killed[reg] == 2 * block + 2) return;
  /* a block that reads first is exposed, and still stops the walk from later blocks */
  s->killed[reg] = 2 * block + 2;
  s->defs[(*ndefs)++] = reg;
  s->defs[(*ndefs)++] = block;
}

/* Upper bounds of the lists, so that they are made once. */
static int32_t count_operands(const ptx_func *f) {
  int32_t n = 0;
  for (int i = 0; i < f->nins; i++) n += 1 + f->ins[i].ndst + f->ins[i].nsrc;
  return n;
}

static void scan_blocks(scan *s, int32_t *ndefs) {
  const ptx_func *f = s->f;
  for (int32_t b = 0; b < f->nblocks; b++) {
    for (int i = f->blocks[b].first; i < f->blocks[b].last; i++) {
      const ptx_ins *ins = &f->ins[i];
      bool plain = is_elementwise(ins);
      read_reg(s, ins->pred, b, plain ? 2 * i : 2 * i + 1);
      for (int k = ins->ndst; k < ins->ndst + ins->nsrc; k++)
        read_reg(s, ins->opnd[k].reg, b, plain ? 2 * i : 2 * i + 1);
      for (int k = 0; k < ins->ndst; k++)
        write_reg(s, ins->opnd[k].reg, b, plain ? 2 * i + 1 : 2 * i, ins->pred >= 0, ndefs);
    }
  }
}

/* (reg, block) pairs to lists by register. */
static int sort_defs(scan *s, int32_t ndefs) {
  int32_t *by_reg = dc_arena_alloc(&s->scratch, ((size_t)ndefs / 2 + 1) * sizeof *by_reg);
  if (!by_reg) return -1;
  for (int32_t i = 0; i < ndefs; i += 2) s->def_at[s->defs[i]]++;
  for (int32_t r = 0; r < s->f->nregs; r++) s->def_at[r + 1] += s->def_at[r];
  for (int32_t i = 0; i < ndefs; i += 2) by_reg[--s->def_at[s->defs[i]]] = s->defs[i + 1];
  s->defs = by_reg;
  return 0;
}

/* ---- liveness across blocks ---- */

static int by_register(const void *a, const void *b) {
  const exposed *x = a, *y = b;
  return x->reg != y->reg ? (x->reg < y->reg ? -1 : 1) : (x->block > y->block) - (x->block < y->block);
}

static flow *flow_of(scan *s, int32_t block) {
  if (!s->flow[block].seen) {
    s->flow[block].seen = true;
    s->seen[s->nseen++] = block;
  }
  return &s->flow[block];
}

/* A block's live-in may have grown: back on the worklist. */
static void requeue(scan *s, int32_t block) {
  if (s->queued[block / 64] >> (block % 64) & 1) return;
  s->queued[block / 64] |= 1ull << (block % 64);
  s->nqueued++;
  if (block > s->top) s->top = block;
}

/* The registers of exposed[from..), at most 64 of them, a bit each. Returns the index behind the last one. */
static int32_t load_batch(scan *s, int32_t from, int32_t regs[64], int *nregs) {
  int32_t i = from, last = -1;
  *nregs = 0;
  for (; i < s->nexposed; i++) {
    int32_t r = s->exposed[i].reg;
    if (r != last && *nregs == 64) break;
    if (r != last) {
      regs[(*nregs)++] = last = r;
      for (int32_t k = s->def_at[r]; k < s->def_at[r + 1]; k++) flow_of(s, s->defs[k])->def |= 1ull << (*nregs - 1);
    }
    flow_of(s, s->exposed[i].block)->use |= 1ull << (*nregs - 1);
    requeue(s, s->exposed[i].block);
  }
  return i;
}

/* Takes the last queued block up to b from the worklist; -1: there is none. */
static int32_t take_queued(scan *s, int32_t b) {
  int32_t w = b / 64;
  uint64_t bits = b < 0 ? 0 : s->queued[w] & ~0ull >> (63 - b % 64);
  while (!bits && --w >= 0) bits = s->queued[w];
  if (!bits) return -1;
  b = w * 64 + 63 - __builtin_clzll(bits);
  s->queued[w] &= ~(1ull << (b % 64));
  s->nqueued--;
  return b;
}

/* Backward data flow to a fixpoint: live-in = use | (live-out & ~def).  Most edges lead to later blocks, so one sweep
** from the last block to the first reaches the fixpoint except around loops. */
static void flow_back(scan *s) {
  while (s->nqueued > 0) {
    int32_t b = s->top;
    s->top = -1;
    for (; (b = take_queued(s, b)) >= 0; b--) {
      flow *fl = flow_of(s, b);
      uint64_t in = fl->use | (fl->out & ~fl->def);
      if (in == fl->in) continue;
      fl->in = in;
      for (int32_t k = s->edges.pred_at[b]; k < s->edges.pred_at[b + 1]; k++) {
        flow *q = flow_of(s, s->edges.preds[k]);
        if ((q->out | in) == q->out) continue;
        q->out |= in;
        requeue(s, s->edges.preds[k]);
      }
    }
  }
}

/* Extends each register's interval to the first block that it is live into and the last that it is live out of; clears
** the flow of the batch. */
static void touch_ends(scan *s, const int32_t regs[64]) {
  const ptx_block *blocks = s->f->blocks;
  uint64_t done = 0, all_in = 0, all_out = 0, fresh;
  int32_t lo = INT32_MAX, hi = -1;
  for (int32_t i = 0; i < s->nseen; i++) {
    const int32_t b = s->seen[i];
    all_in |= s->flow[b].in;
    all_out |= s->flow[b].out;
    if (b < lo) lo = b;
    if (b > hi) hi = b;
  }
  for (int32_t b = lo; done != all_in; b++)
    for (fresh = s->flow[b].in & ~done; fresh; fresh &= fresh - 1) {
      done |= fresh & -fresh;
      touch(s, regs[__builtin_ctzll(fresh)], 2 * blocks[b].first);
    }
  done = 0;
  for (int32_t b = hi; done != all_out; b--)
    for (fresh = s->flow[b].out & ~done; fresh; fresh &= fresh - 1) {
      done |= fresh & -fresh;
      touch(s, regs[__builtin_ctzll(fresh)], 2 * blocks[b].last - 1);
    }
  for (int32_t i = 0; i < s->nseen; i++) s->flow[s->seen[i]] = (flow){0};
  s->nseen = 0;
}

/* -1: interrupted. */
static int find_liveness(scan *s) {
  int32_t regs[64];
  int nregs;
  s->top = -1;
  qsort(s->exposed, (size_t)s->nexposed, sizeof *s->exposed, by_register);
  for (int32_t i = 0; i < s->nexposed;) {
    if (dc_interrupted()) return -1;
    i = load_batch(s, i, regs, &nregs);
    flow_back(s);
    touch_ends(s, regs);
  }
  return 0;
}

/* ---- the scan ---- */

static int pool_of(int bits) {
  return bits == 1 ? POOL_PRED : 1 + __builtin_ctz(ptx_slot_bytes(bits) / 64);
}

static int by_begin(const void *a, const void *b) {
  const interval *x = a, *y = b;
  if (x->begin != y->begin) return x->begin < y->begin ? -1 : 1;
  return (x->reg > y->reg) - (x->reg < y->reg);
}

static int by_end(const void *a, const void *b) {
  const interval *x = *(const interval *const *)a, *y = *(const interval *const *)b;
  if (x->end != y->end) return x->end < y->end ? -1 : 1;
  return (x->reg > y->reg) - (x->reg < y->reg);
}

/* Two walks side by side: intervals by where they begin, and by where they end, giving slots back. */
static int assign(scan *s) {
  ptx_func *f = s->f;
  size_t n = (size_t)s->nlist;
  const interval **ends = dc_arena_alloc(&s->scratch, (n + 1) * sizeof *ends);
  int32_t *free_places = dc_arena_alloc(&s->scratch, (n + 1) * NPOOLS * sizeof *free_places);
  int32_t nfree[NPOOLS] = {0};
  uint64_t top = 0;
  if (!ends || !free_places) return -1;
  for (size_t i = 0; i < n; i++) ends[i] = &s->list[i];
  qsort(s->list, n, sizeof *s->list, by_begin);
  qsort(ends, n, sizeof *ends, by_end);
  for (size_t i = 0, e = 0; i < n; i++) {
    const interval *v = &s->list[i];
    int pool = pool_of(f->regs[v->reg].bits);
    for (; e < n && ends[e]->end < v->begin; e++) {
      int back = pool_of(f->regs[ends[e]->reg].bits);
      free_places[(size_t)back * n + (size_t)nfree[back]++] = f->slot[ends[e]->reg];
    }
    if (nfree[pool] > 0) {
      f->slot[v->reg] = free_places[(size_t)pool * n + (size_t)--nfree[pool]];
    } else if (pool == POOL_PRED) {
      f->slot[v->reg] = f->npreds++;
    } else {
      f->slot[v->reg] = (int32_t)top;
      top += ptx_slot_bytes(f->regs[v->reg].bits);
      if (top > INT32_MAX / 2) return -1;
    }
  }
  f->file_bytes = (uint32_t)top;
  return 0;
}

static int alloc_scan(scan *s) {
  const ptx_func *f = s->f;
  size_t regs = (size_t)f->nregs + 2, blocks = (size_t)f->nblocks + 2, ops = (size_t)count_operands(f) + 1;
  int32_t **const by_register[] = {&s->begin, &s->end, &s->def_at, &s->killed};
  s->defs = dc_arena_alloc(&s->scratch, 2 * ops * sizeof *s->defs);
  s->seen = dc_arena_alloc(&s->scratch, blocks * sizeof *s->seen);
  s->exposed = dc_arena_alloc(&s->scratch, 2 * ops * sizeof *s->exposed);
  s->flow = dc_arena_alloc(&s->scratch, blocks * sizeof *s->flow);
  s->queued = dc_arena_alloc(&s->scratch, blocks * sizeof *s->queued);
  s->list = dc_arena_alloc(&s->scratch, regs * sizeof *s->list);
  if (!s->defs || !s->seen || !s->exposed || !s->flow || !s->queued || !s->list ||
      ptx_arrays(&s->scratch, by_register, 4, regs) != 0)
    return -1;
  for (size_t i = 0; i < regs; i++) s->begin[i] = s->end[i] = -1;
  return ptx_edges_open(&s->edges, f, f->nblocks, &s->scratch);
}

static int allocate(ptx_module *m, ptx_func *f) {
  scan s = {.f = f};
  int32_t ndefs = 0;
  int rc = -1;
  f->file_bytes = 0;
  f->npreds = 0;
  f->slot = dc_arena_alloc(&m->arena, ((size_t)f->nregs + 1) * sizeof *f->slot);
  if (f->slot && alloc_scan(&s) == 0) {
    for (int r = 0; r < f->nregs; r++) f->slot[r] = -1;
    scan_blocks(&s, &ndefs);
    ptx_edges_list(&s.edges, f, false, NULL);
    if (sort_defs(&s, ndefs) == 0 && find_liveness(&s) == 0) {
      for (int32_t r = 0; r < f->nregs; r++)
        if (s.begin[r] >= 0) s.list[s.nlist++] = (interval){r, s.begin[r], s.end[r]};
      rc = assign(&s);
    }
  }
  dc_arena_free(&s.scratch);
  return rc;
}

int ptx_allocate(ptx_module *m, ptx_func *f, dc_error *err) {
  if (f->declared_only || f->slot) return 0;
  if (allocate(m, f) == 0) return 0;
  f->slot = NULL;
  return ptx_fail_pass(err);
}
