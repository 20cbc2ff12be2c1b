/* graph.c - see graph.h. */
#include "lua/graph.h"

#include <lauxlib.h>
#include <lua.h>
#include <stdio.h>
#include <string.h>

#include "array/capture.h"
#include "base/error.h"
#include "base/line.h"
#include "base/runtime.h"
#include "device/capture.h"
#include "device/device.h"
#include "device/graph.h"
#include "device/registry.h"
#include "kernel/profile.h"
#include "lua/device.h"
#include "lua/error.h"
#include "lua/field.h"
#include "lua/host_interrupt.h"
#include "lua/object.h"

typedef struct graph_object {
  dc_graph *g; /* NULL: not made yet, or closed */
} graph_object;

/* A graph object's user value: the origins of its kernels' sources (source.c) by their dc_functions. */
enum { GRAPH_ORIGINS = 1, GRAPH_NVALUES = 1 };

static graph_object *check_object(lua_State *L, const dc_lua *self) {
  return dc_lua_check(L, self, 1, DC_LUA_GRAPH, "a graph");
}

static dc_graph *check_graph(lua_State *L, const dc_lua *self) {
  graph_object *o = check_object(L, self);
  if (!o->g || !o->g->handle) {
    dc_error err = DC_ERROR_INIT; /* of a lost device there is more to be said */
    if (o->g && dc_device_open(o->g->dev, &err) != 0) dc_lua_raise(L, &err);
    dc_lua_fail(L, DC_ARGUMENT, "the graph is closed");
  }
  return o->g;
}

static void check_function(lua_State *L, int arg) {
  if (lua_isfunction(L, arg)) return;
  if (luaL_getmetafield(L, arg, "__call") == LUA_TNIL) dc_lua_expected(L, arg, "a function");
  lua_pop(L, 1);
}

/* While a device captures, the registry has the table of its graph's origins, at the device's address. */
static void end_origins(lua_State *L, dc_device *dev) {
  lua_pushnil(L);
  lua_rawsetp(L, LUA_REGISTRYINDEX, dev);
}

void dc_lua_graph_captured(lua_State *L, const dc_device *dev, const dc_function *fn, int origin) {
  origin = lua_absindex(L, origin);
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, dev) == LUA_TTABLE) { /* origins */
    lua_pushvalue(L, origin);
    lua_rawsetp(L, -2, fn);
  }
  lua_pop(L, 1);
}

/* A run of the graph at index 1 has failed: the places of lines are those of the kernel that is to blame. */
static int raise_run(lua_State *L, dc_error *err) {
  lua_settop(L, 1);
  if (err->function == NULL || lua_getiuservalue(L, 1, GRAPH_ORIGINS) != LUA_TTABLE) return dc_lua_raise(L, err);
  if (lua_rawgetp(L, -1, err->function) != LUA_TTABLE) return dc_lua_raise(L, err);
  return dc_lua_raise_at(L, err, lua_gettop(L));
}

/* Calls the function at `fn` and makes what it launches the graph of `o`, which is at `at`.  The collector runs before
** and after: pending arrays that are unreachable in Lua would become part of the graph, and be computed at each run of
** it. */
static void capture(lua_State *L, dc_lua *self, dc_device *dev, graph_object *o, int at, int fn) {
  dc_error err = DC_ERROR_INIT;
  lua_gc(L, LUA_GCCOLLECT, 0);
  lua_newtable(L); /* origins */
  const int origins = lua_gettop(L);
  const bool captures = dev->capture != NULL; /* another graph: refused below */
  if (!captures) {
    lua_pushvalue(L, origins);
    lua_rawsetp(L, LUA_REGISTRYINDEX, dev); /* may raise, so before the capture begins */
  }
  if (DC_LUA_WORK(self, dc_array_capture_begin(dev, &err)) != 0) {
    if (!captures) end_origins(L, dev);
    dc_lua_raise(L, &err);
  }
  lua_pushvalue(L, fn);
  const int status = lua_pcall(L, 0, 0, 0);
  end_origins(L, dev);
  if (status != LUA_OK) {
    dc_capture_abandon(dev);
    lua_error(L);
  }
  lua_gc(L, LUA_GCCOLLECT, 0);
  if (DC_LUA_WORK(self, dc_array_capture_end(dev, &o->g, &err)) != 0) dc_lua_raise(L, &err);
  lua_pushvalue(L, origins);
  lua_setiuservalue(L, at, GRAPH_ORIGINS);
}

/* graph(fn): calls fn once; what it launches on the current device does not run but becomes the graph. */
static int core_graph(lua_State *L) {
  dc_lua_at_most(L, 1);
  dc_lua *self = dc_lua_self(L);
  check_function(L, 1);
  dc_device *dev = dc_lua_current(L, self);
  graph_object *o = dc_lua_new(L, DC_LUA_GRAPH, sizeof *o, GRAPH_NVALUES);
  const int at = lua_gettop(L);
  capture(L, self, dev, o, at, 1);
  lua_settop(L, at);
  return 1;
}

/* g(): runs it in the current stream. */
static int run_graph(void *g, dc_error *err) { return dc_array_graph_launch(g, err); }

static int run_profiled(dc_graph *g, dc_error *err) {
  char name[48];
  snprintf(name, sizeof name, "graph of %llu launches", (unsigned long long)g->launches);
  return dc_profile_work(g->dev, name, run_graph, g, err);
}

static int graph_call(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  dc_graph *g = check_graph(L, self);
  dc_error err = DC_ERROR_INIT;
  if (!lua_isnoneornil(L, 2))
    return dc_lua_fail(L, DC_ARGUMENT, "a graph takes no arguments, got %d: it runs what was captured, with the arrays "
                                       "of that time", lua_gettop(L) - 1);
  const int rc = DC_LUA_WORK(self, dc_profile_is_on(g->dev) ? run_profiled(g, &err)
                                                                     : dc_array_graph_launch(g, &err));
  return rc == 0 ? 0 : raise_run(L, &err);
}

/* update(fn): captures again, in place; returns the graph, which is as it was when that fails. */
static int graph_update(lua_State *L) {
  dc_lua_at_most(L, 2);
  dc_lua *self = dc_lua_self(L);
  graph_object *o = check_object(L, self);
  dc_graph *g = check_graph(L, self);
  check_function(L, 2);
  capture(L, self, g->dev, o, 1, 2);
  lua_settop(L, 1);
  return 1;
}

/* close(): what it holds goes when its runs are over. Idempotent. */
static int graph_close(lua_State *L) {
  graph_object *o = check_object(L, dc_lua_self(L));
  dc_graph *g = o->g;
  o->g = NULL;
  dc_graph_close(g);
  return 0;
}

static int graph_index(lua_State *L) {
  enum { DEVICE, LAUNCHES };
  static const char *const fields[] = { [DEVICE] = "device", [LAUNCHES] = "launches", NULL };
  dc_graph *g = check_object(L, dc_lua_self(L))->g;
  if (dc_lua_method(L, DC_LUA_GRAPH) != LUA_TNIL) return 1;
  if (!g) check_graph(L, dc_lua_self(L)); /* says that it is closed */
  if (dc_lua_check_field(L, "a graph", DC_LUA_GRAPH, fields) == DEVICE) dc_lua_pushdevice(L, g->dev);
  else lua_pushinteger(L, (lua_Integer)g->launches);
  return 1;
}

static int graph_tostring(lua_State *L) {
  const dc_graph *g = check_object(L, dc_lua_self(L))->g;
  if (!g) lua_pushliteral(L, "graph (closed)");
  else
    lua_pushfstring(L, "graph of %I launch%s on %s", (LUAI_UACINT)g->launches, g->launches == 1 ? "" : "es",
                    g->dev->id);
  return 1;
}

const luaL_Reg dc_lua_graph_core[] = {
  { "graph", core_graph },
  { NULL, NULL },
};

static const luaL_Reg graph_methods[] = {
  { "update", graph_update },
  { "close", graph_close },
  { NULL, NULL },
};

static const luaL_Reg graph_meta[] = {
  { "__call", graph_call },   { "__index", graph_index }, { "__tostring", graph_tostring },
  { "__close", graph_close }, { "__gc", graph_close },    { NULL, NULL },
};

void dc_lua_open_graph(lua_State *L, int self) {
  dc_lua_newtype(L, self, DC_LUA_GRAPH, "dotcompute.graph", graph_meta, graph_methods);
}
