/*
** livelock.h - finds blocks that spin for ever on shared memory which no thread of the block will change.
*/
#pragma once

#include "cpu/interp/code.h"
#include "cpu/interp/interp.h"
#include "cpu/runtime/state.h"

/* To be called each time that all warps of the block only spin.  True: they do so for ever. */
bool dc_livelock_check(dc_block_run *b);
void dc_livelock_run(dc_warp *w, const dc_basic_block *node, bool masked); /* runs a node of a watched block */
