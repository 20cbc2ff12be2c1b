/*
** fake_work.h - between fake_nccl.c and fake_cuda.c: work of a library that a graph holds.
*/
#pragma once

#include <stdbool.h>

#include "cuda/api.h"

/* A graph has the work, runs it, or is freed. */
enum { FAKE_CUDA_HOLD, FAKE_CUDA_RUN, FAKE_CUDA_DROP };
typedef void fake_cuda_work(void *data, int what);
/* Puts it into the graph that is captured in the stream; false where none is. */
bool fake_cuda_capture(CUstream stream, fake_cuda_work *work, void *data);
