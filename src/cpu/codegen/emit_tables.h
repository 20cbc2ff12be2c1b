/*
** emit_tables.h - what a loop's variable determines, out of tables: i / 22, i % 22 for (i = threadIdx.x; i < 484; …).
*/
#pragma once

#include "cpu/codegen/emitter.h"

/* Finds out which instructions' results are looked up; -1: out of memory. */
int dc_emit_find_tables(emitter *e);
/* The tables, in front of the code that reads them. */
void dc_emit_tables(emitter *e);
/* Emits an instruction as a look-up; false: it is none. */
bool dc_emit_look_up(emitter *e, const ptx_ins *ins, const char *mask, bool keep);
