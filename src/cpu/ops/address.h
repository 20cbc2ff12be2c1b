/*
** address.h - the lanes' addresses of a memory operation, and the checks of their alignment.
*/
#pragma once

#include "cpu/simd/abi.h"
#include "cpu/ops/lanes.h"

#define INLINE static inline __attribute__((always_inline))

/* The address of every lane, on the host. */
static inline void addresses(const dc_warp *w, const dc_uop *o, u64 *at) {
  const u64 base = w->base[o->base] + (u64)o->imm, stride = w->lane_stride[o->base];
  if (o->addr_bits == 64) {
    const u64 *a = REG(u64, o->a);
    LANES(l) at[l] = a[l] + base;
  } else if (o->addr_bits == 32) {
    const u32 *a = REG(u32, o->a);
    LANES(l) at[l] = (u64)a[l] + base;
  } else {
    LANES(l) at[l] = base;
  }
  if (stride) LANES(l) at[l] += stride * (u64)l;
}

/* From here on, faults are attributed to o. */
INLINE void begin_access(dc_warp *w, const dc_uop *o) {
  w->at = o;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* A fault, as on a GPU, for an access of `size` bytes (a power of two) whose offset in its space is no multiple of
** them, or whose address has bits that the machine would ignore.  Finds the lane. */
static __attribute__((noinline, cold)) void bad_address(dc_warp *w, const dc_uop *o, u32 size) {
  u64 at[DC_LANES];
  addresses(w, o, at);
  EACH_LANE(l, w->mask) {
    const u64 offset = at[l] - w->base[o->base] - w->lane_stride[o->base] * l;
    if (at[l] & DC_IGNORED) w->fault(w, o, DC_FAULT_ADDRESS, (int)l, at[l]);
    if (offset & (size - 1)) w->fault(w, o, DC_FAULT_MISALIGNED, (int)l, at[l]);
  }
}
/* All lanes at `first`, or consecutive from there. */
INLINE void check_first(dc_warp *w, const dc_uop *o, u64 first, u32 size) {
  if (((first - w->base[o->base]) & (size - 1) || first & DC_IGNORED) && o->addr_bits) bad_address(w, o, size);
}
INLINE void check_each(dc_warp *w, const dc_uop *o, const u64 *at, u32 size) {
  const u64 base = w->base[o->base], stride = w->lane_stride[o->base];
  u64 low = 0, high = 0;
  if ((size == 1 && !DC_IGNORED) || !o->addr_bits) return;
  LANES(l) {
    low |= (at[l] - base - stride * (u64)l) & w->m64[l];
    high |= at[l] & w->m64[l];
  }
  if ((low & (size - 1)) | (high & DC_IGNORED)) bad_address(w, o, size);
}

/* The checked addresses of the lanes, of an access of `size` bytes. */
INLINE void begin_each(dc_warp *w, const dc_uop *o, u64 *at, u32 size) {
  begin_access(w, o);
  addresses(w, o, at);
  check_each(w, o, at, size);
}

static inline void no_operation(dc_warp *w, const dc_uop *o) { (void)w, (void)o; }

#define HOST(T, address) ((T *)(uintptr_t)(address))

/* Parameters, and rows of surfaces, may begin anywhere. */
typedef u8 u8_at;
typedef u16 __attribute__((aligned(1))) u16_at;
typedef u32 __attribute__((aligned(1))) u32_at;
typedef u64 __attribute__((aligned(1))) u64_at;
