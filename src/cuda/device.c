/*
** device.c - see device.h.
**
** All work of a device goes into non-blocking streams of ours, never into the driver's NULL stream.
*/
#include "cuda/device.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compile/compile.h"
#include "cuda/blas.h"
#include "cuda/code.h"
#include "cuda/copy.h"
#include "cuda/fault.h"
#include "cuda/fft.h"
#include "cuda/graph.h"
#include "cuda/library.h"
#include "cuda/memory.h"
#include "cuda/nccl.h"
#include "cuda/solver.h"
#include "cuda/stream.h"
#include "cuda/texture.h"

/* --- the driver ---------------------------------------------------------------------------------- */

static struct {
  bool tried;
  dc_error why_not;
} driver;

/* CUDA cannot be used in a child of a process that started it: the fork handler turns it off there. */
static int init_driver(dc_error *err) {
  pthread_atfork(NULL, NULL, dc_cuda_forked);
  CUresult r = dc_cu.Init(0);
  if (r == CUDA_SUCCESS) return 0;
  if (r == CUDA_ERROR_NO_DEVICE)
    return dc_fail(err, DC_DEVICE, "CUDA_ERROR_NO_DEVICE", "there is an NVIDIA driver, but it finds no GPU");
  if (r == CUDA_ERROR_STUB_LIBRARY) return dc_cuda_fail_stub(err);
  return dc_cuda_fail(r, DC_DEVICE, err, "the NVIDIA driver cannot be started");
}

/* Loads the library and calls cuInit at the first call; later ones repeat its answer. */
static int start_driver(dc_error *err) {
  if (dc_cuda_is_dead()) return dc_cuda_fail_dead(err);
  if (!driver.tried) {
    driver.tried = true;
    if (dc_cuda_api_load(&driver.why_not) == 0) init_driver(&driver.why_not);
  }
  if (driver.why_not.kind == DC_OK) return 0;
  dc_fail(err, driver.why_not.kind, driver.why_not.code, "%s", dc_error_text(&driver.why_not));
  dc_error_set_log(err, driver.why_not.log);
  return -1;
}

static void driver_info(dc_driver_info *info) {
  dc_error err = DC_ERROR_INIT;
  info->name = "CUDA";
  info->available = start_driver(&err) == 0;
  dc_error_clear(&err);
  info->version = dc_cuda_api_version();
  info->library = dc_cuda_api_path();
  info->why_not = info->available ? NULL : driver.why_not.log ? driver.why_not.log : dc_error_text(&driver.why_not);
}

/* --- opening --------------------------------------------------------------------------------- */

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
      return dc_cuda_fail(r, DC_DEVICE, err, "%s does not give its attribute %d", d->dev->id, wanted[i]);
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
  f->most_params = f->compute_major >= 7 && dc_cuda_api_version() >= 12010 ? DC_PARAMS_LARGE : DC_PARAMS_USUAL;
  if (dc_cu.DeviceGetAttribute(&f->clock_khz, CU_DEVICE_ATTRIBUTE_CLOCK_RATE, d->handle) != CUDA_SUCCESS)
    f->clock_khz = 0; /* newer drivers may lack it */
  CUresult r = dc_cu.DeviceTotalMem(&f->total_memory, d->handle);
  return r == CUDA_SUCCESS ? 0 : dc_cuda_fail(r, DC_DEVICE, err, "%s does not give the size of its memory", d->dev->id);
}

/* Context, stream, event, pool and page-locked memory. */
static int acquire(dc_cuda *d, dc_error *err) {
  CUcontext context = NULL;
  CUresult r = dc_cu.DevicePrimaryCtxRetain(&context, d->handle);
  if (r != CUDA_SUCCESS) return dc_cuda_fail(r, DC_DEVICE, err, "cannot use %s (%s)", d->dev->id, d->dev->name);
  d->context = context;
  if (dc_cuda_enter(d, err) != 0 || dc_cuda_stream_create(d, &d->own, err) != 0) return -1;
  r = dc_cu.EventCreate(&d->event, CU_EVENT_DISABLE_TIMING);
  if (r != CUDA_SUCCESS) return dc_cuda_fail(r, DC_DEVICE, err, "cannot make an event on %s", d->dev->id);
  dc_cuda_find_pool(d);
  void *pinned = NULL;
  r = dc_cu.MemHostAlloc(&pinned, DC_CUDA_MAILBOX_AT + DC_CUDA_MAILBOX_SIZE, 0);
  d->pinned = r == CUDA_SUCCESS ? pinned : NULL; /* copies work without, a little slower */
  if (d->pinned != NULL) memset(d->pinned + DC_CUDA_MAILBOX_AT, 0, DC_CUDA_MAILBOX_SIZE);
  d->upload_at = 0;
  dc_cuda_note(r);
  return atomic_load(&dc_cuda_process.dead) ? dc_cuda_fail_dead(err) : 0;
}

/* Releases what acquire took before it failed. */
static void release(dc_cuda *d) {
  if (d->context != NULL && dc_cuda_try_enter(d)) {
    if (d->pinned != NULL) dc_cuda_note(dc_cu.MemFreeHost(d->pinned));
    if (d->event != NULL) dc_cuda_note(dc_cu.EventDestroy(d->event));
    if (d->own.handle != NULL) dc_cuda_note(dc_cu.StreamDestroy(d->own.handle));
    dc_cuda_note(dc_cu.CtxSetCurrent(NULL));
    dc_cuda_note(dc_cu.DevicePrimaryCtxRelease(d->handle));
  }
}

static int open_device(dc_device *dev, dc_error *err) {
  dc_cuda *d = dc_cuda_of(dev);
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

static const dc_library_ops library_ops = {
  .half_products = true,
  .products_in_graphs = true,
  .lu_loses_nan = true,
  .fft_pairs = true,
  .files = { "libcublas.", "libcusolver.", "libcufft." },
  .load = dc_cuda_library_load,
  .product = dc_cuda_product,
  .dense = dc_cuda_dense,
  .fft = dc_cuda_fft,
  .product_work = dc_cuda_product_work,
  .dense_work = dc_cuda_dense_work,
  .fft_work = dc_cuda_fft_work,
};

/* --- discovery ----------------------------------------------------------------------------------- */

/* What is known of GPU i without opening it. */
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
  if (start_driver(err) != 0) return -1;
  CUresult r = dc_cu.DeviceGetCount(&n);
  if (r != CUDA_SUCCESS) return dc_cuda_fail(r, DC_DEVICE, err, "the NVIDIA driver cannot count its GPUs");
  if (n == 0) return dc_fail(err, DC_DEVICE, NULL, "there is an NVIDIA driver, but it finds no GPU");
  int i = 0;
  while (i < n && add_device(i, add, ud, err) == 0) i++;
  return i > 0 ? 0 : -1; /* as many as there is room for */
}

const dc_backend dc_cuda_backend = {
  .name = "cuda",
  .simt = true,
  .memory = &dc_cuda_memory_ops,
  .code = &dc_cuda_code_ops,
  .streams = &dc_cuda_stream_ops,
  .graphs = &dc_cuda_graph_ops,
  .libraries = &library_ops,
  .comms = &dc_cuda_comm_ops,
  .textures = &dc_cuda_texture_ops,
  .discover = discover,
  .open = open_device,
  .driver = driver_info,
};
