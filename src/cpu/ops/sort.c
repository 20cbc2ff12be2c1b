/*
** sort.c - columns of integers sorted by a network, all columns of a cache line at once.
**
** The network is Batcher's merge exchange (Knuth, The Art of Computer Programming 5.2.2, algorithm M), for any number
** of keys.
*/
#include "cpu/ops/lanes.h"

/* A loop that becomes vectors, which gcc would rather unroll. */
#if defined(__clang__)
#define VECTOR _Pragma("clang loop vectorize(assume_safety)")
#else
#define VECTOR _Pragma("GCC ivdep") _Pragma("GCC unroll 1")
#endif
#define COLUMNS(T)                                                                                                     \
  static void sort_##T(T *keys, size_t n) {                                                                            \
    enum { KEYS = DC_SORTED_BYTES / sizeof(T) };                                                                       \
    size_t half = 1;                                                                                                   \
    while (2 * half < n) half *= 2;                                                                                    \
    for (size_t p = half; p > 0; p /= 2) {                                                                             \
      size_t distance = p, first = 0;                                                                                  \
      for (size_t q = half; ; distance = q - p, q /= 2, first = p) {                                                   \
        for (size_t i = first; i + distance < n; i += p)                                                               \
          for (const size_t end = i + p; i < end && i + distance < n; i++) {                                           \
            T *restrict x = keys + i * KEYS, *restrict y = keys + (i + distance) * KEYS;                               \
            VECTOR for (int l = 0; l < KEYS; l++) {                                                                    \
              const T a = x[l], b = y[l];                                                                              \
              x[l] = a < b ? a : b;                                                                                    \
              y[l] = a < b ? b : a;                                                                                    \
            }                                                                                                          \
          }                                                                                                            \
        if (q == p) break;                                                                                             \
      }                                                                                                                \
    }                                                                                                                  \
  }
COLUMNS(s8)
COLUMNS(u8)
COLUMNS(s16)
COLUMNS(u16)
COLUMNS(s32)
COLUMNS(u32)
COLUMNS(s64)
COLUMNS(u64)

void PER_ISA(dc_sort_columns)(void *keys, size_t n, size_t size, bool is_signed) {
  switch (size) {
    case 1: is_signed ? sort_s8(keys, n) : sort_u8(keys, n); break;
    case 2: is_signed ? sort_s16(keys, n) : sort_u16(keys, n); break;
    case 4: is_signed ? sort_s32(keys, n) : sort_u32(keys, n); break;
    default: is_signed ? sort_s64(keys, n) : sort_u64(keys, n); break;
  }
}
