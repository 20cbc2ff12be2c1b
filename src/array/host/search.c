/* search.c - see search.h. */
#include "array/host/search.h"

#include "array/host/order.h"

#define TOGETHER 8 /* values whose searches wait for memory and comparisons at the same time */

/* The ranges of all values have the same length, which is halved without a branch that depends on the keys. */
#define SEARCH(dtype, name, U, order)                                                                                  \
  static bool is_before_##name(U k, U wanted, bool right) {                                                            \
    const U o = dc_host_order_##name(k);                                                                               \
    return (o < wanted) | (right & (o == wanted));                                                                     \
  }                                                                                                                    \
  static void search_##name(const U *sorted, int64_t n, const U *values, int64_t count, bool right, int64_t *to) {     \
    for (int64_t first = 0; first < count; first += TOGETHER) {                                                        \
      const int many = count - first < TOGETHER ? (int)(count - first) : TOGETHER;                                     \
      U wanted[TOGETHER] = { 0 };                                                                                      \
      int64_t low[TOGETHER] = { 0 };                                                                                   \
      for (int i = 0; i < many; i++) wanted[i] = dc_host_order_##name(values[first + i]);                              \
      for (int64_t left = n; left > 1; left -= left / 2)                                                               \
        for (int i = 0; i < TOGETHER; i++)                                                                             \
          low[i] += is_before_##name(sorted[low[i] + left / 2 - 1], wanted[i], right) ? left / 2 : 0;                  \
      for (int i = 0; i < many; i++)                                                                                   \
        to[first + i] = low[i] + is_before_##name(sorted[low[i]], wanted[i], right) + 1;                               \
    }                                                                                                                  \
  }
DC_HOST_KEYS(SEARCH)

void dc_host_search(dc_dtype t, const void *sorted, int64_t n, const void *values, int64_t count, bool right,
                    int64_t *to) {
  switch (t) {
#define CASE(dtype, name, U, order) case dtype: search_##name(sorted, n, values, count, right, to); break;
    DC_HOST_KEYS(CASE)
    default: break;
  }
}
