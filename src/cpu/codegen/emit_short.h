/*
** emit_short.h - registers of 16 bits as vectors of halves or bytes (simd/short.h), not of words.
*/
#pragma once

#include "cpu/codegen/emit_access.h"
#include "cpu/codegen/emitter.h"

/* Fills e->lane_bits. */
void dc_emit_find_short(emitter *e);
/* Whether a result or an operand of the instruction is such a register. */
bool dc_emit_is_short(const emitter *e, const ptx_ins *ins);
/* Emits one that is, and no load or store. */
void dc_emit_short(emitter *e, const ptx_ins *ins, const char *mask, bool keep);
/* Whether the load or store accesses the row of a short register. */
bool dc_emit_is_short_row(const emitter *e, const ptx_ins *ins, const dc_access *p);
