/*
** floats.h - the processor's mode of floating-point arithmetic while kernels run: rounding to nearest, no flushing of
** subnormals.  dc_floats_reset sets it and returns the host's, for dc_floats_restore.
*/
#pragma once

#include <stdint.h>

#if defined(__x86_64__)
static inline unsigned dc_floats_reset(void) {
  unsigned old = __builtin_ia32_stmxcsr();
  if ((old & 0xffc0u) != 0x1f80u) __builtin_ia32_ldmxcsr(0x1f80u);
  return old;
}
static inline void dc_floats_restore(unsigned old) {
  if ((old & 0xffc0u) != 0x1f80u) __builtin_ia32_ldmxcsr(old);
}
#elif defined(__aarch64__)
static inline void dc_floats_set(uint64_t fpcr) { __asm__ volatile("msr fpcr, %0" : : "r"(fpcr) : "memory"); }
static inline unsigned dc_floats_reset(void) {
  uint64_t old;
  __asm__ volatile("mrs %0, fpcr" : "=r"(old) : : "memory");
  if (old) dc_floats_set(0);
  return (unsigned)old;
}
static inline void dc_floats_restore(unsigned old) {
  if (old) dc_floats_set(old);
}
#else
static inline unsigned dc_floats_reset(void) { return 0; }
static inline void dc_floats_restore(unsigned old) { (void)old; }
#endif
