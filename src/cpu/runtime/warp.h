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

/* Warp `index` of a block that native code has begun to run, with its frame f.  Lanes `live` have not exited; one of
** the next two functions tells where they stand. */
void dc_warp_adopt(dc_warp_slot *s, dc_block_run *b, uint32_t index, dc_frame *f, uint32_t live);
/* The lanes of an adopted warp wait at the end of node n, a barrier of the whole block. */
void dc_warp_await(dc_warp_slot *s, int32_t n);
/* They stand where code c has left them, with `result` (simd/abi.h): `lanes` at node n, others at those nodes for
** which it has written dc_native.wait. */
void dc_warp_take_back(dc_warp_slot *s, const dc_native_code *c, int result, int32_t n, uint32_t lanes);

dc_progress dc_warp_run(dc_warp_slot *s);
void dc_warp_drop(dc_warp_slot *s);         /* releases its frames */

/* For a warp without runnable lanes: whether some wait at a warp-wide operation; they then pass it without others. */
bool dc_warp_force(dc_warp_slot *s);
