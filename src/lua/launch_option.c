/* launch_option.c - see launch_option.h. */
#include "lua/launch_option.h"

#include <lauxlib.h>
#include <lua.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "base/line.h"
#include "device/device.h"
#include "device/stream.h"
#include "kernel/kernel.h"
#include "kernel/launch.h"
#include "lua/argument.h"
#include "lua/convert.h"
#include "lua/error.h"
#include "lua/extent.h"
#include "lua/module.h"
#include "lua/named.h"
#include "lua/stream.h"

void dc_lua_refuse_tile(lua_State *L, const dc_kernel *k, const char *what) {
  if (DC_UNLIKELY(k->sig->tile))
    dc_lua_fail(L, DC_LAUNCH, "kernel '%s' is written in tiles, and has no %s; it is launched by k(grid, ...)",
                k->sig->name, what);
}

uint32_t dc_lua_check_shared(lua_State *L, int idx) {
  int64_t v = 0;
  if (!dc_lua_tointeger(L, idx, &v) || v < 0 || v > UINT32_MAX)
    dc_lua_fail(L, DC_LAUNCH, "shared memory is a number of bytes, got %s", dc_lua_describe(L, idx));
  return (uint32_t)v;
}

/* Read the value at idx. */
typedef void read_option(lua_State *L, const dc_kernel *k, int idx, dc_lua_launch_options *options);

static void read_shared(lua_State *L, const dc_kernel *k, int idx, dc_lua_launch_options *options) {
  (void)k;
  options->how.shared = dc_lua_check_shared(L, idx);
}

/* Raises the device's stack limit for all kernels at once, which is too slow to be part of a launch. */
static void read_stack(lua_State *L, const dc_kernel *k, int idx, dc_lua_launch_options *options) {
  dc_device *dev = k->dev;
  int64_t bytes = 0;
  dc_error err = DC_ERROR_INIT;
  (void)options;
  if (!dc_lua_tointeger(L, idx, &bytes) || bytes < 1)
    dc_lua_fail(L, DC_LAUNCH, "the stack of a thread is a number of bytes, got %s", dc_lua_describe(L, idx));
  if (dev->code->set_stack && dev->code->set_stack(dev, (size_t)bytes, &err) != 0) dc_lua_raise_kernel(L, &err);
}

static bool check_flag(lua_State *L, const char *name, int idx) {
  if (!lua_isboolean(L, idx))
    dc_lua_fail(L, DC_ARGUMENT, "launch option '%s' is a boolean, got %s", name, dc_lua_describe(L, idx));
  return lua_toboolean(L, idx);
}

static void read_cooperative(lua_State *L, const dc_kernel *k, int idx, dc_lua_launch_options *options) {
  (void)k;
  options->how.cooperative = check_flag(L, "cooperative", idx) ? DC_YES : DC_NO;
}

static void read_cluster(lua_State *L, const dc_kernel *k, int idx, dc_lua_launch_options *options) {
  const dc_dim3 d = dc_lua_read_extents(L, k, "cluster", idx, k->dev->facts.max_grid);
  if (d.x == 0 || d.y == 0 || d.z == 0)
    dc_lua_fail(L, DC_LAUNCH, "a cluster has at least one block, got %ux%ux%u", d.x, d.y, d.z);
  options->how.cluster = d;
}

static void read_pdl(lua_State *L, const dc_kernel *k, int idx, dc_lua_launch_options *options) {
  (void)k;
  options->how.dependent = check_flag(L, "pdl", idx);
}

static void read_stream(lua_State *L, const dc_kernel *k, int idx, dc_lua_launch_options *options) {
  dc_error err = DC_ERROR_INIT;
  dc_stream *stream = dc_lua_tostream(L, dc_lua_self(L), idx);
  if (!stream) dc_lua_fail(L, DC_ARGUMENT, "launch option 'stream' is a stream, got %s", dc_lua_describe(L, idx));
  if (dc_stream_check(stream, k->dev, &err) != 0) dc_lua_raise_kernel(L, &err);
  options->stream = stream;
  options->how.stream = stream->handle;
}

typedef struct launch_option {
  const char *name;
  read_option *read;
  bool of_tiles; /* tile kernels have it, too */
} launch_option;

static const launch_option all[] = {
  { "shared", read_shared, false }, { "stack", read_stack, false }, { "cooperative", read_cooperative, false },
  { "cluster", read_cluster, false }, { "pdl", read_pdl, true }, { "stream", read_stream, true },
};
#define NALL (sizeof all / sizeof *all)

/* The option that the key at idx names; raises where there is none. */
static const launch_option *check_name(lua_State *L, int idx) {
  if (lua_type(L, idx) != LUA_TSTRING)
    dc_lua_fail(L, DC_ARGUMENT, "launch options are named, as in {shared = 1024}; got the key %s",
                dc_lua_describe(L, idx));
  const char *name = lua_tostring(L, idx), *names[NALL];
  for (size_t i = 0; i < NALL; i++) {
    names[i] = all[i].name;
    if (strcmp(names[i], name) == 0) return &all[i];
  }
  dc_lua_fail_option(L, "", "launch option", name, names, NALL);
  return NULL;
}

void dc_lua_read_launch_options(lua_State *L, const dc_kernel *k, int idx, dc_lua_launch_options *options) {
  for (lua_pushnil(L); lua_next(L, idx); lua_pop(L, 1)) { /* name value */
    const int value = lua_gettop(L);
    const launch_option *option = check_name(L, value - 1);
    if (!option->of_tiles) dc_lua_refuse_tile(L, k, lua_pushfstring(L, "launch option '%s'", option->name));
    lua_settop(L, value);
    option->read(L, k, value, options);
    lua_settop(L, value);
  }
}

/* check_launch_options(options): raises for keys that are no launch options. */
static int core_check_launch_options(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  for (lua_pushnil(L); lua_next(L, 1); lua_pop(L, 1)) check_name(L, lua_gettop(L) - 1);
  return 0;
}

const luaL_Reg dc_lua_launch_option_internal[] = {
  { "check_launch_options", core_check_launch_options }, { NULL, NULL },
};
