/*
** row_block.h - kernels of the schedule ROW_BLOCKS: reductions across contiguous rows, on the CPU device.
*/
#ifndef DC_ARRAY_CODEGEN_ROW_BLOCK_H
#define DC_ARRAY_CODEGEN_ROW_BLOCK_H

#include "array/codegen/text.h"

void dc_emit_row_blocks(const dc_text *t);

#endif
