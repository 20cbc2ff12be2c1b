/* count.h - counts of small integers, and selections by masks, of a few elements by the host. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/dtype.h"

/* The largest of n integers or bools, as 64 bits; -1 where there are none, or one is negative or 2^63 or more. */
int64_t dc_host_largest(dc_dtype t, const void *x, int64_t n);
/* Adds 1 to counts[v] for each element v, of which none is negative. */
void dc_host_count(dc_dtype t, const void *x, int64_t n, int64_t *counts);

/* The number of elements of a mask that are true. */
int64_t dc_host_passing(const uint8_t *mask, int64_t n);
/* Writes the elements of `size` bytes (1, 2, 4, 8 or 16) that the mask has true, in order. */
void dc_host_select(void *to, const void *x, size_t size, const uint8_t *mask, int64_t n);
/* Writes their positions, from 1. */
void dc_host_places(int64_t *to, const uint8_t *mask, int64_t n);
