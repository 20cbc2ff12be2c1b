/*
** launch_cache.c - small expressions whose like was computed before: one walk finds the kernel and how it is launched.
**
** The walk makes a key of all that the program of such an expression depends on, but for the addresses, the numbers and
** the count that are the kernel's parameters: the device, operators and dtypes, which operands are the same, whether
** each has an element for each that is computed or one value, and how their addresses are aligned.  What is of another
** kind, or could be, is not remembered: the long way (program.c) computes it, and decides everything here too, since a
** recipe is made of its program.
*/
#include "array/codegen/launch_cache.h"

#include <stdlib.h>
#include <string.h>

#include "array/codegen/kernel_cache.h"
#include "array/codegen/program.h"
#include "array/graph/expr.h"
#include "array/graph/geometry.h"
#include "array/graph/number.h"
#include "array/graph/types.h"
#include "base/dtype.h"
#include "base/line.h"
#include "device/device.h"

/* What a word of the key is about, in its highest bits; a node's is its dc_expr.kind as it is, which has none there. */
enum { WORD_NODE, WORD_NODE_AGAIN, WORD_LEAF, WORD_ONE, WORD_LEAF_AGAIN, WORD_NUMBER, WORD_REDUCTION, WORD_AT = 29 };

/* --- seeing ---------------------------------------------------------------------------------------------- */

static inline void put(dc_fingerprint *s, uint32_t what, uint32_t value) {
  const uint32_t word = what << WORD_AT | value;
  s->key[s->len++] = word;
  s->hash = (s->hash ^ word) * 0x9e3779b97f4a7c15u;
}

/* Of an address what decides whether packs of elements are aligned, which have 16 bytes at most. */
static uint32_t alignment(dc_ptr p) { return (uint32_t)(p & 15); }

/* As program.c tells operands apart. */
static int find_leaf(const dc_fingerprint *s, const dc_array *a) {
  for (int i = 0; i < s->portion.nleaves; i++) {
    const dc_array *b = s->array[i];
    if (a == b || (a->ptr == b->ptr && a->dtype == b->dtype && dc_geometry_same(&a->g, &b->g))) return i;
  }
  return -1;
}

static inline bool see_new_leaf(dc_fingerprint *s, const dc_array *a) {
  dc_launch_arguments *q = &s->portion;
  const int64_t n = dc_geometry_size(&a->g);
  if (q->nleaves == DC_FINGERPRINT_OPERANDS || (n != 1 && (n != q->n || !a->contiguous))) return false;
  const size_t size = dc_dtype_size(a->dtype);
  const bool shares = a->ptr < s->end && q->out < a->ptr + (dc_ptr)n * size;
  if (shares && (a->ptr != q->out || size != s->itemsize || n != q->n || q->reduces)) return false;
  s->in_place = s->in_place || shares;
  put(s, n == q->n ? WORD_LEAF : WORD_ONE, (uint32_t)shares << 12 | (uint32_t)a->dtype << 4 | alignment(a->ptr));
  s->array[q->nleaves] = a;
  s->leaf[q->nleaves++] = a->ptr;
  return true;
}

/* One at an address that was seen. */
static DC_APART bool see_leaf_there(dc_fingerprint *s, const dc_array *a) {
  const int again = find_leaf(s, a);
  if (again < 0) return see_new_leaf(s, a);
  put(s, WORD_LEAF_AGAIN, (uint32_t)again);
  return true;
}

static DC_HOT bool see_leaf(dc_fingerprint *s, const dc_array *a) {
  if (a->state != DC_ARRAY_READY || a->buffer->closed) return false;
  for (int i = 0; i < s->portion.nleaves; i++)
    if (s->leaf[i] == a->ptr) return see_leaf_there(s, a);
  return see_new_leaf(s, a);
}

static bool see_number(dc_fingerprint *s, const dc_number *v) {
  dc_launch_arguments *q = &s->portion;
  if (q->nnumbers == DC_FINGERPRINT_OPERANDS) return false;
  s->number[q->nnumbers++] = v;
  put(s, WORD_NUMBER, v->dtype);
  return true;
}

/* What an operand is: to be seen as a node, or it has been seen, or it makes the whole one that is not remembered. */
typedef enum seen { SEEN_NODE, SEEN, NOT_SEEN } seen;

static inline seen see_other(dc_fingerprint *s, const dc_array *a) {
  if (a->state != DC_ARRAY_PENDING) return see_leaf(s, a) ? SEEN : NOT_SEEN;
  if (a->expr->mark == s->mark) {
    put(s, WORD_NODE_AGAIN, (uint32_t)a->expr->index);
    return SEEN;
  }
  return a->expr->evaluated && !dc_expr_exclusive(a) ? NOT_SEEN /* it is computed on its own */ : SEEN_NODE;
}

static bool see_node(dc_fingerprint *s, dc_array *a);

static bool see_operand(dc_fingerprint *s, dc_array *a) {
  const seen what = see_other(s, a);
  return what == SEEN_NODE ? see_node(s, a) : what == SEEN;
}

/* All from the node down. With the last operand of each it goes on by itself. */
static DC_HOT bool see_node(dc_fingerprint *s, dc_array *a) {
  for (;;) {
    dc_expr *e = a->expr;
    if (s->nnodes == DC_FINGERPRINT_NODES || e->op >= DC_OP_INDEX)
      return false; /* from there on they are not by element */
    put(s, WORD_NODE, e->kind);
    e->mark = s->mark;
    e->index = s->nnodes;
    s->node[s->nnodes++] = a;
    const int last = e->nargs - 1;
    for (int i = 0; i < last; i++)
      if (e->arg[i] != NULL ? !see_operand(s, e->arg[i]) : !see_number(s, &e->number[i])) return false;
    a = e->arg[last];
    if (a == NULL) return see_number(s, &e->number[last]);
    const seen what = see_other(s, a);
    if (what != SEEN_NODE) return what == SEEN;
  }
}

/* A reduction of all to one value: how long the row is, and what is done with it, are in the key. */
static bool see_reduction(dc_fingerprint *s, dc_array *a) {
  const dc_expr *e = a->expr;
  dc_launch_arguments *q = &s->portion;
  const dc_geometry *over = &e->arg[0]->g;
  q->n = dc_geometry_size(over);
  q->reduces = true;
  if (__builtin_popcount(e->axes) != over->ndim || q->n < 1 || q->n > DC_CACHED_REDUCED) return false;
  put(s, WORD_REDUCTION, (uint32_t)q->n);
  put(s, WORD_REDUCTION, e->reduce | (uint32_t)a->dtype << 8 | (uint32_t)e->keep << 16 | (uint32_t)e->as << 17);
  s->node[s->nnodes++] = a;
  return see_operand(s, e->arg[0]);
}

DC_HOT bool dc_fingerprint_take(dc_fingerprint *s, dc_array *a, dc_ptr out, dc_dtype dtype) {
  const int64_t n = dc_geometry_size(&a->g);
  if (n < 1 || n > DC_CACHED_ELEMENTS || a->dev->tracking != 0) return false;
  s->portion = (dc_launch_arguments){ .dev = a->dev, .out = out, .n = n, .leaf = s->leaf, .number = s->number };
  s->itemsize = dc_dtype_size(dtype);
  s->end = out + (dc_ptr)n * s->itemsize;
  s->in_place = false;
  s->nnodes = s->len = 0;
  s->hash = 0;
  s->mark = dc_next_mark();
  put(s, 0, (uint32_t)a->dev->serial);
  put(s, 0, (uint32_t)(a->dev->serial >> 32));
  put(s, n == 1, (uint32_t)dtype << 4 | alignment(out));
  return a->expr->op == DC_OP_REDUCE ? see_reduction(s, a) : see_node(s, a);
}

/* --- remembering ------------------------------------------------------------------------------------------ */

#define PLACES 256

typedef struct dc_memo {
  dc_cached_launch recipe;
  int len;
  uint32_t key[DC_FINGERPRINT_KEY];
} dc_memo;

static dc_memo *memos[PLACES]; /* by hash; a later one takes the place of an earlier one */

static dc_memo **place_of(const dc_fingerprint *s) { return &memos[(s->hash >> 32) % PLACES]; }

DC_HOT const dc_cached_launch *dc_launch_cache_find(const dc_fingerprint *s) {
  const dc_memo *m = *place_of(s);
  if (m == NULL || m->len != s->len || memcmp(m->key, s->key, sizeof *s->key * (size_t)s->len) != 0) return NULL;
  return &m->recipe;
}

void dc_launch_cache_add(const dc_fingerprint *s, const dc_program *p) {
  dc_memo **place = place_of(s);
  dc_cached_launch r;
  dc_launch_arguments ran = s->portion;
  ran.mailbox = p->mailbox;
  ran.sequence = p->sequence;
  if (!dc_cached_launch_of(p, &ran, &r)) return;
  if (*place == NULL && (*place = malloc(sizeof **place)) == NULL) return;
  (*place)->recipe = r;
  (*place)->len = s->len;
  memcpy((*place)->key, s->key, sizeof *s->key * (size_t)s->len);
}
