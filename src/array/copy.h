/*
** copy.h - values between arrays, and between arrays and host memory.
*/
#pragma once

#include "array/graph/number.h"
#include "array/graph/types.h"
#include "base/error.h"
#include "device/device.h"

int dc_array_read(dc_array *a, void *dst, dc_error *err);         /* all elements, C order, into host memory */
int dc_array_get(dc_array *a, dc_scalar *out, dc_error *err);     /* one-element arrays */
int dc_array_fill(dc_array *a, dc_scalar v, dc_error *err);       /* v must be a value of the dtype (floats round) */
/* dst = src, broadcasting src to dst's shape, casting to dst's dtype, across devices too; overlap is safe.
** A pending src that is used nowhere else computes straight into dst.
** `async`: a copy between page-locked memory and a GPU is not waited for; the next use of either array is ordered
** behind it. */
int dc_array_assign(dc_array *dst, dc_array *src, bool async, dc_error *err);
dc_array *dc_array_copy(dc_array *a, dc_error *err);              /* contiguous copy on the same device */
/* The same, cast to dtype and broadcast to the shape. */
dc_array *dc_array_copy_as(dc_array *a, dc_dtype dtype, int ndim, const int64_t *shape, dc_error *err);
/* Itself (a new reference) when already there. `async` as above; an array from a GPU then comes into page-locked
** memory. */
dc_array *dc_array_to_device(dc_array *a, dc_device *dev, bool async, dc_error *err);

/* -1 and DC_DTYPE when dst's dtype cannot take values of src's. */
int dc_array_check_values(const dc_array *dst, const dc_array *src, dc_error *err);
/* -1 when several elements of the view share memory. */
int dc_array_check_writable(const dc_array *a, dc_error *err);
