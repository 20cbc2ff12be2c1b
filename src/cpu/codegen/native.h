/*
** native.h - tier 1: functions as native code, emitted, built in the background, and run when ready.
*/
#pragma once

#include "cpu/analysis/uniformity.h"
#include "cpu/codegen/build.h"
#include "cpu/codegen/emit.h"
#include "cpu/interp/code.h"
#include "cpu/simd/abi.h"
#include "device/device.h"

#define DC_MAX_GANGS 128 /* of a block */

/* A function emitted for one gang layout. */
typedef struct dc_native_code {
  const dc_cpu_function *fn;
  dc_build *build;
  dc_native_fn *run;     /* NULL until it is ready */
  dc_emitted info;
  dc_gang_layout shape;
  int state;             /* of native.c; 0: not requested yet */
  char refusal[DC_REFUSAL]; /* why there is none, if it failed */
  uint64_t blocks;       /* number of blocks that it has run lately */
  uint64_t deoptimized;  /* number of those blocks that it had to leave to tier 0 */
  /* what runtime/contention.h has measured */
  int launches_measured; /* number of launches for which it is still taken to be true */
  bool faster_alone;     /* the launching thread is faster than with the others' help */
  double seconds_alone;  /* length of a launch before others help, where it is: ten times the measurement's */
  struct dc_native_code *warp_code; /* the version by warps that takes its place where these are many; NULL: none */
} dc_native_code;

/* Before a launch of fn: the code if it is ready, else NULL, and its build is requested
** (DOTCOMPUTE_CPU_TIER: 0 never; 1 waits for it).  For the launching thread only. */
dc_native_code *dc_native_prepare(dc_cpu_function *fn, dc_dim3 grid, dc_dim3 block);
/* Whether the build that the last dc_native_prepare of fn left under way has ended well since: the next one of the same
** grid and block returns its code.  For the launching thread only. */
bool dc_native_is_ready(const dc_cpu_function *fn);
/* After a launch: c has run `blocks` blocks, of which it left `deoptimized` to tier 0. */
void dc_native_count(dc_native_code *c, uint64_t blocks, uint64_t deoptimized);
/* Of how many threads a row of a block is, in which gangs of this layout follow one another. */
static inline uint32_t dc_gang_row(dc_gang_layout shape, dc_dim3 block) {
  return shape.rows ? block.x : block.x * block.y * block.z;
}
static inline uint32_t dc_gangs_of_row(dc_gang_layout shape, dc_dim3 block) {
  return (dc_gang_row(shape, block) + (uint32_t)shape.width - 1) / (uint32_t)shape.width;
}
static inline uint32_t dc_gangs_of(dc_gang_layout shape, dc_dim3 block) {
  return dc_gangs_of_row(shape, block) * (shape.rows ? block.y * block.z : 1);
}
/* The tier that the last prepared shape of fn is at: 0 or 1.  *why: the reason for which it stays 0, as long as fn is
** there; NULL: it does not, or that is not known yet. */
int dc_native_tier(const dc_cpu_function *fn, const char **why);
void dc_native_drop(dc_cpu_function *fn); /* frees all code of fn */
