/* field.c - see field.h. */
#include "lua/field.h"

#include <lauxlib.h>
#include <lua.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/closest.h"
#include "base/error.h"
#include "lua/error.h"
#include "lua/object.h"

const char *dc_lua_push_suggestion(lua_State *L, const char *word, const char *const *names, size_t n) {
  const char *closest = dc_closest(word, names, n);
  if (!closest || strcmp(closest, word) == 0) return lua_pushliteral(L, "");
  return lua_pushfstring(L, " (did you mean '%s'?)", closest);
}

static int by_name(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

/* What does here what `name` does in other libraries; NULL: nothing is known of it. */
static const char *find_elsewhere(const char *name) {
  static const struct {
    const char *name, *here;
  } list[] = {
#define NAME(name, here) { name, here },
#include "lua/elsewhere.def"
#undef NAME
  };
  for (size_t i = 0; i < sizeof list / sizeof *list; i++)
    if (strcmp(list[i].name, name) == 0) return list[i].here;
  return NULL;
}

const char *dc_lua_suggest(lua_State *L, int idx, const char *name) {
  size_t n = 0, most = 1;
  const char *here = find_elsewhere(name);
  if (here) return lua_pushfstring(L, " (in dotcompute: %s)", here);
  idx = lua_absindex(L, idx);
  for (lua_pushnil(L); lua_next(L, idx); lua_pop(L, 1)) most++;
  const char **names = lua_newuserdatauv(L, most * sizeof *names, 0);
  for (lua_pushnil(L); lua_next(L, idx); lua_pop(L, 1))
    if (lua_type(L, -2) == LUA_TSTRING) names[n++] = lua_tostring(L, -2); /* the table keeps it */
  qsort(names, n, sizeof *names, by_name); /* of several that are equally close always the same */
  return dc_lua_push_suggestion(L, name, names, n);
}

/* The keys of the table on top, which is popped, become keys of the one at idx. */
static void add_keys(lua_State *L, int idx) {
  for (lua_pushnil(L); lua_next(L, -2);) { /* table key value */
    lua_pushvalue(L, -2);
    lua_insert(L, -2);
    lua_settable(L, idx);
  }
  lua_pop(L, 1);
}

/* Pushes and returns " (did you mean 'device'?)" for the key at stack index 2, of the keys of the table at idx. */
static const char *suggest_key(lua_State *L, int idx) {
  return lua_type(L, 2) == LUA_TSTRING ? dc_lua_suggest(L, idx, lua_tostring(L, 2)) : lua_pushliteral(L, "");
}

const char *dc_lua_push_key(lua_State *L, int idx) {
  const bool named = lua_type(L, idx) == LUA_TSTRING;
  return lua_pushfstring(L, named ? "'%s'" : "[%s]", luaL_tolstring(L, idx, NULL));
}

int dc_lua_fail_field(lua_State *L, const char *what, int slot, const char *const *fields, int table) {
  luaL_checkstack(L, 8, NULL);
  lua_newtable(L); /* names */
  const int names = lua_gettop(L);
  for (; *fields; fields++) dc_lua_set_boolean(L, *fields, true);
  if (table) {
    lua_pushvalue(L, table);
    add_keys(L, names);
  }
  dc_lua_get_table(L, slot); /* names metatable */
  if (lua_getfield(L, -1, "__methods") != LUA_TTABLE) dc_lua_tampered(L, "the field __methods of a metatable");
  add_keys(L, names);
  return dc_lua_fail(L, DC_INDEX, "%s has no %s%s", what, dc_lua_push_key(L, 2), suggest_key(L, names));
}

int dc_lua_check_field(lua_State *L, const char *what, int slot, const char *const *fields) {
  const char *name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : NULL;
  for (int i = 0; name && fields[i]; i++)
    if (strcmp(fields[i], name) == 0) return i;
  return dc_lua_fail_field(L, what, slot, fields, 0);
}

/* __index of a table of attributes.  The second upvalue is whose they are, the third one that may be absent, or nil. */
static int fail_attribute(lua_State *L) {
  lua_settop(L, 2);
  if (!lua_isnil(L, lua_upvalueindex(3)) && lua_rawequal(L, 2, lua_upvalueindex(3))) return 0;
  return dc_lua_fail(L, DC_INDEX, "%s has no attribute %s%s", lua_tostring(L, lua_upvalueindex(2)),
                     dc_lua_push_key(L, 2), suggest_key(L, 1));
}

void dc_lua_refuse_attributes(lua_State *L, const char *what, const char *absent) {
  lua_createtable(L, 0, 1); /* attributes metatable */
  dc_lua_push_self(L);
  lua_pushstring(L, what);
  lua_pushstring(L, absent);
  lua_pushcclosure(L, fail_attribute, 3);
  lua_setfield(L, -2, "__index");
  lua_setmetatable(L, -2);
}

/* suggest(t, name): the suggestion for a name that the table does not have, or "". */
static int core_suggest(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  if (lua_type(L, 2) == LUA_TSTRING) dc_lua_suggest(L, 1, lua_tostring(L, 2));
  else lua_pushliteral(L, "");
  return 1;
}

/* elsewhere(name): what does here what a function of another library does, or nil. */
static int core_elsewhere(lua_State *L) {
  lua_pushstring(L, find_elsewhere(luaL_checkstring(L, 1)));
  return 1;
}

const luaL_Reg dc_lua_field_internal[] = {
  { "suggest", core_suggest }, { "elsewhere", core_elsewhere }, { NULL, NULL }
};
