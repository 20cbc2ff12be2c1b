/*
** body_text.h - the text of kernels with a user's body.
*/
#pragma once

#include "array/codegen/text.h"

/* What stands in front of the kernel and behind it. */
void dc_emit_body_declarations(const dc_text *t);
void dc_emit_body_definitions(const dc_text *t);
/* Of a reduction: the accumulators' type dc_part, a dc_acc or none yet, with the functions that accumulator.h names;
** the element r as one; the result. */
void dc_emit_body_combiner(const dc_text *t);
void dc_emit_body_contribution(const dc_text *t, const char *indent);
void dc_emit_body_reduced(const dc_text *t);
/* The call of the body for an element whose inputs are v<k>; results are then r<k>. */
void dc_emit_body_call(const dc_text *t, const char *indent);
