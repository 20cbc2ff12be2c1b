/*
** opencl.c - peers: kernels on OpenCL's CPU devices, as a Lua module.  All functions are about the platform that was
** opened or chosen last.
**
** The loader is opened at run time, so that building needs no OpenCL; what of its API is used is declared here.
** Buffers are laid over memory that is already there, the arrays of the CPU device.
*/
#include <dlfcn.h>
#include <lauxlib.h>
#include <lua.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "clock.h"

enum {
  CL_PLATFORM_VERSION = 0x0901,
  CL_PLATFORM_NAME = 0x0902,
  CL_DEVICE_TYPE_CPU = 1 << 1,
  CL_DEVICE_MAX_COMPUTE_UNITS = 0x1002,
  CL_DEVICE_NAME = 0x102B,
  CL_MEM_READ_WRITE = 1 << 0,
  CL_MEM_USE_HOST_PTR = 1 << 3,
  CL_PROGRAM_BUILD_LOG = 0x1183
};

#define FUNCTIONS(X)                                                                                                   \
  X(int, clGetPlatformIDs, (uint32_t, void **, uint32_t *))                                                            \
  X(int, clGetPlatformInfo, (void *, uint32_t, size_t, void *, size_t *))                                              \
  X(int, clGetDeviceIDs, (void *, uint64_t, uint32_t, void **, uint32_t *))                                            \
  X(int, clGetDeviceInfo, (void *, uint32_t, size_t, void *, size_t *))                                                \
  X(void *, clCreateContext, (const intptr_t *, uint32_t, void **, void *, void *, int *))                             \
  X(void *, clCreateCommandQueue, (void *, void *, uint64_t, int *))                                                   \
  X(void *, clCreateProgramWithSource, (void *, uint32_t, const char **, const size_t *, int *))                       \
  X(int, clBuildProgram, (void *, uint32_t, void **, const char *, void *, void *))                                    \
  X(int, clGetProgramBuildInfo, (void *, void *, uint32_t, size_t, void *, size_t *))                                  \
  X(void *, clCreateKernel, (void *, const char *, int *))                                                             \
  X(void *, clCreateBuffer, (void *, uint64_t, size_t, void *, int *))                                                 \
  X(int, clReleaseMemObject, (void *))                                                                                 \
  X(int, clSetKernelArg, (void *, uint32_t, size_t, const void *))                                                     \
  X(int, clEnqueueNDRangeKernel, (void *, void *, uint32_t, const size_t *, const size_t *, const size_t *, uint32_t,  \
                                  void *, void *))                                                                     \
  X(int, clFinish, (void *))

#define DECLARE(type, name, args) static type(*name) args;
FUNCTIONS(DECLARE)

static struct platform {
  void *device, *context, *queue;
} opened[4], *p = opened;
static int count;

static const char *load(void) {
  void *lib = dlopen("libOpenCL.so.1", RTLD_NOW);
  if (!lib) return "no libOpenCL.so.1";
#define LOOK(type, name, args)                                                                                         \
  *(void **)&name = dlsym(lib, #name);                                                                                 \
  if (!name) return "libOpenCL.so.1 has no " #name;
  FUNCTIONS(LOOK)
  return NULL;
}

/* open(name) -> platform's version, device's name, compute units, number; or nil and why there is none.  The platform
** is the first whose name has `name` in it. */
static int l_open(lua_State *L) {
  const char *want = luaL_checkstring(L, 1), *why = load();
  void *platforms[16];
  uint32_t n = 0, units = 0;
  if (!why && count == (int)(sizeof opened / sizeof *opened)) why = "too many platforms";
  if (!why) p = &opened[count];
  char version[256] = "", name[256] = "";
  if (!why && (clGetPlatformIDs(16, platforms, &n) != 0 || n == 0)) why = "no OpenCL platform";
  bool found = false;
  for (uint32_t i = 0; !why && !found && i < n && i < 16; i++) {
    clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name, name, NULL);
    if (!strstr(name, want) || clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_CPU, 1, &p->device, NULL) != 0) continue;
    clGetPlatformInfo(platforms[i], CL_PLATFORM_VERSION, sizeof version, version, NULL);
    found = true;
  }
  if (!why && !found) why = "no such OpenCL platform with a CPU device";
  int error = 0;
  if (!why) p->context = clCreateContext(NULL, 1, &p->device, NULL, NULL, &error);
  if (!why && error == 0) p->queue = clCreateCommandQueue(p->context, p->device, 0, &error);
  if (!why && error != 0) why = "its device cannot be used";
  if (why) {
    lua_pushnil(L);
    lua_pushstring(L, why);
    return 2;
  }
  clGetDeviceInfo(p->device, CL_DEVICE_NAME, sizeof name, name, NULL);
  clGetDeviceInfo(p->device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL);
  lua_pushstring(L, version);
  lua_pushstring(L, name);
  lua_pushinteger(L, units);
  lua_pushinteger(L, ++count);
  return 4;
}

/* use(number): what follows is about the platform that was opened as this one */
static int l_use(lua_State *L) {
  const lua_Integer i = luaL_checkinteger(L, 1);
  luaL_argcheck(L, i >= 1 && i <= count, 1, "no such platform");
  p = &opened[i - 1];
  return 0;
}

/* kernel(source, name, options) -> handle */
static int l_kernel(lua_State *L) {
  const char *source = luaL_checkstring(L, 1), *name = luaL_checkstring(L, 2), *options = luaL_optstring(L, 3, "");
  int error = 0;
  void *program = clCreateProgramWithSource(p->context, 1, &source, NULL, &error);
  if (error == 0) error = clBuildProgram(program, 1, &p->device, options, NULL, NULL);
  if (error != 0) {
    char log[4096] = "";
    clGetProgramBuildInfo(program, p->device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
    return luaL_error(L, "OpenCL: %s does not build (%d): %s", name, error, log);
  }
  void *kernel = clCreateKernel(program, name, &error);
  if (error != 0) return luaL_error(L, "OpenCL: no kernel %s (%d)", name, error);
  lua_pushlightuserdata(L, kernel);
  return 1;
}

/* buffer(address, bytes) -> handle of a buffer over this memory */
static int l_buffer(lua_State *L) {
  void *at = (void *)(uintptr_t)luaL_checkinteger(L, 1);
  int error = 0;
  void *b = clCreateBuffer(p->context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, (size_t)luaL_checkinteger(L, 2), at,
                           &error);
  if (error != 0) return luaL_error(L, "OpenCL: no buffer (%d)", error);
  lua_pushlightuserdata(L, b);
  return 1;
}

static int l_release(lua_State *L) {
  clReleaseMemObject(lua_touserdata(L, 1));
  return 0;
}

/* arguments(kernel, list): buffers, integers (int), floats (float) */
static int l_arguments(lua_State *L) {
  void *kernel = lua_touserdata(L, 1);
  const lua_Integer n = luaL_len(L, 2);
  for (lua_Integer i = 0; i < n; i++) {
    lua_geti(L, 2, i + 1);
    const int32_t whole = (int32_t)lua_tointeger(L, -1);
    const float number = (float)lua_tonumber(L, -1);
    void *buffer = lua_touserdata(L, -1);
    int error;
    if (buffer) error = clSetKernelArg(kernel, (uint32_t)i, sizeof buffer, &buffer);
    else if (lua_isinteger(L, -1)) error = clSetKernelArg(kernel, (uint32_t)i, sizeof whole, &whole);
    else error = clSetKernelArg(kernel, (uint32_t)i, sizeof number, &number);
    if (error != 0) return luaL_error(L, "OpenCL: argument %d is refused (%d)", (int)i + 1, error);
    lua_pop(L, 1);
  }
  return 0;
}

/* The list at i, of one to three extents, into v; their number. */
static int read_extents(lua_State *L, int i, size_t v[3]) {
  const lua_Integer dims = luaL_len(L, i);
  luaL_argcheck(L, dims >= 1 && dims <= 3, i, "one to three extents");
  for (int k = 0; k < (int)dims; k++) {
    lua_geti(L, i, k + 1);
    v[k] = (size_t)luaL_checkinteger(L, -1);
    lua_pop(L, 1);
  }
  return (int)dims;
}

/* run(kernel, {blocks}, {threads of a block} [, kernel …]) -> seconds until all are done, one after another */
static int l_run(lua_State *L) {
  const int n = lua_gettop(L) / 3;
  int error = 0;
  double t = now();
  for (int k = 0; k < n && error == 0; k++) {
    size_t global[3], local[3];
    const int dims = read_extents(L, 3 * k + 2, global);
    luaL_argcheck(L, read_extents(L, 3 * k + 3, local) == dims, 3 * k + 3, "as many extents as blocks have");
    for (int i = 0; i < dims; i++) global[i] *= local[i];
    error = clEnqueueNDRangeKernel(p->queue, lua_touserdata(L, 3 * k + 1), (uint32_t)dims, NULL, global, local, 0, NULL,
                                   NULL);
  }
  if (error == 0) error = clFinish(p->queue);
  if (error != 0) return luaL_error(L, "OpenCL: a launch failed (%d)", error);
  lua_pushnumber(L, now() - t);
  return 1;
}

static const luaL_Reg functions[] = {
    {"open", l_open},       {"use", l_use},             {"kernel", l_kernel}, {"buffer", l_buffer},
    {"release", l_release}, {"arguments", l_arguments}, {"run", l_run},       {NULL, NULL},
};

int luaopen_opencl(lua_State *L);
int luaopen_opencl(lua_State *L) {
  luaL_newlib(L, functions);
  return 1;
}
