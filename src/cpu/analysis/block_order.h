/*
** block_order.h - basic blocks in an order in which lanes meet again.
*/
#pragma once

#include "cpu/ptx/ptx.h"

/* Orders the blocks that block 0 reaches: order[0 .. *norder) are their numbers.  -1 out of memory. */
int ptx_order_blocks(const ptx_block *blocks, int32_t n, int32_t *order, int32_t *norder);
