/*
** op_names.h - which function of simd/lanes.h does a PTX instruction, in code that is compiled natively.
*/
#pragma once

#include "cpu/ptx/ptx.h"

/* The instruction is `d = v_NAME(sources…)`, on uniform values `d = s_NAME(sources…)`; with two destinations
** (unpacking mov) `v_NAME(&d0, &d1, sources…)`.  Kinds of operands: 'w' a register of 32 bits or less (V32,
** uint32_t), 'd' one of 64 (V64, uint64_t), 'p' a predicate (M, int; negated ones have to be inverted before).
** A destination must have dst_bits[i] bits, since narrower values are extended to just that. */
typedef struct dc_native_form {
  char name[32];
  char dst[2], src[4];
  uint8_t dst_bits[2];
  int ndst, nsrc;
} dc_native_form;

/* false: there is none, tier 0's function does it.  Of the operands only the number is read. */
bool dc_native_op(const ptx_ins *ins, dc_native_form *form);
