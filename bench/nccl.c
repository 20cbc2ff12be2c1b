/*
** nccl.c - a C program's way to NCCL, as a Lua module: loops of sums in place over several GPUs that our all_reduce is
** measured against.  The same process, the same devices and primary contexts; communicators, streams and memory of its
** own.
**
** Libraries are loaded as ours are, at run time, and declared by the project's own headers.
*/
#include <dlfcn.h>
#include <lauxlib.h>
#include <lua.h>
#include <string.h>

#include "clock.h"
#include "cuda/nccl_api.h"
#include "driver_api.h"

#define MOST 16

static dc_cuda_api cu;
static dc_nccl_api nccl;

typedef struct gpu {
  CUcontext context;
  CUstream stream;
  CUdeviceptr data;
  ncclComm_t comm;
} gpu;

static gpu gpus[MOST]; /* those of this process */
static int here;

static void need(lua_State *L, int r, const char *what) {
  if (r != 0) luaL_error(L, "%s: error %d", what, r);
}

/* load(name of NCCL's library) */
static int l_load(lua_State *L) {
  const char *wrong = load_driver(&cu);
  void *lib = wrong == NULL ? dlopen(luaL_checkstring(L, 1), RTLD_NOW) : NULL;
  if (lib == NULL) return luaL_error(L, "%s", wrong != NULL ? wrong : dlerror());
#define DC_NCCL(name, params) *(void **)&nccl.name = dlsym(lib, #name);
#include "cuda/nccl_api.def"
#undef DC_NCCL
  return 0;
}

/* The GPU as the next one of this process, with memory for the numbers. */
static gpu *open_gpu(lua_State *L, int index, size_t bytes) {
  luaL_argcheck(L, here < MOST, 1, "too many GPUs");
  gpu *g = &gpus[here++];
  need(L, cu.DevicePrimaryCtxRetain(&g->context, index), "cuDevicePrimaryCtxRetain");
  need(L, cu.CtxSetCurrent(g->context), "cuCtxSetCurrent");
  need(L, cu.StreamCreate(&g->stream, 1), "cuStreamCreate");
  need(L, cu.MemAlloc(&g->data, bytes), "cuMemAlloc");
  need(L, cu.MemsetD8Async(g->data, 0, bytes, g->stream), "cuMemsetD8Async");
  return g;
}

/* open_all(bytes, n): the first n GPUs in this process */
static int l_open_all(lua_State *L) {
  const size_t bytes = (size_t)luaL_checkinteger(L, 1);
  const int n = (int)luaL_checkinteger(L, 2);
  int numbers[MOST];
  ncclComm_t comms[MOST];
  for (int i = 0; i < n; i++) {
    open_gpu(L, i, bytes);
    numbers[i] = i;
  }
  need(L, nccl.ncclCommInitAll(comms, n, numbers), "ncclCommInitAll");
  for (int i = 0; i < n; i++) gpus[i].comm = comms[i];
  return 0;
}

/* new_id() -> the identity of a communicator of several processes, a string of 128 bytes */
static int l_new_id(lua_State *L) {
  ncclUniqueId id;
  need(L, nccl.ncclGetUniqueId(&id), "ncclGetUniqueId");
  lua_pushlstring(L, id.internal, sizeof id.internal);
  return 1;
}

/* open_rank(bytes, gpu, size, rank, identity): one GPU in each process; ranks count from 0 */
static int l_open_rank(lua_State *L) {
  size_t length;
  ncclUniqueId id;
  const char *bytes = luaL_checklstring(L, 5, &length);
  luaL_argcheck(L, length == sizeof id.internal, 5, "an identity has 128 bytes");
  memcpy(id.internal, bytes, length);
  gpu *g = open_gpu(L, (int)luaL_checkinteger(L, 2), (size_t)luaL_checkinteger(L, 1));
  need(L, nccl.ncclCommInitRank(&g->comm, (int)luaL_checkinteger(L, 3), id, (int)luaL_checkinteger(L, 4)),
       "ncclCommInitRank");
  return 0;
}

static int all_reduce(size_t count) {
  int r = here > 1 ? nccl.ncclGroupStart() : 0;
  for (int i = 0; i < here && r == 0; i++) {
    void *data = (void *)(uintptr_t)gpus[i].data; /* a device's address, which NCCL takes as a pointer */
    r = nccl.ncclAllReduce(data, data, count, ncclFloat32, ncclSum, gpus[i].comm, gpus[i].stream);
  }
  const int ended = here > 1 ? nccl.ncclGroupEnd() : 0;
  return r != 0 ? r : ended;
}

static void wait_all(lua_State *L) {
  for (int i = 0; i < here; i++) {
    need(L, cu.CtxSetCurrent(gpus[i].context), "cuCtxSetCurrent");
    need(L, cu.StreamSynchronize(gpus[i].stream), "cuStreamSynchronize");
  }
}

/* run(bytes, times) -> seconds until `times` sums of `bytes` bytes of float32 are done on all GPUs */
static int l_run(lua_State *L) {
  const size_t count = (size_t)luaL_checkinteger(L, 1) / sizeof(float);
  const lua_Integer times = luaL_checkinteger(L, 2);
  int r = 0;
  wait_all(L);
  const double start = now();
  for (lua_Integer i = 0; i < times && r == 0; i++) r = all_reduce(count);
  wait_all(L);
  const double end = now();
  need(L, r, "ncclAllReduce");
  lua_pushnumber(L, end - start);
  return 1;
}

static const luaL_Reg functions[] = { { "load", l_load },           { "open_all", l_open_all }, { "new_id", l_new_id },
                                      { "open_rank", l_open_rank }, { "run", l_run },           { NULL, NULL } };

int luaopen_nccl(lua_State *L);
int luaopen_nccl(lua_State *L) {
  luaL_newlib(L, functions);
  return 1;
}
