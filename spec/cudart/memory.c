/* memory.c - allocations, copies, fills and variables; see runtime.h.  All memory is the device's, the host's too. */
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "device/memory.h"
#include "runtime.h"

/* --- allocations ----------------------------------------------------------------------------------------- */

static void *blocks; /* a tree of cudart_block, by address */

/* Ranges that overlap are equal, so that an address inside finds its block. */
static int compare(const void *a, const void *b) {
  const cudart_block *x = a, *y = b;
  if (x->at + x->size <= y->at) return -1;
  return y->at + y->size <= x->at;
}

const cudart_block *cudart_block_of(const void *p) {
  const cudart_block key = { .at = (dc_ptr)(uintptr_t)p, .size = 1 };
  cudart_block *const *found = tfind(&key, &blocks, compare);
  return found != NULL ? *found : NULL;
}

static cudaError_t allocate(void **out, size_t n, enum cudaMemoryType type) {
  dc_error err = DC_ERROR_INIT;
  dc_ptr at;
  dc_device *dev = cudart_enter();
  *out = NULL;
  if (n == 0) return cudart_refuse(cudaSuccess);
  if (dc_device_alloc(dev, n, &at, &err) != 0) return cudart_leave(-1, &err);
  cudart_block *b = malloc(sizeof *b);
  if (b != NULL) *b = (cudart_block){ at, n, type };
  if (b == NULL || tsearch(b, &blocks, compare) == NULL) {
    dc_device_free(dev, at, n);
    free(b);
    return cudart_leave(dc_fail_oom(&err), &err);
  }
  *out = (void *)at;
  return cudart_leave(0, &err);
}

static cudaError_t release(void *p) {
  dc_device *dev = cudart_enter();
  cudart_block *b = (cudart_block *)(uintptr_t)cudart_block_of(p);
  if (p == NULL) return cudart_refuse(cudaSuccess);
  if (b == NULL || b->at != (dc_ptr)(uintptr_t)p) return cudart_refuse(cudaErrorInvalidValue);
  tdelete(b, &blocks, compare);
  dc_device_free(dev, b->at, b->size);
  free(b);
  return cudart_refuse(cudaSuccess);
}

cudaError_t cudaMalloc(void **out, size_t n) { return allocate(out, n, cudaMemoryTypeDevice); }
cudaError_t cudaMallocManaged(void **out, size_t n, unsigned flags) {
  (void)flags;
  return allocate(out, n, cudaMemoryTypeManaged);
}
cudaError_t cudaMallocHost(void **out, size_t n) { return allocate(out, n, cudaMemoryTypeHost); }
cudaError_t cudaHostAlloc(void **out, size_t n, unsigned flags) {
  (void)flags;
  return allocate(out, n, cudaMemoryTypeHost);
}
cudaError_t cudaMallocAsync(void **out, size_t n, cudaStream_t stream) {
  (void)stream;
  return allocate(out, n, cudaMemoryTypeDevice);
}
cudaError_t cudaMallocPitch(void **out, size_t *pitch, size_t width, size_t height) {
  *pitch = (width + 511) / 512 * 512;
  return allocate(out, *pitch * height, cudaMemoryTypeDevice);
}
cudaError_t cudaMalloc3D(struct cudaPitchedPtr *out, struct cudaExtent size) {
  out->xsize = size.width;
  out->ysize = size.height;
  return cudaMallocPitch(&out->ptr, &out->pitch, size.width, size.height * size.depth);
}
cudaError_t cudaFree(void *p) { return release(p); }
cudaError_t cudaFreeHost(void *p) { return release(p); }
cudaError_t cudaFreeAsync(void *p, cudaStream_t stream) {
  (void)stream;
  return release(p);
}

cudaError_t cudaHostGetDevicePointer(void **out, void *p, unsigned flags) {
  (void)flags;
  *out = p;
  return cudaSuccess;
}
cudaError_t cudaHostRegister(void *p, size_t n, unsigned flags) {
  (void)p, (void)n, (void)flags;
  return cudaSuccess;
}
cudaError_t cudaHostUnregister(void *p) {
  (void)p;
  return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *out, const void *p) {
  cudart_enter();
  const cudart_block *b = cudart_block_of(p);
  *out = (struct cudaPointerAttributes){ .type = b != NULL ? b->type : cudaMemoryTypeUnregistered,
                                         .devicePointer = b != NULL ? (void *)(uintptr_t)p : NULL };
  if (b == NULL || b->type != cudaMemoryTypeDevice) out->hostPointer = (void *)(uintptr_t)p;
  return cudart_refuse(cudaSuccess);
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total) {
  dc_error err = DC_ERROR_INIT;
  dc_device *dev = cudart_enter();
  return cudart_leave(dc_device_memory_info(dev, free_bytes, total, &err), &err);
}

cudaError_t cudaMemPrefetchAsync(const void *p, size_t n, struct cudaMemLocation where, unsigned flags,
                                 cudaStream_t stream) {
  (void)p, (void)n, (void)where, (void)flags, (void)stream;
  return cudaSuccess;
}
cudaError_t cudaMemAdvise(const void *p, size_t n, enum cudaMemoryAdvise advice, struct cudaMemLocation where) {
  (void)p, (void)n, (void)advice, (void)where;
  return cudaSuccess;
}

/* --- copies and fills ------------------------------------------------------------------------------------ */

static int copy(dc_device *dev, void *dst, const void *src, size_t n, enum cudaMemcpyKind kind, dc_error *err) {
  const dc_ptr to = (dc_ptr)(uintptr_t)dst, from = (dc_ptr)(uintptr_t)src;
  switch (kind) {
    case cudaMemcpyHostToDevice: return dc_device_to_device(dev, to, src, n, err);
    case cudaMemcpyDeviceToHost: return dc_device_to_host(dev, dst, from, n, err);
    default: return dc_device_copy(dev, to, from, n, err);
  }
}

cudaError_t cudaMemcpy(void *dst, const void *src, size_t n, enum cudaMemcpyKind kind) {
  dc_error err = DC_ERROR_INIT;
  dc_device *dev = cudart_enter();
  return cudart_leave(copy(dev, dst, src, n, kind, &err), &err);
}
cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t n, enum cudaMemcpyKind kind, cudaStream_t stream) {
  (void)stream;
  return cudaMemcpy(dst, src, n, kind);
}
cudaError_t cudaMemcpyPeer(void *dst, int to, const void *src, int from, size_t n) {
  (void)to, (void)from;
  return cudaMemcpy(dst, src, n, cudaMemcpyDeviceToDevice);
}

cudaError_t cudaMemcpy2D(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
                         enum cudaMemcpyKind kind) {
  dc_error err = DC_ERROR_INIT;
  dc_device *dev = cudart_enter();
  if (width > dpitch || width > spitch) return cudart_refuse(cudaErrorInvalidPitchValue);
  int rc = 0;
  for (size_t y = 0; rc == 0 && y < height; y++)
    rc = copy(dev, (char *)dst + y * dpitch, (const char *)src + y * spitch, width, kind, &err);
  return cudart_leave(rc, &err);
}
cudaError_t cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
                              enum cudaMemcpyKind kind, cudaStream_t stream) {
  (void)stream;
  return cudaMemcpy2D(dst, dpitch, src, spitch, width, height, kind);
}

cudaError_t cudaMemset(void *dst, int value, size_t n) {
  const unsigned char byte = (unsigned char)value;
  dc_error err = DC_ERROR_INIT;
  dc_device *dev = cudart_enter();
  return cudart_leave(dc_device_fill(dev, (dc_ptr)(uintptr_t)dst, &byte, 1, n, &err), &err);
}
cudaError_t cudaMemsetAsync(void *dst, int value, size_t n, cudaStream_t stream) {
  (void)stream;
  return cudaMemset(dst, value, n);
}
cudaError_t cudaMemset2D(void *dst, size_t pitch, int value, size_t width, size_t height) {
  cudaError_t rc = cudaSuccess;
  for (size_t y = 0; rc == cudaSuccess && y < height; y++) rc = cudaMemset((char *)dst + y * pitch, value, width);
  return rc;
}

/* --- variables ------------------------------------------------------------------------------------------- */

/* The n bytes at an offset of a variable. */
static int part_of(dc_device *dev, const void *symbol, size_t offset, size_t n, dc_ptr *at, dc_error *err) {
  size_t size;
  if (cudart_symbol(dev, symbol, at, &size, err) != 0) return -1;
  if (offset > size || n > size - offset)
    return dc_fail(err, DC_ARGUMENT, NULL, "%zu bytes at offset %zu of a variable of %zu bytes", n, offset, size);
  *at += offset;
  return 0;
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *src, size_t n, size_t offset, enum cudaMemcpyKind kind) {
  dc_error err = DC_ERROR_INIT;
  dc_ptr at = 0;
  dc_device *dev = cudart_enter();
  int rc = part_of(dev, symbol, offset, n, &at, &err);
  return cudart_leave(rc == 0 ? copy(dev, (void *)at, src, n, kind, &err) : rc, &err);
}
cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *src, size_t n, size_t offset,
                                    enum cudaMemcpyKind kind, cudaStream_t stream) {
  (void)stream;
  return cudaMemcpyToSymbol(symbol, src, n, offset, kind);
}
cudaError_t cudaMemcpyFromSymbol(void *dst, const void *symbol, size_t n, size_t offset, enum cudaMemcpyKind kind) {
  dc_error err = DC_ERROR_INIT;
  dc_ptr at = 0;
  dc_device *dev = cudart_enter();
  int rc = part_of(dev, symbol, offset, n, &at, &err);
  return cudart_leave(rc == 0 ? copy(dev, dst, (void *)at, n, kind, &err) : rc, &err);
}
cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const void *symbol, size_t n, size_t offset, enum cudaMemcpyKind kind,
                                      cudaStream_t stream) {
  (void)stream;
  return cudaMemcpyFromSymbol(dst, symbol, n, offset, kind);
}
cudaError_t cudaGetSymbolAddress(void **out, const void *symbol) {
  dc_error err = DC_ERROR_INIT;
  dc_ptr at = 0;
  dc_device *dev = cudart_enter();
  int rc = part_of(dev, symbol, 0, 0, &at, &err);
  *out = (void *)at;
  return cudart_leave(rc, &err);
}
cudaError_t cudaGetSymbolSize(size_t *out, const void *symbol) {
  dc_error err = DC_ERROR_INIT;
  dc_ptr at;
  dc_device *dev = cudart_enter();
  return cudart_leave(cudart_symbol(dev, symbol, &at, out, &err), &err);
}
