/*
** core.c - luaopen_dotcompute_core and what all types here stand on: the one dc_lua of a Lua state, its
** metatables, and the tables of functions.  Opening touches no device and loads no library.
*/
#include <string.h>

#include "base/runtime.h"
#include "base/version.h"
#include "cpu/cpu.h"
#include "cuda/device.h"
#include "lua/cells.h"
#include "lua/files.h"
#include "lua/stream.h"

static const char state_key = 0; /* its address is the registry's key for the dc_lua */

/* The dc_lua at idx; NULL when it is none. */
static dc_lua *to_state(lua_State *L, int idx) {
  dc_lua *self = lua_touserdata(L, idx);
  return self && lua_rawlen(L, idx) == sizeof *self && self->itself == self ? self : NULL;
}

int dc_lua_tampered(lua_State *L, const char *what) {
  return dc_lua_fail(L, DC_ARGUMENT, "%s of dotcompute was replaced by means of the debug library", what);
}

/* The one of the call before is known to be a dc_lua. */
DC_HOT dc_lua *dc_lua_self(lua_State *L) {
  dc_lua *self = lua_touserdata(L, lua_upvalueindex(1));
  if (DC_UNLIKELY(self == NULL || self != dc_lua_active.self) && !to_state(L, lua_upvalueindex(1)))
    dc_lua_tampered(L, "the upvalue of a function");
  dc_lua_active.L = L;
  dc_lua_active.self = self;
  return self;
}

void dc_lua_get(lua_State *L, int slot, int type) {
  dc_lua_self(L);
  if (DC_UNLIKELY(lua_getiuservalue(L, lua_upvalueindex(1), slot) != type)) dc_lua_tampered(L, "a value of the state");
}

int dc_lua_method(lua_State *L, int slot) {
  dc_lua_get(L, slot, LUA_TTABLE);
  if (lua_getfield(L, -1, "__methods") != LUA_TTABLE) dc_lua_tampered(L, "the field __methods of a metatable");
  lua_pushvalue(L, 2);
  return lua_rawget(L, -2);
}

dc_lua *dc_lua_push_self(lua_State *L) {
  luaL_checkstack(L, 8, NULL);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &state_key);
  dc_lua *self = to_state(L, -1);
  if (self) return self;
  lua_pop(L, 1);
  static atomic_bool another;
  if (atomic_exchange(&another, true)) atomic_store(&dc_process.many_threads, true);
  self = lua_newuserdatauv(L, sizeof *self, DC_LUA_END - 1);
  memset(self, 0, sizeof *self);
  self->itself = self;
  self->work_place = dc_lua_work_place();
  int at = lua_gettop(L);
  lua_newtable(L);
  lua_setiuservalue(L, at, DC_LUA_DEVICES);
  lua_createtable(L, DC_LUA_LAUNCHES, 0);
  lua_createtable(L, 0, 1);
  lua_pushliteral(L, "v");
  lua_setfield(L, -2, "__mode");
  lua_setmetatable(L, -2);
  lua_setiuservalue(L, at, DC_LUA_CALLERS);
  dc_lua_open_error(L, at);
  lua_pushvalue(L, at);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &state_key);
  return self;
}

void dc_lua_setfuncs(lua_State *L, int self, const luaL_Reg *funcs) {
  lua_pushvalue(L, self);
  luaL_setfuncs(L, funcs, 1);
}

void dc_lua_setmethods(lua_State *L, int self, const luaL_Reg *methods, const char *type) {
  lua_pushvalue(L, self);
  lua_pushstring(L, type);
  luaL_setfuncs(L, methods, 2);
}

/* The names of a type, for completion and for its own lookup: the functions of `methods`. */
void dc_lua_newtype(lua_State *L, int self, int slot, const char *name, const luaL_Reg *meta, const luaL_Reg *methods) {
  dc_lua *state = lua_touserdata(L, self);
  if (state->types[slot]) return;
  lua_newtable(L);
  dc_lua_setfuncs(L, self, meta);
  lua_pushstring(L, name);
  lua_setfield(L, -2, "__name");
  if (methods) {
    lua_newtable(L);
    dc_lua_setmethods(L, self, methods, strchr(name, '.') + 1);
    lua_setfield(L, -2, "__methods");
  }
  const void *address = lua_topointer(L, -1);
  lua_setiuservalue(L, self, slot);
  state->types[slot] = address;
}

void *dc_lua_new(lua_State *L, int slot, size_t size, int nuservalues) {
  luaL_checkstack(L, 4, NULL);
  return dc_lua_new_of(L, dc_lua_self(L), slot, size, nuservalues);
}

/* --- dc.null ------------------------------------------------------------------------------------- */

static int null_tostring(lua_State *L) {
  lua_pushliteral(L, "dc.null");
  return 1;
}

/* Leaves dc.null on the stack. */
static void push_null(lua_State *L, int self) {
  dc_lua *state = lua_touserdata(L, self);
  if (lua_getiuservalue(L, self, DC_LUA_NULL) == LUA_TUSERDATA) return;
  lua_pop(L, 1);
  lua_newuserdatauv(L, 0, 0);
  lua_newtable(L);
  lua_pushcfunction(L, null_tostring);
  lua_setfield(L, -2, "__tostring");
  lua_pushliteral(L, "dotcompute.null");
  lua_setfield(L, -2, "__name");
  lua_setmetatable(L, -2);
  state->null = lua_touserdata(L, -1);
  lua_pushvalue(L, -1);
  lua_setiuservalue(L, self, DC_LUA_NULL);
}

/* --- the module ---------------------------------------------------------------------------------- */

static int core_clock(lua_State *L) {
  lua_pushnumber(L, dc_clock());
  return 1;
}

/* A name that the module does not have is an error, not nil. */
static int core_index(lua_State *L) {
  const char *name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : dc_lua_describe(L, 2);
  return dc_lua_fail(L, DC_INDEX, "dotcompute has no '%s'", name);
}

/* own(source): the chunk of this source is one of our Lua files, which `where` of an error skips. */
static int core_own(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  size_t len;
  luaL_checktype(L, 1, LUA_TSTRING);
  const char *source = lua_tolstring(L, 1, &len);
  if (dc_lua_is_own(self, source, len)) return 0; /* modules may be loaded anew */
  if (self->nowns == DC_LUA_MOST_OWN) return luaL_error(L, "too many files of dotcompute's own");
  self->own[self->nowns++] = dc_lua_own_name(source, len);
  return 0;
}

/* trace(n): n more functions are being traced by dc.vectorize. */
static int core_trace(lua_State *L) {
  dc_lua_self(L)->tracing += (int)luaL_checkinteger(L, 1);
  return 0;
}

static const luaL_Reg api[] = {
  { "clock", core_clock },
  { NULL, NULL },
};

/* cells(): whether arguments are read where Lua keeps them. */
static int core_cells(lua_State *L) {
  lua_pushboolean(L, dc_lua_cells(L) != NULL);
  return 1;
}

static const luaL_Reg internal[] = {
  { "own", core_own },
  { "cells", core_cells },
  { "trace", core_trace },
  { NULL, NULL },
};

/* Gives {api = what `require "dotcompute"` returns, …}; the rest is for our own Lua files. */
int luaopen_dotcompute_core(lua_State *L) {
  luaL_checkversion(L);
  bool preloaded = lua_type(L, 2) == LUA_TSTRING && strcmp(lua_tostring(L, 2), ":preload:") == 0;
  lua_settop(L, 0);
  dc_lua_find_bundle(L);
  dc_registry_add(&dc_cuda_backend); /* best first */
  dc_registry_add(&dc_cpu_backend);
  dc_lua *self = dc_lua_push_self(L);
  self->host_interrupts = preloaded;
  dc_lua_open_cells(L);
  dc_lua_open_memory();
  dc_lua_open_scratch(L, 1);
  dc_lua_open_device(L, 1);
  dc_lua_open_complex(L, 1);
  dc_lua_open_array(L, 1);
  dc_lua_open_module(L, 1);
  dc_lua_open_kernel(L, 1);
  dc_lua_open_stream(L, 1);
  dc_lua_open_graph(L, 1);
  dc_lua_open_files(L, 1);
  dc_lua_open_part(L, 1);

  lua_newtable(L); /* 2: core */
  dc_lua_setfuncs(L, 1, internal);
  dc_lua_setfuncs(L, 1, dc_lua_device_internal);
  dc_lua_setfuncs(L, 1, dc_lua_cache_internal);
  dc_lua_setfuncs(L, 1, dc_lua_builders_internal);
  dc_lua_setfuncs(L, 1, dc_lua_part_internal);
  dc_lua_setfuncs(L, 1, dc_lua_profile_internal);
  dc_lua_setfuncs(L, 1, dc_lua_random_internal);
  dc_lua_setfuncs(L, 1, dc_lua_mailbox_internal);
  dc_lua_setfuncs(L, 1, dc_lua_files_internal);
  dc_lua_setfuncs(L, 1, dc_lua_tables_internal);
  dc_lua_setfuncs(L, 1, dc_lua_image_internal);
  dc_lua_setfuncs(L, 1, dc_lua_linalg_internal);
  dc_lua_setfuncs(L, 1, dc_lua_memory_internal);
  dc_lua_setfuncs(L, 1, dc_lua_operators_internal);
  dc_lua_setfuncs(L, 1, dc_lua_named_internal);
  lua_newtable(L); /* 3: api */
  dc_lua_setfuncs(L, 1, api);
  dc_lua_setfuncs(L, 1, dc_lua_device_core);
  dc_lua_setfuncs(L, 1, dc_lua_create_core);
  dc_lua_setfuncs(L, 1, dc_lua_operators_core);
  dc_lua_set_functions(L, 1, NULL);
  dc_lua_setfuncs(L, 1, dc_lua_reduce_core);
  dc_lua_setfuncs(L, 1, dc_lua_complex_core);
  dc_lua_setfuncs(L, 1, dc_lua_linalg_core);
  dc_lua_setfuncs(L, 1, dc_lua_module_core);
  dc_lua_setfuncs(L, 1, dc_lua_stream_core);
  dc_lua_setfuncs(L, 1, dc_lua_graph_core);
  dc_lua_setfuncs(L, 1, dc_lua_pinned_core);
  push_null(L, 1);
  lua_setfield(L, 3, "null");
  lua_pushliteral(L, DC_VERSION);
  lua_setfield(L, 3, "version");
  lua_newtable(L);
  lua_pushvalue(L, 1);
  lua_pushcclosure(L, core_index, 1);
  lua_setfield(L, -2, "__index");
  lua_setmetatable(L, 3);
  lua_setfield(L, 2, "api");
  return 1;
}
