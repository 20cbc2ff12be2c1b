/*
** reduction.h - reductions of rows, fused with what feeds them and with what is made of their results, in one pass over
** the rows or several; schedule.c says in which order elements are combined.
*/
#ifndef DC_ARRAY_CODEGEN_REDUCTION_H
#define DC_ARRAY_CODEGEN_REDUCTION_H

#include "array/codegen/ir.h"
#include "array/codegen/text.h"

void dc_emit_reduction(const dc_text *t); /* a whole kernel of kind REDUCTION or ROWS, but of row blocks */
/* The memory in which segments of rows meet, and the end of all blocks but the last one to be done with a part of
** those that `of` names: thread `one` of a block counts. */
void dc_emit_segment_variables(const dc_text *t);
void dc_emit_ticket(const dc_text *t, const char *of, const char *blocks, const char *one);
/* Whether it is found by its row, x<i>_row, and by the element in the row besides, x<i>_r. */
bool dc_has_row_offset(const dc_operand *o);
bool dc_has_element_offset(const dc_operand *o);
/* Values of operands that have one a row, at x<i>_row. */
void dc_emit_row_values(const dc_text *t, const char *indent);

#endif
