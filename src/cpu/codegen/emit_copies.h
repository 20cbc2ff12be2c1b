/*
** emit_copies.h - copies of 16 bytes a lane between global and shared memory: cp.async, and in loops, which fill tiles
** of matrices, loads of vectors whose values only go to a store of them.
**
** They need no registers: addresses are noted, sources prefetched, and the copies follow together, so that they wait
** for memory at the same time, before anything else than arithmetic.
*/
#pragma once

#include "cpu/codegen/emitter.h"

/* Fills e->copied: per instruction, of a load that is only stored the store, of that store the load, else -1. */
void dc_emit_find_copies(emitter *e);

/* Whether it is a copy or half of one. */
bool dc_emit_is_copy(const emitter *e, const ptx_ins *ins);
void dc_emit_copy(emitter *e, const ptx_ins *ins, const char *mask);
void dc_emit_end_copies(emitter *e);
