/* batch.c - see batch.h. */
#include "array/linalg/batch.h"

#include <string.h>

void dc_batch_add(dc_batch *b, int64_t n, const int64_t step[DC_BATCH_OPERANDS]) {
  if (n == 1) return;
  bool merges = b->naxes > 0;
  for (int k = 0; merges && k < DC_BATCH_OPERANDS; k++) merges = b->step[b->naxes - 1][k] == n * step[k];
  int at = merges ? b->naxes - 1 : b->naxes++;
  b->n[at] = merges ? b->n[at] * n : n;
  memcpy(b->step[at], step, sizeof b->step[at]);
}

void dc_batch_take(dc_batch *b, int64_t *n, int64_t step[DC_BATCH_OPERANDS]) {
  int best = 0;
  *n = 1;
  memset(step, 0, sizeof *step * DC_BATCH_OPERANDS);
  if (b->naxes == 0) return;
  for (int i = 1; i < b->naxes; i++)
    if (b->n[i] >= b->n[best]) best = i;
  *n = b->n[best];
  memcpy(step, b->step[best], sizeof *step * DC_BATCH_OPERANDS);
  b->naxes--;
  for (int i = best; i < b->naxes; i++) {
    b->n[i] = b->n[i + 1];
    memcpy(b->step[i], b->step[i + 1], sizeof b->step[i]);
  }
}

int64_t dc_batch_count(const dc_batch *b) {
  int64_t n = 1;
  for (int i = 0; i < b->naxes; i++) n *= b->n[i];
  return n;
}

void dc_batch_at(const dc_batch *b, int64_t i, int64_t at[DC_BATCH_OPERANDS]) {
  memset(at, 0, sizeof *at * DC_BATCH_OPERANDS);
  for (int d = b->naxes - 1; d >= 0; d--) {
    for (int k = 0; k < DC_BATCH_OPERANDS; k++) at[k] += i % b->n[d] * b->step[d][k];
    i /= b->n[d];
  }
}
