/*
** processor.h - the sets of vector instructions that code is compiled or chosen for.
**
** dc_has_*: what the processor has.  dc_instruction_set: what our own code uses, which a user may lower.
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

/* From the smallest to the largest, with the words of DOTCOMPUTE_CPU_ISA. */
#define DC_INSTRUCTION_SETS(X) X(BASELINE, "baseline") X(AVX2, "avx2") X(AVX512, "avx512")

typedef enum dc_set {
#define DC_SET_ID(id, name) DC_SET_##id,
  DC_INSTRUCTION_SETS(DC_SET_ID)
#undef DC_SET_ID
  DC_NSETS
} dc_set;

/* The largest set that the processor has, or the smaller one that DOTCOMPUTE_CPU_ISA names.  It is read once. */
dc_set dc_instruction_set(void);
