/*
** print.h - the IR and the schedule of a program as text, for DOTCOMPUTE_DUMP; what a status line calls a program.
**
** Values have the names that they have in the kernel's text: x0 … inputs, v0 … their elements, s0 … numbers, t0 … the
** results of instructions.
*/
#pragma once

#include "array/codegen/program.h"
#include "base/buf.h"

void dc_print_ir(const dc_program *p, dc_buf *text);
void dc_print_schedule(const dc_program *p, dc_buf *text);
/* "sum (float32)", "div and 3 more (float32)": the last instruction, how many others, the result's dtype. */
void dc_print_subject(const dc_program *p, char *text, size_t n);
