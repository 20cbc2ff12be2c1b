/*
** random.h - random numbers by element: the text of DC_OP_RANDOM.
*/
#pragma once

#include "array/codegen/text.h"
#include "array/graph/op.h"
#include "base/buf.h"
#include "base/dtype.h"

void dc_emit_random_prelude(dc_buf *b);
/* The expression for element `i` of the stream that seed and call name; the kind is a DC_OP_RANDOM's `as`.
** `range`: of integers how many there are; of others a number that is added to i, a multiple of 4. */
void dc_emit_random(dc_buf *b, dc_random kind, dc_dtype t, const char *i, const char *seed, const char *call,
                    const char *range);
/* The expression for instruction k's random number, of element `at` alone. */
void dc_emit_draw(const dc_text *t, int k, const char *at);
/* z<k>[n]: the random numbers of the elements from `at` on, a multiple of n or of a counter's draws. */
void dc_emit_draws(const dc_text *t, int k, int n, const char *at, const char *indent);
