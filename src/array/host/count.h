/* count.h - counts of small integers, of a few elements by the host. */
#pragma once

#include <stdint.h>

#include "base/dtype.h"

/* The largest of n integers or bools, as 64 bits; -1 where there are none, or one is negative or 2^63 or more. */
int64_t dc_host_largest(dc_dtype t, const void *x, int64_t n);
/* Adds 1 to counts[v] for each element v, of which none is negative. */
void dc_host_count(dc_dtype t, const void *x, int64_t n, int64_t *counts);
