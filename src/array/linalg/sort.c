/* sort.c - see sort.h. */
#include "array/linalg/sort.h"

#include "array/array.h"
#include "array/graph/expr.h"
#include "array/linalg/matrix.h"
#include "device/device.h"
#include "device/library.h"

int dc_array_sort_rows(dc_array *from, dc_array *to, bool descending, bool *sorted, dc_error *err) {
  dc_array *const read[] = { from, NULL }, *const written[] = { to, NULL };
  const int64_t size = dc_array_size(from), length = from->g.ndim > 0 ? from->g.shape[from->g.ndim - 1] : 1;
  *sorted = size == 0;
  if (size == 0) return 0;
  if (dc_matrix_use(read, written, err) != 0) return -1;
  const dc_sort p = { .dtype = from->dtype, .descending = descending, .rows = size / length, .length = length,
                      .in = from->ptr, .out = to->ptr };
  return dc_device_sort(from->dev, &p, sorted, err);
}
