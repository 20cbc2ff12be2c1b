/*
** solver_batch.h - inside cuda/: dense solvers of many small matrices at once, by what cuBLAS and cuSOLVER have for
** that. One after the other (solver.h), each would be launches of their own, and use a few of a GPU's processors.
*/
#pragma once

#include "cuda/types.h"

/* Whether a batch of matrices is better solved at once; then the two functions below do what solver.h's do. */
bool dc_cuda_batch_is_faster(dc_cuda *d, const dc_dense *p);
int dc_cuda_batch_work(dc_cuda *d, dc_dense *p, dc_error *err);
int dc_cuda_batch(dc_cuda *d, const dc_dense *p, dc_error *err);
/* Frees host memory that a solver worked in, after it gave rc; the same. */
int dc_cuda_solver_end(dc_cuda *d, void *host, int rc);
