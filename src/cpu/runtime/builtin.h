/*
** builtin.h - functions that CUDA declares and the device defines: vprintf, malloc, free, __assertfail, and the two
** that a launch by a kernel calls.
*/
#pragma once

#include "base/buf.h"
#include "cpu/interp/code.h"
#include "cpu/interp/interp.h"

/* Calls the function that ends `node`, for `lanes` in ascending order. */
void dc_builtin_call(dc_warp *w, dc_frame *f, const dc_basic_block *node, uint32_t lanes);

/* vprintf of one lane, appended to `out`: a format as in C, its arguments packed as nvcc packs them.  The number of
** arguments used. */
int dc_printf_lane(dc_buf *out, const char *format, const uint8_t *args);
