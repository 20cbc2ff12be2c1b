/*
** emit_atomics.h - atom and red on shared, global and generic memory as C, by the macros of simd/atomics.h.
*/
#pragma once

#include "cpu/codegen/emitter.h"
#include "cpu/ptx/ptx.h"

/* Whether emitted code does it itself. */
bool dc_emit_atom_supported(const emitter *e, const ptx_ins *ins);
void dc_emit_atom(emitter *e, const ptx_ins *ins, const char *mask, bool keep);
