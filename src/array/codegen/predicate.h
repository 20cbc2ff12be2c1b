/*
** predicate.h - the text of a fused predicate: functions for a kernel that is written elsewhere.
*/
#ifndef DC_ARRAY_CODEGEN_PREDICATE_H
#define DC_ARRAY_CODEGEN_PREDICATE_H

#include "array/codegen/program.h"
#include "base/buf.h"

/* predicate.c: the text of a program that dc_lower_predicate made, and whether an operand has an element for each of
** the test's that it reads. */
void dc_generate_predicate(const dc_program *p, dc_buf *text);
bool dc_predicate_loads(const dc_program *p, int leaf);

#endif
