/*
** named.c - see named.h.
**
** One convention for all functions: operands first, then what is usual by position (a shape or axes, a dtype), and last
** one table of options by name.  Whatever is optional by position has a name too.  Where a function takes one table of
** axes or extents, options may stand in it: sum{1, keep = true}.
*/
#include "lua/named.h"

#include <lauxlib.h>
#include <lua.h>
#include <string.h>

#include "base/error.h"
#include "base/line.h"
#include "lua/convert.h"
#include "lua/error.h"
#include "lua/field.h"

#define MOST_OPTIONS 32

/* Pushes "there is a" or "there are a, b and c". */
static const char *push_list(lua_State *L, const char *const *names, size_t n) {
  luaL_Buffer b;
  luaL_buffinit(L, &b);
  luaL_addstring(&b, n == 1 ? "there is " : "there are ");
  if (n == 0) luaL_addstring(&b, "none");
  for (size_t i = 0; i < n; i++) {
    if (i > 0) luaL_addstring(&b, i == n - 1 ? " and " : ", ");
    luaL_addstring(&b, names[i]);
  }
  luaL_pushresult(&b);
  return lua_tostring(L, -1);
}

int dc_lua_fail_option(lua_State *L, const char *who, const char *kind, const char *name, const char *const *names,
                       size_t n) {
  const char *suggestion = dc_lua_push_suggestion(L, name, names, n), *list = push_list(L, names, n);
  return dc_lua_fail(L, DC_ARGUMENT, "%s%sthere is no %s '%s'%s; %s", who, *who ? ": " : "", kind, name, suggestion,
                     list);
}

static bool has_type(lua_State *L, int idx, dc_lua_option_type type) {
  int64_t ignored;
  switch (type) {
    case DC_LUA_BOOLEAN: return lua_isboolean(L, idx);
    case DC_LUA_NUMBER: return lua_type(L, idx) == LUA_TNUMBER;
    case DC_LUA_INTEGER: return dc_lua_tointeger(L, idx, &ignored);
    case DC_LUA_STRING: return lua_type(L, idx) == LUA_TSTRING;
    case DC_LUA_ANY: break;
  }
  return true;
}

/* The option whose name and value are at -2 and -1; raises when there is none, or the value has another type. */
static DC_HOT const dc_lua_option *check_option(lua_State *L, const dc_lua_option *known) {
  static const char *const types[] = {
    [DC_LUA_BOOLEAN] = "a boolean", [DC_LUA_NUMBER] = "a number", [DC_LUA_INTEGER] = "an integer",
    [DC_LUA_STRING] = "a string",
  };
  if (lua_type(L, -2) != LUA_TSTRING)
    dc_lua_fail(L, DC_ARGUMENT, "options are named, as in {%s = …}; got the key %s",
                known->name ? known->name : "name", dc_lua_describe(L, -2));
  const char *name = lua_tostring(L, -2), *names[MOST_OPTIONS];
  size_t n = 0;
  for (const dc_lua_option *o = known; o->name; o++) {
    if (strcmp(o->name, name) != 0) continue;
    if (!has_type(L, lua_gettop(L), o->type))
      dc_lua_fail(L, DC_ARGUMENT, "option '%s' is %s, got %s", name, types[o->type], dc_lua_describe(L, -1));
    return o;
  }
  for (const dc_lua_option *o = known; o->name && n < MOST_OPTIONS; o++) names[n++] = o->name;
  dc_lua_fail_option(L, "", "option", name, names, n);
  return NULL;
}

bool dc_lua_has_names(lua_State *L, int idx) {
  for (lua_pushnil(L); lua_next(L, idx); lua_pop(L, 1)) {
    if (lua_type(L, -2) == LUA_TNUMBER) continue;
    lua_pop(L, 2);
    return true;
  }
  return false;
}

void dc_lua_refuse_options(lua_State *L, int idx) {
  static const dc_lua_option known[] = { { NULL, DC_LUA_ANY, 0 } };
  if (lua_istable(L, idx) && dc_lua_has_names(L, idx)) dc_lua_read_options(L, idx, true, known);
}

void dc_lua_read_options(lua_State *L, int idx, bool takes_list, const dc_lua_option *known) {
  for (lua_pushnil(L); lua_next(L, idx); lua_pop(L, 1)) {
    if (takes_list && lua_type(L, -2) == LUA_TNUMBER) continue;
    const dc_lua_option *o = check_option(L, known);
    if (!lua_isnil(L, o->place))
      dc_lua_fail(L, DC_ARGUMENT, "'%s' is given twice, by position and by name", o->name);
    lua_copy(L, -1, o->place);
  }
}

void dc_lua_take_options(lua_State *L, int first, int last, const dc_lua_option *known) {
  int top = lua_gettop(L);
  while (top >= first && lua_isnil(L, top)) top--;
  if (top < first || !lua_istable(L, top)) return dc_lua_at_most(L, last);
  if (top > last + 1) {
    const int receiver = dc_lua_count_receiver(L), takes = last - receiver;
    dc_lua_fail_count(L, NULL, top - receiver, "at most %d argument%s and options", takes, takes == 1 ? "" : "s");
  }
  lua_settop(L, top);
  lua_settop(L, last + 1); /* arguments and nils, place of the table */
  if (top <= last) { /* the table behind all places */
    lua_pushvalue(L, top);
    lua_replace(L, last + 1);
    lua_pushnil(L);
    lua_replace(L, top);
  }
  dc_lua_read_options(L, last + 1, false, known);
  lua_settop(L, last);
}

/* fail_option(who, name, names): for functions in Lua; the message begins with `who`. */
static int core_fail_option(lua_State *L) {
  const char *names[MOST_OPTIONS];
  const char *who = luaL_checkstring(L, 1), *name = luaL_checkstring(L, 2);
  size_t n = 0;
  luaL_checktype(L, 3, LUA_TTABLE);
  lua_settop(L, 3);
  luaL_checkstack(L, MOST_OPTIONS + 8, NULL);
  while (n < MOST_OPTIONS && lua_rawgeti(L, 3, (lua_Integer)n + 1) == LUA_TSTRING) names[n++] = lua_tostring(L, -1);
  return dc_lua_fail_option(L, who, "option", name, names, n);
}

/* other_key(t [, names]): a key beside t[1], t[2], …, described, of strings only if `names`; nil: there is none. */
static int core_other_key(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  if (!dc_lua_other_key(L, 1, luaL_len(L, 1), lua_toboolean(L, 2))) return 0;
  lua_pushstring(L, dc_lua_describe(L, -1));
  return 1;
}

const luaL_Reg dc_lua_named_internal[] = {
  { "fail_option", core_fail_option }, { "other_key", core_other_key }, { NULL, NULL }
};
