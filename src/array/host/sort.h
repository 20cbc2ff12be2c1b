/* sort.h - stable sorts of a small row of keys by the host, and its unique values. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/dtype.h"

/* Bytes of dc_host_argsort's `scratch` for a row of n keys. */
size_t dc_host_sort_bytes(int64_t n);
/* position[i] becomes the position in the row, from 0, of sorted key i.  Of real dtypes; n is at most 2^31. */
void dc_host_argsort(dc_dtype t, const void *row, int64_t n, bool descending, void *scratch, uint32_t *position);
/* to[i] = row[position[i]], elements of `size` bytes: 1, 2, 4 or 8. */
void dc_host_permute(void *to, const void *row, size_t size, const uint32_t *position, int64_t n);
/* first[i]: whether sorted key i is the first of its value.  Returns the number of values. */
int64_t dc_host_heads(dc_dtype t, const void *row, const uint32_t *position, int64_t n, bool *first);
