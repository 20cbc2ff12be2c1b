/*
** sort.c - see sort.h.
**
** Insertion sort of short rows, LSD radix sort of longer ones.  What is moved is a key's order with its position.  An
** order of up to 32 bits shares a word with the position, in the low half; since positions differ, comparing words is
** stable.
*/
#include "array/host/sort.h"

#include <string.h>

#include "array/host/by_type.h"
#include "array/host/order.h"

#define FEW 32 /* keys that insertion sorts */

typedef uint64_t packed; /* order << 32 | position */
typedef struct pair {
  uint64_t order, position;
} pair;

size_t dc_host_sort_bytes(int64_t n) { return 2 * (size_t)n * sizeof(pair); }

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

/* insertion_sort_*: n keys in place.  radix_sort_*: by `passes` digits of 8 bits from bit `shift` on, with `spare` of
** the same size; returns where the result is.  A digit that all keys have in common is left out. */
#define SORT(T, WORD)                                                                                                  \
  static void insertion_sort_##T(T *a, int64_t n) {                                                                    \
    for (int64_t i = 1; i < n; i++) {                                                                                  \
      const T k = a[i];                                                                                                \
      int64_t j = i;                                                                                                   \
      for (; j > 0 && WORD(a[j - 1]) > WORD(k); j--) a[j] = a[j - 1];                                                  \
      a[j] = k;                                                                                                        \
    }                                                                                                                  \
  }                                                                                                                    \
  static T *radix_sort_##T(T *a, T *spare, int64_t n, int shift, int passes) {                                         \
    uint32_t counts[8][256];                                                                                           \
    memset(counts, 0, (size_t)passes * sizeof *counts);                                                                \
    for (int64_t i = 0; i < n; i++) {                                                                                  \
      uint64_t w = WORD(a[i]) >> shift;                                                                                \
      for (int p = 0; p < passes; p++, w >>= 8) counts[p][w & 255]++;                                                  \
    }                                                                                                                  \
    for (int p = 0; p < passes; p++, shift += 8) {                                                                     \
      uint32_t *const at = counts[p], sum = 0;                                                                         \
      if (at[WORD(a[0]) >> shift & 255] == (uint32_t)n) continue;                                                      \
      for (int d = 0; d < 256; d++) {                                                                                  \
        const uint32_t count = at[d];                                                                                  \
        at[d] = sum;                                                                                                   \
        sum += count;                                                                                                  \
      }                                                                                                                \
      for (int64_t i = 0; i < n; i++) spare[at[WORD(a[i]) >> shift & 255]++] = a[i];                                   \
      T *const other = a;                                                                                              \
      a = spare;                                                                                                       \
      spare = other;                                                                                                   \
    }                                                                                                                  \
    return a;                                                                                                          \
  }
#define WORD_OF_PACKED(k) (k)
#define WORD_OF_PAIR(k) (k).order
SORT(packed, WORD_OF_PACKED)
SORT(pair, WORD_OF_PAIR)

static void argsort_packed(packed *a, int64_t n, int passes, uint32_t *position) {
  for (int64_t i = 0; i < n; i++) a[i] = a[i] << 32 | (uint64_t)i;
  if (n <= FEW) insertion_sort_packed(a, n);
  else a = radix_sort_packed(a, a + n, n, 32, passes);
  for (int64_t i = 0; i < n; i++) position[i] = (uint32_t)a[i];
}

/* The orders are in the second half of `a`. */
static void argsort_pairs(pair *a, int64_t n, int passes, uint32_t *position) {
  const uint64_t *const order = (const uint64_t *)(a + n);
  for (int64_t i = 0; i < n; i++) a[i] = (pair){ order[i], (uint64_t)i };
  if (n <= FEW) insertion_sort_pair(a, n);
  else a = radix_sort_pair(a, a + n, n, 0, passes);
  for (int64_t i = 0; i < n; i++) position[i] = (uint32_t)a[i].position;
}

void dc_host_argsort(dc_dtype t, const void *row, int64_t n, bool descending, void *scratch, uint32_t *position) {
  const int size = (int)dc_dtype_size(t);
  if (size <= 4) {
    orders(t, row, n, descending, scratch);
    argsort_packed(scratch, n, size, position);
  } else {
    orders(t, row, n, descending, (uint64_t *)((pair *)scratch + n));
    argsort_pairs(scratch, n, size, position);
  }
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
