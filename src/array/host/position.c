/*
** position.c - see position.h.
**
** Elements are compared by keys: integers, float32 and float64 are their own, shorter floats have their bits in their
** order (as in order.h, but signed).  For the least element keys are complemented, or have the other sign.  The first
** of the blocks with the largest key is found, or the first with a NaN, then the first such element in it.  NaN are
** recognized by their bits, and this file is compiled as if no float was one (see the Makefile): otherwise compilers
** do not make vectors of the largest float.
*/
#include "array/host/position.h"

#include <string.h>

enum {
  BLOCK_BYTES = 4096,
  STEP = 64, /* positions in a step fit into keys of 8 bits */
  SHORT = 48 /* fewer elements are sooner compared one by one */
};

/* X(dtype, T, U, infinity): keys T, of the size of unsigned U; of floats the bits of infinity. */
#define INTEGERS(X)                                                                                                    \
  X(DC_BOOL, uint8_t, uint8_t, 0)                                                                                      \
  X(DC_INT8, int8_t, uint8_t, 0)                                                                                       \
  X(DC_INT16, int16_t, uint16_t, 0)                                                                                    \
  X(DC_INT32, int32_t, uint32_t, 0)                                                                                    \
  X(DC_INT64, int64_t, uint64_t, 0)                                                                                    \
  X(DC_UINT8, uint8_t, uint8_t, 0)                                                                                     \
  X(DC_UINT16, uint16_t, uint16_t, 0)                                                                                  \
  X(DC_UINT32, uint32_t, uint32_t, 0)                                                                                  \
  X(DC_UINT64, uint64_t, uint64_t, 0)
#define HALVES(X)                                                                                                      \
  X(DC_FLOAT16, int16_t, uint16_t, 0x7c00)                                                                             \
  X(DC_BFLOAT16, int16_t, uint16_t, 0x7f80)
#define FLOATS(X)                                                                                                      \
  X(DC_FLOAT32, float, uint32_t, 0x7f800000)                                                                           \
  X(DC_FLOAT64, double, uint64_t, UINT64_C(0x7ff) << 52)

#define BITS(dtype, T, U, infinity)                                                                                    \
  static inline U bits_##dtype(const char *x, int64_t i) {                                                             \
    U bits;                                                                                                            \
    memcpy(&bits, x + i * (int64_t)sizeof bits, sizeof bits);                                                          \
    return bits;                                                                                                       \
  }                                                                                                                    \
  static inline U is_nan_##dtype(const char *x, int64_t i) {                                                           \
    return (infinity) != 0 && (U)(bits_##dtype(x, i) << 1) > (U)((U)(infinity) << 1);                                  \
  }
INTEGERS(BITS)
HALVES(BITS)
FLOATS(BITS)

#define INTEGER_KEY(dtype, T, U, infinity)                                                                             \
  static inline T key_##dtype(const char *x, int64_t i, bool least) {                                                  \
    return (T)(bits_##dtype(x, i) ^ (U)(least ? -1 : 0));                                                              \
  }
/* The key of -0 is next to that of 0. */
#define HALF_KEY(dtype, T, U, infinity)                                                                                \
  static inline T key_##dtype(const char *x, int64_t i, bool least) {                                                  \
    const T k = (T)bits_##dtype(x, i), ordered = (T)(k ^ (T)((U)(k >> (8 * sizeof k - 1)) >> 1));                      \
    return (T)((ordered == -1 ? 0 : ordered) ^ (least ? -1 : 0));                                                      \
  }
#define FLOAT_KEY(dtype, T, U, infinity)                                                                               \
  static inline T key_##dtype(const char *x, int64_t i, bool least) {                                                  \
    const U bits = bits_##dtype(x, i) ^ (least ? ~((U)-1 >> 1) : 0);                                                   \
    T k;                                                                                                               \
    memcpy(&k, &bits, sizeof k);                                                                                       \
    return k;                                                                                                          \
  }
INTEGERS(INTEGER_KEY)
HALVES(HALF_KEY)
FLOATS(FLOAT_KEY)

#define POSITION(dtype, T, U, infinity)                                                                                \
  static T largest_##dtype(const char *x, int64_t n, bool least, bool *nan) {                                          \
    T most = key_##dtype(x, 0, least);                                                                                 \
    U nans = 0;                                                                                                        \
    for (int64_t i = 0; i < n; i++) {                                                                                  \
      const T k = key_##dtype(x, i, least);                                                                            \
      most = k > most ? k : most;                                                                                      \
      nans |= is_nan_##dtype(x, i);                                                                                    \
    }                                                                                                                  \
    *nan = nans != 0;                                                                                                  \
    return most;                                                                                                       \
  }                                                                                                                    \
  static int first_##dtype(const char *x, int n, bool least, bool nan, T key) {                                        \
    U first = STEP;                                                                                                    \
    for (int i = 0; i < n; i++) {                                                                                      \
      const U at = (nan ? is_nan_##dtype(x, i) : key_##dtype(x, i, least) == key) ? (U)i : (U)STEP;                    \
      first = at < first ? at : first;                                                                                 \
    }                                                                                                                  \
    return (int)first;                                                                                                 \
  }                                                                                                                    \
  static int64_t short_##dtype(const char *x, int64_t n, bool least) {                                                 \
    T best = key_##dtype(x, 0, least);                                                                                 \
    int64_t at = 0;                                                                                                    \
    for (int64_t i = 0; i < n; i++) {                                                                                  \
      const T k = key_##dtype(x, i, least);                                                                            \
      if (is_nan_##dtype(x, i)) return i;                                                                              \
      at = k > best ? i : at;                                                                                          \
      best = k > best ? k : best;                                                                                      \
    }                                                                                                                  \
    return at;                                                                                                         \
  }                                                                                                                    \
  static int64_t position_##dtype(const char *x, int64_t n, bool least) {                                              \
    if (n < SHORT) return short_##dtype(x, n, least);                                                                  \
    enum { BLOCK = BLOCK_BYTES / sizeof(T) };                                                                          \
    T best = 0;                                                                                                        \
    int64_t at = 0;                                                                                                    \
    bool nan = false;                                                                                                  \
    for (int64_t i = 0; i < n && !nan; i += BLOCK) {                                                                   \
      const T k = largest_##dtype(x + i * (int64_t)sizeof k, n - i < BLOCK ? n - i : BLOCK, least, &nan);              \
      if (i != 0 && !nan && k <= best) continue;                                                                       \
      best = k;                                                                                                        \
      at = i;                                                                                                          \
    }                                                                                                                  \
    for (;; at += STEP) {                                                                                              \
      const int count = n - at < STEP ? (int)(n - at) : STEP;                                                          \
      const int k = first_##dtype(x + at * (int64_t)sizeof best, count, least, nan, best);                             \
      if (k < STEP) return at + k;                                                                                     \
    }                                                                                                                  \
  }
INTEGERS(POSITION)
HALVES(POSITION)
FLOATS(POSITION)

#define NAME_(isa) dc_host_position_##isa
#define NAME(isa) NAME_(isa)
int64_t NAME(DC_ISA)(dc_dtype t, bool least, const void *x, int64_t n) {
  switch (t) {
#define CASE(dtype, ...)                                                                                               \
  case dtype: return position_##dtype(x, n, least);
    INTEGERS(CASE)
    HALVES(CASE)
    FLOATS(CASE)
    default: return 0;
  }
}
