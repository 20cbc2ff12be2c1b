/* state.c - the lock, the device and errors; see runtime.h. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cpu/runtime/device.h"
#include "device/registry.h"
#include "runtime.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static dc_device *device;
static _Thread_local cudaError_t last;

static void open_device(void) {
  dc_error err = DC_ERROR_INIT;
  dc_registry_add(&dc_cpu_backend);
  dc_device_set *set = dc_device_set_take(&err);
  device = set != NULL ? dc_device_find(set, "cpu", &err) : NULL;
  if (device != NULL && dc_device_open(device, &err) == 0) return;
  fprintf(stderr, "cudart: %s\n", dc_error_text(&err));
  _exit(1);
}

dc_device *cudart_enter(void) {
  pthread_mutex_lock(&lock);
  if (device == NULL) open_device();
  return device;
}

static cudaError_t code_of(const dc_error *err) {
  static const struct {
    const char *code;
    cudaError_t error;
  } codes[] = {
    { "CUDA_ERROR_ILLEGAL_ADDRESS", cudaErrorIllegalAddress },
    { "CUDA_ERROR_INVALID_VALUE", cudaErrorInvalidValue },
    { "CUDA_ERROR_NOT_FOUND", cudaErrorInvalidDeviceFunction },
    { "CUDA_ERROR_LAUNCH_TIMEOUT", cudaErrorLaunchTimeout },
    { "CUDA_ERROR_OUT_OF_MEMORY", cudaErrorMemoryAllocation },
  };
  for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
    if (strcmp(err->code, codes[i].code) == 0) return codes[i].error;
  switch (err->kind) {
    case DC_MEMORY: return cudaErrorMemoryAllocation;
    case DC_COMPILE: return cudaErrorInvalidPtx;
    case DC_ARGUMENT: return cudaErrorInvalidValue;
    case DC_DEVICE: return cudaErrorNotSupported;
    default: return cudaErrorLaunchFailure;
  }
}

cudaError_t cudart_leave(int rc, dc_error *err) {
  const cudaError_t code = rc == 0 ? cudaSuccess : code_of(err);
  if (rc != 0 && err->source_line > 0) fprintf(stderr, "cudart: line %d: %s\n", err->source_line, dc_error_text(err));
  else if (rc != 0) fprintf(stderr, "cudart: %s\n", dc_error_text(err));
  dc_error_clear(err);
  if (rc != 0) return cudart_refuse(code);
  pthread_mutex_unlock(&lock);
  return cudaSuccess;
}

cudaError_t cudart_refuse(cudaError_t code) {
  if (code != cudaSuccess) last = code;
  pthread_mutex_unlock(&lock);
  return code;
}

cudaError_t cudaGetLastError(void) {
  const cudaError_t code = last;
  last = cudaSuccess;
  return code;
}

cudaError_t cudaPeekAtLastError(void) { return last; }

#define ERRORS(X) \
  X(cudaSuccess, "no error") X(cudaErrorInvalidValue, "invalid argument") \
  X(cudaErrorMemoryAllocation, "out of memory") X(cudaErrorInvalidConfiguration, "invalid configuration argument") \
  X(cudaErrorInvalidDevice, "invalid device ordinal") X(cudaErrorInvalidSymbol, "invalid device symbol") \
  X(cudaErrorInvalidDeviceFunction, "invalid device function") X(cudaErrorIllegalAddress, "an illegal memory access") \
  X(cudaErrorLaunchTimeout, "the launch timed out") X(cudaErrorLaunchFailure, "unspecified launch failure") \
  X(cudaErrorInvalidPtx, "a PTX compilation failed") X(cudaErrorNotSupported, "operation not supported") \
  X(cudaErrorNotReady, "device not ready") X(cudaErrorInvalidResourceHandle, "invalid resource handle")

const char *cudaGetErrorName(cudaError_t code) {
  switch (code) {
#define X(name, text) case name: return #name;
    ERRORS(X)
#undef X
    default: return "an error of another name";
  }
}

const char *cudaGetErrorString(cudaError_t code) {
  switch (code) {
#define X(name, text) case name: return text;
    ERRORS(X)
#undef X
    default: return "an error without a text";
  }
}
