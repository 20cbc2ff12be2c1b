/*
** fault.h - inside cuda/: driver errors as sentences, recent launches, and the one error that ends CUDA for the
** process.
**
** After a fault on a GPU (an illegal address, a trap, a failed assert) every call of this process gives the same error,
** for all devices and whatever is reset.  So the first one is latched with the kernels that were running, and repeated
** from then on.
*/
#pragma once

#include "base/runtime.h"
#include "cuda/types.h"

/* What every launch reads, whatever the device. */
extern struct dc_cuda_process {
  alignas(DC_CACHE_LINE) atomic_int dead; /* not 0: CUDA is lost for this process (a fault, a forked child) */
} dc_cuda_process;
int dc_cuda_fail_dead(dc_error *err); /* with the reason; always -1 */
static inline bool dc_cuda_is_dead(void) {
  return atomic_load_explicit(&dc_cuda_process.dead, memory_order_relaxed) != 0;
}

/* Makes the device known, so that it becomes DC_DEVICE_LOST when CUDA is lost. */
void dc_cuda_adopt(dc_device *dev);
/* In a child after fork: everything is refused from here on. */
void dc_cuda_forked(void);

/* Error for a driver call that returned r != CUDA_SUCCESS: "<what>: <driver's text>" with the code's
** name; out-of-memory becomes DC_MEMORY.  A fault is latched first.  Always -1. */
int dc_cuda_fail(CUresult r, dc_kind kind, dc_error *err, const char *what, ...) DC_PRINTF(4, 5);
/* For calls whose failure is not reported: only latches faults. */
void dc_cuda_note(CUresult r);

/* Notes that fn is launched in s, so that a fault can be attributed; and that it was not, which restores the last
** numbers. */
static inline void dc_cuda_launched(dc_function *fn, dc_cuda_stream *s) {
  dc_cuda *d = fn->d;
  const uint64_t number = ++d->launches;
  dc_cuda_recent *r = &d->recent[number % DC_CUDA_RING];
  atomic_store_explicit(&r->stream, s, memory_order_relaxed);
  atomic_store_explicit(&r->fn, fn, memory_order_relaxed);
  atomic_store_explicit(&r->number, number, memory_order_release);
  s->issued = fn->last_launch = number;
}
void dc_cuda_not_launched(dc_function *fn, dc_cuda_stream *s, uint64_t issued, uint64_t last_launch);
/* The stream, or the function, is freed: no description of a fault reads it any more. */
void dc_cuda_free_stream(dc_cuda *d, dc_cuda_stream *s);
void dc_cuda_free_function(dc_function *fn);
/* "'saxpy', 'norm'": the kernels launched on d, or with NULL on all devices of the process, that are not known to have
** ended, into text[n]; returns how many. */
size_t dc_cuda_running(const dc_cuda *d, char *text, size_t n);

/* --- the context, the current stream and the capture mode that driver calls need --- */

/* Before every driver call that needs the context: fails when CUDA is lost, else makes the device's context current in
** this thread (other libraries may have changed it). */
static inline int dc_cuda_enter(dc_cuda *d, dc_error *err) {
  if (DC_UNLIKELY(dc_cuda_is_dead())) return dc_cuda_fail_dead(err);
  CUcontext now = NULL;
  if (DC_LIKELY(dc_cu.CtxGetCurrent(&now) == CUDA_SUCCESS && now == d->context)) return 0;
  CUresult r = dc_cu.CtxSetCurrent(d->context);
  return r == CUDA_SUCCESS ? 0 : dc_cuda_fail(r, DC_DEVICE, err, "cannot switch to %s", d->dev->id);
}

/* The same where a failure is not reported, in functions that cannot fail: whether the context is current. */
static inline bool dc_cuda_try_enter(dc_cuda *d) {
  dc_error ignored = DC_ERROR_INIT;
  const bool entered = dc_cuda_enter(d, &ignored) == 0;
  dc_error_clear(&ignored);
  return entered;
}

/* The device's current stream. */
static inline dc_cuda_stream *dc_cuda_now(dc_cuda *d) {
  return d->dev->stream != NULL ? (dc_cuda_stream *)d->dev->stream : &d->own;
}
static inline CUstream dc_cuda_handle(dc_cuda *d) { return dc_cuda_now(d)->handle; }

/* While a graph is captured the driver refuses calls that might be part of it by mistake; between these two it does
** not.  The context is current. */
static inline int dc_cuda_relax_thread(void) { /* whichever device is captured */
  int mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  CUresult r = dc_cu.ThreadExchangeStreamCaptureMode(&mode);
  dc_cuda_note(r);
  return r == CUDA_SUCCESS ? mode : -1;
}
static inline int dc_cuda_relax(const dc_cuda *d) {
  return DC_LIKELY(d->dev->capture == NULL) ? -1 : dc_cuda_relax_thread();
}
static inline void dc_cuda_restrain(int mode) {
  if (mode >= 0) dc_cuda_note(dc_cu.ThreadExchangeStreamCaptureMode(&mode));
}
/* The result of a driver call between the two. */
#define DC_CUDA_RELAXED(d, call)           \
  ({                                       \
    const int mode_ = dc_cuda_relax(d);    \
    const CUresult result_ = (call);       \
    dc_cuda_restrain(mode_);               \
    result_;                               \
  })
