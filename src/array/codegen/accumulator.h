/*
** accumulator.h - what reductions accumulate: types, identity elements, combining.
*/
#ifndef DC_ARRAY_CODEGEN_ACCUMULATOR_H
#define DC_ARRAY_CODEGEN_ACCUMULATOR_H

#include "array/codegen/program.h"
#include "array/codegen/text.h"

/* The type of reduction k's accumulators, and what leaves each of them as it is. */
void dc_accumulator(const dc_program *p, int k, char type[32], char identity[96]);
void dc_accumulator_type(const dc_text *t, int k, char type[32]);
/* combine0 … and ordered0 …, of what stands behind in the row, and what they need. */
void dc_emit_combiners(const dc_text *t);
const char *dc_ordered_combiner(const dc_program *p, int k); /* which of the two */
/* Sets the places of accumulators a<k>[q] to those of the accumulators' first elements, if reduction k has places. */
void dc_emit_first_index(const dc_text *t, int k, const char *indent, const char *accumulator);
/* "r0 = …;": what element r, the operand of reduction k, adds. */
void dc_emit_contribution(const dc_text *t, int k, const char *indent);
/* "const float t5 = …;": the value of reduction k, of which f0 is all. */
void dc_emit_reduced(const dc_text *t, int k);

#endif
