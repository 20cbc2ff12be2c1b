/*
** prelude.h - the device functions that a program's dtypes and operators need.
*/
#pragma once

#include <stdbool.h>

#include "array/codegen/text.h"
#include "base/buf.h"

void dc_emit_prelude(const dc_text *t);

/* Appends the type of complex numbers with its operators; each text may stand in a source several times. */
void dc_emit_complex(dc_buf *b);

/* Appends the function of complex numbers of that name, c_sqrt for "sqrt", with those that it needs; false: there is
** none. dc_emit_complex stands before it. */
bool dc_emit_complex_function(dc_buf *b, const char *name);
