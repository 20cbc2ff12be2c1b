/*
** functions.h - the interpreter's operations that call functions of simd/, in the order of functions.def.
*/
#pragma once

#include "cpu/interp/interp.h"
#include "cpu/ops/isa_name.h"

/* A comparison of registers: the lanes for which it holds. */
typedef uint32_t (*dc_compare_fn)(const uint8_t *regs, const dc_uop *o);

typedef struct dc_function_ops {
  dc_op_fn fn, fn_masked;
  dc_compare_fn compare; /* NULL: it is none */
} dc_function_ops;

/* The operations of the first row from `row` on (of dc_functions; -1: none) that has the same name and fits the
** operands' containers (of `o`; NULL: whatever they are); NULL: there is none. */
#define dc_function_of PER_ISA(dc_function_of)
const dc_function_ops *dc_function_of(const dc_uop *o, int row);
