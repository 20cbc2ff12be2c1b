/*
** needed_lanes.h - how many lanes of a register are needed: of the sums that a warp's lanes add up by shuffles
** (`v += __shfl_down_sync(~0u, v, 16)` and so on) only lane 0's may be read in the end.
*/
#pragma once

#include "cpu/analysis/uniformity.h"

/* The constant distance of a shuffle up, down or to the lane ^ n, of whole warps; 0: there is none. */
int dc_shuffle_distance(const dc_uniformity *k, const ptx_ins *ins);
/* Of a function whose uniformity is known: for each register the number of its first lanes that are needed, others are
** not; in k's arena.  NULL: out of memory. */
const uint8_t *dc_needed_lanes_find(dc_uniformity *k, dc_has_scalar has_scalar);
