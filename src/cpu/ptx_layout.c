/*
** ptx_layout.c - what can only be known when the whole module has been read.
**
** Names in initialisers; offsets of module variables; which functions an entry reaches, and with that
** its barriers, its instructions that cannot be run, and its shared memory.  Two shared variables may
** overlap when no entry reaches both, so each kernel takes only what it uses.
*/
#include <stdlib.h>
#include <string.h>

#include "cpu/ptx_parse.h"

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

static int place_module_vars(ptx_parser *P) {
  ptx_module *m = P->m;
  for (int i = 0; i < m->nvars; i++) {
    ptx_sym *sym = m->vars[i];
    if (sym->space != PTX_GLOBAL && sym->space != PTX_CONST) continue;
    uint64_t *end = sym->space == PTX_CONST ? &m->const_size : &m->global_size;
    sym->offset = ptxp_place(end, sym->size, sym->align);
    if (*end > PTX_MAX_BYTES) return ptxp_fail(P, 1, "the module's variables take more than 2^46 bytes");
  }
  return 0;
}

/* ---- the call graph ---- */

typedef struct graph {
  ptx_parser *P;
  ptx_vec shared;     /* ptx_sym *: every .shared variable; its offset holds its index here meanwhile */
  ptx_vec taken;      /* ptx_func *: functions whose address is taken, callable indirectly */
  ptx_vec work;       /* ptx_func *: the walk's stack */
  uint32_t *seen;     /* per function: number of the last walk that reached it */
  uint64_t *users;    /* per shared variable: words of bits, one an entry */
  size_t words;
  dc_map index;       /* function name -> 1 + its index */
} graph;

static bool is_barrier(const ptx_ins *ins) {
  return ins->op == PTX_OP_BARRIER || (ins->op == PTX_OP_BAR && ins->mode != PTX_BAR_WARP);
}

static int push_ptr(graph *g, ptx_vec *v, void *p) {
  void **slot = ptxp_push(v, sizeof *slot);
  if (!slot) return ptxp_oom(g->P);
  *slot = p;
  return 0;
}

/* Own facts of a function: has_call, has_indirect_call, has_barrier; functions whose address it takes. */
static int scan_function(graph *g, ptx_func *f) {
  for (int i = 0; i < f->nins; i++) {
    const ptx_ins *ins = &f->ins[i];
    if (is_barrier(ins)) f->has_barrier = true;
    if (ins->op == PTX_OP_CALL) {
      f->has_call = true;
      if (!ins->callee) f->has_indirect_call = true;
    }
    for (int k = 0; k < ins->ndst + ins->nsrc; k++) {
      const ptx_sym *sym = ins->opnd[k].sym;
      if (sym && sym->kind == PTX_SYM_FUNC && push_ptr(g, &g->taken, sym->func) != 0) return -1;
    }
  }
  for (int i = 0; i < f->nvars; i++)
    if (f->vars[i]->space == PTX_SHARED && push_ptr(g, &g->shared, f->vars[i]) != 0) return -1;
  return 0;
}

static int scan_module(graph *g) {
  ptx_module *m = g->P->m;
  for (int i = 0; i < m->nvars; i++) {
    const ptx_sym *v = m->vars[i];
    if (v->space == PTX_SHARED && push_ptr(g, &g->shared, m->vars[i]) != 0) return -1;
    for (int k = 0; k < v->nrelocs; k++)
      if (v->relocs[k].sym->kind == PTX_SYM_FUNC && push_ptr(g, &g->taken, v->relocs[k].sym->func) != 0) return -1;
  }
  for (int i = 0; i < m->nfuncs; i++)
    if (scan_function(g, m->funcs[i]) != 0) return -1;
  for (size_t i = 0; i < g->shared.n; i++) ((ptx_sym **)g->shared.data)[i]->offset = i;
  return 0;
}

static int visit(graph *g, ptx_func *f, uint32_t walk) {
  size_t i = (size_t)(uintptr_t)dc_map_get(&g->index, f->name, strlen(f->name));
  if (i == 0 || g->seen[i - 1] == walk) return 0;
  g->seen[i - 1] = walk;
  return push_ptr(g, &g->work, f);
}

/* What one function, reached from `root`, adds to it. `entry` counts the entries, -1 when root is none. */
static int absorb(graph *g, ptx_func *root, const ptx_func *f, uint32_t walk, long entry) {
  root->has_barrier = root->has_barrier || f->has_barrier;
  if (f->refused && !root->refused) {
    root->refused = f->refused;
    root->refused_line = f->refused_line;
    root->refused_ptx_line = f->refused_ptx_line;
  }
  for (size_t i = 0; f->has_indirect_call && i < g->taken.n; i++)
    if (visit(g, ((ptx_func **)g->taken.data)[i], walk) != 0) return -1;
  for (int i = 0; i < f->nins; i++) {
    const ptx_ins *ins = &f->ins[i];
    if (ins->callee && ins->callee->func && visit(g, ins->callee->func, walk) != 0) return -1;
    for (int k = 0; entry >= 0 && k < ins->ndst + ins->nsrc; k++) {
      const ptx_sym *sym = ins->opnd[k].sym;
      if (sym && sym->kind == PTX_SYM_VAR && sym->space == PTX_SHARED)
        g->users[sym->offset * g->words + (size_t)entry / 64] |= 1ull << (entry % 64);
    }
  }
  return 0;
}

/* Only functions that call something can learn from a walk; entries always need one for their variables. */
static int walk_all(graph *g) {
  ptx_module *m = g->P->m;
  long entries = 0;
  for (int i = 0; i < m->nfuncs; i++) {
    ptx_func *f = m->funcs[i];
    if (!f->entry && !f->has_call) continue;
    long entry = f->entry ? entries++ : -1;
    g->work.n = 0;
    if (visit(g, f, (uint32_t)i + 1) != 0) return -1;
    while (g->work.n > 0) {
      const ptx_func *next = ((ptx_func **)g->work.data)[--g->work.n];
      if (absorb(g, f, next, (uint32_t)i + 1, entry) != 0) return -1;
    }
  }
  return 0;
}

/* ---- shared memory ---- */

static bool uses(const graph *g, size_t var, long entry) {
  return (g->users[var * g->words + (size_t)entry / 64] >> (entry % 64)) & 1;
}

static bool share_an_entry(const graph *g, size_t a, size_t b) {
  for (size_t w = 0; w < g->words; w++)
    if (g->users[a * g->words + w] & g->users[b * g->words + w]) return true;
  return false;
}

/* The lowest offset at which variable i overlaps none that was placed before and is used beside it. */
static uint64_t first_fit(const graph *g, const uint64_t *at, ptx_sym *const *vars, size_t i) {
  uint64_t offset = 0;
  for (size_t k = 0; k < i; k++) {
    if (vars[k]->external || !share_an_entry(g, i, k)) continue;
    if (offset < at[k] + vars[k]->size && at[k] < offset + vars[i]->size) {
      offset = (at[k] + vars[k]->size + vars[i]->align - 1) / vars[i]->align * vars[i]->align;
      k = (size_t)-1; /* from the start again: offsets only grow */
    }
  }
  return offset;
}

/* Every .extern variable begins where the statics of the largest entry that uses one end. */
static uint64_t dynamic_start(const graph *g, ptx_sym *const *vars, const uint64_t *sizes, long nentries) {
  uint64_t start = 0, align = 16;
  for (size_t i = 0; i < g->shared.n; i++) {
    if (!vars[i]->external) continue;
    if (vars[i]->align > align) align = vars[i]->align;
    for (long e = 0; e < nentries; e++)
      if (uses(g, i, e) && sizes[e] > start) start = sizes[e];
  }
  return (start + align - 1) / align * align;
}

static int place_shared(graph *g, uint64_t *at, uint64_t *sizes, long nentries) {
  ptx_module *m = g->P->m;
  ptx_sym *const *vars = g->shared.data;
  for (size_t i = 0; i < g->shared.n; i++) {
    if (vars[i]->external) continue;
    at[i] = first_fit(g, at, vars, i);
    if (at[i] + vars[i]->size > UINT32_MAX / 2) return ptxp_fail(g->P, 1, "shared variables take more than 2 GiB");
    for (long e = 0; e < nentries; e++)
      if (uses(g, i, e) && at[i] + vars[i]->size > sizes[e]) sizes[e] = at[i] + vars[i]->size;
  }
  uint64_t start = dynamic_start(g, vars, sizes, nentries);
  for (size_t i = 0; i < g->shared.n; i++) {
    for (long e = 0; vars[i]->external && e < nentries; e++)
      if (uses(g, i, e)) sizes[e] = start;
    vars[i]->offset = vars[i]->external ? start : at[i];
  }
  long e = 0;
  for (int i = 0; i < m->nfuncs; i++) {
    if (!m->funcs[i]->entry) continue;
    for (size_t k = 0; k < g->shared.n; k++) {
      if (vars[k] != g->P->reserved || !uses(g, k, e)) continue;
      m->funcs[i]->reserved_at = vars[k]->offset;
      m->funcs[i]->reserved_bytes = (uint32_t)vars[k]->size;
    }
    m->funcs[i]->shared_size = sizes[e++];
    if (m->funcs[i]->shared_size > m->shared_size) m->shared_size = m->funcs[i]->shared_size;
  }
  return 0;
}

static int place_with_graph(graph *g) {
  ptx_module *m = g->P->m;
  long nentries = 0;
  for (int i = 0; i < m->nfuncs; i++) {
    nentries += m->funcs[i]->entry;
    if (dc_map_set(&g->index, m->funcs[i]->name, strlen(m->funcs[i]->name), (void *)(uintptr_t)(i + 1)) != 0)
      return ptxp_oom(g->P);
  }
  if (scan_module(g) != 0) return -1;
  g->words = (size_t)nentries / 64 + 1;
  g->seen = calloc((size_t)m->nfuncs + 1, sizeof *g->seen);
  g->users = calloc((g->shared.n + 1) * g->words, sizeof *g->users);
  uint64_t *at = calloc(g->shared.n + 1, sizeof *at), *sizes = calloc((size_t)nentries + 1, sizeof *sizes);
  int rc = -1;
  if (!g->seen || !g->users || !at || !sizes) ptxp_oom(g->P);
  else rc = walk_all(g) != 0 ? -1 : place_shared(g, at, sizes, nentries);
  free(at);
  free(sizes);
  return rc;
}

int ptxp_finish(ptx_parser *P) {
  ptx_module *m = P->m;
  m->funcs = ptxp_keep(P, &P->funcs, sizeof *m->funcs);
  m->vars = ptxp_keep(P, &P->vars, sizeof *m->vars);
  if (!m->funcs || !m->vars) return ptxp_oom(P);
  m->nfuncs = (int)P->funcs.n;
  m->nvars = (int)P->vars.n;
  if (resolve_relocs(P) != 0 || place_module_vars(P) != 0) return -1;
  graph g = {.P = P};
  int rc = place_with_graph(&g);
  ptxp_vec_free(&g.shared);
  ptxp_vec_free(&g.taken);
  ptxp_vec_free(&g.work);
  free(g.seen);
  free(g.users);
  dc_map_free(&g.index);
  return rc;
}
