/*
** emit_memory.h - loads and stores as C: one access for uniform addresses, a row for affine ones, else lane by lane.
*/
#pragma once

#include "cpu/codegen/emitter.h"
#include "cpu/ptx/ptx.h"

void dc_emit_memory(emitter *e, const ptx_ins *ins, const char *mask, bool keep);

/* The C type of two values side by side, each of the size of the access's. */
const char *dc_emit_pair(const ptx_ins *ins);

/* Fills e->far. */
void dc_emit_find_far(emitter *e);

/* atom and red on shared, global and generic memory, as far as emitted code does them itself. */
bool dc_emit_atom_supported(const emitter *e, const ptx_ins *ins);
void dc_emit_atom(emitter *e, const ptx_ins *ins, const char *mask, bool keep);

/* Whether it is in a loop, where what a gang loads next is prefetched; the gang's dc_last_access for that. */
bool dc_emit_is_looping(const emitter *e, const ptx_ins *ins, int base);
void dc_emit_last_access(emitter *e, const ptx_ins *ins);
