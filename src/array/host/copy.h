/* copy.h - a few elements copied between views by the host. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "array/graph/types.h"
#include "base/error.h"

/* n elements of `size` bytes, 1, 2, 4, 8 or 16; a step: bytes from one to the next. */
void dc_host_copy_row(char *to, int64_t to_step, const char *from, int64_t from_step, int64_t n, size_t size);
/* Copies src, broadcast to the shape of dst.  1: done; -1: *err.  0: nothing was done, since the host does not do it,
** dtypes differ, or memory may overlap. */
int dc_host_copy(dc_array *dst, dc_array *src, dc_error *err);
