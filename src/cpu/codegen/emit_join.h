/*
** emit_join.h - loads and stores of a basic block that are one access.
*/
#pragma once

#include "cpu/codegen/emit_access.h"

/* Decides, in the order in which instructions are emitted, whether a load or store that is not part of another's access
** is the first of several; to e->joined. */
void dc_emit_join(emitter *e, const ptx_ins *ins, const dc_access *p);
