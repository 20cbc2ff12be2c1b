/*
** tile.h - kernels of the schedule TILES: elementwise, with operands that are contiguous along another axis than the
** result.
**
** Where neighbours in the result are far apart in an operand, but neighbours along another axis are next to each other,
** a block takes a square of the plane of these two axes: the operands are read along their own axis into shared
** memory, whose rows are one element longer than the square so that columns, too, fall into different banks.
*/
#pragma once

#include "array/codegen/text.h"

void dc_emit_tiles(const dc_text *t);
