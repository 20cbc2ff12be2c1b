/*
** expr.h - the structs of arrays and of the graph of pending expressions, and their lifetimes.
**
** A dc_array is reference-counted and has a fixed dtype, shape and device.  A PENDING one owns a dc_expr: an operator
** and up to DC_MAX_ARGS operands, arrays or numbers.  An operand that is itself pending is a node of the same graph;
** one that is READY is an input.  Each operand is a link (dc_use): in its buffer's list of readers when it is READY, in
** its list of users when it is pending.  So "who still reads this buffer" and "who is built on this node" are short
** walks.
**
** Graphs are bounded when they are made (node.h), so every recursion over a graph is bounded too.
*/
#pragma once

#include "array/graph/buffer.h"
#include "array/graph/context.h"
#include "array/graph/geometry.h"
#include "array/graph/number.h"
#include "array/graph/op.h"
#include "array/graph/types.h"
#include "base/dtype.h"
#include "base/error.h"
#include "base/line.h"
#include "device/device.h"

#define DC_MAX_NODES 64
#define DC_MAX_INPUTS 16

typedef struct dc_expr {
  /* the first cache line: what every node has */
  union {
    struct {
      uint8_t op;      /* dc_op */
      uint8_t as;      /* the dtype that operand 0 (and, mostly, the others) is converted to; NONE: its own */
      uint8_t dtype;   /* the array's */
      uint8_t nargs;   /* numbers included */
    };
    uint32_t kind;     /* all that as one word: see dc_expr_kind */
  };
  uint8_t reduce;      /* dc_reduce, for DC_OP_REDUCE */
  bool keep;           /* its axes stay with extent 1 */
  bool evaluated;      /* a kernel has computed it: as an intermediate value, or into another array's memory */
  uint32_t axes;       /* of a reduction */
  int weight, inputs;  /* upper bounds of the nodes and inputs at and below this one */
  int index;           /* of its instruction in the walk that visited it last */
  uint64_t mark;       /* dc_next_mark of that walk */
  dc_geometry *frame;  /* of GATHER: the node's shape, and strides in operand 0.  Of a VIEW with its operand's axes in
                       ** another order: its shape, and in place of strides these axes.  Else NULL; owned */
  dc_use pending;      /* link in the list of all that is pending */
  /* the next lines: operands */
  dc_array *arg[DC_MAX_ARGS];  /* NULL: the number of that index instead */
  dc_use use[DC_MAX_ARGS];
  const dc_array *space; /* the VIEW through which that walk reached it; NULL: none */
  dc_number number[DC_MAX_ARGS];
} dc_expr;

static inline uint32_t dc_expr_kind(dc_op op, dc_dtype as, dc_dtype dtype, int nargs) {
  return (uint32_t)op | (uint32_t)as << 8 | (uint32_t)dtype << 16 | (uint32_t)nargs << 24; /* little-endian */
}

struct dc_array {
  int refs;
  dc_array_state state;
  bool contiguous;
  dc_dtype dtype;
  dc_device *dev;
  dc_ptr ptr;        /* of element 0; READY only */
  dc_buffer *buffer; /* READY only */
  dc_expr *expr;     /* PENDING only */
  dc_use *users;     /* pending expressions built on this one; PENDING only */
  dc_geometry g;     /* the strides of a PENDING one are those it will have: C order, but for a VIEW */
};

/* One reference, PENDING without an expression, contiguous; the geometry is not set. NULL: out of memory. */
dc_array *dc_array_new(dc_device *dev, dc_dtype dtype, dc_error *err);
/* A READY array over a buffer, whose reference it takes (also on failure). */
dc_array *dc_array_over(dc_buffer *b, dc_ptr ptr, dc_dtype dtype, const dc_geometry *g, dc_error *err);
/* As dc_array_new, with an expression among all that are pending, which has no operands yet; its size, kind and numbers
** are not set. */
dc_array *dc_expr_new(dc_device *dev, dc_dtype dtype, dc_error *err);
/* The last reference is gone. */
void dc_array_end(dc_array *a);
/* Gives a reference back; of one that is not NULL. */
static inline void dc_array_leave(dc_array *a) {
  if (--a->refs == 0) dc_array_end(a);
}

static inline bool dc_array_is_closed(const dc_array *a) {
  return a->state == DC_ARRAY_CLOSED || (a->state == DC_ARRAY_READY && a->buffer->closed);
}
/* DC_ARGUMENT when closed. */
int dc_array_fail_closed(dc_error *err);
static inline int dc_array_check_open(const dc_array *a, dc_error *err) {
  return DC_UNLIKELY(dc_array_is_closed(a)) ? dc_array_fail_closed(err) : 0;
}

/* Whether READY arrays, which have elements, cover no common bytes, nor one bytes between those of the other. */
bool dc_array_is_apart(const dc_array *a, const dc_array *b);

/* Operand i of a's expression is `of`; its reference is the caller's to add. */
static inline void dc_expr_link(dc_array *a, int i, dc_array *of) {
  dc_expr *e = a->expr;
  e->arg[i] = of;
  e->use[i].user = a;
  dc_use_add(&e->use[i], of->state == DC_ARRAY_PENDING ? &of->users : &of->buffer->readers);
}
/* Drops a PENDING array's expression: operands are released. The caller sets the state. */
void dc_expr_drop(dc_array *a);
/* A PENDING array becomes READY over `b`, whose reference it takes, and with it all that are views of it. */
void dc_expr_materialize(dc_array *a, dc_buffer *b);
/* The values of a PENDING array now stand in `from` (READY, same shape and dtype), which others may overwrite: it
** becomes a pending copy of that.  Takes the reference to `from`. */
void dc_expr_become_copy(dc_array *a, dc_array *from);

/* Whether all references to `a` are those of one pending node, its only user. */
bool dc_expr_exclusive(const dc_array *a);
/* The pending array to compute when `a` must be: the highest user that is reached through exclusive nodes alone. */
dc_array *dc_expr_root(dc_array *a);
/* All that is pending on the device, linked by their dc_expr.pending. */
const dc_use *dc_expr_all_pending(const dc_device *dev);
