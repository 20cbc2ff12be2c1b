/*
** emit_predicated.h - if-conversion: branches around a few cheap operations become selections, as a C compiler makes of
** `if (odd) x = y;`.
*/
#pragma once

#include "cpu/codegen/emitter.h"

/* finds the branches that become selections; fills e->predicated and e->inlined. */
int dc_emit_find_predicated(emitter *e);
