/*
** solver.h - inside cuda/: dense solvers: many small matrices at once, by cuBLAS and cuSOLVER; larger ones by cuSOLVER
** alone, one matrix of the batch after the other in one stream.
*/
#pragma once

#include "device/device.h"

/* Slots of dc_library_ops. */
int dc_cuda_dense(dc_device *dev, const dc_dense *p, dc_error *err);
int dc_cuda_dense_work(dc_device *dev, dc_dense *p, dc_error *err);
