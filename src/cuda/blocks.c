/*
** blocks.c - small blocks of memory that were freed, kept here for the next arrays of their size.
**
** The driver's pool takes microseconds for what is a few instructions here, which is much beside a small array's
** kernel.  A block is given out again while kernels of its last owner may still run: that is safe where all work is in
** one stream, so blocks are kept and taken only then.  A stream that is made later begins behind all that was issued.
*/
#include <stdlib.h>

#include "cuda/driver.h"

#define UNIT ((size_t)512) /* what the driver's memory is aligned to */
#define CLASSES 64         /* of blocks of 1, 2, … units */
#define MOST 64            /* blocks of a class */

struct dc_cuda_blocks {
  int n[CLASSES];
  dc_ptr kept[CLASSES][MOST];
};

size_t dc_cuda_block_size(size_t n) { return n <= CLASSES * UNIT ? (n + UNIT - 1) / UNIT * UNIT : n; }

/* The class of blocks of n bytes, where such may be kept now; else -1. */
static int class_of(const dc_cuda *d, size_t n) {
  if (n == 0 || n > CLASSES * UNIT || d->dev->tracking != 0 || d->dev->stream != NULL) return -1;
  return (int)((n - 1) / UNIT);
}

bool dc_cuda_block_take(dc_cuda *d, size_t n, dc_ptr *p) {
  const int c = class_of(d, n);
  if (c < 0 || d->blocks == NULL || d->blocks->n[c] == 0) return false;
  *p = d->blocks->kept[c][--d->blocks->n[c]];
  return true;
}

bool dc_cuda_block_keep(dc_cuda *d, size_t n, dc_ptr p) {
  const int c = class_of(d, n);
  if (c < 0) return false;
  if (d->blocks == NULL) d->blocks = calloc(1, sizeof *d->blocks);
  if (d->blocks == NULL || d->blocks->n[c] == MOST) return false;
  d->blocks->kept[c][d->blocks->n[c]++] = p;
  return true;
}

void dc_cuda_blocks_drop(dc_cuda *d, void (*give_back)(dc_cuda *d, dc_ptr p)) {
  struct dc_cuda_blocks *b = d->blocks;
  d->blocks = NULL;
  for (int c = 0; b != NULL && give_back != NULL && c < CLASSES; c++)
    for (int i = 0; i < b->n[c]; i++) give_back(d, b->kept[c][i]);
  free(b);
}
