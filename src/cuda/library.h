/*
** library.h - inside cuda/: cuBLAS, cuSOLVER and cuFFT, loaded when first used, with one handle a device each, bound to
** the device's current stream at every call.
**
** DOTCOMPUTE_CUBLAS, DOTCOMPUTE_CUSOLVER and DOTCOMPUTE_CUFFT name the one file to take, or are "off".
*/
#pragma once

#include "cuda/library_api.h"
#include "cuda/types.h"
#include "device/device.h"

#define DC_CUFFT_PLANS 16 /* cached on a device; the least recently used one is replaced */

typedef struct dc_cufft_plan {
  cufftHandle handle;
  bool made;
  dc_fft key;
  size_t work_bytes;
  uint64_t used;
} dc_cufft_plan;

/* A device's handles; NULL where not made yet. */
struct dc_cuda_libraries {
  cublasHandle_t blas;
  cusolverDnHandle_t solver;
  cusolverDnParams_t params;
  gesvdjInfo_t jacobi; /* made when first needed */
  dc_cufft_plan plans[DC_CUFFT_PLANS];
  uint64_t turn;
};

extern dc_cublas_api dc_cublas;
extern dc_cusolver_api dc_cusolver;
extern dc_cufft_api dc_cufft;

/* The device's libraries, after `which` has been loaded and its handle made; the context is current. NULL: DC_DEVICE
** with what to install, or what the library said. */
struct dc_cuda_libraries *dc_cuda_libraries_of(dc_cuda *d, dc_library which, dc_error *err);
/* An error for a status of a library that is not 0: "<what>: CUBLAS_STATUS_…". Always -1. */
int dc_cuda_fail_library(dc_library which, int status, dc_error *err, const char *what);
/* Waits for the current stream, unless it is being captured. */
int dc_cuda_library_wait(dc_cuda *d, dc_error *err);
/* After work of a library was issued: waits where DOTCOMPUTE_SYNC asks for it. */
static inline int dc_cuda_library_issued(dc_cuda *d, dc_error *err) {
  return DC_LIKELY(!d->sync_launches) ? 0 : dc_cuda_library_wait(d, err);
}

static inline void *dc_cuda_pointer(dc_ptr p) { return (void *)(uintptr_t)p; }

/* A dtype as these libraries number them. */
cudaDataType dc_cuda_data_type(dc_dtype t);
cudaDataType dc_cuda_real_type(dc_dtype t); /* of its absolute values */
int dc_cuda_type_index(dc_dtype t);        /* float32, float64, complex64, complex128: 0 to 3 */

/* The slot of dc_library_ops that loads a library. */
int dc_cuda_library_load(dc_device *dev, dc_library which, dc_error *err);
