/* mailbox.c - see mailbox.h. */
#include "device/mailbox.h"

#include <string.h>

const char dc_mailbox_text[] =
  "template <typename T>\n"
  "static __device__ __forceinline__ void dc_post(unsigned long long mailbox, unsigned long long sequence, T value) {\n"
  "  const int n = (int)(sizeof(T) + 3) / 4;\n"
  "  union words { T v; unsigned int w[n]; __device__ words() {} } u;\n"
  "  if (!mailbox) return;\n"
  "  u.w[n - 1] = 0;\n"
  "  u.v = value;\n"
  "#pragma unroll\n"
  "  for (int i = 0; i < n; i++) ((volatile unsigned long long *)mailbox)[i] = sequence << 32 | u.w[i];\n"
  "}\n";

bool dc_device_mailbox(dc_device *dev, dc_ptr *at, uint64_t *sequence) {
  return dev->memory->mailbox != NULL && dev->state == DC_DEVICE_OPEN && dev->memory->mailbox(dev, at, sequence);
}

int dc_device_mailbox_wait(dc_device *dev, uint64_t sequence, void *value, size_t n, dc_error *err) {
  return dev->memory->mailbox_wait(dev, sequence, value, n, err);
}

bool dc_mailbox_read(const dc_mailbox_slot *slot, uint64_t sequence, void *value, size_t n) {
  for (size_t at = 0; at < n; at += 4) {
    const uint64_t word = atomic_load_explicit(&slot->word[at / 4], memory_order_acquire);
    if (word >> 32 != (uint32_t)sequence) return false;
    memcpy((char *)value + at, &(uint32_t){ (uint32_t)word }, n - at < 4 ? n - at : 4); /* little-endian */
  }
  return true;
}
