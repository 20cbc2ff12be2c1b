/*
** native_leave.h - a block that native code has begun to run as a whole goes on at tier 0, warp by warp.
*/
#pragma once

#include "cpu/runtime/state.h"

/* Native code has left block b with `result` (simd/abi.h).  PASSED: dc_block_run_warps goes on with it; STOPPED: no
** memory, and the job has failed. */
dc_progress dc_native_leave(dc_worker *k, dc_block_run *b, int result);
