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
