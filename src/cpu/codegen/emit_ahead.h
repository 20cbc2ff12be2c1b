/* emit_ahead.h - prefetches of elements that another gang will load. */
#pragma once

#include "cpu/codegen/emitter.h"

/* Appends, in front of an access by indices that are made of one row by operations on lanes alone, in the same block of
** instructions, prefetches of the elements that the same gang of the next block will access. */
void dc_emit_prefetch_elements(emitter *e, const ptx_ins *ins, const char *mask);
