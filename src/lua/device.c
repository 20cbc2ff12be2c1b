/* device.c - see device.h. */
#include "lua/device.h"

#include <lauxlib.h>
#include <lua.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/cc.h"
#include "base/error.h"
#include "base/runtime.h"
#include "compile/compile.h"
#include "device/device.h"
#include "device/library.h"
#include "device/mailbox.h"
#include "device/memory.h"
#include "device/registry.h"
#include "device/stream.h"
#include "device/stream_state.h"
#include "lua/error.h"
#include "lua/field.h"
#include "lua/host_interrupt.h"
#include "lua/object.h"

typedef struct device_object {
  dc_device *dev;
} device_object;

/* The same device is always the same object, so that == works. */
void dc_lua_pushdevice(lua_State *L, dc_device *dev) {
  luaL_checkstack(L, 6, NULL);
  dc_lua_get_table(L, DC_LUA_DEVICES);
  if (lua_rawgetp(L, -1, dev) != LUA_TUSERDATA) {
    lua_pop(L, 1);
    device_object *o = dc_lua_new(L, DC_LUA_DEVICE, sizeof *o, 0);
    o->dev = dev;
    lua_pushvalue(L, -1);
    lua_rawsetp(L, -3, dev);
  }
  lua_remove(L, -2);
}

dc_device *dc_lua_checkdevice(lua_State *L, int idx) {
  dc_lua *self = dc_lua_self(L);
  device_object *o = dc_lua_test(L, self, idx, DC_LUA_DEVICE);
  if (o) return o->dev;
  if (lua_type(L, idx) != LUA_TSTRING)
    dc_lua_expected(L, idx, "a device or its name");
  dc_error err = DC_ERROR_INIT;
  dc_device *dev = dc_device_find(self->devices, lua_tostring(L, idx), &err);
  if (!dev) dc_lua_raise(L, &err);
  return dev;
}

dc_device *dc_lua_current(lua_State *L, dc_lua *self) {
  if (self->device) return self->device;
  dc_error err = DC_ERROR_INIT;
  self->device = dc_device_default(self->devices, &err);
  if (!self->device) dc_lua_raise(L, &err);
  return self->device;
}

dc_device *dc_lua_optdevice(lua_State *L, dc_lua *self, int arg) {
  return lua_isnoneornil(L, arg) ? dc_lua_current(L, self) : dc_lua_checkdevice(L, arg);
}

static void open_device(lua_State *L, dc_device *dev) {
  dc_error err = DC_ERROR_INIT;
  if (dc_device_open(dev, &err) != 0) dc_lua_raise(L, &err);
}

static device_object *check_object(lua_State *L) {
  return dc_lua_check(L, dc_lua_self(L), 1, DC_LUA_DEVICE, "a device");
}

/* --- methods ------------------------------------------------------------------------------------- */

static int device_synchronize(lua_State *L) {
  dc_lua_at_most(L, 1);
  device_object *o = check_object(L);
  dc_error err = DC_ERROR_INIT;
  if (o->dev->state == DC_DEVICE_CLOSED) return 0; /* a closed device has no work */
  if (DC_LUA_WORK(dc_lua_self(L), dc_device_synchronize(o->dev, &err)) != 0) return dc_lua_raise(L, &err);
  return 0;
}

static int device_memory_info(lua_State *L) {
  dc_lua_at_most(L, 1);
  device_object *o = check_object(L);
  dc_error err = DC_ERROR_INIT;
  size_t free_bytes, total;
  if (dc_device_memory_info(o->dev, &free_bytes, &total, &err) != 0) return dc_lua_raise(L, &err);
  lua_pushinteger(L, (lua_Integer)free_bytes);
  lua_pushinteger(L, (lua_Integer)total);
  return 2;
}

static int device_tostring(lua_State *L) {
  lua_pushstring(L, check_object(L)->dev->id);
  return 1;
}

/* --- facts --------------------------------------------------------------------------------------- */

static void push_attributes(lua_State *L, const dc_device_facts *f) {
  lua_newtable(L);
  dc_lua_set_integer(L, "multiprocessors", f->multiprocessors);
  dc_lua_set_integer(L, "warp_size", f->warp_size);
  dc_lua_set_integer(L, "clock_khz", f->clock_khz);
  dc_lua_set_integer(L, "max_threads_per_block", f->max_threads_per_block);
  dc_lua_set_integer(L, "max_threads_per_multiprocessor", f->max_threads_per_multiprocessor);
  dc_lua_set_integer(L, "max_blocks_per_multiprocessor", f->max_blocks_per_multiprocessor);
  dc_lua_set_extents(L, "max_block", f->max_block);
  dc_lua_set_extents(L, "max_grid", f->max_grid);
  dc_lua_set_integer(L, "shared_per_block", (lua_Integer)f->shared_per_block);
  dc_lua_set_integer(L, "shared_per_block_optin", (lua_Integer)f->shared_per_block_optin);
  dc_lua_set_integer(L, "shared_per_multiprocessor", (lua_Integer)f->shared_per_multiprocessor);
  dc_lua_set_integer(L, "total_memory", (lua_Integer)f->total_memory);
  dc_lua_set_integer(L, "l2_cache", (lua_Integer)f->l2_cache);
  dc_lua_set_integer(L, "registers_per_block", f->registers_per_block);
  dc_lua_refuse_attributes(L, "a device", NULL);
}

static int device_index(lua_State *L) {
  enum { NAME, BACKEND, HOST_MEMORY, BLOCKING, SIMT, INDEX, ID, FACTS, CAPABILITY = FACTS, PROCESSORS, ATTRIBUTES };
  static const char *const fields[] = {
    [NAME] = "name", [BACKEND] = "backend", [HOST_MEMORY] = "host_memory", [BLOCKING] = "blocking", [SIMT] = "simt",
    [INDEX] = "index", [ID] = "id", [CAPABILITY] = "compute_capability", [PROCESSORS] = "multiprocessors",
    [ATTRIBUTES] = "attributes", NULL
  };
  device_object *o = check_object(L);
  if (dc_lua_method(L, DC_LUA_DEVICE) != LUA_TNIL) return 1;
  const int field = dc_lua_check_field(L, "a device", DC_LUA_DEVICE, fields);
  if (field >= FACTS) open_device(L, o->dev); /* these are known once it is open */
  switch (field) {
    case NAME: lua_pushstring(L, o->dev->name); break;
    case BACKEND: lua_pushstring(L, o->dev->backend->name); break;
    case HOST_MEMORY: lua_pushboolean(L, o->dev->host_memory); break;
    case BLOCKING: lua_pushboolean(L, o->dev->blocking); break;
    case SIMT: lua_pushboolean(L, o->dev->simt); break;
    case INDEX: lua_pushinteger(L, o->dev->index); break;
    case ID: lua_pushstring(L, o->dev->id); break;
    case CAPABILITY: lua_pushnumber(L, o->dev->facts.compute_major + o->dev->facts.compute_minor / 10.0); break;
    case PROCESSORS: lua_pushinteger(L, o->dev->facts.multiprocessors); break;
    default: push_attributes(L, &o->dev->facts);
  }
  return 1;
}

/* --- functions of the module --------------------------------------------------------------------- */

static int core_devices(lua_State *L) {
  dc_lua_at_most(L, 0);
  const dc_lua *self = dc_lua_self(L);
  size_t n;
  dc_device *const *list = dc_devices(self->devices, &n);
  lua_createtable(L, (int)n, 0);
  for (size_t i = 0; i < n; i++) {
    dc_lua_pushdevice(L, list[i]);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  return 1;
}

static int core_device(lua_State *L) {
  dc_lua_at_most(L, 1);
  dc_lua *self = dc_lua_self(L);
  dc_lua_pushdevice(L, dc_lua_optdevice(L, self, 1));
  return 1;
}

static int core_use(lua_State *L) {
  dc_lua_at_most(L, 1);
  dc_lua *self = dc_lua_self(L);
  dc_device *dev = dc_lua_checkdevice(L, 1);
  open_device(L, dev);
  self->device = dev;
  dc_lua_pushdevice(L, dev);
  return 1;
}

static int fail_reasons(lua_State *L, dc_error *err) {
  lua_pushboolean(L, 0);
  lua_pushstring(L, dc_error_text(err));
  dc_error_clear(err);
  return 2;
}

static int compiler_available(lua_State *L) {
  const dc_compiler_info *c = dc_compiler();
  lua_pushboolean(L, c->available);
  if (c->available) return 1;
  lua_pushfstring(L, "NVIDIA's compiler (NVRTC) is not available: %s", c->why_not ? c->why_not : "unknown reason");
  return 2;
}

/* A library of the current device. */
static int library_available(lua_State *L, dc_library which) {
  dc_error err = DC_ERROR_INIT;
  if (dc_device_library(dc_lua_current(L, dc_lua_self(L)), which, &err) != 0) return fail_reasons(L, &err);
  lua_pushboolean(L, true);
  return 1;
}

/* available(name): true, or false and why not. "cuda", "cpu", "cuda:1", "nvrtc", "blas", "lapack", "fft", "sort". */
static int core_available(lua_State *L) {
  dc_lua_at_most(L, 1);
  const char *name;
  dc_error err = DC_ERROR_INIT;
  const dc_lua *self = dc_lua_self(L);
  device_object *o = dc_lua_test(L, self, 1, DC_LUA_DEVICE);
  if (o) name = o->dev->id;
  else if (lua_type(L, 1) == LUA_TSTRING) name = lua_tostring(L, 1);
  else return dc_lua_expected(L, 1, "a device or its name");
  if (strcmp(name, "nvrtc") == 0) return compiler_available(L);
  if (strcmp(name, "blas") == 0) return library_available(L, DC_LIBRARY_PRODUCT);
  if (strcmp(name, "lapack") == 0) return library_available(L, DC_LIBRARY_SOLVER);
  if (strcmp(name, "fft") == 0) return library_available(L, DC_LIBRARY_FFT);
  if (strcmp(name, "sort") == 0) return library_available(L, DC_LIBRARY_SORT);
  if (strchr(name, ':')) {
    dc_device *dev = dc_device_find(self->devices, name, &err);
    if (!dev || dc_device_open(dev, &err) != 0) return fail_reasons(L, &err);
  } else if (!dc_backend_available(self->devices, name, &err)) {
    return fail_reasons(L, &err);
  }
  return compiler_available(L);
}

static int core_synchronize(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  if (lua_gettop(L) > 0)
    return dc_lua_fail(L, DC_ARGUMENT, "synchronize takes no arguments: it waits for the current device; a device is "
                                       "waited for with d:synchronize()");
  dc_device *dev = dc_lua_current(L, self);
  dc_error err = DC_ERROR_INIT;
  if (DC_LUA_WORK(self, dc_device_synchronize(dev, &err)) != 0) return dc_lua_raise(L, &err);
  return 0;
}

/* --- counters ------------------------------------------------------------------------------------ */

static const struct counter {
  const char *name;
  size_t offset;
} counters[] = {
#define COUNTER(name) { #name, offsetof(dc_counters, name) }
  COUNTER(launches),        COUNTER(allocations),   COUNTER(frees),           COUNTER(bytes_allocated),
  COUNTER(bytes_to_device), COUNTER(bytes_to_host), COUNTER(bytes_on_device), COUNTER(compiles),
  COUNTER(cache_hits),      COUNTER(cache_misses),
#undef COUNTER
};

static atomic_uint_fast64_t *counter_at(size_t i) {
  return (atomic_uint_fast64_t *)((char *)&dc_process.stats + counters[i].offset);
}

/* Counters since start or since dc.stats "reset"; bytes_live: allocated on the current device and not yet freed. */
static int core_stats(lua_State *L) {
  dc_lua_at_most(L, 1);
  const dc_lua *self = dc_lua_self(L);
  const size_t n = sizeof counters / sizeof *counters;
  if (!lua_isnoneornil(L, 1)) {
    if (lua_type(L, 1) != LUA_TSTRING || strcmp(lua_tostring(L, 1), "reset") != 0)
      return dc_lua_badarg(L, 1, "nothing or \"reset\" expected, got %s", dc_lua_describe(L, 1));
    for (size_t i = 0; i < n; i++) atomic_store_explicit(counter_at(i), 0, memory_order_relaxed);
    return 0;
  }
  lua_createtable(L, 0, (int)n + 1);
  for (size_t i = 0; i < n; i++)
    dc_lua_set_integer(L, counters[i].name, (lua_Integer)atomic_load_explicit(counter_at(i), memory_order_relaxed));
  dc_lua_set_integer(L, "bytes_live", self->device ? (lua_Integer)self->device->bytes_live : 0);
  return 1;
}

/* --- for our own Lua files ----------------------------------------------------------------------- */

/* compiler(): what is known of NVRTC, its headers and the cache. */
static int core_compiler(lua_State *L) {
  const dc_compiler_info *c = dc_compiler();
  lua_newtable(L);
  dc_lua_set_boolean(L, "available", c->available);
  dc_lua_set_integer(L, "major", c->major);
  dc_lua_set_integer(L, "minor", c->minor);
  dc_lua_set_string(L, "library", c->library);
  dc_lua_set_string(L, "include_dir", c->include_dir);
  dc_lua_set_string(L, "cccl_dir", c->cccl_dir);
  dc_lua_set_string(L, "cache_dir", c->cache_dir);
  dc_lua_set_string(L, "why_not", c->why_not);
  dc_lua_set_string(L, "cache_note", c->cache_note);
  dc_lua_set_string(L, "tile", c->tile_root);
  dc_lua_set_string(L, "why_no_tile", c->why_no_tile);
  return 1;
}

/* c_compiler(): {path =, options =, works =, why_not =}; without a path there is none. */
static int core_c_compiler(lua_State *L) {
  const dc_cc *cc = dc_cc_find();
  dc_buf log = DC_BUF_INIT;
  lua_newtable(L);
  dc_lua_set_string(L, "why_not", dc_cc_note());
  if (!cc) return 1;
  dc_lua_set_string(L, "path", cc->path);
  lua_newtable(L);
  for (int i = 0; cc->options[i]; i++) {
    lua_pushstring(L, cc->options[i]);
    lua_rawseti(L, -2, i + 1);
  }
  lua_setfield(L, -2, "options");
  const bool works = dc_cc_try(cc, &log) == 0;
  char said[2000];
  snprintf(said, sizeof said, "%s", dc_buf_str(&log));
  dc_buf_free(&log);
  dc_lua_set_boolean(L, "works", works);
  if (!works) dc_lua_set_string(L, "why_not", said);
  return 1;
}

/* drivers(): a list of {name =, available =, version =, library =, why_not =}. */
static int core_drivers(lua_State *L) {
  dc_driver_info list[8];
  const size_t n = dc_drivers(list, sizeof list / sizeof *list);
  lua_createtable(L, (int)n, 0); /* drivers */
  for (size_t i = 0; i < n; i++) {
    lua_newtable(L); /* drivers, driver */
    dc_lua_set_string(L, "name", list[i].name);
    dc_lua_set_boolean(L, "available", list[i].available);
    dc_lua_set_integer(L, "version", list[i].version);
    dc_lua_set_string(L, "library", list[i].library);
    dc_lua_set_string(L, "why_not", list[i].why_not);
    lua_rawseti(L, -2, (lua_Integer)i + 1); /* drivers */
  }
  return 1;
}

/* libraries(device): blas, lapack, fft and sort = {files =, packages =}, both words separated by blanks. */
static int core_libraries(lua_State *L) {
  static const char *const names[DC_NLIBRARIES] = { "blas", "lapack", "fft", "sort" };
  const dc_device *dev = dc_lua_checkdevice(L, 1);
  lua_createtable(L, 0, DC_NLIBRARIES); /* libraries */
  for (int i = 0; i < DC_NLIBRARIES; i++) {
    lua_newtable(L); /* libraries, library */
    dc_lua_set_string(L, "files", dev->libraries->files[i]);
    dc_lua_set_string(L, "packages", dev->libraries->packages[i]);
    lua_setfield(L, -2, names[i]); /* libraries */
  }
  return 1;
}

/* lu_loses_nan(device): whether its LU factorizations take NaN for 0. */
static int core_lu_loses_nan(lua_State *L) {
  lua_pushboolean(L, dc_lua_checkdevice(L, 1)->libraries->lu_loses_nan);
  return 1;
}

/* has_tiers(device): whether its kernels begin interpreted and become native code. */
static int core_has_tiers(lua_State *L) {
  lua_pushboolean(L, dc_lua_checkdevice(L, 1)->code->tier != NULL);
  return 1;
}

/* --- the mailbox, for kernels of our own Lua files ----------------------------------------------- */

/* mailbox(device): the two arguments of dc_post for the next kernel; nothing where the mailbox cannot be used now. An
** error while a graph is captured: the kernel's value would not be there to wait for. */
static int core_mailbox(lua_State *L) {
  dc_device *dev = dc_lua_checkdevice(L, 1);
  dc_ptr at;
  uint64_t sequence;
  dc_error err = DC_ERROR_INIT;
  if (dc_capture_refuse(dev, "copies values to the host", &err) != 0) return dc_lua_raise(L, &err);
  if (!dc_device_mailbox(dev, &at, &sequence)) return 0;
  lua_pushinteger(L, (lua_Integer)at);       /* at */
  lua_pushinteger(L, (lua_Integer)sequence); /* at, sequence */
  return 2;
}

/* mailbox_wait(device, sequence): waits for the integer; nil when the kernel has ended without posting it. */
static int core_mailbox_wait(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  dc_device *dev = dc_lua_checkdevice(L, 1);
  const uint64_t sequence = (uint64_t)luaL_checkinteger(L, 2);
  int64_t value = 0;
  dc_error err = DC_ERROR_INIT;
  const int rc = DC_LUA_WORK(self, dc_device_mailbox_wait(dev, sequence, &value, sizeof value, &err));
  if (rc < 0) return dc_lua_raise(L, &err);
  if (rc == 0) lua_pushinteger(L, value);
  else lua_pushnil(L);
  return 1;
}

/* mailbox_text(): CUDA C of dc_post(mailbox, sequence, value); for mailbox_wait the value is a long long. */
static int core_mailbox_text(lua_State *L) {
  lua_pushstring(L, dc_mailbox_text);
  return 1;
}

const luaL_Reg dc_lua_device_core[] = {
  { "devices", core_devices },
  { "device", core_device },
  { "use", core_use },
  { "available", core_available },
  { "synchronize", core_synchronize },
  { "stats", core_stats },
  { NULL, NULL },
};

const luaL_Reg dc_lua_device_internal[] = {
  { "mailbox_text", core_mailbox_text },
  { "mailbox", core_mailbox },
  { "mailbox_wait", core_mailbox_wait },
  { "compiler", core_compiler },
  { "drivers", core_drivers },
  { "libraries", core_libraries },
  { "lu_loses_nan", core_lu_loses_nan },
  { "has_tiers", core_has_tiers },
  { "c_compiler", core_c_compiler },
  { NULL, NULL },
};

static const luaL_Reg device_methods[] = {
  { "memory_info", device_memory_info },
  { "synchronize", device_synchronize },
  { NULL, NULL },
};

static const luaL_Reg device_meta[] = {
  { "__index", device_index },
  { "__tostring", device_tostring },
  { NULL, NULL },
};

void dc_lua_open_device(lua_State *L, int self) {
  dc_lua_newtype(L, self, DC_LUA_DEVICE, "dotcompute.device", device_meta, device_methods);
}
