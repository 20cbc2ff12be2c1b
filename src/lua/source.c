/*
** source.c - see source.h.
**
** Sources are compiled under a fixed name and line numbers (so that an edit above a kernel recompiles
** nothing); only when a message is shown is the text looked for in the caller's file.  Lua turned each
** line end of a long string into one newline and skipped the first, so the file is read the same way.
** A text that is not there (built strings, -e) is named by the line of the call and its own line.
*/
#include "lua/source.h"

#include <lauxlib.h>
#include <lua.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "compile/link/prebuilt.h"
#include "compile/types/source.h"
#include "lua/object.h"

/* The origin is a table: text, script (file name or false), shown (its short name), call (line of the
** call), path (the file it is), and once looked up start (script's line of the text's first line, 0: not
** found).  That of several sources which are linked has as text all of them, each on lines of its own, and as
** units a list of the sources' own origins, with the number of lines of each in lines. */

void dc_lua_origin(lua_State *L, int text, const char *path) {
  text = lua_absindex(L, text);
  lua_createtable(L, 0, 5); /* the result */
  lua_pushvalue(L, text);
  lua_setfield(L, -2, "text");
  lua_Debug ar;
  bool known = dc_lua_caller(L, &ar);
  if (path) {
    dc_lua_set_string(L, "shown", path);
    dc_lua_set_string(L, "path", path);
    dc_lua_set_integer(L, "start", 1);
  } else if (known) {
    if (ar.source[0] == '@') lua_pushstring(L, ar.source + 1);
    else lua_pushboolean(L, 0);
    lua_setfield(L, -2, "script");
    dc_lua_set_string(L, "shown", ar.short_src);
  }
  dc_lua_set_integer(L, "call", known ? ar.currentline : 0);
}

/* Lines that a source takes among others: ready-made code takes none. */
static lua_Integer count_lines(const char *s, size_t n) {
  lua_Integer lines = 1;
  if (dc_is_prebuilt(s, n)) return 0;
  for (const char *end = s + n; (s = memchr(s, '\n', (size_t)(end - s))) != NULL; s++) lines++;
  return lines;
}

void dc_lua_origins(lua_State *L, int texts, int paths) {
  texts = lua_absindex(L, texts);
  paths = lua_absindex(L, paths);
  luaL_checkstack(L, 8, NULL);
  lua_pushliteral(L, "");
  dc_lua_origin(L, -1, NULL);
  lua_remove(L, -2); /* origin */
  const int origin = lua_gettop(L);
  lua_newtable(L); /* units */
  lua_pushliteral(L, ""); /* the whole text */
  for (lua_Integer i = 1; lua_rawgeti(L, texts, i) != LUA_TNIL; i++) {
    size_t n;
    const char *text = lua_tolstring(L, -1, &n);
    if (!text) dc_lua_tampered(L, "the text of a module");
    const char *path = NULL;
    if (lua_istable(L, paths) && lua_rawgeti(L, paths, i) == LUA_TSTRING) path = lua_tostring(L, -1);
    lua_settop(L, origin + 3);
    dc_lua_origin(L, origin + 3, path);
    dc_lua_set_integer(L, "lines", count_lines(text, n));
    lua_rawseti(L, origin + 1, i);
    if (dc_is_prebuilt(text, n)) {
      lua_pop(L, 1);
    } else {
      lua_pushliteral(L, "\n");
      lua_concat(L, 3); /* origin, units, whole */
    }
  }
  lua_pop(L, 1); /* nil */
  lua_setfield(L, origin, "text"); /* origin, units */
  lua_setfield(L, origin, "units");
}

/* Of linked sources: replaces the origin on top by that of the source which line *line is in, counted there. */
static void choose_unit(lua_State *L, int *line) {
  if (lua_getfield(L, -1, "units") != LUA_TTABLE) {
    lua_pop(L, 1);
    return;
  }
  for (lua_Integer i = 1; lua_rawgeti(L, -1, i) == LUA_TTABLE; i++) {
    lua_getfield(L, -1, "lines"); /* origin, units, unit, lines */
    int lines = (int)lua_tointeger(L, -1);
    lua_pop(L, 1);
    if (*line <= lines) break;
    *line -= lines;
    lua_pop(L, 1);
  }
  if (lua_isnil(L, -1)) { /* behind the last: the whole's own */
    lua_pop(L, 2);
    return;
  }
  lua_replace(L, -3); /* unit, units */
  lua_pop(L, 1);
}

/* Line ends as Lua's lexer reads them: \r\n, \n\r and \r are one \n. In place; returns the new length. */
static size_t normalise(char *s, size_t n) {
  size_t to = 0;
  for (size_t i = 0; i < n; i++) {
    char c = s[i];
    if (c == '\r' || c == '\n') {
      if (i + 1 < n && (s[i + 1] == '\r' || s[i + 1] == '\n') && s[i + 1] != c) i++;
      c = '\n';
    }
    s[to++] = c;
  }
  return to;
}

/* The file's line on which `text` begins: of several places the one nearest to line `call`. 0: none. */
static int find_start(const char *file, size_t nfile, const char *text, size_t ntext, int call) {
  int best = 0, line = 1;
  const char *counted = file;
  if (ntext == 0) return 0;
  for (const char *at = file; (at = memmem(at, nfile - (size_t)(at - file), text, ntext)); at++) {
    for (; counted < at; counted++) line += *counted == '\n';
    if (!best || abs(line - call) < abs(best - call)) best = line;
  }
  return best;
}

/* The `start` of the origin, looked up in the file the first time. */
static int start_line(lua_State *L, int origin) {
  int start = 0;
  if (lua_getfield(L, origin, "start") == LUA_TNUMBER) {
    start = (int)lua_tointeger(L, -1);
    lua_pop(L, 1);
    return start;
  }
  lua_pop(L, 1);
  lua_getfield(L, origin, "script");
  lua_getfield(L, origin, "text");
  lua_getfield(L, origin, "call"); /* script, text, call */
  size_t ntext, nfile;
  const char *text = lua_tolstring(L, -2, &ntext);
  if (lua_type(L, -3) == LUA_TSTRING && text) {
    dc_error ignored = DC_ERROR_INIT; /* an unreadable script only costs the line */
    char *file = NULL;
    if (dc_file_read(lua_tostring(L, -3), &file, &nfile, &ignored) == 0)
      start = find_start(file, normalise(file, nfile), text, ntext, (int)lua_tointeger(L, -1));
    free(file);
    dc_error_clear(&ignored);
  }
  lua_pop(L, 3);
  lua_pushinteger(L, start);
  lua_setfield(L, origin, "start");
  return start;
}

void dc_lua_place(lua_State *L, int origin, int line) {
  if (!lua_istable(L, origin)) dc_lua_tampered(L, "the source of a module");
  lua_pushvalue(L, origin);
  choose_unit(L, &line); /* the unit's origin */
  origin = lua_gettop(L);
  int start = start_line(L, origin);
  lua_getfield(L, origin, "shown");
  lua_getfield(L, origin, "call"); /* origin, shown, call */
  const char *shown = lua_tostring(L, -2);
  if (start > 0) lua_pushfstring(L, "%s:%d", shown ? shown : "?", start + line - 1);
  else if (shown) lua_pushfstring(L, "%s:%d, line %d of the source", shown, (int)lua_tointeger(L, -1), line);
  else lua_pushfstring(L, "line %d of the source", line);
  lua_replace(L, origin);
  lua_settop(L, origin);
}

/* A "dotcompute.cu(12)" or "dotcompute.cu:12" at s, perhaps with the '/' that __FILE__ has in front (an assert's
** text): its length and line, else 0. */
static size_t parse_mark(const char *s, int *line) {
  const size_t root = *s == '/', name = root + sizeof DC_SOURCE_NAME - 1;
  if (strncmp(s + root, DC_SOURCE_NAME, name - root) != 0 || (s[name] != '(' && s[name] != ':')) return 0;
  char *end;
  long n = strtol(s + name + 1, &end, 10);
  if (end == s + name + 1 || n <= 0 || n > 100000000) return 0;
  if (s[name] == '(' && *end++ != ')') return 0;
  *line = (int)n;
  return (size_t)(end - s);
}

void dc_lua_map_lines(lua_State *L, int origin, const char *text) {
  luaL_Buffer b;
  origin = lua_absindex(L, origin);
  luaL_checkstack(L, 12, NULL);
  luaL_buffinit(L, &b);
  while (*text) {
    int line;
    size_t n = parse_mark(text, &line);
    if (n == 0) {
      luaL_addchar(&b, *text++);
      continue;
    }
    dc_lua_place(L, origin, line);
    luaL_addvalue(&b);
    text += n;
  }
  luaL_pushresult(&b);
}
