/*
** launch_cache.c - see launch_cache.h.
**
** The fingerprint has all that the program of an expression depends on, but for the device, whose cache it is, and what
** are arguments of a launch: operators and dtypes, which operands are equal, and the alignment of addresses.  Where all
** operands are flat or one value, the number of elements is an argument, too; else their shapes and strides are in the
** fingerprint.  Other kinds of expressions have none: lower.c and schedule.c decide, here too, since a cached launch is
** made of a program that has run.
*/
#include "array/codegen/launch_cache.h"

#include <stdlib.h>
#include <string.h>

/* The highest bits of a word say what it is about; a node's word is its dc_expr.kind, where these bits are 0. */
enum {
  WORD_NODE, WORD_NODE_AGAIN, WORD_INPUT, WORD_ONE, WORD_SHAPED, WORD_INPUT_AGAIN, WORD_NUMBER, WORD_REDUCTION,
  WORD_AT = 29
};

/* --- the fingerprint ---------------------------------------------------------------------------------------------- */

static inline void put_word(dc_fingerprint *s, uint32_t word) {
  s->key[s->len++] = word;
  s->hash = (s->hash ^ word) * 0x9e3779b97f4a7c15u;
}

static inline void put(dc_fingerprint *s, uint32_t what, uint32_t value) { put_word(s, what << WORD_AT | value); }

/* The shape, and the strides where those matter; false: it is too much. */
static bool put_shape(dc_fingerprint *s, const dc_geometry *g, bool strides) {
  s->shapes += 1 + (strides ? 2 : 1) * g->ndim;
  if (s->shapes > DC_FINGERPRINT_SHAPES) return false;
  put_word(s, (uint32_t)g->ndim);
  for (int i = 0; i < g->ndim; i++) {
    if (g->shape[i] > INT32_MAX || g->strides[i] != (int32_t)g->strides[i]) return false;
    put_word(s, (uint32_t)g->shape[i]);
    if (strides) put_word(s, (uint32_t)g->strides[i]);
  }
  return true;
}

/* Which axes of which shape are reduced. */
static bool put_axes(dc_fingerprint *s, uint32_t axes, const dc_geometry *over) {
  if (++s->shapes > DC_FINGERPRINT_SHAPES) return false;
  put_word(s, axes);
  return put_shape(s, over, false);
}

/* The bits of an address that decide whether packs of elements are aligned, which have 16 bytes at most. */
static uint32_t alignment(dc_ptr p) { return (uint32_t)(p & 15); }

/* An equal operand, as lower.c compares them; or -1. */
static int find_input(const dc_fingerprint *s, const dc_array *a) {
  for (int i = 0; i < s->arguments.ninputs; i++) {
    const dc_array *b = s->array[i];
    if (a == b || (a->ptr == b->ptr && a->dtype == b->dtype && dc_geometry_same(&a->g, &b->g))) return i;
  }
  return -1;
}

/* An operand that has other elements, or its elements in other places, than the domain in C order; or one that is
** reduced, whose shape does not follow from that of the result. */
static DC_NOINLINE bool put_shaped(dc_fingerprint *s, const dc_array *a) {
  int64_t from, to;
  dc_geometry_span(&a->g, dc_dtype_size(a->dtype), &from, &to);
  if (a->ptr + (dc_ptr)from < s->end && s->arguments.out < a->ptr + (dc_ptr)to) return false; /* shares memory */
  s->arguments.shaped = true;
  put(s, WORD_SHAPED, (uint32_t)a->dtype << 4 | alignment(a->ptr));
  return put_shape(s, &a->g, true);
}

/* The same of one that is flat, or one value. */
static inline bool put_flat(dc_fingerprint *s, const dc_array *a, int64_t n) {
  const dc_launch_arguments *q = &s->arguments;
  const size_t size = dc_dtype_size(a->dtype);
  const bool shares = a->ptr < s->end && q->out < a->ptr + (dc_ptr)n * size;
  if (shares && (a->ptr != q->out || size != s->itemsize || n != q->n || s->reduces)) return false;
  s->in_place = s->in_place || shares;
  put(s, n == q->n ? WORD_INPUT : WORD_ONE, (uint32_t)shares << 12 | (uint32_t)a->dtype << 4 | alignment(a->ptr));
  return true;
}

static inline bool add_new_input(dc_fingerprint *s, const dc_array *a) {
  dc_launch_arguments *q = &s->arguments;
  const int64_t n = dc_geometry_size(&a->g);
  if (q->ninputs == DC_CACHED_OPERANDS || n == 0) return false;
  const bool flat = n == 1 || (n == q->n && a->contiguous && !s->is_reduced);
  if (DC_LIKELY(flat) ? !put_flat(s, a, n) : !put_shaped(s, a)) return false;
  s->array[q->ninputs] = a;
  s->input[q->ninputs++] = a->ptr;
  return true;
}

/* An operand at an address that is there already. */
static DC_NOINLINE bool add_known_address(dc_fingerprint *s, const dc_array *a) {
  const int again = find_input(s, a);
  if (again < 0) return add_new_input(s, a);
  put(s, WORD_INPUT_AGAIN, (uint32_t)again);
  return true;
}

static DC_HOT bool add_input(dc_fingerprint *s, const dc_array *a) {
  if (a->state != DC_ARRAY_READY || a->buffer->closed) return false;
  for (int i = 0; i < s->arguments.ninputs; i++)
    if (s->input[i] == a->ptr) return add_known_address(s, a);
  return add_new_input(s, a);
}

static bool add_number(dc_fingerprint *s, const dc_number *v) {
  dc_launch_arguments *q = &s->arguments;
  if (q->nnumbers == DC_CACHED_OPERANDS) return false;
  s->number[q->nnumbers++] = v;
  put(s, WORD_NUMBER, v->dtype);
  return true;
}

/* Of an operand: it is a node to be visited, it is done, or the expression has no fingerprint. */
typedef enum verdict { VISIT, DONE, NO_FINGERPRINT } verdict;

static inline verdict classify(dc_fingerprint *s, const dc_array *a) {
  if (a->state != DC_ARRAY_PENDING) return add_input(s, a) ? DONE : NO_FINGERPRINT;
  if (a->expr->mark == s->mark) {
    put(s, WORD_NODE_AGAIN, (uint32_t)a->expr->index);
    return DONE;
  }
  return a->expr->evaluated && !dc_expr_exclusive(a) ? NO_FINGERPRINT /* it would be computed on its own */ : VISIT;
}

static bool visit_node(dc_fingerprint *s, dc_array *a);

static bool visit_operand(dc_fingerprint *s, dc_array *a) {
  const verdict what = classify(s, a);
  return what == VISIT ? visit_node(s, a) : what == DONE;
}

static inline void add_node(dc_fingerprint *s, dc_array *a) {
  a->expr->mark = s->mark;
  a->expr->index = s->nnodes;
  s->node[s->nnodes++] = a;
}

/* A reduction along some axes or all. */
static DC_NOINLINE bool visit_reduction(dc_fingerprint *s, dc_array *a) {
  const dc_expr *e = a->expr;
  const bool outer = s->is_reduced;
  if (e->reduce == DC_REDUCE_BODY) return false;
  s->arguments.shaped = s->reduces = true;
  put(s, WORD_REDUCTION, e->reduce | (uint32_t)a->dtype << 8 | (uint32_t)e->keep << 16 | (uint32_t)e->as << 17);
  add_node(s, a);
  if (!put_axes(s, e->axes, &e->arg[0]->g)) return false;
  s->is_reduced = true;
  const bool done = visit_operand(s, e->arg[0]);
  s->is_reduced = outer;
  return done;
}

/* Whether the node's own numbers are those of the domain's elements in C order; they are no parameter. */
static bool counts_elements(const dc_fingerprint *s, const dc_array *a) {
  return (a->expr->op == DC_OP_INDEX || a->expr->op == DC_OP_RANDOM) && !s->is_reduced &&
         dc_geometry_size(&a->g) == s->arguments.n;
}

/* The graph below the node; a loop over last operands, and recursion for the others. */
static DC_HOT bool visit_node(dc_fingerprint *s, dc_array *a) {
  for (;;) {
    dc_expr *e = a->expr;
    if (s->nnodes == DC_FINGERPRINT_NODES) return false;
    if (e->op == DC_OP_REDUCE) return visit_reduction(s, a);
    const bool counts = e->op >= DC_OP_INDEX;
    if (DC_UNLIKELY(counts) && !counts_elements(s, a)) return false;
    put(s, WORD_NODE, e->kind);
    add_node(s, a);
    const int last = e->nargs - 1;
    for (int i = counts && e->arg[0] == NULL; i < last; i++)
      if (e->arg[i] != NULL ? !visit_operand(s, e->arg[i]) : !add_number(s, &e->number[i])) return false;
    a = e->arg[last];
    if (a == NULL) return add_number(s, &e->number[last]);
    const verdict what = classify(s, a);
    if (what != VISIT) return what == DONE;
  }
}

/* A reduction whose value is the result: its operand's elements are the domain. */
static bool visit_root_reduction(dc_fingerprint *s, dc_array *a) {
  const dc_expr *e = a->expr;
  const dc_geometry *over = &e->arg[0]->g;
  const int64_t n = dc_geometry_size(over);
  const bool whole = __builtin_popcount(e->axes) == over->ndim;
  if (n < 1 || n > (whole ? DC_CACHED_REDUCED : DC_CACHED_ELEMENTS)) return false;
  s->arguments.n = n;
  return visit_reduction(s, a);
}

static bool visit_root(dc_fingerprint *s, dc_array *a) {
  if (a->expr->op == DC_OP_REDUCE) return visit_root_reduction(s, a);
  if (!visit_node(s, a)) return false;
  return !s->arguments.shaped || put_shape(s, &a->g, false);
}

DC_HOT bool dc_fingerprint_take(dc_fingerprint *s, dc_array *a, dc_ptr out, dc_dtype dtype) {
  const int64_t n = dc_geometry_size(&a->g);
  if (n < 1 || n > DC_CACHED_ELEMENTS || a->dev->tracking != 0) return false;
  s->arguments = (dc_launch_arguments){ .dev = a->dev, .out = out, .n = n, .input = s->input, .number = s->number };
  s->itemsize = dc_dtype_size(dtype);
  s->end = out + (dc_ptr)n * s->itemsize;
  s->in_place = s->reduces = s->is_reduced = false;
  s->nnodes = s->len = s->shapes = 0;
  s->hash = 0;
  s->mark = dc_next_mark(a->dev);
  put(s, n == 1, (uint32_t)dtype << 4 | alignment(out));
  return visit_root(s, a);
}

/* --- the cache ------------------------------------------------------------------------------------------ */

typedef struct dc_launch_entry {
  dc_cached_launch launch;
  int len;
  uint32_t key[DC_FINGERPRINT_KEY];
} dc_launch_entry;

/* Direct-mapped by hash. */
static inline dc_launch_entry **place_of(const dc_fingerprint *s) {
  return &s->arguments.dev->arrays->launches[(s->hash >> 32) % DC_CACHED_LAUNCHES];
}

DC_HOT const dc_cached_launch *dc_launch_cache_find(const dc_fingerprint *s) {
  const dc_launch_entry *m = *place_of(s);
  if (m == NULL || m->len != s->len || memcmp(m->key, s->key, sizeof *s->key * (size_t)s->len) != 0) return NULL;
  return &m->launch;
}

void dc_launch_cache_add(const dc_fingerprint *s, const dc_program *p) {
  dc_launch_entry **place = place_of(s);
  dc_cached_launch r;
  dc_launch_arguments ran = s->arguments;
  ran.mailbox = p->mailbox;
  ran.sequence = p->sequence;
  if (!dc_cached_launch_of(p, &ran, &r)) return;
  if (*place == NULL && (*place = malloc(sizeof **place)) == NULL) return;
  (*place)->launch = r;
  (*place)->len = s->len;
  memcpy((*place)->key, s->key, sizeof *s->key * (size_t)s->len);
}
