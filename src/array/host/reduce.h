/* reduce.h - reductions by the host: those that have the same result in any order. */
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

/* Writes to `to` the least (DC_REDUCE_MIN) or the largest (DC_REDUCE_MAX) of all elements of an array, or how many of
** its bools are true (DC_REDUCE_SUM), as int64.  1: done; -1: *err.  0: the host does not do it, as where there is NaN,
** or the result is a zero among zeros of both signs: which one it is depends on a kernel's order. */
int dc_host_reduce(dc_array *a, dc_reduce op, void *to, dc_error *err);

/* Writes to the one bool of `to` whether any (DC_REDUCE_ANY) or all (DC_REDUCE_ALL) of a contiguous array's bools are
** true, which the first one that decides tells.  1: done; -1: *err.  0: the host does not do it. */
int dc_host_truth(dc_array *to, dc_array *a, dc_reduce op, dc_error *err);
/* Whether it does, for a new `to`. */
bool dc_host_has_truth(const dc_array *a);
