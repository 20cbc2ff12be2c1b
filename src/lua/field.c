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

const char *dc_lua_suggest(lua_State *L, int idx, const char *name) {
  size_t n = 0, most = 1;
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

int dc_lua_fail_field(lua_State *L, const char *what, int slot, const char *name, const char *const *fields,
                      int table) {
  luaL_checkstack(L, 8, NULL);
  lua_newtable(L); /* names */
  const int names = lua_gettop(L);
  for (; *fields; fields++) dc_lua_set_boolean(L, *fields, true);
  if (table) {
    lua_pushvalue(L, table);
    add_keys(L, names);
  }
  dc_lua_get(L, slot, LUA_TTABLE); /* names metatable */
  if (lua_getfield(L, -1, "__methods") != LUA_TTABLE) dc_lua_tampered(L, "the field __methods of a metatable");
  add_keys(L, names);
  return dc_lua_fail(L, DC_INDEX, "%s has no '%s'%s", what, name, dc_lua_suggest(L, names, name));
}

int dc_lua_check_field(lua_State *L, const char *what, int slot, const char *name, const char *const *fields) {
  for (int i = 0; fields[i]; i++)
    if (strcmp(fields[i], name) == 0) return i;
  return dc_lua_fail_field(L, what, slot, name, fields, 0);
}

/* suggest(t, name): the suggestion for a name that the table does not have, or "". */
static int core_suggest(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  if (lua_type(L, 2) == LUA_TSTRING) dc_lua_suggest(L, 1, lua_tostring(L, 2));
  else lua_pushliteral(L, "");
  return 1;
}

const luaL_Reg dc_lua_field_internal[] = { { "suggest", core_suggest }, { NULL, NULL } };
