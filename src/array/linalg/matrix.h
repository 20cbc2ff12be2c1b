/*
** matrix.h - what products, solvers and transforms share: operands laid out for a library, its work space.
*/
#pragma once

#include "array/graph/expr.h"
#include "array/graph/types.h"
#include "base/dtype.h"
#include "base/error.h"
#include "device/device.h"

/* A view with the last two axes exchanged. */
dc_array *dc_matrix_transposed(dc_array *a, dc_error *err);
/* The stride of an axis in elements. */
static inline int64_t dc_matrix_step(const dc_array *a, int axis) {
  return a->g.strides[axis] / (int64_t)dc_dtype_size(a->dtype);
}
/* Work space for a library in the current stream, owned by the caller; NULL and 0 for no bytes. */
int dc_matrix_work(dc_device *dev, size_t bytes, dc_buffer **b, dc_ptr *ptr, dc_error *err);
/* Before a library runs: checks that both lists (ended by NULL) are still open, and records their use. */
int dc_matrix_use(dc_array *const *read, dc_array *const *written, dc_error *err);
/* The dtype in which solvers and transforms compute dtype t: one of float32, float64, complex64, complex128. */
dc_dtype dc_solver_dtype(dc_dtype t);
