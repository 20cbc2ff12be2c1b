/*
** library.h - inside cpu/: matrix products, dense solvers and Fourier transforms by OpenBLAS and FFTW 3, loaded when
** first used.  The slots of the same names in device.h.
**
** DOTCOMPUTE_BLAS and DOTCOMPUTE_FFTW name the one file (of FFTW: the folder) to take, or are "off".
*/
#ifndef DC_CPU_LIB_LIBRARY_H
#define DC_CPU_LIB_LIBRARY_H

#include "device/device.h"

int dc_cpu_library(dc_device *dev, dc_library which, dc_error *err);
int dc_cpu_product(dc_device *dev, const dc_product *p, dc_error *err);
int dc_cpu_dense(dc_device *dev, const dc_dense *p, dc_error *err);
int dc_cpu_fft(dc_device *dev, const dc_fft *p, dc_error *err);

/* --- blas.c ---------------------------------------------------------------------------------------- */

/* A function of the library that has LAPACK; NULL when there is none. Load first. */
void *dc_cpu_lapack_symbol(const char *name);
/* Each loads, once, what its part needs. DC_DEVICE with what to install when that is not there. */
int dc_cpu_blas_load(dc_error *err);
int dc_cpu_lapack_load(dc_error *err);
int dc_cpu_fftw_load(bool wide, dc_error *err);

/* 0, 1, 2, 3 for float32, float64, complex64, complex128. */
static inline int dc_cpu_letter(dc_dtype t) {
  return t == DC_FLOAT32 ? 0 : t == DC_FLOAT64 ? 1 : t == DC_COMPLEX64 ? 2 : 3;
}

#endif
