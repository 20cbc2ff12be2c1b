/*
** lapack.h - dense solvers of the CPU device by LAPACK, which OpenBLAS contains.
*/
#pragma once

#include <stdint.h>

#include "base/error.h"
#include "device/device.h"

/* Loads BLAS and LAPACK, once.  DC_DEVICE says what to install. */
int dc_lapack_load(int threads, dc_error *err);
/* After that: the matrices of the batch from number `first` on, `count` of them; those that are singular are in
** p->info.  Several threads may each do a part of a batch. */
int dc_lapack_dense(const dc_dense *p, int64_t first, int64_t count, dc_error *err);
