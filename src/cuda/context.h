/*
** context.h - inside cuda/: the context, current stream and capture mode that driver calls need.
*/
#pragma once

#include "cuda/fault.h"

/* Before every driver call that needs the context: fails when CUDA is lost, else makes the device's context current in
** this thread (other libraries may have changed it). */
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

/* While a graph is captured the driver refuses calls that might be part of it by mistake; between these two it does
** not.  The context is current. */
static inline int dc_cuda_relax(const dc_cuda *d) {
  int mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  if (DC_LIKELY(d->dev->capture == NULL)) return -1;
  CUresult r = dc_cu.ThreadExchangeStreamCaptureMode(&mode);
  dc_cuda_note(r);
  return r == CUDA_SUCCESS ? mode : -1;
}
static inline void dc_cuda_restrain(int mode) {
  if (mode >= 0) dc_cuda_note(dc_cu.ThreadExchangeStreamCaptureMode(&mode));
}
