/*
** cfg.c - instructions to basic blocks in an order in which lanes meet again.
**
** The order is Bourdoncle's weak topological order (1993): strongly connected components, sorted
** topologically, each one's head first and its inside ordered the same way without the head.  So a loop
** is contiguous, its exits come behind it, and joins come behind all that leads to them, in any graph,
** irreducible ones included.  Everything is iterative: depth is the text's to choose.
*/
#include "cpu/cfg.h"

#include <stdlib.h>
#include <string.h>

/* Barriers and warp-wide operations wait for other lanes: they begin a block. */
static enum ptx_sync sync_kind(const ptx_ins *ins) {
  switch (ins->op) {
    case PTX_OP_BAR: return ins->mode == PTX_BAR_WARP ? PTX_SYNC_WARP : PTX_SYNC_BARRIER;
    case PTX_OP_BARRIER: return PTX_SYNC_BARRIER;
    case PTX_OP_SHFL: case PTX_OP_VOTE: case PTX_OP_MATCH: case PTX_OP_REDUX: case PTX_OP_ELECT: return PTX_SYNC_WARP;
    default: return PTX_SYNC_NONE;
  }
}

static bool ends_block(const ptx_ins *ins) {
  switch (ins->op) {
    case PTX_OP_BRA: case PTX_OP_BRX: case PTX_OP_RET: case PTX_OP_EXIT: case PTX_OP_TRAP: case PTX_OP_CALL:
      return true;
    default: return false;
  }
}

/* One pass's scratch, in raw block numbers (text order). */
typedef struct cfg {
  ptx_module *m;
  ptx_func *f;
  int32_t *block_at;   /* per instruction: its block */
  ptx_block *raw;
  int32_t nraw;
  int32_t *order;      /* the result: raw numbers, reachable ones only */
  int32_t norder;
  /* components */
  int32_t *region;     /* number of the region under way that holds the block */
  int32_t *num, *low;  /* Tarjan's; num 0: not yet visited in this region */
  int32_t *next;       /* next successor to look at */
  int32_t *path, *open;/* the walk's stack; blocks whose component is not complete */
  int32_t *out;        /* components of the region, last first */
  struct slice *work;
} cfg;

/* A run order[lo..hi) still to be ordered: the inside of the component of `head`, -1 for the whole function. */
typedef struct slice {
  int32_t lo, hi, head;
} slice;

static void free_cfg(cfg *c) {
  free(c->block_at);
  free(c->raw);
  free(c->order);
  free(c->region);
  free(c->num);
  free(c->low);
  free(c->next);
  free(c->path);
  free(c->open);
  free(c->out);
  free(c->work);
}

static int alloc_cfg(cfg *c) {
  size_t n = (size_t)c->nraw + 1;
  c->raw = calloc(n, sizeof *c->raw);
  c->order = calloc(n, sizeof *c->order);
  c->region = calloc(n, sizeof *c->region);
  c->num = calloc(n, sizeof *c->num);
  c->low = calloc(n, sizeof *c->low);
  c->next = calloc(n, sizeof *c->next);
  c->path = calloc(n, sizeof *c->path);
  c->open = calloc(n, sizeof *c->open);
  c->out = calloc(n, sizeof *c->out);
  c->work = calloc(n, sizeof *c->work);
  bool fine = c->raw && c->order && c->region && c->num && c->low && c->next && c->path && c->open && c->out && c->work;
  return fine ? 0 : -1;
}

/* ---- blocks in text order ---- */

/* Marks the first instruction of every block in block_at, then numbers them. -1 out of memory. */
static int find_leaders(cfg *c) {
  const ptx_func *f = c->f;
  c->block_at = calloc((size_t)f->nins + 1, sizeof *c->block_at);
  if (!c->block_at) return -1;
  int32_t *lead = c->block_at;
  lead[0] = 1;
  for (int i = 0; i < f->nins; i++) {
    const ptx_ins *ins = &f->ins[i];
    if (sync_kind(ins) != PTX_SYNC_NONE) lead[i] = 1;
    if (ends_block(ins)) lead[i + 1] = 1;
    for (int k = 0; k < ins->ndst + ins->nsrc; k++)
      if (ins->opnd[k].kind == PTX_LABEL) lead[ins->opnd[k].imm] = 1;
  }
  int32_t b = -1;
  for (int i = 0; i < f->nins; i++) lead[i] = b += lead[i];
  c->nraw = b + 1;
  return 0;
}

static int brx_targets(cfg *c, ptx_block *b, const ptx_ins *ins) {
  b->ntargets = ins->nsrc - 1;
  b->targets = dc_arena_alloc(&c->m->arena, (size_t)b->ntargets * sizeof *b->targets);
  if (!b->targets) return -1;
  for (int k = 0; k < b->ntargets; k++) b->targets[k] = c->block_at[ins->opnd[k + 1].imm];
  return 0;
}

/* Successors of raw block i by its last instruction. The function's last one is an unguarded ret. */
static int link_block(cfg *c, int32_t i) {
  ptx_block *b = &c->raw[i];
  const ptx_ins *ins = &c->f->ins[b->last - 1];
  bool falls = ins->op == PTX_OP_CALL || !ends_block(ins) || ins->pred >= 0;
  b->succ[0] = falls && i + 1 < c->nraw ? i + 1 : -1;
  b->succ[1] = ins->op == PTX_OP_BRA ? c->block_at[ins->opnd[0].imm] : -1;
  b->sync = (uint8_t)sync_kind(&c->f->ins[b->first]);
  return ins->op == PTX_OP_BRX ? brx_targets(c, b, ins) : 0;
}

static int make_blocks(cfg *c) {
  int32_t nins = c->f->nins;
  for (int32_t i = 0; i < nins; i++) {
    ptx_block *b = &c->raw[c->block_at[i]];
    if (i == 0 || c->block_at[i - 1] != c->block_at[i]) b->first = i;
    b->last = i + 1;
    b->loop = -1;
  }
  for (int32_t i = 0; i < c->nraw; i++)
    if (link_block(c, i) != 0) return -1;
  return 0;
}

/* ---- order ---- */

/* State of one walk over a region. */
typedef struct walk {
  int32_t id, count, npath, nopen, nout, pushed;
} walk;

static void enter(cfg *c, walk *w, int32_t v) {
  c->num[v] = c->low[v] = ++w->count;
  c->next[v] = 0;
  c->path[w->npath++] = v;
  c->open[w->nopen++] = v;
}

/* All of v's component is above it on the open stack: to the result, v first when read backwards. */
static void close_component(cfg *c, walk *w, int32_t v) {
  int32_t u;
  do {
    u = c->open[--w->nopen];
    c->region[u] = -w->id; /* done: later edges to it leave the component */
    c->out[w->nout++] = u;
  } while (u != v);
}

/* Tarjan's components (1972) of the region from root on, appended to c->out last component first. */
static void components_from(cfg *c, walk *w, int32_t root) {
  if (c->region[root] != w->id || c->num[root] != 0) return;
  enter(c, w, root);
  while (w->npath > 0) {
    int32_t v = c->path[w->npath - 1], s;
    if (ptx_block_succ(&c->raw[v], c->next[v]++, &s)) {
      if (s < 0 || c->region[s] != w->id) continue;
      if (c->num[s] == 0) enter(c, w, s);
      else if (c->num[s] < c->low[v]) c->low[v] = c->num[s];
      continue;
    }
    w->npath--;
    if (w->npath > 0) {
      int32_t parent = c->path[w->npath - 1];
      if (c->low[v] < c->low[parent]) c->low[parent] = c->low[v];
    }
    if (c->low[v] == c->num[v]) close_component(c, w, v);
  }
}

static bool jumps_to_itself(const ptx_block *b, int32_t v) {
  int32_t s;
  for (int k = 0; ptx_block_succ(b, k, &s); k++)
    if (s == v) return true;
  return false;
}

/* Copies the components back in topological order; loops among them become work. */
static void place_components(cfg *c, const walk *w, int32_t lo, int32_t *nwork) {
  for (int32_t i = 0; i < w->nout; i++) c->order[lo + i] = c->out[w->nout - 1 - i];
  for (int32_t a = lo; a < lo + w->nout;) {
    int32_t head = c->order[a], b = a + 1;
    /* a component's members follow its head with low numbers that lead to it */
    while (b < lo + w->nout && c->num[c->order[b]] > 0 && c->low[c->order[b]] != c->num[c->order[b]]) b++;
    if (b - a > 1 || jumps_to_itself(&c->raw[head], head))
      for (int32_t i = a; i < b; i++) c->raw[c->order[i]].loop = head;
    if (b - a > 1) c->work[(*nwork)++] = (slice){a + 1, b, head};
    a = b;
  }
}

/* Every region is a run of order[], so a block is in at most one waiting slice at a time. */
static void order_blocks(cfg *c) {
  int32_t nwork = 0, id = 0;
  for (int32_t i = 0; i < c->nraw; i++) {
    c->order[i] = i;
    c->region[i] = 0;
  }
  c->work[nwork++] = (slice){0, c->nraw, -1};
  while (nwork > 0) {
    slice s = c->work[--nwork];
    walk w = {.id = ++id};
    for (int32_t i = s.lo; i < s.hi; i++) {
      c->region[c->order[i]] = id;
      c->num[c->order[i]] = 0;
    }
    int32_t to;
    if (s.head < 0) components_from(c, &w, 0);
    else
      for (int k = 0; ptx_block_succ(&c->raw[s.head], k, &to); k++)
        if (to >= 0) components_from(c, &w, to);
    if (s.head < 0) c->norder = w.nout; /* what the entry does not reach is dropped */
    place_components(c, &w, s.lo, &nwork);
  }
}

/* ---- the function in its new order ---- */

/* Raw block numbers to their places in the order, everywhere. */
static void renumber(const cfg *c, const int32_t *place, ptx_block *b) {
  for (int k = 0; k < 2; k++)
    if (b->succ[k] >= 0) b->succ[k] = place[b->succ[k]];
  for (int k = 0; k < b->ntargets; k++) b->targets[k] = place[b->targets[k]];
  if (b->loop >= 0) b->loop = place[b->loop];
  for (int i = b->first; i < b->last; i++) {
    ptx_ins *ins = &c->f->ins[i];
    for (int k = 0; k < ins->ndst + ins->nsrc; k++)
      if (ins->opnd[k].kind == PTX_LABEL) ins->opnd[k].imm = place[c->block_at[ins->opnd[k].imm]];
  }
}

static int rewrite(cfg *c) {
  ptx_func *f = c->f;
  int32_t *place = c->num;
  for (int32_t i = 0; i < c->norder; i++) place[c->order[i]] = i;
  ptx_block *blocks = dc_arena_alloc(&c->m->arena, (size_t)c->norder * sizeof *blocks);
  ptx_ins *all = dc_arena_alloc(&c->m->arena, (size_t)f->nins * sizeof *all);
  if (!blocks || !all) return -1;
  int32_t n = 0;
  for (int32_t i = 0; i < c->norder; i++) {
    ptx_block *b = &blocks[i];
    *b = c->raw[c->order[i]];
    renumber(c, place, b);
    int32_t len = b->last - b->first;
    memcpy(all + n, f->ins + b->first, (size_t)len * sizeof *all);
    b->first = n;
    b->last = n += len;
  }
  f->ins = all;
  f->nins = n;
  f->blocks = blocks;
  f->nblocks = c->norder;
  return 0;
}

/* Counted, then filled from each list's end downwards, which leaves `at` at the beginnings. */
int ptx_list_preds(const ptx_func *f, int32_t *at, int32_t **preds) {
  int32_t s;
  for (int fill = 0; fill < 2; fill++) {
    for (int32_t b = 0; b < f->nblocks; b++)
      for (int k = 0; ptx_block_succ(&f->blocks[b], k, &s); k++) {
        if (s >= 0 && fill) (*preds)[--at[s]] = b;
        else if (s >= 0) at[s]++;
      }
    if (fill) break;
    for (int32_t b = 0; b < f->nblocks; b++) at[b + 1] += at[b];
    *preds = calloc((size_t)at[f->nblocks] + 1, sizeof **preds);
    if (!*preds) return -1;
  }
  return 0;
}

int ptx_analyse(ptx_module *m, ptx_func *f, dc_error *err) {
  if (f->declared_only || f->nblocks > 0) return 0;
  cfg c = {.m = m, .f = f};
  int rc = -1;
  if (find_leaders(&c) == 0 && alloc_cfg(&c) == 0 && make_blocks(&c) == 0) {
    order_blocks(&c);
    rc = rewrite(&c) != 0 ? -1 : ptx_divergence(f);
  }
  free_cfg(&c);
  return rc != 0 ? dc_fail_oom(err) : 0;
}
