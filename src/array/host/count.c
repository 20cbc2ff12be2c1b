/* count.c - see count.h. */
#include "array/host/count.h"

#include <string.h>

#include "array/host/by_type.h"

#define COUNTED(X) X(DC_BOOL, uint8_t) DC_HOST_INTEGERS(X)

/* As unsigned numbers negative ones are the largest. */
int64_t dc_host_largest(dc_dtype t, const void *x, int64_t n) {
  uint64_t most = 0;
  switch (t) {
#define LARGEST(dtype, T)                                                                                              \
  case dtype:                                                                                                          \
    for (int64_t i = 0; i < n; i++) {                                                                                  \
      const uint64_t v = (uint64_t)((const T *)x)[i];                                                                  \
      most = v > most ? v : most;                                                                                      \
    }                                                                                                                  \
    break;
    COUNTED(LARGEST)
    default: return -1;
  }
  return n == 0 || most > INT64_MAX ? -1 : (int64_t)most;
}

void dc_host_count(dc_dtype t, const void *x, int64_t n, int64_t *counts) {
  switch (t) {
#define COUNT(dtype, T)                                                                                                \
  case dtype:                                                                                                          \
    for (int64_t i = 0; i < n; i++) counts[((const T *)x)[i]]++;                                                       \
    break;
    COUNTED(COUNT)
    default: break;
  }
}

int64_t dc_host_passing(const uint8_t *mask, int64_t n) {
  int64_t count = 0;
  for (int64_t i = 0; i < n; i++) count += mask[i] != 0;
  return count;
}

/* An element is written, and overwritten by the next one unless it passes; none behind the last that does. */
#define SELECT(bytes)                                                                                                  \
  for (int64_t at = 0, i = 0; at < passing; i++) {                                                                     \
    memcpy((char *)to + at * (int64_t)(bytes), (const char *)x + i * (int64_t)(bytes), bytes);                         \
    at += mask[i] != 0;                                                                                                \
  }

void dc_host_select(void *to, const void *x, size_t size, const uint8_t *mask, int64_t n) {
  const int64_t passing = dc_host_passing(mask, n);
  DC_HOST_BY_SIZE(size, SELECT)
}

void dc_host_places(int64_t *to, const uint8_t *mask, int64_t n) {
  const int64_t passing = dc_host_passing(mask, n);
  for (int64_t at = 0, i = 0; at < passing; i++) {
    to[at] = i + 1;
    at += mask[i] != 0;
  }
}
