/*
** batch.h - the axes of a batch, for libraries that take one distance from matrix to matrix.
**
** Axes that are contiguous in every operand are merged; the longest that is left goes to the library, the others are a
** loop of the caller's.
*/
#pragma once

#include "array/graph/geometry.h"

#define DC_BATCH_OPERANDS 3

typedef struct dc_batch {
  int naxes;
  int64_t n[DC_MAX_DIMS];
  int64_t step[DC_MAX_DIMS][DC_BATCH_OPERANDS]; /* elements */
} dc_batch;

/* One more axis, inside of those before. */
void dc_batch_add(dc_batch *b, int64_t n, const int64_t step[DC_BATCH_OPERANDS]);
/* Takes the longest axis away: its extent and steps; 1 and 0 when there is none. */
void dc_batch_take(dc_batch *b, int64_t *n, int64_t step[DC_BATCH_OPERANDS]);
/* Iterations over the axes left; 1 without any. */
int64_t dc_batch_count(const dc_batch *b);
/* The operands' offsets in iteration i, in elements. */
void dc_batch_at(const dc_batch *b, int64_t i, int64_t at[DC_BATCH_OPERANDS]);
