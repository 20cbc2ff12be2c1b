/*
** predicate.h - the text of a fused predicate: functions for a kernel that is written elsewhere.
*/
#pragma once

#include "array/codegen/program.h"
#include "base/buf.h"

/* Of a program that dc_lower_predicate made: the text, and whether an operand is flat and read by the predicate. */
void dc_generate_predicate(const dc_program *p, dc_buf *text);
bool dc_predicate_loads(const dc_program *p, int input);
