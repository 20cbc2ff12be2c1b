/*
** pass_cache_code.h - the text for values that pass_cache.c keeps in shared memory: kx0 … of operands, kt0 … of
** instructions.
*/
#pragma once

#include "array/codegen/program.h"
#include "array/codegen/text.h"

void dc_emit_async_copy_function(const dc_text *t);
/* The index of element r in a slot: "r", or an expression for COLUMNS. */
const char *dc_cache_index(const dc_program *p);
/* "float *const kx0 = …;": the slots; and the copies of operands that the first pass finds there. */
void dc_emit_cache_slots(const dc_text *t);
void dc_emit_async_copies(const dc_text *t);
/* "const float t5 = kt5[r];": values of element r that an earlier pass computed; `given`: "… = ct5;". */
void dc_emit_cached_instructions(const dc_text *t, int pass, const char *indent, bool given);
/* "kt5[r] = t5;": values of this pass that later ones use. */
void dc_emit_cache_stores(const dc_text *t, int pass, const char *indent, const char *guard);
