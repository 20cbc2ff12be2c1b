/*
** complex.h - functions of complex numbers.
*/
#pragma once

#include "array/graph/op.h"
#include "base/buf.h"

/* The functions that an operator on complex numbers calls, as bits; and their text with all that they need. */
uint32_t dc_complex_functions(dc_op op);
void dc_emit_complex_functions(dc_buf *b, uint32_t mask);
