/*
** decode.h - a parsed function to nodes of operations that the warp loop runs.
*/
#pragma once

#include "base/error.h"
#include "cpu/interp/code.h"
#include "cpu/ptx/ptx.h"

/* fn without what it calls: 0, -1 with the error set, or DC_DECODE_REFUSED. */
int dc_decode_alone(dc_cpu_function *fn, dc_error *err);

/* Whether a lane that executes this warp-wide operation may be missing in its member mask. */
bool dc_may_lack_members(const ptx_ins *ins);

/* Whether a loop may wait by this instruction for what another thread does. */
bool dc_may_spin(const ptx_ins *ins);
