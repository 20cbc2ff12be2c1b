/*
** launch_cache.c - see launch_cache.h.
**
** The fingerprint has all that the program of an expression depends on, but for the device, whose cache it is, and the
** addresses, numbers and count that are the kernel's parameters: operators and dtypes, which operands are equal,
** whether each is flat or one value, and the alignment of addresses.  Other kinds of expressions have none: lower.c and
** schedule.c decide, here too, since a cached launch is made of a program that has run.
*/
#include "array/codegen/launch_cache.h"

#include <stdlib.h>
#include <string.h>

/* The highest bits of a word say what it is about; a node's word is its dc_expr.kind, where these bits are 0. */
enum { WORD_NODE, WORD_NODE_AGAIN, WORD_INPUT, WORD_ONE, WORD_INPUT_AGAIN, WORD_NUMBER, WORD_REDUCTION, WORD_AT = 29 };

/* --- the fingerprint ---------------------------------------------------------------------------------------------- */

static inline void put(dc_fingerprint *s, uint32_t what, uint32_t value) {
  const uint32_t word = what << WORD_AT | value;
  s->key[s->len++] = word;
  s->hash = (s->hash ^ word) * 0x9e3779b97f4a7c15u;
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

static inline bool add_new_input(dc_fingerprint *s, const dc_array *a) {
  dc_launch_arguments *q = &s->arguments;
  const int64_t n = dc_geometry_size(&a->g);
  if (q->ninputs == DC_FINGERPRINT_OPERANDS || (n != 1 && (n != q->n || !a->contiguous))) return false;
  const size_t size = dc_dtype_size(a->dtype);
  const bool shares = a->ptr < s->end && q->out < a->ptr + (dc_ptr)n * size;
  if (shares && (a->ptr != q->out || size != s->itemsize || n != q->n || q->reduces)) return false;
  s->in_place = s->in_place || shares;
  put(s, n == q->n ? WORD_INPUT : WORD_ONE, (uint32_t)shares << 12 | (uint32_t)a->dtype << 4 | alignment(a->ptr));
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
  if (q->nnumbers == DC_FINGERPRINT_OPERANDS) return false;
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

/* The graph below the node; a loop over last operands, and recursion for the others. */
static DC_HOT bool visit_node(dc_fingerprint *s, dc_array *a) {
  for (;;) {
    dc_expr *e = a->expr;
    if (s->nnodes == DC_FINGERPRINT_NODES || e->op >= DC_OP_INDEX)
      return false; /* from there on not elementwise */
    put(s, WORD_NODE, e->kind);
    e->mark = s->mark;
    e->index = s->nnodes;
    s->node[s->nnodes++] = a;
    const int last = e->nargs - 1;
    for (int i = 0; i < last; i++)
      if (e->arg[i] != NULL ? !visit_operand(s, e->arg[i]) : !add_number(s, &e->number[i])) return false;
    a = e->arg[last];
    if (a == NULL) return add_number(s, &e->number[last]);
    const verdict what = classify(s, a);
    if (what != VISIT) return what == DONE;
  }
}

/* A reduction of all elements to one value. */
static bool visit_reduction(dc_fingerprint *s, dc_array *a) {
  const dc_expr *e = a->expr;
  dc_launch_arguments *q = &s->arguments;
  const dc_geometry *over = &e->arg[0]->g;
  q->n = dc_geometry_size(over);
  q->reduces = true;
  if (__builtin_popcount(e->axes) != over->ndim || q->n < 1 || q->n > DC_CACHED_REDUCED) return false;
  put(s, WORD_REDUCTION, (uint32_t)q->n);
  put(s, WORD_REDUCTION, e->reduce | (uint32_t)a->dtype << 8 | (uint32_t)e->keep << 16 | (uint32_t)e->as << 17);
  s->node[s->nnodes++] = a;
  return visit_operand(s, e->arg[0]);
}

DC_HOT bool dc_fingerprint_take(dc_fingerprint *s, dc_array *a, dc_ptr out, dc_dtype dtype) {
  const int64_t n = dc_geometry_size(&a->g);
  if (n < 1 || n > DC_CACHED_ELEMENTS || a->dev->tracking != 0) return false;
  s->arguments = (dc_launch_arguments){ .dev = a->dev, .out = out, .n = n, .input = s->input, .number = s->number };
  s->itemsize = dc_dtype_size(dtype);
  s->end = out + (dc_ptr)n * s->itemsize;
  s->in_place = false;
  s->nnodes = s->len = 0;
  s->hash = 0;
  s->mark = dc_next_mark(a->dev);
  put(s, n == 1, (uint32_t)dtype << 4 | alignment(out));
  return a->expr->op == DC_OP_REDUCE ? visit_reduction(s, a) : visit_node(s, a);
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
