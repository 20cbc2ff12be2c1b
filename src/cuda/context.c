/*
** context.c - see context.h.
*/
#include "cuda/context.h"

int dc_cuda_relax(const dc_cuda *d) {
  int mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  if (DC_LIKELY(d->dev->capture == NULL)) return -1;
  CUresult r = dc_cu.ThreadExchangeStreamCaptureMode(&mode);
  dc_cuda_note(r);
  return r == CUDA_SUCCESS ? mode : -1;
}

void dc_cuda_restrain(const dc_cuda *d, int mode) {
  (void)d;
  if (mode >= 0) dc_cuda_note(dc_cu.ThreadExchangeStreamCaptureMode(&mode));
}
