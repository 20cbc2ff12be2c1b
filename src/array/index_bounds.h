/*
** index_bounds.h - whether the integers of arrays name elements, which count from 1, or from the end when negative.
*/
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "array/graph/types.h"
#include "base/error.h"

/* Whether all integers of index[i], READY, are in 1..extent[i] or -extent[i]..-1, for n arrays whose shapes broadcast.
** *bad: the number of the first array with another one, or n; *at: that integer's position in it, in C order from 0.
** Waits for the device, unless it is known (dc_buffer.index_extent). */
int dc_index_check(dc_array *const *index, const int64_t *extent, int n, int *bad, int64_t *at, dc_error *err);

/* The integer at that position, as text. */
int dc_index_text(dc_array *index, int64_t at, char *text, size_t size, dc_error *err);

/* All integers of `index`, READY, are in 1..extent, and `distinct` if no two are the same.  Its memory is fresh: what
** else is there, no array can reach. */
void dc_index_promise(dc_array *index, int64_t extent, bool distinct);
/* Whether it is known that no two integers of `index` name the same element. */
bool dc_index_is_distinct(const dc_array *index);
