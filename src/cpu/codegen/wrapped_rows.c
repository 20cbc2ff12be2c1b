/* wrapped_rows.c - see wrapped_rows.h. */
#include "cpu/codegen/wrapped_rows.h"

#include <string.h>

#include "cpu/interp/interp.h"
#include "cpu/simd/abi.h"

/* What a kernel reads and writes is the kernel's affair: faults there are caught. */
#define UNCHECKED __attribute__((no_sanitize("address"), no_sanitize("undefined")))

/* Elements as they lie in memory, at any address. */
#define IN_MEMORY(T) struct __attribute__((packed, may_alias)) { T x; } *

static UNCHECKED uint64_t load(const dc_wrap *w, uint64_t address) {
  void *at = (void *)(uintptr_t)address;
  switch (w->bytes) {
    case 1: return w->extends ? (uint32_t) * (int8_t *)at : *(uint8_t *)at;
    case 2: return w->extends ? (uint32_t)((IN_MEMORY(int16_t))at)->x : ((IN_MEMORY(uint16_t))at)->x;
    case 4: return ((IN_MEMORY(uint32_t))at)->x;
    default: return ((IN_MEMORY(uint64_t))at)->x;
  }
}

static UNCHECKED void store(const dc_wrap *w, uint64_t address, uint64_t value) {
  void *at = (void *)(uintptr_t)address;
  switch (w->bytes) {
    case 1: *(uint8_t *)at = (uint8_t)value; return;
    case 2: ((IN_MEMORY(uint16_t))at)->x = (uint16_t)value; return;
    case 4: ((IN_MEMORY(uint32_t))at)->x = (uint32_t)value; return;
    default: ((IN_MEMORY(uint64_t))at)->x = value; return;
  }
}

static uint64_t widened(const dc_wrap *w, uint32_t x) { return w->sign ? (uint64_t)(int32_t)x : x; }

void dc_native_wrapped(const dc_wrap *w, uint64_t first, uint32_t x, uint32_t lanes, void *values) {
  uint64_t *wide = values;
  uint32_t *narrow = values;
  bool is_wide = w->what == DC_WRAP_LIST || w->bytes == 8;
  if (w->what == DC_WRAP_LOAD) memset(values, 0, DC_LANES * (is_wide ? sizeof *wide : sizeof *narrow));
  for (uint32_t l = 0; l < DC_LANES; l++) {
    uint64_t moved = widened(w, x + (uint32_t)w->step * l) - widened(w, x);
    uint64_t at = first + (uint64_t)w->exact * l + (uint64_t)w->times * moved;
    if (w->what == DC_WRAP_LIST) {
      wide[l] = at;
    } else if (!(lanes >> l & 1)) {
      continue;
    } else if (w->what == DC_WRAP_STORE) {
      store(w, at, is_wide ? wide[l] : narrow[l]);
    } else {
      uint64_t value = load(w, at);
      if (is_wide) wide[l] = value;
      else narrow[l] = (uint32_t)value;
    }
  }
}
