/*
** driver.h - inside cuda/: the loaded driver, a device's state, and what becomes of its errors.
*/
#ifndef DC_CUDA_DRIVER_H
#define DC_CUDA_DRIVER_H

#include <stdatomic.h>

#include "base/runtime.h"
#include "cuda/api.h"
#include "cuda/cuda.h"

/* A stream; its address is the handle that device.h's slots take. */
typedef struct dc_cuda_stream {
  CUstream handle;   /* non-blocking */
  uint64_t issued;   /* serial of the last launch in it */
  uint64_t finished; /* serial of the last launch that is known to have ended well */
  struct dc_cuda_stream *next;
} dc_cuda_stream;

typedef struct dc_cuda_staging dc_cuda_staging; /* staging.c */

/* A device's own part (dev->impl). */
typedef struct dc_cuda {
  /* what every launch looks at */
  alignas(DC_LINE) dc_device *dev;
  dc_cuda_stream own; /* the device's own: everything runs here as long as nobody makes another; head of the list */
  bool sync_launches; /* DOTCOMPUTE_SYNC: wait after each launch */
  __typeof__(((dc_cuda_api *)0)->LaunchKernel) launch; /* dc_cu's, which stands far from here */
  CUcontext context;  /* the primary one, retained while open */
  CUdevice handle;
  struct dc_cuda_capture *capture; /* graph.c's; NULL until a graph is captured */
  CUevent event;      /* orders this device against another */
  CUmemoryPool pool;  /* the device's default pool; NULL: no stream-ordered memory */
  char *pinned;       /* staging for small copies, and the mailbox; or NULL */
  uint64_t sequence;  /* of the mailbox's last message */
  struct dc_cuda_blocks *blocks; /* blocks.c's; NULL: none kept */
  size_t upload_at;   /* first unused byte of its upload part */
  bool reading;       /* its part for reads is in use: an interrupted read left a copy under way */
  dc_cuda_staging *staging; /* for large copies; NULL until there was one */
  uint64_t peers[2];  /* bits of devices that have been told that they may reach this one's memory */
  struct dc_cuda_libraries *libraries; /* library.c's; NULL until one is used */
  dc_code *doomed;    /* unloaded by their owners while their kernels could still run */
} dc_cuda;

struct dc_code {
  dc_cuda *d;
  CUmodule module;
  dc_function *functions; /* all handed out, newest first */
  dc_code *next_doomed;
};

struct dc_function {
  alignas(DC_LINE) dc_cuda *d;
  CUfunction handle;
  uint64_t last_launch; /* its serial */
  dc_code *code;
  dc_function *next;
  char name[]; /* in the image, so mangled */
};

/* --- driver.c ------------------------------------------------------------------------------------ */
extern dc_cuda_api dc_cu;

/* Loads the library and calls cuInit, once; later calls repeat the first answer. */
int dc_cuda_start(dc_error *err);
int dc_cuda_driver_version(void); /* 13000 for CUDA 13.0; 0 before it has been started */
void dc_cuda_driver_info(dc_driver_info *info); /* dc_backend's slot */

/* --- fault.c ------------------------------------------------------------------------------------- */

/* A recent launch. `fn` may dangle only once it has ended: unloading code waits for its kernels. */
typedef struct dc_cuda_recent {
  const dc_cuda *d;
  const dc_cuda_stream *stream;
  dc_function *fn;
  uint64_t serial; /* 0: nothing here */
} dc_cuda_recent;
#define DC_CUDA_RING 64 /* a power of two */

/* What every launch looks at, whatever the device. */
extern struct dc_cuda_process {
  alignas(DC_LINE) atomic_int dead; /* not 0: CUDA cannot be used in this process any more (a fault, a forked child) */
  atomic_uint_fast64_t last_serial; /* launches are numbered */
  dc_cuda_recent ring[DC_CUDA_RING]; /* each at its number */
} dc_cuda_process;
int dc_cuda_fail_dead(dc_error *err); /* says why; always -1 */
static inline bool dc_cuda_is_dead(void) {
  return atomic_load_explicit(&dc_cuda_process.dead, memory_order_relaxed) != 0;
}

/* Makes the device known, so that it becomes DC_DEVICE_LOST when CUDA is lost. */
void dc_cuda_adopt(dc_device *dev);
/* In a child after fork: everything is refused from here on. */
void dc_cuda_forked(void);

/* Error for a driver call that returned r != CUDA_SUCCESS: "<what>: <driver's text>" with the code's
** name; out-of-memory becomes DC_MEMORY.  A fault is latched and reported as such.  Always -1. */
int dc_cuda_fail(CUresult r, dc_kind kind, dc_error *err, const char *what, ...) DC_PRINTF(4, 5);
/* For calls whose failure nobody is told: only latches faults. */
void dc_cuda_note(CUresult r);

/* The number of the coming launch. A locked addition waits for all that was written before. */
static inline uint64_t dc_cuda_next_serial(void) {
  atomic_uint_fast64_t *last = &dc_cuda_process.last_serial;
  if (atomic_load_explicit(&dc_process.many_threads, memory_order_relaxed))
    return atomic_fetch_add_explicit(last, 1, memory_order_relaxed) + 1;
  const uint64_t serial = atomic_load_explicit(last, memory_order_relaxed) + 1;
  atomic_store_explicit(last, serial, memory_order_relaxed);
  return serial;
}
/* Notes that fn is launched in s under that number, for the blame; and that it was not: the last numbers are again
** these. */
static inline void dc_cuda_launched(dc_function *fn, dc_cuda_stream *s, uint64_t serial) {
  dc_cuda_process.ring[serial % DC_CUDA_RING] = (dc_cuda_recent){ fn->d, s, fn, serial };
  s->issued = fn->last_launch = serial;
}
void dc_cuda_not_launched(dc_function *fn, dc_cuda_stream *s, uint64_t issued, uint64_t last_launch);
/* Nobody is asked about the stream any more: it goes. */
void dc_cuda_forget(const dc_cuda_stream *s);
void dc_cuda_forget_function(const dc_function *fn);
/* "'saxpy', 'norm'": the kernels launched on d that are not known to have ended, into text[n]; returns how many. */
size_t dc_cuda_running(const dc_cuda *d, char *text, size_t n);

/* --- device.c ------------------------------------------------------------------------------------ */

/* Before every driver call that needs the context: refuses when CUDA is lost, else makes the device's
** context current in this thread (other libraries may have changed it). */
static inline int dc_cuda_enter(dc_cuda *d, dc_error *err) {
  if (DC_UNLIKELY(dc_cuda_is_dead())) return dc_cuda_fail_dead(err);
  CUcontext now = NULL;
  if (DC_LIKELY(dc_cu.CtxGetCurrent(&now) == CUDA_SUCCESS && now == d->context)) return 0;
  CUresult r = dc_cu.CtxSetCurrent(d->context);
  return r == CUDA_SUCCESS ? 0 : dc_cuda_fail(r, DC_DEVICE, err, "cannot switch to %s", d->dev->id);
}

/* The device's current stream. */
static inline dc_cuda_stream *dc_cuda_now(dc_cuda *d) {
  return d->dev->stream != NULL ? (dc_cuda_stream *)d->dev->stream : &d->own;
}
static inline CUstream dc_cuda_handle(dc_cuda *d) { return dc_cuda_now(d)->handle; }

/* device.h's slot: waits for the stream, then copies. */
int dc_cuda_to_host(dc_device *dev, void *dst, dc_ptr src, size_t n, dc_error *err);

/* --- stream.c -------------------------------------------------------------------------------------- */

/* One look at the stream: CUDA_SUCCESS when all that was issued has ended (what waited for that is done
** then), else CUDA_ERROR_NOT_READY or an error.  The context is current. */
CUresult dc_cuda_poll(dc_cuda *d, dc_cuda_stream *s);
/* Waits until the stream is done; DC_INTERRUPTED when Ctrl-C came first. */
int dc_cuda_wait(dc_cuda *d, dc_cuda_stream *s, dc_error *err);
/* The same, or until `seen`, which looks at what a kernel writes, is true. */
int dc_cuda_wait_or_see(dc_cuda *d, dc_cuda_stream *s, bool (*seen)(void *ud), void *ud, dc_error *err);
int dc_cuda_wait_all(dc_cuda *d, dc_error *err); /* every stream of the list */
int dc_cuda_wait_to_trim(dc_cuda *d, dc_error *err);

/* While a graph is captured the driver refuses calls that might be part of it by mistake; between these two it does
** not.  The context is current. */
int dc_cuda_relax(const dc_cuda *d);
void dc_cuda_restrain(const dc_cuda *d, int mode);

int dc_cuda_event_synchronize(dc_device *dev, void *event, dc_error *err);
extern const dc_stream_ops dc_cuda_stream_ops;

/* --- staging.c ------------------------------------------------------------------------------------- */

#define DC_CUDA_STAGED ((size_t)8 << 20) /* copies of so many bytes and more go this way */
/* Whether a copy of n bytes should and can go this way. The context is current. */
bool dc_cuda_staged(dc_cuda *d, size_t n);
/* Copies n bytes between the device, at `at`, and pageable host memory; `up`: to the device. In the current stream;
** waits for it. */
int dc_cuda_staged_copy(dc_cuda *d, void *host, dc_ptr at, size_t n, bool up, dc_error *err);
/* Gives all back; the driver is told if it is `alive`. */
void dc_cuda_staging_close(dc_cuda *d, bool alive);

/* --- graph.c --------------------------------------------------------------------------------------- */

extern const dc_graph_ops dc_cuda_graph_ops;
/* Notes that fn is part of the graph that is being captured. */
void dc_cuda_captured(const dc_function *fn);
/* The stream for it goes; the driver is told if it is `alive`. */
void dc_cuda_close_capture(dc_cuda *d, bool alive);

/* --- code.c ---------------------------------------------------------------------------------------- */

/* Unloads what is in d->doomed and has ended; the context is current. With `all` the driver is gone: it is just
** dropped. */
void dc_cuda_drop_doomed(dc_cuda *d, bool all);

extern const dc_code_ops dc_cuda_code_ops;

/* Blocks of a cluster: 8 everywhere (the programming guide), 16 on GPUs of compute capability 9.0 for kernels that say
** that they are not portable. */
#define DC_CUDA_PORTABLE_CLUSTER 8
#define DC_CUDA_CLUSTER 16

/* --- blocks.c ------------------------------------------------------------------------------------ */
size_t dc_cuda_block_size(size_t n); /* of the block that n bytes are given */
bool dc_cuda_block_take(dc_cuda *d, size_t n, dc_ptr *p);
bool dc_cuda_block_keep(dc_cuda *d, size_t n, dc_ptr p); /* false: give it back to the driver */
/* Keeps none any more; `give_back` NULL: the memory is gone already. */
void dc_cuda_blocks_drop(dc_cuda *d, void (*give_back)(dc_cuda *d, dc_ptr p));

/* --- mailbox.c -------------------------------------------------------------------------------------- */
#define DC_CUDA_MAILBOX_AT ((size_t)17 << 16) /* in the pinned memory */
#define DC_CUDA_MAILBOX_SIZE ((size_t)64)          /* bytes there */
bool dc_cuda_mailbox(dc_device *dev, dc_ptr *at, uint64_t *sequence);
int dc_cuda_mailbox_wait(dc_device *dev, uint64_t sequence, void *value, size_t n, dc_error *err);

#endif
