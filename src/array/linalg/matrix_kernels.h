/*
** matrix_kernels.h - kernels of our own for matrices: products of integers, which no vendor's library has, and
** triangles.
*/
#pragma once

#include "array/graph/types.h"
#include "base/dtype.h"
#include "base/error.h"
#include "device/device.h"

/* c[m, n] = a[m, k] b[k, n], not of halves, by any steps (elements); c in C order.  The CPU device needs b_column = 1
** where there are several columns. */
typedef struct dc_kernel_product {
  int64_t m, n, k, batch;
  dc_ptr a, b, c;
  int64_t a_row, a_column, b_row, b_column, step_a, step_b, step_c;
} dc_kernel_product;
int dc_matrix_multiply(dc_device *dev, dc_dtype dtype, const dc_kernel_product *p, dc_error *err);

/* out[batch, rows, columns], in C order, is the upper or lower triangle of `in`, whose rows, columns and matrices lie
** `row`, `column`, `step` elements apart; zero elsewhere. The two may be the same memory. */
int dc_matrix_triangle(dc_array *out, dc_array *in, bool upper, int64_t row, int64_t column, int64_t step,
                       dc_error *err);
