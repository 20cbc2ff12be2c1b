/*
** matrix.h - inside the room: what products, solvers and transforms share.
*/
#ifndef DC_ARRAY_LINALG_MATRIX_H
#define DC_ARRAY_LINALG_MATRIX_H

#include "array/graph/expr.h"
#include "array/linalg/linalg.h"
#include "device/library.h"

/* A contiguous, READY copy of `a` cast to dtype and broadcast to the shape; it is the caller's alone. */
dc_array *dc_matrix_copy(dc_array *a, dc_dtype dtype, int ndim, const int64_t *shape, dc_error *err);
/* A view with the last two axes exchanged. */
dc_array *dc_matrix_transposed(dc_array *a, dc_error *err);
/* Elements from one to the next along an axis. */
static inline int64_t dc_matrix_step(const dc_array *a, int axis) {
  return a->g.strides[axis] / (int64_t)dc_dtype_size(a->dtype);
}
/* Memory for a library to work in, told to be used; NULL and 0 for no bytes. The caller's. */
int dc_matrix_work(dc_device *dev, size_t bytes, struct dc_buffer **b, dc_ptr *ptr, dc_error *err);
/* Before a library runs: both lists (ended by NULL) are open still, and told to be used. */
int dc_matrix_use(dc_array *const *read, dc_array *const *written, dc_error *err);

/* --- matrix_kernels.c: kernels of our own ------------------------------------------------------------ */

/* c[m, n] = a[m, k] b[k, n] of integers or bools, by any steps (elements); c in C order. */
typedef struct dc_integer_product {
  int64_t m, n, k, batch;
  dc_ptr a, b, c;
  int64_t a_row, a_column, b_row, b_column, step_a, step_b, step_c;
} dc_integer_product;
int dc_matrix_multiply(dc_device *dev, dc_dtype dtype, const dc_integer_product *p, dc_error *err);

/* out[batch, rows, columns], in C order, is the upper or lower triangle of `in`, whose rows, columns and matrices lie
** `row`, `column`, `step` elements apart; zero elsewhere. The two may be the same memory. */
int dc_matrix_triangle(dc_array *out, dc_array *in, bool upper, int64_t row, int64_t column, int64_t step,
                       dc_error *err);

#endif
