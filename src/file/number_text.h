/*
** number_text.h - values of every dtype as decimal text, both ways, whatever the process's locale.
*/
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/dtype.h"

typedef enum dc_read_as {
  DC_READ_FINE,
  DC_READ_NO_NUMBER,
  DC_READ_OUT_OF_RANGE, /* for an integer dtype, or finite and too large for a floating one */
  DC_READ_FRACTION      /* for an integer dtype or bool */
} dc_read_as;

/* Reads the number that begins at *p (no blanks before it) into `element` and moves *p behind it.  The text ends with
** a NUL somewhere.  Decimal notation; inf and nan in any case for floating dtypes; true and false for bool; a, bj or
** a+bj, in parentheses or not, i or j, for complex ones. Rounded to nearest, ties to even. */
dc_read_as dc_number_read(const char **p, dc_dtype dtype, void *element);

#define DC_NUMBER_TEXT 80 /* enough for any */
/* Writes the element so that reading gives it back exactly, in as few digits as it takes for floats; the text's length.
** In the C locale: between dc_number_print_begin and _end. */
int dc_number_print(char text[DC_NUMBER_TEXT], dc_dtype dtype, const void *element);
void *dc_number_print_begin(void);
void dc_number_print_end(void *before);

/* A float64 as float16 or bfloat16; false when it is finite and too large. */
bool dc_number_small(double v, dc_dtype dtype, uint16_t *bits);
