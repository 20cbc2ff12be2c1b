/*
** combine.h - reductions of elements in host memory that MPI does not have: of the 16-bit floating formats, minimum and
** maximum that give NaN where an operand is NaN, and sums of narrow integers that wrap around as arrays' do, which
** those of Open MPI 4 need not.
*/
#pragma once

#include <stdint.h>

#include "device/device.h"

/* What the MPI shim calls, with its own numbers of types and folds. */
void dc_combine(int type, int fold, const void *in, void *inout, int n);

/* Divides n elements of a floating or complex dtype. */
void dc_combine_divide(dc_dtype dtype, void *p, int64_t n, int by);
