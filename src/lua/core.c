/*
** core.c - luaopen_dotcompute_core: registers the backends, makes the types' metatables and the tables of functions.
** Opening touches no device and loads no library.
*/
#include "lua/core.h"

#include <lauxlib.h>
#include <string.h>

#include "array/host/memory.h"
#include "base/error.h"
#include "base/notice.h"
#include "base/runtime.h"
#include "base/version.h"
#include "cpu/runtime/device.h"
#include "cuda/device.h"
#include "device/registry.h"
#include "device/stream.h"
#include "kernel/profile.h"
#include "lua/array.h"
#include "lua/array_methods.h"
#include "lua/body.h"
#include "lua/builders.h"
#include "lua/bytecode.h"
#include "lua/cache.h"
#include "lua/comm.h"
#include "lua/comm_call.h"
#include "lua/complex.h"
#include "lua/create.h"
#include "lua/device.h"
#include "lua/error.h"
#include "lua/field.h"
#include "lua/files.h"
#include "lua/graph.h"
#include "lua/host_interrupt.h"
#include "lua/host_pass.h"
#include "lua/kernel.h"
#include "lua/launch_option.h"
#include "lua/linalg.h"
#include "lua/memory.h"
#include "lua/module_methods.h"
#include "lua/named.h"
#include "lua/object.h"
#include "lua/operators.h"
#include "lua/predicate.h"
#include "lua/profile.h"
#include "lua/rearrange.h"
#include "lua/reduce.h"
#include "lua/share.h"
#include "lua/stream.h"
#include "lua/terminal.h"
#include "lua/tensor_map.h"
#include "lua/texture.h"
#include "lua/tile.h"
#include "lua/variant.h"

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
  lua_newuserdatauv(L, 0, 0); /* null */
  lua_newtable(L); /* null, metatable */
  lua_pushcfunction(L, null_tostring);
  lua_setfield(L, -2, "__tostring");
  dc_lua_set_string(L, "__name", "dotcompute.null");
  lua_setmetatable(L, -2);
  state->null = lua_touserdata(L, -1);
  lua_pushvalue(L, -1);
  lua_setiuservalue(L, self, DC_LUA_NULL);
}

/* --- fields of objects --------------------------------------------------------------------------- */

/* Fields of objects cannot be set; the type's name is the second upvalue. */
static int refuse_assignment(lua_State *L) {
  const char *type = lua_tostring(L, lua_upvalueindex(2));
  return dc_lua_fail(L, DC_INDEX, "the field %s of a%s %s cannot be set", dc_lua_push_key(L, 2),
                     type && strchr("aeiou", type[0]) ? "n" : "", type ? type : "object");
}

/* For all types that do not say themselves what an assignment to a field is. */
static void refuse_assignments(lua_State *L, int self) {
  static const luaL_Reg refusal[] = { { "__newindex", refuse_assignment }, { NULL, NULL } };
  const dc_lua *state = lua_touserdata(L, self);
  const int top = lua_gettop(L);
  for (int slot = DC_LUA_ARRAY; slot < DC_LUA_NTYPES; slot++, lua_settop(L, top)) {
    if (!state->types[slot] || slot == DC_LUA_ERROR) continue; /* errors are tables, which a script may add to */
    lua_getiuservalue(L, self, slot);
    if (lua_getfield(L, -1, "__newindex") != LUA_TNIL || lua_getfield(L, -2, "__name") != LUA_TSTRING) continue;
    const char *name = strchr(lua_tostring(L, -1), '.');
    lua_pushvalue(L, -3);
    if (name) dc_lua_setmethods(L, self, refusal, name + 1);
  }
}

/* --- the module ---------------------------------------------------------------------------------- */

static int core_clock(lua_State *L) {
  dc_lua_at_most(L, 0);
  lua_pushnumber(L, dc_clock());
  return 1;
}

/* builtin(source): the chunk of this source is a built-in Lua file, which `where` of an error skips. */
static int core_builtin(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  size_t len;
  luaL_checktype(L, 1, LUA_TSTRING);
  const char *source = lua_tolstring(L, 1, &len);
  if (dc_lua_is_builtin(self, source, len)) return 0; /* modules may be reloaded */
  if (self->nbuiltin == DC_LUA_MOST_BUILTIN) return luaL_error(L, "too many built-in files");
  self->builtin[self->nbuiltin++] = dc_lua_builtin_name(source, len);
  return 0;
}

/* is_builtin(source): whether builtin was called for it. */
static int core_is_builtin(lua_State *L) {
  size_t len;
  const char *source = luaL_checklstring(L, 1, &len);
  lua_pushboolean(L, dc_lua_is_builtin(dc_lua_self(L), source, len));
  return 1;
}

/* columns([n]): arrays are printed in lines of at most n characters from now on. The number of characters. */
static int core_columns(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  const lua_Integer n = luaL_optinteger(L, 1, self->columns ? self->columns : 80);
  self->columns = n < 20 ? 20 : n > 1000 ? 1000 : (int)n;
  lua_pushinteger(L, self->columns);
  return 1;
}

/* compiling([subject]): what a status line calls that which is compiled from now on; nil: by its kernels' names. */
static int core_compiling(lua_State *L) {
  dc_notice_subject(luaL_optstring(L, 1, NULL));
  return 0;
}

/* status_columns(): the width of the terminal that shows status lines; nil where none are shown. */
static int core_status_columns(lua_State *L) {
  const int columns = dc_notice_columns();
  if (columns == 0) return 0;
  lua_pushinteger(L, columns);
  return 1;
}

/* trace(n): n more functions are being traced by dc.vectorize. */
static int core_trace(lua_State *L) {
  dc_lua_self(L)->tracing += (int)luaL_checkinteger(L, 1);
  return 0;
}

/* types(): name -> table of methods, of each type that has methods. */
static int core_types(lua_State *L) {
  const dc_lua *self = dc_lua_self(L);
  lua_settop(L, 0);
  lua_newtable(L); /* list */
  for (int slot = DC_LUA_ARRAY; slot < DC_LUA_NTYPES; slot++) {
    if (!self->types[slot]) continue;
    dc_lua_get_table(L, slot);
    if (lua_getfield(L, -1, "__name") == LUA_TSTRING && lua_getfield(L, -2, "__methods") == LUA_TTABLE)
      lua_rawset(L, 1); /* list metatable */
    lua_settop(L, 1);
  }
  return 1;
}

static const luaL_Reg api[] = {
  { "clock", core_clock },
  { NULL, NULL },
};

static const luaL_Reg internal[] = {
  { "builtin", core_builtin },
  { "is_builtin", core_is_builtin },
  { "trace", core_trace },
  { "columns", core_columns },
  { "types", core_types },
  { "compiling", core_compiling },
  { "status_columns", core_status_columns },
  { NULL, NULL },
};

/* The state's own finalizer, which runs after those of all objects. */
static int state_gc(lua_State *L) {
  dc_lua *self = lua_touserdata(L, 1);
  if (!self || lua_rawlen(L, 1) != sizeof *self || self->itself != self) return 0;
  dc_lua_release_late(L);
  if (dc_profile_runs(self->devices)) dc_profile_stop(self->devices);
  dc_device_set_give(self->devices, dc_device_reset);
  dc_lua_work_slot_give(self->work_slot);
  self->itself = NULL;
  self->devices = NULL;
  dc_lua_active.L = NULL;
  dc_lua_active.self = NULL;
  return 0;
}

/* Gives {api = what `require "dotcompute"` returns, …}; the rest is for our own Lua files. */
int luaopen_dotcompute_core(lua_State *L) {
  luaL_checkversion(L);
  bool preloaded = lua_type(L, 2) == LUA_TSTRING && strcmp(lua_tostring(L, 2), ":preload:") == 0;
  lua_settop(L, 0);
  dc_lua_push_modules(L);
  if (lua_getfield(L, 1, "dotcompute.core") != LUA_TNIL) return 1;
  lua_settop(L, 0);
  dc_lua_find_bundle(L);
  dc_registry_add(&dc_cuda_backend); /* best first */
  dc_registry_add(&dc_cpu_backend);
  dc_lua *self = dc_lua_push_self(L);
  self->host_interrupts = preloaded;
  if (!self->types[DC_LUA_ARRAY]) { /* opened for the first time */
    dc_error err = DC_ERROR_INIT;
    self->devices = dc_device_set_take(&err);
    if (!self->devices) return luaL_error(L, "%s", dc_error_text(&err));
    self->work_slot = dc_lua_work_slot();
    lua_newtable(L); /* state late */
    lua_createtable(L, 0, 1);
    dc_lua_set_string(L, "__mode", "k");
    lua_setmetatable(L, -2);
    lua_setiuservalue(L, 1, DC_LUA_LATE);
    lua_createtable(L, 0, 1); /* state metatable */
    lua_pushcfunction(L, state_gc);
    lua_setfield(L, -2, "__gc");
    lua_setmetatable(L, 1);
  }
  if (!preloaded) dc_lua_open_bytecode(L);
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
  dc_lua_open_predicate(L, 1);
  dc_lua_open_body(L, 1);
  dc_lua_open_comm(L, 1);
  dc_lua_open_comm_call(L, 1);
  dc_lua_open_texture(L, 1);
  dc_lua_open_tensor_map(L, 1);
  refuse_assignments(L, 1);

  lua_newtable(L); /* 2: core */
  dc_lua_setfuncs(L, 1, internal);
  dc_lua_setfuncs(L, 1, dc_lua_device_internal);
  dc_lua_setfuncs(L, 1, dc_lua_stream_internal);
  dc_lua_setfuncs(L, 1, dc_lua_cache_internal);
  dc_lua_setfuncs(L, 1, dc_lua_builders_internal);
  dc_lua_setfuncs(L, 1, dc_lua_rearrange_internal);
  dc_lua_setfuncs(L, 1, dc_lua_predicate_internal);
  dc_lua_setfuncs(L, 1, dc_lua_body_internal);
  dc_lua_setfuncs(L, 1, dc_lua_kernel_internal);
  dc_lua_setfuncs(L, 1, dc_lua_launch_option_internal);
  dc_lua_setfuncs(L, 1, dc_lua_profile_internal);
  dc_lua_setfuncs(L, 1, dc_lua_create_internal);
  dc_lua_setfuncs(L, 1, dc_lua_files_internal);
  dc_lua_setfuncs(L, 1, dc_lua_comm_internal);
  dc_lua_setfuncs(L, 1, dc_lua_comm_call_internal);
  dc_lua_setfuncs(L, 1, dc_lua_terminal_internal);
  dc_lua_setfuncs(L, 1, dc_lua_linalg_internal);
  dc_lua_setfuncs(L, 1, dc_lua_host_pass_internal);
  dc_lua_set_integer(L, "host_few", DC_HOST_FEW);
  dc_lua_setfuncs(L, 1, dc_lua_memory_internal);
  dc_lua_setfuncs(L, 1, dc_lua_operators_internal);
  dc_lua_setfuncs(L, 1, dc_lua_named_internal);
  dc_lua_setfuncs(L, 1, dc_lua_field_internal);
  dc_lua_setfuncs(L, 1, dc_lua_error_internal);
  dc_lua_setfuncs(L, 1, dc_lua_variant_internal);
  dc_lua_setfuncs(L, 1, dc_lua_tile_internal);
  dc_lua_setfuncs(L, 1, dc_lua_texture_internal);
  dc_lua_setfuncs(L, 1, dc_lua_tensor_map_internal);
  dc_lua_setmethods(L, 1, dc_lua_module_internal, "module"); /* for messages where a method misses its object */
  lua_newtable(L); /* 3: api */
  dc_lua_setfuncs(L, 1, api);
  dc_lua_setfuncs(L, 1, dc_lua_device_core);
  dc_lua_setfuncs(L, 1, dc_lua_create_core);
  dc_lua_setfuncs(L, 1, dc_lua_operators_core);
  dc_lua_set_functions(L, 1, NULL);
  dc_lua_setfuncs(L, 1, dc_lua_reduce_core);
  dc_lua_setfuncs(L, 1, dc_lua_complex_core);
  dc_lua_setfuncs(L, 1, dc_lua_linalg_core);
  dc_lua_setfuncs(L, 1, dc_lua_stream_core);
  dc_lua_setfuncs(L, 1, dc_lua_graph_core);
  dc_lua_setfuncs(L, 1, dc_lua_share_core);
  push_null(L, 1);
  lua_setfield(L, 3, "null");
  lua_pushliteral(L, DC_VERSION);
  lua_setfield(L, 3, "version");
  lua_setfield(L, 2, "api");
  dc_lua_push_modules(L); /* 3 */
  lua_pushvalue(L, 3);
  lua_setfield(L, 2, "modules");
  lua_pushvalue(L, 2);
  lua_setfield(L, 3, "dotcompute.core");
  lua_settop(L, 2);
  return 1;
}
