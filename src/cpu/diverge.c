/*
** diverge.c - which blocks may run with part of their lanes: post-dominators, then a fixpoint of
** "differs between lanes" over registers and branches.
**
** A branch on a value that differs splits the lanes; they are together again at its immediate
** post-dominator.  A lane that goes to a block of nothing but ret, exit or trap never comes back, so
** such an edge splits nothing and is left out of the graph here (65 % of kernels begin with one).
** Everything else errs on the side of "differs".
*/
#include <stdlib.h>
#include <string.h>

#include "cpu/cfg.h"

typedef struct pass {
  ptx_func *f;
  int32_t n;              /* blocks; number n is the virtual exit */
  bool *bare;             /* the block only ends lanes */
  int32_t *pred_at, *preds; /* predecessors of block b: preds[pred_at[b] .. pred_at[b+1]) */
  int32_t *ipdom, *num;   /* num: place in the reverse graph's post-order, -1 unvisited */
  int32_t *order;         /* that post-order */
  int32_t *stack, *next;
  int32_t *block_of;      /* per instruction */
  int32_t *use_at, *uses; /* instructions that read register r */
  bool *varies;           /* per register */
  int32_t *work;          /* registers to be looked at */
  int32_t nwork;
  int32_t *mark;          /* per block: last branch whose region reached it */
} pass;

/* Whether b has a successor that is no bare exit: then its edges to bare exits are left out. */
static bool goes_on(const pass *p, const ptx_block *b) {
  int32_t s;
  for (int k = 0; ptx_block_succ(b, k, &s); k++)
    if (s >= 0 && !p->bare[s]) return true;
  return false;
}

/* Successor k in the graph without those edges: 1 a successor, 0 none here, -1 end of the list. */
static int live_succ(const pass *p, const ptx_block *b, bool on, int k, int32_t *s) {
  if (!ptx_block_succ(b, k, s)) return -1;
  return *s >= 0 && !(on && p->bare[*s]);
}

/* ---- post-dominators: Cooper, Harvey, Kennedy, "A simple, fast dominance algorithm" (2001) ---- */

/* Counted, then filled from each list's end downwards, which leaves pred_at at the beginnings. */
static int list_preds(pass *p) {
  int32_t s;
  for (int fill = 0; fill < 2; fill++) {
    for (int32_t b = 0; b < p->n; b++) {
      const ptx_block *bl = &p->f->blocks[b];
      bool on = goes_on(p, bl);
      for (int k = 0, r; (r = live_succ(p, bl, on, k, &s)) >= 0; k++) {
        if (r && fill) p->preds[--p->pred_at[s]] = b;
        else if (r) p->pred_at[s]++;
      }
    }
    if (fill) break;
    for (int32_t b = 0; b < p->n; b++) p->pred_at[b + 1] += p->pred_at[b];
    p->preds = calloc((size_t)p->pred_at[p->n] + 1, sizeof *p->preds);
    if (!p->preds) return -1;
  }
  return 0;
}

static void walk_back(pass *p, int32_t root, int32_t *count) {
  int32_t depth = 0;
  if (p->num[root] != -1) return;
  p->num[root] = -2; /* open */
  p->next[root] = p->pred_at[root];
  p->stack[depth++] = root;
  while (depth > 0) {
    int32_t b = p->stack[depth - 1];
    if (p->next[b] < p->pred_at[b + 1]) {
      int32_t q = p->preds[p->next[b]++];
      if (p->num[q] != -1) continue;
      p->num[q] = -2;
      p->next[q] = p->pred_at[q];
      p->stack[depth++] = q;
    } else {
      depth--;
      p->order[*count] = b;
      p->num[b] = (*count)++;
    }
  }
}

/* The nearest block that both post-dominate; numbers grow towards the exit. */
static int32_t meet(const pass *p, int32_t a, int32_t b) {
  while (a != b) {
    while (p->num[a] < p->num[b]) a = p->ipdom[a];
    while (p->num[b] < p->num[a]) b = p->ipdom[b];
  }
  return a;
}

/* One sweep over the reverse graph in reverse post-order. True when something moved. */
static bool sweep(pass *p, const bool *exits) {
  bool moved = false;
  int32_t s;
  for (int32_t i = p->n - 1; i >= 0; i--) {
    int32_t b = p->order[i];
    const ptx_block *bl = &p->f->blocks[b];
    bool on = goes_on(p, bl);
    int32_t best = exits[b] ? p->n : -1;
    for (int k = 0, r; (r = live_succ(p, bl, on, k, &s)) >= 0; k++)
      if (r && p->ipdom[s] >= 0) best = best < 0 ? s : meet(p, best, s);
    if (best >= 0 && best != p->ipdom[b]) {
      p->ipdom[b] = best;
      moved = true;
    }
  }
  return moved;
}

/* Loops that never end are given an edge to the exit at their last block. */
static int post_dominators(pass *p) {
  bool *exits = calloc((size_t)p->n + 1, sizeof *exits);
  int32_t count = 0, s;
  if (!exits) return -1;
  for (int32_t b = 0; b <= p->n; b++) p->num[b] = p->ipdom[b] = -1;
  for (int32_t b = p->n - 1; b >= 0; b--) {
    const ptx_block *bl = &p->f->blocks[b];
    exits[b] = true;
    for (int k = 0, r; (r = live_succ(p, bl, false, k, &s)) >= 0; k++)
      if (r) exits[b] = false;
    if (exits[b]) walk_back(p, b, &count);
  }
  for (int32_t b = p->n - 1; b >= 0; b--)
    if (p->num[b] == -1) {
      exits[b] = true;
      walk_back(p, b, &count);
    }
  p->num[p->n] = p->n;
  p->ipdom[p->n] = p->n;
  while (sweep(p, exits)) {}
  free(exits);
  return 0;
}

/* ---- what differs between lanes ---- */

static void vary(pass *p, int32_t reg) {
  if (p->varies[reg]) return;
  p->varies[reg] = true;
  p->work[p->nwork++] = reg;
}

static void vary_results(pass *p, const ptx_ins *ins) {
  for (int k = 0; k < ins->ndst; k++)
    if (ins->opnd[k].reg >= 0) vary(p, ins->opnd[k].reg);
}

/* Bare exits run with whatever lanes have come there. */
static void diverge_exits(pass *p, const ptx_block *bl) {
  int32_t s;
  for (int k = 0; ptx_block_succ(bl, k, &s); k++)
    if (s >= 0 && p->bare[s]) p->f->blocks[s].divergent = true;
}

static void diverge(pass *p, int32_t b) {
  ptx_block *bl = &p->f->blocks[b];
  if (bl->divergent) return;
  bl->divergent = true;
  diverge_exits(p, bl);
  for (int i = bl->first; i < bl->last; i++) vary_results(p, &p->f->ins[i]);
}

/* The successors of b inside the region of `branch`, onto the stack, each once. */
static void push_region(pass *p, int32_t b, int32_t branch, int32_t meet_at, int32_t *depth) {
  const ptx_block *bl = &p->f->blocks[b];
  bool on = goes_on(p, bl);
  int32_t s;
  for (int k = 0, r; (r = live_succ(p, bl, on, k, &s)) >= 0; k++) {
    if (!r || s == meet_at || p->mark[s] == branch) continue;
    p->mark[s] = branch;
    p->stack[(*depth)++] = s;
  }
}

/* Everything reachable from the branch's sides short of where they meet runs with part of the lanes.
** They meet at a post-dominator that comes behind all of it in block order: the lowest pending block
** runs first, so an earlier one would run before the last lanes have come. */
static void split_region(pass *p, int32_t branch) {
  int32_t meet_at = p->ipdom[branch], depth = 0, last = -1;
  push_region(p, branch, branch, meet_at, &depth);
  for (;;) {
    while (depth > 0) {
      int32_t b = p->stack[--depth];
      if (b > last) last = b;
      diverge(p, b);
      push_region(p, b, branch, meet_at, &depth);
    }
    if (meet_at == p->n || last < meet_at) return;
    int32_t early = meet_at;
    meet_at = p->ipdom[early];
    p->mark[early] = branch;
    p->stack[depth++] = early;
  }
}

/* A branch that only some lanes take. With one way left (the other ends lanes) nothing is split. */
static void split(pass *p, int32_t branch) {
  const ptx_block *bl = &p->f->blocks[branch];
  int32_t s, one = -1;
  bool on = goes_on(p, bl), several = false;
  for (int k = 0, r; (r = live_succ(p, bl, on, k, &s)) >= 0; k++) {
    if (r && one >= 0 && s != one) several = true;
    if (r) one = s;
  }
  diverge_exits(p, bl);
  if (several) split_region(p, branch);
}

static bool varying_sreg(uint8_t r) {
  switch (r) {
    case PTX_SR_NTID_X: case PTX_SR_NTID_Y: case PTX_SR_NTID_Z: case PTX_SR_CTAID_X: case PTX_SR_CTAID_Y:
    case PTX_SR_CTAID_Z: case PTX_SR_NCTAID_X: case PTX_SR_NCTAID_Y: case PTX_SR_NCTAID_Z: case PTX_SR_WARPID:
    case PTX_SR_NWARPID: case PTX_SR_WARP_SZ: case PTX_SR_SMID: case PTX_SR_NSMID: case PTX_SR_GRIDID:
    case PTX_SR_DYNAMIC_SMEM_SIZE: case PTX_SR_TOTAL_SMEM_SIZE: case PTX_SR_ENVREG1: case PTX_SR_ENVREG2:
    case PTX_SR_ZERO: case PTX_SR_ONE: return false;
    default: return true;
  }
}

/* vote and redux over the whole warp give every lane one value. */
static bool whole_warp(const ptx_ins *ins) {
  if (ins->op != PTX_OP_VOTE && ins->op != PTX_OP_REDUX) return false;
  const ptx_operand *mask = &ins->opnd[ins->ndst + ins->nsrc - 1];
  return ins->ndst + ins->nsrc == 3 && mask->kind == PTX_IMM && (uint32_t)mask->imm == 0xffffffffu;
}

/* Whether the results differ even when all sources are the same. */
static bool varies_by_itself(const ptx_func *f, const ptx_ins *ins) {
  const uint32_t racy = PTX_F_VOLATILE | PTX_F_RELAXED | PTX_F_ACQUIRE;
  for (int k = ins->ndst; k < ins->ndst + ins->nsrc; k++) {
    const ptx_operand *o = &ins->opnd[k];
    if (o->kind == PTX_SREG && varying_sreg(o->sreg)) return true;
    if (!o->sym || o->sym->kind != PTX_SYM_VAR) continue;
    if (o->sym->space == PTX_LOCAL || (o->sym->space == PTX_PARAM && (!f->entry || o->sym->inside))) return true;
  }
  switch (ins->op) {
    case PTX_OP_LD: case PTX_OP_LDU: return ins->space == PTX_LOCAL || (ins->flags & racy) != 0;
    case PTX_OP_ATOM: case PTX_OP_SHFL: case PTX_OP_MATCH: case PTX_OP_ACTIVEMASK: case PTX_OP_ELECT:
    case PTX_OP_MBARRIER: return true;
    case PTX_OP_VOTE: case PTX_OP_REDUX: return !whole_warp(ins);
    default: return (ins->flags & PTX_F_CARRY_IN) != 0;
  }
}

/* ins reads something that differs: so do its results, or where it goes. */
static void react(pass *p, int32_t i, int32_t reg) {
  const ptx_ins *ins = &p->f->ins[i];
  if (ins->op == PTX_OP_BRA || ins->op == PTX_OP_BRX) split(p, p->block_of[i]);
  else if (ins->pred == reg || !whole_warp(ins)) vary_results(p, ins);
}

/* In the same way. */
static int list_uses(pass *p) {
  ptx_func *f = p->f;
  for (int fill = 0; fill < 2; fill++) {
    for (int i = 0; i < f->nins; i++) {
      const ptx_ins *ins = &f->ins[i];
      for (int k = ins->ndst - 1; k < ins->ndst + ins->nsrc; k++) { /* the first turn is the guard */
        int32_t r = k < ins->ndst ? ins->pred : ins->opnd[k].reg;
        if (r < 0) continue;
        if (fill) p->uses[--p->use_at[r]] = i;
        else p->use_at[r]++;
      }
    }
    if (fill) break;
    for (int r = 0; r < f->nregs; r++) p->use_at[r + 1] += p->use_at[r];
    p->uses = calloc((size_t)p->use_at[f->nregs] + 1, sizeof *p->uses);
    if (!p->uses) return -1;
  }
  return 0;
}

static void spread(pass *p) {
  ptx_func *f = p->f;
  for (int32_t b = 0; b < p->n; b++)
    for (int i = f->blocks[b].first; i < f->blocks[b].last; i++) p->block_of[i] = b;
  for (int i = 0; i < f->nins; i++)
    if (varies_by_itself(f, &f->ins[i])) vary_results(p, &f->ins[i]);
  while (p->nwork > 0) {
    int32_t r = p->work[--p->nwork];
    for (int32_t u = p->use_at[r]; u < p->use_at[r + 1]; u++) react(p, p->uses[u], r);
  }
}

static int alloc_pass(pass *p) {
  size_t n = (size_t)p->n + 2, regs = (size_t)p->f->nregs + 2;
  p->bare = calloc(n, sizeof *p->bare);
  p->pred_at = calloc(n, sizeof *p->pred_at);
  p->ipdom = calloc(n, sizeof *p->ipdom);
  p->num = calloc(n, sizeof *p->num);
  p->order = calloc(n, sizeof *p->order);
  p->stack = calloc(n, sizeof *p->stack);
  p->next = calloc(n, sizeof *p->next);
  p->mark = calloc(n, sizeof *p->mark);
  p->block_of = calloc((size_t)p->f->nins + 1, sizeof *p->block_of);
  p->use_at = calloc(regs, sizeof *p->use_at);
  p->varies = calloc(regs, sizeof *p->varies);
  p->work = calloc(regs, sizeof *p->work);
  bool fine = p->bare && p->pred_at && p->ipdom && p->num && p->order && p->stack && p->next && p->mark &&
              p->block_of && p->use_at && p->varies && p->work;
  return fine ? 0 : -1;
}

static void free_pass(pass *p) {
  void *all[] = {p->bare, p->pred_at, p->preds, p->ipdom, p->num, p->order, p->stack, p->next, p->mark, p->block_of,
                 p->use_at, p->uses, p->varies, p->work};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

int ptx_divergence(ptx_func *f) {
  pass p = {.f = f, .n = f->nblocks};
  int rc = -1;
  if (alloc_pass(&p) == 0) {
    for (int32_t b = 0; b < p.n; b++) {
      p.bare[b] = ptx_is_bare(f, &f->blocks[b]);
      p.mark[b] = -1;
    }
    if (list_preds(&p) == 0 && post_dominators(&p) == 0 && list_uses(&p) == 0) {
      for (int32_t b = 0; b < p.n; b++) f->blocks[b].ipdom = p.ipdom[b] == p.n ? -1 : p.ipdom[b];
      spread(&p);
      rc = 0;
    }
  }
  free_pass(&p);
  return rc;
}
