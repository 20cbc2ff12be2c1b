/*
** rounding.h - directed rounding, and rounding to odd.
*/
#pragma once

#include "cpu/ops/lanes.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
#else
#include <fenv.h>
#endif

/* Loops that run under another rounding mode are functions of their own, so that the compiler, which assumes the
** default mode, cannot move arithmetic across the change. */
#define ROUNDED __attribute__((noinline))

/* Sets the mode that a PTX suffix names (.rn .rz .rm .rp, or their integer forms) and returns the old one. */
static inline unsigned dc_round_begin(int mode) {
  __asm__ volatile("" ::: "memory");
#if defined(__x86_64__)
  unsigned old = _mm_getcsr();
  unsigned bits = mode == PTX_RZ || mode == PTX_RZI   ? 0x6000u
                  : mode == PTX_RM || mode == PTX_RMI ? 0x2000u
                  : mode == PTX_RP || mode == PTX_RPI ? 0x4000u
                                                      : 0;
  _mm_setcsr((old & ~0x6000u) | bits);
#else
  unsigned old = (unsigned)fegetround();
  fesetround(mode == PTX_RZ || mode == PTX_RZI   ? FE_TOWARDZERO
             : mode == PTX_RM || mode == PTX_RMI ? FE_DOWNWARD
             : mode == PTX_RP || mode == PTX_RPI ? FE_UPWARD
                                                 : FE_TONEAREST);
#endif
  __asm__ volatile("" ::: "memory");
  return old;
}
static inline void dc_round_end(unsigned old) {
  __asm__ volatile("" ::: "memory");
#if defined(__x86_64__)
  _mm_setcsr(old);
#else
  fesetround((int)old);
#endif
  __asm__ volatile("" ::: "memory");
}

/* x in single precision, rounded to odd: the last bit tells that something was lost, so that a second rounding, to
** fewer bits, is as good as one (Boldo and Melquiond 2008). */
static inline f32 f64_to_f32_odd(f64 x) {
  const f32 f = (f32)x;
  const f64 e = x - (f64)f;
  const u32 u = f32_bits(f), toward = 1 - ((u >> 31 ^ (u32)(f64_bits(e) >> 63)) << 1);
  return bits_f32(__builtin_fabs(e) > 0.0 && !(u & 1) ? u + toward : u);
}
