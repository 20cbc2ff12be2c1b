/* string.h for NVRTC, where memcpy and memset are built in; the simple rest of it here. */
#ifndef DC_SHIM_STRING_H
#define DC_SHIM_STRING_H
#include <stddef.h>

static __device__ inline size_t strlen(const char *s) {
  size_t n = 0;
  while (s[n]) n++;
  return n;
}
static __device__ inline int strncmp(const char *a, const char *b, size_t n) {
  for (; n > 0; n--, a++, b++)
    if (*a != *b || !*a) return (int)(unsigned char)*a - (int)(unsigned char)*b;
  return 0;
}
static __device__ inline int strcmp(const char *a, const char *b) { return strncmp(a, b, (size_t)-1); }
static __device__ inline char *strcpy(char *to, const char *from) {
  for (size_t i = 0; (to[i] = from[i]) != 0; i++) {}
  return to;
}
static __device__ inline int memcmp(const void *a, const void *b, size_t n) {
  const unsigned char *p = (const unsigned char *)a, *q = (const unsigned char *)b;
  for (; n > 0; n--, p++, q++)
    if (*p != *q) return (int)*p - (int)*q;
  return 0;
}
static __device__ inline void *memmove(void *to, const void *from, size_t n) {
  unsigned char *p = (unsigned char *)to;
  const unsigned char *q = (const unsigned char *)from;
  if (p < q)
    for (size_t i = 0; i < n; i++) p[i] = q[i];
  else
    while (n-- > 0) p[n] = q[n];
  return to;
}
#endif
