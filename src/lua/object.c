/* object.c - see object.h. */
#include "lua/object.h"

#include <lua.h>
#include <stdatomic.h>
#include <string.h>

#include "base/hash.h"
#include "base/line.h"
#include "base/runtime.h"
#include "lua/bytecode.h"

_Thread_local struct dc_lua_active dc_lua_active;

static const char state_key = 0; /* its address is the registry's key for the dc_lua */

/* The dc_lua at idx; NULL when it is none. */
static dc_lua *to_state(lua_State *L, int idx) {
  dc_lua *self = lua_touserdata(L, idx);
  return self && lua_rawlen(L, idx) == sizeof *self && self->itself == self ? self : NULL;
}

int dc_lua_tampered(lua_State *L, const char *what) {
  const dc_lua *self = lua_touserdata(L, lua_upvalueindex(1));
  if (self && lua_rawlen(L, lua_upvalueindex(1)) == sizeof *self && !self->itself)
    return luaL_error(L, "dotcompute has ended: the Lua state is being closed");
  return luaL_error(L, "%s of dotcompute was replaced by means of the debug library", what);
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

void dc_lua_get_table(lua_State *L, int slot) {
  dc_lua_self(L);
  if (DC_UNLIKELY(lua_getiuservalue(L, lua_upvalueindex(1), slot) != LUA_TTABLE))
    dc_lua_tampered(L, "a value of the state");
}

int dc_lua_method(lua_State *L, int slot) {
  dc_lua_get_table(L, slot);
  if (lua_getfield(L, -1, "__methods") != LUA_TTABLE) dc_lua_tampered(L, "the field __methods of a metatable");
  lua_pushvalue(L, 2);
  return lua_rawget(L, -2);
}

void dc_lua_push_lua(lua_State *L, const char *module, const char *name) {
  dc_lua_push_modules(L);
  lua_getfield(L, -1, module);
  lua_getfield(L, -1, name);
  lua_replace(L, -3);
  lua_pop(L, 1);
}

static int end_entry(lua_State *L, int status, lua_KContext context) {
  (void)status;
  (void)context;
  return lua_gettop(L);
}

int dc_lua_entry(lua_State *L) {
  lua_pushvalue(L, lua_upvalueindex(2));
  lua_insert(L, 1);
  lua_callk(L, lua_gettop(L) - 1, LUA_MULTRET, 0, end_entry); /* the function may yield */
  return lua_gettop(L);
}

dc_lua *dc_lua_push_self(lua_State *L) {
  luaL_checkstack(L, 8, NULL);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &state_key);
  dc_lua *self = to_state(L, -1);
  if (self) return self;
  lua_pop(L, 1);
  self = lua_newuserdatauv(L, sizeof *self, DC_LUA_END - 1); /* the result */
  memset(self, 0, sizeof *self);
  self->itself = self;
  int at = lua_gettop(L);
  lua_newtable(L);
  lua_setiuservalue(L, at, DC_LUA_DEVICES);
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
  dc_lua_set_string(L, "__name", name);
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

/* --- lines of the script ------------------------------------------------------------------------- */

dc_lua_builtin dc_lua_builtin_name(const char *source, size_t len) {
  return (dc_lua_builtin){ dc_fnv1a(DC_FNV1A, source, len), len };
}

bool dc_lua_is_builtin(const dc_lua *self, const char *source, size_t len) {
  dc_lua_builtin name = { 0 };
  for (int i = 0; i < self->nbuiltin; i++) {
    if (self->builtin[i].len != len) continue;
    if (name.len == 0) name = dc_lua_builtin_name(source, len);
    if (self->builtin[i].hash == name.hash) return true;
  }
  return false;
}

bool dc_lua_caller(lua_State *L, lua_Debug *ar) {
  const dc_lua *self = dc_lua_push_self(L);
  bool found = false;
  lua_pop(L, 1);
  for (int level = 0; !found && lua_getstack(L, level, ar); level++) {
    lua_getinfo(L, "l", ar);
    if (ar->currentline <= 0) continue; /* a function in C */
    lua_getinfo(L, "S", ar);
    found = !dc_lua_is_builtin(self, ar->source, ar->srclen);
  }
  return found;
}

/* --- launch sites -------------------------------------------------------------------------------- */
/* Only the first launch into an idle stream is noted (kernel.c): of several kernels under way the driver does not tell
** which one went wrong.  Scripts launch in loops, so a kernel object remembers its last site, and a launch from there
** costs one lua_getinfo and a comparison. */

/* Whether the running C function was called straight from the line of that site. */
static bool is_at(lua_State *L, const dc_lua_launch_site *site) {
  lua_Debug ar;
  return site->line > 0 && lua_getstack(L, 1, &ar) && lua_getinfo(L, "Sl", &ar) && ar.currentline == site->line &&
         strcmp(ar.short_src, site->script) == 0;
}

/* Where no line of a script has called (a coroutine that is the kernel's call itself) that is noted too: the fault is
** not attributed to launches before it. */
void dc_lua_note_launch(lua_State *L, dc_lua *self, uint64_t *site, const char name[40]) {
  dc_lua_launch_site *last = &self->sites[*site % DC_LUA_SITES];
  if (*site != 0 && last->number == *site && is_at(L, last)) {
    last->launch = ++self->nlaunches;
    return;
  }
  lua_Debug caller;
  const bool called = dc_lua_caller(L, &caller);
  *site = ++self->nsites;
  dc_lua_launch_site *new = &self->sites[*site % DC_LUA_SITES];
  *new = (dc_lua_launch_site){ .launch = ++self->nlaunches, .number = *site, .line = called ? caller.currentline : 0 };
  memcpy(new->kernel, name, sizeof new->kernel);
  if (called) memcpy(new->script, caller.short_src, sizeof new->script);
}

void dc_lua_forget_launch(dc_lua *self, uint64_t number) {
  dc_lua_launch_site *site = &self->sites[number % DC_LUA_SITES];
  if (site->number == number) site->launch = 0;
}

const dc_lua_launch_site *dc_lua_last_launch(const dc_lua *self, const char *text) {
  const dc_lua_launch_site *last = NULL;
  for (int i = 0; i < DC_LUA_SITES; i++) {
    const dc_lua_launch_site *site = &self->sites[i];
    const size_t n = strcspn(site->kernel, "<"); /* the driver knows no template arguments */
    if (site->launch == 0 || strncmp(site->kernel, text, n) != 0 || (text[n] != '\'' && text[n] != '<')) continue;
    if (!last || site->launch > last->launch) last = site;
  }
  return last && last->line > 0 ? last : NULL;
}

/* --- fields of tables ---------------------------------------------------------------------------- */

#define SETTER(kind, type)                                                    \
  void dc_lua_set_##kind(lua_State *L, const char *name, type v) {            \
    lua_push##kind(L, v);                                                     \
    lua_setfield(L, -2, name); /* table */                                    \
  }
SETTER(integer, lua_Integer)
SETTER(number, lua_Number)
SETTER(boolean, bool)
SETTER(string, const char *)
#undef SETTER

void dc_lua_set_extents(lua_State *L, const char *name, const uint32_t v[3]) {
  lua_createtable(L, 3, 0); /* table, extents */
  for (int i = 0; i < 3; i++) {
    lua_pushinteger(L, v[i]);
    lua_rawseti(L, -2, i + 1);
  }
  lua_setfield(L, -2, name);
}
