/*
** device.h - what a device is.  This is the one header that the author of a backend must read.
**
** A backend is one `dc_backend`: how to find and open its devices, two properties, and seven tables of functions:
**
**   dc_memory_ops   allocation, copies, fills; page-locked host memory; the mailbox for single values
**   dc_code_ops     loading code, asking about its kernels, launching them
**   dc_stream_ops   streams, events, waiting
**   dc_graph_ops    capturing work and running it again; optional
**   dc_library_ops  matrix products, dense solvers, Fourier transforms; optional
**   dc_comm_ops     sums, copies and messages among several devices or processes; optional
**   dc_texture_ops  textures and surfaces (texture.h); optional
**
** All are constants with designated initialisers.  An optional table or slot is NULL where the backend has none; its
** comment says what happens then.  The registry copies the tables' addresses into each device, so a caller writes
** dev->memory->copy(dev, ...).  Callers outside device/ use the checked functions of registry.h, stream.h, capture.h,
** library.h and mailbox.h where there is one: they open the device at first use, count, and refuse what is missing.
** A backend is made known by dc_registry_add (registry.h); spec/device/counting.c is a small complete one.
**
** A dc_device is what one Lua state sees of a GPU or of the processor: its own stream, what it captures, what is known
** of the use of its memory.  Each state has dc_devices of its own (registry.h), so nothing above the backends is shared
** by states or needs a lock.  A backend shares what is best shared, the driver's context, memory, threads, between the
** dc_devices of one GPU, and locks that itself; never while a launch or a wait is under way.
**
** Conventions
**  - Every function that can fail returns 0 or -1 and fills the dc_error; exceptions are stated.
**  - Device addresses are 64-bit integers (dc_ptr); 0 is no address.
**  - Copies, fills, launches, allocations and frees go into the device's current stream (dev->stream) and run
**    there one after another.  A device begins with one stream, its own; `open` of the stream table makes others, and
**    stream.h keeps their uses of memory in order.  `launch` and device-side `fill`/`copy` may return before the work
**    is done; copies to and from host memory return when the host memory may be reused or read.
**  - Sizes are bytes unless a name says otherwise.
**  - Calls for one dc_device come from one thread at a time, not always the same; those for others, of the same GPU
**    too, come from other threads at the same time.  `discover`, `open` and `driver` are called by one thread at a
**    time.
*/
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/dtype.h"
#include "base/error.h"
#include "base/line.h"

typedef uint64_t dc_ptr;
typedef struct dc_device dc_device;
typedef struct dc_code dc_code;         /* a loaded module: the backend's own */
typedef struct dc_function dc_function; /* an entry of a module: the backend's own, lives as long as its module */

typedef struct dc_dim3 {
  uint32_t x, y, z;
} dc_dim3;

/* The kind of code that a device loads. */
typedef struct dc_target {
  char arch[24]; /* NVRTC's --gpu-architecture value: "compute_75" or "sm_90" */
  bool binary;   /* load cubins rather than PTX */
  bool gpu;      /* array kernels are generated for a GPU: vector accesses, shared memory, many loads ahead */
} dc_target;

/* Facts read once when the device is opened; `attributes` in Lua. */
typedef struct dc_device_facts {
  size_t total_memory, l2_cache;
  uint32_t max_block[3], max_grid[3];
  int compute_major, compute_minor;
  int multiprocessors, warp_size, clock_khz;
  int max_threads_per_block, max_threads_per_multiprocessor, max_blocks_per_multiprocessor;
  size_t shared_per_block, shared_per_block_optin, shared_per_multiprocessor;
  int registers_per_block;
  uint32_t most_params; /* bytes of a kernel's parameters */
  int max_cluster;     /* most blocks of a cluster; 1: there are no clusters */
  bool cooperative;    /* grids can be launched so that all their blocks are resident */
  bool overlapping;    /* a kernel can be launched to start before the one before has ended */
} dc_device_facts;

/* What every CUDA device takes, and what those of compute capability 7.0 and newer take from CUDA 12.1 on (PTX ISA
** 8.1, "Kernel function parameters"). */
#define DC_PARAMS_USUAL 4096
#define DC_PARAMS_LARGE 32764

typedef struct dc_function_facts {
  int max_threads;    /* a block, for this function */
  int registers;      /* a thread */
  size_t shared;      /* static, a block */
  size_t local;       /* a thread */
  size_t constant;    /* the module's constant memory that it uses */
  int binary_version; /* 90 for sm_90; 75 on the CPU device */
  dc_dim3 block;      /* the one shape of block that it runs with (.reqntid); x 0: any, or not known */
  dc_dim3 cluster;    /* blocks of its clusters (__cluster_dims__); x 0: any, or not known */
} dc_function_facts;

typedef struct dc_launch {
  dc_dim3 grid, block;
  uint32_t shared;    /* dynamic shared memory, bytes */
  void *stream;       /* the backend's; NULL: the device's own stream */
  const void *params; /* packed as the ABI wants: each parameter at its own aligned offset */
  size_t params_size;
  bool has_attributes; /* one of the following three is set; else they are not read */
  bool cooperative;   /* all blocks are to be resident together */
  bool dependent;     /* programmatic dependent launch: may start early, and waits for the kernel before by itself */
  dc_dim3 cluster;    /* blocks of a cluster; x 0: none asked for */
  /* set by `launch` of a backend that is not blocking: the stream was idle, so a fault is this launch's */
  bool attributable;
} dc_launch;
/* It has no threads: nothing to launch. */
static inline bool dc_launch_is_empty(const dc_launch *l) {
  const dc_dim3 g = l->grid, b = l->block;
  return g.x == 0 || g.y == 0 || g.z == 0 || b.x == 0 || b.y == 0 || b.z == 0;
}

/* --- libraries: matrix products, dense solvers, Fourier transforms, sorting --- A backend's functions for these stand
** on its vendor's libraries, loaded at first use.  A function may need device memory to work in: its `…_work` slot says
** how much, the caller sets `work` to its address. */

typedef enum dc_library {
  DC_LIBRARY_PRODUCT, DC_LIBRARY_SOLVER, DC_LIBRARY_FFT, DC_LIBRARY_SORT, DC_NLIBRARIES
} dc_library;

/* Rounding of float32 factors before they are multiplied: none, to TF32 (10 bits), or to bfloat16. */
typedef enum dc_precision { DC_PRECISION_FLOAT32, DC_PRECISION_TF32, DC_PRECISION_BFLOAT16 } dc_precision;

/* c = a b for each matrix of a batch, in C order; m, n, k, batch > 0.  float32, float64, complex64, complex128; also
** float16 and bfloat16, accumulated in float32, where the backend has half_products.  Distances are in elements. */
typedef struct dc_product {
  dc_dtype dtype;
  dc_precision precision;
  int64_t m, n, k, batch;  /* a is m by k, b is k by n */
  dc_ptr a, b, c;
  bool ta, tb;             /* a is stored transposed: its element (i, l) at a[l * lda + i], else at a[i * lda + l] */
  int64_t lda, ldb, ldc;   /* from row to row as stored; at least the length of a row */
  int64_t step_a, step_b, step_c; /* from matrix to matrix; 0: the same for all */
  dc_ptr work;
  size_t work_bytes;
} dc_product;

/* Operations on a batch of matrices, stored in Fortran's order: a column after the other without gaps. */
typedef enum dc_dense_op {
  DC_DENSE_LU,       /* a (n by n) becomes its LU factors with unit L, b the n pivots, int64 from 1 */
  DC_DENSE_SOLVE,    /* b (n by k) becomes the x of transpose(a) x = b; a (n by n) is overwritten */
  DC_DENSE_CHOLESKY, /* a's upper triangle becomes the U of a = conjugate transpose(U) U; the other stays as it is */
  DC_DENSE_QR,       /* a (m by n) becomes R and the reflectors below it, b their min(m, n) factors */
  DC_DENSE_FORM_Q,   /* a, with the n reflectors as above and factors in b, becomes the first k columns of Q */
  DC_DENSE_EIGH,     /* of a's lower triangle: b becomes the n real eigenvalues, ascending; a the vectors, if wanted */
  DC_DENSE_SVD       /* of a (m by n, m >= n; overwritten): b becomes the n singular values, descending; if wanted,
                        c the left vectors (m by n, m by m with `full`) and d the right ones as rows (n by n) */
} dc_dense_op;

/* float32, float64, complex64, complex128; m, n, k, batch > 0. `info` is filled when the slot returns, so the work is
** done then. A number > 0 means, of LU and SOLVE, a zero pivot, of CHOLESKY, not positive definite, of EIGH and SVD,
** that they did not converge. */
typedef struct dc_dense {
  dc_dense_op op;
  dc_dtype dtype;
  int64_t m, n, k, batch;
  int64_t step_a;    /* elements from matrix to matrix of a; those of the others have no gaps */
  bool vectors, full;
  dc_ptr a, b, c, d;
  int *info;         /* one a matrix, in host memory */
  dc_ptr work;
  size_t work_bytes;
  /* set by dense_work */
  bool short_pivots; /* of LU: they are int32 */
  bool columns;      /* of SVD: c is m by m in any case, and the right vectors are d's columns */
} dc_dense;

typedef enum dc_fft_kind {
  DC_FFT_FORWARD,  /* complex to complex, exponent -i */
  DC_FFT_BACKWARD, /* complex to complex, exponent +i, not divided by n */
  DC_FFT_REAL,     /* forward, of real numbers: the first n/2 + 1 of the last axis */
  DC_FFT_TO_REAL   /* backward, from the output of DC_FFT_REAL; the input is overwritten */
} dc_fft_kind;
#define DC_FFT_AXES 3

/* A batch of transforms from one memory to another, over 1 to 3 axes; all extents > 0. Distances are in elements of
** what lies there; that of an outer axis is a multiple of the next inner one's, and not less than it. */
typedef struct dc_fft {
  dc_fft_kind kind;
  bool wide;               /* float64 and complex128, else float32 and complex64 */
  int axes;
  int64_t n[DC_FFT_AXES];  /* of the real numbers where there are some; outermost first */
  int64_t in_step[DC_FFT_AXES], out_step[DC_FFT_AXES];
  int64_t batch, in_batch, out_batch; /* how many, and from one to the next */
  dc_ptr in, out;
  dc_ptr work;
  size_t work_bytes;
} dc_fft;

/* Whether two transforms have the same extents, steps and batch, whatever their kinds and memory. */
static inline bool dc_fft_same_layout(const dc_fft *a, const dc_fft *b) {
  bool same = a->axes == b->axes && a->batch == b->batch && a->in_batch == b->in_batch &&
              a->out_batch == b->out_batch;
  for (int i = 0; same && i < a->axes; i++)
    same = a->n[i] == b->n[i] && a->in_step[i] == b->in_step[i] && a->out_step[i] == b->out_step[i];
  return same;
}

/* Rows of numbers to sort from one memory to another, each of which has no gaps and overlaps nothing. */
typedef struct dc_sort {
  dc_dtype dtype;
  bool descending;
  int64_t rows, length; /* both > 0 */
  dc_ptr in, out;
} dc_sort;

/* --- communication: one device of each of several ranks, which are processes or a process's devices --- */

typedef enum dc_comm_op {
  DC_COMM_ALL_REDUCE,     /* dst of each rank = the fold of all src */
  DC_COMM_REDUCE,         /* the same, on the root alone */
  DC_COMM_BROADCAST,      /* dst = the root's src */
  DC_COMM_ALL_GATHER,     /* dst = all src, one after another by rank */
  DC_COMM_REDUCE_SCATTER, /* dst of rank r = block r of the fold of all src */
  DC_COMM_ALL_TO_ALL,     /* block s of rank r's dst = block r of rank s's src */
  DC_COMM_BARRIER,
  DC_COMM_SEND,
  DC_COMM_RECV
} dc_comm_op;

typedef enum dc_comm_fold {
  DC_COMM_SUM, DC_COMM_PROD, DC_COMM_MIN, DC_COMM_MAX,
  DC_COMM_MEAN /* of floating and complex dtypes */
} dc_comm_fold;

struct dc_array;

/* One rank's part of an operation. */
typedef struct dc_comm_call {
  dc_device *dev;
  void *comm;        /* the backend's communicator */
  dc_comm_op op;
  dc_comm_fold fold;
  dc_dtype dtype;
  int64_t count;     /* elements of src; of REDUCE_SCATTER those of dst, of ALL_TO_ALL those of a block */
  int peer;          /* the root, or the other rank of a message */
  dc_ptr src, dst;   /* equal, or they do not overlap; equal for the first three operations only */
  const char *where; /* "script.lua:12"; NULL among the devices of one process */
  bool busy;         /* set when it has failed and the memory may still be read or written */
  struct dc_array *from, *to; /* the arrays of src and dst, NULL: none; backends do not use them */
} dc_comm_call;

/* What a backend keeps for a prepared (persistent) operation. */
typedef struct dc_comm_prepared dc_comm_prepared;

struct dc_ranks; /* the processes that a launcher has started, connected by MPI (comm/ranks.h) */

/* Elements copied from one view of memory to another, which do not overlap. */
#define DC_VIEW_AXES 32
typedef struct dc_view_copy {
  dc_ptr to, from;
  size_t size;  /* bytes of an element: 1, 2, 4, 8 or 16 */
  int naxes;    /* at most DC_VIEW_AXES */
  const int64_t *extent, *to_step, *from_step; /* of each axis, in elements, and in bytes from one to the next */
} dc_view_copy;

/* --- the tables --- */

typedef struct dc_memory_ops {
  /* At least 64-byte aligned memory of n > 0 bytes, contents undefined.  Freed memory may be cached for it; before it
  ** fails with DC_MEMORY the cache has been released. */
  int (*alloc)(dc_device *dev, size_t n, dc_ptr *out, dc_error *err);
  /* n as it was allocated; ordered after work issued before; never fails */
  void (*free)(dc_device *dev, dc_ptr p, size_t n);
  int (*info)(dc_device *dev, size_t *free_bytes, size_t *total_bytes, dc_error *err);
  size_t (*reserved)(dc_device *dev); /* bytes allocated or cached; optional (default: dev->bytes_live) */
  void (*trim)(dc_device *dev);       /* releases cached memory; optional (default: nothing is cached); never fails */
  /* Its Lua state has ended: what it alone has cached is for the others. Never waits, never fails; optional (default:
  ** it alone has cached nothing). */
  void (*rest)(dc_device *dev);
  int (*to_device)(dc_device *dev, dc_ptr dst, const void *src, size_t n, dc_error *err);
  int (*to_host)(dc_device *dev, void *dst, dc_ptr src, size_t n, dc_error *err); /* waits for the work before it */
  /* within the device; the two may overlap only if equal */
  int (*copy)(dc_device *dev, dc_ptr dst, dc_ptr src, size_t n, dc_error *err);
  /* n elements of `size` bytes (1, 2, 4 or 8) set to the value at `pattern`, from dst on */
  int (*fill)(dc_device *dev, dc_ptr dst, const void *pattern, size_t size, size_t n, dc_error *err);
  /* Sets *copied, which is false, when it has copied: it may leave some copies to kernels.  Optional (default: all). */
  int (*copy_view)(dc_device *dev, const dc_view_copy *p, bool *copied, dc_error *err);
  /* straight between two devices of this backend; required unless the backend has host_memory */
  int (*peer_copy)(dc_device *dst_dev, dc_ptr dst, dc_device *src_dev, dc_ptr src, size_t n, dc_error *err);
  /* Gives kernels of `dev` access to the memory of `owner`, another device of this backend; and makes the current
  ** stream of `waiter` wait for all that is in `first`'s now.  Both optional (default: possible with host_memory
  ** alone). */
  int (*reach)(dc_device *dev, dc_device *owner, dc_error *err);
  int (*order)(dc_device *first, dc_device *waiter, dc_error *err);

  /* Page-locked host memory, and copies to and from it that do not wait, in the stream's order; all four optional
  ** (default: the device has none). */
  int (*pinned_alloc)(dc_device *dev, size_t n, void **out, dc_error *err);
  void (*pinned_free)(dc_device *dev, void *p);
  int (*to_device_async)(dc_device *dev, dc_ptr dst, const void *src, size_t n, dc_error *err);
  int (*to_host_async)(dc_device *dev, void *dst, dc_ptr src, size_t n, dc_error *err);

  /* The mailbox (mailbox.h): a kernel posts a value of up to 16 bytes to the slot `at` under `sequence`, and the host
  ** reads it without a copy.  Both optional (default: values are copied).  One message at a time, in the device's own
  ** stream; `mailbox` gives false when the slot cannot be used now.  `mailbox_wait`: 0 with the value; 1 when the
  ** kernel has ended without posting it; -1. */
  bool (*mailbox)(dc_device *dev, dc_ptr *at, uint64_t *sequence);
  int (*mailbox_wait)(dc_device *dev, uint64_t sequence, void *value, size_t n, dc_error *err);
} dc_memory_ops;

typedef struct dc_code_ops {
  /* `image` is PTX text (NUL-terminated, len without the NUL) or a cubin, as target.binary asks */
  int (*load)(dc_device *dev, const void *image, size_t len, dc_code **out, dc_error *err);
  void (*unload)(dc_device *dev, dc_code *code); /* after its launches, without waiting for them; never fails */
  /* DC_ARGUMENT when there is no entry of that (mangled) name */
  int (*function)(dc_device *dev, dc_code *code, const char *name, dc_function **out, dc_error *err);
  /* calls `visit` with the name of each entry; optional (default: the image cannot be listed) */
  int (*entries)(dc_device *dev, dc_code *code, int (*visit)(void *ud, const char *name), void *ud, dc_error *err);
  /* offset and size of parameter i; returns 1 when there is no parameter i, 2 when they are not known */
  int (*param)(dc_function *fn, int i, size_t *offset, size_t *size);
  int (*facts)(dc_function *fn, dc_function_facts *out, dc_error *err);
  /* also counts it (dc_count_launch), unless it goes into a graph */
  int (*launch)(dc_device *dev, dc_function *fn, dc_launch *l, dc_error *err);
  /* address and size of a module variable; optional (default: variables cannot be reached) */
  int (*global)(dc_device *dev, dc_code *code, const char *name, dc_ptr *ptr, size_t *size, dc_error *err);
  /* resident blocks per multiprocessor; optional (default: unknown, and no cooperative launches) */
  int (*occupancy)(dc_function *fn, uint32_t threads, size_t shared, int *blocks, dc_error *err);
  /* compilation tier of the function's code: 0 interpreted, 1 native; optional (default: the device has one way).
  ** *why: the reason for which it stays interpreted, in static memory or the function's; NULL: it does not, or that is
  ** not known yet. */
  int (*tier)(dc_function *fn, const char **why);
  /* raises the function's dynamic shared memory limit; optional (default: the limit is facts.shared_per_block) */
  int (*set_shared_limit)(dc_function *fn, size_t bytes, dc_error *err);
  /* Every thread of every kernel has a stack of at least `bytes` from now on; DC_LAUNCH when that is more than the
  ** device can have.  Optional (default: stacks have a fixed size). */
  int (*set_stack)(dc_device *dev, size_t bytes, dc_error *err);
} dc_code_ops;

/* Streams and events.  A `stream` that is NULL is the device's own.  `synchronize` is required; the others are all
** there or none (default: the own stream is the only one).  The functions that wait end with DC_INTERRUPTED after
** Ctrl-C; `done` and `event_done` give 1 (done), 0 (not yet) or -1. */
typedef struct dc_stream_ops {
  int (*synchronize)(dc_device *dev, void *stream, dc_error *err);
  int (*open)(dc_device *dev, void **stream, dc_error *err);
  void (*close)(dc_device *dev, void *stream); /* its work is done; never fails */
  int (*done)(dc_device *dev, void *stream, dc_error *err);
  /* what is issued to the stream from now on runs after the event; it may be of another device of this backend */
  int (*wait)(dc_device *dev, void *stream, void *event, dc_error *err);
  int (*event_open)(dc_device *dev, bool timed, void **event, dc_error *err);
  void (*event_close)(dc_device *dev, void *event);
  int (*event_record)(dc_device *dev, void *event, void *stream, dc_error *err);
  int (*event_done)(dc_device *dev, void *event, dc_error *err);
  int (*event_synchronize)(dc_device *dev, void *event, dc_error *err);
  /* between two timed events that are done */
  int (*event_elapsed)(dc_device *dev, void *from, void *to, double *seconds, dc_error *err);
} dc_stream_ops;

/* Graphs; needs the whole stream table.  Optional as a whole (default: the device has no graphs). */
typedef struct dc_graph_ops {
  /* A stream of the backend's for the capture: launches, copies and fills that are issued to it until `end` do not
  ** run but are recorded. */
  int (*begin)(dc_device *dev, void **stream, dc_error *err);
  /* Another stream for the same graph: what is issued to it after it has waited for an event of the first (the stream
  ** table's `wait`) becomes a branch of the graph.  It is the backend's, ends with the capture, and the first stream
  ** waits for it before that.  Only between `begin` and `end`. */
  int (*fork)(dc_device *dev, void **stream, dc_error *err);
  /* Gives what was captured as a graph; `old` (may be NULL) is a graph that may be changed into it: then *graph is
  ** `old`.  With graph NULL the capture is discarded. */
  int (*end)(dc_device *dev, void *old, void **graph, dc_error *err);
  int (*launch)(dc_device *dev, void *graph, void *stream, dc_error *err);
  void (*close)(dc_device *dev, void *graph); /* its runs are over; never fails */
} dc_graph_ops;

/* Libraries, in the current stream.  Each function is optional, and so is the table (default: the device has no library
** for that).  DC_DEVICE when the library is not installed; the message says how to get it. */
typedef struct dc_library_ops {
  bool half_products;      /* products of float16 and bfloat16 too */
  bool products_in_graphs; /* products can be captured */
  bool lu_loses_nan;       /* an LU factorization takes NaN for 0: callers look for NaN first */
  bool fft_pairs;          /* real input or output of a transform starts at an even element */
  int64_t fft_points;      /* transforms of more points over several axes run faster axis by axis; 0: they do not */
  /* for `dclua --doctor`: what the libraries' file names begin with, and Debian's packages of them (NULL: none), both
  ** separated by blanks */
  const char *files[DC_NLIBRARIES], *packages[DC_NLIBRARIES];
  /* 0 when the library is there and can be used; default: it is linked in and needs no loading */
  int (*load)(dc_device *dev, dc_library which, dc_error *err);
  int (*product)(dc_device *dev, const dc_product *p, dc_error *err);
  int (*dense)(dc_device *dev, const dc_dense *p, dc_error *err);
  int (*fft)(dc_device *dev, const dc_fft *p, dc_error *err);
  /* *sorted = false, with `out` undefined: the library lacks the dtype, or would order these values in another way than
  ** stably with -0 = 0 and NaN last.  Complete when it returns. */
  int (*sort)(dc_device *dev, const dc_sort *p, bool *sorted, dc_error *err);
  /* Fill work_bytes; the addresses are not used. Default: 0 bytes. */
  int (*product_work)(dc_device *dev, dc_product *p, dc_error *err);
  int (*dense_work)(dc_device *dev, dc_dense *p, dc_error *err);
  int (*fft_work)(dc_device *dev, dc_fft *p, dc_error *err);
} dc_library_ops;

/* Communication, in the device's current stream.  Optional (default: processes exchange nothing, and arrays of several
** devices of a process are copied and added). */
typedef struct dc_comm_ops {
  const char *library;  /* "NCCL", "MPI" */
  bool in_graphs;       /* it can be captured */
  /* 0 when the library is there and can be used; *path: its file, malloc'ed, NULL if it is not known */
  int (*load)(char **path, dc_error *err);
  /* A communicator of the device with those of the other ranks, which all call this. */
  int (*open)(dc_device *dev, struct dc_ranks *ranks, void **comm, dc_error *err);
  /* The same for devices of this process; optional (default: see above). */
  int (*open_all)(dc_device *const *devices, int n, void **comms, dc_error *err);
  void (*close)(dc_device *dev, void *comm); /* never fails */
  /* Runs the calls together: none waits for the one before it. All are of this backend.  `prepared`: NULL,
  ** or, of a prepared operation, the place of what the backend keeps for it, NULL there at the first run; its calls are
  ** the same in each run, but for their addresses. */
  int (*run)(dc_comm_call *calls, int n, dc_comm_prepared **prepared, dc_error *err);
  void (*release_prepared)(dc_comm_prepared *prepared); /* never fails. Optional (default: nothing is kept) */
} dc_comm_ops;

/* --- devices and backends --- */

enum dc_device_state { DC_DEVICE_CLOSED, DC_DEVICE_OPEN, DC_DEVICE_BROKEN, DC_DEVICE_LOST };

struct dc_device {
  /* the cache line that every launch and allocation reads */
  alignas(DC_CACHE_LINE) const dc_code_ops *code;
  const dc_memory_ops *memory;
  void *impl;          /* the backend's */
  void *stream;        /* the backend's current stream; NULL: the device's own */
  struct dc_capture *capture; /* of capture.c; NULL: nothing is being captured */
  int tracking;        /* not 0: uses of memory are recorded (hazard.h), because there are several streams, a capture,
                          or memory in use by another device */
  atomic_uchar state;  /* an enum dc_device_state; a fault that another state's thread finds makes it DC_DEVICE_LOST */
  bool blocking, host_memory, simt; /* as the backend's */
  size_t bytes_live;   /* in dc_device_alloc'ed memory */
  size_t bytes_limit;  /* dc_device_alloc fails beyond it; 0: the device's memory is the limit */
  /* the cache line that allocations read, too */
  size_t bytes_peak;   /* maximum of bytes_live */
  struct dc_array_context *arrays; /* of array/graph/context.h; NULL until needed */
  struct dc_device_set *set;     /* its Lua state's devices */
  dc_device_facts facts;
  dc_target target;
  const dc_stream_ops *streams;
  const dc_graph_ops *graphs;       /* empty where the backend has none */
  const dc_library_ops *libraries;  /* the same */
  const dc_comm_ops *comms;         /* NULL where the backend has none */
  const struct dc_texture_ops *textures; /* the same; of texture.h */
  const struct dc_backend *backend;
  int index;           /* the backend's own number, from 0 */
  char id[24];         /* "cuda:0", "cpu" */
  char name[96];       /* "NVIDIA H200" */
  dc_error open_error; /* why it could not be opened; remembered */
  uint64_t serial;     /* unique in the process */
  struct dc_stream_state *stream_state; /* of stream.c; NULL until needed */
  struct dc_allocation_sites *sites;    /* of allocation_sites.c; NULL until needed */
};
_Static_assert(offsetof(dc_device, bytes_peak) == DC_CACHE_LINE, "what a launch reads is one cache line");

/* The driver that a backend needs, for `dclua --doctor`. */
typedef struct dc_driver_info {
  const char *name;    /* "CUDA" */
  bool available;
  int version;         /* 1000 major + 10 minor, as CUDA counts: 13000 for 13.0; 0 unknown */
  const char *library; /* the file loaded, or NULL */
  const char *why_not; /* when not available: the reasons, perhaps several lines */
} dc_driver_info;

typedef struct dc_backend {
  const char *name;    /* "cuda", "cpu": what ids begin with */
  /* `launch` returns only after the kernel has run, so that its errors are its own; otherwise they surface later, and
  ** the backend names the kernel */
  bool blocking;
  /* device memory is host memory: its addresses can be read and written by the host once launches have returned */
  bool host_memory;
  /* threads of a warp run in lockstep on hardware of its own: kernels are written for coalesced accesses and warp-wide
  ** steps; else for long serial runs per thread */
  bool simt;
  const dc_memory_ops *memory;
  const dc_code_ops *code;
  const dc_stream_ops *streams;
  const dc_graph_ops *graphs;       /* optional */
  const dc_library_ops *libraries;  /* optional */
  const dc_comm_ops *comms;         /* optional */
  const struct dc_texture_ops *textures; /* optional */
  /* Appends its devices, unopened, through `add`, which gives a zeroed device with the fields above filled; discover
  ** fills index, id, name and what it needs of impl.  Returns 0, or -1 with the reason why there is none (no driver, no
  ** device, ...): remembered by the registry, not raised.  Called once for each Lua state, whose devices those are. */
  int (*discover)(dc_device *(*add)(void *ud), void *ud, dc_error *err);
  /* Makes the device usable (context, stream, threads), before any slot of the tables is called; fills dev->facts and
  ** dev->target.  It stays open until the process ends. */
  int (*open)(dc_device *dev, dc_error *err);
  /* Loads and starts the driver, if it is not, and describes it; optional (default: the backend needs no driver). */
  void (*driver)(dc_driver_info *info);
} dc_backend;
