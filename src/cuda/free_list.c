/* free_list.c - see free_list.h. */
#include "cuda/free_list.h"

#include <stdlib.h>

#define UNIT ((size_t)512) /* what the driver's memory is aligned to */
#define CLASSES 64         /* of blocks of 1, 2, … units */
#define MOST ((size_t)32 << 20) /* bytes cached in all: a garbage collection frees thousands of blocks at once */

struct dc_cuda_free_list {
  size_t bytes;
  int n[CLASSES], room[CLASSES];
  dc_ptr *block[CLASSES];
};

size_t dc_cuda_block_size(size_t n) { return n <= CLASSES * UNIT ? (n + UNIT - 1) / UNIT * UNIT : n; }

/* The size class of n bytes, where blocks may be cached now; else -1. */
static int class_of(const dc_cuda *d, size_t n) {
  if (n == 0 || n > CLASSES * UNIT || d->dev->tracking != 0 || d->dev->stream != NULL) return -1;
  return (int)((n - 1) / UNIT);
}

DC_HOT bool dc_cuda_free_list_take(dc_cuda *d, size_t n, dc_ptr *p) {
  const int c = class_of(d, n);
  if (c < 0 || d->free_list == NULL || d->free_list->n[c] == 0) return false;
  *p = d->free_list->block[c][--d->free_list->n[c]];
  d->free_list->bytes -= dc_cuda_block_size(n);
  return true;
}

/* Makes room for another block of class c. */
static bool grow(dc_cuda *d, int c) {
  if (d->free_list == NULL && (d->free_list = calloc(1, sizeof *d->free_list)) == NULL) return false;
  struct dc_cuda_free_list *b = d->free_list;
  const int room = b->room[c] > 0 ? 2 * b->room[c] : 16;
  dc_ptr *block = realloc(b->block[c], (size_t)room * sizeof *block);
  if (block == NULL) return false;
  b->block[c] = block;
  b->room[c] = room;
  return true;
}

static DC_NOINLINE bool add_in_more_room(dc_cuda *d, size_t n, dc_ptr p, int c) {
  return grow(d, c) && dc_cuda_free_list_add(d, n, p);
}

DC_HOT bool dc_cuda_free_list_add(dc_cuda *d, size_t n, dc_ptr p) {
  const int c = class_of(d, n);
  if (c < 0) return false;
  struct dc_cuda_free_list *b = d->free_list;
  if (b != NULL && b->bytes + dc_cuda_block_size(n) > MOST) return false;
  if (b == NULL || b->n[c] == b->room[c]) return add_in_more_room(d, n, p, c);
  b->block[c][b->n[c]++] = p;
  b->bytes += dc_cuda_block_size(n);
  return true;
}

void dc_cuda_free_list_clear(dc_cuda *d, void (*give_back)(dc_cuda *d, dc_ptr p)) {
  struct dc_cuda_free_list *b = d->free_list;
  d->free_list = NULL;
  for (int c = 0; b != NULL && c < CLASSES; c++) {
    for (int i = 0; i < b->n[c]; i++) give_back(d, b->block[c][i]);
    free(b->block[c]);
  }
  free(b);
}
