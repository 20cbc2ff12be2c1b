/*
** native_blocks.h - emitted code runs whole blocks: that of functions which need nothing from the warp loop ("simple").
*/
#pragma once

#include "cpu/runtime/state.h"

/* Runs blocks [first, first + count) of the launch: DONE or STOPPED. */
dc_progress dc_native_blocks(dc_worker *k, uint64_t first, uint64_t count);
void dc_native_blocks_end(dc_worker *k); /* after a launch: releases the gangs' frames */
