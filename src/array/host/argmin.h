/* argmin.h - argmin and argmax of small arrays, by the host. */
#pragma once

#include <stdbool.h>

#include "array/graph/op.h"
#include "array/graph/types.h"
#include "base/error.h"

/* Writes to contiguous int64 `to`, in C order, the positions from 1 of the least (DC_REDUCE_ARGMIN) or the largest
** (DC_REDUCE_ARGMAX) element of each row along an axis, or, where that is -1, of all elements in C order.  NaN wins; of
** equal elements the first does.  Rows have elements.  1: done; -1: *err.  0: the host does not do it. */
int dc_host_argmin(dc_array *to, dc_array *a, int axis, dc_reduce op, dc_error *err);
/* Whether it does, for a new `to`. */
bool dc_host_has_argmin(const dc_array *a, int axis);
