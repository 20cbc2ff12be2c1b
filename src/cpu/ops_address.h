/*
** ops_address.h - where a memory operation's lanes point to, and who is blamed when that is wrong.
*/
#ifndef DC_CPU_OPS_ADDRESS_H
#define DC_CPU_OPS_ADDRESS_H

#include "cpu/ops_lanes.h"

#define INLINE static inline __attribute__((always_inline))

/* The address of every lane, on the host. */
static inline void addresses(const dc_warp *w, const dc_op *o, u64 *at) {
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

/* From here on, o is what a fault is blamed on. */
INLINE void touch(dc_warp *w, const dc_op *o) {
  w->at = o;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

#define HOST(T, address) ((T *)(uintptr_t)(address))

#endif
