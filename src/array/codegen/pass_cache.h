/*
** pass_cache.h - which values of a row's elements stay in shared memory from one pass over the row to later ones.
**
** A slot is an array of the row's values (of COLUMNS, of those of all columns of a block).  Slots follow each other; an
** operand's or instruction's `slot` is the bytes of an element in the slots before its own, so that slot begins that
** many bytes, times the elements of a slot, behind the first one.
*/
#pragma once

#include "array/codegen/program.h"

/* Decides which values are cached, and sets their slots and passes. */
void dc_pass_cache_plan(dc_program *p);
/* Bytes of shared memory that a block has for all slots. */
int64_t dc_pass_cache_bytes(const dc_schedule *s);
/* Neighbouring elements that a thread writes in one access in the last pass of ROWS, of 16 bytes of the widest operand:
** several on a GPU where those that the pass loads lie in such packs too (H200, us: layer norm with scale and offset of
** 8192 rows of 8192 float32 values 145, one by one 245).  To be asked when it is known what is cached. */
int dc_writing_lanes(const dc_program *p);
