/*
** mbarrier.h - the word of an mbarrier, PTX ISA 9.7.13: pending arrivals, the number that a phase begins with, bytes
** still expected, and the phase.  One thread of the host runs all threads of a block, so its shared memory needs no
** atomic access.
*/
#pragma once

#include "scalar.h"

typedef struct dc_mbarrier {
  u32 pending, expected; /* arrivals, 20 bits each */
  s32 bytes;             /* 22 bits with their sign */
  u32 phase;             /* 2 bits, so that it differs from the one before */
} dc_mbarrier;
#define DC_PHASE_AT 62 /* the phase's bits in the word */

DC_FN dc_mbarrier dc_mbarrier_of(u64 x) {
  const u32 pending = (u32)x & 0xfffff, expected = (u32)(x >> 20) & 0xfffff;
  return (dc_mbarrier){ pending, expected, (s32)((s64)(x << 2) >> 42), (u32)(x >> DC_PHASE_AT) };
}
DC_FN u64 dc_mbarrier_word(dc_mbarrier b) {
  return (u64)(b.pending & 0xfffff) | (u64)(b.expected & 0xfffff) << 20 | (u64)((u32)b.bytes & 0x3fffff) << 40 |
         (u64)b.phase << DC_PHASE_AT;
}
/* A phase ends when no arrivals are pending and all bytes have arrived. */
DC_FN dc_mbarrier dc_mbarrier_after(dc_mbarrier b) {
  if (b.pending || b.bytes) return b;
  b.phase = (b.phase + 1) & 3;
  b.pending = b.expected;
  return b;
}
