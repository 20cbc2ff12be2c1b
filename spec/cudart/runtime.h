/*
** runtime.h - the CUDA runtime of programs under test, on the CPU device: what its files share.
**
** A program that nvcc has compiled with `--cudart none` is linked with these functions in place of NVIDIA's.  Its
** kernels run through the same calls of device/ and kernel/ that scripts use.  The device is blocking, so an operation
** is over when its call returns: a stream is a name, and an event a moment.
**
** A call takes the lock, and with it the device; it ends with one of the functions that release it and give the
** program's cudaError_t.  What the device said of a failure goes to standard error, since cudaError_t has no text.
*/
#pragma once

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "device/device.h"
#include "kernel/kernel.h"

/* Takes the lock.  A device that does not open ends the process with the reason. */
dc_device *cudart_enter(void);
/* Release the lock.  cudart_leave: what the error, if rc is not 0, is to CUDA; drops it.  cudart_refuse: an error that
** needs no words. */
cudaError_t cudart_leave(int rc, dc_error *err);
cudaError_t cudart_refuse(cudaError_t code);

/* A kernel that the program has registered. */
typedef struct cudart_kernel {
  const void *host;   /* its stub, by which the program calls it */
  dc_signature sig;   /* its name alone: mangled, as written in error messages */
  struct cudart_binary *binary;
  dc_kernel kernel;   /* fn NULL: not loaded yet */
  uint32_t params;    /* bytes of its parameters */
  struct cudart_kernel *next;
} cudart_kernel;

/* By its stub or by the cudaKernel_t that stands for it; loaded.  NULL with the error. */
cudart_kernel *cudart_kernel_of(dc_device *dev, const void *function, dc_error *err);
/* 10 major + minor of the architecture that the kernel's PTX was made for. */
int cudart_ptx_version(const cudart_kernel *k);
/* A variable's place by the address of the one that stands for it in the host's code. */
int cudart_symbol(dc_device *dev, const void *symbol, dc_ptr *at, size_t *size, dc_error *err);

/* The allocation that holds the address; NULL: none does. */
typedef struct cudart_block {
  dc_ptr at;
  size_t size;
  enum cudaMemoryType type;
} cudart_block;
const cudart_block *cudart_block_of(const void *p);
