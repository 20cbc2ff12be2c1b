/* library.c - see library.h. */
#include "cuda/library.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dl.h"
#include "base/library.h"
#include "base/runtime.h"
#include "compile/nvrtc/libraries.h"
#include "cuda/fault.h"
#include "cuda/stream.h"

dc_cublas_api dc_cublas;
dc_cusolver_api dc_cusolver;
dc_cufft_api dc_cufft;

/* --- loading ------------------------------------------------------------------------------------- */

#define NOT_TRIED PTHREAD_MUTEX_INITIALIZER, false, false, DC_BUF_INIT

static struct library {
  const char *name, *environment, *wheel, *sonames[3], *packages;
  pthread_mutex_t lock; /* guards the following */
  bool tried, ok;
  dc_buf why;
} libraries[DC_NLIBRARIES] = {
  [DC_LIBRARY_PRODUCT] = { "cuBLAS", "DOTCOMPUTE_CUBLAS", "cublas", { "libcublas.so.13", "libcublas.so.12" },
                           "pip install nvidia-cublas, with CUDA 12 nvidia-cublas-cu12", NOT_TRIED },
  [DC_LIBRARY_SOLVER] = { "cuSOLVER", "DOTCOMPUTE_CUSOLVER", "cusolver", { "libcusolver.so.12", "libcusolver.so.11" },
                          "pip install nvidia-cusolver, with CUDA 12 nvidia-cusolver-cu12", NOT_TRIED },
  [DC_LIBRARY_FFT] = { "cuFFT", "DOTCOMPUTE_CUFFT", "cufft", { "libcufft.so.12", "libcufft.so.11" },
                       "pip install nvidia-cufft, with CUDA 12 nvidia-cufft-cu12", NOT_TRIED },
};

static bool look_up(void *slot, void *lib, const char *symbol, struct library *l) {
  const bool found = dc_library_bind(lib, symbol, slot);
  if (!found) dc_buf_printf(&l->why, "the %s found lacks %s; CUDA 12 or 13 is needed\n", l->name, symbol);
  return found;
}

static bool bind(dc_library which, void *lib) {
  struct library *l = &libraries[which];
  bool ok = true;
  switch (which) {
  case DC_LIBRARY_PRODUCT:
#define DC_CUBLAS(name, symbol, params) ok = ok && look_up(&dc_cublas.name, lib, #symbol, l);
#define DC_CUBLAS_EACH(name, params) \
  ok = ok && look_up(&dc_cublas.name[0], lib, "cublasS" #name, l) && \
       look_up(&dc_cublas.name[1], lib, "cublasD" #name, l) && \
       look_up(&dc_cublas.name[2], lib, "cublasC" #name, l) && look_up(&dc_cublas.name[3], lib, "cublasZ" #name, l);
#include "cuda/cublas_api.def"
#undef DC_CUBLAS
    return ok;
  case DC_LIBRARY_SOLVER:
#define DC_CUSOLVER(name, params) ok = ok && look_up(&dc_cusolver.name, lib, #name, l);
#define DC_CUSOLVER_NEW(name, params) (void)dc_library_bind(lib, #name, &dc_cusolver.name); /* not in older ones */
#define DC_CUSOLVER_EACH(name, s, d, c, z, params) \
  ok = ok && look_up(&dc_cusolver.name[0], lib, "cusolverDn" #s, l) && \
       look_up(&dc_cusolver.name[1], lib, "cusolverDn" #d, l) && \
       look_up(&dc_cusolver.name[2], lib, "cusolverDn" #c, l) && look_up(&dc_cusolver.name[3], lib, "cusolverDn" #z, l);
#include "cuda/cusolver_api.def"
#undef DC_CUSOLVER
    return ok;
  default:
#define DC_CUFFT(name, params) ok = ok && look_up(&dc_cufft.name, lib, #name, l);
#include "cuda/cufft_api.def"
#undef DC_CUFFT
    return ok;
  }
}

static void load(dc_library which) {
  struct library *l = &libraries[which];
  const char *named = getenv(l->environment);
  char *path = NULL;
  l->tried = true;
  if (named != NULL && strcmp(named, "off") == 0) {
    dc_buf_printf(&l->why, "switched off by %s=off\n", l->environment);
    return;
  }
  const char *const only[] = { named, NULL };
  void *lib = named != NULL && named[0] != '\0' ? dc_dl_open(only, &path, &l->why)
                                                : dc_toolkit_open(l->sonames, l->wheel, &path, &l->why);
  l->ok = lib != NULL && bind(which, lib);
  if (l->ok) dc_log(DC_LOG_COMPILE, "loaded %s from %s", l->name, path != NULL ? path : "?");
  free(path);
}

static int need(dc_library which, dc_error *err) {
  struct library *l = &libraries[which];
  pthread_mutex_lock(&l->lock);
  if (!l->tried) load(which);
  pthread_mutex_unlock(&l->lock);
  if (l->ok) return 0;
  dc_fail(err, DC_DEVICE, NULL,
          "%s was not found or cannot be loaded: install NVIDIA's CUDA toolkit, or the wheel (%s), or set %s to the "
          "file",
          l->name, l->packages, l->environment);
  dc_error_set_log(err, dc_buf_str(&l->why));
  return -1;
}

/* --- errors -------------------------------------------------------------------------------------- */

static const char *status_name(dc_library which, int status, char text[40]) {
  static const struct {
    const char *name;
    int value;
  } numbers[] = {
#define DC_CUDA_CONST(name, value) { #name, value },
#include "cuda/library_const.def"
#undef DC_CUDA_CONST
  };
  static const char *const heads[DC_NLIBRARIES] = { "CUBLAS_STATUS_", "CUSOLVER_STATUS_", "CUFFT_" };
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    if (numbers[i].value == status && strncmp(numbers[i].name, heads[which], strlen(heads[which])) == 0 &&
        (which != DC_LIBRARY_FFT || status < 0x20))
      return numbers[i].name;
  snprintf(text, 40, "%s%d", heads[which], status);
  return text;
}

int dc_cuda_fail_library(dc_library which, int status, dc_error *err, const char *what) {
  static const int no_memory[DC_NLIBRARIES] = { CUBLAS_STATUS_ALLOC_FAILED, CUSOLVER_STATUS_ALLOC_FAILED,
                                                CUFFT_ALLOC_FAILED };
  char text[40];
  const char *name = status_name(which, status, text);
  return dc_fail(err, status == no_memory[which] ? DC_MEMORY : DC_DEVICE, name, "%s: %s says %s", what,
                 libraries[which].name, name);
}

int dc_cuda_library_wait(dc_cuda *d, dc_error *err) {
  return d->dev->capture == NULL ? dc_cuda_wait(d, dc_cuda_now(d), err) : 0;
}

/* --- handles ------------------------------------------------------------------------------------- */

static int make_handle(struct dc_cuda_libraries *x, dc_library which, dc_error *err) {
  int status = 0;
  if (which == DC_LIBRARY_PRODUCT && x->blas == NULL) {
    status = dc_cublas.Create(&x->blas);
    if (status != 0) x->blas = NULL;
  } else if (which == DC_LIBRARY_SOLVER && x->params == NULL) {
    if (x->solver == NULL && (status = dc_cusolver.cusolverDnCreate(&x->solver)) != 0) x->solver = NULL;
    if (status == 0 && (status = dc_cusolver.cusolverDnCreateParams(&x->params)) != 0) x->params = NULL;
  }
  return status == 0 ? 0 : dc_cuda_fail_library(which, status, err, "a library cannot be started");
}

struct dc_cuda_libraries *dc_cuda_libraries_of(dc_cuda *d, dc_library which, dc_error *err) {
  if (dc_cuda_enter(d, err) != 0 || need(which, err) != 0) return NULL;
  if (d->libraries == NULL && (d->libraries = calloc(1, sizeof *d->libraries)) == NULL) {
    dc_fail_oom(err);
    return NULL;
  }
  int mode = dc_cuda_relax(d); /* starting a library allocates */
  int rc = make_handle(d->libraries, which, err);
  dc_cuda_restrain(mode);
  return rc == 0 ? d->libraries : NULL;
}

int dc_cuda_library_load(dc_device *dev, dc_library which, dc_error *err) {
  (void)dev;
  return need(which, err);
}

cudaDataType dc_cuda_data_type(dc_dtype t) {
  switch (t) {
  case DC_FLOAT16: return CUDA_R_16F;
  case DC_BFLOAT16: return CUDA_R_16BF;
  case DC_FLOAT32: return CUDA_R_32F;
  case DC_FLOAT64: return CUDA_R_64F;
  case DC_COMPLEX64: return CUDA_C_32F;
  default: return CUDA_C_64F;
  }
}

cudaDataType dc_cuda_real_type(dc_dtype t) {
  return t == DC_FLOAT32 || t == DC_COMPLEX64 ? CUDA_R_32F : CUDA_R_64F;
}

int dc_cuda_type_index(dc_dtype t) { return t == DC_FLOAT32 ? 0 : t == DC_FLOAT64 ? 1 : t == DC_COMPLEX64 ? 2 : 3; }
