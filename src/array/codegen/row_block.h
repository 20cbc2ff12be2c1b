/*
** row_block.h - kernels of the schedule ROW_BLOCKS: reductions across contiguous rows, on the CPU device.
*/
#pragma once

#include "array/codegen/text.h"

void dc_emit_row_blocks(const dc_text *t);
