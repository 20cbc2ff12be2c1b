/*
** uniformity.h - uniformity and divergence analysis of a function, for tier 1.
**
** value_shapes.h says what shapes values have.  A block is divergent if it may run with a subset of the lanes; then
** some writes must preserve the other lanes' values.
**
** A gang is what one call of emitted code runs: 32 lanes, or 16 where no instruction depends on the width.
*/
#pragma once

#include "cpu/analysis/by_thread.h"
#include "cpu/analysis/value_shapes.h"
#include "cpu/ptx/ptx.h"

/* Whether an instruction has a scalar form (so that uniform operands give a uniform result). */
typedef bool (*dc_has_scalar)(const ptx_ins *ins);

/* Analyses an analysed function (ptx_analyse) for a shape. -1: out of memory, or interrupted. k->regular is false for
** flow graphs that the analysis does not cover (irreducible ones, very deeply nested loops): these functions stay at
** tier 0. */
int dc_uniformity_find(dc_uniformity *k, const ptx_func *f, dc_by_thread values, dc_gang_layout shape,
                       dc_has_scalar has_scalar);
void dc_uniformity_free(dc_uniformity *k);

/* Whether no lane but lane 0 of a gang runs block b. */
bool dc_runs_first_lane(const dc_uniformity *k, int32_t b);

/* Whether all paths to block b go through block a. */
static inline bool dc_dominates(const dc_uniformity *k, int32_t a, int32_t b) {
  return k->enter[a] <= k->enter[b] && k->enter[b] < k->leave[a];
}
