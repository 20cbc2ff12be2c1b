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
#define MOST ((size_t)32 << 20) /* bytes kept in all: a collector gives back thousands of blocks at once */

struct dc_cuda_blocks {
  size_t bytes;
  int n[CLASSES], room[CLASSES];
  dc_ptr *kept[CLASSES];
};

size_t dc_cuda_block_size(size_t n) { return n <= CLASSES * UNIT ? (n + UNIT - 1) / UNIT * UNIT : n; }

/* The class of blocks of n bytes, where such may be kept now; else -1. */
static int class_of(const dc_cuda *d, size_t n) {
  if (n == 0 || n > CLASSES * UNIT || d->dev->tracking != 0 || d->dev->stream != NULL) return -1;
  return (int)((n - 1) / UNIT);
}

DC_HOT bool dc_cuda_block_take(dc_cuda *d, size_t n, dc_ptr *p) {
  const int c = class_of(d, n);
  if (c < 0 || d->blocks == NULL || d->blocks->n[c] == 0) return false;
  *p = d->blocks->kept[c][--d->blocks->n[c]];
  d->blocks->bytes -= dc_cuda_block_size(n);
  return true;
}

/* Makes room for another block of class c. */
static bool grow(dc_cuda *d, int c) {
  if (d->blocks == NULL && (d->blocks = calloc(1, sizeof *d->blocks)) == NULL) return false;
  struct dc_cuda_blocks *b = d->blocks;
  const int room = b->room[c] > 0 ? 2 * b->room[c] : 16;
  dc_ptr *kept = realloc(b->kept[c], (size_t)room * sizeof *kept);
  if (kept == NULL) return false;
  b->kept[c] = kept;
  b->room[c] = room;
  return true;
}

static DC_APART bool keep_in_more_room(dc_cuda *d, size_t n, dc_ptr p, int c) {
  return grow(d, c) && dc_cuda_block_keep(d, n, p);
}

DC_HOT bool dc_cuda_block_keep(dc_cuda *d, size_t n, dc_ptr p) {
  const int c = class_of(d, n);
  if (c < 0) return false;
  struct dc_cuda_blocks *b = d->blocks;
  if (b != NULL && b->bytes + dc_cuda_block_size(n) > MOST) return false;
  if (b == NULL || b->n[c] == b->room[c]) return keep_in_more_room(d, n, p, c);
  b->kept[c][b->n[c]++] = p;
  b->bytes += dc_cuda_block_size(n);
  return true;
}

void dc_cuda_blocks_drop(dc_cuda *d, void (*give_back)(dc_cuda *d, dc_ptr p)) {
  struct dc_cuda_blocks *b = d->blocks;
  d->blocks = NULL;
  for (int c = 0; b != NULL && c < CLASSES; c++) {
    for (int i = 0; give_back != NULL && i < b->n[c]; i++) give_back(d, b->kept[c][i]);
    free(b->kept[c]);
  }
  free(b);
}
