/*
** text.h - the text of a kernel while it is written.
**
** Names in the text: x0 … are the operands' addresses, v0 … their values, s0 … the numbers, t0 … the instructions, a0 …
** accumulators, f0 … reduced values, z0 … the random numbers of instructions; n elements, i one of them; rows of
** `length` elements, r one of these.
**
** Registers hold 16-bit floats as float32 values that float16 or bfloat16 has, and complex numbers as structs.
*/
#pragma once

#include "array/codegen/program.h"
#include "base/buf.h"

#define DC_ENTRY "expression" /* the kernel's name */

typedef struct dc_text {
  const dc_program *p;
  dc_buf *b;
  const char *index; /* the integer type of indices */
} dc_text;
