/*
** elementwise.h - kernels of the schedule ELEMENTS.
*/
#pragma once

#include "array/codegen/text.h"

void dc_emit_elementwise(const dc_text *t);
