/*
** warp_order.h - the order in which the warps of a block run between barriers.
**
** A kernel without data races gives the same result in every order.  One that lacks a barrier may be right on a GPU,
** where warps run concurrently, and wrong where they run one after another.
*/
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

typedef struct dc_warp_order {
  enum { DC_ORDER_USUAL, DC_ORDER_ASCENDING, DC_ORDER_DESCENDING, DC_ORDER_RANDOM } kind;
  uint64_t seed; /* of RANDOM */
} dc_warp_order;

/* From DOTCOMPUTE_CPU_ORDER: "ascending", "descending" or "random:SEED"; not set: USUAL.  DC_DEVICE for others. */
int dc_warp_order_read(dc_warp_order *order, dc_error *err);

/* Stores a permutation of 0 … n - 1 in list: the warps in the order in which they run.  `block` is the block's number
** in the grid; `shared`: it has shared memory.  USUAL is descending with shared memory, else ascending. */
void dc_warp_order_fill(const dc_warp_order *order, uint64_t block, bool shared, uint32_t n, uint8_t *list);
