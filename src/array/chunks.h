/*
** chunks.h - chunked I/O: a contiguous array's bytes in C order through a few megabytes of host memory, so that files
** need no second copy of the whole.
*/
#pragma once

#include <stddef.h>

#include "array/graph/types.h"
#include "base/error.h"

/* Called with chunk after chunk, a whole number of elements each; the sink reads the bytes, the producer sets them. */
typedef int (*dc_array_sink)(void *ud, const void *bytes, size_t n, dc_error *err);
typedef int (*dc_array_producer)(void *ud, void *bytes, size_t n, dc_error *err);
int dc_array_send(dc_array *a, dc_array_sink sink, void *ud, dc_error *err);
int dc_array_receive(dc_array *a, dc_array_producer produce, void *ud, dc_error *err);
