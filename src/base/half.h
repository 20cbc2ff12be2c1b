/*
** half.h - the two 16-bit floating formats on the host: IEEE 754 binary16 and bfloat16.
*/
#pragma once

#include <stdint.h>

#include "base/dtype.h"

/* The bits of the nearest value of DC_FLOAT16 or DC_BFLOAT16, to even where two are equally near; what is too large
** becomes an infinity. */
uint16_t dc_half_bits(double v, dc_dtype t);
/* The value of the bits of a DC_FLOAT16 or DC_BFLOAT16, exactly. */
double dc_half_value(uint16_t bits, dc_dtype t);
/* Whether v is finite but dc_half_bits would make an infinity of it. */
int dc_half_overflows(double v, dc_dtype t);
/* An integer as a double that rounds to any narrower format as the integer itself does; by way of the nearest double
** it would round twice. */
double dc_half_round_once(int64_t v);
