/*
** prefetch.h - software prefetches of natively compiled kernels: for later iterations of a loop, and for other gangs.
*/
#pragma once

#include "strides.h"

/* Entries per instruction; gangs, of 80 bytes, share one where DC_GANG, the address by 16, is equal modulo this. */
enum { DC_LAST_ACCESSES = 16 };
/* Prefetches a row of at most 128 bytes: up to three lines, of which a masked access waits for all. */
#define DC_PREFETCH_ROW(a, bytes, write, where)                                                                        \
  {                                                                                                                    \
    __builtin_prefetch(DC_AT(const void, a), write, where);                                                            \
    if (bytes > 64) __builtin_prefetch(DC_AT(const void, (a) + 64), write, where);                                     \
    if (bytes > 32) __builtin_prefetch(DC_AT(const void, (a) + bytes - 1), write, where);                              \
  }
/* Whether the row of a gang further on is prefetched in code without loops.  AMD's processors do so by themselves where
** gangs follow each other along rows (saxpy on Zen 4: 0.9 of the time). */
#ifdef DC_AMD
#define DC_PREFETCH_AHEAD (n->ntid[1] > 1)
#else
#define DC_PREFETCH_AHEAD 1
#endif
/* Prefetches `bytes` bytes. */
DC_FN void dc_prefetch_bytes(u64 a, u64 bytes) {
  for (u64 at = 0; at < bytes; at += 64) __builtin_prefetch(DC_AT(const void, a + at));
}
/* Prefetches for a row of `bytes` bytes at a that a loop moves on by `step`; any may be wrong.  An iteration's loads
** through this address cover `dense` bytes.  If the next one's adjoin without overlapping, that is a stream: prefetched
** 2 KB ahead, since the processor's own prefetch ends with each page.  Not on AMD's, which are quicker alone (Zen 4: a
** sum of 2^24 values takes 0.84 of the time).  If few iterations are in a page, what the `later`th next one will load,
** and what the next gang will load in this one, at a + ahead if that is not 0. */
DC_FN void dc_prefetch(u64 a, u64 step, u64 bytes, u64 dense, u64 later, u64 ahead) {
  if (step >= bytes && step <= dense) {
#ifndef DC_AMD
    dc_prefetch_bytes(a + 2048, bytes);
#endif
    return;
  }
  if (step + 1024 <= 2048) return;
  const u64 row = bytes && bytes < 4 * DC_W ? bytes : 4 * DC_W;
  DC_PREFETCH_ROW(a + later * step, row, 0, 3);
  if (ahead) DC_PREFETCH_ROW(a + ahead, row, 0, 2);
}
/* The same for what an iteration will store. */
DC_FN void dc_prefetch_target(u64 a, u64 step, u64 later) {
  if (step + 4096 > 8192) DC_PREFETCH_ROW(a + later * step, 4 * DC_W, 1, 3);
}
/* Whether many of the lanes' elements are more than `far` from that of lane 0. */
DC_FN int dc_are_far(V32 x, u32 far, M m) {
  const V32 from = v_add_32(x, V32_splat(far - x.p0[0]));
  return __builtin_popcount(P_word(v_setp_gt_u32(from, V32_splat(2 * far))) & M_word(m)) >= DC_W / 4;
}
/* Whether a row of words at a is in the page of the first word of m's lanes in the one at `row`, which is accessed. */
DC_FN int dc_is_in_page(u64 a, u64 row, M m) {
  const u64 word = row + 4 * dc_first_lane(M_word(m));
  return ((a ^ word) | ((a + 4 * DC_W - 1) ^ word)) < 4096;
}
/* Prefetches the lanes' elements. */
DC_FN void dc_prefetch_elements(u64 a, V32 x, u64 stride, int sign, M m) {
  u32 t[DC_W];
  V32_spill(t, x);
  DC_LANES_DO(m, __builtin_prefetch(DC_AT(const void, dc_element(a, t[l], stride, sign))));
}
/* Lanes whose address is in another line of the cache than that of the lane before; at: a in memory. */
DC_FN u32 dc_line_starts(V64 a, const u64 *at) {
  u32 starts = 1;
#if DC_NW == 16
  __m512i before = (__m512i)a.l0;
#define DC_STARTS_(from, x)                                                                                            \
  {                                                                                                                    \
    const __m512i line = _mm512_srli_epi64((__m512i)a.x, 6);                                                           \
    starts |= (u32)_mm512_cmpneq_epi64_mask(line, _mm512_alignr_epi64(line, before, 7)) << (from);                     \
    before = line;                                                                                                     \
  }
#define DC_STARTS_OF_PART_(i, unused) DC_STARTS_(16 * i, l##i) DC_STARTS_(16 * i + 8, h##i)
  DC_PARTS(DC_STARTS_OF_PART_, )
  (void)at;
#else
  for (u32 l = 1; l < DC_W; l++) starts |= (u32)((at[l] ^ at[l - 1]) >> 6 != 0) << l;
  (void)a;
#endif
  return starts;
}
/* Prefetches the lines of `bytes` bytes, at most a line, at distance `step` from the addresses of the mask's lanes. */
DC_FN void dc_prefetch_lines(V64 a, const u64 *at, u64 step, u64 bytes, M m) {
  for (u32 left = dc_line_starts(a, at) & M_word(m); left; left &= left - 1) {
    const u64 first = at[__builtin_ctz(left)] + step;
    __builtin_prefetch(DC_AT(const void, first), 0, 2);
    if ((first & 63) + bytes > 64) __builtin_prefetch(DC_AT(const void, first + bytes - 1), 0, 2);
  }
}
/* The asm statement is an effect: GCC leaves out calls of functions that do nothing but prefetch. */
DC_CALL void dc_prefetch_far_lanes(V64 a, u64 step, u64 bytes, M m) {
  u64 at[DC_W];
  __asm__ volatile("");
  V64_spill(at, a);
  dc_prefetch_lines(a, at, step, bytes, m);
}
/* Prefetches what each lane is expected to load at the next execution.  Not where step and range of the addresses, from
** the first lane to the last, are within a page: the processor prefetches those itself. */
DC_FN void dc_prefetch_lanes(dc_last_access *w, V64 a, u64 bytes, M m) {
  const u64 step = dc_next_step(w, a.l0[0]);
  u64 range = 0;
#define DC_RANGE_(i, unused) range = a.h##i[DC_NW / 2 - 1] - a.l0[0];
  DC_PARTS(DC_RANGE_, )
  if (step && M_any(m) && (step + 4096 > 8192 || range + 4096 > 8192))
    dc_prefetch_far_lanes(a, DC_TURN * step, bytes, m);
}
