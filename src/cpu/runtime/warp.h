/*
** warp.h - the warp loop: which lanes run which node next, branches, calls, waiting for other lanes.
*/
#pragma once

#include "cpu/interp/interp.h"
#include "cpu/runtime/state.h"

dc_warp_slot *dc_warp_new(dc_worker *k); /* a new or a free one of the worker's; NULL: no memory */

/* Warp `index` of the block, at the beginning of the kernel. */
void dc_warp_start(dc_warp_slot *s, dc_block_run *b, uint32_t index);
/* The same without a frame: for native code that runs whole blocks. */
void dc_warp_prepare(dc_warp_slot *s, dc_block_run *b);
void dc_warp_set_local(dc_warp *w, const dc_worker *k); /* where local memory is, once a frame is made */

dc_progress dc_warp_run(dc_warp_slot *s);
void dc_warp_drop(dc_warp_slot *s);         /* releases its frames */

/* Whether some lanes of a warp that cannot go on wait at a warp-wide operation; they then pass it without the rest. */
bool dc_warp_force(dc_warp_slot *s);

/* Adds the lines of the source where its lanes wait to lines[0..n), each once, at most `max`; the new count. */
int dc_warp_lines(const dc_warp_slot *s, uint32_t *lines, int n, int max);
