/*
** processor.h - the sets of vector instructions that code is compiled or chosen for.
*/
#pragma once

#include <stdbool.h>

/* AVX2, FMA and the bit instructions that processors with these have. */
static inline bool dc_has_avx2(void) {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
         __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
#else
  return false;
#endif
}

/* AVX-512 as from Skylake-X on: F, BW, DQ and VL. */
static inline bool dc_has_avx512(void) {
#if defined(__x86_64__)
  return dc_has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#else
  return false;
#endif
}
