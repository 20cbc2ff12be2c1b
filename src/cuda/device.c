/*
** device.c - a GPU behind device.h: opening, memory, copies, waiting.
**
** All work of a device goes into non-blocking streams of ours, never into the driver's NULL stream.
** Small copies pass through page-locked memory: writes then need not wait at all, and reads can be
** waited for in a way that Ctrl-C ends.  Large copies wait for the stream first, for the same reason.
*/
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/runtime.h"
#include "compile/compile.h"
#include "cuda/driver.h"
#include "cuda/library.h"

#define SMALL_COPY ((size_t)64 << 10)  /* up to here through the pinned memory */
#define UPLOAD_SIZE ((size_t)1 << 20)  /* its part for writes; SMALL_COPY bytes for reads follow, then the mailbox */

_Static_assert(UPLOAD_SIZE + SMALL_COPY == DC_CUDA_MAILBOX_AT, "the mailbox lies behind both");

static dc_cuda *cuda_of(dc_device *dev) { return dev->impl; }

/* --- waiting ------------------------------------------------------------------------------------- */

/* After a large copy to or from ordinary memory, which the driver has mostly done by now. */
static int finish_copy(dc_cuda *d, CUresult r, dc_error *err) {
  if (r == CUDA_SUCCESS) r = dc_cu.StreamSynchronize(dc_cuda_handle(d));
  if (r == CUDA_SUCCESS) return 0;
  return dc_cuda_fail(r, DC_DEVICE, err, "copying between the host and %s failed", d->dev->id);
}

/* --- memory -------------------------------------------------------------------------------------- */

static CUresult raw_alloc(dc_cuda *d, CUdeviceptr *p, size_t n) {
  int mode = dc_cuda_relax(d);
  CUresult r = d->pool != NULL ? dc_cu.MemAllocAsync(p, n, dc_cuda_handle(d)) : dc_cu.MemAlloc(p, n);
  dc_cuda_restrain(d, mode);
  return r;
}

static void raw_free(dc_cuda *d, dc_ptr p) {
  int mode = dc_cuda_relax(d);
  dc_cuda_note(d->pool != NULL ? dc_cu.MemFreeAsync(p, dc_cuda_handle(d)) : dc_cu.MemFree(p));
  dc_cuda_restrain(d, mode);
}

static int fail_alloc(dc_cuda *d, CUresult r, size_t n, dc_error *err) {
  char text[4][32];
  size_t free_bytes = 0, total = 0;
  if (r != CUDA_ERROR_OUT_OF_MEMORY || dc_cu.MemGetInfo(&free_bytes, &total) != CUDA_SUCCESS)
    return dc_cuda_fail(r, DC_DEVICE, err, "cannot allocate %zu bytes on %s", n, d->dev->id);
  return dc_fail(err, DC_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY",
                 "cannot allocate %s on %s (%s): %s of %s are free, %s are in arrays of this process",
                 dc_bytes_text(n, text[0], 32), d->dev->id, d->dev->name, dc_bytes_text(free_bytes, text[1], 32),
                 dc_bytes_text(total, text[2], 32), dc_bytes_text(d->dev->bytes_live, text[3], 32));
}

/* All that is kept of what was freed; it can go when the streams have come to that. */
static int give_back(dc_cuda *d, dc_error *err) {
  dc_cuda_blocks_drop(d, raw_free);
  if (d->pool == NULL) return 0;
  if (dc_cuda_wait_to_trim(d, err) != 0) return -1;
  dc_cuda_note(dc_cu.MemPoolTrimTo(d->pool, 0));
  return 0;
}

/* By the driver. */
static DC_APART int alloc_anew(dc_cuda *d, size_t n, dc_ptr *out, dc_error *err) {
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
  dc_cuda *d = cuda_of(dev);
  if (dc_cuda_is_dead()) return dc_cuda_fail_dead(err);
  return dc_cuda_block_take(d, n, out) ? 0 : alloc_anew(d, n, out, err);
}

static DC_APART void release_to_driver(dc_cuda *d, dc_ptr p) {
  dc_error ignored = DC_ERROR_INIT; /* a fault is latched; anything else nobody could act on */
  if (dc_cuda_enter(d, &ignored) == 0) raw_free(d, p);
  dc_error_clear(&ignored);
}

static DC_HOT void release_memory(dc_device *dev, dc_ptr p, size_t n) {
  dc_cuda *d = cuda_of(dev);
  if (!dc_cuda_is_dead() && !dc_cuda_block_keep(d, n, p)) release_to_driver(d, p);
}

/* An attribute of the pool's that is an amount; false when it cannot be told. */
static bool pool_bytes(dc_cuda *d, CUmemPool_attribute attribute, size_t *bytes) {
  uint64_t v = 0;
  bool told = d->pool != NULL && dc_cu.MemPoolGetAttribute(d->pool, attribute, &v) == CUDA_SUCCESS;
  *bytes = (size_t)v;
  return told;
}

static int memory_info(dc_device *dev, size_t *free_bytes, size_t *total_bytes, dc_error *err) {
  dc_cuda *d = cuda_of(dev);
  if (dc_cuda_enter(d, err) != 0) return -1;
  CUresult r = dc_cu.MemGetInfo(free_bytes, total_bytes);
  if (r != CUDA_SUCCESS) return dc_cuda_fail(r, DC_DEVICE, err, "cannot ask %s for its free memory", dev->id);
  size_t kept = 0, used = 0; /* what the pool keeps for the next allocation is free to us */
  if (pool_bytes(d, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, &kept) &&
      pool_bytes(d, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used) && kept > used)
    *free_bytes += kept - used;
  return 0;
}

static size_t reserved(dc_device *dev) {
  dc_cuda *d = cuda_of(dev);
  size_t bytes = 0;
  dc_error ignored = DC_ERROR_INIT;
  if (dc_cuda_enter(d, &ignored) == 0) pool_bytes(d, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, &bytes);
  dc_error_clear(&ignored);
  return bytes > dev->bytes_live ? bytes : dev->bytes_live;
}

static void trim(dc_device *dev) {
  dc_cuda *d = cuda_of(dev);
  dc_error ignored = DC_ERROR_INIT; /* then it stays kept */
  if (dc_cuda_enter(d, &ignored) == 0) (void)give_back(d, &ignored);
  dc_error_clear(&ignored);
}

/* --- copies -------------------------------------------------------------------------------------- */

/* The bytes are taken at once; the device gets them in the order of the stream. */
static int upload_small(dc_cuda *d, dc_ptr dst, const void *src, size_t n, dc_error *err) {
  if (d->upload_at + n > UPLOAD_SIZE) { /* round again: what lies there must have been fetched */
    if (dc_cuda_wait_all(d, err) != 0) return -1;
    d->upload_at = 0;
  }
  char *staged = d->pinned + d->upload_at;
  memcpy(staged, src, n);
  d->upload_at += (n + 63) & ~(size_t)63;
  CUresult r = dc_cu.MemcpyHtoDAsync(dst, staged, n, dc_cuda_handle(d));
  return r == CUDA_SUCCESS ? 0 : dc_cuda_fail(r, DC_DEVICE, err, "copying %zu bytes to %s failed", n, d->dev->id);
}

static int to_device(dc_device *dev, dc_ptr dst, const void *src, size_t n, dc_error *err) {
  dc_cuda *d = cuda_of(dev);
  if (dc_cuda_enter(d, err) != 0) return -1;
  if (n <= SMALL_COPY && d->pinned != NULL) return upload_small(d, dst, src, n, err);
  if (dc_cuda_wait(d, dc_cuda_now(d), err) != 0) return -1;
  if (dc_cuda_staged(d, n)) return dc_cuda_staged_copy(d, (void *)(uintptr_t)src, dst, n, true, err); /* only read */
  return finish_copy(d, dc_cu.MemcpyHtoDAsync(dst, src, n, dc_cuda_handle(d)), err);
}

int dc_cuda_to_host(dc_device *dev, void *dst, dc_ptr src, size_t n, dc_error *err) {
  dc_cuda *d = cuda_of(dev);
  if (dc_cuda_enter(d, err) != 0) return -1;
  if (n > SMALL_COPY || d->pinned == NULL) {
    if (dc_cuda_wait(d, dc_cuda_now(d), err) != 0) return -1;
    if (dc_cuda_staged(d, n)) return dc_cuda_staged_copy(d, dst, src, n, false, err);
    return finish_copy(d, dc_cu.MemcpyDtoHAsync(dst, src, n, dc_cuda_handle(d)), err);
  }
  if (d->reading && dc_cuda_wait_all(d, err) != 0) return -1;
  char *staged = d->pinned + UPLOAD_SIZE;
  CUresult r = dc_cu.MemcpyDtoHAsync(staged, src, n, dc_cuda_handle(d));
  if (r != CUDA_SUCCESS) return dc_cuda_fail(r, DC_DEVICE, err, "copying %zu bytes from %s failed", n, dev->id);
  d->reading = true;
  if (dc_cuda_wait(d, dc_cuda_now(d), err) != 0) return -1;
  d->reading = false;
  memcpy(dst, staged, n);
  return 0;
}

static int to_device_async(dc_device *dev, dc_ptr dst, const void *src, size_t n, dc_error *err) {
  dc_cuda *d = cuda_of(dev);
  if (dc_cuda_enter(d, err) != 0) return -1;
  CUresult r = dc_cu.MemcpyHtoDAsync(dst, src, n, dc_cuda_handle(d));
  return r == CUDA_SUCCESS ? 0 : dc_cuda_fail(r, DC_DEVICE, err, "copying %zu bytes to %s failed", n, dev->id);
}

static int to_host_async(dc_device *dev, void *dst, dc_ptr src, size_t n, dc_error *err) {
  dc_cuda *d = cuda_of(dev);
  if (dc_cuda_enter(d, err) != 0) return -1;
  CUresult r = dc_cu.MemcpyDtoHAsync(dst, src, n, dc_cuda_handle(d));
  return r == CUDA_SUCCESS ? 0 : dc_cuda_fail(r, DC_DEVICE, err, "copying %zu bytes from %s failed", n, dev->id);
}

/* Page-locked for every device. */
static int pinned_alloc(dc_device *dev, size_t n, void **out, dc_error *err) {
  dc_cuda *d = cuda_of(dev);
  if (dc_cuda_enter(d, err) != 0) return -1;
  int mode = dc_cuda_relax(d);
  CUresult r = dc_cu.MemHostAlloc(out, n, CU_MEMHOSTALLOC_PORTABLE);
  dc_cuda_restrain(d, mode);
  return r == CUDA_SUCCESS ? 0 : dc_cuda_fail(r, DC_MEMORY, err, "cannot allocate %zu bytes of page-locked memory", n);
}

static void pinned_free(dc_device *dev, void *p) {
  dc_cuda *d = cuda_of(dev);
  dc_error ignored = DC_ERROR_INIT;
  if (dev->state == DC_DEVICE_OPEN && dc_cuda_enter(d, &ignored) == 0) {
    int mode = dc_cuda_relax(d);
    dc_cuda_note(dc_cu.MemFreeHost(p));
    dc_cuda_restrain(d, mode);
  }
  dc_error_clear(&ignored);
}

static int copy(dc_device *dev, dc_ptr dst, dc_ptr src, size_t n, dc_error *err) {
  dc_cuda *d = cuda_of(dev);
  if (dc_cuda_enter(d, err) != 0) return -1;
  CUresult r = dc_cu.MemcpyDtoDAsync(dst, src, n, dc_cuda_handle(d));
  return r == CUDA_SUCCESS ? 0 : dc_cuda_fail(r, DC_DEVICE, err, "copying %zu bytes on %s failed", n, dev->id);
}

/* Makes `waiter`'s current stream wait for all that is in `first`'s now. The context of `first` is current. */
static CUresult order(dc_cuda *first, dc_cuda *waiter) {
  CUresult r = dc_cu.EventRecord(first->event, dc_cuda_handle(first));
  return r != CUDA_SUCCESS ? r : dc_cu.StreamWaitEvent(dc_cuda_handle(waiter), first->event, 0);
}

/* Lets `user` reach the memory of `owner` straight, once, where the hardware can; elsewhere the driver copies by way
** of the host.  The context of `user` is current. */
static void open_way(dc_cuda *user, dc_cuda *owner) {
  int can = 0, i = user->dev->index;
  if (i >= 128 || (owner->peers[i / 64] >> i % 64 & 1) != 0) return;
  owner->peers[i / 64] |= (uint64_t)1 << i % 64;
  CUresult r = dc_cu.DeviceCanAccessPeer(&can, user->handle, owner->handle);
  if (r == CUDA_SUCCESS && can) {
    CUmemAccessDesc access = { { CU_MEM_LOCATION_TYPE_DEVICE, user->handle }, CU_MEM_ACCESS_FLAGS_PROT_READWRITE };
    r = owner->pool != NULL ? dc_cu.MemPoolSetAccess(owner->pool, &access, 1)
                            : dc_cu.CtxEnablePeerAccess(owner->context, 0);
  }
  dc_cuda_note(r);
}

/* Runs in the target's stream, after the source's work so far; the source's later work (which may
** overwrite or free what is copied) waits for it. */
static int peer_copy(dc_device *dst_dev, dc_ptr dst, dc_device *src_dev, dc_ptr src, size_t n, dc_error *err) {
  dc_cuda *to = cuda_of(dst_dev), *from = cuda_of(src_dev);
  if (dc_cuda_enter(from, err) != 0) return -1;
  open_way(from, to);
  CUresult r = order(from, to);
  if (r == CUDA_SUCCESS) {
    if (dc_cuda_enter(to, err) != 0) return -1;
    open_way(to, from);
    r = dc_cu.MemcpyPeerAsync(dst, to->context, src, from->context, n, dc_cuda_handle(to));
  }
  if (r == CUDA_SUCCESS) r = order(to, from);
  if (r == CUDA_SUCCESS) return 0;
  return dc_cuda_fail(r, DC_DEVICE, err, "copying %zu bytes from %s to %s failed", n, src_dev->id, dst_dev->id);
}

/* Eight-byte patterns, which the driver has no memset for: a first piece from the host, then doubled. */
static int fill_by_doubling(dc_cuda *d, dc_ptr dst, uint64_t pattern, size_t n, dc_error *err) {
  uint64_t piece[512];
  size_t total = n * sizeof pattern, done = total < sizeof piece ? total : sizeof piece;
  for (size_t i = 0; i < done / sizeof pattern; i++) piece[i] = pattern;
  if (to_device(d->dev, dst, piece, done, err) != 0) return -1;
  while (done < total) {
    size_t k = total - done < done ? total - done : done;
    if (copy(d->dev, dst + done, dst, k, err) != 0) return -1;
    done += k;
  }
  return 0;
}

static int fill(dc_device *dev, dc_ptr dst, const void *pattern, size_t size, size_t n, dc_error *err) {
  dc_cuda *d = cuda_of(dev);
  uint64_t v = 0;
  CUresult r;
  if (dc_cuda_enter(d, err) != 0) return -1;
  memcpy(&v, pattern, size);
  if (size == 8 && (v >> 32) == (v & UINT32_MAX)) { /* both halves alike, as in 0.0 and -1 */
    size = 4;
    n *= 2;
  }
  switch (size) {
  case 1: r = dc_cu.MemsetD8Async(dst, (unsigned char)v, n, dc_cuda_handle(d)); break;
  case 2: r = dc_cu.MemsetD16Async(dst, (unsigned short)v, n, dc_cuda_handle(d)); break;
  case 4: r = dc_cu.MemsetD32Async(dst, (unsigned int)v, n, dc_cuda_handle(d)); break;
  default: return fill_by_doubling(d, dst, v, n, err);
  }
  return r == CUDA_SUCCESS ? 0 : dc_cuda_fail(r, DC_DEVICE, err, "filling %zu elements on %s failed", n, dev->id);
}

/* --- opening and closing ------------------------------------------------------------------------- */

static int read_facts(dc_cuda *d, dc_error *err) {
  dc_device_facts *f = &d->dev->facts;
  int v[18];
  static const CUdevice_attribute wanted[18] = {
    CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z,
    CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z,
    CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
    CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE,
    CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR,
    CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT,
    CU_DEVICE_ATTRIBUTE_WARP_SIZE, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK,
    CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH,
  };
  for (int i = 0; i < 18; i++) {
    CUresult r = dc_cu.DeviceGetAttribute(&v[i], wanted[i], d->handle);
    if (r != CUDA_SUCCESS)
      return dc_cuda_fail(r, DC_DEVICE, err, "%s does not tell attribute %d", d->dev->id, wanted[i]);
  }
  for (int i = 0; i < 3; i++) {
    f->max_block[i] = (uint32_t)v[i];
    f->max_grid[i] = (uint32_t)v[3 + i];
  }
  f->shared_per_block = (size_t)v[6];
  f->shared_per_block_optin = (size_t)v[7];
  f->shared_per_multiprocessor = (size_t)v[8];
  f->l2_cache = (size_t)v[9];
  f->max_threads_per_block = v[10];
  f->max_threads_per_multiprocessor = v[11];
  f->max_blocks_per_multiprocessor = v[12];
  f->multiprocessors = v[13];
  f->warp_size = v[14];
  f->registers_per_block = v[15];
  f->cooperative = v[16] != 0;
  f->max_cluster = v[17] != 0 ? DC_CUDA_CLUSTER : 1;
  f->overlapping = f->compute_major >= 9;
  f->most_params = f->compute_major >= 7 && dc_cuda_driver_version() >= 12010 ? DC_PARAMS_LARGE : DC_PARAMS_USUAL;
  if (dc_cu.DeviceGetAttribute(&f->clock_khz, CU_DEVICE_ATTRIBUTE_CLOCK_RATE, d->handle) != CUDA_SUCCESS)
    f->clock_khz = 0; /* newer drivers may stop telling */
  CUresult r = dc_cu.DeviceTotalMem(&f->total_memory, d->handle);
  return r == CUDA_SUCCESS ? 0 : dc_cuda_fail(r, DC_DEVICE, err, "%s does not tell its memory", d->dev->id);
}

/* The default pool, told to keep what is freed (DOTCOMPUTE_POOL: at most so much once a stream is waited for); without
** one cuMemAlloc serves. */
static void find_pool(dc_cuda *d) {
  int supported = 0;
  uint64_t keep = dc_bytes_setting("DOTCOMPUTE_POOL", SIZE_MAX);
  CUmemoryPool pool = NULL;
  if (dc_cu.DeviceGetAttribute(&supported, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, d->handle) == CUDA_SUCCESS &&
      supported && dc_cu.DeviceGetDefaultMemPool(&pool, d->handle) == CUDA_SUCCESS &&
      dc_cu.MemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &keep) == CUDA_SUCCESS)
    d->pool = pool;
}

/* Context, stream, event, pool and staging memory, in this order. */
static int acquire(dc_cuda *d, dc_error *err) {
  CUcontext context = NULL;
  CUresult r = dc_cu.DevicePrimaryCtxRetain(&context, d->handle);
  if (r != CUDA_SUCCESS) return dc_cuda_fail(r, DC_DEVICE, err, "cannot use %s (%s)", d->dev->id, d->dev->name);
  d->context = context;
  if (dc_cuda_enter(d, err) != 0) return -1;
  r = dc_cu.StreamCreate(&d->own.handle, CU_STREAM_NON_BLOCKING);
  if (r == CUDA_SUCCESS) r = dc_cu.EventCreate(&d->event, CU_EVENT_DISABLE_TIMING);
  if (r != CUDA_SUCCESS) return dc_cuda_fail(r, DC_DEVICE, err, "cannot make a stream on %s", d->dev->id);
  find_pool(d);
  void *pinned = NULL;
  r = dc_cu.MemHostAlloc(&pinned, DC_CUDA_MAILBOX_AT + DC_CUDA_MAILBOX_SIZE, 0);
  d->pinned = r == CUDA_SUCCESS ? pinned : NULL; /* copies work without, a little slower */
  if (d->pinned != NULL) memset(d->pinned + DC_CUDA_MAILBOX_AT, 0, DC_CUDA_MAILBOX_SIZE);
  d->upload_at = 0;
  dc_cuda_note(r);
  return atomic_load(&dc_cuda_process.dead) ? dc_cuda_fail_dead(err) : 0;
}

/* The driver's part of release; the context is retained. */
static void release_handles(dc_cuda *d) {
  dc_error err = DC_ERROR_INIT;
  if (dc_cuda_enter(d, &err) == 0) {
    bool interrupted = d->own.handle != NULL && dc_cuda_wait(d, &d->own, &err) != 0 && err.kind == DC_INTERRUPTED;
    dc_error_clear(&err);
    if (interrupted || atomic_load(&dc_cuda_process.dead)) return; /* left to the end of the process */
    dc_cuda_libraries_close(d, true);
    dc_cuda_blocks_drop(d, raw_free);
    if (d->pinned != NULL) dc_cuda_note(dc_cu.MemFreeHost(d->pinned));
    if (d->event != NULL) dc_cuda_note(dc_cu.EventDestroy(d->event));
    dc_cuda_close_capture(d, true);
    dc_cuda_staging_close(d, true);
    if (d->own.handle != NULL) dc_cuda_note(dc_cu.StreamDestroy(d->own.handle));
    dc_cuda_note(dc_cu.CtxSetCurrent(NULL)); /* not left current: it may be gone */
  }
  dc_error_clear(&err);
  if (!atomic_load(&dc_cuda_process.dead)) dc_cuda_note(dc_cu.DevicePrimaryCtxRelease(d->handle));
}

/* Gives back what acquire took, however far it came. */
static void release(dc_cuda *d) {
  if (d->context != NULL) release_handles(d);
  dc_cuda_libraries_close(d, false);
  dc_cuda_blocks_drop(d, NULL);
  dc_cuda_drop_doomed(d, true);
  d->own.finished = d->own.issued; /* nothing is asked about these any more */
  dc_cuda_close_capture(d, false);
  dc_cuda_staging_close(d, false);
  d->context = NULL;
  d->own.handle = NULL;
  d->own.next = NULL;
  d->reading = false;
  d->peers[0] = d->peers[1] = 0;
  d->event = NULL;
  d->pool = NULL;
  d->pinned = NULL;
}

static int open_device(dc_device *dev, dc_error *err) {
  dc_cuda *d = cuda_of(dev);
  const char *sync = getenv("DOTCOMPUTE_SYNC");
  d->sync_launches = sync != NULL && sync[0] != '\0' && strcmp(sync, "0") != 0;
  if (atomic_load(&dc_cuda_process.dead)) return dc_cuda_fail_dead(err);
  if (read_facts(d, err) != 0) return -1;
  if (dc_compile_target(dev->facts.compute_major, dev->facts.compute_minor, dev->target.arch, &dev->target.binary,
                        err) != 0)
    return dc_error_prefix(err, "%s (%s) cannot be used: ", dev->id, dev->name);
  dev->target.gpu = dev->target.binary; /* PTX for an older architecture lacks instructions that are used */
  if (acquire(d, err) == 0) return 0;
  release(d);
  return -1;
}

static const dc_memory_ops memory_ops = {
  .alloc = alloc,
  .free = release_memory,
  .info = memory_info,
  .reserved = reserved,
  .trim = trim,
  .to_device = to_device,
  .to_host = dc_cuda_to_host,
  .copy = copy,
  .fill = fill,
  .peer_copy = peer_copy,
  .pinned_alloc = pinned_alloc,
  .pinned_free = pinned_free,
  .to_device_async = to_device_async,
  .to_host_async = to_host_async,
  .mailbox = dc_cuda_mailbox,
  .mailbox_wait = dc_cuda_mailbox_wait,
};

static const dc_library_ops library_ops = {
  .half_products = true,
  .products_in_graphs = true,
  .lu_loses_nan = true,
  .fft_pairs = true,
  .files = { "libcublas.", "libcusolver.", "libcufft." },
  .load = dc_cuda_library,
  .product = dc_cuda_product,
  .dense = dc_cuda_dense,
  .fft = dc_cuda_fft,
  .product_work = dc_cuda_product_work,
  .dense_work = dc_cuda_dense_work,
  .fft_work = dc_cuda_fft_work,
};

/* --- discovery ----------------------------------------------------------------------------------- */

/* What can be told of GPU i without opening it. */
static CUresult describe(dc_device *dev, dc_cuda *d, int i) {
  CUresult r = dc_cu.DeviceGet(&d->handle, i);
  if (r == CUDA_SUCCESS) r = dc_cu.DeviceGetName(dev->name, sizeof dev->name, d->handle);
  if (r == CUDA_SUCCESS)
    r = dc_cu.DeviceGetAttribute(&dev->facts.compute_major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, d->handle);
  if (r == CUDA_SUCCESS)
    r = dc_cu.DeviceGetAttribute(&dev->facts.compute_minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, d->handle);
  return r;
}

static int add_device(int i, dc_device *(*add)(void *ud), void *ud, dc_error *err) {
  dc_cuda *d = dc_calloc_lines(sizeof *d);
  dc_device *dev = d != NULL ? add(ud) : NULL;
  if (dev == NULL) {
    free(d);
    return dc_fail_oom(err);
  }
  d->dev = dev;
  d->launch = dc_cu.LaunchKernel;
  dev->index = i;
  dev->impl = d;
  snprintf(dev->id, sizeof dev->id, "cuda:%d", i);
  CUresult r = describe(dev, d, i);
  if (r == CUDA_SUCCESS) {
    dc_cuda_adopt(dev);
    return 0;
  }
  /* One broken card must not hide the others: it stays in the list and says what is wrong. */
  snprintf(dev->name, sizeof dev->name, "unusable GPU");
  dc_cuda_fail(r, DC_DEVICE, &dev->open_error, "%s does not answer", dev->id);
  dev->state = DC_DEVICE_BROKEN;
  return 0;
}

static int discover(dc_device *(*add)(void *ud), void *ud, dc_error *err) {
  int n = 0;
  if (dc_cuda_start(err) != 0) return -1;
  CUresult r = dc_cu.DeviceGetCount(&n);
  if (r != CUDA_SUCCESS) return dc_cuda_fail(r, DC_DEVICE, err, "the NVIDIA driver cannot count its GPUs");
  if (n == 0) return dc_fail(err, DC_DEVICE, NULL, "there is an NVIDIA driver, but it finds no GPU");
  int i = 0;
  while (i < n && add_device(i, add, ud, err) == 0) i++;
  return i > 0 ? 0 : -1; /* those that there was room for */
}

const dc_backend dc_cuda_backend = {
  .name = "cuda",
  .simt = true,
  .memory = &memory_ops,
  .code = &dc_cuda_code_ops,
  .streams = &dc_cuda_stream_ops,
  .graphs = &dc_cuda_graph_ops,
  .libraries = &library_ops,
  .discover = discover,
  .open = open_device,
  .driver = dc_cuda_driver_info,
};
