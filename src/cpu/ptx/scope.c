/*
** scope.c - see scope.h.
**
** Each use of inline assembly opens a scope with registers and labels of the same names; scoping resolves them to
** registers and instruction indices of the whole function.
*/
#include "cpu/ptx/scope.h"

#include <string.h>

#include "base/arena.h"
#include "base/map.h"

/* A label used before the end of its scope. */
typedef struct ptx_pending {
  const char *s;
  uint32_t len, line, source; /* lines of the PTX and of the user's source */
  ptx_operand *use;  /* operand of bra or .branchtargets that gets the instruction index */
  int32_t brx;       /* else the brx.idx instruction that names a .branchtargets list; -1: none */
} ptx_pending;

typedef struct ptx_scope {
  ptx_bind *top;
  size_t pending;
  uint64_t callparam; /* bytes of .param variables when the scope began */
} ptx_scope;

/* ---- names ---- */

static bool is_label_kind(uint8_t kind) { return kind == PTX_BIND_LABEL || kind == PTX_BIND_TARGETS; }

/* The innermost binding of a name, a label's or another, or NULL. */
static ptx_bind *find_kind(const ptx_parser *P, const char *s, size_t len, bool label) {
  return dc_map_get(&P->bound[label], s, len);
}
static ptx_bind *find(const ptx_parser *P, const char *s, size_t len) { return find_kind(P, s, len, false); }

/* Takes back the bindings on the stack above `top`: what each has hidden is the innermost again. */
static void unbind(ptx_parser *P, const ptx_bind *top) {
  for (; P->top != top; P->top = P->top->below)
    dc_map_set(&P->bound[is_label_kind(P->top->kind)], P->top->s, P->top->len, P->top->outer); /* cannot fail */
}

void ptxp_clear_names(ptx_parser *P) { unbind(P, NULL); }

ptx_bind *ptxp_bind(ptx_parser *P, const char *s, size_t len, ptx_bind_kind kind) {
  const bool label = is_label_kind((uint8_t)kind);
  ptx_bind *old = find_kind(P, s, len, label);
  uint32_t depth = (uint32_t)P->scopes.n;
  if (old && old->depth == depth && old->kind != PTX_BIND_REGS && kind != PTX_BIND_REGS) {
    ptxp_fail(P, P->lex.tok.line, "'%.*s' is declared twice in one scope", (int)(len < 80 ? len : 80), s);
    return NULL;
  }
  ptx_bind *b = dc_arena_alloc(&P->m->arena, sizeof *b);
  if (!b || dc_map_set(&P->bound[label], s, len, b) != 0) {
    ptxp_oom(P);
    return NULL;
  }
  b->s = s;
  b->len = (uint32_t)len;
  b->depth = depth;
  b->kind = (uint8_t)kind;
  b->outer = old;
  b->below = P->top;
  P->top = b;
  return b;
}

/* Register n of a range (%r<100>). */
static int range_reg(ptx_parser *P, const ptx_bind *range, uint32_t n, int32_t *reg) {
  if (range->id == 0) {
    *reg = range->u.reg + (int32_t)n;
    return 1;
  }
  const uint64_t key = ((uint64_t)range->id << 32) | n, known = ptxp_number_get(&P->ranges, key);
  *reg = (int32_t)known - 1;
  if (known) return 1;
  if ((*reg = ptxp_new_register(P, range->bits)) < 0) return -1;
  return ptxp_number_set(&P->ranges, key, (uint64_t)*reg + 1) == 0 ? 1 : ptxp_oom(P);
}

/* %r12 of `.reg .b32 %r<20>`: tries every split into prefix and number, since a prefix may end in digits. */
static int find_in_range(ptx_parser *P, const char *s, size_t len, int32_t *reg) {
  uint64_t n = 0, unit = 1;
  for (size_t k = len; k > 1 && len - k < 9; unit *= 10) {
    char c = s[--k];
    if (c < '0' || c > '9') return 0;
    n += (uint64_t)(c - '0') * unit;
    if (c == '0' && k + 1 < len) continue; /* no leading zeros */
    const ptx_bind *b = find(P, s, k);
    if (b && b->kind == PTX_BIND_REGS && n < b->count) return range_reg(P, b, (uint32_t)n, reg);
  }
  return 0;
}

int ptxp_find_reg(ptx_parser *P, const char *s, size_t len, int32_t *reg, int *vec) {
  const ptx_bind *b = find(P, s, len);
  *vec = 1;
  if (!b) return find_in_range(P, s, len, reg);
  if (b->kind != PTX_BIND_REG) return 0;
  *reg = b->u.reg;
  *vec = b->vec;
  return 1;
}

ptx_sym *ptxp_sym_find(const ptx_parser *P, const char *s, size_t len) {
  const ptx_bind *b = P->f ? find(P, s, len) : NULL;
  if (b) return b->kind == PTX_BIND_SYM ? b->u.sym : NULL;
  return dc_map_get(&P->m->syms, s, len);
}

/* ---- scopes and labels ---- */

int ptxp_scope_open(ptx_parser *P) {
  if (P->scopes.n >= 1000) return ptxp_fail(P, P->lex.tok.line, "scopes are nested more than 1000 deep");
  const ptx_scope s = {P->top, P->pendings.n, P->callparam};
  return ptxp_append(P, &P->scopes, &s, sizeof s);
}

int ptxp_pending_add(ptx_parser *P, const ptx_tok *name, ptx_operand *use, int32_t brx) {
  const ptx_pending p = {name->s, (uint32_t)name->len, name->line, P->line, use, brx};
  return ptxp_append(P, &P->pendings, &p, sizeof p);
}

/* Blames the line of the use, not that of the scope's end. */
static int fail_use(ptx_parser *P, const ptx_pending *p, const char *before, const char *behind) {
  P->line = p->source;
  ptxp_fail(P, p->line, "%s'%.*s'%s", before, (int)(p->len < 80 ? p->len : 80), p->s, behind);
  P->bad_at = p->s;
  return -1;
}

/* Notes the target list of a brx.idx; labels may still be unresolved, so operands are made at the function's end. */
static int attach_targets(ptx_parser *P, const ptx_pending *p, const ptx_bind *b) {
  if (b->kind != PTX_BIND_TARGETS) return fail_use(P, p, "brx.idx needs a .branchtargets list, not ", "");
  const ptx_brx x = {p->brx, b->u.targets};
  return ptxp_append(P, &P->brxs, &x, sizeof x);
}

static int resolve(ptx_parser *P, const ptx_pending *p, const ptx_bind *b) {
  if (p->brx >= 0) return attach_targets(P, p, b);
  if (b->kind != PTX_BIND_LABEL) return fail_use(P, p, "", " is no label");
  p->use->imm = b->u.ins;
  return 0;
}

/* Resolves references to the scope's own labels; the others are left pending for the enclosing scope. */
int ptxp_scope_close(ptx_parser *P) {
  ptx_scope s = ((ptx_scope *)P->scopes.data)[P->scopes.n - 1];
  ptx_pending *all = P->pendings.data;
  size_t kept = s.pending;
  for (size_t i = s.pending; i < P->pendings.n; i++) {
    const ptx_bind *b = find_kind(P, all[i].s, all[i].len, true);
    if (b && b->depth == P->scopes.n) {
      if (resolve(P, &all[i], b) != 0) return -1;
    } else if (P->scopes.n == 1) {
      return fail_use(P, &all[i], "there is no label ", " in this function");
    } else {
      all[kept++] = all[i];
    }
  }
  P->pendings.n = kept;
  unbind(P, s.top);
  P->callparam = s.callparam;
  P->scopes.n--;
  return 0;
}
