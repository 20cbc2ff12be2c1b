/*
** cfg.c - see cfg.h.
**
** Blocks are in a weak topological order (Bourdoncle 1993): every loop is contiguous and begins with its header, and a
** block follows all its predecessors but those of its loops' back edges, in any graph, irreducible ones included.
**
** The loops are those of a depth-first search: that of header h has the blocks which reach h by way of descendants of h
** alone.  They are found from the innermost outwards by union-find, edges between subtrees where the subtrees meet
** (Ramalingam, "Identifying loops in almost linear time", 1999).  Every cycle goes through the header of a loop that
** has all of the cycle.  So where every edge that enters a loop is redirected to its header, and every edge that leaves
** one starts at its header, the edges among the members of a loop form no cycles.  A second search, which visits what
** follows a loop before the loop's inside, finishes blocks in the reverse of the order wanted.
**
** Time is n log n for n edges, and nothing recurses.
*/
#include "cpu/analysis/cfg.h"

#include <string.h>

#include "base/arena.h"
#include "base/runtime.h"
#include "cpu/ptx/opcode.h"

/* ---- edges ---- */

bool ptx_is_exit_block(const ptx_func *f, const ptx_block *b) {
  const ptx_ins *ins = &f->ins[b->first];
  return b->last - b->first == 1 && ins->pred < 0 && (ptx_traits(ins->op) & PTX_T_ENDS_LANES);
}

bool ptx_goes_on(const ptx_func *f, const ptx_block *b) {
  int32_t s;
  for (int k = 0; ptx_block_succ(b, k, &s); k++)
    if (s >= 0 && !ptx_is_exit_block(f, &f->blocks[s])) return true;
  return false;
}

int ptx_live_succ(const ptx_func *f, const ptx_block *b, bool on, int k, int32_t *s) {
  if (!ptx_block_succ(b, k, s)) return -1;
  return *s >= 0 && !(on && ptx_is_exit_block(f, &f->blocks[*s]));
}

int ptx_arrays(dc_arena *scratch, int32_t **const *each, size_t count, size_t n) {
  int32_t *all = dc_arena_alloc(scratch, count * n * sizeof *all);
  for (size_t i = 0; all && i < count; i++) *each[i] = all + i * n;
  return all ? 0 : -1;
}

void ptx_edges_list(ptx_edges *g, const ptx_func *f, bool live, const bool *exits) {
  int32_t n = 0, s;
  for (int32_t b = 0; b < f->nblocks; b++) {
    const ptx_block *bl = &f->blocks[b];
    const bool on = live && ptx_goes_on(f, bl);
    g->succ_at[b] = n;
    for (int k = 0, is; (is = ptx_live_succ(f, bl, on, k, &s)) >= 0; k++)
      if (is) g->succs[n++] = s;
    if (exits && exits[b]) g->succs[n++] = f->nblocks;
  }
  for (int32_t b = f->nblocks; b <= g->n; b++) g->succ_at[b] = n;
  for (int32_t b = 0; b <= g->n; b++) g->pred_at[b] = 0;
  for (int32_t k = 0; k < n; k++) g->pred_at[g->succs[k]]++;
  for (int32_t b = 0; b < g->n; b++) g->pred_at[b + 1] += g->pred_at[b];
  for (int32_t b = g->n - 1; b >= 0; b--)
    for (int32_t k = g->succ_at[b]; k < g->succ_at[b + 1]; k++) g->preds[--g->pred_at[g->succs[k]]] = b;
}

int ptx_edges_open(ptx_edges *g, const ptx_func *f, int32_t n, dc_arena *scratch) {
  size_t edges = (size_t)n + 1;
  for (int32_t b = 0; b < f->nblocks; b++) edges += (size_t)f->blocks[b].ntargets + 2;
  g->n = n;
  int32_t **const by_node[] = {&g->succ_at, &g->pred_at}, **const by_edge[] = {&g->succs, &g->preds};
  return ptx_arrays(scratch, by_node, 2, (size_t)n + 1) == 0 ? ptx_arrays(scratch, by_edge, 2, edges) : -1;
}

/* ---- the order of blocks ---- */

typedef struct edge {
  int32_t from, to, next; /* the list's next, -1 for none */
} edge;

typedef struct order {
  const ptx_block *blocks;
  int32_t n;
  edge *edges;
  int32_t nedges;
  int32_t *at;        /* the first search's preorder: the blocks reached */
  int32_t reached;
  int32_t *next, *stack;
  int32_t *state;     /* first search: 0 new, 1 on its path, 2 done */
  int32_t *set;       /* union-find: towards the lowest ancestor on the path, then towards the header of a loop */
  /* lists of edges: back edges to a header; between subtrees, of the block where those meet; into a block, or a loop by
  ** its header, from outside */
  int32_t *backs, *crossing, *into;
  bool *header;
  int32_t *around;    /* header of the innermost loop around a block, for headers that of the next loop; -1 none */
  int32_t *mark;
  /* the forest of loops: a header's interval [enter, leave) has its members' */
  int32_t *enter, *leave, *depth, *jump;
  int32_t *outer, *inner; /* lists: to members of the same loop, and from a header to members of its loop */
} order;

static int alloc_order(order *o, size_t edges, dc_arena *scratch) {
  const size_t n = (size_t)o->n + 1;
  int32_t **const each[] = {&o->at,     &o->next, &o->stack, &o->state, &o->set,   &o->backs, &o->crossing, &o->into,
                            &o->around, &o->mark, &o->enter, &o->leave, &o->depth, &o->jump,  &o->outer,    &o->inner};
  o->edges = dc_arena_alloc(scratch, (edges + 1) * sizeof *o->edges);
  o->header = dc_arena_alloc(scratch, n * sizeof *o->header);
  if (!o->edges || !o->header || ptx_arrays(scratch, each, sizeof each / sizeof *each, n) != 0) return -1;
  for (int32_t b = 0; b < o->n; b++) {
    o->backs[b] = o->crossing[b] = o->into[b] = o->around[b] = o->mark[b] = o->outer[b] = o->inner[b] = -1;
    o->set[b] = b;
  }
  return 0;
}

static void link(order *o, int32_t *list, int32_t from, int32_t to) {
  o->edges[o->nedges] = (edge){from, to, *list};
  *list = o->nedges++;
}

static int32_t find(int32_t *set, int32_t b) {
  while (set[b] != b) {
    set[b] = set[set[b]];
    b = set[b];
  }
  return b;
}

static void enter(order *o, int32_t b, int32_t *depth) {
  o->state[b] = 1;
  o->at[o->reached++] = b;
  o->stack[(*depth)++] = b;
}

/* The depth-first search: the blocks reachable from the entry, and the kind of every edge. */
static void search(order *o) {
  int32_t depth = 0, s;
  enter(o, 0, &depth);
  while (depth > 0) {
    const int32_t b = o->stack[depth - 1];
    if (!ptx_block_succ(&o->blocks[b], o->next[b]++, &s)) {
      o->state[b] = 2;
      if (--depth > 0) o->set[b] = o->stack[depth - 1];
    } else if (s >= 0 && o->state[s] == 0) {
      link(o, &o->into[s], b, s);
      enter(o, s, &depth);
    } else if (s >= 0) {
      link(o, o->state[s] == 1 ? &o->backs[s] : &o->crossing[find(o->set, s)], b, s);
    }
  }
}

/* Puts the loop, or block, that holds `b` among the members of header h's loop. */
static void join(order *o, int32_t b, int32_t h, int32_t *members, int32_t *n) {
  b = find(o->set, b);
  if (b == h || o->mark[b] == h) return;
  o->mark[b] = h;
  members[(*n)++] = b;
}

static void find_loops(order *o) {
  for (int32_t b = 0; b < o->n; b++) o->set[b] = b;
  for (int32_t i = o->reached - 1; i >= 0; i--) {
    const int32_t h = o->at[i];
    int32_t n = 0, e, next;
    for (e = o->crossing[h]; e >= 0; e = next) { /* both ends are descendants of h: the edges count from here on */
      next = o->edges[e].next;
      int32_t *list = &o->into[find(o->set, o->edges[e].to)];
      o->edges[e].next = *list;
      *list = e;
    }
    o->header[h] = o->backs[h] >= 0;
    for (e = o->backs[h]; e >= 0; e = o->edges[e].next) join(o, o->edges[e].from, h, o->stack, &n);
    for (int32_t k = 0; k < n; k++) {
      o->around[o->stack[k]] = h;
      for (e = o->into[o->stack[k]]; e >= 0; e = o->edges[e].next) join(o, o->edges[e].from, h, o->stack, &n);
    }
    for (int32_t k = 0; k < n; k++) o->set[o->stack[k]] = h;
  }
}

static bool holds(const order *o, int32_t h, int32_t b) {
  return o->enter[h] <= o->enter[b] && o->enter[b] < o->leave[h];
}

/* Intervals and shortcuts upwards (Myers, "An applicative random-access stack", 1983).  A header comes before its
** members in preorder. */
static void number_loops(order *o) {
  int32_t *size = o->next, *cursor = o->state, roots = 0;
  for (int32_t b = 0; b < o->n; b++) size[b] = 1;
  for (int32_t i = o->reached - 1; i >= 0; i--)
    if (o->around[o->at[i]] >= 0) size[o->around[o->at[i]]] += size[o->at[i]];
  for (int32_t i = 0; i < o->reached; i++) {
    const int32_t b = o->at[i], up = o->around[b];
    int32_t *from = up >= 0 ? &cursor[up] : &roots;
    o->enter[b] = *from;
    o->leave[b] = *from += size[b];
    cursor[b] = o->enter[b] + 1;
    o->depth[b] = up >= 0 ? o->depth[up] + 1 : 0;
    if (up < 0) o->jump[b] = b;
    else if (o->depth[up] - o->depth[o->jump[up]] == o->depth[o->jump[up]] - o->depth[o->jump[o->jump[up]]])
      o->jump[b] = o->jump[o->jump[up]];
    else o->jump[b] = up;
  }
}

/* The outermost loop, by its header, that holds `b` but not `other`; `b` itself where there is none. */
static int32_t outermost(const order *o, int32_t b, int32_t other) {
  while (o->around[b] >= 0 && !holds(o, o->around[b], other))
    b = o->jump[b] != b && !holds(o, o->jump[b], other) ? o->jump[b] : o->around[b];
  return b;
}

/* Lifts every edge but back edges to the ancestors of its ends in the forest of loops that are members of one loop.
** Lists keep the order of the first search. */
static void lift_edges(order *o) {
  o->nedges = 0;
  for (int32_t i = o->reached - 1; i >= 0; i--) {
    const int32_t b = o->at[i];
    int32_t n = 0, s;
    while (ptx_block_succ(&o->blocks[b], n, &s)) n++;
    while (n-- > 0) {
      ptx_block_succ(&o->blocks[b], n, &s);
      if (s < 0 || (o->header[s] && holds(o, s, b))) continue;
      const int32_t from = outermost(o, b, s), to = outermost(o, s, b);
      link(o, o->around[to] == from ? &o->inner[from] : &o->outer[from], from, to);
    }
  }
}

/* The second search: `result` from its end. */
static void finish(order *o, int32_t *result) {
  int32_t depth = 0, n = o->reached, *seen = o->mark;
  for (int32_t b = 0; b < o->n; b++) seen[b] = 0;
  o->stack[depth++] = 0;
  seen[0] = 1;
  while (depth > 0) {
    const int32_t b = o->stack[depth - 1];
    int32_t *list = o->outer[b] >= 0 ? &o->outer[b] : &o->inner[b];
    if (*list < 0) {
      depth--;
      result[--n] = b;
      continue;
    }
    const int32_t to = o->edges[*list].to;
    *list = o->edges[*list].next;
    if (seen[to]) continue;
    seen[to] = 1;
    o->stack[depth++] = to;
  }
}

/* Orders the blocks that block 0 reaches: result[0 .. *nresult) are their numbers; notes their loops.  -1 out of
** memory. */
static int order_blocks(ptx_block *blocks, int32_t n, int32_t *result, int32_t *nresult, dc_arena *scratch) {
  order o = {.blocks = blocks, .n = n};
  size_t edges = 0;
  int32_t s;
  for (int32_t b = 0; b < n; b++)
    for (int k = 0; ptx_block_succ(&blocks[b], k, &s); k++) edges++;
  if (alloc_order(&o, edges, scratch) != 0) return -1;
  search(&o);
  find_loops(&o);
  number_loops(&o);
  lift_edges(&o);
  finish(&o, result);
  for (int32_t b = 0; b < n; b++) {
    blocks[b].loop = o.around[b];
    blocks[b].loop_blocks = o.header[b] ? o.leave[b] - o.enter[b] : 0;
  }
  *nresult = o.reached;
  return 0;
}

/* ---- blocks in text order ---- */

/* Barriers and warp-wide operations wait for other lanes: they begin a block. */
static bool begins_block(const ptx_ins *ins) { return (ptx_traits(ins->op) & (PTX_T_BARRIER | PTX_T_WARP_WIDE)) != 0; }
static bool ends_block(const ptx_ins *ins) { return (ptx_traits(ins->op) & PTX_T_ENDS_BLOCK) != 0; }

/* One pass's scratch, in raw block numbers (text order). */
typedef struct cfg {
  ptx_module *m;
  ptx_func *f;
  dc_arena scratch;
  int32_t *block_at;   /* per instruction: its block */
  ptx_block *raw;
  int32_t nraw;
  int32_t *order;      /* the result: raw numbers, reachable ones only */
  int32_t norder;
  int32_t *position;      /* per raw block: its position in the order */
} cfg;

/* Room for `more` blocks than there are. */
static int alloc_cfg(cfg *c, int32_t more) {
  const size_t n = (size_t)(c->nraw + more) + 1;
  int32_t **const each[] = {&c->order, &c->position};
  c->raw = dc_arena_alloc(&c->scratch, n * sizeof *c->raw);
  return c->raw ? ptx_arrays(&c->scratch, each, 2, n) : -1;
}

/* Marks the first instruction of every block in block_at, then numbers them. -1 out of memory. */
static int find_leaders(cfg *c) {
  const ptx_func *f = c->f;
  c->block_at = dc_arena_alloc(&c->scratch, ((size_t)f->nins + 1) * sizeof *c->block_at);
  if (!c->block_at) return -1;
  int32_t *lead = c->block_at;
  lead[0] = 1;
  for (int i = 0; i < f->nins; i++) {
    const ptx_ins *ins = &f->ins[i];
    if (begins_block(ins)) lead[i] = 1;
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
  return ins->op == PTX_OP_BRX ? brx_targets(c, b, ins) : 0;
}

static int make_blocks(cfg *c) {
  int32_t nins = c->f->nins;
  for (int32_t i = 0; i < nins; i++) {
    ptx_block *b = &c->raw[c->block_at[i]];
    if (i == 0 || c->block_at[i - 1] != c->block_at[i]) b->first = i;
    b->last = i + 1;
  }
  for (int32_t i = 0; i < c->nraw; i++)
    if (link_block(c, i) != 0) return -1;
  return 0;
}

/* ---- loops that lanes go through together ---- */

/* Per block in backs: the number of blocks that lead back to it, the header of a loop with barriers or warp-wide
** operations; 0 for others. */
static int count_back_edges(cfg *c, int32_t *backs) {
  int32_t *waiting, s; /* per position in the order: how many blocks before it begin with such operations */
  int32_t **const each[] = {&waiting};
  if (ptx_arrays(&c->scratch, each, 1, (size_t)c->norder + 1) != 0) return -1;
  for (int32_t i = 0; i < c->norder; i++) {
    c->position[c->order[i]] = i;
    backs[c->order[i]] = 0;
    waiting[i + 1] = waiting[i] + begins_block(&c->f->ins[c->raw[c->order[i]].first]);
  }
  for (int32_t i = 0; i < c->norder; i++) {
    const ptx_block *b = &c->raw[c->order[i]];
    for (int k = 0, last = -1; ptx_block_succ(b, k, &s); k++) {
      if (s < 0 || s == last || c->position[s] > i) continue;
      backs[last = s]++;
    }
  }
  for (int32_t i = 0; i < c->norder; i++) {
    const int32_t h = c->order[i];
    if (waiting[i + c->raw[h].loop_blocks] == waiting[i]) backs[h] = 0;
  }
  return 0;
}

/* Makes room for n blocks of one instruction. */
static int grow(cfg *c, int32_t n) {
  const cfg old = *c;
  ptx_func *f = c->f;
  ptx_ins *ins = dc_arena_alloc(&c->m->arena, (size_t)(f->nins + n) * sizeof *ins);
  c->block_at = dc_arena_alloc(&c->scratch, (size_t)(f->nins + n + 1) * sizeof *c->block_at);
  if (!ins || !c->block_at || alloc_cfg(c, n) != 0) return -1;
  memcpy(ins, f->ins, (size_t)f->nins * sizeof *ins);
  memcpy(c->block_at, old.block_at, (size_t)f->nins * sizeof *c->block_at);
  memcpy(c->raw, old.raw, (size_t)c->nraw * sizeof *c->raw);
  memcpy(c->order, old.order, (size_t)c->norder * sizeof *c->order);
  memcpy(c->position, old.position, (size_t)c->nraw * sizeof *c->position);
  f->ins = ins;
  return 0;
}

/* Makes b's edges to blocks h at or before position i edges to latch[h], if that is a block. */
static void redirect(cfg *c, ptx_block *b, int32_t i, const int32_t *latch) {
  ptx_ins *ins = &c->f->ins[b->last - 1];
#define REDIRECTED(h) ((h) >= 0 && c->position[h] <= i && latch[h] > 0)
  for (int k = 0; k < 2; k++)
    if (REDIRECTED(b->succ[k])) b->succ[k] = latch[b->succ[k]];
  for (int k = 0; k < b->ntargets; k++)
    if (REDIRECTED(b->targets[k])) b->targets[k] = latch[b->targets[k]];
  for (int k = 0; k < ins->ndst + ins->nsrc; k++) {
    if (ins->opnd[k].kind != PTX_LABEL) continue;
    const int32_t h = c->block_at[ins->opnd[k].imm];
    if (REDIRECTED(h)) ins->opnd[k].imm = c->raw[latch[h]].first;
  }
#undef REDIRECTED
}

/* Appends a block of one jump to block h.  -1: out of memory. */
static int add_latch(cfg *c, int32_t h) {
  ptx_func *f = c->f;
  ptx_operand *to = dc_arena_alloc(&c->m->arena, sizeof *to);
  if (!to) return -1;
  const ptx_ins *first = &f->ins[c->raw[h].first];
  *to = (ptx_operand){.kind = PTX_LABEL, .imm = c->raw[h].first};
  f->ins[f->nins] = (ptx_ins){.op = PTX_OP_BRA, .pred = -1, .nsrc = 1, .opnd = to, .line = first->line,
                              .ptx_line = first->ptx_line, .text = "bra"};
  c->block_at[f->nins] = c->nraw;
  c->raw[c->nraw] = (ptx_block){.first = f->nins, .last = f->nins + 1, .succ = {-1, h}};
  f->nins++;
  c->nraw++;
  return 0;
}

/* Gives loops with barriers or warp-wide operations that several blocks lead back to a block of their own for that:
** lanes that come to it wait there for the others (for a lane that writes its warp's result, say, and then takes the
** next piece of work for all), instead of at the operation, where native code cannot.  Other loops stay as they are,
** since lanes that go ahead may gather others for work that they do together.  The number of blocks added; -1: out of
** memory. */
static int32_t join_back_edges(cfg *c) {
  const int32_t before = c->nraw;
  int32_t *latch, n = 0;
  int32_t **const each[] = {&latch};
  if (ptx_arrays(&c->scratch, each, 1, (size_t)before) != 0 || count_back_edges(c, latch) != 0) return -1;
  for (int32_t b = 0; b < before; b++) n += latch[b] > 1;
  if (n == 0) return 0;
  if (grow(c, n) != 0) return -1;
  for (int32_t h = 0; h < before; h++) {
    const bool several = latch[h] > 1;
    latch[h] = several ? c->nraw : 0; /* 0 is the entry's block */
    if (several && add_latch(c, h) != 0) return -1;
  }
  for (int32_t i = 0; i < c->norder; i++) redirect(c, &c->raw[c->order[i]], i, latch);
  return n;
}

/* ---- the function in its new order ---- */

/* Raw block numbers to positions in the order, in edges and operands. */
static void renumber(const cfg *c, ptx_block *b) {
  const int32_t *position = c->position;
  for (int k = 0; k < 2; k++)
    if (b->succ[k] >= 0) b->succ[k] = position[b->succ[k]];
  if (b->loop >= 0) b->loop = position[b->loop];
  for (int k = 0; k < b->ntargets; k++) b->targets[k] = position[b->targets[k]];
  for (int i = b->first; i < b->last; i++) {
    ptx_ins *ins = &c->f->ins[i];
    for (int k = 0; k < ins->ndst + ins->nsrc; k++)
      if (ins->opnd[k].kind == PTX_LABEL) ins->opnd[k].imm = position[c->block_at[ins->opnd[k].imm]];
  }
}

static int rewrite(cfg *c) {
  ptx_func *f = c->f;
  for (int32_t i = 0; i < c->norder; i++) c->position[c->order[i]] = i;
  ptx_block *blocks = dc_arena_alloc(&c->m->arena, (size_t)c->norder * sizeof *blocks);
  ptx_ins *all = dc_arena_alloc(&c->m->arena, (size_t)f->nins * sizeof *all);
  if (!blocks || !all) return -1;
  int32_t n = 0;
  for (int32_t i = 0; i < c->norder; i++) {
    ptx_block *b = &blocks[i];
    *b = c->raw[c->order[i]];
    renumber(c, b);
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

static int order_all(cfg *c) { return order_blocks(c->raw, c->nraw, c->order, &c->norder, &c->scratch); }

static int make_graph(ptx_module *m, ptx_func *f) {
  cfg c = {.m = m, .f = f};
  int rc = -1;
  if (find_leaders(&c) == 0 && alloc_cfg(&c, 0) == 0 && make_blocks(&c) == 0 && order_all(&c) == 0) {
    const int32_t added = join_back_edges(&c);
    if (added == 0 || (added > 0 && order_all(&c) == 0)) rc = rewrite(&c);
  }
  dc_arena_free(&c.scratch);
  return rc;
}

int ptx_fail_pass(dc_error *err) {
  return dc_interrupted() ? dc_fail(err, DC_INTERRUPTED, NULL, "interrupted") : dc_fail_oom(err);
}

int ptx_analyse(ptx_module *m, ptx_func *f, dc_error *err) {
  if (f->declared_only || f->nblocks > 0) return 0;
  return make_graph(m, f) == 0 ? 0 : ptx_fail_pass(err);
}
