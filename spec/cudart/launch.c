/* launch.c - launches, and what a program asks about its kernels; see runtime.h. */
#include <stdlib.h>
#include <string.h>

#include "kernel/launch.h"
#include "runtime.h"

/* --- launches -------------------------------------------------------------------------------------------- */

/* The arguments at their offsets. */
static void pack(dc_device *dev, const cudart_kernel *k, void **args, char *params) {
  size_t at, size;
  for (int i = 0; dev->code->param(k->kernel.fn, i, &at, &size) == 0; i++) memcpy(params + at, args[i], size);
}

static cudaError_t launch(const void *function, dim3 grid, dim3 block, void **args, const dc_launch_options *how) {
  alignas(DC_CACHE_LINE) char params[DC_PARAMS_LARGE + 4];
  dc_error err = DC_ERROR_INIT;
  dc_device *dev = cudart_enter();
  cudart_kernel *k = cudart_kernel_of(dev, function, &err);
  if (k == NULL) return cudart_leave(-1, &err);
  dc_launch l = { .grid = { grid.x, grid.y, grid.z }, .block = { block.x, block.y, block.z }, .params = params };
  if (dc_launch_is_empty(&l)) return cudart_refuse(cudaErrorInvalidConfiguration);
  if (k->params > sizeof params) abort();
  pack(dev, k, args, params);
  return cudart_leave(dc_kernel_launch(&k->kernel, &l, how, &err), &err);
}

cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **args, size_t shared,
                             cudaStream_t stream) {
  (void)stream;
  return launch(function, grid, block, args, &(dc_launch_options){ .shared = (uint32_t)shared, .cooperative = DC_NO });
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **args, size_t shared,
                               cudaStream_t stream) {
  return cudaLaunchKernel(kernel, grid, block, args, shared, stream);
}

cudaError_t cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block, void **args, size_t shared,
                                        cudaStream_t stream) {
  (void)stream;
  return launch(function, grid, block, args, &(dc_launch_options){ .shared = (uint32_t)shared, .cooperative = DC_YES });
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function, void **args) {
  dc_launch_options how = { .shared = (uint32_t)config->dynamicSmemBytes, .cooperative = DC_NO };
  for (unsigned i = 0; i < config->numAttrs; i++) {
    const cudaLaunchAttribute *a = &config->attrs[i];
    if (a->id == cudaLaunchAttributeCooperative && a->val.cooperative) how.cooperative = DC_YES;
    if (a->id == cudaLaunchAttributeClusterDimension)
      how.cluster = (dc_dim3){ a->val.clusterDim.x, a->val.clusterDim.y, a->val.clusterDim.z };
  }
  return launch(function, config->gridDim, config->blockDim, args, &how);
}

/* What stands in <<<>>>, between the program's evaluating it and the kernel's stub. */
#define MOST_CONFIGURATIONS 16
static _Thread_local struct {
  dim3 grid, block;
  size_t shared;
  struct CUstream_st *stream;
} configurations[MOST_CONFIGURATIONS];
static _Thread_local int nconfigurations;

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, struct CUstream_st *stream) {
  if (nconfigurations == MOST_CONFIGURATIONS) return 1;
  configurations[nconfigurations].grid = grid;
  configurations[nconfigurations].block = block;
  configurations[nconfigurations].shared = shared;
  configurations[nconfigurations++].stream = stream;
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream) {
  if (nconfigurations == 0) return cudaErrorMissingConfiguration;
  nconfigurations--;
  *grid = configurations[nconfigurations].grid;
  *block = configurations[nconfigurations].block;
  *shared = configurations[nconfigurations].shared;
  *(struct CUstream_st **)stream = configurations[nconfigurations].stream;
  return cudaSuccess;
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn, void *data) {
  (void)stream;
  fn(data);
  return cudaSuccess;
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t fn, void *data, unsigned flags) {
  (void)flags;
  fn(stream, cudaSuccess, data);
  return cudaSuccess;
}

/* --- attributes and occupancy ------------------------------------------------------------------------------ */

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *out, const void *function) {
  dc_error err = DC_ERROR_INIT;
  dc_device *dev = cudart_enter();
  const cudart_kernel *k = cudart_kernel_of(dev, function, &err);
  if (k == NULL) return cudart_leave(-1, &err);
  const dc_function_facts *f = &k->kernel.facts;
  *out = (struct cudaFuncAttributes){
    .sharedSizeBytes = f->shared, .constSizeBytes = f->constant, .localSizeBytes = f->local,
    .maxThreadsPerBlock = f->max_threads, .numRegs = f->registers, .ptxVersion = cudart_ptx_version(k),
    .binaryVersion = cudart_ptx_version(k),
    .maxDynamicSharedSizeBytes = (int)(dev->facts.shared_per_block - f->shared),
  };
  return cudart_leave(0, &err);
}

cudaError_t cudaFuncSetAttribute(const void *function, enum cudaFuncAttribute attribute, int value) {
  dc_error err = DC_ERROR_INIT;
  dc_device *dev = cudart_enter();
  cudart_kernel *k = cudart_kernel_of(dev, function, &err);
  if (k == NULL) return cudart_leave(-1, &err);
  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudart_leave(0, &err);
  if (value < 0) return cudart_refuse(cudaErrorInvalidValue);
  return cudart_leave(dev->code->set_shared_limit(k->kernel.fn, (size_t)value, &err), &err);
}

cudaError_t cudaFuncSetCacheConfig(const void *function, enum cudaFuncCache config) {
  (void)function, (void)config;
  return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *function, int threads,
                                                                   size_t shared, unsigned flags) {
  (void)flags;
  dc_error err = DC_ERROR_INIT;
  dc_device *dev = cudart_enter();
  const cudart_kernel *k = cudart_kernel_of(dev, function, &err);
  if (k == NULL) return cudart_leave(-1, &err);
  if (threads <= 0) return cudart_refuse(cudaErrorInvalidValue);
  return cudart_leave(dev->code->occupancy(k->kernel.fn, (uint32_t)threads, shared, blocks, &err), &err);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function, int threads,
                                                          size_t shared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, shared, 0);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *function, int blocks, int threads) {
  (void)threads, (void)blocks;
  dc_error err = DC_ERROR_INIT;
  dc_device *dev = cudart_enter();
  const cudart_kernel *k = cudart_kernel_of(dev, function, &err);
  if (k == NULL) return cudart_leave(-1, &err);
  *bytes = dev->facts.shared_per_block - k->kernel.facts.shared;
  return cudart_leave(0, &err);
}
