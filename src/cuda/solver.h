/*
** solver.h - inside cuda/: dense solvers, by cuSOLVER, one matrix of the batch after the other in one stream.  Many
** small ones are solver_batch.h's.
*/
#pragma once

#include "device/device.h"

/* Slots of dc_library_ops. */
int dc_cuda_dense(dc_device *dev, const dc_dense *p, dc_error *err);
int dc_cuda_dense_work(dc_device *dev, dc_dense *p, dc_error *err);
