/*
** accumulator.h - what reductions accumulate: types, identity elements, combining.
*/
#pragma once

#include <stdbool.h>

#include "array/codegen/program.h"
#include "array/codegen/text.h"

/* The type of reduction k's accumulators, and the identity element of the reduction. */
void dc_accumulator(const dc_program *p, int k, char type[32], char identity[96]);
void dc_accumulator_type(const dc_text *t, int k, char type[32]);
/* The functions combine<k>(a, b) and ordered<k>(a, b), for b behind a in the row, with all that they need. */
void dc_emit_combiners(const dc_text *t);
const char *dc_ordered_combiner(const dc_program *p, int k); /* "combine" or "ordered" */
/* The same for an accumulator that has an element and another element. */
const char *dc_element_combiner(const dc_program *p, int k);
/* Whether the first element is stored in an accumulator, so that dc_element_combiner's function can be used for all
** others: of a body, whose accumulators have no identity element. */
bool dc_first_is_peeled(const dc_program *p);
/* Sets the indices in accumulators a<k>[q] to those of their first elements, if reduction k has indices. */
void dc_emit_first_index(const dc_text *t, int k, const char *indent, const char *accumulator);
/* "r0 = …;": element r as an accumulator of reduction k. */
void dc_emit_contribution(const dc_text *t, int k, const char *indent);
/* "const float t5 = …;": the value of reduction k, from the last accumulator f<k>. */
void dc_emit_reduced(const dc_text *t, int k);
/* "float <name>0[n]; …": accumulators of the reductions of a pass, with their identity elements. */
void dc_emit_accumulators(const dc_text *t, int pass, const char *indent, const char *name, int n);
