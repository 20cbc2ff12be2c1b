/*
** block.h - one block: runs its warps round robin, each until it ends or waits.
*/
#pragma once

#include "cpu/runtime/state.h"

int dc_block_start(dc_block_run *b, uint64_t number); /* block `number` of the grid; -1: no memory (host) */
dc_progress dc_block_run_warps(dc_block_run *b);      /* DONE, YIELDED (all warps spin), STOPPED */
void dc_block_drop(dc_block_run *b);                  /* releases the warps and frames of a block that is not done */
