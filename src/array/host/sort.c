/*
** sort.c - see sort.h.
**
** Short rows are sorted by insertion.  Longer ones are words in an LSD radix sort: the highest bits in which the keys'
** orders differ, fewer than there are, since n keys seldom have more than 2 * log2(n) leading bits in common, and the
** position in the low half.  Then insertion puts those in order that were not told apart; where they are many, by a
** sample or as they turn out, all bits are sorted.
*/
#include "array/host/sort.h"

#include <string.h>

#include "array/host/by_type.h"
#include "array/host/order.h"

#define FEW 32        /* keys that insertion sorts */
#define MODERATE 4096 /* keys for which 24 bits do */
#define SAMPLE 64     /* keys, of which an eighth at most may look the same */
#define MOVES 4       /* a key, after which insertion gives up */

typedef uint64_t word; /* bits of the order << 32 | position */

size_t dc_host_sort_bytes(int64_t n) { return 3 * (size_t)n * sizeof(uint64_t); }

static uint64_t largest(dc_dtype t) { return UINT64_MAX >> (64 - 8 * dc_dtype_size(t)); }

/* The keys' orders; NaN come last in both directions. */
static void orders(dc_dtype t, const void *row, int64_t n, bool descending, uint64_t *to) {
  switch (t) {
#define ORDERS(dtype, name, U, order)                                                                                  \
  case dtype:                                                                                                          \
    for (int64_t i = 0; i < n; i++) to[i] = dc_host_order_##name(((const U *)row)[i]);                                 \
    break;
    DC_HOST_KEYS(ORDERS)
    default: return;
  }
  const uint64_t last = largest(t), stays = dc_dtype_kind(t) == 'f' ? last : 0;
  if (descending)
    for (int64_t i = 0; i < n; i++) to[i] = stays != 0 && to[i] == stays ? stays : last - to[i];
}

/* Both in place; position[] need not be set. */
static void insertion_sort(uint64_t *order, uint32_t *position, int64_t n) {
  for (int64_t i = 0; i < n; i++) {
    const uint64_t k = order[i];
    int64_t j = i;
    for (; j > 0 && order[j - 1] > k; j--) {
      order[j] = order[j - 1];
      position[j] = position[j - 1];
    }
    order[j] = k;
    position[j] = (uint32_t)i;
  }
}

/* By `passes` digits of 8 bits of the upper half, with `spare` of the same size; returns where the result is.  A digit
** that all words have in common is left out. */
static word *radix_sort(word *a, word *spare, int64_t n, int passes) {
  uint32_t counts[4][256];
  memset(counts, 0, (size_t)passes * sizeof *counts);
  for (int64_t i = 0; i < n; i++) {
    word w = a[i] >> 32;
    for (int p = 0; p < passes; p++, w >>= 8) counts[p][w & 255]++;
  }
  for (int p = 0; p < passes; p++) {
    const int shift = 32 + 8 * p;
    uint32_t *const at = counts[p], sum = 0;
    if (at[a[0] >> shift & 255] == (uint32_t)n) continue;
    for (int d = 0; d < 256; d++) {
      const uint32_t count = at[d];
      at[d] = sum;
      sum += count;
    }
    for (int64_t i = 0; i < n; i++) spare[at[a[i] >> shift & 255]++] = a[i];
    word *const other = a;
    a = spare;
    spare = other;
  }
  return a;
}

/* The lowest bit of those that words have; *bits: how many. */
static int leading_bits(const uint64_t *order, int64_t n, int *bits) {
  const int most = n <= MODERATE ? 24 : 32;
  uint64_t differing = 0;
  for (int64_t i = 0; i < n; i++) differing |= order[i] ^ order[0];
  *bits = differing != 0 ? 64 - __builtin_clzll(differing) : 0;
  if (*bits <= most) return 0;
  const int lowest = *bits - most;
  *bits = most;
  return lowest;
}

/* Whether bits from `lowest` on seem to tell keys apart. */
static bool tells_apart(const uint64_t *order, int64_t n, int lowest) {
  int same = 0;
  for (int64_t i = 0; i < n && i < SAMPLE; i++) same += (order[i] ^ order[n / 2]) >> lowest == 0;
  return same <= SAMPLE / 8;
}

/* Sorts positions whose keys are nearly in order by all bits; false: too many of them are not. */
static bool settle(const uint64_t *order, uint32_t *position, int64_t n) {
  int64_t left = MOVES * n;
  for (int64_t i = 1; i < n; i++) {
    const uint32_t p = position[i];
    int64_t j = i;
    for (; j > 0 && order[position[j - 1]] > order[p]; j--) position[j] = position[j - 1];
    position[j] = p;
    left -= i - j;
    if (left < 0) return false;
  }
  return true;
}

/* By all bits, the lower half first. */
static void sort_halves(const uint64_t *order, word *a, int64_t n, uint32_t *position) {
  for (int64_t i = 0; i < n; i++) position[i] = (uint32_t)i;
  for (int half = 0; half < 64; half += 32) {
    for (int64_t i = 0; i < n; i++) a[i] = (order[position[i]] >> half) << 32 | position[i];
    const word *const sorted = radix_sort(a, a + n, n, 4);
    for (int64_t i = 0; i < n; i++) position[i] = (uint32_t)sorted[i];
  }
}

void dc_host_argsort(dc_dtype t, const void *row, int64_t n, bool descending, void *scratch, uint32_t *position) {
  word *a = scratch;
  uint64_t *const order = a + 2 * n;
  int bits;
  orders(t, row, n, descending, order);
  if (n <= FEW) {
    insertion_sort(order, position, n);
    return;
  }
  const int lowest = leading_bits(order, n, &bits);
  if (lowest > 0 && !tells_apart(order, n, lowest)) {
    sort_halves(order, a, n, position);
    return;
  }
  for (int64_t i = 0; i < n; i++) a[i] = (order[i] >> lowest) << 32 | (word)i;
  a = radix_sort(a, a + n, n, (bits + 7) / 8);
  for (int64_t i = 0; i < n; i++) position[i] = (uint32_t)a[i];
  if (lowest > 0 && !settle(order, position, n)) sort_halves(order, scratch, n, position);
}

#define PERMUTE(bytes)                                                                                                 \
  for (int64_t i = 0; i < n; i++)                                                                                      \
    memcpy((char *)to + i * (int64_t)(bytes), (const char *)row + position[i] * (int64_t)(bytes), bytes)

void dc_host_permute(void *to, const void *row, size_t size, const uint32_t *position, int64_t n) {
  DC_HOST_BY_SIZE(size, PERMUTE)
}

int64_t dc_host_heads(dc_dtype t, const void *row, const uint32_t *position, int64_t n, bool *first) {
  int64_t count = 0;
  switch (t) {
#define HEADS(dtype, name, U, order)                                                                                   \
  case dtype: {                                                                                                        \
    const U *const x = row;                                                                                            \
    U before = 0;                                                                                                      \
    for (int64_t i = 0; i < n; i++) {                                                                                  \
      const U o = dc_host_order_##name(x[position[i]]);                                                                \
      first[i] = i == 0 || o != before;                                                                                \
      count += first[i];                                                                                               \
      before = o;                                                                                                      \
    }                                                                                                                  \
    break;                                                                                                             \
  }
    DC_HOST_KEYS(HEADS)
    default: break;
  }
  return count;
}
