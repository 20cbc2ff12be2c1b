/*
** block.h - the warps of one block in turn, and the barriers at which they meet.
*/
#ifndef DC_CPU_RUNTIME_BLOCK_H
#define DC_CPU_RUNTIME_BLOCK_H

#include "cpu/interp/interp.h"
#include "cpu/runtime/state.h"

int dc_block_start(dc_block_run *b, uint64_t linear);
dc_progress dc_block_go(dc_block_run *b); /* DONE, YIELDED, STOPPED */
void dc_block_drop(dc_block_run *b);

/* Lanes of warp `w` arrive at barrier `id`; `count` threads are expected, 0 for all; `wait`: they wait for it.
** `truth`: those with a true predicate. True: the barrier is complete and everybody has been let go. */
bool dc_barrier_arrive(dc_block_run *b, dc_warp *w, uint32_t id, uint32_t count, uint32_t lanes, bool wait,
                       uint32_t truth, uint8_t mode);
void dc_block_lanes_ended(dc_block_run *b, uint32_t n);

#endif
