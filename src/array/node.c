/* node.c - see node.h. */
#include "array/node.h"

#include <stdlib.h>

#include "array/evaluate.h"
#include "array/graph/expr.h"
#include "array/graph/geometry.h"
#include "array/graph/number.h"
#include "array/graph/op.h"
#include "array/graph/types.h"
#include "base/dtype.h"
#include "base/error.h"
#include "base/line.h"
#include "device/device.h"

/* --- the size of a graph ------------------------------------------------------------------------ */

typedef struct graph_size {
  int nodes, inputs;
} graph_size;

typedef struct count_walk {
  uint64_t mark;
  graph_size size;
  const dc_array *input[DC_MAX_INPUTS + 1];
} count_walk;

/* Counts nodes and inputs once each, however often the graph leads to them. */
static void count(count_walk *w, const dc_array *a) {
  if (a == NULL) return;
  if (a->state == DC_ARRAY_PENDING) {
    if (a->expr->mark == w->mark) return;
    a->expr->mark = w->mark;
    w->size.nodes++;
    for (int i = 0; i < a->expr->nargs; i++) count(w, a->expr->arg[i]);
    return;
  }
  for (int i = 0; i < w->size.inputs; i++)
    if (w->input[i] == a) return;
  if (w->size.inputs <= DC_MAX_INPUTS) w->input[w->size.inputs++] = a;
}

static int weight_of(const dc_array *a) { return a != NULL && a->state == DC_ARRAY_PENDING ? a->expr->weight : 0; }

static int inputs_of(const dc_array *a) {
  return a == NULL ? 0 : a->state == DC_ARRAY_PENDING ? a->expr->inputs : 1;
}

static bool fits(graph_size s) { return s.nodes <= DC_MAX_NODES && s.inputs <= DC_MAX_INPUTS; }

/* The sums count a shared part twice; only where they are too large are the nodes counted one by one. */
static DC_HOT graph_size measure(int nargs, dc_array *const arg[]) {
  graph_size s = { 1, 0 };
  for (int i = 0; i < nargs; i++) {
    s.nodes += weight_of(arg[i]);
    s.inputs += inputs_of(arg[i]);
  }
  if (fits(s)) return s;
  int first = 0;
  while (arg[first] == NULL) first++; /* others are numbers */
  count_walk w = { .mark = dc_next_mark(arg[first]->dev) };
  for (int i = 0; i < nargs; i++) count(&w, arg[i]);
  return (graph_size){ 1 + w.size.nodes, w.size.inputs };
}

/* Computes the largest operands until what is built on them is within the limits. */
static DC_COLD int bound(int nargs, dc_array *const arg[], graph_size *s, dc_error *err) {
  do {
    int largest = 0;
    for (int i = 1; i < nargs; i++)
      if (weight_of(arg[i]) > weight_of(arg[largest])) largest = i;
    if (dc_evaluate(arg[largest], err) != 0) return -1;
    *s = measure(nargs, arg);
  } while (!fits(*s));
  return 0;
}

/* --- operands that are repeated ------------------------------------------------------------------- */

#define LARGE (1 << 18) /* elements of a result, for which a launch more is little */
#define REPEATED 16     /* times that an operand's elements are used, at least */

enum { LONG = 1, REDUCES = 2 };

/* What an array's pending nodes do: functions of many instructions, reductions.  `*left`: how many nodes may still be
** visited; where there are more, the result is REDUCES. */
static int work_of(const dc_array *a, int *left) {
  if (a == NULL || a->state != DC_ARRAY_PENDING) return 0;
  if (--*left < 0) return REDUCES;
  const dc_expr *e = a->expr;
  int work = (dc_ops[e->op].flags & DC_OP_LONG ? LONG : 0) | (e->op == DC_OP_REDUCE ? REDUCES : 0);
  for (int i = 0; i < e->nargs && !(work & REDUCES); i++) work |= work_of(e->arg[i], left);
  return work;
}

/* Computes operands whose elements a large result of `shape` uses many times: sin(x) * cos(y) for all x and y.  Not
** values of 16 bits, which are rounded where they are stored, nor reductions of rows, which the result's kernel
** does. */
static int compute_repeated(const dc_expr *model, const dc_geometry *shape, dc_error *err) {
  const int64_t size = dc_geometry_size(shape);
  for (int i = 0; size >= LARGE && i < model->nargs; i++) {
    dc_array *a = model->arg[i];
    int left = 32;
    if (a == NULL || dc_dtype_size(a->dtype) < 4 || dc_geometry_size(&a->g) > size / REPEATED) continue;
    if (work_of(a, &left) == LONG && dc_evaluate(a, err) != 0) return -1;
  }
  return 0;
}

/* --- any operator --------------------------------------------------------------------------------- */

dc_array *dc_node_make(const dc_expr *model, dc_device *dev, dc_dtype dtype, const dc_geometry *shape, dc_error *err) {
  if (model->op != DC_OP_REDUCE && compute_repeated(model, shape, err) != 0) return NULL;
  graph_size size = measure(model->nargs, model->arg);
  if (!fits(size) && bound(model->nargs, model->arg, &size, err) != 0) return NULL;
  for (int i = 0; i < model->nargs; i++) /* computing may have run a finalizer that closed one */
    if (model->arg[i] != NULL && dc_array_check_open(model->arg[i], err) != 0) return NULL;
  dc_array *a = dc_expr_new(dev, dtype, err);
  if (a == NULL) return NULL;
  if (dc_geometry_c(&a->g, shape->ndim, shape->shape, dc_dtype_size(dtype), err) != 0) {
    dc_array_leave(a);
    return NULL;
  }
  dc_expr *e = a->expr;
  e->kind = model->kind;
  e->dtype = (uint8_t)dtype;
  e->reduce = model->reduce;
  e->keep = model->keep;
  e->axes = model->axes;
  e->frame = model->frame;
  e->weight = size.nodes;
  e->inputs = size.inputs;
  for (int i = 0; i < model->nargs; i++) {
    e->arg[i] = NULL;
    if (model->arg[i] == NULL) {
      e->number[i] = model->number[i];
    } else {
      dc_expr_link(a, i, model->arg[i]);
      model->arg[i]->refs++;
    }
  }
  return a;
}

/* --- operands of one dtype and shape ---------------------------------------------------------------- */

/* The graph has grown too large: dc_node_make computes operands first. */
static DC_COLD dc_array *like_bound(dc_array *a, const dc_scalar scalar[], const dc_array *like, dc_error *err) {
  dc_expr model = *a->expr;
  dc_array_leave(a);
  for (int i = 0; i < model.nargs; i++)
    if (model.arg[i] == NULL && dc_number_operand(&scalar[i], like->dtype, &model.number[i], err) != 0) return NULL;
  return dc_node_make(&model, like->dev, like->dtype, &like->g, err);
}

/* The geometry and numbers. */
static DC_NOINLINE dc_array *like_rest(dc_array *a, const dc_scalar scalar[], const dc_array *like, dc_error *err) {
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
  dc_array *a = dc_expr_new(like->dev, like->dtype, err);
  if (a == NULL) return NULL;
  dc_expr *e = a->expr;
  e->kind = dc_expr_kind(op, like->dtype, like->dtype, nargs);
  bool rest = !dc_geometry_c_short(&a->g, &like->g, dc_dtype_size(like->dtype));
  graph_size size = { 1, 0 };
  for (int i = 0; i < nargs; i++) {
    dc_array *of = arg[i];
    if (of == NULL) {
      e->arg[i] = NULL;
      rest = true;
      continue;
    }
    size.nodes += weight_of(of);
    size.inputs += inputs_of(of);
    of->refs++;
    dc_expr_link(a, i, of);
  }
  e->weight = size.nodes;
  e->inputs = size.inputs;
  if (!fits(size)) return like_bound(a, scalar, like, err);
  return rest ? like_rest(a, scalar, like, err) : a;
}

DC_HOT dc_array *dc_node_like(dc_op op, int nargs, dc_array *const arg[], const dc_scalar scalar[],
                              const dc_array *like, dc_error *err) {
  return make_like(op, nargs, arg, scalar, like, err);
}

DC_HOT dc_array *dc_node_like_one(dc_op op, dc_array *const arg[], dc_error *err) {
  return make_like(op, 1, arg, NULL, arg[0], err);
}

/* --- views ---------------------------------------------------------------------------------------- */

/* Whether the PENDING array's elements can be computed along other axes: these in another order (`transposed`), or
** those of another shape, for which all inputs lie in C order and have that shape, or are one value.  Operands that are
** pending now will be READY as their geometry says, so what is true stays so. */
static bool can_view(const dc_array *a, bool transposed, uint64_t mark) {
  dc_expr *e = a->expr;
  if (e->mark == mark) return true;
  e->mark = mark;
  if (e->op == DC_OP_REDUCE || e->op == DC_OP_GATHER) return false;
  if (transposed && (e->op == DC_OP_INDEX || e->op == DC_OP_RANDOM)) return false; /* values by index in C order */
  if (!transposed && e->op == DC_OP_VIEW && e->frame != NULL) return false;
  for (int i = 0; i < e->nargs; i++) {
    const dc_array *of = e->arg[i];
    if (of == NULL) continue;
    const bool same = transposed || e->op == DC_OP_VIEW || dc_geometry_same_shape(&of->g, &a->g);
    if (of->state == DC_ARRAY_PENDING ? !same || !can_view(of, transposed, mark)
                                      : !transposed && dc_geometry_size(&of->g) != 1 && (!same || !of->contiguous))
      return false;
  }
  return true;
}

bool dc_node_can_view(const dc_array *a, bool transposed) {
  return a->state == DC_ARRAY_PENDING && a->expr->weight < DC_MAX_NODES /* else making it would compute the operand */
         && dc_geometry_size(&a->g) > 0 && can_view(a, transposed, dc_next_mark(a->dev));
}

dc_array *dc_node_view(dc_array *a, const dc_geometry *g, const int *axes, dc_error *err) {
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
  dc_array *v = dc_node_make(&e, a->dev, a->dtype, &shape, err);
  if (v == NULL) {
    free(frame);
  } else {
    v->g = shape;
    v->contiguous = dc_geometry_contiguous(&shape, dc_dtype_size(v->dtype));
  }
  return v;
}
