/*
** reduce.h - reductions and what is made of them: mean, variance, norm, comparisons of whole arrays.
*/
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "array/graph/op.h"
#include "array/graph/types.h"
#include "base/error.h"

/* Over the axes whose bits are set in `axes` (from 0); they vanish, or stay with extent 1 (`keep`).  Pending, and
** fusable with what feeds it and with what follows.  sum and prod of integers and bools are int64 (uint64 for unsigned
** ones), of others their own dtype; min and max keep the dtype and NaN wins; any and all are bool; argmin and argmax
** (of one axis or all) give the first index, from 0, int64, NaN winning.  No elements: DC_SHAPE for min max argmin
** argmax. */
dc_array *dc_array_reduce(dc_reduce op, dc_array *a, uint32_t axes, bool keep, dc_error *err);
/* The same; takes the reference to `a`, which may be NULL (compose.h). */
dc_array *dc_compose_reduce(dc_reduce op, dc_array *a, uint32_t axes, bool keep, dc_error *err);
/* DC_REDUCE_ARGMIN or DC_REDUCE_ARGMAX, from 1; of a small array in the host's memory at once, else pending. */
dc_array *dc_array_arg_reduce(dc_reduce op, dc_array *a, uint32_t axes, bool keep, dc_error *err);
/* The mean, in the floating dtype that division gives; of no elements NaN. */
dc_array *dc_array_mean(dc_array *a, uint32_t axes, bool keep, dc_error *err);
/* The mean of squared distances from the mean, the divisor being n - ddof; `root`: its square root.  One pass. */
dc_array *dc_array_variance(dc_array *a, uint32_t axes, bool keep, double ddof, bool root, dc_error *err);
/* The square root of the sum of squared absolute values. */
dc_array *dc_array_norm(dc_array *a, uint32_t axes, bool keep, dc_error *err);

/* |a-b| <= atol + rtol*|b| everywhere (NaN equals nothing). */
int dc_array_allclose(dc_array *a, dc_array *b, double rtol, double atol, bool *out, dc_error *err);
/* Same shape and all elements equal. */
int dc_array_equal(dc_array *a, dc_array *b, bool *out, dc_error *err);
/* Whether a float or complex array has a NaN; of other dtypes none has. */
int dc_array_has_nan(dc_array *a, bool *yes, dc_error *err);
