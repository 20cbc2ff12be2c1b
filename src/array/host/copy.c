/* copy.c - see copy.h. */
#include "array/host/copy.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "array/graph/expr.h"
#include "array/graph/geometry.h"
#include "array/host/by_type.h"
#include "array/host/memory.h"
#include "base/dtype.h"
#include "base/move.h"

/* What the host copies in the time of a launch: elements one by one, and bytes of contiguous rows. */
#define FEW 2048
#define FEW_BYTES (64 << 10)

#define COPY(bytes)                                                                                                    \
  for (int64_t i = 0; i < n; i++, to += to_step, from += from_step)                                                    \
    memcpy(to, from, bytes)

void dc_host_copy_row(char *to, int64_t to_step, const char *from, int64_t from_step, int64_t n, size_t size) {
  if (to_step == (int64_t)size && from_step == (int64_t)size) {
    dc_move(to, from, (size_t)n * size);
    return;
  }
  DC_HOST_BY_SIZE(size, COPY)
}

static void copy_axes(const dc_joined_axes *c, int axis, char *to, const char *from, size_t size) {
  if (axis == c->ndim - 1) {
    dc_host_copy_row(to, c->to[axis], from, c->from[axis], c->extent[axis], size);
    return;
  }
  for (int64_t i = 0; i < c->extent[axis]; i++, to += c->to[axis], from += c->from[axis])
    copy_axes(c, axis + 1, to, from, size);
}

int dc_host_copy(dc_array *dst, dc_array *src, dc_error *err) {
  dc_geometry from;
  dc_joined_axes c;
  const size_t size = dc_dtype_size(dst->dtype);
  const int64_t n = dc_geometry_size(&dst->g);
  if (dst->dtype != src->dtype || n == 0 || n > FEW_BYTES || !dc_host_owns(dst) || !dc_host_owns(src)) return 0;
  if (!dc_array_is_apart(dst, src)) return 0;
  if (dc_geometry_stretch(&src->g, dst->g.ndim, dst->g.shape, &from, err) != 0) return -1;
  dc_geometry_join(&dst->g, &from, &c);
  const int last = c.ndim - 1;
  const bool in_rows = c.to[last] == (int64_t)size && c.from[last] == (int64_t)size;
  if (in_rows ? n / c.extent[last] > FEW || (size_t)n * size > FEW_BYTES : n > FEW) return 0;
  if (dc_host_use(src, false, err) != 0 || dc_host_use(dst, true, err) != 0) return -1;
  copy_axes(&c, 0, dc_host_data(dst), dc_host_data(src), size);
  return 1;
}
