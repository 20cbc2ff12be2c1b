/* dominators.c - see dominators.h. */
#include "cpu/analysis/dominators.h"

#include "base/arena.h"
#include "cpu/analysis/cfg.h"

typedef struct search {
  const ptx_edges *g;
  int32_t *number, *at;     /* preorder number of a node, -1 not reached; node of a number */
  int32_t *parent, *semi;   /* by number, as all below */
  int32_t *ancestor, *best; /* the paper's forest, and label: the node of least semi on the compressed path */
  int32_t *bucket, *same;   /* lists of the nodes with one semi-dominator */
  int32_t *idom, *stack, *next;
  int32_t n;
} search;

/* Depth-first search: numbers the nodes reachable from the root in preorder. */
static void walk(search *s, int32_t root) {
  const ptx_edges *g = s->g;
  int32_t depth = 0;
  s->number[root] = 0;
  s->at[s->n++] = root;
  s->stack[depth++] = root;
  s->next[root] = g->succ_at[root];
  while (depth > 0) {
    const int32_t b = s->stack[depth - 1];
    if (s->next[b] == g->succ_at[b + 1]) {
      depth--;
      continue;
    }
    const int32_t to = g->succs[s->next[b]++];
    if (s->number[to] >= 0) continue;
    s->number[to] = s->n;
    s->at[s->n] = to;
    s->parent[s->n++] = s->number[b];
    s->next[to] = g->succ_at[to];
    s->stack[depth++] = to;
  }
}

/* EVAL: the node of least semi-dominator on the path from v to the root of its tree in the forest. */
static int32_t evaluate(search *s, int32_t v) {
  int32_t depth = 0;
  if (s->ancestor[v] < 0) return v;
  for (int32_t u = v; s->ancestor[s->ancestor[u]] >= 0; u = s->ancestor[u]) s->stack[depth++] = u;
  while (depth > 0) {
    const int32_t u = s->stack[--depth], a = s->ancestor[u];
    if (s->semi[s->best[a]] < s->semi[s->best[u]]) s->best[u] = s->best[a];
    s->ancestor[u] = s->ancestor[a];
  }
  return s->best[v];
}

static void find(search *s) {
  const ptx_edges *g = s->g;
  for (int32_t v = 0; v < s->n; v++) {
    s->semi[v] = s->best[v] = v;
    s->ancestor[v] = s->bucket[v] = -1;
  }
  for (int32_t v = s->n - 1; v > 0; v--) {
    const int32_t b = s->at[v], up = s->parent[v];
    for (int32_t k = g->pred_at[b]; k < g->pred_at[b + 1]; k++) {
      if (s->number[g->preds[k]] < 0) continue;
      const int32_t u = evaluate(s, s->number[g->preds[k]]);
      if (s->semi[u] < s->semi[v]) s->semi[v] = s->semi[u];
    }
    s->same[v] = s->bucket[s->semi[v]];
    s->bucket[s->semi[v]] = v;
    s->ancestor[v] = up;
    for (int32_t w = s->bucket[up]; w >= 0; w = s->same[w]) {
      const int32_t u = evaluate(s, w);
      s->idom[w] = s->semi[u] < up ? u : up;
    }
    s->bucket[up] = -1;
  }
  for (int32_t v = 1; v < s->n; v++)
    if (s->idom[v] != s->semi[v]) s->idom[v] = s->idom[s->idom[v]];
}

/* idom[b] of a node that the root does not reach: -1. */
static int find_idoms(const ptx_edges *g, int32_t root, int32_t *idom, dc_arena *scratch) {
  search s = {.g = g};
  int32_t **const each[] = {&s.number, &s.at, &s.parent, &s.semi, &s.ancestor, &s.best, &s.bucket, &s.same, &s.idom,
                            &s.stack, &s.next};
  if (ptx_arrays(scratch, each, sizeof each / sizeof *each, (size_t)g->n) != 0) return -1;
  for (int32_t b = 0; b < g->n; b++) s.number[b] = idom[b] = -1;
  walk(&s, root);
  find(&s);
  for (int32_t v = 1; v < s.n; v++) idom[s.at[v]] = s.at[s.idom[v]];
  idom[root] = root;
  return 0;
}

int ptx_dominators(const ptx_func *f, int32_t *idom) {
  dc_arena scratch = DC_ARENA_INIT;
  ptx_edges g;
  int rc = ptx_edges_open(&g, f, f->nblocks, &scratch);
  if (rc == 0) {
    ptx_edges_list(&g, f, false, NULL);
    rc = find_idoms(&g, 0, idom, &scratch);
  }
  dc_arena_free(&scratch);
  return rc;
}

/* Marks all blocks from which `root` can be reached. */
static void walk_back(const ptx_edges *g, int32_t root, bool *reached, int32_t *stack) {
  int32_t depth = 0;
  if (reached[root]) return;
  reached[root] = true;
  stack[depth++] = root;
  while (depth > 0) {
    const int32_t b = stack[--depth];
    for (int32_t k = g->pred_at[b]; k < g->pred_at[b + 1]; k++) {
      if (reached[g->preds[k]]) continue;
      reached[g->preds[k]] = true;
      stack[depth++] = g->preds[k];
    }
  }
}

/* Blocks that end the function, and the last block of each endless loop. */
static void find_exits(const ptx_edges *g, int32_t n, bool *exits, bool *reached, int32_t *stack) {
  for (int endless = 0; endless < 2; endless++)
    for (int32_t b = n - 1; b >= 0; b--) {
      if (endless ? reached[b] : g->succ_at[b] < g->succ_at[b + 1]) continue;
      exits[b] = true;
      walk_back(g, b, reached, stack);
    }
}

/* Post-dominators are the dominators of the reversed graph, from the exit, node n. */
int ptx_post_dominators(const ptx_func *f, int32_t *ipdom) {
  const int32_t n = f->nblocks;
  dc_arena scratch = DC_ARENA_INIT;
  ptx_edges g;
  bool *exits = dc_arena_alloc(&scratch, (size_t)n + 1), *reached = dc_arena_alloc(&scratch, (size_t)n + 1);
  int32_t *all = dc_arena_alloc(&scratch, ((size_t)n + 1) * sizeof *all);
  int rc = exits && reached && all ? ptx_edges_open(&g, f, n + 1, &scratch) : -1;
  if (rc == 0) {
    ptx_edges_list(&g, f, true, NULL);
    find_exits(&g, n, exits, reached, all);
    ptx_edges_list(&g, f, true, exits);
    const ptx_edges back = {n + 1, g.pred_at, g.preds, g.succ_at, g.succs};
    rc = find_idoms(&back, n, all, &scratch);
    for (int32_t b = 0; b < n; b++) ipdom[b] = all[b] == n ? -1 : all[b];
  }
  dc_arena_free(&scratch);
  return rc;
}
