/*
** mail.c - see mail.h.
*/
#include "device/mail.h"

#include <string.h>

const char dc_mail_text[] =
  "template <typename T>\n"
  "static __device__ __forceinline__ void dc_tell(unsigned long long at, unsigned long long letter, T value) {\n"
  "  const int n = (int)(sizeof(T) + 3) / 4;\n"
  "  union words { T v; unsigned int w[n]; __device__ words() {} } u;\n"
  "  if (!at) return;\n"
  "  u.w[n - 1] = 0;\n"
  "  u.v = value;\n"
  "#pragma unroll\n"
  "  for (int i = 0; i < n; i++) ((volatile unsigned long long *)at)[i] = letter << 32 | u.w[i];\n"
  "}\n";

bool dc_mail_read(const dc_letter *l, uint64_t number, void *value, size_t n) {
  for (size_t at = 0; at < n; at += 4) {
    const uint64_t word = atomic_load_explicit(&l->word[at / 4], memory_order_acquire);
    if (word >> 32 != (uint32_t)number) return false;
    memcpy((char *)value + at, &(uint32_t){ (uint32_t)word }, n - at < 4 ? n - at : 4); /* little end first */
  }
  return true;
}
