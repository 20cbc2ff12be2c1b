/*
** device.c - see device.h.
**
** Everything is synchronous: when a slot returns, its work is complete.
*/
#include "cpu/runtime/copy.h"
#include "cpu/runtime/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/move.h"
#include "base/map.h"
#include "base/runtime.h"
#include "cpu/codegen/build.h"
#include "cpu/codegen/native.h"
#include "cpu/interp/code.h"
#include "cpu/interp/decode_calls.h"
#include "cpu/interp/interp.h"
#include "cpu/runtime/module.h"
#include "cpu/lib/blas.h"
#include "cpu/lib/comm.h"
#include "cpu/lib/fftw.h"
#include "cpu/lib/lapack.h"
#include "cpu/lib/vqsort.h"
#include "cpu/ptx/ptx.h"
#include "cpu/runtime/fault.h"
#include "cpu/runtime/dense.h"
#include "cpu/runtime/fft.h"
#include "cpu/runtime/isa.h"
#include "cpu/runtime/launch.h"
#include "cpu/runtime/allocator.h"
#include "cpu/runtime/pool.h"
#include "cpu/runtime/state.h"
#include "cpu/runtime/sort.h"
#include "cpu/runtime/stream.h"
#include "cpu/runtime/texture.h"
#include "cpu/runtime/threads.h"

#define SHARED_LIMIT ((size_t)48 << 10) /* bytes of shared memory a block may have unless a kernel asks for more */

static dc_cpu_device *cpu_of(const dc_device *dev) { return dev->impl; }
static dc_cpu_function *fn_of(dc_function *fn) { return (dc_cpu_function *)fn; }

/* --- facts ---------------------------------------------------------------------------------------------- */

/* The model name in /proc/cpuinfo. */
static void processor_name(char *name, size_t size) {
  char line[256];
  FILE *f = fopen("/proc/cpuinfo", "re");
  snprintf(name, size, "CPU");
  while (f && fgets(line, sizeof line, f)) {
    char *colon = strchr(line, ':');
    if (colon == NULL || strncmp(line, "model name", 10) != 0) continue;
    char *text = colon + 1 + strspn(colon + 1, " \t");
    text[strcspn(text, "\n")] = '\0';
    snprintf(name, size, "%.70s", text);
    break;
  }
  if (f) fclose(f);
}

/* The number that a file of the first processor's begins with, or 0. */
static unsigned long cpu_fact(const char *path) {
  unsigned long number = 0;
  FILE *f = fopen(path, "re");
  if (f && fscanf(f, "%lu", &number) != 1) number = 0;
  if (f) fclose(f);
  return number;
}

static int clock_khz(void) { return (int)cpu_fact("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq"); }

/* Bytes of the last-level cache, of which the file gives KiB ("32768K"); 32 MiB where there is no such file.  (By
** sysconf it is the sum over the package on AMD's processors.) */
static uint64_t last_level_cache(void) {
  const unsigned long kib = cpu_fact("/sys/devices/system/cpu/cpu0/cache/index3/size");
  return kib > 0 ? (uint64_t)kib << 10 : (uint64_t)32 << 20;
}

static void fill_facts(dc_device *dev, const dc_cpu_device *cpu) {
  size_t unused, total;
  long l2 = -1;
  dc_memory_info(cpu->memory, &unused, &total);
#ifdef _SC_LEVEL2_CACHE_SIZE
  l2 = sysconf(_SC_LEVEL2_CACHE_SIZE);
#endif
  dev->facts = (dc_device_facts){
    .compute_major = 7, .compute_minor = 5,
    .multiprocessors = cpu->pool->nthreads, .warp_size = DC_LANES, .clock_khz = clock_khz(),
    .max_threads_per_block = DC_MAX_WARPS * DC_LANES,
    .max_threads_per_multiprocessor = DC_MAX_RESIDENT * DC_MAX_WARPS * DC_LANES,
    .max_blocks_per_multiprocessor = DC_MAX_RESIDENT,
    .max_block = { 1024, 1024, 64 }, .max_grid = { 2147483647, 65535, 65535 },
    .shared_per_block = SHARED_LIMIT, .shared_per_block_optin = DC_SHARED_OPTIN,
    .shared_per_multiprocessor = DC_SHARED_OPTIN * DC_MAX_RESIDENT,
    .total_memory = total, .l2_cache = l2 > 0 ? (size_t)l2 : 0, .registers_per_block = 65536,
    .max_cluster = 1, .cooperative = true, .most_params = DC_PARAMS_LARGE,
  };
  snprintf(dev->target.arch, sizeof dev->target.arch, "compute_75");
  dev->target.binary = false;
  /* For specs: kernels of array expressions as for a GPU. */
  dev->target.gpu = getenv("DOTCOMPUTE_CPU_AS_GPU") != NULL;
  if (dev->target.gpu) dev->facts.compute_major = 8, dev->facts.compute_minor = 0; /* asynchronous copies too */
}

/* --- several devices ------------------------------------------------------------------------------------------ */

#define MOST_DEVICES 64

/* DOTCOMPUTE_CPU_DEVICES: number of devices, among which the threads are divided; 1 when it is not set; 0: an error. */
static int count_devices(dc_error *err) {
  const char *text = getenv("DOTCOMPUTE_CPU_DEVICES");
  if (text == NULL || text[0] == '\0') return 1;
  char *end;
  const long n = strtol(text, &end, 10);
  if (*end == '\0' && n >= 1 && n <= MOST_DEVICES) return (int)n;
  dc_fail(err, DC_DEVICE, NULL, "DOTCOMPUTE_CPU_DEVICES is a number from 1 to %d, not '%s'", MOST_DEVICES, text);
  return 0;
}

/* The workers of a launch on device `i` of `count`: at least 1, the launching thread. */
static int share_of_threads(int threads, int i, int count) {
  const int share = threads / count + (i < threads % count);
  return share > 0 ? share : 1;
}

/* --- opening and closing -------------------------------------------------------------------------------- */

/* The memory is one for the process; opened under the registry's lock, and kept. */
static dc_memory *open_memory(dc_error *err) {
  static dc_memory *memory;
  if (memory == NULL) memory = dc_memory_open(err);
  return memory;
}

/* A device that cpu_open has opened in part. */
static void cpu_close(dc_device *dev) {
  dc_cpu_device *cpu = cpu_of(dev);
  dev->impl = NULL;
  dc_pool_close(cpu);
  free(cpu);
  dc_fault_close();
}

static int cpu_open(dc_device *dev, dc_error *err) {
  dc_cpu_device *cpu = calloc(1, sizeof *cpu);
  if (cpu == NULL) return dc_fail_oom(err);
  static uint64_t last_serial;
  dc_fault_open();
  dev->impl = cpu;
  cpu->serial = ++last_serial;
  cpu->ops = dc_ops_best();
  cpu->last_level_cache = last_level_cache();
  const char *tier = getenv("DOTCOMPUTE_CPU_TIER");
  cpu->stack = DC_THREAD_STACK;
  cpu->tier = tier && (tier[0] == '0' || tier[0] == '1') && tier[1] == 0 ? tier[0] - '0' : -1;
  if ((cpu->memory = open_memory(err)) == NULL || dc_pool_open(cpu, err) != 0) {
    cpu_close(dev);
    return -1;
  }
  cpu->pool->nthreads = share_of_threads(dc_threads_count(), dev->index, count_devices(err));
  fill_facts(dev, cpu);
  if (cpu->tier != 0) dc_build_expect(cpu->ops->isa); /* while NVRTC compiles the first kernel */
  return 0;
}

/* --- memory --------------------------------------------------------------------------------------------- */

static int cpu_alloc(dc_device *dev, size_t n, dc_ptr *out, dc_error *err) {
  *out = dc_memory_alloc_array(cpu_of(dev)->memory, n, err);
  return *out ? 0 : -1;
}

static void cpu_free(dc_device *dev, dc_ptr p, size_t n) {
  (void)n;
  dc_memory_free(cpu_of(dev)->memory, p);
}

static int cpu_memory_info(dc_device *dev, size_t *free_bytes, size_t *total_bytes, dc_error *err) {
  (void)err;
  dc_memory_info(cpu_of(dev)->memory, free_bytes, total_bytes);
  return 0;
}

static size_t cpu_reserved(dc_device *dev) { return dc_memory_reserved(cpu_of(dev)->memory); }

static void cpu_trim(dc_device *dev) { dc_memory_trim(cpu_of(dev)->memory); }

typedef struct copying {
  void *dst;
  const void *src;
  size_t n;
} copying;

static void do_copy(void *ud) {
  const copying *c = ud;
  dc_move(c->dst, c->src, c->n);
}

static int move(dc_device *dev, void *dst, const void *src, size_t n, dc_error *err) {
  copying c = { dst, src, n };
  return dc_fault_guard(do_copy, &c, cpu_of(dev)->memory, err);
}

static int cpu_to_device(dc_device *dev, dc_ptr dst, const void *src, size_t n, dc_error *err) {
  return move(dev, (void *)(uintptr_t)dst, src, n, err);
}

static int cpu_to_host(dc_device *dev, void *dst, dc_ptr src, size_t n, dc_error *err) {
  return move(dev, dst, (const void *)(uintptr_t)src, n, err);
}

static int cpu_copy(dc_device *dev, dc_ptr dst, dc_ptr src, size_t n, dc_error *err) {
  if (dc_cpu_captures(dev)) return dc_cpu_capture_copy(dev, dst, src, n, err);
  return move(dev, (void *)(uintptr_t)dst, (const void *)(uintptr_t)src, n, err);
}

typedef struct filling {
  uint8_t *dst;
  const void *pattern;
  size_t size, n;
} filling;

static void do_fill(void *ud) {
  const filling *f = ud;
  const uint8_t *p = f->pattern;
  bool same = true;
  for (size_t i = 1; i < f->size; i++) same = same && p[i] == p[0];
  const size_t bytes = f->size * f->n;
  if (same) {
    memset(f->dst, p[0], bytes);
    return;
  }
  memcpy(f->dst, p, f->size);
  size_t unit = f->size; /* doubled up to 4 KiB, which stay in the cache */
  for (size_t done = f->size, step; done < bytes; done += step) {
    step = unit < bytes - done ? unit : bytes - done;
    memcpy(f->dst + done, f->dst, step);
    if (unit < 4096) unit = done + step;
  }
}

static int cpu_fill(dc_device *dev, dc_ptr dst, const void *pattern, size_t size, size_t n, dc_error *err) {
  filling f = { (uint8_t *)(uintptr_t)dst, pattern, size, n };
  if (dc_cpu_captures(dev)) return dc_cpu_capture_fill(dev, dst, pattern, size, n, err);
  return dc_fault_guard(do_fill, &f, cpu_of(dev)->memory, err);
}

/* --- code ----------------------------------------------------------------------------------------------- */

static void cpu_unload(dc_device *dev, dc_code *code) {
  if (code == NULL) return;
  dc_pool_forget(cpu_of(dev), code);
  dc_code_unload(code);
}

static int cpu_function(dc_device *dev, dc_code *code, const char *name, dc_function **out, dc_error *err) {
  (void)dev;
  for (int i = 0; i < code->ptx.nfuncs; i++) {
    dc_cpu_function *fn = &code->functions[i];
    if (!fn->ptx->entry || fn->ptx->declared_only || strcmp(fn->ptx->name, name) != 0) continue;
    if (dc_decode_to_run(fn, err) != 0) return -1;
    *out = (dc_function *)fn;
    return 0;
  }
  return dc_fail(err, DC_ARGUMENT, "CUDA_ERROR_NOT_FOUND", "there is no kernel '%s' in the module", name);
}

static int cpu_entries(dc_device *dev, dc_code *code, int (*visit)(void *ud, const char *name), void *ud,
                       dc_error *err) {
  const ptx_module *m = &code->ptx;
  (void)dev;
  (void)err;
  for (int i = 0; i < m->nfuncs; i++) {
    int rc = m->funcs[i]->entry && !m->funcs[i]->declared_only ? visit(ud, m->funcs[i]->name) : 0;
    if (rc != 0) return rc;
  }
  return 0;
}

static int cpu_param(dc_function *fn, int i, size_t *offset, size_t *size) {
  const ptx_func *f = fn_of(fn)->ptx;
  if (i < 0 || i >= f->nparams) return 1;
  *offset = (size_t)f->params[i]->offset;
  *size = (size_t)f->params[i]->size;
  return 0;
}

static int cpu_function_facts(dc_function *fn, dc_function_facts *out, dc_error *err) {
  const dc_cpu_function *f = fn_of(fn);
  (void)err;
  int limit = f->ptx->max_threads;
  *out = (dc_function_facts){
    .registers = (int)(f->file_bytes / ptx_slot_bytes(32)),
    .shared = (size_t)f->ptx->shared_size,
    .local = f->ptx->local_size,
    .constant = (size_t)f->code->ptx.const_size,
    .max_threads = limit > 0 && limit < DC_MAX_WARPS * DC_LANES ? limit : DC_MAX_WARPS * DC_LANES,
    .binary_version = 75,
    .block = { f->ptx->reqntid[0], f->ptx->reqntid[1], f->ptx->reqntid[2] },
    .cluster = { f->ptx->cluster[0], f->ptx->cluster[1], f->ptx->cluster[2] },
  };
  return 0;
}

static int cpu_launch(dc_device *dev, dc_function *fn, dc_launch *l, dc_error *err) {
  if (dc_cpu_captures(dev)) return dc_cpu_capture_launch(dev, fn, l, err);
  if (dc_cpu_launch(cpu_of(dev), fn_of(fn), l, err) != 0) return -1;
  dc_count_launch(1);
  return 0;
}

static int cpu_global(dc_device *dev, dc_code *code, const char *name, dc_ptr *ptr, size_t *size, dc_error *err) {
  const ptx_sym *sym = dc_map_get(&code->ptx.syms, name, strlen(name));
  (void)dev;
  if (sym == NULL || sym->kind != PTX_SYM_VAR || (sym->space != PTX_GLOBAL && sym->space != PTX_CONST))
    return dc_fail(err, DC_ARGUMENT, "CUDA_ERROR_NOT_FOUND", "there is no variable '%s' in the module", name);
  *ptr = (sym->space == PTX_CONST ? code->const_image : code->global_image) + sym->offset;
  *size = (size_t)sym->size;
  return 0;
}

static int cpu_tier(dc_function *fn, const char **why) { return dc_native_tier(fn_of(fn), why); }

/* The number of blocks that a worker keeps resident when they wait for each other. */
static int cpu_occupancy(dc_function *fn, uint32_t threads, size_t shared, int *blocks, dc_error *err) {
  (void)err;
  size_t all = (size_t)fn_of(fn)->ptx->shared_size + shared;
  bool fits = threads > 0 && threads <= DC_MAX_WARPS * DC_LANES && all <= DC_SHARED_OPTIN;
  *blocks = fits ? DC_MAX_RESIDENT : 0;
  return 0;
}

static int cpu_set_stack(dc_device *dev, size_t bytes, dc_error *err) {
  dc_cpu_device *cpu = cpu_of(dev);
  if (bytes > DC_MOST_STACK)
    return dc_fail(err, DC_LAUNCH, "CUDA_ERROR_INVALID_VALUE", "a stack of %zu bytes a thread; %s has at most %zu",
                   bytes, dev->id, DC_MOST_STACK);
  if (bytes > cpu->stack) cpu->stack = bytes;
  return 0;
}

static int cpu_set_shared_limit(dc_function *fn, size_t bytes, dc_error *err) {
  size_t fixed = (size_t)fn_of(fn)->ptx->shared_size;
  if (fixed + bytes <= DC_SHARED_OPTIN) return 0;
  return dc_fail(err, DC_LAUNCH, "CUDA_ERROR_INVALID_VALUE",
                 "%zu bytes of dynamic and %zu of static shared memory are more than the %zu that a block may have",
                 bytes, fixed, DC_SHARED_OPTIN);
}

/* --- libraries ------------------------------------------------------------------------------------------ */

static int cpu_library(dc_device *dev, dc_library which, dc_error *err) {
  const int threads = cpu_of(dev)->pool->nthreads;
  switch (which) {
    case DC_LIBRARY_PRODUCT: return dc_blas_load_fast(threads, err);
    case DC_LIBRARY_SOLVER: return dc_lapack_load(threads, err);
    case DC_LIBRARY_FFT: return dc_fftw_load(err);
    default: return dc_vqsort_load(err);
  }
}

static int cpu_product(dc_device *dev, const dc_product *p, dc_error *err) {
  if (dc_blas_load(cpu_of(dev)->pool->nthreads, err) != 0 || dc_blas_check(p, err) != 0) return -1;
  return dc_cpu_captures(dev) ? dc_cpu_capture_product(dev, p, err) : dc_blas_product(p, err);
}

/* --- the backend ---------------------------------------------------------------------------------------- */

static const dc_memory_ops memory_ops = {
  .alloc = cpu_alloc,
  .free = cpu_free,
  .info = cpu_memory_info,
  .reserved = cpu_reserved,
  .trim = cpu_trim,
  .to_device = cpu_to_device,
  .to_host = cpu_to_host,
  .copy = cpu_copy,
  .fill = cpu_fill,
  .copy_view = dc_cpu_copy_view,
};

static const dc_code_ops code_ops = {
  .load = dc_code_load,
  .unload = cpu_unload,
  .function = cpu_function,
  .entries = cpu_entries,
  .param = cpu_param,
  .facts = cpu_function_facts,
  .launch = cpu_launch,
  .global = cpu_global,
  .occupancy = cpu_occupancy,
  .tier = cpu_tier,
  .set_shared_limit = cpu_set_shared_limit,
  .set_stack = cpu_set_stack,
};

static const dc_library_ops library_ops = {
  .products_in_graphs = true,
  .fft_points = 4096,
  .files = { "libopenblas libblas", "liblapack libopenblas", "libfftw3", "libhwy_contrib" },
  .packages = { "libopenblas0-pthread", "libopenblas0-pthread", "libfftw3-double3 libfftw3-single3", "libhwy1" },
  .load = cpu_library,
  .product = cpu_product,
  .dense = dc_cpu_dense,
  .fft = dc_cpu_fft,
  .sort = dc_cpu_sort,
};

static int discover(dc_device *(*add)(void *ud), void *ud, dc_error *err) {
  char name[72];
  const int count = count_devices(err);
  processor_name(name, sizeof name);
  for (int i = 0; i < count; i++) {
    dc_device *dev = add(ud);
    if (dev == NULL) return dc_fail_oom(err);
    const int threads = share_of_threads(dc_cpu_threads(), i, count);
    dev->index = i;
    snprintf(dev->id, sizeof dev->id, count == 1 ? "cpu" : "cpu:%d", i);
    snprintf(dev->name, sizeof dev->name, "%s (%d thread%s)", name, threads, threads == 1 ? "" : "s");
  }
  return count > 0 ? 0 : -1;
}

const dc_backend dc_cpu_backend = {
  .name = "cpu",
  .blocking = true,
  .host_memory = true,
  .memory = &memory_ops,
  .code = &code_ops,
  .streams = &dc_cpu_stream_ops,
  .graphs = &dc_cpu_graph_ops,
  .libraries = &library_ops,
  .comms = &dc_cpu_comm_ops,
  .textures = &dc_cpu_texture_ops,
  .discover = discover,
  .open = cpu_open,
};
