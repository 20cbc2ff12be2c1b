/* count.c - see count.h. */
#include "array/host/count.h"

#include <string.h>

#define INTEGERS(X)                                                                                                    \
  X(DC_BOOL, uint8_t) X(DC_INT8, int8_t) X(DC_INT16, int16_t) X(DC_INT32, int32_t) X(DC_INT64, int64_t)                \
  X(DC_UINT8, uint8_t) X(DC_UINT16, uint16_t) X(DC_UINT32, uint32_t) X(DC_UINT64, uint64_t)

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
    INTEGERS(LARGEST)
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
    INTEGERS(COUNT)
    default: break;
  }
}

int64_t dc_host_passing(const uint8_t *mask, int64_t n) {
  int64_t count = 0;
  for (int64_t i = 0; i < n; i++) count += mask[i] != 0;
  return count;
}

/* An element is written, and overwritten by the next one unless it passes; none behind the last that does. */
#define SELECT(T)                                                                                                      \
  for (int64_t at = 0, i = 0; at < passing; i++) {                                                                     \
    memcpy((char *)to + at * (int64_t)sizeof(T), (const char *)x + i * (int64_t)sizeof(T), sizeof(T));                 \
    at += mask[i] != 0;                                                                                                \
  }

void dc_host_select(void *to, const void *x, size_t size, const uint8_t *mask, int64_t n) {
  const int64_t passing = dc_host_passing(mask, n);
  switch (size) {
    case 1: SELECT(uint8_t) break;
    case 2: SELECT(uint16_t) break;
    case 4: SELECT(uint32_t) break;
    case 8: SELECT(uint64_t) break;
    case 16: SELECT(char[16]) break;
    default: break;
  }
}

void dc_host_places(int64_t *to, const uint8_t *mask, int64_t n) {
  const int64_t passing = dc_host_passing(mask, n);
  for (int64_t at = 0, i = 0; at < passing; i++) {
    to[at] = i + 1;
    at += mask[i] != 0;
  }
}
