/*
** generate.h - inside the room: what the two files that write kernels share.
*/
#ifndef DC_ARRAY_GENERATE_H
#define DC_ARRAY_GENERATE_H

#include "array/program.h"

typedef struct dc_text {
  const dc_program *p;
  dc_buf *b;
  const char *index; /* the integer type of indices */
} dc_text;

#define DC_VALUE_TEXT 256 /* room for any converted value */

static inline const char *dc_ctype_of(dc_dtype t) { return dc_dtypes[t].ctype; }
static inline char dc_kind_of(dc_dtype t) { return dc_dtypes[t].kind; }
/* In memory a bool is a byte that users' kernels may have set to anything. */
static inline const char *dc_stored_as(dc_dtype t) { return t == DC_BOOL ? "unsigned char" : dc_ctype_of(t); }

/* The C expression for `v`, a name of type `from`, as a `to`; or for what a reference names. */
void dc_convert(const char *v, dc_dtype from, dc_dtype to, char out[DC_VALUE_TEXT]);
void dc_value_as(const dc_text *t, dc_ref r, dc_dtype to, char out[DC_VALUE_TEXT]);
/* "l op r" for + - *, wrapping where integers overflow. */
void dc_emit_arithmetic(dc_buf *b, const char *op, dc_dtype t, const char *l, const char *r);

void dc_emit_entry(const dc_text *t);                             /* from extern "C" to the opening brace */
void dc_emit_single_values(const dc_text *t);                     /* operands of which there is one value */
void dc_emit_element_values(const dc_text *t, const char *indent); /* the others', at element i */
void dc_emit_steps(const dc_text *t, int scope, const char *indent);
void dc_emit_store(const dc_text *t, const char *indent, const char *place); /* place = result; */

void dc_emit_reduction(const dc_text *t); /* generate_reduce.c: a whole kernel */

#endif
