/*
** driver.h - inside cuda/: the loaded driver, a device's state, and what becomes of its errors.
*/
#ifndef DC_CUDA_DRIVER_H
#define DC_CUDA_DRIVER_H

#include <stdatomic.h>

#include "cuda/api.h"
#include "cuda/cuda.h"

/* A device's own part (dev->impl). */
typedef struct dc_cuda {
  dc_device *dev;
  CUdevice handle;
  CUcontext context;  /* the primary one, retained while open */
  CUstream stream;    /* non-blocking: everything runs here */
  CUevent event;      /* orders this stream against another device's */
  CUmemoryPool pool;  /* the device's default pool; NULL: no stream-ordered memory */
  char *pinned;       /* staging for small copies, or NULL */
  size_t upload_at;   /* first unused byte of its upload part */
  bool sync_launches; /* DOTCOMPUTE_SYNC: wait after each launch */
  uint64_t issued;    /* serial of the last launch in this stream */
  uint64_t finished;  /* serial of the last launch that is known to have ended well */
  dc_code *doomed;    /* unloaded by their owners while their kernels could still run */
} dc_cuda;

struct dc_code {
  dc_cuda *d;
  CUmodule module;
  dc_function *functions; /* all handed out, newest first */
  uint64_t last_launch;   /* serial of its kernels' last launch */
  dc_code *next_doomed;
};

struct dc_function {
  dc_cuda *d;
  CUfunction handle;
  dc_code *code;
  dc_function *next;
  char name[]; /* in the image, so mangled */
};

/* --- driver.c ------------------------------------------------------------------------------------ */
extern dc_cuda_api dc_cu;

/* Loads the library and calls cuInit, once; later calls repeat the first answer. */
int dc_cuda_start(dc_error *err);

/* --- fault.c ------------------------------------------------------------------------------------- */

/* Nonzero once CUDA cannot be used in this process any more: after a fault, or in a forked child. */
extern atomic_int dc_cuda_dead;
int dc_cuda_fail_dead(dc_error *err); /* says why; always -1 */

/* Makes the device known, so that it becomes DC_DEVICE_LOST when CUDA is lost. */
void dc_cuda_adopt(dc_device *dev);
/* In a child after fork: everything is refused from here on. */
void dc_cuda_forked(void);

/* Error for a driver call that returned r != CUDA_SUCCESS: "<what>: <driver's text>" with the code's
** name; out-of-memory becomes DC_MEMORY.  A fault is latched and reported as such.  Always -1. */
int dc_cuda_fail(CUresult r, dc_kind kind, dc_error *err, const char *what, ...) DC_PRINTF(4, 5);
/* For calls whose failure nobody is told: only latches faults. */
void dc_cuda_note(CUresult r);

/* Notes that fn was launched, for the blame. */
void dc_cuda_launched(dc_function *fn);
/* "'saxpy', 'norm'": the kernels launched on d that are not known to have ended, into text[n]; returns how many. */
size_t dc_cuda_running(const dc_cuda *d, char *text, size_t n);
/* The name a user knows for an image's entry: "saxpy" for "_Z5saxpyiPf", into text[n]. */
const char *dc_cuda_short_name(const char *entry, char *text, size_t n);

/* --- device.c ------------------------------------------------------------------------------------ */

/* Before every driver call that needs the context: refuses when CUDA is lost, else makes the device's
** context current in this thread (other libraries may have changed it). */
static inline int dc_cuda_enter(dc_cuda *d, dc_error *err) {
  if (__builtin_expect(atomic_load_explicit(&dc_cuda_dead, memory_order_relaxed), 0)) return dc_cuda_fail_dead(err);
  CUcontext now = NULL;
  if (__builtin_expect(dc_cu.CtxGetCurrent(&now) == CUDA_SUCCESS && now == d->context, 1)) return 0;
  CUresult r = dc_cu.CtxSetCurrent(d->context);
  return r == CUDA_SUCCESS ? 0 : dc_cuda_fail(r, DC_DEVICE, err, "cannot switch to %s", d->dev->id);
}

/* One look at the stream: CUDA_SUCCESS when all that was issued has ended (what waited for that is done
** then), else CUDA_ERROR_NOT_READY or an error.  The context is current. */
CUresult dc_cuda_poll(dc_cuda *d);

/* Waits until the stream is done; DC_INTERRUPTED when Ctrl-C came first. */
int dc_cuda_wait(dc_cuda *d, dc_error *err);

/* --- code.c ---------------------------------------------------------------------------------------- */

/* Empties d->doomed; with `unload` the driver is told (the stream is idle, the context current). */
void dc_cuda_drop_doomed(dc_cuda *d, bool unload);

/* Slots of dc_device_ops. */
int dc_cuda_load(dc_device *dev, const void *image, size_t len, dc_code **out, dc_error *err);
void dc_cuda_unload(dc_device *dev, dc_code *code);
int dc_cuda_function(dc_device *dev, dc_code *code, const char *name, dc_function **out, dc_error *err);
int dc_cuda_entries(dc_device *dev, dc_code *code, int (*visit)(void *ud, const char *name), void *ud, dc_error *err);
int dc_cuda_param(dc_function *fn, int i, size_t *offset, size_t *size);
int dc_cuda_function_facts(dc_function *fn, dc_function_facts *out, dc_error *err);
int dc_cuda_launch(dc_device *dev, dc_function *fn, const dc_launch *l, dc_error *err);
int dc_cuda_global(dc_device *dev, dc_code *code, const char *name, dc_ptr *ptr, size_t *size, dc_error *err);
int dc_cuda_occupancy(dc_function *fn, uint32_t threads, size_t shared, int *blocks, dc_error *err);
int dc_cuda_set_shared_limit(dc_function *fn, size_t bytes, dc_error *err);

#endif
