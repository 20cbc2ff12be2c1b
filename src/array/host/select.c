/* select.c - see select.h. */
#include "array/host/select.h"

#include <string.h>

#include "array/host/by_type.h"

int64_t dc_host_count_true(const uint8_t *mask, int64_t n) {
  int64_t count = 0;
  for (int64_t i = 0; i < n; i++) count += mask[i] != 0;
  return count;
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
