/*
** writing_pass.h - the last pass of ROWS, which computes each element's result from the element and what the passes
** before have reduced its row to.
*/
#pragma once

#include "array/codegen/text.h"

void dc_emit_writing_pass(const dc_text *t, int pass);
