/*
** decode.h - a parsed function to nodes of operations that the warp loop runs.
*/
#ifndef DC_CPU_INTERP_DECODE_H
#define DC_CPU_INTERP_DECODE_H

#include "base/error.h"
#include "cpu/interp/code.h"
#include "cpu/ptx/ptx.h"

/* As dc_decode, but without the functions that fn calls.  DC_DECODE_REFUSED: it cannot run, fn->refusal says why. */
#define DC_DECODE_REFUSED 1
int dc_decode_alone(dc_cpu_function *fn, dc_error *err);

/* Whether a lane that executes this warp-wide operation may be missing in its member mask. */
bool dc_may_lack_members(const ptx_ins *ins);

#endif
