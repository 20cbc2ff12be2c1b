/*
** lapack.h - dense solvers of the CPU device by LAPACK, which OpenBLAS contains.
*/
#pragma once

#include "base/error.h"
#include "device/device.h"

/* Loads BLAS and LAPACK, once.  DC_DEVICE says what to install. */
int dc_lapack_load(int threads, dc_error *err);
int dc_lapack_dense(const dc_dense *p, dc_error *err); /* after that; matrices that are singular are in p->info */
