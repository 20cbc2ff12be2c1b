/* profile.c - see profile.h. */
#include "lua/profile.h"

#include <dlfcn.h>
#include <lauxlib.h>
#include <lua.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array/array.h"
#include "array/graph/types.h"
#include "base/dtype.h"
#include "base/error.h"
#include "base/runtime.h"
#include "device/device.h"
#include "device/registry.h"
#include "kernel/kernel.h"
#include "kernel/profile.h"
#include "lua/argument.h"
#include "lua/device.h"
#include "lua/error.h"
#include "lua/object.h"

/* --- launches -------------------------------------------------------------------------------------- */

static void place_of_launch(char *text, size_t n) {
  lua_State *L = dc_lua_active.L;
  lua_Debug ar;
  if (L && lua_checkstack(L, 8) && dc_lua_caller(L, &ar)) snprintf(text, n, "%s:%d", ar.short_src, ar.currentline);
}

/* What a launch moves at least, if it goes through its arrays once: those that it may write count twice, for they
** are read too as a rule.  The arguments are from `first` on. */
void dc_lua_profile_arguments(lua_State *L, const dc_lua *self, const dc_kernel *k, int first) {
  double bytes = 0;
  for (int i = 0; i < k->nparams; i++) {
    const dc_lua_array *o = dc_lua_argument_array(L, self, first + i);
    if (!o || !o->a || dc_array_state_of(o->a) != DC_ARRAY_READY) continue;
    const double own = (double)dc_array_size(o->a) * (double)dc_dtype_size(dc_array_dtype(o->a));
    bytes += k->params[i].is_const ? own : 2 * own;
  }
  dc_profile_bytes(k->dev, bytes);
}

/* Events of streams that are being captured cannot be read. */
static void refuse_capture(lua_State *L) {
  size_t n;
  dc_device *const *list = dc_devices(dc_lua_self(L)->devices, &n);
  for (size_t i = 0; i < n; i++)
    if (list[i]->capture != NULL)
      dc_lua_fail(L, DC_LAUNCH, "a profile neither begins nor ends while a graph is being captured (on %s)",
                  list[i]->id);
}

/* profile_start([most]): `most` launches are kept one by one. */
static int core_profile_start(lua_State *L) {
  const dc_lua *self = dc_lua_self(L);
  dc_error err = DC_ERROR_INIT;
  const lua_Integer most = luaL_optinteger(L, 1, 0);
  refuse_capture(L);
  if (dc_profile_start(self->devices, place_of_launch, most > 0 ? (size_t)most : 0, &err) != 0)
    return dc_lua_raise(L, &err);
  return 0;
}

/* profile_running() */
static int core_profile_running(lua_State *L) {
  lua_pushboolean(L, dc_profile_runs(dc_lua_self(L)->devices));
  return 1;
}

/* Puts the entries into the list on top: {device, kernel, place, site, calls, timed, seconds, bytes}, slowest first;
** place and bytes nil when unknown. */
static void add_entries(lua_State *L, const dc_profile_entry *entries) {
  int n = 0;
  for (const dc_profile_entry *e = entries; e; e = e->next) {
    lua_createtable(L, 0, 8); /* list, entry */
    dc_lua_pushdevice(L, (dc_device *)e->dev);
    lua_setfield(L, -2, "device");
    dc_lua_set_string(L, "kernel", e->kernel);
    if (e->place) dc_lua_set_string(L, "place", e->place);
    dc_lua_set_string(L, "site", e->site);
    dc_lua_set_integer(L, "calls", (lua_Integer)e->calls);
    dc_lua_set_integer(L, "timed", (lua_Integer)e->timed);
    dc_lua_set_number(L, "seconds", e->seconds);
    if (e->bytes > 0) dc_lua_set_number(L, "bytes", e->bytes);
    lua_rawseti(L, -2, ++n);
  }
}

/* Gives the list on top the field `launches`, {entry = its index, start, seconds, stream, grid, block}, and `dropped`.
*/
static void add_launches(lua_State *L) {
  size_t n;
  uint64_t dropped;
  const dc_profile_launched *launches = dc_profile_launches(dc_lua_self(L)->devices, &n, &dropped);
  lua_createtable(L, (int)n, 0); /* list, launches */
  for (size_t i = 0; i < n; i++) {
    const dc_profile_launched *l = &launches[i];
    lua_createtable(L, 0, 6); /* list, launches, launch */
    dc_lua_set_integer(L, "entry", l->entry->index);
    dc_lua_set_integer(L, "stream", (lua_Integer)(intptr_t)l->stream);
    dc_lua_set_number(L, "start", l->start);
    dc_lua_set_number(L, "seconds", l->seconds);
    if (l->grid.x > 0) {
      dc_lua_set_extents(L, "grid", (const uint32_t[]){ l->grid.x, l->grid.y, l->grid.z });
      dc_lua_set_extents(L, "block", (const uint32_t[]){ l->block.x, l->block.y, l->block.z });
    }
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  lua_setfield(L, -2, "launches");
  dc_lua_set_integer(L, "dropped", (lua_Integer)dropped);
}

/* profile_stop(): the list of entries, with the launches that were kept. */
static int core_profile_stop(lua_State *L) {
  const dc_lua *self = dc_lua_self(L);
  refuse_capture(L);
  lua_newtable(L); /* the result */
  add_entries(L, dc_profile_stop(self->devices));
  add_launches(L);
  return 1;
}

/* --- ranges ---------------------------------------------------------------------------------------- */

/*
** NVTX, from version 3 on, is a protocol and not a library: the profiler names its own library in
** NVTX_INJECTION64_PATH; we load it, call its entry, and it asks for tables of pointers to function pointers, which
** it fills.  The layout below is that of NVIDIA's nvtx3 headers.  Older toolkits have libnvToolsExt instead.
*/
typedef void (*any_function)(void);
enum { NVTX_CALLBACKS = 1, NVTX_VERSION_INFO = 3 };
enum { NVTX_MODULE_CORE = 1, NVTX_PUSH = 9, NVTX_POP = 11, NVTX_CORE_SIZE = 16 };

typedef struct nvtx_callbacks {
  size_t size;
  int (*table)(int module, any_function ***out, unsigned *count);
} nvtx_callbacks;

typedef struct nvtx_version {
  size_t size;
  uint32_t version, reserved;
  void (*set_injection_version)(uint32_t version);
} nvtx_version;

static any_function core_functions[NVTX_CORE_SIZE];
static any_function *core_table[NVTX_CORE_SIZE + 1];

static int give_table(int module, any_function ***out, unsigned *count) {
  if (module != NVTX_MODULE_CORE) return 0;
  for (int i = 1; i < NVTX_CORE_SIZE; i++) core_table[i] = &core_functions[i];
  *out = core_table;
  *count = NVTX_CORE_SIZE;
  return 1;
}

static void ignore_version(uint32_t version) { (void)version; }

static const void *export_table(uint32_t id) {
  static const nvtx_callbacks callbacks = { sizeof callbacks, give_table };
  static const nvtx_version version = { sizeof version, 3, 0, ignore_version };
  return id == NVTX_CALLBACKS ? (const void *)&callbacks : id == NVTX_VERSION_INFO ? (const void *)&version : NULL;
}

static int (*range_push)(const char *name);
static int (*range_pop)(void);

static void find_profiler(void) {
  const char *path = getenv("NVTX_INJECTION64_PATH");
  void *lib = path && *path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
  int (*begin)(const void *(*)(uint32_t)) = NULL;
  if (lib) *(void **)&begin = dlsym(lib, "InitializeInjectionNvtx2");
  if (begin && begin(export_table)) {
    memcpy(&range_push, &core_functions[NVTX_PUSH], sizeof range_push);
    memcpy(&range_pop, &core_functions[NVTX_POP], sizeof range_pop);
    return;
  }
  lib = dlopen("libnvToolsExt.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!lib) return;
  *(void **)&range_push = dlsym(lib, "nvtxRangePushA");
  *(void **)&range_pop = dlsym(lib, "nvtxRangePop");
}

static int core_range_push(lua_State *L) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  const char *name = luaL_checkstring(L, 1);
  pthread_once(&once, find_profiler);
  if (range_push && range_pop) range_push(name);
  return 0;
}

static int core_range_pop(lua_State *L) {
  (void)L;
  if (range_push && range_pop) range_pop();
  return 0;
}

const luaL_Reg dc_lua_profile_internal[] = {
  { "profile_start", core_profile_start },
  { "profile_stop", core_profile_stop },
  { "profile_running", core_profile_running },
  { "range_push", core_range_push },
  { "range_pop", core_range_pop },
  { NULL, NULL },
};
