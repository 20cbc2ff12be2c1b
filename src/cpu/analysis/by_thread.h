/*
** by_thread.h - what registers hold in each thread of a block, where that follows from threadIdx.x and constants alone.
** The interpreter's operations compute it before the analyses (codegen/tabulate.c), so that these see what is constant
** or at constant distances in each gang, however the program spells it.
*/
#pragma once

#include "cpu/ptx/ptx.h"

#define DC_THREADS 1024 /* of a row of a block, at most */

/* Those that a row of the function's blocks may have, and its last gang's lanes without a thread. */
static inline int dc_threads_of(const ptx_func *f) {
  return f->max_threads > 0 && f->max_threads < DC_THREADS ? (f->max_threads + 31) / 32 * 32 : DC_THREADS;
}

/* The values of a register in threads 0, 1 … of a row, as the register file has them; per register, NULL: not known. */
typedef const void *const *dc_by_thread;

/* The value in thread t of register r, which has values; of 32 bits with its sign. */
static inline int64_t dc_value_in(const ptx_func *f, dc_by_thread values, int32_t r, int t) {
  if (f->regs[r].bits == 1) return ((const uint32_t *)values[r])[t / 32] >> t % 32 & 1;
  return f->regs[r].bits == 32 ? ((const int32_t *)values[r])[t] : ((const int64_t *)values[r])[t];
}
