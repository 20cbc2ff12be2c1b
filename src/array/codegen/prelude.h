/*
** prelude.h - the device functions that a program's dtypes and operators need.
*/
#ifndef DC_ARRAY_CODEGEN_PRELUDE_H
#define DC_ARRAY_CODEGEN_PRELUDE_H

#include "array/codegen/text.h"

void dc_emit_prelude(const dc_text *t);

#endif
