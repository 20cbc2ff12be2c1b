/*
** array.h - device arrays and lazy expressions over them.  The room's whole face; no Lua here.
**
** A dc_array is reference-counted and has a fixed dtype, shape and device.  It is in one of three
** states: READY (has a buffer: own, shared by views, or foreign), PENDING (an expression that nobody
** has needed yet: no memory) or CLOSED.  Operators make PENDING arrays; shape, dtype and device
** errors are raised when the operator is applied, never later.
**
** Soundness: whatever writes to a buffer calls dc_array_will_write first (all functions here do),
** which computes every pending expression that still reads that buffer.
**
** Indices here are 0-based C; Lua's 1-based ones are translated in lua/.
*/
#ifndef DC_ARRAY_ARRAY_H
#define DC_ARRAY_ARRAY_H

#include "array/graph/geometry.h"
#include "array/graph/op.h"
#include "base/dtype.h"
#include "base/error.h"
#include "device/capture.h"

typedef struct dc_array dc_array;
typedef struct dc_buffer dc_buffer; /* array/graph/buffer.h: {device, address, bytes, references, pending readers} */

typedef enum dc_array_state { DC_ARRAY_READY, DC_ARRAY_PENDING, DC_ARRAY_CLOSED } dc_array_state;

/* One number, as Lua gives it, to meet arrays of any dtype. */
typedef struct dc_scalar {
  enum { DC_SCALAR_INT, DC_SCALAR_FLOAT, DC_SCALAR_BOOL, DC_SCALAR_COMPLEX } kind;
  union {
    int64_t i;
    double f;
    bool b;
    struct {
      double re, im;
    };
  };
} dc_scalar;

/* A Lua number as an element in memory: integers must be in range, but are the 64 bits of a uint64, floats with an
** integer value are integers, floating dtypes round, and a finite number that would become infinite is an error
** (DC_DTYPE). */
int dc_scalar_put(const dc_scalar *s, dc_dtype dtype, void *bytes, dc_error *err);
/* The element as a Lua number; a uint64 as its 64 bits. */
void dc_scalar_get(const void *bytes, dc_dtype dtype, dc_scalar *out);

typedef enum dc_reduce {
  DC_REDUCE_SUM, DC_REDUCE_PROD, DC_REDUCE_MIN, DC_REDUCE_MAX, DC_REDUCE_ANY, DC_REDUCE_ALL,
  DC_REDUCE_ARGMIN, DC_REDUCE_ARGMAX, /* the first index, from 0, int64 */
  DC_REDUCE_SPREAD,                   /* the sum of squared distances from the mean */
  DC_NREDUCES
} dc_reduce;

/* --- making ------------------------------------------------------------------------------- */
/* C order, contents undefined. A size over the device's memory or 2^62 bytes is DC_MEMORY. */
dc_array *dc_array_empty(dc_device *dev, dc_dtype dtype, int ndim, const int64_t *shape, dc_error *err);
/* From host memory in C order, nbytes = product(shape) * itemsize. */
dc_array *dc_array_from_host(dc_device *dev, dc_dtype dtype, int ndim, const int64_t *shape, const void *src,
                             dc_error *err);
/* Memory that somebody else owns; `release(ud)` is called when the last view goes (may be NULL), and not when the
** array could not be made. */
dc_array *dc_array_wrap(dc_device *dev, dc_ptr ptr, dc_dtype dtype, int ndim, const int64_t *shape,
                        void (*release)(void *ud), void *ud, dc_error *err);
/* In page-locked memory of `gpu`, on the device `host` (the CPU device); contents undefined. */
dc_array *dc_array_pinned(dc_device *host, dc_device *gpu, dc_dtype dtype, int ndim, const int64_t *shape,
                          dc_error *err);
dc_array *dc_array_arange(dc_device *dev, dc_dtype dtype, dc_scalar first, dc_scalar step, int64_t n, dc_error *err);

void dc_array_ref(dc_array *a);
void dc_array_unref(dc_array *a);
/* Settles what reads it, frees the memory now (views included: they become CLOSED too). Idempotent.
** Failing to settle is reported, the array is closed all the same. */
int dc_array_close(dc_array *a, dc_error *err);

/* --- facts (any state but CLOSED, for which only state is valid) ---------------------------- */
dc_array_state dc_array_state_of(const dc_array *a);
dc_dtype dc_array_dtype(const dc_array *a);
dc_device *dc_array_device(const dc_array *a);
const dc_geometry *dc_array_geometry(const dc_array *a); /* shape, byte strides */
int64_t dc_array_size(const dc_array *a);                 /* elements */
/* Computes if pending, then gives the address of element 0. */
int dc_array_ptr(dc_array *a, dc_ptr *ptr, dc_error *err);
/* The memory that a READY array shares with its views, from the first byte to the one behind the last. */
void dc_array_memory(const dc_array *a, dc_ptr *from, dc_ptr *to);
/* The fast path of launches: the address of element 0 when READY, open, contiguous, of that dtype, on dev, and, if it
** is `written`, nothing pending reads it; else 0 (as an empty array's may be). */
dc_ptr dc_array_launch_ready(const dc_array *a, const dc_device *dev, dc_dtype dtype, bool written);

/* --- views: share memory; the base is computed first when pending, but where dc_array_views_lazily ------------- */
dc_array *dc_array_view(dc_array *a, const dc_geometry *g, int64_t byte_offset, dc_error *err);
/* Axis i is axes[i] of `a`; NULL: reversed. */
dc_array *dc_array_transpose(dc_array *a, const int *axes, dc_error *err);
/* Whether transposing (`turned`), or else reshaping, it leaves it pending. */
bool dc_array_views_lazily(const dc_array *a, bool turned);
/* Reshape: a view when the layout allows, else a copy. One extent may be -1. */
dc_array *dc_array_reshape(dc_array *a, int ndim, const int64_t *shape, dc_error *err);

/* --- data ---------------------------------------------------------------------------------- */
int dc_array_read(dc_array *a, void *dst, dc_error *err);         /* all elements, C order, into host memory */
/* The bytes of a contiguous array in C order, through host memory of some megabytes: to `take`, which gets all of them
** piece by piece; from `give`, which makes them. A piece is a whole number of elements. */
typedef int (*dc_array_taker)(void *ud, const void *bytes, size_t n, dc_error *err);
typedef int (*dc_array_giver)(void *ud, void *bytes, size_t n, dc_error *err);
int dc_array_send(dc_array *a, dc_array_taker take, void *ud, dc_error *err);
int dc_array_receive(dc_array *a, dc_array_giver give, void *ud, dc_error *err);
int dc_array_get(dc_array *a, dc_scalar *out, dc_error *err);     /* one-element arrays */
int dc_array_fill(dc_array *a, dc_scalar v, dc_error *err);       /* v must be a value of the dtype (floats round) */
/* dst = src, broadcasting src to dst's shape, casting to dst's dtype, across devices too; overlap is safe.
** A pending src that is used nowhere else computes straight into dst. */
/* `async`: between page-locked memory and a GPU the copy is not waited for; whoever uses either array next is ordered
** behind it. */
int dc_array_assign(dc_array *dst, dc_array *src, bool async, dc_error *err);
dc_array *dc_array_copy(dc_array *a, dc_error *err);              /* contiguous copy on the same device */
/* Itself (a new reference) when already there. `async` as above; what comes from a GPU then comes into page-locked
** memory. */
dc_array *dc_array_to_device(dc_array *a, dc_device *dev, bool async, dc_error *err);
dc_array *dc_array_cast(dc_array *a, dc_dtype dtype, dc_error *err);      /* lazy; itself when equal */

/* --- indices (gather.c) ---------------------------------------------------------------------- */
/* What selects along one axis: a range, or an array of integers, which count from 1 and, negative, from the end. */
typedef struct dc_index_axis {
  dc_range range;
  dc_array *array; /* NULL: the range */
} dc_index_axis;
/* For each of the first n axes; at least one has an array. The other axes are whole. */
typedef struct dc_index {
  int n;
  dc_index_axis axis[DC_MAX_DIMS];
} dc_index;
/* The elements that the index names: pending, see gather.c for its shape. DC_INDEX: out of bounds. */
dc_array *dc_array_gather(dc_array *a, const dc_index *ix, dc_error *err);
/* Writes src (broadcast, converted; of the same device) or, where that is NULL, the number to them; where an element is
** named several times, the last value is taken. */
int dc_array_scatter(dc_array *a, const dc_index *ix, dc_array *src, const dc_scalar *s, dc_error *err);

/* --- several streams, graphs (order.c) ------------------------------------------------------- */
/* Call before anything not of this room uses a READY array on its device in stream `by` (NULL: the current one),
** when the device's `tracking` is set: orders it behind the uses of other streams, or makes it part of the graph
** that is being captured. */
int dc_array_use(dc_array *a, dc_stream *by, bool writes, dc_error *err);
/* Begins to capture a graph on the device; what is pending there is computed first. End it with one of: */
int dc_array_capture_begin(dc_device *dev, dc_error *err);
/* What is pending becomes part of the graph; see dc_capture_end. */
int dc_array_capture_end(dc_device *dev, dc_graph **g, dc_error *err);
/* Runs a graph in its device's current stream: whoever waits to read what it writes is computed first. */
int dc_array_graph_launch(dc_graph *g, dc_error *err);

/* Call before anything not of this room writes to a's memory (a kernel's non-const pointer). */
int dc_array_will_write(dc_array *a, dc_error *err);
/* Settles every pending expression on the device that reads any memory (opaque parameters). */
int dc_array_settle_device(dc_device *dev, dc_error *err);

/* --- expressions --------------------------------------------------------------------------- */
/* The operator of dc_ops over dc_ops[op].nargs operands: operand i is arg[i] or, where that is NULL, the number
** scalar[i]; one is an array.  Shapes broadcast (DC_SHAPE), arrays are on one device (DC_DEVICE), dtypes follow the
** rules of operators.c (DC_DTYPE). */
dc_array *dc_array_apply(dc_op op, dc_array *const arg[], const dc_scalar scalar[], dc_error *err);
/* Over the axes whose bits are set in `axes` (from 0); they vanish, or stay with extent 1 (`keep`).  Pending, and
** fusable with what feeds it and with what follows.  sum and prod of integers and bools are int64 (uint64 for unsigned
** ones), of others their own dtype; min and max keep the dtype and NaN wins; any and all are bool; argmin and argmax
** (of one axis or all) give the first index, from 0, int64, NaN winning.  No elements: DC_SHAPE for min max argmin
** argmax. */
dc_array *dc_array_reduce(dc_reduce op, dc_array *a, uint32_t axes, bool keep, dc_error *err);
/* The mean, in the floating dtype that division gives; of no elements NaN. */
dc_array *dc_array_mean(dc_array *a, uint32_t axes, bool keep, dc_error *err);
/* The mean of squared distances from the mean, the divisor being n - ddof; `root`: its square root.  One pass. */
dc_array *dc_array_variance(dc_array *a, uint32_t axes, bool keep, double ddof, bool root, dc_error *err);
/* The square root of the sum of squared absolute values. */
dc_array *dc_array_norm(dc_array *a, uint32_t axes, bool keep, dc_error *err);
/* Random numbers by element, see codegen/random.c: float32 or float64, and int64 for integers, which are 0 to range-1
** (a range of 0 stands for 2^64: all bits). */
typedef enum dc_random {
  DC_RANDOM_UNIFORM, DC_RANDOM_NORMAL, DC_RANDOM_EXPONENTIAL, DC_RANDOM_INTEGER
} dc_random;
dc_array *dc_array_random(dc_device *dev, dc_random kind, dc_dtype dtype, int ndim, const int64_t *shape, uint64_t seed,
                          uint64_t call, uint64_t range, dc_error *err);
/* |a-b| <= atol + rtol*|b| everywhere (NaN equals nothing) / same shape and all elements equal. */
int dc_array_allclose(dc_array *a, dc_array *b, double rtol, double atol, bool *out, dc_error *err);
/* Whether a float or complex array has a NaN; of other dtypes none has. */
int dc_array_has_nan(dc_array *a, bool *yes, dc_error *err);
int dc_array_equal(dc_array *a, dc_array *b, bool *out, dc_error *err);

int dc_array_eval(dc_array *a, dc_error *err);
/* The CUDA C that eval would run now, malloc'ed; for a READY array a comment that says so. */
char *dc_array_source(dc_array *a, dc_error *err);

#endif
