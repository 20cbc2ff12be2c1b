/* select.c - see select.h. */
#include "array/host/select.h"

#include <string.h>

#include "array/host/by_type.h"

/* As a vector of bytes, each of which counts those of its place that are 0. */
int64_t dc_host_count_true(const uint8_t *mask, int64_t n) {
  typedef uint8_t bytes __attribute__((vector_size(16)));
  enum { WIDTH = sizeof(bytes), MOST = 255 };
  int64_t zeros = 0, i = 0;
  while (n - i >= WIDTH) {
    bytes sums = { 0 }, x;
    for (int k = 0; k < MOST && n - i >= WIDTH; k++, i += WIDTH) {
      memcpy(&x, mask + i, sizeof x);
      sums -= (bytes)(x == 0);
    }
    for (int k = 0; k < WIDTH; k++) zeros += sums[k];
  }
  for (; i < n; i++) zeros += mask[i] == 0;
  return n - zeros;
}

/* Without branches: each element is written, and overwritten by the next one unless the mask has it true. */
#define SELECT(bytes)                                                                                                  \
  for (int64_t at = 0, i = 0; at < found; i++) {                                                                     \
    memcpy((char *)to + at * (int64_t)(bytes), (const char *)x + i * (int64_t)(bytes), bytes);                         \
    at += mask[i] != 0;                                                                                                \
  }

void dc_host_select(void *to, const void *x, size_t size, const uint8_t *mask, int64_t n) {
  const int64_t found = dc_host_count_true(mask, n);
  DC_HOST_BY_SIZE(size, SELECT)
}

void dc_host_nonzero(int64_t *to, const uint8_t *mask, int64_t n) {
  const int64_t found = dc_host_count_true(mask, n);
  for (int64_t at = 0, i = 0; at < found; i++) {
    to[at] = i + 1;
    at += mask[i] != 0;
  }
}
