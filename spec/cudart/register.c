/*
** register.c - the kernels and variables that a program brings: what nvcc's code registers before main.
**
** Their code is nvcc's PTX, in the program itself.  Or, where CUDART_SOURCE names the program's file, what
** compile/ makes of that file as it is: then each kernel that the program launches must be among those found there.
*/
#include <fatbinary_section.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/line.h"
#include "kernel/module.h"
#include "runtime.h"

typedef struct variable {
  const void *host;   /* the variable that stands for it; of a managed one, the pointer to it */
  const char *name;
  size_t size;
  bool managed;
  struct variable *next;
} variable;

typedef struct cudart_binary {
  const __fatBinC_Wrapper_t *wrapper;
  dc_module *module;  /* NULL: not loaded yet */
  int version;        /* 10 major + minor of its PTX */
  cudart_kernel *kernels;
  variable *variables;
  bool bound;         /* the program has the addresses of managed variables */
  struct cudart_binary *next;
} cudart_binary;

static cudart_binary *binaries;

/* --- code ------------------------------------------------------------------------------------------------ */

/* What nvcc's fatbinary puts before each code: the fields that matter. */
typedef struct entry_head {
  uint16_t kind;      /* 1: PTX */
  uint16_t unused;
  uint32_t head_size; /* of this, to the code */
  uint64_t size;      /* of the code */
  uint32_t packed;    /* bytes of it if it is compressed, else 0 */
} entry_head;

/* The PTX of a binary.  `--no-compress` leaves it as it is. */
static int find_ptx(const cudart_binary *b, const char **text, size_t *len, dc_error *err) {
  const unsigned char *data = (const unsigned char *)b->wrapper->data;
  uint16_t head;
  uint64_t size;
  memcpy(&head, data + 6, sizeof head);
  memcpy(&size, data + 8, sizeof size);
  for (const unsigned char *p = data + head, *end = p + size; p < end;) {
    entry_head e;
    memcpy(&e, p, sizeof e);
    if (e.kind == 1 && e.packed != 0)
      return dc_fail(err, DC_ARGUMENT, NULL, "the program's PTX is compressed: nvcc needs --no-compress");
    if (e.kind == 1) {
      *text = (const char *)p + e.head_size;
      *len = strnlen(*text, e.size);
      return 0;
    }
    p += e.head_size + e.size;
  }
  return dc_fail(err, DC_ARGUMENT, NULL, "the program has no PTX: nvcc needs -arch=compute_75 -code=compute_75");
}

/* Gives the program's file the name by which the device knows the file whose lines it reports. */
static void name_file(char *ptx) {
  static const char name[] = "\"dotcompute.cu\"";
  for (char *p = strstr(ptx, ".file"); p != NULL; p = strstr(p + 1, ".file")) {
    char *open = strchr(p, '"'), *close = open != NULL ? strchr(open + 1, '"') : NULL;
    if (close == NULL || close - open < (ptrdiff_t)sizeof name || strncmp(close - 3, ".cu", 3) != 0) continue;
    memset(open, ' ', (size_t)(close - open));
    memcpy(close + 2 - sizeof name, name, sizeof name - 1);
    return;
  }
}

static int module_of_ptx(dc_device *dev, cudart_binary *b, dc_error *err) {
  const char *text = NULL;
  size_t len = 0;
  if (find_ptx(b, &text, &len, err) != 0) return -1;
  const char *target = strstr(text, ".target sm_");
  if (target != NULL) b->version = atoi(target + strlen(".target sm_"));
  dc_module *m = calloc(1, sizeof *m);
  if (m == NULL || (m->image = calloc(1, sizeof *m->image)) == NULL) {
    free(m);
    return dc_fail_oom(err);
  }
  char *copy = strndup(text, len);
  if (copy != NULL) name_file(copy);
  int rc = copy == NULL ? dc_fail_oom(err) : dev->code->load(dev, copy, len, &m->code, err);
  free(copy);
  if (rc != 0) {
    free(m->image);
    free(m);
    return dc_error_prefix(err, "the program's PTX: ");
  }
  m->dev = dev;
  m->refs = 1;
  b->module = m;
  return 0;
}

static int module_of_file(dc_device *dev, cudart_binary *b, const char *path, dc_error *err) {
  static const char *const options[] = { "-std=c++17" };
  char *text, *folder = strdup(path);
  size_t len;
  if (folder == NULL) return dc_fail_oom(err);
  if (dc_file_read(path, &text, &len, err) != 0) {
    free(folder);
    return -1;
  }
  char *slash = strrchr(folder, '/');
  if (slash != NULL) *slash = '\0';
  const char *const dirs[] = { slash != NULL ? folder : "." };
  const dc_source src = { .text = text, .len = len, .is_file = true, .include_dirs = dirs, .ninclude_dirs = 1,
                          .options = options, .noptions = 1 };
  int rc = dc_module_build(dev, &src, &b->module, err);
  b->version = 10 * dev->facts.compute_major + dev->facts.compute_minor;
  free(text);
  free(folder);
  return rc != 0 ? dc_error_prefix(err, "%s: ", path) : 0;
}

static int load(dc_device *dev, cudart_binary *b, dc_error *err) {
  const char *path = getenv("CUDART_SOURCE");
  if (b->module != NULL) return 0;
  return path != NULL ? module_of_file(dev, b, path, err) : module_of_ptx(dev, b, err);
}

/* --- what nvcc's code calls ------------------------------------------------------------------------------- */

void **__cudaRegisterFatBinary(void *wrapper) {
  cudart_binary *b = calloc(1, sizeof *b);
  if (b == NULL) abort();
  b->wrapper = wrapper;
  cudart_enter();
  b->next = binaries;
  binaries = b;
  cudart_refuse(cudaSuccess);
  return (void **)b;
}

void __cudaRegisterFatBinaryEnd(void **handle) { (void)handle; }

/* The process ends: kernels of other binaries may still be asked for by destructors. */
void __cudaUnregisterFatBinary(void **handle) { (void)handle; }

void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int threads, uint3 *tid,
                            uint3 *bid, dim3 *block, dim3 *grid, int *warp) {
  (void)device, (void)threads, (void)tid, (void)bid, (void)block, (void)grid, (void)warp;
  cudart_binary *b = (cudart_binary *)handle;
  cudart_kernel *k = dc_calloc_lines(sizeof *k);
  if (k == NULL) abort();
  *k = (cudart_kernel){ .host = host, .sig = { .name = (char *)(uintptr_t)name }, .binary = b, .next = b->kernels };
  b->kernels = k;
}

static void add_variable(void **handle, const void *host, const char *name, size_t size, bool managed) {
  cudart_binary *b = (cudart_binary *)handle;
  variable *v = calloc(1, sizeof *v);
  if (v == NULL) abort();
  *v = (variable){ .host = host, .name = name, .size = size, .managed = managed, .next = b->variables };
  b->variables = v;
}

void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext, size_t size, int constant,
                       int global) {
  (void)device, (void)ext, (void)constant, (void)global;
  add_variable(handle, host, name, size, false);
}

void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name, int ext, size_t size,
                              int constant, int global) {
  (void)device, (void)ext, (void)constant, (void)global;
  add_variable(handle, host, name, size, true);
}

/* Before the first use of a managed variable: the program gets its addresses. */
static int bind_managed(dc_device *dev, cudart_binary *b, dc_error *err) {
  if (b->bound) return 0;
  for (const variable *v = b->variables; v != NULL; v = v->next) {
    dc_ptr at;
    size_t size;
    if (!v->managed) continue;
    if (load(dev, b, err) != 0 || dev->code->global(dev, b->module->code, v->name, &at, &size, err) != 0) return -1;
    *(void **)(uintptr_t)v->host = (void *)at;
  }
  b->bound = true;
  return 0;
}

char __cudaInitModule(void **handle) {
  dc_error err = DC_ERROR_INIT;
  dc_device *dev = cudart_enter();
  return cudart_leave(bind_managed(dev, (cudart_binary *)handle, &err), &err) == cudaSuccess;
}

/* --- kernels and variables by what stands for them -------------------------------------------------------- */

static cudart_kernel *find(const void *function) {
  for (cudart_binary *b = binaries; b != NULL; b = b->next)
    for (cudart_kernel *k = b->kernels; k != NULL; k = k->next)
      if (k->host == function || k == function) return k;
  return NULL;
}

/* Loads the kernel's code, and adds up its parameters. */
static int take(dc_device *dev, cudart_kernel *k, dc_error *err) {
  cudart_binary *b = k->binary;
  size_t at, size;
  if (load(dev, b, err) != 0 || bind_managed(dev, b, err) != 0) return -1;
  if (dc_kernel_take(b->module, k->sig.name, &k->sig, &k->kernel, err) != 0)
    return dc_error_prefix(err, "kernel '%s': ", k->sig.name);
  for (int i = 0; dev->code->param(k->kernel.fn, i, &at, &size) == 0; i++) k->params = (uint32_t)(at + size);
  k->kernel.params_size = k->params;
  return 0;
}

cudart_kernel *cudart_kernel_of(dc_device *dev, const void *function, dc_error *err) {
  cudart_kernel *k = find(function);
  if (k == NULL) {
    dc_fail(err, DC_ARGUMENT, "CUDA_ERROR_NOT_FOUND", "%p is no kernel of this program", function);
    return NULL;
  }
  return k->kernel.fn != NULL || take(dev, k, err) == 0 ? k : NULL;
}

int cudart_ptx_version(const cudart_kernel *k) { return k->binary->version; }

cudaError_t __cudaGetKernel(cudaKernel_t *out, const void *function) {
  cudart_enter();
  *out = (cudaKernel_t)find(function);
  return cudart_refuse(*out != NULL ? cudaSuccess : cudaErrorInvalidDeviceFunction);
}

cudaError_t cudaGetKernel(cudaKernel_t *out, const void *function) { return __cudaGetKernel(out, function); }

int cudart_symbol(dc_device *dev, const void *symbol, dc_ptr *at, size_t *size, dc_error *err) {
  for (cudart_binary *b = binaries; b != NULL; b = b->next)
    for (const variable *v = b->variables; v != NULL; v = v->next) {
      if (v->host != symbol && !(v->managed && *(void *const *)v->host == symbol)) continue;
      if (load(dev, b, err) != 0) return -1;
      return dev->code->global(dev, b->module->code, v->name, at, size, err);
    }
  return dc_fail(err, DC_ARGUMENT, NULL, "%p is no __device__ or __constant__ variable of this program", symbol);
}
