/*
** gather.h - reading and writing through arrays of indices.
**
** The result's axes are those of ranges, and in place of the indexed ones the axes of all index arrays, broadcast
** together; where the indexed axes are not neighbours, these come first (NumPy's rule, but that integers drop their
** axis before).  An element's offset is the sum of one by strides, the frame's, and of one by the indices; the latter
** is an expression of the index arrays, so that reading is one node of an expression and makes no temporaries.
**
** Indices count from 1, negatives from the end; one out of range is an error when the index is applied, for which one
** boolean is read back.  Of several values for one element the last wins, on every device: the greatest position that
** names an element is found first.
*/
#pragma once

#include "array/graph/geometry.h"
#include "array/graph/number.h"
#include "array/graph/types.h"
#include "base/error.h"

/* What selects along one axis: a range, or an array of integers. */
typedef struct dc_index_axis {
  dc_range range;
  dc_array *array; /* NULL: the range */
} dc_index_axis;
/* For each of the first n axes; at least one has an array. The other axes are whole. */
typedef struct dc_index {
  int n;
  dc_index_axis axis[DC_MAX_DIMS];
} dc_index;

/* The elements that the index names: pending. DC_INDEX: out of bounds. */
dc_array *dc_array_gather(dc_array *a, const dc_index *ix, dc_error *err);
/* Writes src (broadcast, converted; of the same device) or, where that is NULL, the number to them. */
int dc_array_scatter(dc_array *a, const dc_index *ix, dc_array *src, const dc_scalar *s, dc_error *err);
