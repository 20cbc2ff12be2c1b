/*
** native_blocks.h - runs emitted code on whole blocks, for functions that need nothing of the warp scheduler
** ("simple").
*/
#pragma once

#include "cpu/runtime/state.h"

/* Runs blocks [first, first + count) of the launch: DONE or STOPPED. */
dc_progress dc_native_blocks(dc_worker *k, uint64_t first, uint64_t count);
