/*
** left_out.h - the last resort for a file: kernels that cannot be compiled go, so that the others can be had.  Each is
** noted in the fixup with the reason, which is its error when it is asked for.
*/
#pragma once

#include <stdbool.h>

#include "compile/nvcc_compat/fixup.h"

/* Kernels that launch kernels, and functions of the device that do, which NVRTC cannot compile.  False when there are
** none. */
bool dc_left_out_launchers(dc_fixup *m);

/* Kernels and functions of the device in which the log's errors are.  False when none is in one. */
bool dc_left_out_failing(dc_fixup *m, const char *log);
