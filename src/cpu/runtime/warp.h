/*
** warp.h - the warp scheduler: divergence and reconvergence, branches, calls, warp-wide waits.
*/
#pragma once

#include "cpu/interp/interp.h"
#include "cpu/runtime/state.h"

dc_warp_slot *dc_warp_new(dc_worker *k); /* a new or a free one of the worker's; NULL: no memory */

/* Warp `index` of the block, at the beginning of the kernel. */
void dc_warp_start(dc_warp_slot *s, dc_block_run *b, uint32_t index);
/* The same without a frame: for native code that runs whole blocks. */
void dc_warp_prepare(dc_warp_slot *s, dc_block_run *b);
void dc_warp_set_local(dc_warp *w, const dc_worker *k); /* sets the bounds of local memory, once a frame is made */

dc_progress dc_warp_run(dc_warp_slot *s);
void dc_warp_drop(dc_warp_slot *s);         /* releases its frames */

/* For a warp without runnable lanes: whether some wait at a warp-wide operation; they then pass it without others. */
bool dc_warp_force(dc_warp_slot *s);
