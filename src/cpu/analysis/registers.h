/*
** registers.h - registers to slots in a warp's register file: liveness, then a linear scan.
*/
#pragma once

#include "base/error.h"
#include "cpu/ptx/ptx.h"

/* Sets slot, file_bytes and npreds of an analysed function.  All writes to live slots in divergent code are masked, so
** lanes never disturb each other.  -1: out of memory, or interrupted; it can be called again. */
int ptx_allocate(ptx_module *m, ptx_func *f, dc_error *err);
