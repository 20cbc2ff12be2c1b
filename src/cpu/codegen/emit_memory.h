/*
** emit_memory.h - loads and stores as C: one access for uniform addresses, a row for affine ones, else lane by lane.
*/
#pragma once

#include "cpu/codegen/emitter.h"
#include "cpu/ptx/ptx.h"

/* Whether emitted code does this instruction, a load or store, without tier 0. */
bool dc_emit_memory_supported(const emitter *e, const ptx_ins *ins);
void dc_emit_memory(emitter *e, const ptx_ins *ins, const char *mask, bool keep);

/* atom and red on shared memory, as far as emitted code does them itself. */
bool dc_emit_atom_supported(const emitter *e, const ptx_ins *ins);
void dc_emit_atom(emitter *e, const ptx_ins *ins, const char *mask, bool keep);
