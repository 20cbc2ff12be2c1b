/*
** lapack.h - dense solvers of the CPU device: LAPACK, as OpenBLAS has it.
*/
#ifndef DC_CPU_LIB_LAPACK_H
#define DC_CPU_LIB_LAPACK_H

#include "base/error.h"
#include "device/device.h"

int dc_cpu_dense(dc_device *dev, const dc_dense *p, dc_error *err);
int dc_cpu_lapack_load(dc_error *err);

#endif
