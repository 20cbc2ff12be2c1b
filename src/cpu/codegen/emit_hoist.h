/*
** emit_hoist.h - hoisted values: those that all gangs of a block share are computed once, before the first gang.
*/
#pragma once

#include "cpu/codegen/emitter.h"

int dc_emit_find_hoisted(emitter *e); /* fills e->hoisted; -1: out of memory */
bool dc_emit_is_hoisted(const emitter *e, const ptx_ins *ins);
void dc_emit_hoist(emitter *e);       /* computes them, at the function's beginning */
