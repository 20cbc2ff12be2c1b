/*
** value.h - values in generated code: their types, and conversions between them.
*/
#pragma once

#include "array/codegen/ir.h"
#include "array/codegen/text.h"
#include "base/buf.h"
#include "base/dtype.h"

#define DC_VALUE_TEXT 320 /* enough for any converted value */

const char *dc_ctype_of(dc_dtype t);  /* in registers */
const char *dc_stored_as(dc_dtype t); /* in memory */
/* The same in a kernel with a body, where both are the types that the user's text has; but bools in memory. */
const char *dc_value_type(const dc_text *t, dc_dtype d);
const char *dc_memory_type(const dc_text *t, dc_dtype d);
const char *dc_half_name(dc_dtype t); /* the prefix of a 16-bit format's functions */
/* The C expression for `v`, a name of type `from`, as a `to`; or for what a reference names. */
void dc_convert(const char *v, dc_dtype from, dc_dtype to, char out[DC_VALUE_TEXT]);
void dc_value_as(const dc_text *t, dc_ref r, dc_dtype to, char out[DC_VALUE_TEXT]);
void dc_name_of(dc_ref r, char name[16]);
/* The C expression that converts a value from memory's format to registers', and back. */
void dc_from_memory(const char *v, dc_dtype t, char out[DC_VALUE_TEXT]);
void dc_to_memory(const char *v, dc_dtype t, char out[DC_VALUE_TEXT]);
/* "l op r" for + - *, wrapping where integers overflow. */
void dc_emit_arithmetic(dc_buf *b, const char *op, dc_dtype t, const char *l, const char *r);
