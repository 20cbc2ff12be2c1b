/*
** warp_order.h - in which order the warps of a block run from one barrier to the next.
**
** A program whose barriers are complete gives the same in every order.  One that lacks a barrier may be right on a GPU,
** where warps advance side by side, and wrong where one runs after another.
*/
#ifndef DC_CPU_RUNTIME_WARP_ORDER_H
#define DC_CPU_RUNTIME_WARP_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

typedef struct dc_warp_order {
  enum { DC_ORDER_USUAL, DC_ORDER_ASCENDING, DC_ORDER_DESCENDING, DC_ORDER_RANDOM } kind;
  uint64_t seed; /* of RANDOM */
} dc_warp_order;

/* From DOTCOMPUTE_CPU_ORDER: "ascending", "descending" or "random:SEED"; not set: USUAL.  DC_DEVICE for others. */
int dc_warp_order_read(dc_warp_order *order, dc_error *err);

/* Puts a permutation of 0 … n - 1 into list: which warp runs first, and so on.  `block` is the block's number in the
** grid; `shared`: its threads have shared memory.  USUAL is descending where they have, else ascending. */
void dc_warp_order_fill(const dc_warp_order *order, uint64_t block, bool shared, uint32_t n, uint8_t *list);

#endif
