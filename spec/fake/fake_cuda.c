/*
** fake_cuda.c - a driver library without a GPU, for specs: built from the loader's own list, so it has
** exactly the functions that are used, with exactly their types.
**
** Memory is the host's, copies and fills are real, kernels do nothing but are recorded.  Every handle,
** address and range is checked, and what was acquired and not released is counted.
**
** Build: cc -std=gnu11 -shared -fPIC -Isrc spec/fake/fake_cuda.c -o libfake_cuda.so, and name the result
** in DOTCOMPUTE_LIBCUDA.  What it does is set in the environment:
**   FAKE_CUDA_FAIL     "MemAllocAsync:2" (the first call), "LaunchKernel:701:3" (the third), ":*" (every);
**                      several with commas
**   FAKE_CUDA_FAULT    "700:2": the second launch faults; from the next look at it on, every call fails
**   FAKE_CUDA_HANG     launches never end
**   FAKE_CUDA_LAZY     see order.h
**   FAKE_CUDA_STRICT   launches are refused while another device's context is current
**   FAKE_CUDA_DEVICES, FAKE_CUDA_VERSION (13000), FAKE_CUDA_CC (90), FAKE_CUDA_POOLS (1), FAKE_CUDA_PEERS (1),
**   FAKE_CUDA_MEMORY   bytes a device (1 GiB)
**   FAKE_CUDA_KEEP     the bytes that pools are to be told to keep (all)
**   FAKE_CUDA_PARAMS   "0:4,8:8": offset and size of every kernel's parameters; else read from PTX, and
**                      for cubins "not supported"
**   FAKE_CUDA_IMAGES   a launch's report tells which image the kernel is of: "launch saxpy@8c0f…"
**   FAKE_CUDA_REPORT   a file that gets, at exit, "calls NAME n", "held KIND n" and "misuse TEXT" lines;
**                      each launch at once
*/
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <ctype.h>
#include <elf.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cuda/api.h"
#include "fake_work.h"

#define MAX_DEVICES 8
typedef struct object object;

#define DC_CUDA(need, name, symbol, params) CUresult symbol params;
#include "cuda/cuda_api.def"
#undef DC_CUDA

enum {
#define DC_CUDA(need, name, symbol, params) F_##name,
#include "cuda/cuda_api.def"
#undef DC_CUDA
  NFUNCTIONS
};

static const char *const names[NFUNCTIONS] = {
#define DC_CUDA(need, name, symbol, params) #name,
#include "cuda/cuda_api.def"
#undef DC_CUDA
};

/* --- settings, counts, report ---------------------------------------------------------------------- */

static struct {
  int code;
  unsigned long nth; /* 0: every call */
} forced[NFUNCTIONS];
static unsigned long calls[NFUNCTIONS], launches;
static int fault_code, fault; /* what the nth launch will raise; raised */
static unsigned long fault_nth;
static const char *report_file;
static pid_t starter;

static void report(const char *fmt, ...) {
  FILE *f = report_file != NULL ? fopen(report_file, "a") : NULL;
  if (f == NULL) return;
  va_list ap;
  va_start(ap, fmt);
  vfprintf(f, fmt, ap);
  va_end(ap);
  fclose(f);
}

static CUresult misuse(int code, const char *what) {
  report("misuse %s\n", what);
  return code;
}

static long setting(const char *name, long otherwise) {
  const char *v = getenv(name);
  return v != NULL && v[0] != '\0' ? strtol(v, NULL, 0) : otherwise;
}

static void force(const char *rule) {
  char name[64], nth[16] = "1";
  int code;
  if (sscanf(rule, "%63[^:]:%d:%15s", name, &code, nth) >= 2)
    for (int i = 0; i < NFUNCTIONS; i++)
      if (strcmp(names[i], name) == 0) {
        forced[i].code = code;
        forced[i].nth = nth[0] == '*' ? 0 : strtoul(nth, NULL, 10);
        return;
      }
  fprintf(stderr, "FAKE_CUDA_FAIL: bad rule '%s'\n", rule);
  _exit(97);
}

__attribute__((constructor)) static void set_up(void) {
  starter = getpid();
  report_file = getenv("FAKE_CUDA_REPORT");
  const char *fail = getenv("FAKE_CUDA_FAIL"), *at = getenv("FAKE_CUDA_FAULT");
  char *rules = strdup(fail != NULL ? fail : ""), *state;
  for (char *r = strtok_r(rules, ",", &state); r != NULL; r = strtok_r(NULL, ",", &state)) force(r);
  free(rules);
  if (at != NULL) {
    char *end;
    fault_code = (int)strtol(at, &end, 10);
    fault_nth = *end == ':' ? strtoul(end + 1, NULL, 10) : 1;
  }
}

/* What every function begins with: the forced error, or that of an earlier fault. */
static CUresult enter(int f) {
  calls[f]++;
  if (getpid() != starter && calls[F_Init] > 0 && f != F_GetErrorName && f != F_GetErrorString)
    return misuse(CUDA_ERROR_NOT_INITIALIZED, "call after fork");
  if (fault != 0) return fault;
  if (forced[f].code != 0 && (forced[f].nth == 0 || forced[f].nth == calls[f])) return forced[f].code;
  if (calls[F_Init] == 0 && f != F_DriverGetVersion) return CUDA_ERROR_NOT_INITIALIZED;
  return CUDA_SUCCESS;
}
/* Calls of several threads come one after another; some of the functions call others. */
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static int take_lock(void) { return pthread_mutex_lock(&lock); }
static void give_lock(const int *taken) {
  if (*taken == 0) pthread_mutex_unlock(&lock);
}
#define HOLD_LOCK() __attribute__((cleanup(give_lock))) const int taken_ = take_lock()
#define ENTER(f) \
  HOLD_LOCK(); \
  do { \
    CUresult r_ = enter(F_##f); \
    if (r_ != CUDA_SUCCESS) return r_; \
  } while (0)

#include "order_types.h"

/* --- objects: everything that is acquired and released ---------------------------------------------- */

typedef enum {
  STREAM, EVENT, MODULE, FUNCTION, MEMORY, POOL_MEMORY, PINNED, GLOBAL, GRAPH, EXEC, ARRAY, MIPMAPPED, LEVEL, TEXTURE,
  SURFACE, NKINDS
} kind_t;
static const char *const kind_names[NKINDS] = { "stream",      "event",  "module", "function", "memory",
                                                "pool memory", "pinned", "global", "graph",  "executable graph",
                                                "array", "mipmapped array", "level", "texture", "surface" };

struct object {
  struct object *next;
  kind_t kind;
  int device;
  char *bytes; /* memory, or a module's image */
  size_t size;
  struct object *module; /* of functions and globals; the array of a level, a texture or a surface */
  CUDA_ARRAY3D_DESCRIPTOR array; /* of arrays and levels */
  int dynamic_limit;     /* of functions */
  char name[128];
  order o;
};

static object *objects;
typedef struct CUctx_st {
  int device, retained;
} context;
static context contexts[MAX_DEVICES];
static size_t stack_size = 1024;
static _Thread_local context *current;
static size_t used[MAX_DEVICES], cached[MAX_DEVICES];
static bool busy[MAX_DEVICES];

__attribute__((destructor)) static void tear_down(void) {
  if (getpid() != starter) return;
  size_t held[NKINDS] = { 0 };
  for (object *o = objects; o != NULL; o = o->next) held[o->kind]++;
  for (int i = 0; i < NFUNCTIONS; i++)
    if (calls[i] > 0) report("calls %s %lu\n", names[i], calls[i]);
  for (int i = 0; i < NKINDS; i++)
    if (held[i] > 0 && i != FUNCTION && i != GLOBAL && i != LEVEL) report("held %s %zu\n", kind_names[i], held[i]);
  for (int i = 0; i < MAX_DEVICES; i++)
    if (contexts[i].retained > 0) report("held context %d\n", contexts[i].retained);
  report("end\n");
}

static object *acquire(kind_t kind, size_t size) {
  object *o = calloc(1, sizeof *o);
  if (o == NULL) abort();
  *o = (object){ .next = objects, .kind = kind, .device = current != NULL ? current->device : 0, .size = size };
  o->bytes = size > 0 ? aligned_alloc(256, (size + 255) & ~(size_t)255) : NULL;
  if (size > 0 && o->bytes != NULL) memset(o->bytes, 0xa5, size); /* contents are undefined */
  return objects = o;
}

static object *known(const void *handle, kind_t kind) {
  for (object *o = objects; o != NULL; o = o->next)
    if (o == handle && o->kind == kind) return o;
  return NULL;
}

static void release(object *gone) {
  object **p = &objects;
  while (*p != gone) p = &(*p)->next;
  *p = gone->next;
  free_nodes(&gone->o.nodes);
  free(gone->bytes);
  free(gone);
}

static void release_module_parts(const object *m) {
  for (object *o = objects, *next; o != NULL; o = next) {
    next = o->next;
    if (o->module == m) release(o);
  }
}

/* The memory that [at, at + n) lies in, wholly. */
static object *memory_at(CUdeviceptr at, size_t n) {
  for (object *o = objects; o != NULL; o = o->next) {
    CUdeviceptr from = (uintptr_t)o->bytes;
    if ((o->kind == MEMORY || o->kind == POOL_MEMORY || o->kind == GLOBAL) && at >= from && at - from <= o->size &&
        n <= o->size - (at - from))
      return o;
  }
  return NULL;
}

#define NEED_CONTEXT() \
  do { \
    if (current == NULL || current->retained == 0) return misuse(CUDA_ERROR_INVALID_CONTEXT, "no context"); \
  } while (0)
#define NEED_STREAM(s) \
  do { \
    NEED_CONTEXT(); \
    object *s_ = known(s, STREAM); \
    if (s_ == NULL) return misuse(CUDA_ERROR_INVALID_HANDLE, "bad stream"); \
    if (s_->device != current->device) return misuse(CUDA_ERROR_INVALID_HANDLE, "stream of another context"); \
  } while (0)
#define NEED_MEMORY(p, n) \
  do { \
    if (memory_at(p, n) == NULL) return misuse(CUDA_ERROR_INVALID_VALUE, "bad address"); \
  } while (0)

static bool bad_device(CUdevice d) { return d < 0 || d >= setting("FAKE_CUDA_DEVICES", 1) || d >= MAX_DEVICES; }

/* Tells images apart (FNV-1a). */
static unsigned long long image_number(const object *module) {
  unsigned long long h = 14695981039346656037u;
  for (size_t i = 0; i < module->size; i++) h = (h ^ (unsigned char)module->bytes[i]) * 1099511628211u;
  return h;
}

static CUresult record_launch(const node *k) {
  const CUlaunchConfig *c = &k->config;
  char hex[513] = "";
  for (size_t i = 0; i < k->n && i < 256; i++) snprintf(hex + 2 * i, 3, "%02x", k->bytes[i]);
  char image[32] = "";
  if (setting("FAKE_CUDA_IMAGES", 0)) snprintf(image, sizeof image, "@%llx", image_number(k->function->module));
  report("launch %s%s %ux%ux%u %ux%ux%u %u %zu %s%s\n", k->function->name, image, c->grid_x, c->grid_y, c->grid_z,
         c->block_x, c->block_y, c->block_z, c->shared, k->n, hex, k->special);
  launches++;
  if (setting("FAKE_CUDA_HANG", 0)) busy[k->function->device] = true;
  return CUDA_SUCCESS;
}

#include "order.h"

#include "arrays.h"

/* --- the library ----------------------------------------------------------------------------------- */

CUresult cuInit(unsigned int flags) {
  HOLD_LOCK();
  calls[F_Init]++;
  if (forced[F_Init].code != 0) return forced[F_Init].code;
  return flags == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuDriverGetVersion(int *version) {
  ENTER(DriverGetVersion);
  *version = (int)setting("FAKE_CUDA_VERSION", 13000);
  return CUDA_SUCCESS;
}

CUresult cuGetErrorName(CUresult error, const char **text) {
  static const struct {
    const char *name;
    int value;
  } numbers[] = {
#define DC_CUDA_CONST(name, value) { #name, value },
#include "cuda/cuda_const.def"
#undef DC_CUDA_CONST
  };
  HOLD_LOCK();
  calls[F_GetErrorName]++;
  *text = NULL;
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0] && *text == NULL; i++)
    if (numbers[i].value == error && strncmp(numbers[i].name, "CUDA_", 5) == 0) *text = numbers[i].name;
  return *text != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult error, const char **text) {
  static char said[64];
  HOLD_LOCK();
  calls[F_GetErrorString]++;
  snprintf(said, sizeof said, "fake text of error %d", error);
  *text = said;
  return CUDA_SUCCESS;
}

/* --- devices and contexts -------------------------------------------------------------------------- */

CUresult cuDeviceGetCount(int *count) {
  ENTER(DeviceGetCount);
  *count = (int)setting("FAKE_CUDA_DEVICES", 1);
  return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  ENTER(DeviceGet);
  *device = ordinal;
  return bad_device(ordinal) ? CUDA_ERROR_INVALID_DEVICE : CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char *name, int len, CUdevice device) {
  ENTER(DeviceGetName);
  snprintf(name, (size_t)len, "Fake GPU %d", device);
  return bad_device(device) ? CUDA_ERROR_INVALID_DEVICE : CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device) {
  ENTER(DeviceGetAttribute);
  if (bad_device(device)) return CUDA_ERROR_INVALID_DEVICE;
  switch (attribute) {
  case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
  case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X:
  case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y: *value = 1024; break;
  case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z: *value = 64; break;
  case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X: *value = 0x7fffffff; break;
  case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y:
  case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z: *value = 65535; break;
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK: *value = 49152; break;
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN: *value = 232448; break;
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR: *value = 233472; break;
  case CU_DEVICE_ATTRIBUTE_WARP_SIZE: *value = 32; break;
  case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK: *value = 65536; break;
  case CU_DEVICE_ATTRIBUTE_CLOCK_RATE: *value = 1980000; break;
  case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT: *value = 132; break;
  case CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH: *value = 1; break;
  case CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH: *value = setting("FAKE_CUDA_CC", 90) >= 90; break;
  case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE: *value = 50 << 20; break;
  case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR: *value = 2048; break;
  case CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR: *value = 32; break;
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: *value = (int)setting("FAKE_CUDA_CC", 90) / 10; break;
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR: *value = (int)setting("FAKE_CUDA_CC", 90) % 10; break;
  case CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED: *value = (int)setting("FAKE_CUDA_POOLS", 1); break;
  default: return texture_attribute(value, attribute);
  }
  return CUDA_SUCCESS;
}

static size_t memory_of_device(void) { return (size_t)setting("FAKE_CUDA_MEMORY", 1 << 30); }

CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device) {
  ENTER(DeviceTotalMem);
  *bytes = memory_of_device();
  return bad_device(device) ? CUDA_ERROR_INVALID_DEVICE : CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *out, CUdevice device) {
  ENTER(DevicePrimaryCtxRetain);
  if (bad_device(device)) return CUDA_ERROR_INVALID_DEVICE;
  contexts[device].device = device;
  contexts[device].retained++;
  *out = &contexts[device];
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  ENTER(DevicePrimaryCtxRelease);
  if (bad_device(device) || contexts[device].retained == 0) return misuse(CUDA_ERROR_INVALID_CONTEXT, "release");
  contexts[device].retained--;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext *out) {
  ENTER(CtxGetCurrent);
  *out = current;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetLimit(size_t *value, CUlimit limit) {
  ENTER(CtxGetLimit);
  if (current == NULL || limit != CU_LIMIT_STACK_SIZE) return misuse(CUDA_ERROR_INVALID_VALUE, "limit");
  *value = stack_size;
  return CUDA_SUCCESS;
}

CUresult cuCtxSetLimit(CUlimit limit, size_t value) {
  ENTER(CtxSetLimit);
  if (current == NULL || limit != CU_LIMIT_STACK_SIZE) return misuse(CUDA_ERROR_INVALID_VALUE, "limit");
  if (value > 512 << 10) return CUDA_ERROR_INVALID_VALUE;
  stack_size = value;
  return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext c) {
  ENTER(CtxSetCurrent);
  if (c != NULL && c->retained == 0) return misuse(CUDA_ERROR_INVALID_CONTEXT, "set a released context");
  current = c;
  return CUDA_SUCCESS;
}

/* --- memory ---------------------------------------------------------------------------------------- */

static CUresult allocate(kind_t kind, CUdeviceptr *ptr, size_t n) {
  int d = current->device;
  if (n == 0) return misuse(CUDA_ERROR_INVALID_VALUE, "allocation of 0 bytes");
  if (n > memory_of_device() - used[d]) return CUDA_ERROR_OUT_OF_MEMORY;
  if (kind == MEMORY && n > memory_of_device() - used[d] - cached[d]) return CUDA_ERROR_OUT_OF_MEMORY;
  object *o = acquire(kind, n);
  if (o->bytes == NULL) {
    release(o);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  used[d] += n;
  cached[d] = cached[d] > n ? cached[d] - n : 0;
  *ptr = (uintptr_t)o->bytes;
  return CUDA_SUCCESS;
}

static CUresult give_back(kind_t kind, CUdeviceptr ptr) {
  object *o = memory_at(ptr, 1);
  if (o == NULL || o->kind != kind || (uintptr_t)o->bytes != ptr) return misuse(CUDA_ERROR_INVALID_VALUE, "bad free");
  used[o->device] -= o->size;
  if (kind == POOL_MEMORY) cached[o->device] += o->size;
  release(o);
  return CUDA_SUCCESS;
}

CUresult cuMemGetInfo_v2(size_t *free_bytes, size_t *total_bytes) {
  ENTER(MemGetInfo);
  NEED_CONTEXT();
  *total_bytes = memory_of_device();
  *free_bytes = *total_bytes - used[current->device] - cached[current->device];
  return CUDA_SUCCESS;
}

CUresult cuMemAlloc_v2(CUdeviceptr *ptr, size_t n) {
  ENTER(MemAlloc);
  NEED_CONTEXT();
  NEED_SAFETY(MemAlloc);
  return allocate(MEMORY, ptr, n);
}

CUresult cuMemFree_v2(CUdeviceptr ptr) {
  ENTER(MemFree);
  NEED_CONTEXT();
  NEED_SAFETY(MemFree);
  return give_back(MEMORY, ptr);
}

CUresult cuMemAllocAsync(CUdeviceptr *ptr, size_t n, CUstream stream) {
  ENTER(MemAllocAsync);
  NEED_STREAM(stream);
  NEED_NO_CAPTURE(stream);
  CUresult r = allocate(POOL_MEMORY, ptr, n);
  step((object *)stream);
  if (r == CUDA_SUCCESS) touch((object *)stream, *ptr, 1, true, "allocation");
  return r;
}

CUresult cuMemFreeAsync(CUdeviceptr ptr, CUstream stream) {
  ENTER(MemFreeAsync);
  NEED_STREAM(stream);
  NEED_NO_CAPTURE(stream);
  step((object *)stream);
  touch((object *)stream, ptr, 1, true, "free");
  return give_back(POOL_MEMORY, ptr);
}

CUresult cuMemHostAlloc(void **ptr, size_t n, unsigned int flags) {
  ENTER(MemHostAlloc);
  NEED_CONTEXT();
  NEED_SAFETY(MemHostAlloc);
  if ((flags & ~(unsigned)CU_MEMHOSTALLOC_PORTABLE) != 0) return misuse(CUDA_ERROR_INVALID_VALUE, "host memory flags");
  *ptr = acquire(PINNED, n)->bytes;
  return *ptr != NULL ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

static const object *pinned_at(const void *ptr) {
  for (const object *o = objects; o != NULL; o = o->next)
    if (o->kind == PINNED && o->bytes == ptr) return o;
  return NULL;
}

CUresult cuMemFreeHost(void *ptr) {
  ENTER(MemFreeHost);
  NEED_CONTEXT();
  NEED_SAFETY(MemFreeHost);
  for (const transfer *t = transfers; t != NULL; t = t->next) {
    const object *o = pinned_at(ptr);
    if (o != NULL && t->host >= o->bytes && t->host < o->bytes + o->size)
      report("misuse page-locked memory freed while it is copied\n");
  }
  for (object *o = objects; o != NULL; o = o->next)
    if (o->kind == PINNED && o->bytes == ptr) {
      release(o);
      return CUDA_SUCCESS;
    }
  return misuse(CUDA_ERROR_INVALID_VALUE, "bad host free");
}

/* A pool's handle is its context. */
CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice device) {
  ENTER(DeviceGetDefaultMemPool);
  *pool = (CUmemoryPool)&contexts[device];
  return CUDA_SUCCESS;
}

CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value) {
  ENTER(MemPoolSetAttribute);
  const char *keep = getenv("FAKE_CUDA_KEEP");
  const uint64_t wanted = keep != NULL ? strtoull(keep, NULL, 10) : UINT64_MAX;
  if (pool == NULL || attribute != CU_MEMPOOL_ATTR_RELEASE_THRESHOLD || *(uint64_t *)value != wanted)
    return misuse(CUDA_ERROR_INVALID_VALUE, "pool attribute");
  return CUDA_SUCCESS;
}

CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value) {
  ENTER(MemPoolGetAttribute);
  int d = ((context *)pool)->device;
  if (attribute == CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT) *(uint64_t *)value = used[d] + cached[d];
  else if (attribute == CU_MEMPOOL_ATTR_USED_MEM_CURRENT) *(uint64_t *)value = used[d];
  else return misuse(CUDA_ERROR_INVALID_VALUE, "pool attribute");
  return CUDA_SUCCESS;
}

CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t keep) {
  ENTER(MemPoolTrimTo);
  cached[((context *)pool)->device] = keep;
  return CUDA_SUCCESS;
}

/* --- copies and fills ------------------------------------------------------------------------------ */

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr dst, const void *src, size_t n, CUstream stream) {
  ENTER(MemcpyHtoDAsync);
  NEED_STREAM(stream);
  return submit(stream, copying(NODE_UPLOAD, dst, (uintptr_t)src, n, "upload"));
}

CUresult cuMemcpyDtoHAsync_v2(void *dst, CUdeviceptr src, size_t n, CUstream stream) {
  ENTER(MemcpyDtoHAsync);
  NEED_STREAM(stream);
  return submit(stream, copying(NODE_DOWNLOAD, (uintptr_t)dst, src, n, "download"));
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr dst, CUdeviceptr src, size_t n, CUstream stream) {
  ENTER(MemcpyDtoDAsync);
  NEED_STREAM(stream);
  if (dst < src + n && src < dst + n) return misuse(CUDA_ERROR_INVALID_VALUE, "overlapping copy");
  return submit(stream, copying(NODE_COPY, dst, src, n, "copy"));
}

CUresult cuMemcpyPeerAsync(CUdeviceptr dst, CUcontext to, CUdeviceptr src, CUcontext from, size_t n, CUstream stream) {
  ENTER(MemcpyPeerAsync);
  NEED_STREAM(stream);
  NEED_NO_CAPTURE(stream);
  NEED_MEMORY(dst, n);
  NEED_MEMORY(src, n);
  if (memory_at(dst, n)->device != to->device || memory_at(src, n)->device != from->device)
    return misuse(CUDA_ERROR_INVALID_VALUE, "peer copy with the wrong contexts");
  return submit(stream, copying(NODE_COPY, dst, src, n, "peer copy"));
}

static CUresult fill(CUdeviceptr dst, const void *value, size_t size, size_t count, CUstream stream) {
  node k = { .kind = NODE_FILL, .dst = dst, .size = size, .count = count, .name = "fill" };
  memcpy(k.bytes, value, size);
  return submit(stream, k);
}

CUresult cuMemsetD8Async(CUdeviceptr dst, unsigned char value, size_t count, CUstream stream) {
  ENTER(MemsetD8Async);
  NEED_STREAM(stream);
  return fill(dst, &value, 1, count, stream);
}

CUresult cuMemsetD16Async(CUdeviceptr dst, unsigned short value, size_t count, CUstream stream) {
  ENTER(MemsetD16Async);
  NEED_STREAM(stream);
  return fill(dst, &value, 2, count, stream);
}

CUresult cuMemsetD32Async(CUdeviceptr dst, unsigned int value, size_t count, CUstream stream) {
  ENTER(MemsetD32Async);
  NEED_STREAM(stream);
  return fill(dst, &value, 4, count, stream);
}

/* --- modules and functions ------------------------------------------------------------------------- */

/* The length of a cubin by its section headers, of PTX by its NUL; 0 when it is neither. */
static size_t image_size(const char *image) {
  if (memcmp(image, ELFMAG, SELFMAG) != 0) return strstr(image, ".version") != NULL ? strlen(image) : 0;
  const Elf64_Ehdr *h = (const Elf64_Ehdr *)image;
  size_t size = h->e_shoff + (size_t)h->e_shnum * h->e_shentsize;
  size_t programs = h->e_phoff + (size_t)h->e_phnum * h->e_phentsize;
  return size > programs ? size : programs;
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int n, CUjit_option *options, void **values) {
  ENTER(ModuleLoadDataEx);
  NEED_CONTEXT();
  NEED_SAFETY(ModuleLoadDataEx);
  size_t size = image_size(image);
  if (size == 0) {
    for (unsigned int i = 0; i + 1 < n; i++)
      if (options[i] == CU_JIT_ERROR_LOG_BUFFER && options[i + 1] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
        snprintf(values[i], (size_t)(uintptr_t)values[i + 1], "ptxas fatal : fake log");
    return CUDA_ERROR_INVALID_PTX;
  }
  object *m = acquire(MODULE, size + 1);
  memcpy(m->bytes, image, size);
  m->bytes[size] = '\0';
  *module = (CUmodule)m;
  return CUDA_SUCCESS;
}

CUresult cuModuleUnload(CUmodule module) {
  ENTER(ModuleUnload);
  NEED_CONTEXT();
  NEED_SAFETY(ModuleUnload);
  object *m = known(module, MODULE);
  if (m == NULL) return misuse(CUDA_ERROR_INVALID_HANDLE, "bad module");
  if (busy[m->device] || !known_done(m->o.last_line, m->o.last_time)) report("misuse unload while busy\n");
  release_module_parts(m);
  release(m);
  return CUDA_SUCCESS;
}

/* True when the image holds the name, not as part of a longer one. */
static bool image_has(const object *m, const char *name) {
  size_t len = strlen(name);
  for (const char *at = m->bytes; (at = memmem(at, m->size - (size_t)(at - m->bytes), name, len)) != NULL; at++) {
    unsigned char before = at > m->bytes ? (unsigned char)at[-1] : 0, after = (unsigned char)at[len];
    if (!isalnum(before) && before != '_' && !isalnum(after) && after != '_') return true;
  }
  return false;
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name) {
  ENTER(ModuleGetFunction);
  NEED_CONTEXT();
  object *m = known(module, MODULE);
  if (m == NULL) return misuse(CUDA_ERROR_INVALID_HANDLE, "bad module");
  if (!image_has(m, name)) return CUDA_ERROR_NOT_FOUND;
  object *f = acquire(FUNCTION, 0);
  f->module = m;
  f->dynamic_limit = 49152;
  snprintf(f->name, sizeof f->name, "%s", name);
  *function = (CUfunction)f;
  return CUDA_SUCCESS;
}

CUresult cuModuleGetGlobal_v2(CUdeviceptr *ptr, size_t *n, CUmodule module, const char *name) {
  ENTER(ModuleGetGlobal);
  NEED_CONTEXT();
  object *m = known(module, MODULE);
  if (m == NULL) return misuse(CUDA_ERROR_INVALID_HANDLE, "bad module");
  if (!image_has(m, name)) return CUDA_ERROR_NOT_FOUND;
  object *g = acquire(GLOBAL, 256);
  g->module = m;
  *ptr = (uintptr_t)g->bytes;
  *n = 256;
  return CUDA_SUCCESS;
}

CUresult cuModuleGetFunctionCount(unsigned int *count, CUmodule module) {
  ENTER(ModuleGetFunctionCount);
  *count = 0;
  for (object *o = objects; o != NULL; o = o->next) *count += o->kind == FUNCTION && o->module == (object *)module;
  return CUDA_SUCCESS;
}

CUresult cuModuleEnumerateFunctions(CUfunction *functions, unsigned int count, CUmodule module) {
  ENTER(ModuleEnumerateFunctions);
  unsigned int n = 0;
  for (object *o = objects; o != NULL && n < count; o = o->next)
    if (o->kind == FUNCTION && o->module == (object *)module) functions[n++] = (CUfunction)o;
  return CUDA_SUCCESS;
}

static object *function_of(CUfunction f) { return known(f, FUNCTION); }

CUresult cuFuncGetName(const char **name, CUfunction function) {
  ENTER(FuncGetName);
  if (function_of(function) == NULL) return misuse(CUDA_ERROR_INVALID_HANDLE, "bad function");
  *name = function_of(function)->name;
  return CUDA_SUCCESS;
}

/* Parameter `index` of an entry in PTX text: by the alignment and size of each ".param". */
static CUresult ptx_param(const object *f, size_t index, size_t *offset, size_t *size) {
  char head[160];
  snprintf(head, sizeof head, ".entry %s(", f->name);
  const char *at = strstr(f->module->bytes, head), *close = at != NULL ? strchr(at + strlen(head), ')') : NULL;
  size_t end = 0;
  for (size_t i = 0; close != NULL; i++) {
    at = strstr(at + 1, ".param");
    if (at == NULL || at > close) return CUDA_ERROR_INVALID_VALUE;
    unsigned align = 0, bits = 8, count = 1;
    char rest[256];
    if (sscanf(at, ".param .align %u .%*1[bsuf]%u %255[^,)]", &align, &bits, rest) != 3 &&
        sscanf(at, ".param .%*1[bsuf]%u %255[^,)]", &bits, rest) != 2)
      return CUDA_ERROR_NOT_SUPPORTED;
    const char *bracket = strchr(rest, '[');
    if (bracket != NULL) count = (unsigned)strtoul(bracket + 1, NULL, 10);
    if (align == 0) align = bits / 8;
    end = (end + align - 1) / align * align;
    *offset = end;
    *size = bits / 8 * count;
    if (i == index) return CUDA_SUCCESS;
    end += *size;
  }
  return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset, size_t *size) {
  ENTER(FuncGetParamInfo);
  object *f = function_of(function);
  if (f == NULL) return misuse(CUDA_ERROR_INVALID_HANDLE, "bad function");
  const char *given = getenv("FAKE_CUDA_PARAMS");
  if (given == NULL)
    return memcmp(f->module->bytes, ELFMAG, SELFMAG) == 0 ? CUDA_ERROR_NOT_SUPPORTED
                                                          : ptx_param(f, index, offset, size);
  for (; index > 0 && given != NULL; index--) given = (given = strchr(given, ',')) != NULL ? given + 1 : NULL;
  if (given == NULL || sscanf(given, "%zu:%zu", offset, size) != 2) return CUDA_ERROR_INVALID_VALUE;
  return CUDA_SUCCESS;
}

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction function) {
  ENTER(FuncGetAttribute);
  if (function_of(function) == NULL) return misuse(CUDA_ERROR_INVALID_HANDLE, "bad function");
  switch (attribute) {
  case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = 1024; break;
  case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
  case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
  case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: *value = 0; break;
  case CU_FUNC_ATTRIBUTE_NUM_REGS: *value = 16; break;
  case CU_FUNC_ATTRIBUTE_BINARY_VERSION: *value = (int)setting("FAKE_CUDA_CC", 90); break;
  default: return misuse(CUDA_ERROR_INVALID_VALUE, "function attribute");
  }
  return CUDA_SUCCESS;
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
  ENTER(FuncSetAttribute);
  object *f = function_of(function);
  if (f != NULL && attribute == CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED && value == 1) return CUDA_SUCCESS;
  if (f == NULL || attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES || value < 0 || value > 232448)
    return misuse(CUDA_ERROR_INVALID_VALUE, "function attribute");
  f->dynamic_limit = value;
  return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function, int threads, size_t shared) {
  ENTER(OccupancyMaxActiveBlocksPerMultiprocessor);
  if (function_of(function) == NULL || threads <= 0) return misuse(CUDA_ERROR_INVALID_VALUE, "occupancy");
  *blocks = 2048 / threads < 32 ? 2048 / threads : 32;
  if (shared > 0 && (size_t)*blocks > 233472 / shared) *blocks = (int)(233472 / shared);
  return CUDA_SUCCESS;
}

/* Records it; the parameters as hexadecimal bytes, then what is special.  Stream and function tell the context, so
** drivers take it whichever is current; others might refuse. */
static CUresult launch(CUfunction function, const CUlaunchConfig *c, void **params, void **extra, const char *special) {
  object *f = function_of(function), *s = known(c->stream, STREAM);
  if (s == NULL) return misuse(CUDA_ERROR_INVALID_HANDLE, "bad stream");
  if (f == NULL || f->device != s->device) return misuse(CUDA_ERROR_INVALID_HANDLE, "bad function");
  if (setting("FAKE_CUDA_STRICT", 0) && (current == NULL || current->device != s->device))
    return current == NULL ? CUDA_ERROR_INVALID_CONTEXT : CUDA_ERROR_INVALID_HANDLE;
  if (settle() != 0) return fault;
  unsigned long long threads = (unsigned long long)c->block_x * c->block_y * c->block_z;
  if (threads == 0 || threads > 1024 || c->grid_x == 0 || c->grid_y == 0 || c->grid_z == 0 || c->grid_y > 65535 ||
      params != NULL)
    return misuse(CUDA_ERROR_INVALID_VALUE, "launch");
  if (c->shared > (unsigned)f->dynamic_limit)
    return misuse(CUDA_ERROR_INVALID_VALUE, "launch with too much shared memory");
  const void *bytes = NULL;
  size_t n = 0;
  for (; extra != NULL && extra[0] != CU_LAUNCH_PARAM_END; extra += 2) {
    if (extra[0] == CU_LAUNCH_PARAM_BUFFER_POINTER) bytes = extra[1];
    else if (extra[0] == CU_LAUNCH_PARAM_BUFFER_SIZE) n = *(size_t *)extra[1];
    else return misuse(CUDA_ERROR_INVALID_VALUE, "launch extra");
  }
  node k = { .kind = NODE_LAUNCH, .function = f, .config = *c, .n = n };
  if (n > sizeof k.bytes) n = sizeof k.bytes; /* enough to be told apart */
  if (n > 0) memcpy(k.bytes, bytes, n);
  snprintf(k.special, sizeof k.special, "%s", special);
  return submit(c->stream, k);
}

CUresult cuLaunchKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                        unsigned int block_x, unsigned int block_y, unsigned int block_z, unsigned int shared,
                        CUstream stream, void **params, void **extra) {
  ENTER(LaunchKernel);
  const CUlaunchConfig c = { grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, stream, NULL, 0 };
  return launch(function, &c, params, extra, "");
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *c, CUfunction function, void **params, void **extra) {
  ENTER(LaunchKernelEx);
  char special[200] = "";
  for (unsigned i = 0; i < c->nattributes; i++) {
    const CUlaunchAttribute *a = &c->attributes[i];
    size_t n = strlen(special);
    if (a->id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE && a->value.flag == 1)
      snprintf(special + n, sizeof special - n, " cooperative");
    else if (a->id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION && a->value.flag == 1)
      snprintf(special + n, sizeof special - n, " pdl");
    else if (a->id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
      snprintf(special + n, sizeof special - n, " cluster %ux%ux%u", a->value.extents[0], a->value.extents[1],
               a->value.extents[2]);
    else return misuse(CUDA_ERROR_INVALID_VALUE, "launch attribute");
  }
  return launch(function, c, params, extra, special);
}
