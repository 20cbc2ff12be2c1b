/*
** nested.h - kernels that launch kernels: what a kernel launches runs when its own grid has ended, in the order of the
** launches, each followed by what it launches itself.  CUDA promises no more: a kernel cannot wait for what it
** launches, and it has ended when those have.
*/
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "cpu/interp/code.h"
#include "device/device.h"

struct dc_job;
struct dc_memory;

typedef struct dc_nested {
  dc_cpu_function *fn;
  dc_dim3 grid, block;
  uint32_t shared;
  bool tail;             /* behind all the others of its grid */
  uint64_t params;       /* the device's memory, which the kernel that launches writes them to */
  struct dc_nested *next;
} dc_nested;

/* Memory for the parameters of the kernel at that address (cudaGetParameterBufferV2); 0 where the job fails: it is no
** kernel, it does not take such blocks, or there is no memory.  `line`: of the source. */
uint64_t dc_nested_prepare(struct dc_job *job, struct dc_memory *memory, uint64_t kernel, dc_dim3 grid, dc_dim3 block,
                           uint32_t shared, uint32_t line);
/* The launch with these parameters is to run, in that stream (cudaLaunchDeviceV2). */
void dc_nested_launch(struct dc_job *job, uint64_t params, uint64_t stream, uint32_t line);

/* What the job has launched, in the order in which it runs; what was never launched is freed. */
dc_nested *dc_nested_take(struct dc_job *job, struct dc_memory *memory);
/* The first list, then the second. */
dc_nested *dc_nested_join(dc_nested *a, dc_nested *b);
void dc_nested_free(dc_nested *n, struct dc_memory *memory);
