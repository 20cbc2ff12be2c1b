/*
** layout.c - see layout.h.
**
** Resolves names in initialisers, lays out module variables, and propagates over the call graph, from callees to
** callers, barriers and shared memory.  Two shared variables may overlap when no entry reaches both, so that each
** kernel takes only the shared memory that it uses.
*/
#include "cpu/ptx/layout.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/map.h"
#include "cpu/ptx/declaration.h"
#include "cpu/ptx/inline.h"
#include "cpu/ptx/opcode.h"
#include "cpu/ptx/ptx.h"

static int resolve_relocs(ptx_parser *P) {
  const ptx_late_reloc *late = P->late.data;
  for (size_t i = 0; i < P->late.n; i++) {
    late[i].reloc->sym = dc_map_get(&P->m->syms, late[i].s, late[i].len);
    if (!late[i].reloc->sym)
      return ptxp_fail(P, late[i].line, "'%.*s' is not declared", (int)(late[i].len < 80 ? late[i].len : 80),
                       late[i].s);
  }
  return 0;
}

static int lay_out_module_vars(ptx_parser *P) {
  ptx_module *m = P->m;
  for (int i = 0; i < m->nvars; i++) {
    ptx_sym *sym = m->vars[i];
    if (sym->space != PTX_GLOBAL && sym->space != PTX_CONST) continue;
    uint64_t *end = sym->space == PTX_CONST ? &m->const_size : &m->global_size;
    sym->offset = ptxp_lay_out(end, sym->size, sym->align);
    if (*end > PTX_MAX_BYTES) return ptxp_fail(P, 0, "the module's variables take more than 2^46 bytes");
  }
  return 0;
}

/* ---- the call graph ---- */

/* Facts of a function, at first its own, then joined with those of all functions that it may call. */
typedef struct reached {
  bool barrier;
  uint64_t *shared; /* graph.words of bits, one a shared variable; NULL: none */
} reached;

/* Node nfuncs is the callee of indirect calls; its own callees are all functions whose address is taken. */
typedef struct graph {
  ptx_parser *P;
  dc_arena scratch;
  ptx_vec shared;      /* ptx_sym *: every .shared variable; until the layout its offset holds its index here */
  ptx_vec taken;       /* ptx_func *: functions whose address is taken, callable indirectly */
  ptx_vec calls;       /* int32_t: numbers of callees; node n's are calls[at[n] .. at[n+1]) */
  int32_t *at;
  reached *nodes;
  size_t words;
  int32_t *number, *low, *next, *path, *open; /* of the walk that finds components */
} graph;

static int push_ptr(graph *g, ptx_vec *v, void *p) { return ptxp_append(g->P, v, &p, sizeof p); }
static int push_call(graph *g, int32_t callee) { return ptxp_append(g->P, &g->calls, &callee, sizeof callee); }

/* Own facts of a function: has_call, has_indirect_call, has_barrier; its callees; functions whose address it takes. */
static int scan_function(graph *g, ptx_func *f) {
  for (int i = 0; i < f->nins; i++) {
    const ptx_ins *ins = &f->ins[i];
    if (ptx_is_barrier(ins)) f->has_barrier = true;
    if (ins->op == PTX_OP_CALL) {
      f->has_call = true;
      if (!ins->callee) f->has_indirect_call = true;
      else if (ins->callee->func && push_call(g, ins->callee->func->index) != 0) return -1;
    }
    for (int k = 0; k < ins->ndst + ins->nsrc; k++) {
      const ptx_sym *sym = ins->opnd[k].sym;
      if (sym && sym->kind == PTX_SYM_FUNC && push_ptr(g, &g->taken, sym->func) != 0) return -1;
    }
  }
  for (int i = 0; i < f->nvars; i++)
    if (f->vars[i]->space == PTX_SHARED && push_ptr(g, &g->shared, f->vars[i]) != 0) return -1;
  g->nodes[f->index].barrier = f->has_barrier;
  return f->has_indirect_call ? push_call(g, g->P->m->nfuncs) : 0;
}

static int scan_module(graph *g) {
  ptx_module *m = g->P->m;
  for (int i = 0; i < m->nvars; i++) {
    const ptx_sym *v = m->vars[i];
    if (v->space == PTX_SHARED && push_ptr(g, &g->shared, m->vars[i]) != 0) return -1;
    for (int k = 0; k < v->nrelocs; k++)
      if (v->relocs[k].sym->kind == PTX_SYM_FUNC && push_ptr(g, &g->taken, v->relocs[k].sym->func) != 0) return -1;
  }
  for (int i = 0; i < m->nfuncs; i++) {
    g->at[i] = (int32_t)g->calls.n;
    if (scan_function(g, m->funcs[i]) != 0) return -1;
  }
  g->at[m->nfuncs] = (int32_t)g->calls.n;
  for (size_t i = 0; i < g->taken.n; i++) {
    ptx_func *f = ((ptx_func **)g->taken.data)[i];
    f->taken = true;
    if (push_call(g, f->index) != 0) return -1;
  }
  g->at[m->nfuncs + 1] = (int32_t)g->calls.n;
  for (size_t i = 0; i < g->shared.n; i++) ((ptx_sym **)g->shared.data)[i]->offset = i;
  return 0;
}

static uint64_t *bits_of(graph *g, int32_t node) {
  if (!g->nodes[node].shared) g->nodes[node].shared = dc_arena_alloc(&g->scratch, g->words * sizeof(uint64_t));
  return g->nodes[node].shared;
}

/* Which shared variables each function names. */
static int note_shared(graph *g) {
  const ptx_module *m = g->P->m;
  for (int i = 0; g->shared.n > 0 && i < m->nfuncs; i++) {
    const ptx_func *f = m->funcs[i];
    for (int j = 0; j < f->nins; j++)
      for (int k = 0; k < f->ins[j].ndst + f->ins[j].nsrc; k++) {
        const ptx_sym *sym = f->ins[j].opnd[k].sym;
        if (!sym || sym->kind != PTX_SYM_VAR || sym->space != PTX_SHARED) continue;
        uint64_t *bits = bits_of(g, i);
        if (!bits) return ptxp_oom(g->P);
        bits[sym->offset / 64] |= 1ull << (sym->offset % 64);
      }
  }
  return 0;
}

/* Joins the facts of `from` into `to`. */
static int absorb(graph *g, int32_t to, int32_t from) {
  reached *a = &g->nodes[to];
  const reached *b = &g->nodes[from];
  a->barrier = a->barrier || b->barrier;
  if (!b->shared || a->shared == b->shared) return 0;
  uint64_t *bits = bits_of(g, to);
  if (!bits) return ptxp_oom(g->P);
  for (size_t w = 0; w < g->words; w++) bits[w] |= b->shared[w];
  return 0;
}

/* Whether function v, of a component of several or not, may be called while it runs. */
static void note_recursion(graph *g, int32_t v, bool several) {
  if (v == g->P->m->nfuncs) return;
  ptx_func *f = g->P->m->funcs[v];
  f->recursive = several;
  for (int32_t k = g->at[v]; k < g->at[v + 1]; k++) f->recursive |= ((int32_t *)g->calls.data)[k] == v;
}

/* A strongly connected component, from `first` to the top of the stack of open nodes: its functions call each other, so
** all get the join of the component and its callees, which are complete. */
static int close_component(graph *g, int32_t first, int32_t *nopen) {
  int32_t n = *nopen, root;
  do {
    n--;
  } while (g->open[n] != first);
  root = g->open[n];
  for (int32_t i = n; i < *nopen; i++) {
    const int32_t v = g->open[i];
    if (absorb(g, root, v) != 0) return -1;
    for (int32_t k = g->at[v]; k < g->at[v + 1]; k++)
      if (absorb(g, root, ((int32_t *)g->calls.data)[k]) != 0) return -1;
  }
  for (int32_t i = n; i < *nopen; i++) {
    if (g->open[i] != root && absorb(g, g->open[i], root) != 0) return -1;
    note_recursion(g, g->open[i], *nopen - n > 1);
    g->low[g->open[i]] = INT32_MAX; /* complete */
  }
  *nopen = n;
  return 0;
}

/* Tarjan's strongly connected components (1972) from node `from` on, callees first. */
static int walk(graph *g, int32_t from, int32_t *count) {
  int32_t npath = 0, nopen = 0, v = from;
  for (;;) {
    if (v >= 0) {
      g->number[v] = g->low[v] = ++*count;
      g->next[v] = g->at[v];
      g->path[npath++] = g->open[nopen++] = v;
    }
    if (npath == 0) return 0;
    const int32_t at = g->path[npath - 1];
    v = -1;
    if (g->next[at] < g->at[at + 1]) {
      const int32_t to = ((int32_t *)g->calls.data)[g->next[at]++];
      if (g->number[to] == 0) v = to;
      else if (g->low[to] != INT32_MAX && g->number[to] < g->low[at]) g->low[at] = g->number[to];
      continue;
    }
    npath--;
    if (npath > 0 && g->low[at] < g->low[g->path[npath - 1]]) g->low[g->path[npath - 1]] = g->low[at];
    if (g->low[at] == g->number[at] && close_component(g, at, &nopen) != 0) return -1;
  }
}

static int find_reached(graph *g) {
  ptx_module *m = g->P->m;
  int32_t count = 0;
  for (int i = 0; i < m->nfuncs; i++)
    if (g->number[i] == 0 && walk(g, i, &count) != 0) return -1;
  for (int i = 0; i < m->nfuncs; i++) m->funcs[i]->has_barrier = g->nodes[i].barrier;
  return 0;
}

/* ---- shared memory ---- */

/* Lists of numbers: list i is items[at[i] .. at[i + 1]). */
typedef struct lists {
  size_t *at;
  int32_t *items;
} lists;

typedef struct interval {
  uint64_t at, end;
} interval;

typedef struct layout {
  graph *g;
  ptx_func **entries;
  int32_t nentries, nvars;
  lists vars, users;   /* of an entry: its shared variables; of a variable: the entries that use it */
  uint64_t *at, *ends; /* of a variable; of an entry */
  int32_t *mark;       /* per variable: the one for which it was last listed */
  interval *beside;
} layout;

/* Variables by entry, ascending, then entries by variable. */
static int list_users(layout *l) {
  const graph *g = l->g;
  size_t n = 0;
  for (int pass = 0; pass < 2; pass++) {
    n = 0;
    for (int32_t e = 0; e < l->nentries; e++) {
      const uint64_t *bits = g->nodes[l->entries[e]->index].shared;
      l->vars.at[e] = n;
      for (size_t w = 0; bits && w < g->words; w++)
        for (uint64_t left = bits[w]; left; left &= left - 1, n++)
          if (pass) l->vars.items[n] = (int32_t)(w * 64 + (size_t)__builtin_ctzll(left));
    }
    l->vars.at[l->nentries] = n;
    if (pass) break;
    l->vars.items = dc_arena_alloc(&l->g->scratch, (n + 1) * sizeof(int32_t));
    l->users.items = dc_arena_alloc(&l->g->scratch, (n + 1) * sizeof(int32_t));
    if (!l->vars.items || !l->users.items) return ptxp_oom(g->P);
  }
  for (size_t k = 0; k < n; k++) l->users.at[l->vars.items[k]]++;
  for (int32_t v = 0; v < l->nvars; v++) l->users.at[v + 1] += l->users.at[v];
  for (int32_t e = l->nentries - 1; e >= 0; e--)
    for (size_t k = l->vars.at[e]; k < l->vars.at[e + 1]; k++) l->users.items[--l->users.at[l->vars.items[k]]] = e;
  return 0;
}

static int by_offset(const void *a, const void *b) {
  const interval *x = a, *y = b;
  return x->at != y->at ? (x->at < y->at ? -1 : 1) : (x->end > y->end) - (x->end < y->end);
}

static uint64_t round_up(uint64_t n, uint32_t align) { return (n + align - 1) / align * align; }

/* First fit: the lowest offset at which variable i overlaps no placed variable that an entry uses together with it. */
static uint64_t first_fit(layout *l, ptx_sym *const *vars, int32_t i) {
  uint64_t offset = 0;
  size_t n = 0;
  for (size_t u = l->users.at[i]; u < l->users.at[i + 1]; u++) {
    const int32_t e = l->users.items[u];
    for (size_t k = l->vars.at[e]; k < l->vars.at[e + 1] && l->vars.items[k] < i; k++) {
      const int32_t other = l->vars.items[k];
      if (vars[other]->external || l->mark[other] == i) continue;
      l->mark[other] = i;
      l->beside[n++] = (interval){l->at[other], l->at[other] + vars[other]->size};
    }
  }
  qsort(l->beside, n, sizeof *l->beside, by_offset);
  for (size_t k = 0; k < n; k++)
    if (offset < l->beside[k].end && l->beside[k].at < offset + vars[i]->size)
      offset = round_up(l->beside[k].end, vars[i]->align);
  return offset;
}

/* The end of what is placed in the entries that use variable i. */
static uint64_t end_of_users(const layout *l, int32_t i) {
  uint64_t end = 0;
  for (size_t u = l->users.at[i]; u < l->users.at[i + 1]; u++)
    if (l->ends[l->users.items[u]] > end) end = l->ends[l->users.items[u]];
  return end;
}

/* The offset behind all placed variables of the entries that use variable i; used where first fit would take long. */
static uint64_t behind_all(const layout *l, ptx_sym *const *vars, int32_t i) {
  return round_up(end_of_users(l, i), vars[i]->align);
}

#define MOST_PAIRS ((uint64_t)1 << 24) /* pairs of variables that one entry uses; first fit takes a second for these */

static bool are_many(const layout *l) {
  uint64_t pairs = 0;
  for (int32_t e = 0; e < l->nentries; e++) {
    const uint64_t n = l->vars.at[e + 1] - l->vars.at[e];
    pairs += n * n;
  }
  return pairs > MOST_PAIRS;
}

static int lay_out_statics(layout *l, ptx_sym *const *vars) {
  const bool many = are_many(l);
  for (int32_t i = 0; i < l->nvars; i++) {
    if (vars[i]->external) continue;
    l->at[i] = many ? behind_all(l, vars, i) : first_fit(l, vars, i);
    const uint64_t end = l->at[i] + vars[i]->size;
    if (end > UINT32_MAX / 2) return ptxp_fail(l->g->P, 0, "shared variable '%.80s' ends beyond 2 GiB", vars[i]->name);
    for (size_t u = l->users.at[i]; u < l->users.at[i + 1]; u++)
      if (end > l->ends[l->users.items[u]]) l->ends[l->users.items[u]] = end;
  }
  return 0;
}

/* Every .extern variable begins where the statics of the largest entry that uses one end. */
static void lay_out_dynamic(layout *l, ptx_sym *const *vars) {
  uint64_t start = 0;
  uint32_t align = 16;
  for (int32_t i = 0; i < l->nvars; i++) {
    if (!vars[i]->external) continue;
    if (vars[i]->align > align) align = vars[i]->align;
    const uint64_t end = end_of_users(l, i);
    if (end > start) start = end;
  }
  start = round_up(start, align);
  for (int32_t i = 0; i < l->nvars; i++) {
    if (!vars[i]->external) continue;
    l->at[i] = start;
    for (size_t u = l->users.at[i]; u < l->users.at[i + 1]; u++) {
      l->ends[l->users.items[u]] = start;
      l->entries[l->users.items[u]]->has_dynamic_shared = true;
    }
  }
}

static int assign_shared(layout *l) {
  ptx_sym *const *vars = l->g->shared.data;
  if (list_users(l) != 0 || lay_out_statics(l, vars) != 0) return -1;
  lay_out_dynamic(l, vars);
  for (int32_t i = 0; i < l->nvars; i++) {
    vars[i]->offset = l->at[i];
    for (size_t u = l->users.at[i]; vars[i] == l->g->P->reserved && u < l->users.at[i + 1]; u++) {
      l->entries[l->users.items[u]]->reserved_at = vars[i]->offset;
      l->entries[l->users.items[u]]->reserved_bytes = (uint32_t)vars[i]->size;
    }
  }
  for (int32_t e = 0; e < l->nentries; e++) l->entries[e]->shared_size = l->ends[e];
  return 0;
}

static int lay_out_shared(graph *g) {
  ptx_module *m = g->P->m;
  const size_t vars = g->shared.n, funcs = (size_t)m->nfuncs;
  layout l = {.g = g, .nvars = (int32_t)vars};
  l.entries = dc_arena_alloc(&g->scratch, (funcs + 1) * sizeof *l.entries);
  l.vars.at = dc_arena_alloc(&g->scratch, (funcs + 1) * sizeof *l.vars.at);
  l.users.at = dc_arena_alloc(&g->scratch, (vars + 2) * sizeof *l.users.at);
  l.at = dc_arena_alloc(&g->scratch, (vars + 1) * sizeof *l.at);
  l.ends = dc_arena_alloc(&g->scratch, (funcs + 1) * sizeof *l.ends);
  l.mark = dc_arena_alloc(&g->scratch, (vars + 1) * sizeof *l.mark);
  l.beside = dc_arena_alloc(&g->scratch, (vars + 1) * sizeof *l.beside);
  if (!l.entries || !l.vars.at || !l.users.at || !l.at || !l.ends || !l.mark || !l.beside) return ptxp_oom(g->P);
  for (size_t i = 0; i < vars; i++) l.mark[i] = -1;
  for (size_t i = 0; i < funcs; i++)
    if (m->funcs[i]->entry) l.entries[l.nentries++] = m->funcs[i];
  return assign_shared(&l);
}

static int lay_out_with_graph(graph *g) {
  ptx_module *m = g->P->m;
  const size_t n = (size_t)m->nfuncs + 2;
  int32_t **const each[] = {&g->at, &g->number, &g->low, &g->next, &g->path, &g->open};
  g->nodes = dc_arena_alloc(&g->scratch, n * sizeof *g->nodes);
  for (size_t i = 0; i < sizeof each / sizeof *each; i++)
    if ((*each[i] = dc_arena_alloc(&g->scratch, n * sizeof **each[i])) == NULL) return ptxp_oom(g->P);
  if (!g->nodes) return ptxp_oom(g->P);
  for (int i = 0; i < m->nfuncs; i++) m->funcs[i]->index = i;
  if (scan_module(g) != 0) return -1;
  g->words = g->shared.n / 64 + 1;
  if (note_shared(g) != 0 || find_reached(g) != 0 || lay_out_shared(g) != 0) return -1;
  return ptxp_inline(g->P, g->taken.data, g->taken.n);
}

int ptxp_finish(ptx_parser *P) {
  ptx_module *m = P->m;
  m->funcs = ptxp_keep(P, &P->funcs, sizeof *m->funcs);
  m->vars = ptxp_keep(P, &P->vars, sizeof *m->vars);
  if (!m->funcs || !m->vars) return ptxp_oom(P);
  m->nfuncs = (int)P->funcs.n;
  m->nvars = (int)P->vars.n;
  if (resolve_relocs(P) != 0 || lay_out_module_vars(P) != 0) return -1;
  graph g = {.P = P};
  int rc = lay_out_with_graph(&g);
  free(g.shared.data);
  free(g.taken.data);
  free(g.calls.data);
  dc_arena_free(&g.scratch);
  return rc;
}
