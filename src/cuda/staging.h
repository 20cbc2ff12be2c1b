/*
** staging.h - inside cuda/: large copies between a GPU and memory that is not page-locked.
*/
#pragma once

#include "cuda/types.h"

/* Whether a copy of n bytes should and can go this way. The context is current. */
bool dc_cuda_staged(dc_cuda *d, size_t n);
/* Copies n bytes between the device, at `at`, and pageable host memory; `up`: to the device. In the current stream;
** waits for it. */
int dc_cuda_staged_copy(dc_cuda *d, void *host, dc_ptr at, size_t n, bool up, dc_error *err);
