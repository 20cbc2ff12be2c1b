/*
** block_order.c - see block_order.h.
**
** A weak topological order (Bourdoncle 1993): every loop is contiguous and begins with its header, and a block comes
** behind all that leads to it but the back edges of its loops, in any graph, irreducible ones included.
**
** The loops are those of a depth-first search: that of header h has the blocks which reach h by way of descendants of h
** alone.  They are found from the innermost outwards by union-find, edges between subtrees where the subtrees meet
** (Ramalingam, "Identifying loops in almost linear time", 1999).  Every cycle goes through the header of a loop that
** has all of the cycle, so where every edge that enters a loop is led to its header and every edge that leaves one
** comes from its header, what is left among the members of a loop has no cycles.  A second search, which goes to what
** follows a loop before it goes inside, finishes blocks in the reverse of the order wanted.
**
** Time is n log n for n edges, and nothing recurses.
*/
#include "cpu/analysis/block_order.h"

#include <stdlib.h>

#include "cpu/analysis/graph.h"
#include "cpu/ptx/ptx.h"

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

static int alloc_order(order *o, size_t edges) {
  const size_t n = (size_t)o->n + 1;
  int32_t **each[] = {&o->at, &o->next, &o->stack, &o->state, &o->set, &o->backs, &o->crossing, &o->into, &o->around,
                      &o->mark, &o->enter, &o->leave, &o->depth, &o->jump, &o->outer, &o->inner};
  const size_t count = sizeof each / sizeof *each;
  int32_t *all = calloc(n * count, sizeof *all);
  o->edges = malloc((edges + 1) * sizeof *o->edges);
  o->header = calloc(n, sizeof *o->header);
  if (!all || !o->edges || !o->header) {
    free(all);
    return -1;
  }
  for (size_t i = 0; i < count; i++) *each[i] = all + i * n;
  for (int32_t b = 0; b < o->n; b++) {
    o->backs[b] = o->crossing[b] = o->into[b] = o->around[b] = o->mark[b] = o->outer[b] = o->inner[b] = -1;
    o->set[b] = b;
  }
  return 0;
}

static void free_order(order *o) {
  free(o->at);
  free(o->edges);
  free(o->header);
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

/* ---- loops ---- */

static void enter(order *o, int32_t b, int32_t *depth) {
  o->state[b] = 1;
  o->at[o->reached++] = b;
  o->stack[(*depth)++] = b;
}

/* The depth-first search: what the entry reaches, and every edge by its kind. */
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
    for (e = o->crossing[h]; e >= 0; e = next) { /* both ends lie below h: from here on they count */
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

/* ---- the forest of loops ---- */

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

/* Every edge but back edges, from and to what stands for its ends where they are members of one loop.  Lists keep the
** order of the first search. */
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

int ptx_order_blocks(const ptx_block *blocks, int32_t n, int32_t *result, int32_t *nresult) {
  order o = {.blocks = blocks, .n = n};
  size_t edges = 0;
  int32_t s;
  for (int32_t b = 0; b < n; b++)
    for (int k = 0; ptx_block_succ(&blocks[b], k, &s); k++) edges++;
  int rc = alloc_order(&o, edges);
  if (rc == 0) {
    search(&o);
    find_loops(&o);
    number_loops(&o);
    lift_edges(&o);
    finish(&o, result);
    *nresult = o.reached;
  }
  free_order(&o);
  return rc;
}
