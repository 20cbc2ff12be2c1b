/*
** builtin.h - functions that CUDA declares and the device defines: vprintf, malloc, free, __assertfail.
*/
#pragma once

#include "cpu/interp/code.h"
#include "cpu/interp/interp.h"

/* Calls the one that `node` ends with, for `lanes` in ascending order. */
void dc_builtin_call(dc_warp *w, dc_frame *f, const dc_basic_block *node, uint32_t lanes);
