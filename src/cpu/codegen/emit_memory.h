/*
** emit_memory.h - loads and stores as C: one access for uniform addresses, a row for affine ones, else lane by lane.
*/
#pragma once

#include "cpu/codegen/emit_access.h"
#include "cpu/codegen/emitter.h"
#include "cpu/ptx/ptx.h"

void dc_emit_memory(emitter *e, const ptx_ins *ins, const char *mask, bool keep);

/* The C type of two values side by side, each of the size of the access's. */
const char *dc_emit_pair(const ptx_ins *ins);

/* Fills e->far. */
void dc_emit_find_far(emitter *e);

/* Declares a_, the address of lane 0 or, lane by lane, all addresses; checks its alignment. */
void dc_emit_begin_access(emitter *e, const dc_access *p);
/* Appends `before` and the condition under which the addresses do not form a row; false: they always do. */
bool dc_emit_condition(emitter *e, const dc_access *p, const char *before);
/* Appends a value of `size` bytes that is stored; of a register with 64 bits, a narrower store takes the lower ones. */
void dc_emit_stored(emitter *e, const ptx_operand *o, int size, bool scalar);

/* Whether it is in a loop, where what a gang loads next is prefetched; the gang's dc_last_access for that. */
bool dc_emit_is_looping(const emitter *e, const ptx_ins *ins, int base);
void dc_emit_last_access(emitter *e, const ptx_ins *ins);
