/*
** prelude.h - the device functions that a program's dtypes and operators need.
*/
#pragma once

#include "array/codegen/text.h"

void dc_emit_prelude(const dc_text *t);
