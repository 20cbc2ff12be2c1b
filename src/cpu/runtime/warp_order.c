/*
** warp_order.c - see warp_order.h.
**
** Descending where there is shared memory: the barrier that public kernels most often lack is the one between the reads
** of a result and the next write to it by thread 0 or warp 0 (docs/cpu-device.md has the measurement).  Else ascending,
** so that the first warp's printf comes first.
*/
#include "cpu/runtime/warp_order.h"

#include <stdlib.h>
#include <string.h>

int dc_warp_order_read(dc_warp_order *order, dc_error *err) {
  static const char random[] = "random:";
  const char *text = getenv("DOTCOMPUTE_CPU_ORDER");
  *order = (dc_warp_order){ .kind = DC_ORDER_USUAL };
  if (text == NULL || *text == '\0') return 0;
  if (strcmp(text, "ascending") == 0) {
    order->kind = DC_ORDER_ASCENDING;
  } else if (strcmp(text, "descending") == 0) {
    order->kind = DC_ORDER_DESCENDING;
  } else {
    const char *digits = text + sizeof random - 1;
    char *end = NULL;
    if (strncmp(text, random, sizeof random - 1) == 0 && *digits >= '0' && *digits <= '9')
      order->seed = strtoull(digits, &end, 10);
    if (end == NULL || *end != '\0')
      return dc_fail(err, DC_DEVICE, NULL,
                     "DOTCOMPUTE_CPU_ORDER is '%s': ascending, descending or random:SEED are meant", text);
    order->kind = DC_ORDER_RANDOM;
  }
  return 0;
}

/* SplitMix64 (Steele, Lea, Flood 2014). */
static uint64_t next_random(uint64_t *state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

void dc_warp_order_fill(const dc_warp_order *order, uint64_t block, bool shared, uint32_t n, uint8_t *list) {
  const bool descending =
      order->kind == DC_ORDER_DESCENDING || (order->kind == DC_ORDER_USUAL && shared);
  for (uint32_t i = 0; i < n; i++) list[i] = (uint8_t)(descending ? n - 1 - i : i);
  if (order->kind != DC_ORDER_RANDOM) return;
  uint64_t state = order->seed * 0x100000001b3u ^ block;
  for (uint32_t i = n; i > 1; i--) { /* Fisher and Yates */
    const uint32_t j = (uint32_t)(next_random(&state) % i);
    const uint8_t kept = list[i - 1];
    list[i - 1] = list[j];
    list[j] = kept;
  }
}
