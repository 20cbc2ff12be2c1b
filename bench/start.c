/*
** start.c - the C program that a script's start is measured against: driver, NVRTC, a kernel, a checked vector
** addition, and out.  Both libraries are loaded as ours are, at run time.
*/
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "driver_api.h"

#define N 1000

static const char source[] =
    "extern \"C\" __global__ void vecadd(const float *a, const float *b, float *c, int n) {"
    " int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) c[i] = a[i] + b[i]; }";

static void need(int r, const char *what) {
  if (r == 0) return;
  fprintf(stderr, "%s: error %d\n", what, r);
  exit(1);
}

/* The machine code; argv[1] names NVRTC's library. */
static char *compile(const char *library, const char *arch) {
  void *lib = dlopen(library, RTLD_NOW), *program;
  size_t n;
  if (!lib) {
    fprintf(stderr, "%s\n", dlerror());
    exit(1);
  }
  int (*create)(void **, const char *, const char *, int, const char **, const char **);
  int (*run)(void *, int, const char **), (*size)(void *, size_t *), (*get)(void *, char *);
  *(void **)&create = dlsym(lib, "nvrtcCreateProgram");
  *(void **)&run = dlsym(lib, "nvrtcCompileProgram");
  *(void **)&size = dlsym(lib, "nvrtcGetCUBINSize");
  *(void **)&get = dlsym(lib, "nvrtcGetCUBIN");
  need(create(&program, source, "vecadd.cu", 0, NULL, NULL), "nvrtcCreateProgram");
  need(run(program, 1, &arch), "nvrtcCompileProgram");
  need(size(program, &n), "nvrtcGetCUBINSize");
  char *image = malloc(n);
  need(image ? get(program, image) : -1, "nvrtcGetCUBIN");
  return image;
}

int main(int argc, char **argv) {
  static float a[N], b[N], c[N];
  dc_cuda_api cu = { 0 };
  CUcontext context;
  CUmodule module;
  CUfunction function;
  CUstream stream;
  CUdeviceptr p[3];
  char arch[40];
  int n = N, cc[2], device;
  if (argc < 2) return 2;
  if (load_driver(&cu) != NULL) return 2;
  need(cu.DeviceGet(&device, 0), "cuDeviceGet");
  need(cu.DevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
  need(cu.CtxSetCurrent(context), "cuCtxSetCurrent");
  for (int i = 0; i < 2; i++)
    need(cu.DeviceGetAttribute(&cc[i], CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR + i, device), "attribute");
  snprintf(arch, sizeof arch, "--gpu-architecture=sm_%d%d", cc[0], cc[1]);
  char *image = compile(argv[1], arch);
  need(cu.ModuleLoadDataEx(&module, image, 0, NULL, NULL), "cuModuleLoadDataEx");
  need(cu.ModuleGetFunction(&function, module, "vecadd"), "cuModuleGetFunction");
  need(cu.StreamCreate(&stream, 1), "cuStreamCreate");
  for (int i = 0; i < N; i++) {
    a[i] = (float)i;
    b[i] = (float)(2 * i);
  }
  for (int i = 0; i < 3; i++) need(cu.MemAlloc(&p[i], sizeof a), "cuMemAlloc");
  need(cu.MemcpyHtoDAsync(p[0], a, sizeof a, stream), "copy");
  need(cu.MemcpyHtoDAsync(p[1], b, sizeof b, stream), "copy");
  void *params[] = {&p[0], &p[1], &p[2], &n};
  need(cu.LaunchKernel(function, 4, 1, 1, 256, 1, 1, 0, stream, params, NULL), "cuLaunchKernel");
  need(cu.MemcpyDtoHAsync(c, p[2], sizeof c, stream), "copy");
  need(cu.StreamSynchronize(stream), "cuStreamSynchronize");
  for (int i = 0; i < N; i++)
    if (c[i] != (float)(3 * i)) return 3;
  free(image);
  return 0;
}
