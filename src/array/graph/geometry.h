/*
** geometry.h - shapes and strides as pure functions: no device, no memory, no Lua.
*/
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define DC_MAX_DIMS 32

typedef struct dc_geometry {
  int ndim;                       /* 0 .. DC_MAX_DIMS */
  int64_t shape[DC_MAX_DIMS];     /* extents >= 0 */
  int64_t strides[DC_MAX_DIMS];   /* bytes; 0 for broadcast axes, negative for reversed ones */
} dc_geometry;

/* to = from, of which most axes are unused: a plain assignment copies half a KiB. */
static inline void dc_geometry_copy(dc_geometry *to, const dc_geometry *from) {
  to->ndim = from->ndim;
  for (int i = 0; i < from->ndim; i++) {
    to->shape[i] = from->shape[i];
    to->strides[i] = from->strides[i];
  }
}

/* C order strides for elements of `itemsize` bytes. DC_SHAPE when an extent is negative, there are too
** many axes, or the size overflows. */
int dc_geometry_c(dc_geometry *g, int ndim, const int64_t *shape, size_t itemsize, dc_error *err);
/* The same for an array's shape of one axis, if that is too short for any of these errors; else false. */
static inline bool dc_geometry_c_short(dc_geometry *g, const dc_geometry *shape, size_t itemsize) {
  g->ndim = 1;
  g->shape[0] = shape->shape[0];
  g->strides[0] = (int64_t)itemsize;
  return shape->ndim == 1 && shape->shape[0] <= INT32_MAX;
}
static inline int64_t dc_geometry_size(const dc_geometry *g) { /* number of elements */
  int64_t n = 1;
  for (int i = 0; i < g->ndim; i++) n *= g->shape[i];
  return n;
}
/* C order without gaps (the strides of extents of 1, and of arrays without elements, don't matter). */
bool dc_geometry_contiguous(const dc_geometry *g, size_t itemsize);
/* The shape of what is reduced along the axes that are bits of `axes`, which stay with extent 1 where `keep`.  Strides
** are not set. */
void dc_geometry_reduced(const dc_geometry *g, uint32_t axes, bool keep, dc_geometry *out);
static inline bool dc_geometry_same_shape(const dc_geometry *a, const dc_geometry *b) {
  bool same = a->ndim == b->ndim;
  for (int i = 0; same && i < a->ndim; i++) same = a->shape[i] == b->shape[i];
  return same;
}
bool dc_geometry_same(const dc_geometry *a, const dc_geometry *b); /* strides too */

/* The axes of two geometries of one shape, at least one, without those of extent 1, and with neighbours that are one
** axis in both joined; their steps in bytes. */
typedef struct dc_joined_axes {
  int ndim;
  int64_t extent[DC_MAX_DIMS], to[DC_MAX_DIMS], from[DC_MAX_DIMS];
} dc_joined_axes;
void dc_geometry_join(const dc_geometry *to, const dc_geometry *from, dc_joined_axes *out);

/* One axis of an index: a range keeps the axis, an integer (keep = false) drops it. first is 0-based;
** step may be negative; count >= 0. */
typedef struct dc_range {
  int64_t first, count, step;
  bool keep;
} dc_range;
/* Applies one range to each of the first n axes (the rest are whole). Ranges are already in bounds. */
void dc_geometry_index(const dc_geometry *g, int n, const dc_range *r, dc_geometry *out, int64_t *byte_offset);

int dc_geometry_transpose(const dc_geometry *g, const int *axes /* NULL: reversed */, dc_geometry *out, dc_error *err);
/* NumPy's rule; DC_SHAPE names both shapes. The strides of `out` are not set. */
int dc_geometry_broadcast(const dc_geometry *a, const dc_geometry *b, dc_geometry *out, dc_error *err);
/* Strides of `a` seen with out's shape (stride 0 where stretched). DC_SHAPE when impossible. */
int dc_geometry_stretch(const dc_geometry *a, int ndim, const int64_t *shape, dc_geometry *out, dc_error *err);
/* True and `out` filled when the reshape needs no copy. Sizes must agree already. */
bool dc_geometry_reshape(const dc_geometry *g, int ndim, const int64_t *shape, size_t itemsize, dc_geometry *out);

/* Whether several elements are one in memory, as in a broadcast view. */
static inline bool dc_geometry_repeats(const dc_geometry *g) {
  for (int i = 0; i < g->ndim; i++)
    if (g->strides[i] == 0 && g->shape[i] > 1) return true;
  return false;
}

/* Bytes from element 0 to the first byte of a geometry that has elements, at most 0, and behind its last one. */
void dc_geometry_span(const dc_geometry *g, size_t itemsize, int64_t *from, int64_t *to);
/* "(3, 4)", "(5,)", "()" into text[n]; for messages. */
const char *dc_geometry_text(const dc_geometry *g, char *text, size_t n);
