/*
** emit_yields.h - simple code that suspends in loops: over columns, so that the blocks of neighbouring columns
** interleave, and where it waits for other threads.
*/
#pragma once

#include "cpu/codegen/emitter.h"

/* Fills e->pace and e->waits, with liveness known.  -1: out of memory. */
int dc_emit_find_yields(emitter *e);
/* At a back edge to node n: the gang gives way to the next one. */
void dc_emit_yield(emitter *e, int32_t n);
/* The same for a gang whose lanes wait in the loop with header `to`, which they go back to from node n; with a '}'. */
void dc_emit_give_way(emitter *e, int32_t n, int32_t to);
/* The entries where gangs go on that gave way. */
void dc_emit_yield_entries(emitter *e);
