/*
** warp.h - one warp: which lanes run which node next, calls, and everything a node may end with.
*/
#ifndef DC_CPU_RUNTIME_WARP_H
#define DC_CPU_RUNTIME_WARP_H

#include "cpu/runtime/state.h"

void dc_warp_start(dc_warp_slot *s, struct dc_block_run *b, uint32_t index);

/* Readies a warp for code that needs no frames of it: native code for whole blocks. */
void dc_warp_stage(dc_warp_slot *s, struct dc_block_run *b);
dc_progress dc_warp_run(dc_warp_slot *s);
void dc_warp_drop(dc_warp_slot *s);         /* gives its frames back */

/* Whether some lanes of a warp that cannot go on wait at a warp-wide operation; they are told to pass. */
bool dc_warp_force(dc_warp_slot *s);

/* Adds the lines of the source where its lanes wait to lines[0..n), each once, at most `max`; the new count. */
int dc_warp_lines(const dc_warp_slot *s, uint32_t *lines, int n, int max);

#endif
