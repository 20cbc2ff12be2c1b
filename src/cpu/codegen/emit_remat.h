/*
** emit_remat.h - rematerialization: values that a gang computes again where it resumes, instead of saving them; and
** those that are computed once for all gangs.
*/
#pragma once

#include "cpu/codegen/emitter.h"

/* Whether the instruction gives one value for all gangs of a block, of parameters and sizes; computes all of these, at
** the function's beginning.  dc_emit_find_remat precedes both. */
bool dc_emit_is_hoisted(const emitter *e, const ptx_ins *ins);
void dc_emit_hoist(emitter *e);
int dc_emit_find_remat(emitter *e);              /* fills e->remat; -1: out of memory */
void dc_emit_remat(emitter *e, int32_t node);    /* computes those that are live at a node */
