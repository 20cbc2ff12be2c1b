/*
** random.h - random numbers by element: the text of DC_OP_RANDOM.
*/
#ifndef DC_ARRAY_CODEGEN_RANDOM_H
#define DC_ARRAY_CODEGEN_RANDOM_H

#include "array/codegen/text.h"

void dc_emit_random_prelude(dc_buf *b);
/* The expression for element `i` of the stream that seed and call name; the kind is a DC_OP_RANDOM's `as`. */
void dc_emit_random(dc_buf *b, dc_random kind, dc_dtype t, const char *i, const char *seed, const char *call,
                    const char *range);
/* The expression for the number of an instruction of random numbers, of element `at` alone. */
void dc_emit_draw(const dc_text *t, int step, const char *at);
/* z<step>[n]: those of the elements from `at` on, a multiple of n or of what a counter serves. */
void dc_emit_draws(const dc_text *t, int step, int n, const char *at, const char *indent);

#endif
