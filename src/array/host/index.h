/* index.h - few indices, checked and applied by the host. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "array/graph/number.h"
#include "array/graph/types.h"
#include "base/error.h"

/* Whether all of READY `index`, integers, are in 1..extent or -extent..-1 (*inside).  0: not checked; 1;
** -1: *err. */
int dc_host_check_indices(dc_array *index, int64_t extent, bool *inside, dc_error *err);

/* Writes the rows of `src`, or the number where it is NULL, to the rows of `base` that the indices name, in order, so
** that the last one wins.  All are READY; the indices have been checked, and `base` may be written.  1: done; -1: *err.
** 0: nothing was done, since rows of `base` are not contiguous, `src` is not of its dtype and of one row an index, or
** memory is shared. */
int dc_host_scatter_rows(dc_array *base, dc_array *index, dc_array *src, const dc_number *v, dc_error *err);

/* Whether dc_host_gather_rows does it. */
bool dc_host_gathers(const dc_array *base, const dc_array *index);
/* Writes the rows of `base` that the indices name to contiguous `to`.  1: done; -1: *err.  0: the host does not do it,
** or an index is out of bounds. */
int dc_host_gather_rows(dc_array *to, dc_array *base, dc_array *index, dc_error *err);

/* Adds rows of contiguous `values` to the rows of contiguous `base` at the indices, or at positions from 0.  `base` may
** be written.  1: done; -1: *err.  0: nothing was done, since one is out of range, or the host does not do it. */
int dc_host_add_rows(dc_array *base, dc_array *index, dc_array *values, bool from_0, dc_error *err);
