/* code.c - see code.h. */
#include "cuda/code.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/name.h"
#include "cuda/fault.h"
#include "cuda/graph.h"
#include "cuda/stream.h"

#define JIT_LOG_SIZE 8192

/* --- modules ------------------------------------------------------------------------------------- */

/* A cubin (ELF) or a fat binary; else the image is PTX text. */
static bool is_binary(const void *image, size_t len) {
  return len >= 4 && (memcmp(image, "\x7f" "ELF", 4) == 0 || memcmp(image, "\x50\xed\x55\xba", 4) == 0);
}

static int fail_load(const dc_cuda *d, CUresult r, bool binary, const char *log, dc_error *err) {
  const char *hint = "";
  if (r == CUDA_ERROR_UNSUPPORTED_PTX_VERSION)
    hint = "; NVRTC is newer than the driver: update the driver, or use an NVRTC of the driver's CUDA version";
  else if (r == CUDA_ERROR_NO_BINARY_FOR_GPU || r == CUDA_ERROR_INVALID_IMAGE)
    hint = "; it was made for another architecture, or is damaged";
  dc_cuda_fail(r, DC_COMPILE, err, "%s (%s) does not take the %s", d->dev->id, d->dev->name,
               binary ? "machine code" : "PTX");
  if (err->kind != DC_COMPILE) return -1;
  if (hint[0] != '\0') dc_fail(err, err->kind, err->code, "%s%s", dc_error_text(err), hint);
  if (log[0] != '\0') dc_error_set_log(err, log);
  return -1;
}

static int load(dc_device *dev, const void *image, size_t len, dc_code **out, dc_error *err) {
  dc_cuda *d = dev->impl;
  if (dc_cuda_enter(d, err) != 0) return -1;
  if (d->deferred != NULL && d->dev->capture == NULL) dc_cuda_poll(d, &d->own);
  dc_code *code = calloc(1, sizeof *code);
  char *log = calloc(1, JIT_LOG_SIZE);
  if (code == NULL || log == NULL) {
    free(code);
    free(log);
    return dc_fail_oom(err);
  }
  CUjit_option options[] = { CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES };
  void *values[] = { log, (void *)(uintptr_t)(JIT_LOG_SIZE - 1) };
  code->d = d;
  CUresult r = DC_CUDA_RELAXED(d, dc_cu.ModuleLoadDataEx(&code->module, image, 2, options, values));
  int rc = r == CUDA_SUCCESS ? 0 : fail_load(d, r, is_binary(image, len), log, err);
  free(log);
  if (rc != 0) free(code);
  else *out = code;
  return rc;
}

/* Called by finalizers, so it never waits: code whose kernels may still run is unloaded when a poll finds its streams
** idle.  Until then its names stay, for errors. */
static void unload(dc_device *dev, dc_code *code) {
  dc_cuda *d = dev->impl;
  if (dev->state != DC_DEVICE_OPEN || !dc_cuda_try_enter(d)) {
    for (dc_cuda_stream *s = &d->own; s != NULL; s = s->next) s->finished = s->issued; /* the driver's part is lost */
    dc_cuda_free_code(code);
  } else if (!dc_cuda_unload_ended(code)) {
    code->next_deferred = d->deferred;
    d->deferred = code;
    for (dc_cuda_stream *s = &d->own; s != NULL && d->deferred != NULL; s = s->next) dc_cuda_poll(d, s);
  }
}

static int function(dc_device *dev, dc_code *code, const char *name, dc_function **out, dc_error *err) {
  dc_cuda *d = dev->impl;
  if (dc_cuda_enter(d, err) != 0) return -1;
  size_t size = strlen(name) + 1;
  dc_function *fn = dc_calloc_lines(sizeof *fn + size);
  if (fn == NULL) return dc_fail_oom(err);
  CUresult r = dc_cu.ModuleGetFunction(&fn->handle, code->module, name);
  if (r != CUDA_SUCCESS) {
    free(fn);
    if (r == CUDA_ERROR_NOT_FOUND)
      return dc_fail(err, DC_ARGUMENT, "CUDA_ERROR_NOT_FOUND", "the compiled code has no kernel '%s'", name);
    return dc_cuda_fail(r, DC_LAUNCH, err, "kernel '%s' cannot be looked up", name);
  }
  memcpy(fn->name, name, size);
  fn->d = d;
  fn->code = code;
  fn->next = code->functions;
  code->functions = fn;
  *out = fn;
  return 0;
}

/* Names the functions whose handles are in `list`. */
static int visit_all(const CUfunction *list, unsigned int n, int (*visit)(void *ud, const char *name), void *ud,
                     dc_error *err) {
  for (unsigned int i = 0; i < n; i++) {
    const char *name = NULL;
    CUresult r = dc_cu.FuncGetName(&name, list[i]);
    if (r != CUDA_SUCCESS) return dc_cuda_fail(r, DC_DEVICE, err, "the name of a kernel cannot be read");
    if (visit(ud, name) != 0) return -1;
  }
  return 0;
}

static int entries(dc_device *dev, dc_code *code, int (*visit)(void *ud, const char *name), void *ud,
                    dc_error *err) {
  if (dc_cu.ModuleGetFunctionCount == NULL || dc_cu.ModuleEnumerateFunctions == NULL || dc_cu.FuncGetName == NULL)
    return dc_fail(err, DC_DEVICE, NULL, "this driver cannot list a module's kernels (from CUDA 12.4 on they can)");
  if (dc_cuda_enter(dev->impl, err) != 0) return -1;
  unsigned int n = 0;
  CUresult r = dc_cu.ModuleGetFunctionCount(&n, code->module);
  CUfunction *list = calloc((size_t)n + 1, sizeof *list);
  if (list == NULL) return dc_fail_oom(err);
  if (r == CUDA_SUCCESS && n > 0) r = dc_cu.ModuleEnumerateFunctions(list, n, code->module);
  int rc = r == CUDA_SUCCESS ? visit_all(list, n, visit, ud, err)
                             : dc_cuda_fail(r, DC_DEVICE, err, "the kernels of loaded code cannot be listed");
  free(list);
  return rc;
}

static int global(dc_device *dev, dc_code *code, const char *name, dc_ptr *ptr, size_t *size, dc_error *err) {
  CUdeviceptr p = 0;
  if (dc_cuda_enter(dev->impl, err) != 0) return -1;
  CUresult r = dc_cu.ModuleGetGlobal(&p, size, code->module, name);
  if (r == CUDA_ERROR_NOT_FOUND)
    return dc_fail(err, DC_ARGUMENT, "CUDA_ERROR_NOT_FOUND", "the compiled code has no variable '%s'", name);
  if (r != CUDA_SUCCESS) return dc_cuda_fail(r, DC_DEVICE, err, "variable '%s' cannot be looked up", name);
  *ptr = p;
  return 0;
}

/* --- functions ----------------------------------------------------------------------------------- */

static int param(dc_function *fn, int i, size_t *offset, size_t *size) {
  if (dc_cu.FuncGetParamInfo == NULL || !dc_cuda_try_enter(fn->d)) return 2;
  CUresult r = dc_cu.FuncGetParamInfo(fn->handle, (size_t)i, offset, size);
  dc_cuda_note(r);
  return r == CUDA_SUCCESS ? 0 : r == CUDA_ERROR_INVALID_VALUE ? 1 : 2;
}

static int function_facts(dc_function *fn, dc_function_facts *out, dc_error *err) {
  static const CUfunction_attribute wanted[6] = {
    CU_FUNC_ATTRIBUTE_NUM_REGS,         CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,     CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES,
    CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, CU_FUNC_ATTRIBUTE_BINARY_VERSION,
  };
  int v[6];
  if (dc_cuda_enter(fn->d, err) != 0) return -1;
  for (int i = 0; i < 6; i++) {
    CUresult r = dc_cu.FuncGetAttribute(&v[i], wanted[i], fn->handle);
    if (r != CUDA_SUCCESS)
      return dc_cuda_fail(r, DC_LAUNCH, err, "the attributes of kernel '%s' cannot be read", fn->name);
  }
  *out = (dc_function_facts){ .registers = v[0], .shared = (size_t)v[1], .local = (size_t)v[2],
                              .constant = (size_t)v[3], .max_threads = v[4], .binary_version = v[5] };
  return 0;
}

static int occupancy(dc_function *fn, uint32_t threads, size_t shared, int *blocks, dc_error *err) {
  if (dc_cuda_enter(fn->d, err) != 0) return -1;
  CUresult r = dc_cu.OccupancyMaxActiveBlocksPerMultiprocessor(blocks, fn->handle, (int)threads, shared);
  if (r == CUDA_SUCCESS) return 0;
  return dc_cuda_fail(r, DC_LAUNCH, err, "the occupancy for blocks of %u threads cannot be computed", threads);
}

static int set_shared_limit(dc_function *fn, size_t bytes, dc_error *err) {
  if (dc_cuda_enter(fn->d, err) != 0) return -1;
  CUresult r = dc_cu.FuncSetAttribute(fn->handle, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)bytes);
  return r == CUDA_SUCCESS ? 0 : dc_cuda_fail(r, DC_LAUNCH, err, "the device refuses that much shared memory");
}

/* The driver sets stacks aside for as many threads as are resident at most, and has one limit for all kernels. */
static int set_stack(dc_device *dev, size_t bytes, dc_error *err) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* the limit is one for all Lua states, and only rises */
  size_t now = 0;
  if (dc_cuda_enter(dev->impl, err) != 0) return -1;
  pthread_mutex_lock(&lock);
  CUresult r = dc_cu.CtxGetLimit(&now, CU_LIMIT_STACK_SIZE);
  if (r == CUDA_SUCCESS && now < bytes) r = dc_cu.CtxSetLimit(CU_LIMIT_STACK_SIZE, bytes);
  pthread_mutex_unlock(&lock);
  if (r == CUDA_SUCCESS) return 0;
  return dc_cuda_fail(r, DC_LAUNCH, err, "%s cannot have a stack of %zu bytes a thread (it is %zu now; a GPU takes 512 "
                      "KiB at most, and needs that for every thread that may be resident)", dev->id, bytes, now);
}

/* --- launch -------------------------------------------------------------------------------------- */

static int fail_launch(const dc_function *fn, CUresult r, dc_error *err) {
  char name[128];
  return dc_cuda_fail(r, DC_LAUNCH, err, "kernel '%s' cannot be launched",
                      dc_short_name(fn->name, name, sizeof name));
}

/* A launch with attributes. */
static DC_COLD CUresult launch_with_attributes(CUstream stream, CUfunction fn, const dc_launch *l, void **extra) {
  if (l->cluster.x * l->cluster.y * l->cluster.z > DC_CUDA_PORTABLE_CLUSTER) {
    CUresult r = dc_cu.FuncSetAttribute(fn, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
    if (r != CUDA_SUCCESS) return r;
  }
  CUlaunchAttribute a[3] = { { 0 } };
  unsigned int n = 0;
  if (l->cooperative) a[n++] = (CUlaunchAttribute){ .id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE, .value.flag = 1 };
  if (l->dependent)
    a[n++] = (CUlaunchAttribute){ .id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION, .value.flag = 1 };
  if (l->cluster.x != 0)
    a[n++] = (CUlaunchAttribute){ .id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
                                  .value.extents = { l->cluster.x, l->cluster.y, l->cluster.z } };
  const CUlaunchConfig config = { l->grid.x, l->grid.y, l->grid.z, l->block.x, l->block.y, l->block.z, l->shared,
                                  stream, a, n };
  return dc_cu.LaunchKernelEx(&config, fn, NULL, extra);
}

static inline CUresult issue(const dc_function *fn, const dc_cuda_stream *s, const dc_launch *l) {
  size_t size = l->params_size;
  void *extra[] = { CU_LAUNCH_PARAM_BUFFER_POINTER, (void *)(uintptr_t)l->params, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                    CU_LAUNCH_PARAM_END };
  if (DC_UNLIKELY(l->has_attributes)) return launch_with_attributes(s->handle, fn->handle, l, size > 0 ? extra : NULL);
  return fn->d->launch(fn->handle, l->grid.x, l->grid.y, l->grid.z, l->block.x, l->block.y, l->block.z, l->shared,
                       s->handle, NULL, size > 0 ? extra : NULL);
}

/* After a launch that failed with r: once more if it was for want of our context. */
static DC_COLD CUresult issue_again(const dc_function *fn, const dc_cuda_stream *s, const dc_launch *l,
                                      CUresult r) {
  CUcontext now = NULL;
  if (dc_cu.CtxGetCurrent(&now) == CUDA_SUCCESS && now == fn->d->context) return r;
  CUresult switched = dc_cu.CtxSetCurrent(fn->d->context);
  return switched == CUDA_SUCCESS ? issue(fn, s, l) : switched;
}

/* Into the graph that is being captured: it has not been launched yet. */
static DC_COLD int launch_captured(const dc_function *fn, const dc_cuda_stream *s, const dc_launch *l,
                                     dc_error *err) {
  if (dc_cuda_enter(fn->d, err) != 0) return -1; /* a refused launch could spoil the graph */
  const CUresult r = issue(fn, s, l);
  if (r != CUDA_SUCCESS) return fail_launch(fn, r, err);
  dc_cuda_captured(fn);
  return 0;
}

/* A launch names its stream and function, which know their context: drivers take it whichever is current, or refuse.
** So which one is current is asked (15 ns) only when it has failed. */
static DC_HOT int launch(dc_device *dev, dc_function *fn, dc_launch *l, dc_error *err) {
  dc_cuda *d = dev->impl;
  dc_cuda_stream *s = DC_LIKELY(l->stream == NULL) ? dc_cuda_now(d) : l->stream;
  const uint64_t issued = s->issued, last = fn->last_launch;
  l->attributable = s->finished == issued;
  if (DC_UNLIKELY(dc_cuda_is_dead())) return dc_cuda_fail_dead(err);
  if (DC_UNLIKELY(dev->capture != NULL)) return launch_captured(fn, s, l, err);
  /* Noted before the call, which evicts our data from the cache; an atomic addition would wait for the driver's writes
  ** to the GPU. */
  const bool waits = d->sync_launches;
  dc_cuda_launched(fn, s);
  const bool throttles = d->launches % DC_CUDA_THROTTLE_KERNELS == 0;
  dc_count_launch(1);
  CUresult r = issue(fn, s, l);
  if (DC_UNLIKELY(r != CUDA_SUCCESS) && (r = issue_again(fn, s, l, r)) != CUDA_SUCCESS) {
    dc_cuda_not_launched(fn, s, issued, last);
    dc_count_launch(-1);
    return fail_launch(fn, r, err);
  }
  if (DC_UNLIKELY(waits)) return dc_cuda_wait(d, s, err);
  return DC_UNLIKELY(throttles) ? dc_cuda_wait_throttle(d, s, err) : 0;
}

const dc_code_ops dc_cuda_code_ops = {
  .load = load,
  .unload = unload,
  .function = function,
  .entries = entries,
  .param = param,
  .facts = function_facts,
  .launch = launch,
  .global = global,
  .occupancy = occupancy,
  .set_shared_limit = set_shared_limit,
  .set_stack = set_stack,
};
