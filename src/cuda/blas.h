/* blas.h - inside cuda/: matrix products by cuBLAS, slots of dc_library_ops. */
#pragma once

#include "device/device.h"

int dc_cuda_product(dc_device *dev, const dc_product *p, dc_error *err);
int dc_cuda_product_work(dc_device *dev, dc_product *p, dc_error *err);
