/* rows.c - see rows.h. */
#include "array/host/rows.h"

bool dc_host_next_row(const dc_geometry *g, int axis, int64_t *at, const char **from, const int64_t *steps, char **to) {
  for (int d = g->ndim - 1; d >= 0; d--) {
    if (d == axis) continue;
    *from += g->strides[d];
    *to += steps[d];
    if (++at[d] < g->shape[d]) return true;
    *from -= g->strides[d] * g->shape[d];
    *to -= steps[d] * g->shape[d];
    at[d] = 0;
  }
  return false;
}
