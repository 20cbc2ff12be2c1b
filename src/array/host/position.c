/*
** position.c - see position.h.
**
** Elements are compared by keys, integers of their size: an integer itself, a float's bits in their order (as in
** order.h, but signed), the largest for NaN.  For the least element keys are complemented.  The first of the blocks
** with the largest key is found, then the first such key in it.
*/
#include "array/host/position.h"

#include <string.h>

#include "array/host/by_type.h"

enum {
  BLOCK_BYTES = 4096,
  STEP = 64, /* positions in a step fit into keys of 8 bits */
  SHORT = 48 /* fewer elements are sooner compared one by one */
};

/* X(dtype, T, U, infinity): signed keys T, as unsigned U; of floats the bits of infinity. */
#define FLOATS(X)                                                                                                      \
  X(DC_FLOAT16, int16_t, uint16_t, 0x7c00)                                                                             \
  X(DC_BFLOAT16, int16_t, uint16_t, 0x7f80)                                                                            \
  X(DC_FLOAT32, int32_t, uint32_t, 0x7f800000)                                                                         \
  X(DC_FLOAT64, int64_t, uint64_t, INT64_C(0x7ff) << 52)

#define INTEGER_KEY(dtype, T)                                                                                          \
  static inline T key_##dtype(const char *x, int64_t i, T flip) {                                                      \
    T k;                                                                                                               \
    memcpy(&k, x + i * (int64_t)sizeof k, sizeof k);                                                                   \
    return (T)(k ^ flip);                                                                                              \
  }                                                                                                                    \
  static inline T same_##dtype(T k, T flip) { return (void)flip, k; }
/* In the order of their bits NaN are at both ends, as many at each: taking that number away puts all of them behind the
** numbers, where the first of their keys stands for them.  same_: -0, whose key is next to that of 0, as 0. */
#define FLOAT_KEY(dtype, T, U, infinity)                                                                               \
  static const T NANS_##dtype = (T)((U)-1 >> 1 & ~(infinity));                                                         \
  static const T NAN_##dtype = (T)(((U)-1 >> 1) - 2 * (U)((U)-1 >> 1 & ~(infinity)) + 1);                              \
  static inline T key_##dtype(const char *x, int64_t i, T flip) {                                                      \
    T k;                                                                                                               \
    memcpy(&k, x + i * (int64_t)sizeof k, sizeof k);                                                                   \
    k = (T)((k ^ (T)((U)(k >> (8 * sizeof k - 1)) >> 1) ^ flip) - NANS_##dtype);                                       \
    return k < NAN_##dtype ? k : NAN_##dtype;                                                                          \
  }                                                                                                                    \
  static inline T same_##dtype(T k, T flip) {                                                                          \
    return k == (T)((-1 ^ flip) - NANS_##dtype) ? (T)(flip - NANS_##dtype) : k;                                        \
  }
DC_HOST_INTEGERS(INTEGER_KEY)
INTEGER_KEY(DC_BOOL, uint8_t)
FLOATS(FLOAT_KEY)

#define POSITION(dtype, T, ...)                                                                                        \
  static T largest_##dtype(const char *x, int64_t n, T flip) {                                                         \
    T most = key_##dtype(x, 0, flip);                                                                                  \
    for (int64_t i = 1; i < n; i++) {                                                                                  \
      const T k = key_##dtype(x, i, flip);                                                                             \
      most = k > most ? k : most;                                                                                      \
    }                                                                                                                  \
    return same_##dtype(most, flip);                                                                                   \
  }                                                                                                                    \
  static int first_##dtype(const char *x, int n, T flip, T key) {                                                      \
    T first = STEP;                                                                                                    \
    for (int i = 0; i < n; i++) {                                                                                      \
      const T at = same_##dtype(key_##dtype(x, i, flip), flip) == key ? (T)i : (T)STEP;                                \
      first = at < first ? at : first;                                                                                 \
    }                                                                                                                  \
    return (int)first;                                                                                                 \
  }                                                                                                                    \
  static int64_t short_##dtype(const char *x, int64_t n, T flip) {                                                     \
    T best = same_##dtype(key_##dtype(x, 0, flip), flip);                                                              \
    int64_t at = 0;                                                                                                    \
    for (int64_t i = 1; i < n; i++) {                                                                                  \
      const T k = same_##dtype(key_##dtype(x, i, flip), flip);                                                         \
      at = k > best ? i : at;                                                                                          \
      best = k > best ? k : best;                                                                                      \
    }                                                                                                                  \
    return at;                                                                                                         \
  }                                                                                                                    \
  static int64_t position_##dtype(const char *x, int64_t n, T flip) {                                                  \
    if (n < SHORT) return short_##dtype(x, n, flip);                                                                   \
    enum { BLOCK = BLOCK_BYTES / sizeof(T) };                                                                          \
    T best = 0;                                                                                                        \
    int64_t at = 0;                                                                                                    \
    for (int64_t i = 0; i < n; i += BLOCK) {                                                                           \
      const T k = largest_##dtype(x + i * (int64_t)sizeof k, n - i < BLOCK ? n - i : BLOCK, flip);                     \
      if (i != 0 && k <= best) continue;                                                                               \
      best = k;                                                                                                        \
      at = i;                                                                                                          \
    }                                                                                                                  \
    for (;; at += STEP) {                                                                                              \
      const int k = first_##dtype(x + at * (int64_t)sizeof best, n - at < STEP ? (int)(n - at) : STEP, flip, best);    \
      if (k < STEP) return at + k;                                                                                     \
    }                                                                                                                  \
  }
DC_HOST_INTEGERS(POSITION)
POSITION(DC_BOOL, uint8_t)
FLOATS(POSITION)

#define NAME_(isa) dc_host_position_##isa
#define NAME(isa) NAME_(isa)
int64_t NAME(DC_ISA)(dc_dtype t, bool least, const void *x, int64_t n) {
  switch (t) {
#define CASE(dtype, T, ...)                                                                                            \
  case dtype: return position_##dtype(x, n, (T)(least ? -1 : 0));
    DC_HOST_INTEGERS(CASE)
    CASE(DC_BOOL, uint8_t)
    FLOATS(CASE)
    default: return 0;
  }
}
