/*
** scan.h - prefix sums and products of short rows by the host, with the bits of scan's kernels: these combine rows of
** up to 64 elements one after another, and longer ones as a warp does (lua/dotcompute/scan_text.lua).
*/
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "array/graph/geometry.h"
#include "base/dtype.h"

/* Whether the host scans these: rows of integers, and of up to 2048 floats, which are contiguous if more than 64. */
bool dc_host_scans(dc_dtype t, bool product, const dc_geometry *g, int axis);
/* The prefixes along an axis of `from`, of geometry g, to `to`, in C order; of integers and bools they are of 64 bits,
** of other dtypes their own. */
void dc_host_scan(dc_dtype t, bool product, const char *from, const dc_geometry *g, int axis, char *to);
