/* memory.c - see memory.h. */
#include "cuda/memory.h"

#include "base/bytes.h"
#include "cuda/copy.h"
#include "cuda/fault.h"
#include "cuda/free_list.h"
#include "cuda/stream.h"

/* --- the driver's pool ----------------------------------------------------------------------------- */

static CUresult raw_alloc(dc_cuda *d, CUdeviceptr *p, size_t n) {
  return DC_CUDA_RELAXED(d, d->pool != NULL ? dc_cu.MemAllocAsync(p, n, dc_cuda_handle(d)) : dc_cu.MemAlloc(p, n));
}

static void raw_free(dc_cuda *d, dc_ptr p) {
  dc_cuda_note(DC_CUDA_RELAXED(d, d->pool != NULL ? dc_cu.MemFreeAsync(p, dc_cuda_handle(d)) : dc_cu.MemFree(p)));
}

static int fail_alloc(dc_cuda *d, CUresult r, size_t n, dc_error *err) {
  char text[4][32];
  size_t free_bytes = 0, total = 0;
  if (r != CUDA_ERROR_OUT_OF_MEMORY || dc_cu.MemGetInfo(&free_bytes, &total) != CUDA_SUCCESS)
    return dc_cuda_fail(r, DC_DEVICE, err, "cannot allocate %zu bytes on %s", n, d->dev->id);
  return dc_fail(err, DC_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY",
                 "cannot allocate %s on %s (%s): %s of %s are free, %s are in arrays of this Lua state",
                 dc_bytes_text(n, text[0], 32), d->dev->id, d->dev->name, dc_bytes_text(free_bytes, text[1], 32),
                 dc_bytes_text(total, text[2], 32), dc_bytes_text(d->dev->bytes_live, text[3], 32));
}

/* Releases all cached memory, after the streams' work, which may still use it. */
static int give_back(dc_cuda *d, dc_error *err) {
  dc_cuda_free_list_clear(d, raw_free);
  if (d->pool == NULL) return 0;
  if (dc_cuda_wait_to_trim(d, err) != 0) return -1;
  dc_cuda_note(dc_cu.MemPoolTrimTo(d->pool, 0));
  return 0;
}

static DC_NOINLINE int alloc_from_driver(dc_cuda *d, size_t n, dc_ptr *out, dc_error *err) {
  CUdeviceptr p = 0;
  if (dc_cuda_enter(d, err) != 0) return -1;
  n = dc_cuda_block_size(n);
  CUresult r = raw_alloc(d, &p, n);
  if (r == CUDA_ERROR_OUT_OF_MEMORY) {
    if (give_back(d, err) != 0) return -1;
    r = raw_alloc(d, &p, n);
  }
  if (r != CUDA_SUCCESS) return fail_alloc(d, r, n, err);
  *out = p;
  return 0;
}

static DC_HOT int alloc(dc_device *dev, size_t n, dc_ptr *out, dc_error *err) {
  dc_cuda *d = dc_cuda_of(dev);
  if (dc_cuda_is_dead()) return dc_cuda_fail_dead(err);
  return dc_cuda_free_list_take(d, n, out) ? 0 : alloc_from_driver(d, n, out, err);
}

static DC_NOINLINE void release_to_driver(dc_cuda *d, dc_ptr p) {
  if (dc_cuda_try_enter(d)) raw_free(d, p); /* a fault is latched; other errors have no remedy */
}

static DC_HOT void release_memory(dc_device *dev, dc_ptr p, size_t n) {
  dc_cuda *d = dc_cuda_of(dev);
  if (!dc_cuda_is_dead() && !dc_cuda_free_list_add(d, n, p)) release_to_driver(d, p);
}

/* An attribute of the pool that is a number of bytes; false when it is unknown. */
static bool pool_bytes(dc_cuda *d, CUmemPool_attribute attribute, size_t *bytes) {
  uint64_t v = 0;
  bool known = d->pool != NULL && dc_cu.MemPoolGetAttribute(d->pool, attribute, &v) == CUDA_SUCCESS;
  *bytes = (size_t)v;
  return known;
}

static int memory_info(dc_device *dev, size_t *free_bytes, size_t *total_bytes, dc_error *err) {
  dc_cuda *d = dc_cuda_of(dev);
  if (dc_cuda_enter(d, err) != 0) return -1;
  CUresult r = dc_cu.MemGetInfo(free_bytes, total_bytes);
  if (r != CUDA_SUCCESS) return dc_cuda_fail(r, DC_DEVICE, err, "cannot ask %s for its free memory", dev->id);
  size_t cached = 0, used = 0; /* what the pool caches is free to us */
  if (pool_bytes(d, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, &cached) &&
      pool_bytes(d, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used) && cached > used)
    *free_bytes += cached - used;
  return 0;
}

static size_t reserved(dc_device *dev) {
  dc_cuda *d = dc_cuda_of(dev);
  size_t bytes = 0;
  if (dc_cuda_try_enter(d)) pool_bytes(d, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, &bytes);
  return bytes > dev->bytes_live ? bytes : dev->bytes_live;
}

static void trim(dc_device *dev) {
  dc_cuda *d = dc_cuda_of(dev);
  dc_error ignored = DC_ERROR_INIT; /* then it stays cached */
  if (dc_cuda_enter(d, &ignored) == 0) (void)give_back(d, &ignored);
  dc_error_clear(&ignored);
}

static void rest(dc_device *dev) {
  dc_cuda *d = dc_cuda_of(dev);
  if (dc_cuda_try_enter(d)) dc_cuda_free_list_clear(d, raw_free);
}

void dc_cuda_find_pool(dc_cuda *d) {
  int supported = 0;
  uint64_t threshold = dc_bytes_setting("DOTCOMPUTE_POOL", SIZE_MAX);
  CUmemoryPool pool = NULL;
  if (dc_cu.DeviceGetAttribute(&supported, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, d->handle) == CUDA_SUCCESS &&
      supported && dc_cu.DeviceGetDefaultMemPool(&pool, d->handle) == CUDA_SUCCESS &&
      dc_cu.MemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold) == CUDA_SUCCESS)
    d->pool = pool;
}

/* Page-locked for every device. */
static int pinned_alloc(dc_device *dev, size_t n, void **out, dc_error *err) {
  dc_cuda *d = dc_cuda_of(dev);
  if (dc_cuda_enter(d, err) != 0) return -1;
  CUresult r = DC_CUDA_RELAXED(d, dc_cu.MemHostAlloc(out, n, CU_MEMHOSTALLOC_PORTABLE));
  return r == CUDA_SUCCESS ? 0 : dc_cuda_fail(r, DC_MEMORY, err, "cannot allocate %zu bytes of page-locked memory", n);
}

static void pinned_free(dc_device *dev, void *p) {
  dc_cuda *d = dc_cuda_of(dev);
  if (dev->state == DC_DEVICE_OPEN && dc_cuda_try_enter(d)) dc_cuda_note(DC_CUDA_RELAXED(d, dc_cu.MemFreeHost(p)));
}

const dc_memory_ops dc_cuda_memory_ops = {
  .alloc = alloc,
  .free = release_memory,
  .info = memory_info,
  .reserved = reserved,
  .trim = trim,
  .rest = rest,
  .to_device = dc_cuda_to_device,
  .to_host = dc_cuda_to_host,
  .copy = dc_cuda_copy,
  .fill = dc_cuda_fill,
  .peer_copy = dc_cuda_peer_copy,
  .reach = dc_cuda_reach,
  .order = dc_cuda_order,
  .pinned_alloc = pinned_alloc,
  .pinned_free = pinned_free,
  .to_device_async = dc_cuda_to_device_async,
  .to_host_async = dc_cuda_to_host_async,
  .mailbox = dc_cuda_mailbox,
  .mailbox_wait = dc_cuda_mailbox_wait,
};
