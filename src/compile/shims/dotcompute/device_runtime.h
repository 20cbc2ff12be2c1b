/* The runtime's functions that kernels may call, as device code links them: memory of the device's heap, errors. */
#ifndef DC_SHIM_DEVICE_RUNTIME
#define DC_SHIM_DEVICE_RUNTIME
#include <driver_types.h>
#include <stdlib.h>
#include <string.h>
static __device__ inline cudaError_t dc_device_malloc(void **p, size_t n) {
  *p = malloc(n);
  return *p ? cudaSuccess : cudaErrorMemoryAllocation;
}
template <class T> static __device__ inline cudaError_t cudaMalloc(T **p, size_t n) {
  return dc_device_malloc((void **)p, n);
}
static __device__ inline cudaError_t cudaFree(void *p) {
  free(p);
  return cudaSuccess;
}
template <class... A>
static __device__ inline cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t n, A...) {
  memcpy(to, from, n);
  return cudaSuccess;
}
template <class... A> static __device__ inline cudaError_t cudaMemsetAsync(void *to, int value, size_t n, A...) {
  memset(to, value, n);
  return cudaSuccess;
}
static __device__ inline cudaError_t cudaGetLastError() { return cudaSuccess; }
static __device__ inline cudaError_t cudaPeekAtLastError() { return cudaSuccess; }
static __device__ inline const char *cudaGetErrorString(cudaError_t e) { return e ? "an error" : "no error"; }
static __device__ inline const char *cudaGetErrorName(cudaError_t e) { return e ? "cudaError" : "cudaSuccess"; }
/* Streams and events of a kernel: what it launches runs in the order of the launches in any case. */
#define cudaStreamTailLaunch ((cudaStream_t)3)
#define cudaStreamFireAndForget ((cudaStream_t)4)
static __device__ inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t *s, unsigned) {
  *s = 0;
  return cudaSuccess;
}
static __device__ inline cudaError_t cudaEventCreateWithFlags(cudaEvent_t *e, unsigned) {
  *e = 0;
  return cudaSuccess;
}
static __device__ inline cudaError_t cudaStreamDestroy(cudaStream_t) { return cudaSuccess; }
static __device__ inline cudaError_t cudaEventDestroy(cudaEvent_t) { return cudaSuccess; }
static __device__ inline cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t = 0) { return cudaSuccess; }
static __device__ inline cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned = 0) {
  return cudaSuccess;
}
static __device__ inline cudaError_t cudaGetDevice(int *device) {
  *device = 0;
  return cudaSuccess;
}
static __device__ inline cudaError_t cudaGetDeviceCount(int *n) {
  *n = 1;
  return cudaSuccess;
}
#endif
