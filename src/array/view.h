/*
** view.h - an array's elements along other axes or in another shape.  Of a pending array the view stays pending where
** its expression can be computed along the new axes; else the array is computed first.
*/
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "array/graph/types.h"
#include "base/error.h"

/* Axis i is axes[i] of `a`; NULL: reversed. */
dc_array *dc_array_transpose(dc_array *a, const int *axes, dc_error *err);
/* A view where the layout allows, else a copy. One extent may be -1. */
dc_array *dc_array_reshape(dc_array *a, int ndim, const int64_t *shape, dc_error *err);
/* Whether transposing (`transposed`), or else reshaping, it leaves it pending. */
bool dc_array_views_lazily(const dc_array *a, bool transposed);
