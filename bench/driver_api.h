/*
** driver_api.h - the CUDA driver's functions for C programs and modules of bench/, loaded by name at run time.
*/
#ifndef BENCH_DRIVER_API_H
#define BENCH_DRIVER_API_H

#include <dlfcn.h>
#include <stddef.h>

#include "cuda/api.h"

/* Fills `cu` and initializes the driver.  Gives NULL, or the text of an error. */
static inline const char *load_driver(dc_cuda_api *cu) {
  void *lib = dlopen("libcuda.so.1", RTLD_NOW);
  if (lib == NULL) return dlerror();
#define DC_CUDA(need, name, symbol, params) *(void **)&cu->name = dlsym(lib, #symbol);
#include "cuda/cuda_api.def"
#undef DC_CUDA
  return cu->Init != NULL && cu->Init(0) == CUDA_SUCCESS ? NULL : "cuInit failed";
}

#endif
