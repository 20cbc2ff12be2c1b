/*
** builtin.h - functions that CUDA declares and the device defines: vprintf, malloc, free, __assertfail, and the two
** that a launch by a kernel calls.
*/
#pragma once

#include "base/buf.h"
#include "cpu/interp/code.h"
#include "cpu/interp/interp.h"

/* The parameters and results of calls: those of lane 0, and how many bytes apart lanes' are. */
typedef struct dc_call_area {
  uint8_t *at;
  size_t stride;
} dc_call_area;

/* Calls the function that ends `node`, for `lanes` in ascending order. */
void dc_builtin_call(dc_warp *w, dc_call_area area, const dc_basic_block *node, uint32_t lanes);

/* vprintf of one lane, appended to `out`: a format as in C, its arguments packed as nvcc packs them.  The number of
** arguments used. */
int dc_printf_lane(dc_buf *out, const char *format, const uint8_t *args);
