/*
** vqsort.h - numbers sorted by Highway's vectorized quicksort, loaded when first used.
**
** DOTCOMPUTE_HIGHWAY names the library's file (libhwy_contrib), or is "off".
*/
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/dtype.h"
#include "base/error.h"

int dc_vqsort_load(dc_error *err);  /* DC_DEVICE says what to install */
bool dc_vqsort_prepare(dc_dtype t); /* before keys of a type are sorted; false: the library does not take them */

/* Copies n numbers in the form in which they are sorted, their keys.  True: there are NaN or -0 among them. */
bool dc_vqsort_copy(dc_dtype t, bool descending, void *out, const void *in, size_t n);
/* Sorts n keys in place, on this thread. */
void dc_vqsort_run(dc_dtype t, bool descending, void *keys, size_t n);
/* Makes numbers of keys again, in place. */
void dc_vqsort_finish(dc_dtype t, void *keys, size_t n);
/* For a row with NaN or -0, behind that: zeros and NaN among the sorted numbers `out` get the bits that they have in
** the row, in its order. */
void dc_vqsort_restore(dc_dtype t, bool descending, void *out, const void *in, size_t n);
/* Of the sorted keys a[0 … na) and b[0 … nb) merged: those from `first` to before `last`, to out[first …]. */
void dc_vqsort_merge(dc_dtype t, bool descending, void *out, const void *a, size_t na, const void *b, size_t nb,
                     size_t first, size_t last);
