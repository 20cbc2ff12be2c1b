/* allocation.c - see allocation.h. */
#include "lua/allocation.h"

#include <lauxlib.h>
#include <lua.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "device/allocation.h"
#include "device/device.h"
#include "device/memory.h"
#include "device/registry.h"
#include "device/stream_state.h"
#include "lua/caller.h"
#include "lua/device.h"
#include "lua/error.h"
#include "lua/interrupt.h"
#include "lua/memory.h"
#include "lua/object.h"

#define STACK 10

/* dc_allocation_place. Nothing here may raise. */
static bool running_line(char *text) {
  lua_State *L = dc_lua_active.L;
  lua_Debug ar;
  if (!L || !lua_checkstack(L, STACK) || !dc_lua_caller(L, &ar)) return false;
  snprintf(text, DC_SITE_SIZE, "%s:%d", ar.short_src, ar.currentline);
  return true;
}

void dc_lua_open_allocation(void) { dc_allocation_place = running_line; }

static void set_bytes(lua_State *L, const char *name, size_t n) {
  lua_pushinteger(L, n <= LUA_MAXINTEGER ? (lua_Integer)n : LUA_MAXINTEGER);
  lua_setfield(L, -2, name);
}

/* The device that argument `arg` names, or the current one; open. */
static dc_device *device_at(lua_State *L, int arg) {
  dc_error err = DC_ERROR_INIT;
  dc_lua *self = dc_lua_self(L);
  dc_device *dev = lua_isnoneornil(L, arg) ? dc_lua_current(L, self) : dc_lua_checkdevice(L, arg);
  if (dc_device_open(dev, &err) != 0) dc_lua_raise(L, &err);
  return dev;
}

static void push_lines(lua_State *L, const dc_device *dev) {
  enum { MOST = 1000 };
  dc_allocation_site *copy = dc_lua_scratch(L, MOST * (sizeof *copy + sizeof(const dc_allocation_site *)));
  const dc_allocation_site **site = (const dc_allocation_site **)(copy + MOST);
  const size_t n = dc_allocation_sites(dev, site, MOST);
  for (size_t i = 0; i < n; i++) copy[i] = *site[i]; /* the collector may remove sites */
  lua_createtable(L, (int)n, 0);
  for (size_t i = 0; i < n; i++) {
    lua_createtable(L, 0, 3);
    lua_pushstring(L, copy[i].where);
    lua_setfield(L, -2, "where");
    set_bytes(L, "bytes", copy[i].bytes);
    set_bytes(L, "count", copy[i].count);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  dc_lua_scratch_free(L, -2);
  lua_remove(L, -2);
}

/* usage([device]): the table that dc.memory gives, without its metatable. */
static int core_usage(lua_State *L) {
  dc_error err = DC_ERROR_INIT;
  size_t free_bytes, total;
  dc_device *dev = device_at(L, 1);
  if (dc_device_memory_info(dev, &free_bytes, &total, &err) != 0) return dc_lua_raise(L, &err);
  if (dev->bytes_limit) {
    const size_t left = dev->bytes_limit > dev->bytes_live ? dev->bytes_limit - dev->bytes_live : 0;
    if (left < free_bytes) free_bytes = left;
  }
  lua_createtable(L, 0, 8);
  set_bytes(L, "in_use", dev->bytes_live);
  set_bytes(L, "reserved", dev->memory->reserved ? dev->memory->reserved(dev) : dev->bytes_live);
  set_bytes(L, "peak", dev->bytes_peak);
  set_bytes(L, "free", free_bytes);
  set_bytes(L, "total", total);
  if (dev->bytes_limit) set_bytes(L, "limit", dev->bytes_limit);
  push_lines(L, dev);
  lua_setfield(L, -2, "lines");
  dc_lua_pushdevice(L, dev);
  lua_setfield(L, -2, "device");
  return 1;
}

/* set_limit(bytes or nil, [device]): gives the limit before. */
static int core_set_limit(lua_State *L) {
  dc_device *dev = device_at(L, 2);
  const size_t before = dev->bytes_limit;
  dc_lua_self(L)->quiet = 0;
  dev->bytes_limit = lua_isnil(L, 1) ? 0 : (size_t)luaL_checkinteger(L, 1);
  if (before == 0) lua_pushnil(L);
  else lua_pushinteger(L, (lua_Integer)before);
  return 1;
}

/* trace(boolean) */
static int core_trace_memory(lua_State *L) {
  dc_allocation_trace(lua_toboolean(L, 1));
  return 0;
}

/* trim([device]): gives back what is kept and not in use. */
static int core_trim(lua_State *L) {
  dc_device *dev = device_at(L, 1);
  dc_lua *self = dc_lua_self(L);
  dc_error err = DC_ERROR_INIT;
  if (dc_capture_refuse(dev, "waits", &err) != 0) return dc_lua_raise(L, &err);
  dc_lua_work_begin(self);
  if (dev->memory->trim) dev->memory->trim(dev);
  dc_lua_work_end(self, false);
  return 0;
}

/* forget_peak([device]): the peak is counted from here on. */
static int core_forget_peak(lua_State *L) {
  dc_device *dev = device_at(L, 1);
  dev->bytes_peak = dev->bytes_live;
  return 0;
}

const luaL_Reg dc_lua_memory_internal[] = {
  { "usage", core_usage }, { "set_limit", core_set_limit }, { "trace_memory", core_trace_memory },
  { "trim", core_trim },   { "forget_peak", core_forget_peak }, { NULL, NULL },
};
