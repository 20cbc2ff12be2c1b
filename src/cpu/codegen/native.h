/*
** native.h - tier 1 of a function: emitted, built in the background, and run in tier 0's place when ready.
*/
#pragma once

#include "cpu/analysis/uniformity.h"
#include "cpu/codegen/build.h"
#include "cpu/codegen/emit.h"
#include "cpu/interp/code.h"
#include "cpu/simd/abi.h"
#include "device/device.h"

/* A function for one way in which gangs lie in blocks. */
typedef struct dc_native_code {
  const dc_cpu_function *fn;
  dc_build *build;
  dc_native_fn *run;     /* NULL until it is ready */
  dc_emitted info;
  dc_gang_layout shape;
  int state;             /* 0 not asked for yet, 1 being built, 2 ready, -1 stays at tier 0 */
} dc_native_code;

/* A launch is about to run fn in blocks of this size: its code when that is ready, else NULL after having it built
** (DOTCOMPUTE_CPU_TIER: 0 never; 1 wait for it).  For use by the launching thread only. */
dc_native_code *dc_native_prepare(dc_cpu_function *fn, dc_dim3 block);
/* The tier that the last prepared shape of fn is at: 0 or 1. */
int dc_native_tier(const dc_cpu_function *fn);
/* For a function called by code of this width and layout: its code when ready. */
dc_native_code *dc_native_callee(const dc_cpu_function *fn, const dc_native_code *caller);
void dc_native_drop(dc_cpu_function *fn);
