/*
** registers.h - registers to slots in a warp's register file: liveness, then a linear scan.
*/
#pragma once

#include "base/error.h"
#include "cpu/ptx/ptx.h"

/* Sets slot, file_bytes and npreds of an analysed function.  Writes to live slots in divergent code are masked, so that
** lanes do not overwrite each other's values.  -1: out of memory, or interrupted; it can be called again. */
int ptx_allocate(ptx_module *m, ptx_func *f, dc_error *err);
