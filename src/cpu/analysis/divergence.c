/*
** divergence.c - see divergence.h.
**
** A branch on a value that differs splits the lanes; they are together again at its immediate
** post-dominator.  A lane that goes to a block of nothing but ret, exit or trap never comes back, so
** such an edge splits nothing and is left out of the graph here (65 % of kernels begin with one).
** Everything else errs on the side of "differs".
*/
#include "cpu/analysis/divergence.h"

#include <stdlib.h>
#include <string.h>

#include "base/runtime.h"
#include "cpu/analysis/cfg.h"
#include "cpu/analysis/dominators.h"
#include "cpu/ptx/ptx.h"

typedef struct pass {
  ptx_func *f;
  int32_t n;              /* blocks; number n is the virtual exit */
  bool *bare;             /* the block only ends lanes */
  int32_t *pred_at, *preds; /* predecessors of block b: preds[pred_at[b] .. pred_at[b+1]) */
  int32_t *ipdom, *depth; /* depth: below the exit in the tree of post-dominators, -1 not known yet */
  int32_t *stack;
  int32_t *block_of;      /* per instruction */
  int32_t *use_at, *uses; /* instructions that read register r */
  bool *varies;           /* per register */
  int32_t *work;          /* registers to be looked at */
  int32_t nwork;
  int32_t *branches;      /* blocks whose lanes part there: to be looked at when there is no more work */
  int32_t nbranches;
  bool *parts;            /* per block: it is or was among them */
  bool *inside;           /* per block: it lies in some branch's region */
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

/* ---- post-dominators ---- */

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

/* Blocks from which others can be reached, but not the exit, lie on loops that never end. */
typedef struct reach {
  bool *exits;            /* the block has an edge to the exit */
  bool *seen;             /* it reaches the exit */
} reach;

/* Marks all that reach block `root`. */
static void walk_back(pass *p, reach *r, int32_t root) {
  int32_t depth = 0;
  if (r->seen[root]) return;
  r->seen[root] = true;
  p->stack[depth++] = root;
  while (depth > 0) {
    const int32_t b = p->stack[--depth];
    for (int32_t k = p->pred_at[b]; k < p->pred_at[b + 1]; k++) {
      if (r->seen[p->preds[k]]) continue;
      r->seen[p->preds[k]] = true;
      p->stack[depth++] = p->preds[k];
    }
  }
}

/* Loops that never end are given an edge to the exit at their last block. */
static void find_exits(pass *p, reach *r) {
  int32_t s;
  for (int32_t b = p->n - 1; b >= 0; b--) {
    const ptx_block *bl = &p->f->blocks[b];
    r->exits[b] = true;
    for (int k = 0, is; (is = live_succ(p, bl, false, k, &s)) >= 0; k++)
      if (is) r->exits[b] = false;
    if (r->exits[b]) walk_back(p, r, b);
  }
  for (int32_t b = p->n - 1; b >= 0; b--)
    if (!r->seen[b]) {
      r->exits[b] = true;
      walk_back(p, r, b);
    }
}

/* Successors of all blocks, those to the exit included: their number, or with `list` themselves. */
static int32_t list_succs(const pass *p, const reach *r, int32_t *at, int32_t *list) {
  int32_t n = 0, s;
  for (int32_t b = 0; b < p->n; b++) {
    const ptx_block *bl = &p->f->blocks[b];
    const bool on = goes_on(p, bl);
    at[b] = n;
    for (int k = 0, is; (is = live_succ(p, bl, on, k, &s)) >= 0; k++)
      if (is && list) list[n++] = s;
      else if (is) n++;
    if (r->exits[b] && list) list[n++] = p->n;
    else if (r->exits[b]) n++;
  }
  at[p->n] = at[p->n + 1] = n;
  return n;
}

/* The edges turned round, of p->n + 1 nodes. */
static void turn_edges(int32_t n, const int32_t *at, const int32_t *list, int32_t *back_at, int32_t *back) {
  for (int32_t k = 0; k < at[n]; k++) back_at[list[k]]++;
  for (int32_t b = 0; b < n; b++) back_at[b + 1] += back_at[b];
  for (int32_t b = n - 1; b >= 0; b--)
    for (int32_t k = at[b]; k < at[b + 1]; k++) back[--back_at[list[k]]] = b;
}

/* A post-dominator dominates in the graph with its edges turned round. */
static int dominate_back(pass *p, const reach *r) {
  const size_t n = (size_t)p->n + 2;
  int32_t *at = calloc(2 * n, sizeof *at);
  if (!at) return -1;
  const size_t edges = (size_t)list_succs(p, r, at, NULL) + 1;
  int32_t *list = calloc(2 * edges, sizeof *list);
  int rc = -1;
  if (list) {
    list_succs(p, r, at, list);
    turn_edges(p->n + 1, at, list, at + n, list + edges);
    const ptx_graph g = {p->n + 1, at + n, list + edges, at, list};
    rc = ptx_dominators(&g, p->n, p->ipdom);
  }
  free(at);
  free(list);
  return rc;
}

/* How far below the exit each block is in the tree. */
static void find_depths(pass *p) {
  for (int32_t b = 0; b < p->n; b++) p->depth[b] = -1;
  p->depth[p->n] = 0;
  for (int32_t b = 0; b < p->n; b++) {
    int32_t n = 0, u = b;
    for (; p->depth[u] < 0; u = p->ipdom[u]) p->stack[n++] = u;
    for (int32_t d = p->depth[u]; n > 0;) p->depth[p->stack[--n]] = ++d;
  }
}

static int post_dominators(pass *p) {
  reach r = {calloc((size_t)p->n + 1, sizeof(bool)), calloc((size_t)p->n + 1, sizeof(bool))};
  int rc = -1;
  if (r.exits && r.seen) {
    find_exits(p, &r);
    rc = dominate_back(p, &r);
  }
  if (rc == 0) find_depths(p);
  free(r.exits);
  free(r.seen);
  return rc;
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
      p->inside[b] = true;
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

/* A branch that only some lanes take. With one way left (the other ends lanes) nothing is split.  Nor is there anything
** new where the branch lies in another's region: that ends at a post-dominator of the branch, so it has all of the
** branch's own. */
static void split(pass *p, int32_t branch) {
  const ptx_block *bl = &p->f->blocks[branch];
  int32_t s, one = -1;
  bool on = goes_on(p, bl), several = false;
  for (int k = 0, r; (r = live_succ(p, bl, on, k, &s)) >= 0; k++) {
    if (r && one >= 0 && s != one) several = true;
    if (r) one = s;
  }
  diverge_exits(p, bl);
  if (several && !p->inside[branch]) split_region(p, branch);
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

static void part(pass *p, int32_t b) {
  if (p->parts[b]) return;
  p->parts[b] = true;
  p->branches[p->nbranches++] = b;
}

/* ins reads something that differs: so do its results, or where it goes. */
static void react(pass *p, int32_t i, int32_t reg) {
  const ptx_ins *ins = &p->f->ins[i];
  if (ins->op == PTX_OP_BRA || ins->op == PTX_OP_BRX) part(p, p->block_of[i]);
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

static int by_depth(const void *a, const void *b) {
  const int32_t *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

/* All branches that wait, those whose lanes meet nearest to the exit first: their regions have the others'. -1: out of
** memory, or interrupted. */
static int split_all(pass *p) {
  const int32_t n = p->nbranches;
  struct {
    int32_t depth, block;
  } *list = malloc(((size_t)n + 1) * sizeof *list);
  if (!list) return -1;
  for (int32_t i = 0; i < n; i++) {
    list[i].block = p->branches[i];
    list[i].depth = p->depth[p->ipdom[list[i].block]];
  }
  qsort(list, (size_t)n, sizeof *list, by_depth);
  p->nbranches = 0;
  for (int32_t i = 0; i < n && !dc_interrupted(); i++) split(p, list[i].block);
  free(list);
  return dc_interrupted() ? -1 : 0;
}

static int spread(pass *p) {
  ptx_func *f = p->f;
  for (int32_t b = 0; b < p->n; b++)
    for (int i = f->blocks[b].first; i < f->blocks[b].last; i++) p->block_of[i] = b;
  for (int i = 0; i < f->nins; i++)
    if (varies_by_itself(f, &f->ins[i])) vary_results(p, &f->ins[i]);
  for (;;) {
    while (p->nwork > 0) {
      int32_t r = p->work[--p->nwork];
      for (int32_t u = p->use_at[r]; u < p->use_at[r + 1]; u++) react(p, p->uses[u], r);
    }
    if (p->nbranches == 0) return 0;
    if (split_all(p) != 0) return -1;
  }
}

static int alloc_pass(pass *p) {
  size_t n = (size_t)p->n + 2, regs = (size_t)p->f->nregs + 2;
  p->bare = calloc(n, sizeof *p->bare);
  p->pred_at = calloc(n, sizeof *p->pred_at);
  p->ipdom = calloc(n, sizeof *p->ipdom);
  p->depth = calloc(n, sizeof *p->depth);
  p->stack = calloc(n, sizeof *p->stack);
  p->branches = calloc(n, sizeof *p->branches);
  p->parts = calloc(n, sizeof *p->parts);
  p->inside = calloc(n, sizeof *p->inside);
  p->mark = calloc(n, sizeof *p->mark);
  p->block_of = calloc((size_t)p->f->nins + 1, sizeof *p->block_of);
  p->use_at = calloc(regs, sizeof *p->use_at);
  p->varies = calloc(regs, sizeof *p->varies);
  p->work = calloc(regs, sizeof *p->work);
  bool fine = p->bare && p->pred_at && p->ipdom && p->depth && p->stack && p->branches && p->parts &&
              p->inside && p->mark && p->block_of && p->use_at && p->varies && p->work;
  return fine ? 0 : -1;
}

static void free_pass(pass *p) {
  void *all[] = {p->bare, p->pred_at, p->preds, p->ipdom, p->depth, p->stack, p->branches, p->parts, p->inside, p->mark,
                 p->block_of, p->use_at, p->uses, p->varies, p->work};
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
      rc = spread(&p);
    }
  }
  free_pass(&p);
  return rc;
}
