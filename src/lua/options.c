/*
** options.c - see options.h.
**
** Strings are first collected in Lua tables, which keep them alive; then one userdata holds the
** dc_source and the pointers to them, with those tables as its user value.
*/
#include "lua/options.h"

#include <lauxlib.h>
#include <lua.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "compile/types/source.h"
#include "lua/error.h"
#include "lua/named.h"
#include "lua/object.h"

/* Lists being collected: stack indices of Lua sequences of strings. */
enum list { LIST_DEFINES, LIST_OPTIONS, LIST_INCLUDES, LIST_HEADERS, LIST_TEXTS, LIST_INSTANCES, LIST_UNITS,
            LIST_ARG_KERNELS, LIST_ARG_LISTS, NLISTS };

typedef struct lists {
  int at[NLISTS];
} lists;

/* Appends the string on top, popped.  All but sources end at a NUL byte for the compiler, which therefore have none. */
static void append(lua_State *L, const lists *l, enum list which) {
  if (which != LIST_UNITS && strlen(lua_tostring(L, -1)) != lua_rawlen(L, -1))
    dc_lua_fail(L, DC_ARGUMENT, "an option holds a NUL byte, behind '%s'", lua_tostring(L, -1));
  lua_rawseti(L, l->at[which], (lua_Integer)lua_rawlen(L, l->at[which]) + 1);
}

static int fail_option(lua_State *L, const char *option, const char *wanted) {
  return dc_lua_fail(L, DC_ARGUMENT, "option '%s' is %s, got %s", option, wanted, dc_lua_describe(L, -1));
}

/* The text of a macro's value at idx, pushed: false gives nil (no definition). */
static void push_macro_value(lua_State *L, int idx) {
  switch (lua_type(L, idx)) {
    case LUA_TBOOLEAN:
      if (lua_toboolean(L, idx)) lua_pushliteral(L, "1");
      else lua_pushnil(L);
      return;
    case LUA_TSTRING: lua_pushvalue(L, idx); return;
    case LUA_TNUMBER:
      if (lua_isinteger(L, idx)) {
        lua_pushfstring(L, "%I", (LUAI_UACINT)lua_tointeger(L, idx));
      } else {
        char text[40];
        double v = lua_tonumber(L, idx);
        if (!isfinite(v)) dc_lua_fail(L, DC_ARGUMENT, "option 'define': %g cannot be written as a macro", v);
        snprintf(text, sizeof text, "%.17g", v); /* a double again, not an int */
        lua_pushfstring(L, strpbrk(text, ".e") ? "%s" : "%s.0", text);
      }
      return;
    default:
      dc_lua_fail(L, DC_ARGUMENT, "option 'define': a macro is a number, a string or a boolean, got %s",
                  dc_lua_describe(L, idx));
  }
}

static void read_define(lua_State *L, const lists *l) {
  if (!lua_istable(L, -1)) fail_option(L, "define", "a table {NAME = value}");
  int table = lua_gettop(L);
  for (lua_pushnil(L); lua_next(L, table); lua_pop(L, 1)) {
    if (lua_type(L, -2) != LUA_TSTRING)
      dc_lua_fail(L, DC_ARGUMENT, "option 'define': names are strings, got %s", dc_lua_describe(L, -2));
    push_macro_value(L, lua_gettop(L)); /* key, value, text or nil */
    if (lua_isnil(L, -1)) {
      lua_pop(L, 1);
      continue;
    }
    lua_pushliteral(L, "-D"); /* whole, so that a NUL byte in it is noticed */
    lua_pushvalue(L, -4);
    lua_pushliteral(L, "=");
    lua_pushvalue(L, -4);
    lua_concat(L, 4); /* key, value, text, "-Dkey=text" */
    append(L, l, LIST_DEFINES); /* key, value, text */
    lua_pop(L, 1);
  }
}

/* A sequence of strings, or one string. */
static void read_strings(lua_State *L, const lists *l, const char *option, enum list which) {
  if (lua_type(L, -1) == LUA_TSTRING) {
    lua_pushvalue(L, -1);
    append(L, l, which);
    return;
  }
  if (!lua_istable(L, -1)) fail_option(L, option, "a list of strings");
  lua_Integer n = luaL_len(L, -1);
  for (lua_Integer i = 1; i <= n; i++) {
    if (lua_geti(L, -1, i) != LUA_TSTRING) fail_option(L, option, "a list of strings");
    append(L, l, which);
  }
}

/* A table of strings by strings: its keys and values go into a list each. */
static void read_pairs(lua_State *L, const lists *l, const char *option, const char *wanted, enum list keys,
                       enum list values) {
  if (!lua_istable(L, -1)) fail_option(L, option, wanted);
  int table = lua_gettop(L);
  for (lua_pushnil(L); lua_next(L, table); lua_pop(L, 1)) { /* .., key, value */
    if (lua_type(L, -2) != LUA_TSTRING || lua_type(L, -1) != LUA_TSTRING) fail_option(L, option, wanted);
    lua_pushvalue(L, -2);
    append(L, l, keys);
    lua_pushvalue(L, -1);
    append(L, l, values);
  }
}

/* The parameter list of the only kernel, or a table of them by kernel. */
static void read_args(lua_State *L, const lists *l) {
  static const char wanted[] =
      "a kernel's parameter list such as \"const float *x, int n\", or a table {kernel = list}";
  if (lua_type(L, -1) == LUA_TSTRING) {
    lua_pushliteral(L, ""); /* list, kernel */
    append(L, l, LIST_ARG_KERNELS);
    lua_pushvalue(L, -1);
    append(L, l, LIST_ARG_LISTS);
    return;
  }
  read_pairs(L, l, "args", wanted, LIST_ARG_KERNELS, LIST_ARG_LISTS);
}

/* A switch that adds one compiler option. */
static void read_switch(lua_State *L, const lists *l, const char *option, const char *flag) {
  if (!lua_isboolean(L, -1)) fail_option(L, option, "true or false");
  if (!lua_toboolean(L, -1)) return;
  lua_pushstring(L, flag);
  append(L, l, LIST_OPTIONS);
}

static void read_std(lua_State *L, const lists *l) {
  if (lua_type(L, -1) != LUA_TSTRING) fail_option(L, "std", "a string such as \"c++17\"");
  lua_pushfstring(L, "-std=%s", lua_tostring(L, -1));
  append(L, l, LIST_OPTIONS);
}

static void fail_unknown(lua_State *L, const char *name) {
  static const char *const names[] = { "name", "define", "include", "headers", "flags", "std", "fast_math",
                                       "instantiate", "args", "link", "warnings", "debug" };
  dc_lua_fail_option(L, "", "option", name, names, sizeof names / sizeof *names);
}

/* One option; its value is on top and stays there. */
static void read_option(lua_State *L, const lists *l, const char *name) {
  if (strcmp(name, "define") == 0) read_define(L, l);
  else if (strcmp(name, "include") == 0) read_strings(L, l, name, LIST_INCLUDES);
  else if (strcmp(name, "headers") == 0) read_pairs(L, l, name, "a table {[\"name.h\"] = text}", LIST_HEADERS,
                                             LIST_TEXTS);
  else if (strcmp(name, "flags") == 0) read_strings(L, l, name, LIST_OPTIONS);
  else if (strcmp(name, "instantiate") == 0) read_strings(L, l, name, LIST_INSTANCES);
  else if (strcmp(name, "std") == 0) read_std(L, l);
  else if (strcmp(name, "args") == 0) read_args(L, l);
  else if (strcmp(name, "fast_math") == 0) read_switch(L, l, name, "--use_fast_math");
  else if (strcmp(name, "debug") == 0) read_switch(L, l, name, "--generate-line-info");
  else if (strcmp(name, "warnings") == 0) {
    if (!lua_isboolean(L, -1)) fail_option(L, name, "true or false");
  } else if (strcmp(name, "name") != 0 && strcmp(name, "link") != 0) /* read by module.c */
    fail_unknown(L, name);
}

static int by_text(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

/* Bytes of the string on top, with its end. */
static size_t bytes_on_top(lua_State *L) { return lua_rawlen(L, -1) + 1; }

/* Bytes of all strings in the list. */
static size_t count_bytes(lua_State *L, int list) {
  size_t bytes = 0;
  const lua_Integer n = (lua_Integer)lua_rawlen(L, list);
  for (lua_Integer i = 1; i <= n; i++) {
    lua_rawgeti(L, list, i);
    bytes += bytes_on_top(L);
    lua_pop(L, 1);
  }
  return bytes;
}

/* The string on top, copied to *bytes, which is moved behind it; popped. */
static const char *copy_string(lua_State *L, char **bytes) {
  const size_t n = bytes_on_top(L);
  char *copy = memcpy(*bytes, lua_tostring(L, -1), n);
  *bytes += n;
  lua_pop(L, 1);
  return copy;
}

/* Puts copies of the list's strings, made at *bytes, into `to`; returns how many. */
static int gather(lua_State *L, int list, const char **to, char **bytes) {
  int n = (int)lua_rawlen(L, list);
  for (int i = 0; i < n; i++) {
    lua_rawgeti(L, list, i + 1);
    to[i] = copy_string(L, bytes);
  }
  return n;
}

/* Keeps names and texts of headers in the order of the names, so that the cache's key does not depend on
** the order in which Lua walks a table. */
static void sort_headers(const char **names, const char **texts, int n) {
  for (int i = 1; i < n; i++)
    for (int k = i; k > 0 && strcmp(names[k - 1], names[k]) > 0; k--) {
      const char *name = names[k], *text = texts[k];
      names[k] = names[k - 1];
      texts[k] = texts[k - 1];
      names[k - 1] = name;
      texts[k - 1] = text;
    }
}

typedef struct source {
  dc_source s;
  const char *strings[];
} source;

/* The userdata from the lists, on top of the stack: the pointers, then the bytes of the strings. */
static dc_source *assemble(lua_State *L, const lists *l, int text, bool is_file) {
  size_t total = lua_rawlen(L, l->at[LIST_UNITS]); /* their lengths stand behind all the pointers */
  size_t nbytes = lua_rawlen(L, text) + 1;
  for (int i = 0; i < NLISTS; i++) {
    total += lua_rawlen(L, l->at[i]);
    nbytes += count_bytes(L, l->at[i]);
  }
  _Static_assert(sizeof(size_t) == sizeof(char *), "lengths take the room of pointers");
  source *o = dc_lua_new(L, DC_LUA_SOURCE, sizeof *o + total * sizeof(char *) + nbytes, 0);
  const char **at = o->strings;
  char *bytes = (char *)(at + total);
  o->s.is_file = is_file;
  o->s.len = lua_rawlen(L, text);
  lua_pushvalue(L, text);
  o->s.text = copy_string(L, &bytes);
  o->s.options = at;
  int ndefines = gather(L, l->at[LIST_DEFINES], at, &bytes);
  qsort(at, (size_t)ndefines, sizeof *at, by_text);
  o->s.noptions = ndefines + gather(L, l->at[LIST_OPTIONS], at + ndefines, &bytes);
  at += o->s.noptions;
  o->s.include_dirs = at;
  at += o->s.ninclude_dirs = gather(L, l->at[LIST_INCLUDES], at, &bytes);
  const char **names = at;
  o->s.header_names = names;
  at += o->s.nheaders = gather(L, l->at[LIST_HEADERS], at, &bytes);
  o->s.header_texts = at;
  at += gather(L, l->at[LIST_TEXTS], at, &bytes);
  sort_headers(names, names + o->s.nheaders, o->s.nheaders);
  o->s.instantiate = at;
  at += o->s.ninstantiate = gather(L, l->at[LIST_INSTANCES], at, &bytes);
  o->s.arg_kernels = at;
  at += o->s.nargs = gather(L, l->at[LIST_ARG_KERNELS], at, &bytes);
  o->s.arg_lists = at;
  at += gather(L, l->at[LIST_ARG_LISTS], at, &bytes);
  o->s.units = at;
  at += o->s.nunits = gather(L, l->at[LIST_UNITS], at, &bytes);
  size_t *lengths = (size_t *)at;
  o->s.unit_lens = lengths;
  for (int i = 0; i < o->s.nunits; i++) {
    lua_rawgeti(L, l->at[LIST_UNITS], i + 1);
    lengths[i] = lua_rawlen(L, -1);
    lua_pop(L, 1);
  }
  return &o->s;
}

/* The folder of the file that the origin on top is from: what it includes is searched there, after the user's. */
static void read_folder(lua_State *L, const lists *l) {
  if (lua_getfield(L, -1, "path") == LUA_TSTRING) {
    const char *path = lua_tostring(L, -1), *slash = strrchr(path, '/');
    if (slash) lua_pushlstring(L, path, slash == path ? 1 : (size_t)(slash - path));
    else lua_pushliteral(L, ".");
    append(L, l, LIST_INCLUDES);
  }
  lua_pop(L, 1);
}

/* The texts of the linked sources' origins in the list on top, popped. */
static void read_units(lua_State *L, const lists *l) {
  for (lua_Integer i = 1; lua_istable(L, -1) && lua_rawgeti(L, -1, i) == LUA_TTABLE; i++) {
    read_folder(L, l);
    lua_getfield(L, -1, "text");
    append(L, l, LIST_UNITS);
    lua_pop(L, 1);
  }
  lua_settop(L, l->at[NLISTS - 1]);
}

const dc_source *dc_lua_newsource(lua_State *L, int origin, const char *instance) {
  lists l;
  luaL_checkstack(L, NLISTS + 16, NULL);
  const int base = lua_gettop(L);
  if (lua_getfield(L, origin, "text") != LUA_TSTRING) dc_lua_tampered(L, "the text of a module");
  lua_getfield(L, origin, "options"); /* base + 2 */
  const int text = base + 1, options = base + 2;
  for (int i = 0; i < NLISTS; i++) {
    lua_newtable(L);
    l.at[i] = lua_gettop(L); /* base + 3 …: the lists */
  }
  if (lua_istable(L, options)) {
    for (lua_pushnil(L); lua_next(L, options); lua_pop(L, 1)) {
      if (lua_type(L, -2) != LUA_TSTRING)
        dc_lua_fail(L, DC_ARGUMENT, "options are named, got the key %s", dc_lua_describe(L, -2));
      read_option(L, &l, lua_tostring(L, -2));
      lua_settop(L, l.at[NLISTS - 1] + 2); /* key, value */
    }
  } else if (!lua_isnil(L, options)) {
    dc_lua_fail(L, DC_ARGUMENT, "options are a table, got %s", dc_lua_describe(L, options));
  }
  lua_pushvalue(L, origin);
  read_folder(L, &l);
  lua_getfield(L, origin, "units");
  read_units(L, &l);
  if (instance) {
    lua_pushstring(L, instance);
    append(L, &l, LIST_INSTANCES);
  }
  const bool is_file = lua_getfield(L, origin, "path") == LUA_TSTRING;
  lua_pop(L, 1);
  dc_source *s = assemble(L, &l, text, is_file); /* lists… userdata */
  lua_replace(L, base + 1); /* userdata */
  lua_settop(L, base + 1);
  return s;
}
