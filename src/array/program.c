/*
** program.c - from a graph of pending arrays to steps over a domain.
*/
#include "array/program.h"

#include <string.h>

typedef struct dc_builder {
  dc_program *p;
  dc_array *root;
  const dc_geometry *domain; /* NULL until the first reduction names it, where there is one */
  dc_geometry operand_shape; /* where that is kept */
  uint64_t mark;
  bool pretend;
  bool too_many; /* leaves */
} dc_builder;

/* --- operands ----------------------------------------------------------------------------------- */

static dc_ref ref(dc_ref_kind kind, int index) { return (dc_ref){ (uint8_t)kind, (uint8_t)index }; }

/* Byte strides of `g` seen with the domain's shape; the shapes are known to fit. */
static void stretch(const dc_geometry *g, const dc_geometry *domain, int64_t *strides) {
  int missing = domain->ndim - g->ndim;
  for (int i = 0; i < domain->ndim; i++)
    strides[i] = i < missing || g->shape[i - missing] == 1 ? 0 : g->strides[i - missing];
}

/* The leaf for a, an earlier one where it is the same memory seen in the same way.  In the final scope
** every operand has one element. */
static int add_leaf(dc_builder *b, dc_array *a, bool final, dc_ref *out, dc_error *err) {
  dc_program *p = b->p;
  if (dc_array_is_closed(a))
    return dc_fail(err, DC_ARGUMENT, NULL, "an array that the expression reads was closed before it was computed");
  if (p->nleaves == DC_MAX_LEAVES) {
    if (b->pretend) return dc_fail(err, DC_ARGUMENT, NULL, "the expression has too many parts to be shown at once");
    b->too_many = true;
    p->first = b->root;
    return 0;
  }
  dc_operand *leaf = &p->leaf[p->nleaves];
  leaf->ptr = a->state == DC_ARRAY_READY ? a->ptr : (dc_ptr)(uintptr_t)a; /* pretended: an address of its own */
  leaf->buffer = a->state == DC_ARRAY_READY ? a->buffer : NULL;
  leaf->dtype = a->dtype;
  if (final || b->domain == NULL) memset(leaf->strides, 0, sizeof leaf->strides);
  else stretch(&a->g, b->domain, leaf->strides);
  size_t used = sizeof(int64_t) * (size_t)(b->domain ? b->domain->ndim : 0);
  for (int i = 0; i < p->nleaves; i++) {
    const dc_operand *o = &p->leaf[i];
    if (o->ptr == leaf->ptr && o->dtype == leaf->dtype && memcmp(o->strides, leaf->strides, used) == 0) {
      *out = ref(DC_REF_LEAF, i);
      return 0;
    }
  }
  *out = ref(DC_REF_LEAF, p->nleaves++);
  return 0;
}

static dc_ref add_number(dc_program *p, const dc_number *v) {
  p->number[p->nnumbers] = *v;
  return ref(DC_REF_NUMBER, p->nnumbers++);
}

/* --- the walk ------------------------------------------------------------------------------------- */

/* A reduction can be part of this kernel when nothing per element comes after it, and when it runs over
** the same elements as the others do. */
static bool takes_reduction(dc_builder *b, dc_array *a, bool final) {
  const dc_geometry *over = &a->expr->arg[0]->g;
  if (!final || b->p->nreduces == DC_MAX_REDUCES) return false;
  if (b->domain == NULL) {
    b->operand_shape = *over;
    b->domain = &b->operand_shape;
  }
  return dc_geometry_same_shape(over, b->domain);
}

/* A part that is computed on its own, because it cannot be fused or because it was computed as a part of
** something once before, and somebody else holds it. */
static bool stands_alone(dc_builder *b, dc_array *a, bool final) {
  if (a != b->root && a->expr->passed && !dc_expr_exclusive(a)) return true;
  return a->expr->op == DC_OP_REDUCE && !takes_reduction(b, a, final);
}

static int visit(dc_builder *b, dc_array *a, bool final, dc_ref *out, dc_error *err);

static int visit_args(dc_builder *b, dc_array *a, bool final, dc_step *s, dc_error *err) {
  const dc_expr *e = a->expr;
  s->reduced = e->op == DC_OP_REDUCE;
  for (int i = 0; i < e->nargs; i++) {
    if (e->arg[i] == NULL) s->arg[i] = add_number(b->p, &e->number[i]);
    else if (visit(b, e->arg[i], final && e->op != DC_OP_REDUCE, &s->arg[i], err) != 0) return -1;
    if (b->p->first != NULL) return 0;
    if (s->arg[i].kind == DC_REF_STEP && b->p->step[s->arg[i].index].reduced) s->reduced = true;
  }
  return 0;
}

/* What is not computed with the rest: a leaf when that is only to be shown, else it has to come first. */
static int leave_out(dc_builder *b, dc_array *a, bool final, dc_ref *out, dc_error *err) {
  if (b->pretend) return add_leaf(b, a, final, out, err);
  b->p->first = a;
  return 0;
}

/* A step seen before is wanted in another scope too: so is all below it. */
static void widen_scope(dc_program *p, int index, int scope) {
  dc_step *s = &p->step[index];
  if (s->scopes & scope) return;
  s->scopes |= (uint8_t)scope;
  int below = s->op == DC_OP_REDUCE ? DC_SCOPE_ELEMENT : scope;
  for (int i = 0; i < s->nargs; i++)
    if (s->arg[i].kind == DC_REF_STEP) widen_scope(p, s->arg[i].index, below);
}

static int visit(dc_builder *b, dc_array *a, bool final, dc_ref *out, dc_error *err) {
  dc_program *p = b->p;
  if (a->state != DC_ARRAY_PENDING) return add_leaf(b, a, final, out, err);
  dc_expr *e = a->expr;
  int scope = final ? DC_SCOPE_FINAL : DC_SCOPE_ELEMENT;
  if (e->mark == b->mark) {
    /* What follows a reduction of this kernel cannot feed another one of it. */
    if (!final && p->step[e->index].reduced) return leave_out(b, a, final, out, err);
    *out = ref(DC_REF_STEP, e->index);
    widen_scope(p, e->index, scope);
    return 0;
  }
  if (stands_alone(b, a, final)) return leave_out(b, a, final, out, err);
  dc_step s = { .op = (uint8_t)e->op, .reduce = (uint8_t)e->reduce, .dtype = (uint8_t)a->dtype,
                .nargs = (uint8_t)e->nargs, .scopes = (uint8_t)scope };
  if (visit_args(b, a, final, &s, err) != 0) return -1;
  if (p->first != NULL) return 0;
  if (e->op == DC_OP_CLOSE) {
    s.extra = add_number(p, &e->number[0]).index;
    add_number(p, &e->number[1]);
  }
  if (e->op == DC_OP_REDUCE) p->reduce_step[p->nreduces++] = (uint8_t)p->nsteps;
  e->mark = b->mark;
  e->index = p->nsteps;
  p->node[p->nsteps] = a;
  p->step[p->nsteps] = s;
  *out = ref(DC_REF_STEP, p->nsteps++);
  return 0;
}

/* The operand of the root with the largest graph; NULL when none is pending. */
static dc_array *largest_operand(const dc_array *root) {
  dc_array *best = NULL;
  if (root->state != DC_ARRAY_PENDING) return NULL;
  for (int i = 0; i < root->expr->nargs; i++) {
    dc_array *a = root->expr->arg[i];
    if (a != NULL && a->state == DC_ARRAY_PENDING && (best == NULL || a->expr->weight > best->expr->weight)) best = a;
  }
  return best;
}

/* --- the domain ----------------------------------------------------------------------------------- */

/* All operands that have an element for each of the domain: the leaves, and the result unless reduced. */
static int domain_operands(dc_program *p, dc_operand **o) {
  int n = 0;
  if (p->nreduces == 0) o[n++] = &p->out;
  for (int i = 0; i < p->nleaves; i++) o[n++] = &p->leaf[i];
  return n;
}

static int64_t magnitude(int64_t v) { return v < 0 ? -v : v; }

static void swap_axes(dc_program *p, dc_operand **o, int n, int i, int k) {
  int64_t t = p->shape[i];
  p->shape[i] = p->shape[k];
  p->shape[k] = t;
  for (int j = 0; j < n; j++) {
    t = o[j]->strides[i];
    o[j]->strides[i] = o[j]->strides[k];
    o[j]->strides[k] = t;
  }
}

/* Writing in the order of memory is faster than in the order of axes, and elements do not care. */
static void order_axes(dc_program *p, dc_operand **o, int n) {
  for (int i = 1; i < p->rank; i++)
    for (int k = i; k > 0 && magnitude(p->out.strides[k - 1]) < magnitude(p->out.strides[k]); k--)
      swap_axes(p, o, n, k - 1, k);
}

static bool mergeable(const dc_program *p, dc_operand **o, int n, int last, int axis) {
  for (int j = 0; j < n; j++)
    if (o[j]->strides[last] != o[j]->strides[axis] * p->shape[axis]) return false;
  return true;
}

/* Drops axes of extent 1 and joins neighbours that every operand steps through as one. */
static void merge_axes(dc_program *p, dc_operand **o, int n) {
  int rank = 0;
  for (int i = 0; i < p->rank; i++) {
    if (p->shape[i] == 1) continue;
    if (rank > 0 && mergeable(p, o, n, rank - 1, i)) {
      p->shape[rank - 1] *= p->shape[i];
      for (int j = 0; j < n; j++) o[j]->strides[rank - 1] = o[j]->strides[i];
      continue;
    }
    p->shape[rank] = p->shape[i];
    for (int j = 0; j < n; j++) o[j]->strides[rank] = o[j]->strides[i];
    rank++;
  }
  p->rank = rank;
}

/* Turns strides into elements and says how the operand is reached; returns its farthest element. */
static int64_t classify(const dc_program *p, dc_operand *o) {
  int64_t size = (int64_t)dc_dtype_size(o->dtype), in_order = 1, farthest = 0;
  bool one = true, flat = true;
  for (int i = p->rank - 1; i >= 0; i--) {
    o->strides[i] /= size;
    if (o->strides[i] != 0) one = false;
    if (o->strides[i] != in_order) flat = false;
    in_order *= p->shape[i];
    farthest += magnitude(o->strides[i]) * (p->shape[i] - 1);
  }
  o->layout = one ? DC_LAYOUT_ONE : flat ? DC_LAYOUT_FLAT : DC_LAYOUT_STRIDED;
  if (p->rank == 0 && o == &p->out) o->layout = DC_LAYOUT_FLAT;
  return farthest;
}

/* 16 bytes of the widest operand, where the device likes that and every address is aligned for it. */
static int choose_lanes(const dc_program *p, dc_operand *const *o, int n) {
  size_t widest = 1;
  if (!p->dev->target.binary || p->nreduces > 0 || p->rank == 0) return 1;
  for (int j = 0; j < n; j++) {
    if (o[j]->layout == DC_LAYOUT_STRIDED) return 1;
    if (dc_dtype_size(o[j]->dtype) > widest) widest = dc_dtype_size(o[j]->dtype);
  }
  size_t lanes = 16 / widest;
  for (int j = 0; j < n; j++)
    if (o[j]->layout == DC_LAYOUT_FLAT && o[j]->ptr % (lanes * dc_dtype_size(o[j]->dtype)) != 0) return 1;
  return (int)lanes;
}

/* Where threads are not free, each does several elements; not of the long functions, which would be
** compiled as often. */
static int choose_rounds(const dc_program *p) {
  if (p->dev->target.binary || p->nreduces > 0 || p->rank == 0) return 1;
  for (int i = 0; i < p->nsteps; i++)
    if (p->step[i].op >= DC_OP_EXP && p->step[i].op <= DC_OP_COS) return 1;
  return 8;
}

static bool uses_order(const dc_program *p) { return p->nsteps > 0 && p->step[0].op == DC_OP_IOTA; }

static void finish(dc_program *p, const dc_geometry *domain) {
  dc_operand *o[DC_MAX_LEAVES + 1];
  int n = domain_operands(p, o);
  p->rank = domain->ndim;
  p->n = dc_geometry_size(domain);
  memcpy(p->shape, domain->shape, sizeof(int64_t) * (size_t)domain->ndim);
  if (p->nreduces == 0 && !uses_order(p)) order_axes(p, o, n);
  merge_axes(p, o, n);
  /* The last block may run past n, by less than this. */
  p->wide = p->n > INT32_MAX - 16 * DC_BLOCK;
  for (int j = 0; j < n; j++)
    if (classify(p, o[j]) > INT32_MAX) p->wide = true;
  if (p->nreduces > 0) p->out.layout = DC_LAYOUT_ONE;
  else
    for (int i = 0; i < p->nsteps; i++) p->step[i].scopes = DC_SCOPE_ELEMENT;
  p->lanes = choose_lanes(p, o, n);
  p->rounds = choose_rounds(p);
  bool safe;
  p->in_place = dc_program_reads_out(p, &safe);
}

/* An upper bound of what kernels.c packs. */
static int params_bytes(const dc_program *p) {
  int operands = p->nleaves + 1;
  return 8 * (operands + 4 + p->rank + operands * p->rank + p->nnumbers);
}

static void start(dc_program *p, dc_device *dev, dc_ptr ptr, dc_dtype dtype, const dc_geometry *g) {
  p->dev = dev;
  p->nsteps = p->nleaves = p->nnumbers = p->nreduces = 0;
  p->first = NULL;
  p->out.ptr = ptr;
  p->out.dtype = dtype;
  memcpy(p->out.strides, g->strides, sizeof(int64_t) * (size_t)g->ndim);
}

int dc_program_build(dc_program *p, dc_array *src, dc_ptr ptr, dc_dtype dtype, const dc_geometry *g, bool pretend,
                     dc_error *err) {
  dc_builder b = { .p = p, .root = src, .mark = dc_next_mark(), .pretend = pretend };
  bool final = dc_geometry_size(g) == 1; /* then reductions may be fused; else they come first */
  start(p, src->dev, ptr, dtype, g);
  if (!final) b.domain = g;
  if (visit(&b, src, final, &p->result, err) != 0) return -1;
  if (p->first == NULL) {
    finish(p, p->nreduces > 0 ? b.domain : g);
    b.too_many = !pretend && params_bytes(p) > DC_MAX_PARAMS;
  }
  if (b.too_many) p->first = largest_operand(src);
  return 0;
}

void dc_program_number(dc_program *p, const dc_number *v, dc_device *dev, dc_ptr ptr, dc_dtype dtype,
                       const dc_geometry *g) {
  start(p, dev, ptr, dtype, g);
  p->result = add_number(p, v);
  finish(p, g);
}

/* --- questions ------------------------------------------------------------------------------------ */

/* The bytes that an operand covers: [*low, *high). */
static void extent(const dc_program *p, const dc_operand *o, int rank, dc_ptr *low, dc_ptr *high) {
  int64_t size = (int64_t)dc_dtype_size(o->dtype), before = 0, after = size;
  for (int i = 0; i < rank; i++) {
    int64_t reach = o->strides[i] * (p->shape[i] - 1) * size;
    if (reach < 0) before += reach;
    else after += reach;
  }
  *low = o->ptr + (dc_ptr)before;
  *high = o->ptr + (dc_ptr)after;
}

bool dc_program_reads_out(const dc_program *p, bool *safe) {
  dc_ptr out_low, out_high;
  bool reads = false;
  *safe = true;
  if (p->n == 0) return false;
  extent(p, &p->out, p->nreduces > 0 ? 0 : p->rank, &out_low, &out_high);
  for (int i = 0; i < p->nleaves; i++) {
    const dc_operand *o = &p->leaf[i];
    dc_ptr low, high;
    extent(p, o, p->rank, &low, &high);
    if (high <= out_low || out_high <= low) continue;
    reads = true;
    bool same = p->nreduces == 0 && o->ptr == p->out.ptr && dc_dtype_size(o->dtype) == dc_dtype_size(p->out.dtype) &&
                memcmp(o->strides, p->out.strides, sizeof(int64_t) * (size_t)p->rank) == 0;
    if (!same) *safe = false;
  }
  return reads;
}

dc_dtype dc_program_dtype(const dc_program *p, dc_ref r) {
  switch (r.kind) {
    case DC_REF_STEP: return (dc_dtype)p->step[r.index].dtype;
    case DC_REF_LEAF: return p->leaf[r.index].dtype;
    default: return p->number[r.index].dtype;
  }
}

dc_dtype dc_reduce_accumulator(dc_reduce r, dc_dtype t) {
  if (r == DC_REDUCE_SUM || dc_dtypes[t].kind == 'f' || dc_dtype_size(t) == 8) return t;
  return dc_dtypes[t].kind == 'u' ? DC_UINT32 : DC_INT32;
}
