/*
** pass_cache.h - which values of a row's elements stay in shared memory from one pass over the row to later ones.
**
** Values of a row's elements (of COLUMNS, of all that the block has) stand together, those of a slot that many times
** dc_slot_stride elements behind the first ones.
*/
#ifndef DC_ARRAY_CODEGEN_PASS_CACHE_H
#define DC_ARRAY_CODEGEN_PASS_CACHE_H

#include "array/codegen/program.h"

/* Decides which values are cached, and sets their slots and passes; 0 bytes on the CPU device, whose caches do. */
void dc_pass_cache_plan(dc_program *p);
/* Elements of a slot, as many as a block has of a row. */
int64_t dc_slot_stride(const dc_schedule *s);
/* Bytes of shared memory that a block has for all slots. */
int64_t dc_pass_cache_bytes(const dc_schedule *s);

#endif
