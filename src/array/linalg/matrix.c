/* matrix.c - see matrix.h. */
#include "array/linalg/matrix.h"

#include "array/array.h"
#include "array/evaluate.h"
#include "array/graph/buffer.h"
#include "array/graph/expr.h"
#include "array/graph/geometry.h"
#include "array/graph/types.h"
#include "base/dtype.h"
#include "base/error.h"
#include "device/device.h"

dc_array *dc_matrix_transposed(dc_array *a, dc_error *err) {
  dc_geometry g = a->g;
  const int last = g.ndim - 1;
  g.shape[last] = a->g.shape[last - 1];
  g.shape[last - 1] = a->g.shape[last];
  g.strides[last] = a->g.strides[last - 1];
  g.strides[last - 1] = a->g.strides[last];
  return dc_array_view(a, &g, 0, err);
}

int dc_matrix_work(dc_device *dev, size_t bytes, dc_buffer **b, dc_ptr *ptr, dc_error *err) {
  *b = NULL;
  *ptr = 0;
  if (bytes == 0) return 0;
  *b = dc_buffer_new(dev, bytes, dc_flush_pinned, err);
  if (*b == NULL || dc_buffer_used(*b, true, err) != 0) return -1;
  *ptr = (*b)->ptr;
  return 0;
}

int dc_matrix_use(dc_array *const *read, dc_array *const *written, dc_error *err) {
  for (; *read != NULL; read++)
    if (dc_array_check_open(*read, err) != 0 || dc_buffer_used((*read)->buffer, false, err) != 0) return -1;
  for (; *written != NULL; written++)
    if (dc_array_check_open(*written, err) != 0 || dc_buffer_used((*written)->buffer, true, err) != 0) return -1;
  return 0;
}

dc_dtype dc_solver_dtype(dc_dtype t) {
  switch (t) {
  case DC_FLOAT64: case DC_COMPLEX64: case DC_COMPLEX128: return t;
  case DC_INT64: case DC_UINT64: return DC_FLOAT64;
  default: return DC_FLOAT32;
  }
}
