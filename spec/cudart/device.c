/* device.c - the one device and its properties, streams and events; see runtime.h. */
#include <cuda_profiler_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "runtime.h"

/* --- the device ------------------------------------------------------------------------------------------ */

cudaError_t cudaGetDeviceCount(int *n) {
  *n = 1;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int *index) {
  *index = 0;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int index) {
  cudart_enter();
  return cudart_refuse(index == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}
cudaError_t cudaSetDeviceFlags(unsigned flags) {
  (void)flags;
  return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize(void) { return cudaSuccess; }
cudaError_t cudaDeviceReset(void) { return cudaSuccess; }
cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config) {
  (void)config;
  return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int *version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int *version) { return cudaRuntimeGetVersion(version); }

cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value) {
  dc_error err = DC_ERROR_INIT;
  dc_device *dev = cudart_enter();
  return cudart_leave(limit == cudaLimitStackSize ? dev->code->set_stack(dev, value, &err) : 0, &err);
}
cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit) {
  *value = limit == cudaLimitStackSize ? 1024 : (size_t)1 << 20;
  return cudaSuccess;
}
cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer) {
  (void)device, (void)peer;
  *can = 0;
  return cudaSuccess;
}
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  (void)peer, (void)flags;
  cudart_enter();
  return cudart_refuse(cudaErrorInvalidDevice); /* there is no other */
}
cudaError_t cudaChooseDevice(int *index, const struct cudaDeviceProp *wanted) {
  (void)wanted;
  return cudaGetDevice(index);
}
cudaError_t cudaProfilerStart(void) { return cudaSuccess; }
cudaError_t cudaProfilerStop(void) { return cudaSuccess; }
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
  *least = *greatest = 0;
  return cudaSuccess;
}

static void fill(const dc_device *dev, struct cudaDeviceProp *p) {
  const dc_device_facts *f = &dev->facts;
  memset(p, 0, sizeof *p);
  snprintf(p->name, sizeof p->name, "%s", dev->name);
  p->totalGlobalMem = f->total_memory;
  p->sharedMemPerBlock = f->shared_per_block;
  p->sharedMemPerBlockOptin = f->shared_per_block_optin;
  p->sharedMemPerMultiprocessor = f->shared_per_multiprocessor;
  p->regsPerBlock = p->regsPerMultiprocessor = f->registers_per_block;
  p->warpSize = f->warp_size;
  p->maxThreadsPerBlock = f->max_threads_per_block;
  p->maxThreadsPerMultiProcessor = f->max_threads_per_multiprocessor;
  p->maxBlocksPerMultiProcessor = f->max_blocks_per_multiprocessor;
  for (int i = 0; i < 3; i++) {
    p->maxThreadsDim[i] = (int)f->max_block[i];
    p->maxGridSize[i] = (int)f->max_grid[i];
  }
  p->totalConstMem = 65536;
  p->major = f->compute_major;
  p->minor = f->compute_minor;
  p->multiProcessorCount = f->multiprocessors;
  p->l2CacheSize = (int)f->l2_cache;
  p->unifiedAddressing = p->managedMemory = p->concurrentManagedAccess = p->canMapHostMemory = 1;
  p->cooperativeLaunch = f->cooperative;
  p->concurrentKernels = 1;
  p->memoryPoolsSupported = 1;
  p->textureAlignment = p->texturePitchAlignment = 512;
  p->memPitch = (size_t)INT32_MAX;
  p->memoryBusWidth = 64;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *out, int index) {
  dc_device *dev = cudart_enter();
  if (index != 0) return cudart_refuse(cudaErrorInvalidDevice);
  fill(dev, out);
  return cudart_refuse(cudaSuccess);
}

static int attribute(const dc_device *dev, enum cudaDeviceAttr which) {
  const dc_device_facts *f = &dev->facts;
  struct cudaDeviceProp p;
  fill(dev, &p);
  switch (which) {
    case cudaDevAttrMaxThreadsPerBlock: return p.maxThreadsPerBlock;
    case cudaDevAttrMaxBlockDimX: return p.maxThreadsDim[0];
    case cudaDevAttrMaxBlockDimY: return p.maxThreadsDim[1];
    case cudaDevAttrMaxBlockDimZ: return p.maxThreadsDim[2];
    case cudaDevAttrMaxGridDimX: return p.maxGridSize[0];
    case cudaDevAttrMaxGridDimY: return p.maxGridSize[1];
    case cudaDevAttrMaxGridDimZ: return p.maxGridSize[2];
    case cudaDevAttrMaxSharedMemoryPerBlock: return (int)p.sharedMemPerBlock;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: return (int)p.sharedMemPerBlockOptin;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor: return (int)p.sharedMemPerMultiprocessor;
    case cudaDevAttrTotalConstantMemory: return (int)p.totalConstMem;
    case cudaDevAttrWarpSize: return p.warpSize;
    case cudaDevAttrMaxRegistersPerBlock: return p.regsPerBlock;
    case cudaDevAttrMaxRegistersPerMultiprocessor: return p.regsPerMultiprocessor;
    case cudaDevAttrClockRate: return f->clock_khz;
    case cudaDevAttrMultiProcessorCount: return p.multiProcessorCount;
    case cudaDevAttrL2CacheSize: return p.l2CacheSize;
    case cudaDevAttrMaxThreadsPerMultiProcessor: return p.maxThreadsPerMultiProcessor;
    case cudaDevAttrMaxBlocksPerMultiprocessor: return p.maxBlocksPerMultiProcessor;
    case cudaDevAttrComputeCapabilityMajor: return p.major;
    case cudaDevAttrComputeCapabilityMinor: return p.minor;
    case cudaDevAttrCooperativeLaunch: return p.cooperativeLaunch;
    case cudaDevAttrConcurrentKernels:
    case cudaDevAttrUnifiedAddressing:
    case cudaDevAttrManagedMemory:
    case cudaDevAttrConcurrentManagedAccess:
    case cudaDevAttrCanMapHostMemory:
    case cudaDevAttrMemoryPoolsSupported: return 1;
    case cudaDevAttrTextureAlignment:
    case cudaDevAttrTexturePitchAlignment: return 512;
    default: return 0; /* a feature that there is not */
  }
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr which, int index) {
  dc_device *dev = cudart_enter();
  if (index != 0) return cudart_refuse(cudaErrorInvalidDevice);
  *value = attribute(dev, which);
  return cudart_refuse(cudaSuccess);
}

/* --- streams --------------------------------------------------------------------------------------------- */

struct CUstream_st {
  unsigned flags;
  int priority;
};

/* Whether a program has made it: the default streams are NULL, cudaStreamLegacy and cudaStreamPerThread. */
static bool is_made(cudaStream_t stream) { return stream > cudaStreamPerThread; }

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *out, unsigned flags, int priority) {
  *out = malloc(sizeof **out);
  if (*out == NULL) return cudaErrorMemoryAllocation;
  **out = (struct CUstream_st){ flags, priority };
  return cudaSuccess;
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *out, unsigned flags) {
  return cudaStreamCreateWithPriority(out, flags, 0);
}
cudaError_t cudaStreamCreate(cudaStream_t *out) { return cudaStreamCreateWithPriority(out, 0, 0); }
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  if (!is_made(stream)) return cudaErrorInvalidResourceHandle;
  free(stream);
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  (void)stream;
  return cudaSuccess;
}
cudaError_t cudaStreamQuery(cudaStream_t stream) { return cudaStreamSynchronize(stream); }
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  (void)stream, (void)event, (void)flags;
  return cudaSuccess;
}
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority) {
  *priority = is_made(stream) ? stream->priority : 0;
  return cudaSuccess;
}
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned *flags) {
  *flags = is_made(stream) ? stream->flags : 0;
  return cudaSuccess;
}
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status) {
  (void)stream;
  *status = cudaStreamCaptureStatusNone;
  return cudaSuccess;
}
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *p, size_t n, unsigned flags) {
  (void)stream, (void)p, (void)n, (void)flags;
  return cudaSuccess;
}

/* --- events ---------------------------------------------------------------------------------------------- */

struct CUevent_st {
  bool recorded;
  struct timespec at;
};

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *out, unsigned flags) {
  (void)flags;
  *out = calloc(1, sizeof **out);
  return *out != NULL ? cudaSuccess : cudaErrorMemoryAllocation;
}
cudaError_t cudaEventCreate(cudaEvent_t *out) { return cudaEventCreateWithFlags(out, 0); }
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  free(event);
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  (void)stream;
  event->recorded = true;
  clock_gettime(CLOCK_MONOTONIC, &event->at);
  return cudaSuccess;
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
  (void)flags;
  return cudaEventRecord(event, stream);
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  (void)event;
  return cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t event) { return cudaEventSynchronize(event); }
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to) {
  if (!from->recorded || !to->recorded) return cudaErrorInvalidResourceHandle;
  const double s = difftime(to->at.tv_sec, from->at.tv_sec) + (double)(to->at.tv_nsec - from->at.tv_nsec) * 1e-9;
  *ms = (float)(s * 1e3);
  return cudaSuccess;
}
