/*
** barrier.h - the barriers of a block (bar.sync, bar.arrive, bar.red; PTX ISA 9.7.12.1).
*/
#pragma once

#include "cpu/interp/interp.h"
#include "cpu/runtime/state.h"

/* Lanes of warp `w` arrive at barrier `id`, which expects `count` threads, 0: all of the block.  `wait`: they wait for
** it.  `truth`: the lanes with a true predicate.  True: the barrier is complete and its waiting lanes are released. */
bool dc_barrier_arrive(dc_block_run *b, dc_warp *w, uint32_t id, uint32_t count, uint32_t lanes, bool wait,
                       uint32_t truth, uint8_t mode);

/* n lanes of the block have exited: barriers no longer wait for them. */
void dc_barrier_lanes_ended(dc_block_run *b, uint32_t n);
