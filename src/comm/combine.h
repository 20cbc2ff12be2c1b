/*
** combine.h - reductions of elements in host memory that MPI does not have: of the 16-bit floating formats, and minimum
** and maximum that give NaN where an operand is NaN.
*/
#pragma once

#include <stdint.h>

#include "device/device.h"

/* What the MPI shim calls, with its own numbers of types and folds. */
void dc_combine(int type, int fold, const void *in, void *inout, int n);

/* Divides n elements of a floating or complex dtype. */
void dc_combine_divide(dc_dtype dtype, void *p, int64_t n, int by);
