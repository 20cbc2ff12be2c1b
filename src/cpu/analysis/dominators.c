/* dominators.c - see dominators.h. */
#include "cpu/analysis/dominators.h"

#include <stdlib.h>

#include "cpu/analysis/cfg.h"

typedef struct search {
  const ptx_graph *g;
  int32_t *number, *at;     /* of the depth-first search, -1 not reached; the node of a number */
  int32_t *parent, *semi;   /* by number, as everything below */
  int32_t *ancestor, *best; /* the forest that is linked up; of the path to there, the one of least semi */
  int32_t *bucket, *same;   /* lists of those with a semi-dominator */
  int32_t *idom, *stack, *next;
  int32_t n;
} search;

/* Numbers what the root reaches. */
static void walk(search *s, int32_t root) {
  const ptx_graph *g = s->g;
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

/* The node of least semi-dominator on the linked path above v, v included. */
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
  const ptx_graph *g = s->g;
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

int ptx_dominators(const ptx_graph *g, int32_t root, int32_t *idom) {
  const size_t n = (size_t)g->n;
  search s = {.g = g};
  int32_t **each[] = {&s.number, &s.at, &s.parent, &s.semi, &s.ancestor, &s.best, &s.bucket, &s.same, &s.idom,
                      &s.stack, &s.next};
  const size_t count = sizeof each / sizeof *each;
  int32_t *all = calloc(n * count + 1, sizeof *all);
  if (!all) return -1;
  for (size_t i = 0; i < count; i++) *each[i] = all + i * n;
  for (int32_t b = 0; b < g->n; b++) s.number[b] = idom[b] = -1;
  walk(&s, root);
  find(&s);
  for (int32_t v = 1; v < s.n; v++) idom[s.at[v]] = s.at[s.idom[v]];
  idom[root] = root;
  free(all);
  return 0;
}
