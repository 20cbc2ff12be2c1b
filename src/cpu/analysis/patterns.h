/*
** patterns.h - registers whose lanes are at constant distances from each other, although they are not affine: bits of
** the thread's number taken out, moved or flipped (`t & 15`, `t >> 2`, `t ^ 8`), and sums and multiples of such values.
** They are indices of windows of shared memory: butterflies, trees, transposed tiles.
*/
#pragma once

#include "cpu/analysis/uniformity.h"

#define DC_MOST_LANES 32

/* Lane l holds (base + lane[l]) modulo 2^32, where base is the same in all lanes. */
typedef struct dc_pattern {
  int32_t lane[DC_MOST_LANES]; /* of lane 0: 0 */
} dc_pattern;

/* Of a function whose uniformity is known: its registers' patterns, NULL for those without; in k's arena.  NULL: out of
** memory. */
const dc_pattern *const *dc_patterns_find(dc_uniformity *k);
