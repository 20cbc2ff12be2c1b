/*
** nested.c - see nested.h.
*/
#include "cpu/runtime/nested.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/name.h"
#include "cpu/runtime/allocator.h"
#include "cpu/runtime/job.h"
#include "cpu/runtime/state.h"

#define TAIL_STREAM 3 /* cudaStreamTailLaunch */

/* No grid or block that a launch by the host may not have either. */
static bool fits(const dc_cpu_function *fn, dc_dim3 grid, dc_dim3 block, uint32_t shared) {
  const uint32_t *r = fn->ptx->reqntid;
  const bool required = !r[0] || (block.x == r[0] && block.y == (r[1] ? r[1] : 1) && block.z == (r[2] ? r[2] : 1));
  return required && grid.x && grid.y && grid.z && grid.x <= INT32_MAX && grid.y <= UINT16_MAX &&
         grid.z <= UINT16_MAX && block.x && block.y && block.z && block.x <= 1024 && block.y <= 1024 &&
         block.z <= 64 && block.x * block.y * block.z <= 1024 && shared <= DC_SHARED_OPTIN &&
         fn->ptx->shared_size + shared <= DC_SHARED_OPTIN;
}

uint64_t dc_nested_prepare(dc_job *job, struct dc_memory *memory, uint64_t kernel, dc_dim3 grid, dc_dim3 block,
                           uint32_t shared, uint32_t line) {
  dc_cpu_function *fn = dc_code_function_at(job->fn->code, kernel);
  if (!fn || !fn->ptx->entry || fn->ptx->declared_only) {
    dc_job_fail(job, DC_LAUNCH, "CUDA_ERROR_INVALID_VALUE", line, "it launches what is no kernel");
    return 0;
  }
  char name[64];
  if (!fits(fn, grid, block, shared)) {
    dc_job_fail(job, DC_LAUNCH, "CUDA_ERROR_INVALID_VALUE", line,
                "it launches '%s' with a grid of %ux%ux%u blocks of %ux%ux%u threads and %u bytes of dynamic shared "
                "memory, which that cannot have", dc_short_name(fn->ptx->name, name, sizeof name), grid.x, grid.y,
                grid.z, block.x, block.y, block.z, shared);
    return 0;
  }
  const uint32_t *c = fn->ptx->cluster;
  if ((uint64_t)c[0] * c[1] * c[2] > 1) {
    dc_job_fail(job, DC_LAUNCH, "CUDA_ERROR_INVALID_VALUE", line,
                "it launches '%s', which has clusters of %ux%ux%u blocks; the CPU device has none",
                dc_short_name(fn->ptx->name, name, sizeof name), c[0], c[1], c[2]);
    return 0;
  }
  dc_error err = DC_ERROR_INIT;
  dc_nested *n = malloc(sizeof *n);
  const uint64_t params = n ? dc_memory_alloc(memory, fn->ptx->params_size + 1, &err) : 0;
  dc_error_clear(&err);
  if (params == 0) {
    free(n);
    dc_job_fail(job, DC_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", line,
                "out of memory for the parameters of what it launches");
    return 0;
  }
  *n = (dc_nested){fn, grid, block, shared, false, params, NULL};
  pthread_mutex_lock(&job->lock);
  n->next = job->prepared;
  job->prepared = n;
  pthread_mutex_unlock(&job->lock);
  return params;
}

void dc_nested_launch(dc_job *job, uint64_t params, uint64_t stream, uint32_t line) {
  pthread_mutex_lock(&job->lock);
  dc_nested **at = &job->prepared, *n;
  while ((n = *at) != NULL && n->params != params) at = &n->next;
  if (n) {
    *at = n->next;
    n->tail = stream == TAIL_STREAM;
    n->next = job->launched; /* newest first */
    job->launched = n;
  }
  pthread_mutex_unlock(&job->lock);
  if (!n)
    dc_job_fail(job, DC_LAUNCH, "CUDA_ERROR_INVALID_VALUE", line,
                "it launches with parameters that were not prepared for that");
}

dc_nested *dc_nested_take(dc_job *job, struct dc_memory *memory) {
  dc_nested *usual = NULL, *tail = NULL;
  for (dc_nested *n = job->launched, *next; n; n = next) {
    next = n->next;
    dc_nested **list = n->tail ? &tail : &usual;
    n->next = *list;
    *list = n;
  }
  while (job->prepared) {
    dc_nested *n = job->prepared;
    job->prepared = n->next;
    dc_nested_free(n, memory);
  }
  job->launched = NULL;
  return dc_nested_join(usual, tail);
}

dc_nested *dc_nested_join(dc_nested *a, dc_nested *b) {
  dc_nested **end = &a;
  while (*end) end = &(*end)->next;
  *end = b;
  return a;
}

void dc_nested_free(dc_nested *n, struct dc_memory *memory) {
  dc_memory_free(memory, n->params);
  free(n);
}
