/*
** host_index.h - few indices of a device whose memory is the host's, checked and applied by a loop of the host: less
** than the launch of a kernel takes.  Kernels do the rest: large arrays, memory that is not the device's own, which may
** fault, and what is captured in a graph.
*/
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
