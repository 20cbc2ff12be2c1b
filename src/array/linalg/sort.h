/*
** sort.h - rows of an array sorted by the device's library.
*/
#pragma once

#include <stdbool.h>

#include "array/graph/types.h"
#include "base/error.h"

/* Sorts along the last axis of READY, contiguous `from` into `to`, of the same shape and dtype.  *sorted = false: `to`
** is undefined, since the library does not sort these elements. */
int dc_array_sort_rows(dc_array *from, dc_array *to, bool descending, bool *sorted, dc_error *err);
