/*
** instruction.h - the text of instructions.
*/
#pragma once

#include "array/codegen/text.h"

/* The instructions of a scope that depend on reductions of exactly `level` (-1: of any), one a line. */
void dc_emit_instructions(const dc_text *t, unsigned scope, int level, const char *indent);
