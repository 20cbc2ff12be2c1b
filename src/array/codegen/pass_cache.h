/*
** pass_cache.h - which values of a row's elements stay in shared memory from one pass over the row to later ones.
**
** Values of a row's elements (of COLUMNS, of all that the block has) stand together, those of a slot that many times
** dc_program_span bytes behind the first ones.
*/
#ifndef DC_ARRAY_CODEGEN_PASS_CACHE_H
#define DC_ARRAY_CODEGEN_PASS_CACHE_H

#include "array/codegen/ir.h"

void dc_program_carry(dc_program *p);

#endif
