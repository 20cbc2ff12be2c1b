/* search.c - see search.h. */
#include "array/host/search.h"

#include "array/host/order.h"

/* The range is halved without a branch that depends on the keys. */
#define SEARCH(dtype, name, U, order)                                                                                  \
  static void search_##name(const U *sorted, int64_t n, const U *values, int64_t count, bool right, int64_t *to) {     \
    for (int64_t i = 0; i < count; i++) {                                                                              \
      const U wanted = dc_host_order_##name(values[i]);                                                                \
      const U *low = sorted;                                                                                           \
      int64_t left = n;                                                                                                \
      while (left > 0) {                                                                                               \
        const int64_t half = left / 2;                                                                                 \
        const U k = dc_host_order_##name(low[half]);                                                                   \
        const bool before = (k < wanted) | (right & (k == wanted));                                                    \
        low = before ? low + half + 1 : low;                                                                           \
        left = before ? left - half - 1 : half;                                                                        \
      }                                                                                                                \
      to[i] = low - sorted + 1;                                                                                        \
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
