/*
** blas.h - matrix products of the CPU device: OpenBLAS, or what else the system has as BLAS and LAPACK.
*/
#ifndef DC_CPU_LIB_BLAS_H
#define DC_CPU_LIB_BLAS_H

#include "base/error.h"
#include "device/device.h"

int dc_cpu_library(dc_device *dev, dc_library which, dc_error *err);
int dc_cpu_product(dc_device *dev, const dc_product *p, dc_error *err);

/* A function of the library that has LAPACK; NULL when there is none. Load first. */
void *dc_cpu_lapack_symbol(const char *name);

/* Each loads, once, what its part needs. DC_DEVICE with what to install when that is not there. */
int dc_cpu_blas_load(dc_error *err);

#endif
