/*
** memory.h - inside cuda/: memory of a GPU, from the driver's default pool.
*/
#pragma once

#include "cuda/types.h"

extern const dc_memory_ops dc_cuda_memory_ops;

/* Finds the pool, which from then on caches what is freed (DOTCOMPUTE_POOL: at most that much across synchronizations);
** without one cuMemAlloc serves. */
void dc_cuda_find_pool(dc_cuda *d);
