/*
** row_elements.h - the text for elements of rows: where an operand's are, and the values that a pass has of element r.
**
** Operands that are contiguous along the row come as parameters of a lambda, u<i>, so that its caller may load several
** neighbours at once; so do random numbers that are drawn together, z<i>.
*/
#pragma once

#include <stdbool.h>

#include "array/codegen/ir.h"
#include "array/codegen/text.h"

/* Whether an operand has an offset of its row, x<i>_row, and one of the element in the row, x<i>_r. */
bool dc_has_row_offset(const dc_operand *o);
bool dc_has_element_offset(const dc_operand *o);
/* Values of operands that have one a row, at x<i>_row. */
void dc_emit_row_values(const dc_text *t, const char *indent);

/* ", const float u0, …, const float z3, …": the lambda's parameters for them; its arguments for element r, and for
** element q of packs. */
void dc_emit_unit_params(const dc_text *t, int pass);
void dc_emit_unit_loads(const dc_text *t, int pass);
void dc_emit_unit_packs(const dc_text *t, int pass);
/* "const float v0 = u0;": the operands' values; `given`: those of cached operands are parameters, too, cx<i>. */
void dc_emit_element_values(const dc_text *t, int pass, bool given);
