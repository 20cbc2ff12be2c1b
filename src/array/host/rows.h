/* rows.h - the rows of an array along one axis, in C order of the others. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "array/graph/geometry.h"

/* Moves *from, of strides g->strides, and *to, of `steps` (in bytes), from the first element of a row to that of the
** next one.  at: the row's indices, all 0 of the first one.  False: it was the last; both are where they were at
** first. */
bool dc_host_next_row(const dc_geometry *g, int axis, int64_t *at, const char **from, const int64_t *steps, char **to);
