/*
** blas.h - inside cuda/: matrix products, by cuBLAS.
**
** It takes Fortran's order.  What is row-major a b is, read in columns, transpose(b) transpose(a): so the operands are
** swapped and nothing is copied.
*/
#pragma once

#include "device/device.h"

/* Slots of dc_library_ops. */
int dc_cuda_product(dc_device *dev, const dc_product *p, dc_error *err);
int dc_cuda_product_work(dc_device *dev, dc_product *p, dc_error *err);
