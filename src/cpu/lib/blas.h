/*
** blas.h - matrix products of the CPU device by OpenBLAS or another CBLAS, loaded when first used.
**
** DOTCOMPUTE_BLAS names the library's file, or is "off".
*/
#pragma once

#include "base/error.h"
#include "device/device.h"

/* Loads the library, once, for a device with this number of threads.  DC_DEVICE says what to install. */
int dc_blas_load(int threads, dc_error *err);
/* The same for products, which kernels compute faster than Netlib's reference implementation: DC_DEVICE also where that
** is the library found, unless DOTCOMPUTE_BLAS names it. */
int dc_blas_load_fast(int threads, dc_error *err);

/* By how many threads an OpenBLAS computes from now on.  After dc_blas_load. */
void dc_blas_use_threads(int threads);
/* Both after dc_blas_load.  DC_SHAPE when an extent is more than BLAS takes. */
int dc_blas_check(const dc_product *p, dc_error *err);
int dc_blas_product(const dc_product *p, dc_error *err);

/* A function of LAPACK, from the same library or the one that belongs to it; NULL when there is none. */
void *dc_blas_lapack_symbol(const char *name);
