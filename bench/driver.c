/*
** driver.c - a C program's way to CUDA's driver, as a Lua module: what our launches, graphs and streams are measured
** against.  The same process, the same device and primary context; a module and streams of its own.
**
** Functions are had from the driver's library by name; its types are those of the project's own header.
*/
#include <lauxlib.h>
#include <lua.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "clock.h"
#include "driver_api.h"

#define MAX_PARAMS 32

static dc_cuda_api cu;
static CUmodule module;
static CUstream streams[2];

static void need(lua_State *L, CUresult r, const char *what) {
  if (r != CUDA_SUCCESS) luaL_error(L, "%s: CUDA error %d", what, (int)r);
}

/* setup(image): loads the image (PTX or a cubin) on device 0. */
static int l_setup(lua_State *L) {
  const char *image = luaL_checkstring(L, 1);
  CUcontext context;
  const char *wrong = load_driver(&cu);
  if (wrong) return luaL_error(L, "%s", wrong);
  need(L, cu.DevicePrimaryCtxRetain(&context, 0), "cuDevicePrimaryCtxRetain");
  need(L, cu.CtxSetCurrent(context), "cuCtxSetCurrent");
  need(L, cu.ModuleLoadDataEx(&module, image, 0, NULL, NULL), "cuModuleLoadDataEx");
  for (int i = 0; i < 2; i++) need(L, cu.StreamCreate(&streams[i], 1), "cuStreamCreate");
  return 0;
}

/* A kernel and its parameters: name, and one string for each parameter, its bytes. */
typedef struct call {
  CUfunction function;
  void *params[MAX_PARAMS];
  unsigned grid, block;
} call;

static void get_call(lua_State *L, call *c) {
  const int n = lua_gettop(L);
  const char *name = luaL_checkstring(L, 1);
  c->grid = (unsigned)luaL_checkinteger(L, 2);
  c->block = (unsigned)luaL_checkinteger(L, 3);
  need(L, cu.ModuleGetFunction(&c->function, module, name), name);
  for (int i = 5; i <= n && i - 5 < MAX_PARAMS; i++) c->params[i - 5] = (void *)(uintptr_t)luaL_checkstring(L, i);
}

static CUresult launch(const call *c, CUstream s) {
  return cu.LaunchKernel(c->function, c->grid, 1, 1, c->block, 1, 1, 0, s, (void **)(uintptr_t)c->params, NULL);
}

/* So many launches on each of the first n streams; `wait`: for each at once. */
static CUresult launches(const call *c, lua_Integer times, int n, bool wait) {
  CUresult r = CUDA_SUCCESS;
  for (lua_Integer i = 0; i < times; i++)
    for (int s = 0; s < n && r == CUDA_SUCCESS; s++) {
      r = launch(c, streams[s]);
      if (wait && r == CUDA_SUCCESS) r = cu.StreamSynchronize(streams[s]);
    }
  return r;
}

/* issue(name, grid, block, times, parameters…) -> seconds to issue so many launches, seconds until they are done */
static int l_issue(lua_State *L) {
  call c;
  get_call(L, &c);
  const lua_Integer times = luaL_checkinteger(L, 4);
  double t = now();
  CUresult r = launches(&c, times, 1, false);
  double issued = now();
  need(L, cu.StreamSynchronize(streams[0]), "cuStreamSynchronize");
  need(L, r, "cuLaunchKernel");
  lua_pushnumber(L, issued - t);
  lua_pushnumber(L, now() - t);
  return 2;
}

/* launch_and_wait(name, grid, block, times, parameters…) -> seconds: each launch is waited for */
static int l_launch_and_wait(lua_State *L) {
  call c;
  get_call(L, &c);
  const lua_Integer times = luaL_checkinteger(L, 4);
  double t = now();
  CUresult r = launches(&c, times, 1, true);
  t = now() - t;
  need(L, r, "cuLaunchKernel");
  lua_pushnumber(L, t);
  return 1;
}

/* graph(name, grid, block, launches, parameters…): captures so many launches; graph_run(times) -> seconds until so many
** replays are done */
static CUgraphExec captured;
static int l_graph(lua_State *L) {
  call c;
  get_call(L, &c);
  const lua_Integer times = luaL_checkinteger(L, 4);
  CUgraph graph;
  need(L, cu.StreamBeginCapture(streams[0], CU_STREAM_CAPTURE_MODE_THREAD_LOCAL), "cuStreamBeginCapture");
  need(L, launches(&c, times, 1, false), "cuLaunchKernel");
  need(L, cu.StreamEndCapture(streams[0], &graph), "cuStreamEndCapture");
  need(L, cu.GraphInstantiate(&captured, graph, 0), "cuGraphInstantiate");
  need(L, cu.GraphDestroy(graph), "cuGraphDestroy");
  return 0;
}
static int l_graph_run(lua_State *L) {
  const lua_Integer times = luaL_checkinteger(L, 1);
  CUresult r = CUDA_SUCCESS;
  double t = now();
  for (lua_Integer i = 0; i < times; i++) r = r ? r : cu.GraphLaunch(captured, streams[0]);
  need(L, cu.StreamSynchronize(streams[0]), "cuStreamSynchronize");
  need(L, r, "cuGraphLaunch");
  lua_pushnumber(L, now() - t);
  return 1;
}

/* two_streams(name, grid, block, times, parameters…) -> seconds of such launches on two streams each, until all done */
static int l_two_streams(lua_State *L) {
  call c;
  get_call(L, &c);
  const lua_Integer times = luaL_checkinteger(L, 4);
  double t = now();
  CUresult r = launches(&c, times, 2, false);
  for (int s = 0; s < 2; s++) r = r ? r : cu.StreamSynchronize(streams[s]);
  need(L, r, "two streams");
  lua_pushnumber(L, now() - t);
  return 1;
}

/* bare(name, grid, block, 0, parameters…): an object that launches when it is called, whatever the arguments: what it
** costs to get from Lua into C at all. */
static int l_bare_call(lua_State *L) {
  const call *c = lua_touserdata(L, 1);
  if (launch(c, streams[0]) != CUDA_SUCCESS) return luaL_error(L, "cuLaunchKernel");
  return 0;
}
static int l_bare(lua_State *L) {
  call c;
  get_call(L, &c);
  lua_createtable(L, lua_gettop(L), 0); /* the parameters' bytes live as long as the object */
  lua_insert(L, 1);
  for (int i = lua_gettop(L) - 1; i > 0; i--) lua_rawseti(L, 1, i);
  *(call *)lua_newuserdatauv(L, sizeof c, 1) = c;
  lua_insert(L, 1);
  lua_setiuservalue(L, 1, 1);
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, l_bare_call);
  lua_setfield(L, -2, "__call");
  lua_setmetatable(L, 1);
  return 1;
}

static int l_now(lua_State *L) {
  lua_pushnumber(L, now());
  return 1;
}

static const luaL_Reg functions[] = {
    {"setup", l_setup}, {"issue", l_issue},         {"launch_and_wait", l_launch_and_wait},
    {"graph", l_graph}, {"graph_run", l_graph_run}, {"two_streams", l_two_streams},
    {"bare", l_bare},   {"now", l_now},             {NULL, NULL},
};

int luaopen_driver(lua_State *L);
int luaopen_driver(lua_State *L) {
  luaL_newlib(L, functions);
  return 1;
}
