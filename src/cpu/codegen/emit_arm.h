/*
** emit_arm.h - branches around a few cheap operations, which emitted code runs in place with their lanes' mask, as a
** compiler turns `if (odd) x = y;` into a selection.
*/
#ifndef DC_CPU_CODEGEN_EMIT_ARM_H
#define DC_CPU_CODEGEN_EMIT_ARM_H

#include "cpu/codegen/emitter.h"

/* finds the branches that become selections; fills e->arm and e->inlined. */
int dc_emit_find_arms(emitter *e);

#endif
