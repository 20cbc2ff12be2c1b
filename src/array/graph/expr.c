/*
** expr.c - making, settling and dropping arrays and the nodes of pending expressions.
*/
#include "array/graph/expr.h"

#include <stdlib.h>

#include "array/graph/op.h"
#include "base/stock.h"

static dc_stock arrays, exprs;
static dc_use *all_pending; /* through dc_expr.pending */

uint64_t dc_next_mark(void) {
  static uint64_t last;
  return ++last;
}

/* --- the size of a graph ------------------------------------------------------------------------ */

typedef struct dc_count_walk {
  uint64_t mark;
  int nodes, inputs;
  const dc_array *input[DC_MAX_INPUTS + 1];
} dc_count_walk;

/* Counts nodes and inputs once each, however often the graph leads to them. */
static void count(dc_count_walk *w, const dc_array *a) {
  if (a == NULL) return;
  if (a->state == DC_ARRAY_PENDING) {
    if (a->expr->mark == w->mark) return;
    a->expr->mark = w->mark;
    w->nodes++;
    for (int i = 0; i < a->expr->nargs; i++) count(w, a->expr->arg[i]);
    return;
  }
  for (int i = 0; i < w->inputs; i++)
    if (w->input[i] == a) return;
  if (w->inputs <= DC_MAX_INPUTS) w->input[w->inputs++] = a;
}

static int weight_of(const dc_array *a) { return a != NULL && a->state == DC_ARRAY_PENDING ? a->expr->weight : 0; }

static int inputs_of(const dc_array *a) {
  return a == NULL ? 0 : a->state == DC_ARRAY_PENDING ? a->expr->inputs : 1;
}

static bool fits(const dc_expr *e) { return e->weight <= DC_MAX_NODES && e->inputs <= DC_MAX_INPUTS; }

/* The sums count a shared part twice; only when they are too large is it worth looking closer. */
static DC_HOT void measure(dc_expr *e) {
  e->weight = 1;
  e->inputs = 0;
  for (int i = 0; i < e->nargs; i++) {
    e->weight += weight_of(e->arg[i]);
    e->inputs += inputs_of(e->arg[i]);
  }
  if (fits(e)) return;
  dc_count_walk w = { .mark = dc_next_mark() };
  for (int i = 0; i < e->nargs; i++) count(&w, e->arg[i]);
  e->weight = 1 + w.nodes;
  e->inputs = w.inputs;
}

/* Computes the largest operands until what is built on them is within the limits. */
static DC_RARELY int bound(dc_expr *e, dc_error *err) {
  do {
    int largest = 0;
    for (int i = 1; i < e->nargs; i++)
      if (weight_of(e->arg[i]) > weight_of(e->arg[largest])) largest = i;
    if (dc_evaluate(e->arg[largest], err) != 0) return -1;
    measure(e);
  } while (!fits(e));
  return 0;
}

/* --- making and dropping -------------------------------------------------------------------------- */

static inline void start_array(dc_array *a, dc_device *dev, dc_dtype dtype) {
  a->refs = 1;
  a->state = DC_ARRAY_PENDING;
  a->contiguous = true;
  a->dtype = dtype;
  a->dev = dev;
  a->ptr = 0;
  a->buffer = NULL;
  a->expr = NULL;
  a->users = NULL;
}

dc_array *dc_array_new(dc_device *dev, dc_dtype dtype, dc_error *err) {
  dc_array *a = dc_stock_take(&arrays, sizeof *a);
  if (a == NULL) dc_fail_oom(err);
  else start_array(a, dev, dtype);
  return a;
}

void dc_array_drop(dc_array *a) { dc_stock_give(&arrays, a); }

void dc_array_ref(dc_array *a) { a->refs++; }

static inline void drop(dc_expr *e) {
  dc_use_end(&e->pending);
  for (int i = 0; i < e->nargs; i++) /* all, before anybody else gets to know */
    if (e->arg[i] != NULL && e->use[i].link != NULL) dc_use_end(&e->use[i]);
  for (int i = 0; i < e->nargs; i++)
    if (e->arg[i] != NULL) dc_array_leave(e->arg[i]);
  if (e->frame != NULL) free(e->frame); /* hardly one has it */
  dc_stock_give(&exprs, e);
}

DC_HOT void dc_expr_drop(dc_array *a) {
  dc_expr *e = a->expr;
  a->expr = NULL;
  drop(e);
}

DC_HOT void dc_array_end(dc_array *a) {
  if (a->state == DC_ARRAY_PENDING) drop(a->expr);
  else if (a->buffer != NULL) dc_buffer_unref(a->buffer);
  dc_array_drop(a);
}

DC_HOT void dc_array_unref(dc_array *a) {
  if (a != NULL) dc_array_leave(a);
}

/* Hangs operand i, `arg`, into the list of what it depends on. */
static inline void link_operand(dc_array *a, dc_expr *e, int i, dc_array *arg) {
  e->use[i].user = a;
  dc_use_add(&e->use[i], arg->state == DC_ARRAY_PENDING ? &arg->users : &arg->buffer->readers);
}

/* Now it is one of all that is pending. */
static inline void enlist(dc_array *a, dc_expr *e) {
  e->pending.user = a;
  dc_use_add(&e->pending, &all_pending);
}

/* What a model says; the rest is set by dc_expr_make. */
static void copy_model(dc_expr *e, const dc_expr *model, dc_dtype dtype) {
  e->kind = model->kind;
  e->dtype = (uint8_t)dtype;
  e->reduce = model->reduce;
  e->keep = model->keep;
  e->passed = false;
  e->axes = model->axes;
  e->mark = 0;
  e->frame = model->frame;
  for (int i = 0; i < model->nargs; i++) {
    e->arg[i] = model->arg[i];
    if (model->arg[i] == NULL) e->number[i] = model->number[i];
  }
}

/* For an expression that has no place in any graph. */
static DC_RARELY void drop_unlinked(dc_array *a, dc_expr *e) {
  if (a != NULL) dc_array_drop(a);
  if (e != NULL) dc_stock_give(&exprs, e);
}

dc_array *dc_expr_make(const dc_expr *model, dc_device *dev, dc_dtype dtype, const dc_geometry *shape, dc_error *err) {
  dc_expr *e = dc_stock_take(&exprs, sizeof *e);
  dc_array *a = NULL;
  bool made = e != NULL || dc_fail_oom(err) == 0;
  if (made) {
    copy_model(e, model, dtype);
    measure(e);
    made = fits(e) || bound(e, err) == 0;
  }
  for (int i = 0; made && i < e->nargs; i++) /* computing may have run a finalizer that closed one */
    made = e->arg[i] == NULL || dc_array_check_open(e->arg[i], err) == 0;
  made = made && (a = dc_array_new(dev, dtype, err)) != NULL &&
         dc_geometry_c(&a->g, shape->ndim, shape->shape, dc_dtype_size(dtype), err) == 0;
  if (!made) {
    drop_unlinked(a, e);
    return NULL;
  }
  a->expr = e;
  for (int i = 0; i < e->nargs; i++) {
    if (e->arg[i] == NULL) continue;
    link_operand(a, e, i, e->arg[i]);
    dc_array_ref(e->arg[i]);
  }
  enlist(a, e);
  return a;
}

/* --- usual operators ------------------------------------------------------------------------------ */

/* make_like calls nothing that it comes back from: so it needs no memory on the stack.  What is not usual is done by
** these, behind it. */

static DC_RARELY dc_array *like_anew(dc_op op, int nargs, dc_array *const arg[], const dc_scalar scalar[],
                                     const dc_array *like, dc_error *err) {
  if (dc_stock_fill(&exprs, sizeof(dc_expr)) == 0 && dc_stock_fill(&arrays, sizeof(dc_array)) == 0)
    return dc_expr_like(op, nargs, arg, scalar, like, err);
  dc_fail_oom(err);
  return NULL;
}

/* Its graph has grown too large: the long way computes operands first. */
static DC_RARELY dc_array *like_bound(dc_array *a, const dc_scalar scalar[], const dc_array *like, dc_error *err) {
  dc_expr model = *a->expr;
  dc_array_leave(a);
  for (int i = 0; i < model.nargs; i++)
    if (model.arg[i] == NULL && dc_number_operand(&scalar[i], like->dtype, &model.number[i], err) != 0) return NULL;
  return dc_expr_make(&model, like->dev, like->dtype, &like->g, err);
}

/* The geometry and numbers. */
static DC_APART dc_array *like_rest(dc_array *a, const dc_scalar scalar[], const dc_array *like, dc_error *err) {
  dc_expr *e = a->expr;
  const size_t size = dc_dtype_size(a->dtype);
  bool made = dc_geometry_c_short(&a->g, &like->g, size) ||
              dc_geometry_c(&a->g, like->g.ndim, like->g.shape, size, err) == 0;
  for (int i = 0; made && i < e->nargs; i++)
    if (e->arg[i] == NULL) made = dc_number_operand(&scalar[i], a->dtype, &e->number[i], err) == 0;
  if (made) return a;
  dc_array_leave(a);
  return NULL;
}

static inline dc_array *make_like(dc_op op, int nargs, dc_array *const arg[], const dc_scalar scalar[],
                                  const dc_array *like, dc_error *err) {
  if (exprs.first == NULL || arrays.first == NULL) return like_anew(op, nargs, arg, scalar, like, err);
  dc_expr *e = dc_stock_take(&exprs, sizeof *e);
  dc_array *a = dc_stock_take(&arrays, sizeof *a);
  start_array(a, like->dev, like->dtype);
  a->expr = e;
  e->kind = dc_expr_kind(op, like->dtype, like->dtype, nargs);
  e->reduce = 0;
  e->keep = e->passed = false;
  e->axes = 0;
  e->mark = 0;
  e->frame = NULL;
  enlist(a, e);
  bool rest = !dc_geometry_c_short(&a->g, &like->g, dc_dtype_size(like->dtype));
  int weight = 1, inputs = 0;
  for (int i = 0; i < nargs; i++) {
    dc_array *of = e->arg[i] = arg[i];
    if (of == NULL) {
      rest = true;
      continue;
    }
    weight += weight_of(of);
    inputs += inputs_of(of);
    of->refs++;
    link_operand(a, e, i, of);
  }
  e->weight = weight;
  e->inputs = inputs;
  if (!fits(e)) return like_bound(a, scalar, like, err);
  return rest ? like_rest(a, scalar, like, err) : a;
}

DC_HOT dc_array *dc_expr_like(dc_op op, int nargs, dc_array *const arg[], const dc_scalar scalar[],
                              const dc_array *like, dc_error *err) {
  return make_like(op, nargs, arg, scalar, like, err);
}

DC_HOT dc_array *dc_expr_like_one(dc_op op, dc_array *const arg[], dc_error *err) {
  return make_like(op, 1, arg, NULL, arg[0], err);
}

/* --- views ---------------------------------------------------------------------------------------- */

/* Whether the PENDING array's elements can be computed along other axes: these in another order (`turned`), or those of
** another shape, for which all that is read lies in C order and has that shape, or is one value.  Operands that are
** pending now will be READY as their geometry says, so what is true stays so. */
static bool can_see(const dc_array *a, bool turned, uint64_t mark) {
  dc_expr *e = a->expr;
  if (e->mark == mark) return true;
  e->mark = mark;
  if (e->op == DC_OP_REDUCE || e->op == DC_OP_GATHER) return false;
  if (turned && (e->op == DC_OP_INDEX || e->op == DC_OP_RANDOM)) return false; /* values by their places in C order */
  if (!turned && e->op == DC_OP_VIEW && e->frame != NULL) return false;
  for (int i = 0; i < e->nargs; i++) {
    const dc_array *of = e->arg[i];
    if (of == NULL) continue;
    const bool pending = of->state == DC_ARRAY_PENDING;
    const bool same = turned || e->op == DC_OP_VIEW || dc_geometry_same_shape(&of->g, &a->g);
    if (pending ? !same || !can_see(of, turned, mark)
                : !turned && dc_geometry_size(&of->g) != 1 && (!same || !of->contiguous))
      return false;
  }
  return true;
}

bool dc_expr_can_view(const dc_array *a, bool turned) {
  return a->state == DC_ARRAY_PENDING && a->expr->weight < DC_MAX_NODES /* else making it would compute the operand */
         && dc_geometry_size(&a->g) > 0 && can_see(a, turned, dc_next_mark());
}

dc_array *dc_expr_view(dc_array *a, const dc_geometry *g, const int *axes, dc_error *err) {
  dc_geometry shape = *g, *frame = NULL;
  if (axes != NULL && (frame = malloc(sizeof *frame)) == NULL) {
    dc_fail_oom(err);
    return NULL;
  }
  for (int i = 0; axes != NULL && i < g->ndim; i++) {
    frame->shape[i] = g->shape[i];
    frame->strides[i] = axes[i];
  }
  if (frame != NULL) frame->ndim = g->ndim;
  dc_expr e = { .op = DC_OP_VIEW, .as = DC_DTYPE_NONE, .nargs = 1, .arg = { a }, .frame = frame };
  dc_array *v = dc_expr_make(&e, a->dev, a->dtype, &shape, err);
  if (v == NULL) {
    free(frame);
  } else {
    v->g = shape;
    v->contiguous = dc_geometry_contiguous(&shape, dc_dtype_size(v->dtype));
  }
  return v;
}

DC_HOT void dc_expr_settle(dc_array *a, struct dc_buffer *b) {
  a->state = DC_ARRAY_READY;
  a->buffer = b;
  a->ptr = b->ptr;
  a->refs++; /* the last view of it may hold it alone */
  while (a->users != NULL) { /* what is built on it is from now on a reader of its memory, or a view of that */
    dc_use *u = a->users;
    if (u->user->expr->op == DC_OP_VIEW) {
      b->refs++;
      dc_expr_settle(u->user, b);
      continue;
    }
    dc_use_remove(u);
    dc_use_add(u, &b->readers);
  }
  dc_expr_drop(a);
  dc_array_leave(a);
}

void dc_expr_become_copy(dc_array *a, dc_array *from) {
  dc_expr *e = a->expr;
  dc_expr old = *e;
  for (int i = 0; i < e->nargs; i++)
    if (e->arg[i] != NULL) dc_use_remove(&e->use[i]);
  e->op = DC_OP_CAST;
  e->nargs = 1;
  e->arg[0] = from;
  e->weight = e->inputs = 1;
  e->passed = false;
  link_operand(a, e, 0, from);
  e->frame = NULL;
  dc_error none = DC_ERROR_INIT; /* it has that shape already, if perhaps as a view */
  dc_geometry_c(&a->g, from->g.ndim, from->g.shape, dc_dtype_size(a->dtype), &none);
  a->contiguous = true;
  free(old.frame);
  for (int i = 0; i < old.nargs; i++)
    if (old.arg[i] != NULL) dc_array_unref(old.arg[i]);
}

/* --- who is above -------------------------------------------------------------------------------- */

bool dc_expr_exclusive(const dc_array *a) {
  if (a->state != DC_ARRAY_PENDING || a->users == NULL) return false;
  int uses = 0;
  for (const dc_use *u = a->users; u != NULL; u = u->next) {
    if (u->user != a->users->user) return false;
    uses++;
  }
  return uses == a->refs;
}

dc_array *dc_expr_root(dc_array *a) {
  while (dc_expr_exclusive(a)) a = a->users->user;
  return a;
}

const dc_use *dc_expr_all_pending(void) { return all_pending; }

dc_array *dc_expr_any_pending(const dc_device *dev) {
  for (dc_use *u = all_pending; u != NULL; u = u->next)
    if (u->user->dev == dev) return u->user;
  return NULL;
}
