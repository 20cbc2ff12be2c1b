/* copy.h - a few elements copied between views by the host. */
#pragma once

#include "array/graph/types.h"
#include "base/error.h"

/* Copies src, broadcast to the shape of dst.  1: done; -1: *err.  0: nothing was done, since the host does not do it,
** dtypes differ, or memory may overlap. */
int dc_host_copy(dc_array *dst, dc_array *src, dc_error *err);
