/*
** cfg.h - a function's control-flow graph: instructions to basic blocks, loops contiguous.
*/
#pragma once

#include "base/error.h"
#include "cpu/ptx/ptx.h"

/* Splits a function into blocks (around branches, and before each barrier or warp-wide instruction, which is the first
** of its block), numbers them in reverse post-order with loops contiguous, and rewrites branch operands to block
** numbers.  -1: out of memory, or interrupted; it can be called again. */
int ptx_analyse(ptx_module *m, ptx_func *f, dc_error *err);
