/*
** library.h - inside cpu/: matrix products, dense solvers and Fourier transforms by OpenBLAS and FFTW 3, loaded when
** first used.  The slots of the same names in device.h.
**
** DOTCOMPUTE_BLAS and DOTCOMPUTE_FFTW name the one file (of FFTW: the folder) to take, or are "off".
*/
#ifndef DC_CPU_LIB_LIBRARY_H
#define DC_CPU_LIB_LIBRARY_H

#include "base/dtype.h"

/* --- blas.c ---------------------------------------------------------------------------------------- */

/* 0, 1, 2, 3 for float32, float64, complex64, complex128. */
static inline int dc_cpu_letter(dc_dtype t) {
  return t == DC_FLOAT32 ? 0 : t == DC_FLOAT64 ? 1 : t == DC_COMPLEX64 ? 2 : 3;
}

#endif
