/*
** body_text.h - the text of kernels with a user's body.
*/
#pragma once

#include "array/codegen/text.h"

/* What stands in front of the kernel and behind it. */
void dc_emit_body_declarations(const dc_text *t);
void dc_emit_body_definitions(const dc_text *t);
/* The call of the body for an element whose inputs are v<k>; results are then r<k>. */
void dc_emit_body_call(const dc_text *t, const char *indent);
