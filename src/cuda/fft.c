/* fft.c - see fft.h. */
#include "cuda/fft.h"

#include "cuda/fault.h"
#include "cuda/library.h"
#include "cuda/stream.h"

static cufftType type_of(const dc_fft *f) {
  switch (f->kind) {
  case DC_FFT_REAL: return f->wide ? CUFFT_D2Z : CUFFT_R2C;
  case DC_FFT_TO_REAL: return f->wide ? CUFFT_Z2D : CUFFT_C2R;
  default: return f->wide ? CUFFT_Z2Z : CUFFT_C2C;
  }
}

/* Both directions of complex transforms share a plan. */
static bool same(const dc_cufft_plan *k, const dc_fft *f) {
  return k->made && type_of(&k->key) == type_of(f) && dc_fft_same_layout(&k->key, f);
}

/* The extents of the memory, from the steps of the axes; that of the outermost one is not used. */
static void embed(const dc_fft *f, const int64_t *step, long long *extents) {
  extents[0] = f->n[0];
  for (int i = 1; i < f->axes; i++) extents[i] = step[i - 1] / step[i];
}

static cufftResult make(dc_cufft_plan *k, const dc_fft *f) {
  long long n[DC_FFT_AXES], in[DC_FFT_AXES], out[DC_FFT_AXES];
  const int last = f->axes - 1;
  for (int i = 0; i < f->axes; i++) n[i] = f->n[i];
  embed(f, f->in_step, in);
  embed(f, f->out_step, out);
  cufftResult r = dc_cufft.cufftCreate(&k->handle);
  if (r != 0) return r;
  r = dc_cufft.cufftSetAutoAllocation(k->handle, 0);
  /* a batch of one has no distance, but 0 may be refused */
  const long long in_batch = f->batch > 1 ? f->in_batch : f->n[0] * f->in_step[0];
  const long long out_batch = f->batch > 1 ? f->out_batch : f->n[0] * f->out_step[0];
  if (r == 0)
    r = dc_cufft.cufftMakePlanMany64(k->handle, f->axes, n, in, f->in_step[last], in_batch, out, f->out_step[last],
                                     out_batch, type_of(f), f->batch, &k->work_bytes);
  if (r == 0) k->made = true;
  else (void)dc_cufft.cufftDestroy(k->handle);
  return r;
}

static dc_cufft_plan *plan_for(dc_cuda *d, const dc_fft *f, dc_error *err) {
  struct dc_cuda_libraries *x = dc_cuda_libraries_of(d, DC_LIBRARY_FFT, err);
  if (x == NULL) return NULL;
  dc_cufft_plan *place = &x->plans[0];
  for (dc_cufft_plan *k = x->plans; k < x->plans + DC_CUFFT_PLANS; k++) {
    if (same(k, f)) {
      k->used = ++x->turn;
      return k;
    }
    if (place->made && (!k->made || k->used < place->used)) place = k;
  }
  if (place->made) {
    if (dc_cuda_wait_all(d, err) != 0) return NULL; /* it may be running */
    (void)dc_cufft.cufftDestroy(place->handle);
  }
  *place = (dc_cufft_plan){ .key = *f, .used = ++x->turn };
  cufftResult r = make(place, f);
  if (r == 0) return place;
  dc_cuda_fail_library(DC_LIBRARY_FFT, r, err, "a Fourier transform cannot be planned");
  return NULL;
}

int dc_cuda_fft_work(dc_device *dev, dc_fft *f, dc_error *err) {
  const dc_cufft_plan *k = plan_for(dev->impl, f, err);
  if (k == NULL) return -1;
  f->work_bytes = k->work_bytes;
  return 0;
}

static cufftResult execute(cufftHandle h, const dc_fft *f) {
  void *in = (void *)(uintptr_t)f->in, *out = (void *)(uintptr_t)f->out;
  const int direction = f->kind == DC_FFT_BACKWARD ? CUFFT_INVERSE : CUFFT_FORWARD;
  switch (type_of(f)) {
  case CUFFT_R2C: return dc_cufft.cufftExecR2C(h, in, out);
  case CUFFT_D2Z: return dc_cufft.cufftExecD2Z(h, in, out);
  case CUFFT_C2R: return dc_cufft.cufftExecC2R(h, in, out);
  case CUFFT_Z2D: return dc_cufft.cufftExecZ2D(h, in, out);
  case CUFFT_C2C: return dc_cufft.cufftExecC2C(h, in, out, direction);
  default: return dc_cufft.cufftExecZ2Z(h, in, out, direction);
  }
}

int dc_cuda_fft(dc_device *dev, const dc_fft *f, dc_error *err) {
  dc_cuda *d = dev->impl;
  dc_cufft_plan *k = plan_for(d, f, err);
  if (k == NULL) return -1;
  cufftResult r = dc_cufft.cufftSetStream(k->handle, dc_cuda_handle(d));
  if (r == 0 && k->work_bytes > 0) r = dc_cufft.cufftSetWorkArea(k->handle, (void *)(uintptr_t)f->work);
  if (r == 0) r = execute(k->handle, f);
  if (r != 0) return dc_cuda_fail_library(DC_LIBRARY_FFT, r, err, "a Fourier transform failed");
  return dc_cuda_library_issued(d, err);
}
