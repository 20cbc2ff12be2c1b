/*
** lower.c - see lower.h.
**
** The walk begins above all reductions.  The first reduction that it meets decides the kind of program: if it has the
** result's shape, rows are reduced and the nodes above it are computed once a row (REDUCTION); if it runs over elements
** of the result's own shape, rows are reduced and the elements follow (ROWS).  A reduction that fits neither is
** computed first.
*/
#include "array/codegen/lower.h"

#include <string.h>

#include "array/codegen/ir.h"
#include "array/codegen/program.h"
#include "array/codegen/schedule.h"
#include "array/graph/expr.h"
#include "array/graph/geometry.h"
#include "array/graph/number.h"
#include "array/graph/types.h"
#include "base/dtype.h"
#include "base/error.h"
#include "device/device.h"

/* A view that the walk is within. */
typedef struct dc_within {
  const struct dc_within *outer;
  const dc_array *view;
} dc_within;

typedef struct dc_builder {
  dc_program *p;
  dc_array *root;
  const dc_geometry *g;      /* the result's shape */
  dc_geometry domain;        /* the elements' */
  bool decided;              /* by a reduction */
  bool aligned;              /* values of a row are broadcast to elements axis by axis */
  bool keep;                 /* the reductions keep their axes */
  bool clusters;             /* several passes may read rows that a cluster of blocks shares */
  uint64_t mark;
  bool dry_run;
  bool too_many;             /* inputs */
  const dc_within *within;   /* NULL: no view */
  dc_geometry *seen;         /* DC_MAX_OPERANDS: inputs' geometries through views */
} dc_builder;

/* --- operands ----------------------------------------------------------------------------------- */

static dc_ref ref(dc_ref_kind kind, int index) { return (dc_ref){ (uint8_t)kind, (uint8_t)index }; }

/* The same memory with the same geometry. */
static bool same_operand(const dc_operand *a, const dc_operand *b) {
  return a->ptr == b->ptr && a->dtype == b->dtype && a->index == b->index && a->strided_index == b->strided_index &&
         a->address_only == b->address_only && dc_geometry_same(a->g, b->g);
}

/* The geometry `g` of an operand below a view, in the view's axes; of a reshaping one all operands are in C order. */
static int see(const dc_within *f, const dc_geometry *g, size_t itemsize, dc_geometry *out, dc_error *err) {
  const dc_geometry *of = &f->view->expr->arg[0]->g, *frame = f->view->expr->frame;
  dc_geometry whole;
  if (frame == NULL && dc_geometry_size(g) == 1) {
    out->ndim = 0;
    return 0;
  }
  if (frame == NULL) return dc_geometry_c(out, f->view->g.ndim, f->view->g.shape, itemsize, err);
  if (dc_geometry_stretch(g, of->ndim, of->shape, &whole, err) != 0) return -1;
  out->ndim = frame->ndim;
  for (int i = 0; i < frame->ndim; i++) {
    out->shape[i] = whole.shape[frame->strides[i]];
    out->strides[i] = whole.strides[frame->strides[i]];
  }
  return 0;
}

/* What of an array is an input: its elements, their numbers in C order, their offsets in a frame, its address. */
typedef enum dc_aspect { DC_ELEMENTS_OF, DC_NUMBERS_OF, DC_OFFSETS_OF, DC_ADDRESS_OF } dc_aspect;

/* The input for `a`: a new one, or an equal one that is there. */
static int add_input(dc_builder *b, dc_array *a, bool row, dc_aspect aspect, dc_ref *out, dc_error *err) {
  dc_program *p = b->p;
  const bool index = aspect == DC_NUMBERS_OF || aspect == DC_OFFSETS_OF;
  if (!index && dc_array_is_closed(a))
    return dc_fail(err, DC_ARGUMENT, NULL, "an array that the expression reads was closed before it was computed");
  if (p->ir.ninputs == DC_MAX_OPERANDS) {
    if (b->dry_run) return dc_fail(err, DC_ARGUMENT, NULL, "the expression has too many operands to be shown at once");
    b->too_many = true;
    p->ir.dependency = b->root;
    return 0;
  }
  dc_operand *input = &p->ir.input[p->ir.ninputs];
  const bool ready = a->state == DC_ARRAY_READY && !index;
  input->ptr = ready ? a->ptr : index ? 0 : (dc_ptr)(uintptr_t)a; /* dry run: a unique address */
  input->buffer = ready ? a->buffer : NULL;
  input->dtype = index ? DC_INT64 : a->dtype;
  input->g = aspect == DC_OFFSETS_OF ? a->expr->frame : &a->g;
  input->row = row;
  input->index = index;
  input->strided_index = aspect == DC_OFFSETS_OF;
  input->address_only = aspect == DC_ADDRESS_OF;
  input->result = false;
  for (const dc_within *f = b->within; f != NULL; f = f->outer) {
    dc_geometry *seen = &b->seen[p->ir.ninputs], inner = *input->g;
    if (see(f, &inner, dc_dtype_size(input->dtype), seen, err) != 0) return -1;
    input->g = seen;
  }
  for (int i = 0; i < p->ir.ninputs; i++) {
    if (p->ir.input[i].row != row || !same_operand(&p->ir.input[i], input)) continue;
    *out = ref(DC_REF_INPUT, i);
    return 0;
  }
  *out = ref(DC_REF_INPUT, p->ir.ninputs++);
  return 0;
}

static dc_ref add_number(dc_program *p, const dc_number *v) {
  p->ir.number[p->ir.nnumbers] = *v;
  return ref(DC_REF_NUMBER, p->ir.nnumbers++);
}

/* --- reductions ------------------------------------------------------------------------------------ */

/* A reduction that drops its axes broadcasts to the elements as it should if only leading axes go. */
static bool drops_leading(uint32_t axes, int ndim) {
  int gone = __builtin_popcount(axes);
  return gone == ndim || axes == (gone == 32 ? UINT32_MAX : (1u << gone) - 1);
}

static void decide(dc_builder *b, const dc_array *a) {
  const dc_array *over = a->expr->arg[0];
  dc_program *p = b->p;
  const bool whole = __builtin_popcount(a->expr->axes) == over->g.ndim;
  const bool aligned = a->expr->keep || drops_leading(a->expr->axes, over->g.ndim);
  if (dc_geometry_same_shape(&a->g, b->g) || (whole && dc_geometry_size(b->g) == 1)) p->ir.kind = DC_REDUCTION;
  else if (dc_geometry_same_shape(&over->g, b->g) && aligned) p->ir.kind = DC_ROWS;
  else return;
  b->decided = true;
  b->aligned = aligned;
  b->keep = a->expr->keep;
  b->domain = over->g;
  p->ir.axes = a->expr->axes;
}

/* The number of rows; *length: elements of each. */
static int64_t rows_of(const dc_geometry *g, uint32_t axes, int64_t *length) {
  int64_t rows = 1;
  *length = 1;
  for (int i = 0; i < g->ndim; i++) {
    if (axes >> i & 1) *length *= g->shape[i];
    else rows *= g->shape[i];
  }
  return rows;
}

/* Whether there can be another pass over a row: one block has it, or a cluster. */
static bool stays_on_chip(const dc_builder *b) {
  dc_program *p = b->p;
  int64_t length, rows = rows_of(&b->domain, p->ir.axes, &length);
  dc_schedule_cut(p, rows, length);
  return p->schedule.row.segments == 1 || (b->clusters && dc_schedule_may_cluster(p));
}

/* Whether a reduction's value can be combined with the row's elements, in another pass. */
static bool passes_again(const dc_builder *b) { return b->aligned && stays_on_chip(b); }

/* Whether the reduction can be part of this kernel. */
static bool takes_reduction(dc_builder *b, const dc_array *a, bool above) {
  dc_program *p = b->p;
  const dc_expr *e = a->expr;
  if (p->ir.nreduces == DC_MAX_REDUCES) return false;
  if (!b->decided) {
    decide(b, a);
    if (!b->decided) return false;
    if (p->ir.kind == DC_REDUCTION || passes_again(b)) return true;
    b->decided = false;
    p->ir.kind = DC_ELEMENTS;
    return false;
  }
  if (!above && !passes_again(b)) return false; /* its value would be needed while the row is reduced */
  const bool whole = dc_geometry_size(&a->g) == 1 && p->ir.axes == e->axes;
  return dc_geometry_same_shape(&e->arg[0]->g, &b->domain) && e->axes == p->ir.axes && (e->keep == b->keep || whole);
}

/* A node that is computed on its own: it cannot be fused, or an earlier kernel has computed it and other references
** hold it, so that it is worth having in memory. */
static bool stands_alone(dc_builder *b, dc_array *a, bool above) {
  if (a != b->root && a->expr->evaluated && !dc_expr_exclusive(a)) return true;
  return a->expr->op == DC_OP_REDUCE && !takes_reduction(b, a, above);
}

/* --- the walk ---------------------------------------------------------------------------------------- */

static int visit(dc_builder *b, dc_array *a, bool above, dc_ref *out, dc_error *err);

static int visit_args(dc_builder *b, dc_array *a, bool above, dc_instruction *s, dc_error *err) {
  const dc_expr *e = a->expr;
  for (int i = 0; i < e->nargs; i++) {
    if (e->op == DC_OP_GATHER && i < 2) {
      dc_array *of = i == 0 ? e->arg[0] : a;
      if (i == 0 && of->state == DC_ARRAY_PENDING) {
        if (b->dry_run) return dc_fail(err, DC_ARGUMENT, NULL, "the expression indexes one that was not computed yet");
        b->p->ir.dependency = of;
        return 0;
      }
      if (add_input(b, of, above, i == 0 ? DC_ADDRESS_OF : DC_OFFSETS_OF, &s->arg[i], err) != 0) return -1;
    } else if (e->arg[i] != NULL) {
      if (visit(b, e->arg[i], above && e->op != DC_OP_REDUCE, &s->arg[i], err) != 0) return -1;
    } else if (i == 0 && (e->op == DC_OP_INDEX || e->op == DC_OP_RANDOM)) {
      if (add_input(b, a, above, DC_NUMBERS_OF, &s->arg[i], err) != 0) return -1;
    } else {
      s->arg[i] = add_number(b->p, &e->number[i]);
    }
    if (b->p->ir.dependency != NULL) return 0;
    if (s->arg[i].kind == DC_REF_INSTRUCTION && b->p->ir.code[s->arg[i].index].level > s->level)
      s->level = b->p->ir.code[s->arg[i].index].level;
  }
  return 0;
}

static const dc_array *space_of(const dc_builder *b) { return b->within != NULL ? b->within->view : NULL; }

/* A node that is not fused: an input of a dry run, else a dependency. */
static int leave_out(dc_builder *b, dc_array *a, bool above, dc_ref *out, dc_error *err) {
  if (b->dry_run) return add_input(b, a, above, DC_ELEMENTS_OF, out, err);
  b->p->ir.dependency = a;
  return 0;
}

static int visit(dc_builder *b, dc_array *a, bool above, dc_ref *out, dc_error *err) {
  dc_program *p = b->p;
  if (a->state != DC_ARRAY_PENDING) return add_input(b, a, above, DC_ELEMENTS_OF, out, err);
  dc_expr *e = a->expr;
  if (e->mark == b->mark) {
    if (e->space != space_of(b)) return leave_out(b, a, above, out, err); /* reached through a view and without it */
    const dc_instruction *seen = &p->ir.code[e->index];
    const bool was_above = seen->rowwise; /* how it was reached first */
    /* One instruction cannot be computed once a row and for each element, unless it is one value or its axes agree. */
    if (was_above != above && dc_geometry_size(&a->g) != 1 && !(p->ir.kind == DC_ROWS || b->keep))
      return leave_out(b, a, above, out, err);
    if (!above && seen->level > 0 && !passes_again(b)) return leave_out(b, a, above, out, err);
    *out = ref(DC_REF_INSTRUCTION, e->index);
    return 0;
  }
  if (stands_alone(b, a, above)) return leave_out(b, a, above, out, err);
  dc_instruction s = { .op = e->op, .as = e->as, .reduce = e->reduce, .dtype = (uint8_t)a->dtype, .nargs = e->nargs,
                .rowwise = above };
  const dc_within *outer = b->within, inner = { outer, a };
  if (e->op == DC_OP_VIEW) b->within = &inner;
  const int rc = visit_args(b, a, above, &s, err);
  b->within = outer;
  if (rc != 0) return -1;
  if (p->ir.dependency != NULL) return 0;
  if (e->op == DC_OP_REDUCE) {
    p->ir.reduction[p->ir.nreduces++] = (uint8_t)p->ir.ninstructions;
    s.level++;
  }
  e->mark = b->mark;
  e->space = space_of(b);
  e->index = p->ir.ninstructions;
  p->ir.node[p->ir.ninstructions] = a;
  p->ir.code[p->ir.ninstructions] = s;
  *out = ref(DC_REF_INSTRUCTION, p->ir.ninstructions++);
  return 0;
}

static void rename_input(dc_ref *r, const uint8_t *now) {
  if (r->kind == DC_REF_INPUT) r->index = now[r->index];
}

/* In ROWS an operand that is read both above and below reductions is one input. */
static void merge_inputs(dc_program *p) {
  dc_ir *ir = &p->ir;
  uint8_t now[DC_MAX_OPERANDS];
  int n = 0;
  for (int i = 0; i < ir->ninputs; i++) {
    int j = 0;
    while (j < n && !same_operand(&ir->input[j], &ir->input[i])) j++;
    now[i] = (uint8_t)j;
    if (j == n) ir->input[n++] = ir->input[i];
  }
  ir->ninputs = n;
  rename_input(&ir->result, now);
  for (int i = 0; i < ir->ninstructions; i++)
    for (int k = 0; k < ir->code[i].nargs; k++) rename_input(&ir->code[i].arg[k], now);
}

/* --- where instructions are computed -------------------------------------------------------------------------- */

/* One value a row: the reduced axes of its shape have extent 1. */
static bool one_a_row(const dc_builder *b, const dc_array *a) {
  const dc_program *p = b->p;
  if (p->ir.kind == DC_REDUCTION && !b->aligned) return a->expr->op == DC_OP_REDUCE || dc_geometry_size(&a->g) == 1;
  int missing = b->domain.ndim - a->g.ndim;
  for (int i = 0; i < b->domain.ndim; i++)
    if ((p->ir.axes >> i & 1) && i >= missing && a->g.shape[i - missing] != 1) return false;
  return true;
}

static void want(dc_program *p, dc_ref r, uint8_t scopes) {
  if (r.kind == DC_REF_INSTRUCTION) p->ir.code[r.index].scopes |= scopes;
}

/* Backwards from the result: in which passes each value is used. */
static void place_instructions(dc_builder *b) {
  dc_program *p = b->p;
  p->ir.npasses = 0;
  for (int i = 0; i < p->ir.ninstructions; i++) p->ir.code[i].scopes = 0;
  for (int i = 0; i < p->ir.nreduces; i++)
    if (p->ir.code[p->ir.reduction[i]].level > p->ir.npasses) p->ir.npasses = p->ir.code[p->ir.reduction[i]].level;
  if (p->ir.kind != DC_REDUCTION) p->ir.npasses++;
  want(p, p->ir.result, (uint8_t)(p->ir.kind == DC_REDUCTION ? DC_SCOPE_ROW : DC_SCOPE_PASS(p->ir.npasses - 1)));
  for (int i = p->ir.ninstructions - 1; i >= 0; i--) {
    dc_instruction *s = &p->ir.code[i];
    const bool row = s->level > 0 && (s->op == DC_OP_REDUCE || (s->scopes & DC_SCOPE_ROW) ||
                                      (p->ir.kind != DC_ELEMENTS && one_a_row(b, p->ir.node[i])));
    if (row) s->scopes = DC_SCOPE_ROW; /* reductions' values are known once a row */
    for (int k = 0; k < s->nargs; k++)
      want(p, s->arg[k], (uint8_t)(s->op == DC_OP_REDUCE ? DC_SCOPE_PASS(s->level - 1) : s->scopes));
  }
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

/* An upper bound of the bytes that run.c packs. */
static int params_bytes(const dc_program *p) {
  int operands = p->ir.ninputs + 1, numbers = 0;
  for (int i = 0; i < p->ir.nnumbers; i++) numbers += (int)dc_dtype_size(p->ir.number[i].dtype) > 8 ? 32 : 8;
  return 8 * (operands + 8 + 2 * p->schedule.rank + operands * p->schedule.rank) + numbers;
}

static void start(dc_program *p, dc_device *dev, dc_ptr ptr, dc_dtype dtype, const dc_geometry *g) {
  dc_ir *ir = &p->ir;
  p->dev = dev;
  ir->kind = DC_ELEMENTS;
  ir->input = ir->inputs;
  ir->ninstructions = ir->ninputs = ir->nnumbers = ir->nreduces = 0;
  ir->npasses = 1;
  ir->axes = 0;
  ir->dependency = NULL;
  p->mailbox = 0;
  p->sequence = 0;
  ir->scatters = ir->guarded = ir->max = false;
  ir->body = NULL;
  ir->out = (dc_operand){ .ptr = ptr, .dtype = dtype, .g = g };
}

/* Lowers the builder's root from the beginning.  The caller has set p, root, g, dry_run and clusters. */
static int lower_root(dc_builder *b, dc_ptr ptr, dc_dtype dtype, dc_error *err) {
  dc_program *p = b->p;
  dc_ir *ir = &p->ir;
  dc_geometry seen[DC_MAX_OPERANDS];
  b->seen = seen;
  b->mark = dc_next_mark(b->root->dev);
  start(p, b->root->dev, ptr, dtype, b->g);
  if (visit(b, b->root, true, &ir->result, err) != 0) return -1;
  if (ir->dependency == NULL) {
    if (ir->kind == DC_ROWS) merge_inputs(p);
    place_instructions(b);
    dc_schedule_make(p, b->g, b->decided ? &b->domain : b->g);
    b->too_many = !b->dry_run && params_bytes(p) > DC_MAX_PARAMS;
  }
  if (b->too_many) ir->dependency = largest_operand(b->root);
  return 0;
}

/* Whether the rows of a cluster lie across memory, which is known only now. */
static bool misplaces_cluster(const dc_program *p) {
  const dc_schedule *h = &p->schedule;
  return p->ir.dependency == NULL && h->kind == DC_SCHEDULE_COLUMNS && p->ir.npasses > 1 && h->row.segments > 1;
}

int dc_lower(dc_program *p, dc_array *src, dc_ptr ptr, dc_dtype dtype, const dc_geometry *g, bool dry_run,
                     dc_error *err) {
  /* An assignment may broadcast; for rows the result's shape is then src's own. */
  const dc_builder fresh = { .p = p, .root = src, .g = g, .dry_run = dry_run };
  dc_builder b = fresh;
  b.clusters = true;
  if (lower_root(&b, ptr, dtype, err) != 0) return -1;
  if (!misplaces_cluster(p)) return 0;
  b = fresh;
  return lower_root(&b, ptr, dtype, err);
}

/* One of several roots of elementwise programs. */
static int visit_root(dc_builder *b, dc_array *a, dc_ref *out, dc_error *err) {
  b->root = a;
  return b->p->ir.dependency != NULL ? 0 : visit(b, a, true, out, err);
}

int dc_lower_scatter(dc_program *p, dc_array *src, const dc_number *v, dc_array *dst, const dc_geometry *frame,
                       dc_array *offset, dc_array *guard, bool most, dc_error *err) {
  dc_ir *ir = &p->ir;
  dc_geometry seen[DC_MAX_OPERANDS];
  dc_builder b = { .p = p, .root = offset, .g = frame, .mark = dc_next_mark(dst->dev), .seen = seen };
  start(p, dst->dev, dst->ptr, dst->dtype, frame);
  ir->scatters = true;
  ir->out.buffer = dst->buffer;
  ir->guarded = guard != NULL;
  ir->max = most;
  if (src == NULL) ir->result = add_number(p, v);
  else if (visit_root(&b, src, &ir->result, err) != 0) return -1;
  if (visit_root(&b, offset, &ir->offset, err) != 0) return -1;
  if (guard != NULL && visit_root(&b, guard, &ir->guard, err) != 0) return -1;
  if (ir->dependency == NULL && ir->kind != DC_ELEMENTS)
    return dc_fail(err, DC_ARGUMENT, NULL, "a reduction cannot be written through an index before it is computed");
  if (ir->dependency != NULL) return 0;
  for (int i = 0; i < ir->ninstructions; i++) ir->code[i].scopes = DC_SCOPE_PASS(0);
  dc_schedule_make(p, frame, frame);
  return 0;
}

int dc_lower_predicate(dc_program *p, dc_array *test, dc_array *value, dc_error *err) {
  dc_ir *ir = &p->ir;
  dc_geometry seen[DC_MAX_OPERANDS];
  dc_builder b = { .p = p, .root = test, .g = &test->g, .mark = dc_next_mark(test->dev), .seen = seen };
  start(p, test->dev, 0, DC_BOOL, &test->g);
  ir->guarded = true;
  if (visit_root(&b, test, &ir->guard, err) != 0) return -1;
  ir->result = ir->guard;
  if (value != NULL && visit_root(&b, value, &ir->result, err) != 0) return -1;
  if (ir->dependency != NULL || ir->kind != DC_ELEMENTS) return 0;
  for (int i = 0; i < ir->ninstructions; i++) ir->code[i].scopes = DC_SCOPE_PASS(0);
  dc_schedule_make(p, &test->g, &test->g);
  return 0;
}

/* An input that stands for that parameter of the body. */
static int add_body_input(dc_program *p, const dc_body_param *param, dc_array *a, dc_error *err) {
  dc_operand *input = &p->ir.input[p->ir.ninputs++];
  if (dc_array_check_open(a, err) != 0) return -1;
  *input = (dc_operand){ .ptr = a->ptr, .buffer = a->buffer, .g = &a->g, .address_only = param->raw,
                         .result = param->result, .dtype = a->dtype };
  return 0;
}

/* The inputs and numbers that the parameters stand for. */
static int add_body(dc_program *p, const dc_body *body, const dc_body_operand *o, dc_operand *inputs, dc_error *err) {
  dc_ir *ir = &p->ir;
  ir->body = body;
  if (inputs != NULL) ir->input = inputs;
  ir->number_input = -1;
  for (int i = 0; i < body->nparams; i++) {
    if (o[i].array == NULL) {
      ir->argument[i] = add_number(p, &o[i].number);
      continue;
    }
    ir->argument[i] = ref(DC_REF_INPUT, ir->ninputs);
    if (add_body_input(p, &body->param[i], o[i].array, err) != 0) return -1;
  }
  return 0;
}

static int schedule_body(dc_program *p, const dc_geometry *g, const dc_geometry *domain, dc_error *err) {
  dc_schedule_make(p, g, domain);
  if (params_bytes(p) <= DC_MAX_PARAMS) return 0;
  return dc_fail(err, DC_ARGUMENT, NULL, "'%s': too many arrays with gaps in memory; pass copies (a:copy())",
                 p->ir.body->name);
}

int dc_lower_body(dc_program *p, const dc_body *body, const dc_body_operand *o, dc_operand *inputs, dc_device *dev,
                  const dc_geometry *domain, dc_error *err) {
  dc_ir *ir = &p->ir;
  start(p, dev, 0, DC_DTYPE_NONE, domain);
  if (add_body(p, body, o, inputs, err) != 0) return -1;
  if (body->indexed) {
    ir->number_input = ir->ninputs;
    ir->input[ir->ninputs++] = (dc_operand){ .g = domain, .index = true, .dtype = DC_INT64 };
  }
  return schedule_body(p, domain, domain, err);
}

int dc_lower_body_reduction(dc_program *p, const dc_body *body, const dc_body_operand *o, dc_operand *inputs,
                            dc_array *out, const dc_geometry *domain, uint32_t axes, dc_error *err) {
  dc_ir *ir = &p->ir;
  start(p, out->dev, out->ptr, out->dtype, &out->g);
  if (add_body(p, body, o, inputs, err) != 0) return -1;
  ir->kind = DC_REDUCTION;
  ir->axes = axes;
  ir->nreduces = ir->ninstructions = 1;
  ir->reduction[0] = 0;
  ir->code[0] = (dc_instruction){ .op = DC_OP_REDUCE, .reduce = DC_REDUCE_BODY, .dtype = (uint8_t)out->dtype,
                                  .scopes = DC_SCOPE_ROW, .level = 1 };
  ir->result = ref(DC_REF_INSTRUCTION, 0);
  return schedule_body(p, &out->g, domain, err);
}

void dc_lower_number(dc_program *p, const dc_number *v, dc_device *dev, dc_ptr ptr, dc_dtype dtype,
                       const dc_geometry *g) {
  start(p, dev, ptr, dtype, g);
  p->ir.result = add_number(p, v);
  dc_schedule_make(p, g, g);
}
