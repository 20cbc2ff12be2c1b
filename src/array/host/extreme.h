/* extreme.h - the places of extremes in small arrays, by the host. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "array/graph/types.h"
#include "base/error.h"

/* Writes to contiguous int64 `to`, in C order, the places from 1 of the largest (else the least) element of each row
** along an axis, or, where that is -1, of all elements in C order.  NaN is more extreme than all others; of equal
** elements the first counts.  Rows have elements.  1: done; -1: *err.  0: the host does not do it. */
int dc_host_arg_extreme(dc_array *to, dc_array *a, int axis, bool largest, dc_error *err);
/* Whether it does; `to` is to be new. */
bool dc_host_finds_extreme(const dc_array *a, int axis);
