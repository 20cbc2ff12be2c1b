/*
** elementwise.h - kernels of the schedule ELEMENTS.
*/
#ifndef DC_ARRAY_CODEGEN_ELEMENTWISE_H
#define DC_ARRAY_CODEGEN_ELEMENTWISE_H

#include "array/codegen/text.h"

void dc_emit_elementwise(const dc_text *t);

#endif
