/*
** source.c - see source.h.
**
** One userdata holds the dc_source, the pointers to its strings, and copies of these.  Making it may run the collector,
** and so finalizers that change the lists: what no longer fits is an error.
*/
#include "lua/source.h"

#include <lauxlib.h>
#include <lua.h>
#include <string.h>

#include "base/error.h"
#include "compile/types/source.h"
#include "lua/error.h"
#include "lua/object.h"

/* The lists of strings in the field `source` of an origin. */
enum list { OPTIONS, INCLUDE_DIRS, HEADER_NAMES, HEADER_TEXTS, INSTANTIATE, ARG_KERNELS, ARG_LISTS, UNITS, ARCH,
            NLISTS };

static const char *const names[NLISTS] = {
  [OPTIONS] = "options",           [INCLUDE_DIRS] = "include_dirs", [HEADER_NAMES] = "header_names",
  [HEADER_TEXTS] = "header_texts", [INSTANTIATE] = "instantiate",   [ARG_KERNELS] = "arg_kernels",
  [ARG_LISTS] = "arg_lists",       [UNITS] = "units",               [ARCH] = "arch", /* at most one */
};

typedef struct source {
  dc_source s;
  const char *strings[];
} source;

/* Where the strings go. */
typedef struct room {
  const char **at; /* the next pointer */
  char *bytes, *end;
} room;

static int fail_changed(lua_State *L) { return dc_lua_tampered(L, "the source of a module"); }

/* Bytes of the string on top with its end; popped. */
static size_t bytes_on_top(lua_State *L) {
  if (lua_type(L, -1) != LUA_TSTRING) fail_changed(L);
  const size_t n = lua_rawlen(L, -1) + 1;
  lua_pop(L, 1);
  return n;
}

/* Bytes of all strings in the list at `list`. */
static size_t count_bytes(lua_State *L, int list) {
  size_t bytes = 0;
  const lua_Integer n = (lua_Integer)lua_rawlen(L, list);
  for (lua_Integer i = 1; i <= n; i++) {
    lua_rawgeti(L, list, i);
    bytes += bytes_on_top(L);
  }
  return bytes;
}

/* Copies the string on top, popped. */
static const char *copy_string(lua_State *L, room *r) {
  lua_pushvalue(L, -1);
  const size_t n = bytes_on_top(L);
  if (n > (size_t)(r->end - r->bytes)) fail_changed(L);
  char *copy = memcpy(r->bytes, lua_tostring(L, -1), n);
  r->bytes += n;
  lua_pop(L, 1);
  return copy;
}

/* Copies the first n strings of the list.  All but sources end at a NUL byte for the compiler, which therefore have
** none. */
static const char *const *copy_list(lua_State *L, int list, int n, bool whole, room *r) {
  const char *const *first = r->at;
  for (int i = 1; i <= n; i++) {
    lua_rawgeti(L, list, i);
    const char *copy = copy_string(L, r);
    if (!whole && copy + strlen(copy) + 1 != r->bytes)
      dc_lua_fail(L, DC_ARGUMENT, "an option holds a NUL byte, behind '%s'", copy);
    *r->at++ = copy;
  }
  return first;
}

const dc_source *dc_lua_newsource(lua_State *L, int origin, const char *instance) {
  int n[NLISTS];
  luaL_checkstack(L, NLISTS + 8, NULL);
  if (lua_getfield(L, origin, "text") != LUA_TSTRING) dc_lua_tampered(L, "the text of a module");
  const int text = lua_gettop(L), first = text + 2; /* text, source, lists… */
  if (lua_getfield(L, origin, "source") != LUA_TTABLE) fail_changed(L);
  size_t npointers = instance ? 1 : 0, nbytes = lua_rawlen(L, text) + 1 + (instance ? strlen(instance) + 1 : 0);
  for (int i = 0; i < NLISTS; i++) {
    if (lua_getfield(L, text + 1, names[i]) != LUA_TTABLE) fail_changed(L);
    n[i] = (int)lua_rawlen(L, first + i);
    npointers += (size_t)n[i];
    nbytes += count_bytes(L, first + i);
  }
  npointers += (size_t)n[UNITS]; /* their lengths stand behind all the pointers */
  _Static_assert(sizeof(size_t) == sizeof(char *), "lengths take the room of pointers");
  source *o = dc_lua_new(L, DC_LUA_SOURCE, sizeof *o + npointers * sizeof(char *) + nbytes, 0);
  dc_source *s = &o->s;
  char *bytes = (char *)(o->strings + npointers);
  room r = { o->strings, bytes, bytes + nbytes };
  lua_getfield(L, origin, "path");
  s->is_file = lua_type(L, -1) == LUA_TSTRING;
  s->len = lua_rawlen(L, text);
  lua_pushvalue(L, text);
  s->text = copy_string(L, &r);
  s->options = copy_list(L, first + OPTIONS, s->noptions = n[OPTIONS], false, &r);
  s->include_dirs = copy_list(L, first + INCLUDE_DIRS, s->ninclude_dirs = n[INCLUDE_DIRS], false, &r);
  s->header_names = copy_list(L, first + HEADER_NAMES, s->nheaders = n[HEADER_NAMES], false, &r);
  if (n[HEADER_TEXTS] != n[HEADER_NAMES] || n[ARG_LISTS] != n[ARG_KERNELS]) fail_changed(L);
  s->header_texts = copy_list(L, first + HEADER_TEXTS, s->nheaders, false, &r);
  s->instantiate = copy_list(L, first + INSTANTIATE, s->ninstantiate = n[INSTANTIATE], false, &r);
  if (instance) {
    lua_pushstring(L, instance);
    *r.at++ = copy_string(L, &r);
    s->ninstantiate++;
  }
  if (n[ARCH] > 0) s->arch = *copy_list(L, first + ARCH, n[ARCH], false, &r);
  s->arg_kernels = copy_list(L, first + ARG_KERNELS, s->nargs = n[ARG_KERNELS], false, &r);
  s->arg_lists = copy_list(L, first + ARG_LISTS, s->nargs, false, &r);
  s->units = copy_list(L, first + UNITS, s->nunits = n[UNITS], true, &r);
  size_t *lengths = (size_t *)r.at;
  s->unit_lens = lengths;
  for (int i = 0; i < s->nunits; i++) {
    const char *behind = i + 1 < s->nunits ? s->units[i + 1] : r.bytes;
    lengths[i] = (size_t)(behind - s->units[i]) - 1;
  }
  lua_settop(L, first + NLISTS);
  lua_replace(L, text); /* the userdata */
  lua_settop(L, text);
  return s;
}
