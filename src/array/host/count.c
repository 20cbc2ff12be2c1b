/* count.c - see count.h. */
#include "array/host/count.h"

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
