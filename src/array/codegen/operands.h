/*
** operands.h - a kernel's parameters, and how its operands are addressed, loaded and stored.
*/
#pragma once

#include "array/codegen/ir.h"
#include "array/codegen/program.h"
#include "array/codegen/text.h"

/* From extern "C" to the opening brace.  `residents`: blocks that a multiprocessor is to have room for; 0: any. */
void dc_emit_entry(const dc_text *t, int residents);
void dc_emit_single_values(const dc_text *t); /* of operands with one value */
void dc_emit_value(const dc_text *t, const char *indent, int input, const char *place);
/* "x3" or "out" */
void dc_operand_name(const dc_program *p, const dc_operand *o, char name[16]);
void dc_emit_assignment(const dc_text *t, const char *indent, const char *place, const char *value); /* of a result */
void dc_emit_store(const dc_text *t, const char *indent, const char *place); /* place = result; */
/* "const index <name> = of / n_<axis>;", where `of` is not negative. */
void dc_emit_quotient(const dc_text *t, const char *indent, const char *name, const char *of, const char *axis);
/* "const index <name>_<suffix> = …;" (kernels with tiles compute theirs in tile.c) for each operand for which `takes`
** holds: its offset by the coordinates along axes first … end-1 of the element number `from`. */
void dc_emit_offsets(const dc_text *t, const char *indent, const char *from, int first, int end, const char *suffix,
                    bool (*takes)(const dc_operand *o));
