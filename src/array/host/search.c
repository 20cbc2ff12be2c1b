/* search.c - see search.h. */
#include "array/host/search.h"

#include "array/host/by_type.h"
#include "array/host/order.h"

#define TOGETHER 8 /* values whose searches wait for memory and comparisons at the same time */

/* search_NAME_SIDE: `count` values of type T in sorted keys; BEFORE(k, v): whether v's position is behind key k.  The
** ranges of all values have the same length, which is halved without a branch that depends on the keys. */
#define SEARCH(name, T, BEFORE)                                                                                        \
  static void search_##name(const T *sorted, int64_t n, const T *values, int64_t count, int64_t *to) {                 \
    for (int64_t first = 0; first < count; first += TOGETHER) {                                                        \
      const int many = count - first < TOGETHER ? (int)(count - first) : TOGETHER;                                     \
      T v[TOGETHER];                                                                                                   \
      const T *low[TOGETHER];                                                                                          \
      for (int i = 0; i < TOGETHER; i++) {                                                                             \
        v[i] = values[first + (i < many ? i : 0)];                                                                     \
        low[i] = sorted;                                                                                               \
      }                                                                                                                \
      for (int64_t left = n; left > 1; left -= left / 2)                                                               \
        for (int i = 0; i < TOGETHER; i++) {                                                                           \
          const T *const middle = low[i] + left / 2;                                                                   \
          low[i] = BEFORE(middle[-1], v[i]) ? middle : low[i];                                                         \
        }                                                                                                              \
      for (int i = 0; i < many; i++) to[first + i] = low[i] - sorted + (BEFORE(*low[i], v[i]) ? 2 : 1);                \
    }                                                                                                                  \
  }

/* All NaN are the largest value.  Comparisons of numbers with them are false, so that only values that are NaN need a
** search of their own. */
#define LESS(k, v) ((k) < (v))
#define NOT_GREATER(k, v) ((k) <= (v))
#define IS_NUMBER(k, v) ((void)(v), (k) == (k))
#define BY_VALUE(dtype, T) SEARCH(T##_left, T, LESS) SEARCH(T##_right, T, NOT_GREATER)
DC_HOST_INTEGERS(BY_VALUE)
BY_VALUE(DC_FLOAT32, float)
BY_VALUE(DC_FLOAT64, double)
SEARCH(float_nan, float, IS_NUMBER)
SEARCH(double_nan, double, IS_NUMBER)

#define BOOL_LESS(k, v) (dc_host_order_bool(k) < dc_host_order_bool(v))
#define BOOL_NOT_GREATER(k, v) (dc_host_order_bool(k) <= dc_host_order_bool(v))
#define FLOAT16_LESS(k, v) (dc_host_order_float16(k) < dc_host_order_float16(v))
#define FLOAT16_NOT_GREATER(k, v) (dc_host_order_float16(k) <= dc_host_order_float16(v))
#define BFLOAT16_LESS(k, v) (dc_host_order_bfloat16(k) < dc_host_order_bfloat16(v))
#define BFLOAT16_NOT_GREATER(k, v) (dc_host_order_bfloat16(k) <= dc_host_order_bfloat16(v))
SEARCH(bool_left, uint8_t, BOOL_LESS)
SEARCH(bool_right, uint8_t, BOOL_NOT_GREATER)
SEARCH(float16_left, uint16_t, FLOAT16_LESS)
SEARCH(float16_right, uint16_t, FLOAT16_NOT_GREATER)
SEARCH(bfloat16_left, uint16_t, BFLOAT16_LESS)
SEARCH(bfloat16_right, uint16_t, BFLOAT16_NOT_GREATER)

/* The positions of values that are NaN: that of the first NaN, or behind all keys. */
#define SEARCH_NAN(T)                                                                                                  \
  static void search_nan_##T(const T *sorted, int64_t n, const T *values, int64_t count, bool right, int64_t *to) {    \
    for (int64_t i = 0; i < count; i++) {                                                                              \
      if (values[i] == values[i]) continue;                                                                            \
      to[i] = n + 1;                                                                                                   \
      if (!right) search_##T##_nan(sorted, n, values + i, 1, to + i);                                                  \
    }                                                                                                                  \
  }
SEARCH_NAN(float)
SEARCH_NAN(double)

void dc_host_search(dc_dtype t, const void *sorted, int64_t n, const void *values, int64_t count, bool right,
                    int64_t *to) {
  switch (t) {
#define CASE(dtype, name)                                                                                              \
  case dtype:                                                                                                          \
    if (right) search_##name##_right(sorted, n, values, count, to);                                                    \
    else search_##name##_left(sorted, n, values, count, to);                                                           \
    break;
    DC_HOST_INTEGERS(CASE)
    CASE(DC_BOOL, bool)
    CASE(DC_FLOAT16, float16)
    CASE(DC_BFLOAT16, bfloat16)
    CASE(DC_FLOAT32, float)
    CASE(DC_FLOAT64, double)
    default: return;
  }
  if (t == DC_FLOAT32) search_nan_float(sorted, n, values, count, right, to);
  if (t == DC_FLOAT64) search_nan_double(sorted, n, values, count, right, to);
}
