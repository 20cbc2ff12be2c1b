/*
** expr.h - inside the room: what an array is made of, and the graph of pending expressions.
**
** A pending array owns a dc_expr: an operator, up to two operands, up to two numbers.  An operand that
** is itself pending is a node of the same graph; one that is READY is a leaf.  While it waits, the
** node hangs in the list of whatever it depends on (a dc_use for each operand), so that both "who
** still reads this buffer" and "who is built on this node" are short walks.
**
** Graphs are bounded when they are made: a node whose graph would pass DC_MAX_NODES or DC_MAX_INPUTS
** has its largest operand computed first.  So every recursion over a graph is bounded too.
*/
#ifndef DC_ARRAY_GRAPH_EXPR_H
#define DC_ARRAY_GRAPH_EXPR_H

#include "array/array.h"
#include "array/graph/buffer.h"

#define DC_MAX_NODES 64
#define DC_MAX_INPUTS 16

/* A number as a kernel's parameter: its dtype and its value as registers hold it (16-bit floats as a float32). */
typedef struct dc_number {
  dc_dtype dtype;
  union {
    uint64_t bits;
    int64_t i;
    uint64_t u;
    float f32;
    double f64;
    float c64[2];
    double c128[2];
  };
} dc_number;

typedef struct dc_expr {
  /* a line of the cache: what every node has */
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
  bool passed;         /* an evaluation has computed it as a part of something, or into somebody's memory */
  uint32_t axes;       /* of a reduction */
  int weight, inputs;  /* nodes and leaves at and below this one: at most so many */
  int index;           /* in the program of the walk that saw it last */
  uint64_t mark;       /* dc_next_mark of that walk */
  dc_geometry *frame;  /* of GATHER: the node's shape, and strides in operand 0.  Of a VIEW with its operand's axes in
                       ** another order: its shape, and in place of strides these axes.  Else NULL; owned */
  dc_use pending;      /* link in the list of all that is pending */
  /* and the next: one operand */
  dc_array *arg[DC_MAX_ARGS];  /* NULL: the number of that index instead */
  dc_use use[DC_MAX_ARGS];
  const dc_array *space; /* the VIEW through which that walk saw it; NULL: none */
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
  dc_ptr ptr;               /* of element 0; READY only */
  struct dc_buffer *buffer; /* READY only */
  dc_expr *expr;            /* PENDING only */
  dc_use *users;            /* pending expressions built on this one; PENDING only */
  dc_geometry g;            /* the strides of a PENDING one are those it will have: C order, but for a VIEW */
};

/* --- dtypes (operators.c) --------------------------------------------------------------------- */
/* The dtype of a complex one's parts; others themselves. */
dc_dtype dc_dtype_real(dc_dtype t);
/* What an array's dtype becomes when it meets a number. */
dc_dtype dc_dtype_with_number(dc_dtype t, const dc_scalar *s);

/* --- arrays (array.c) ------------------------------------------------------------------------ */
/* One reference, PENDING without an expression, contiguous; its geometry is not set. dc_array_drop is for one that
** never got anything to hold. */
dc_array *dc_array_new(dc_device *dev, dc_dtype dtype, dc_error *err);
void dc_array_drop(dc_array *a);
/* Its last reference is gone. */
void dc_array_end(dc_array *a);
/* dc_array_unref for one that is not NULL. */
static inline void dc_array_leave(dc_array *a) {
  if (--a->refs == 0) dc_array_end(a);
}
/* -1 and DC_DEVICE unless both are on the same device. */
int dc_array_check_together(const dc_array *a, const dc_array *b, dc_error *err);
static inline bool dc_array_is_closed(const dc_array *a) {
  return a->state == DC_ARRAY_CLOSED || (a->state == DC_ARRAY_READY && a->buffer->closed);
}
/* DC_ARGUMENT when closed. */
int dc_array_fail_closed(dc_error *err);
static inline int dc_array_check_open(const dc_array *a, dc_error *err) {
  return DC_UNLIKELY(dc_array_is_closed(a)) ? dc_array_fail_closed(err) : 0;
}

/* --- nodes (expr.c) --------------------------------------------------------------------------- */
/* A PENDING array of that shape (strides are set here). `e` gives op, reduce, nargs, arg and number;
** operands are open, on `dev`, and get a reference.  May compute an operand that has grown too large. */
dc_array *dc_expr_make(const dc_expr *e, dc_device *dev, dc_dtype dtype, const dc_geometry *shape, dc_error *err);
/* The same for an operator whose operands and result are all as `like`, one of them, in device, dtype and shape:
** operand i is arg[i] or, where that is NULL, scalar[i] in that dtype. */
dc_array *dc_expr_like(dc_op op, int nargs, dc_array *const arg[], const dc_scalar scalar[], const dc_array *like,
                       dc_error *err);
/* The same where that is the only operand. */
dc_array *dc_expr_like_one(dc_op op, dc_array *const arg[], dc_error *err);
/* A PENDING array's view of the geometry `g`, PENDING too: with its axes in another order (`axes`: of each its place in
** `a`) or, where that is NULL, another shape.  Only where dc_expr_can_view says that it can be. */
dc_array *dc_expr_view(dc_array *a, const dc_geometry *g, const int *axes, dc_error *err);
bool dc_expr_can_view(const dc_array *a, bool turned);
/* Drops a PENDING array's expression: operands are released. The caller sets the state. */
void dc_expr_drop(dc_array *a);
/* A PENDING array becomes READY over `b`, whose reference it takes, and with it all that are views of it. */
void dc_expr_settle(dc_array *a, struct dc_buffer *b);
/* The values of a PENDING array now stand in `from` (READY, same shape and dtype), which others may
** overwrite: it becomes a pending copy of that.  Takes the reference to `from`. */
void dc_expr_become_copy(dc_array *a, dc_array *from);
/* The pending array to compute when `a` must be: up from it as long as nobody else can see what is passed. */
dc_array *dc_expr_root(dc_array *a);
/* Any pending array of the device, or NULL. */
dc_array *dc_expr_any_pending(const dc_device *dev);
/* All that is pending, linked by their dc_expr.pending. */
const dc_use *dc_expr_all_pending(void);
/* Nobody but one pending node, `a`'s only user, holds it. */
bool dc_expr_exclusive(const dc_array *a);
uint64_t dc_next_mark(void);

/* --- computing (evaluate.c) -------------------------------------------------------------------- */
/* Makes it READY. */
int dc_evaluate(dc_array *a, dc_error *err);
/* The same for an array of one element; where the kernel can hand that to the host, *value is it and *told is true. */
int dc_evaluate_value(dc_array *a, void *value, bool *told, dc_error *err);
/* Computes `src` (READY or PENDING) into READY `dst` with broadcasting and casts.  Returns 1 and does
** nothing when src reads dst's memory in another order than it is written. `*reads` (may be NULL) says
** whether it reads it at all. */
int dc_evaluate_into(dc_array *src, dc_array *dst, bool *reads, dc_error *err);
/* dst = one number, through a kernel. */
int dc_evaluate_number(const dc_number *v, dc_array *dst, dc_error *err);
/* Writes `src` (READY or PENDING, without reductions, of the frame's shape once broadcast), or where that is NULL the
** number, to dst's memory: for each element at the place that the frame's strides and `offset` (counts of elements,
** int64) say, where `guard` (bool; may be NULL) is true.  `most`: the greatest of what is there and of the values
** (int64) is kept.  Returns 1 and does nothing when what is read shares memory with dst. */
int dc_evaluate_scatter(dc_array *src, const dc_number *v, dc_array *dst, const dc_geometry *frame, dc_array *offset,
                        dc_array *guard, bool most, dc_error *err);

/* --- copying (transfer.c) ------------------------------------------------------------------------ */
/* -1 and DC_DTYPE when dst's dtype cannot take values of src's. */
int dc_array_check_values(const dc_array *dst, const dc_array *src, dc_error *err);
/* -1 when several elements of the view share memory. */
int dc_array_check_writable(const dc_array *a, dc_error *err);

/* --- soundness (settle.c) ----------------------------------------------------------------------- */
/* Computes all that reads `b`, save what only `except` (may be NULL) is built on. */
int dc_settle_readers(struct dc_buffer *b, const dc_array *except, dc_error *err);

/* The device has no room for `wanted` bytes: computes expressions that alone still hold much more memory than their
** results take.  Whether any was computed. */
bool dc_settle_pinned(dc_device *dev, size_t wanted);

/* --- numbers (number.c) ------------------------------------------------------------------------ */
/* A Lua number as a value of the dtype, as dc_scalar_put takes it. */
int dc_number_from(const dc_scalar *s, dc_dtype dtype, dc_number *out, dc_error *err);
/* The same as an operand of arithmetic, where what is too large for a floating dtype is infinite. */
int dc_number_operand(const dc_scalar *s, dc_dtype dtype, dc_number *out, dc_error *err);
/* Its bytes as memory holds them (dc_dtype_size of them). */
void dc_number_store(const dc_number *v, void *bytes);

#endif
