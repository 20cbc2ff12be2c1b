/*
** native_blocks.h - runs emitted code on whole blocks, for functions that need nothing of the warp scheduler
** ("simple").
*/
#pragma once

#include "cpu/runtime/state.h"

/* How many blocks run as if they were one: neighbours in a loop over columns (codegen/emit_yields.c). */
uint32_t dc_native_together(const dc_job *job);

/* Runs block b, which has been started, until it ends (DONE), waits for other blocks (YIELDED), has to go on at tier 0
** (PASSED: by dc_block_run_warps), or is stopped (STOPPED). */
dc_progress dc_native_block(dc_worker *k, dc_block_run *b);

/* Runs blocks [first, first + count) of the launch: DONE or STOPPED. */
dc_progress dc_native_blocks(dc_worker *k, uint64_t first, uint64_t count);
