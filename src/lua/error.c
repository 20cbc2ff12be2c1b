/*
** error.c - see error.h.
**
** The table is built inside a protected call, because building may run out of Lua's memory: whatever
** comes of that is raised after the dc_error has been cleared, so nothing leaks.
*/
#include "lua/error.h"

#include <lauxlib.h>
#include <lua.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>

#include "array/array.h"
#include "array/graph/types.h"
#include "base/dtype.h"
#include "base/error.h"
#include "base/runtime.h"
#include "device/stream_state.h"
#include "lua/object.h"

/* --- callers lost by tail calls -------------------------------------------------------------------------------- */

/* Whether the function at stack index fn is a value of the table at idx. */
static bool is_value(lua_State *L, int idx, int fn) {
  bool found = false;
  for (lua_pushnil(L); !found && lua_next(L, idx); lua_pop(L, found ? 2 : 1)) found = lua_rawequal(L, -1, fn);
  return found;
}

/* Whether the function on top, which is popped, is public: a value of dc, of a table in dc, or of a metatable or method
** table of ours. */
static bool is_public(lua_State *L) {
  const int fn = lua_gettop(L);
  bool found = false;
  dc_lua_push_self(L); /* fn + 1 */
  for (int slot = 1; !found && slot < DC_LUA_NTYPES; slot++) {
    lua_settop(L, fn + 1);
    if (lua_getiuservalue(L, -1, slot) != LUA_TTABLE) continue;
    found = is_value(L, fn + 2, fn) ||
            (lua_getfield(L, -1, "__methods") == LUA_TTABLE && is_value(L, fn + 3, fn));
  }
  lua_settop(L, fn);
  lua_getfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE); /* fn + 1: package.loaded */
  if (!found && lua_getfield(L, -1, "dotcompute") == LUA_TTABLE) {
    const int dc = lua_gettop(L);
    found = is_value(L, dc, fn);
    for (lua_pushnil(L); !found && lua_next(L, dc); lua_pop(L, 1))
      if (lua_istable(L, -1) && is_value(L, lua_gettop(L), fn)) found = true;
  }
  lua_settop(L, fn - 1);
  return found;
}

/* Whether the script's function that called ours has no stack frame any more: it ended in "return dc.f(…)", a tail
** call, and Lua knows the line of its caller alone.  Tail calls among our own Lua files do not count: the called
** function has to be a public one. */
static bool caller_is_lost(lua_State *L) {
  lua_Debug below, ar;
  bool tail = false;
  const dc_lua *self = dc_lua_push_self(L);
  lua_pop(L, 1);
  for (int level = 0; lua_getstack(L, level, &ar); level++) {
    lua_getinfo(L, "Slt", &ar);
    if (*ar.what != 'C' && ar.currentline > 0 && !dc_lua_is_builtin(self, ar.source, ar.srclen)) break;
    if (level == 0) continue; /* `build` */
    if (*ar.what == 'C' && tail) break; /* pcall, xpcall … */
    tail = ar.istailcall;
    below = ar;
  }
  if (!tail) return false;
  lua_getinfo(L, "f", &below);
  return is_public(L);
}

/* --- the error object ---------------------------------------------------------------------------- */

/* "script.lua:17: sentence", and the log below it, unless the sentence is all that stands there.  Of the compiler's
** errors the message shows enough, and begins with the line that is wrong, which says more than the one that called
** us. */
static int error_tostring(lua_State *L) {
  luaL_Buffer b;
  if (!lua_istable(L, 1)) {
    lua_pushliteral(L, "dotcompute.error");
    return 1;
  }
  lua_settop(L, 1);
  lua_getfield(L, 1, "where");   /* 2 */
  lua_getfield(L, 1, "message"); /* 3 */
  lua_getfield(L, 1, "log");     /* 4 */
  lua_getfield(L, 1, "code");    /* 5 */
  bool shown = lua_isstring(L, 5) && strcmp(lua_tostring(L, 5), "NVRTC_ERROR_COMPILATION") == 0;
  lua_getfield(L, 1, "at");      /* 6 */
  luaL_buffinit(L, &b);
  if (lua_isstring(L, 2) && !lua_isstring(L, 6)) {
    luaL_addstring(&b, lua_tostring(L, 2));
    luaL_addstring(&b, ": ");
  }
  size_t n = 0;
  const char *message = lua_isstring(L, 3) ? lua_tostring(L, 3) : "error";
  const char *log = !shown && lua_isstring(L, 4) ? lua_tolstring(L, 4, &n) : "";
  luaL_addstring(&b, message);
  while (n > 0 && (log[n - 1] == '\n' || log[n - 1] == ' ')) n--;
  if (n > 0 && (strncmp(message, log, n) != 0 || message[n] != '\0')) {
    luaL_addchar(&b, '\n');
    luaL_addlstring(&b, log, n);
  }
  luaL_pushresult(&b);
  return 1;
}

/* "text" .. err works as with errors that are strings. */
static int error_concat(lua_State *L) {
  luaL_tolstring(L, 1, NULL);
  luaL_tolstring(L, 2, NULL);
  lua_concat(L, 2);
  return 1;
}

static const luaL_Reg error_meta[] = {
  { "__tostring", error_tostring },
  { "__concat", error_concat },
  { NULL, NULL },
};

static void open_type(lua_State *L, int self) {
  dc_lua_newtype(L, self, DC_LUA_ERROR, "dotcompute.error", error_meta, NULL);
}

/* --- building the table -------------------------------------------------------------------------- */

/* A GPU's fault is noticed long after the launch that is to blame: appends the line that launched the
** kernel which the text on top names. */
static void add_launch(lua_State *L) {
  const char *text = lua_tostring(L, -1), *name = strstr(text, "kernel '");
  const dc_lua *self = dc_lua_push_self(L);
  lua_pop(L, 1);
  const dc_lua_launch_site *l = name ? dc_lua_last_launch(self, name + strlen("kernel '")) : NULL;
  if (!l) return;
  lua_pushfstring(L, "%s (launched at %s:%d)", text, l->script, l->line);
  lua_remove(L, -2);
}

/* Pushes how the script calls the function that raises: "array:item()", "dc.zeros()"; "the call" where that is not
** known.  Runs in `build`, above that function. */
static void push_call(lua_State *L) {
  lua_Debug ar;
  if (!lua_getstack(L, 1, &ar) || !lua_getinfo(L, "n", &ar)) return (void)lua_pushliteral(L, "the call");
  const bool method = ar.namewhat && strcmp(ar.namewhat, "method") == 0;
  const char *type = NULL;
  if (lua_getlocal(L, &ar, 1)) {
    if (lua_isuserdata(L, -1) && luaL_getmetafield(L, -1, "__name") == LUA_TSTRING) type = lua_tostring(L, -1);
    if (type && strchr(type, '.')) type = strchr(type, '.') + 1;
    if (type && strchr(type, ' ')) { /* what an array's name says besides */
      lua_pushlstring(L, type, (size_t)(strchr(type, ' ') - type));
      type = lua_tostring(L, -1);
    }
  }
  if (method && type) lua_pushfstring(L, "%s:%s()", type, ar.name);
  else if (ar.namewhat && strcmp(ar.namewhat, "metamethod") == 0 && type) lua_pushfstring(L, "%s[...]", type);
  else if (ar.name) lua_pushfstring(L, "%s()", ar.name);
  else if (type) lua_pushfstring(L, "the call with the %s", type);
  else lua_pushliteral(L, "the call");
}

/* How the script called the function of ours that is running. */
typedef struct called {
  const char *name; /* NULL: not known, as when pcall called it */
  bool method;      /* with a colon */
  bool field;       /* it is in C, and was called as a field of something, with a dot */
  int outermost;    /* level of the first of our functions in Lua that the call runs; 0: there is none */
  lua_Debug frame;  /* of the function that the script called */
} called;

/* Level `first` is the innermost function of ours. */
static called find_call(lua_State *L, int first) {
  lua_Debug ar;
  called c = { 0 };
  const dc_lua *self = dc_lua_push_self(L);
  lua_pop(L, 1);
  for (int level = first; lua_getstack(L, level, &ar); level++) { /* a function of ours that called us is named */
    lua_getinfo(L, "nSf", &ar);
    const bool entry = lua_tocfunction(L, -1) == dc_lua_entry;
    lua_pop(L, 1);
    if (level > first && !entry && !dc_lua_is_builtin(self, ar.source, ar.srclen)) break;
    c.name = ar.name && strcmp(ar.name, "?") == 0 ? NULL : ar.name; /* called by a key that is computed */
    c.method = ar.namewhat && strcmp(ar.namewhat, "method") == 0;
    if (*ar.what != 'C') c.outermost = level;
    c.frame = ar;
    if (level == first) c.field = ar.namewhat && strcmp(ar.namewhat, "field") == 0;
  }
  return c;
}

/* Replaces the value on top by its name where that is dc or a table of functions in it, "dc.fft"; else by nil. */
static void name_library(lua_State *L) {
  const char *name = NULL;
  if (lua_istable(L, -1) && luaL_getmetafield(L, -1, "__name") == LUA_TSTRING) {
    lua_replace(L, -2);
    name = lua_tostring(L, -1);
  }
  if (name && (strcmp(name, "dc") == 0 || strncmp(name, "dc.", 3) == 0)) return;
  lua_pushnil(L);
  lua_replace(L, -2);
}

/* Appends to the message on top that dc:zeros(3) has to be dc.zeros(3). */
static void add_colon(lua_State *L) {
  const int message = lua_gettop(L);
  const called c = find_call(L, 1);
  if (!c.name || !c.method) return;
  /* A parameter, behind the function of dc_lua_entry, or in "...". */
  const int first[] = { 1, *c.frame.what == 'C' ? 2 : -1 };
  for (size_t i = 0; i < sizeof first / sizeof *first && lua_gettop(L) == message; i++) {
    if (!lua_getlocal(L, &c.frame, first[i])) continue;
    name_library(L);
    if (lua_isnil(L, -1)) lua_pop(L, 1);
  }
  if (lua_gettop(L) == message) return;
  const char *library = lua_tostring(L, -1);
  lua_pushfstring(L, "%s (functions of %s are called with a dot: %s.%s)", lua_tostring(L, message), library, library,
                  c.name);
  lua_replace(L, message);
  lua_settop(L, message);
}

/* Pushes the message. `placed`: script_lines.explain adds places of the script. */
static void push_message(lua_State *L, const dc_error *err, bool placed) {
  const char *text = dc_error_text(err);
  if (strcmp(err->code, DC_CAPTURE_CODE) == 0 && strncmp(text, "cannot ", 7) == 0) {
    push_call(L);
    lua_pushfstring(L, "%s %s", lua_tostring(L, -1), text);
    return;
  }
  lua_pushstring(L, text);
  if (!placed && (err->kind == DC_DEVICE || err->kind == DC_LAUNCH) && strncmp(err->code, "CUDA_ERROR_", 11) == 0)
    add_launch(L);
}

/* Arguments: the dc_error, and the origin of the source (lua/dotcompute/script_lines.lua) or nil. The error table. */
static int build(lua_State *L) {
  const dc_error *err = lua_touserdata(L, 1);
  lua_settop(L, 2);
  const bool placed = lua_istable(L, 2);
  lua_newtable(L); /* 3 */
  dc_lua_set_string(L, "kind", dc_kind_name(err->kind));
  push_message(L, err, placed);
  if (err->kind != DC_COMPILE) add_colon(L);
  lua_setfield(L, 3, "message");
  lua_settop(L, 3);
  dc_lua_set_string(L, "code", err->code[0] ? err->code : NULL);
  dc_lua_set_string(L, "log", err->log);
  if (placed) {
    dc_lua_push_lua(L, "dotcompute.script_lines", "explain");
    lua_pushvalue(L, 3);
    lua_pushvalue(L, 2);
    lua_pushinteger(L, err->source_line > 0 ? err->source_line : 0);
    lua_call(L, 3, 0);
  }
  lua_Debug ar;
  const bool known = dc_lua_caller(L, &ar), lost = caller_is_lost(L);
  if (known || lost) {
    static const char tail[] = "(...tail calls...)"; /* as in Lua's tracebacks */
    if (known) lua_pushfstring(L, "%s:%d%s%s", ar.short_src, ar.currentline, lost ? " " : "", lost ? tail : "");
    else lua_pushstring(L, tail);
    lua_setfield(L, 3, "where");
  }
  luaL_traceback(L, L, NULL, 1);
  lua_setfield(L, 3, "traceback");
  dc_lua_push_self(L);
  open_type(L, lua_gettop(L));
  if (lua_getiuservalue(L, -1, DC_LUA_ERROR) == LUA_TTABLE) lua_setmetatable(L, 3);
  lua_settop(L, 3);
  return 1;
}

int dc_lua_raise_at(lua_State *L, dc_error *err, int origin) {
  if (err->kind == DC_INTERRUPTED) atomic_store(&dc_interrupt_flag, 0); /* handled by this error */
  lua_checkstack(L, 4); /* C functions have LUA_MINSTACK more than they use; failing, the call below says so */
  if (origin) lua_pushvalue(L, origin);
  else lua_pushnil(L);
  lua_pushcfunction(L, build);
  lua_insert(L, -2);
  lua_pushlightuserdata(L, err);
  lua_insert(L, -2);
  lua_pcall(L, 2, 1, 0); /* the table, or Lua's own "not enough memory": raised either way */
  dc_error_clear(err);
  return lua_error(L);
}

int dc_lua_raise(lua_State *L, dc_error *err) { return dc_lua_raise_at(L, err, 0); }

int dc_lua_fail(lua_State *L, dc_kind kind, const char *fmt, ...) {
  dc_error err = DC_ERROR_INIT;
  va_list ap;
  va_start(ap, fmt);
  dc_vfail(&err, kind, NULL, fmt, ap);
  va_end(ap);
  return dc_lua_raise(L, &err);
}

/* The second upvalue of a method is its type's name, "array". */
static const char *type_of_method(lua_State *L) {
  return lua_type(L, lua_upvalueindex(2)) == LUA_TSTRING ? lua_tostring(L, lua_upvalueindex(2)) : NULL;
}

int dc_lua_badarg(lua_State *L, int arg, const char *fmt, ...) {
  dc_error err = DC_ERROR_INIT;
  const called c = find_call(L, 0);
  const char *type = c.field && c.name ? type_of_method(L) : NULL;
  if (c.method || type) arg--;
  va_list ap; /* after what may raise, out of memory: `err` holds memory from here on */
  va_start(ap, fmt);
  dc_vfail(&err, DC_ARGUMENT, NULL, fmt, ap);
  va_end(ap);
  if (arg == 0) dc_error_prefix(&err, "calling '%s' on bad self: ", c.name ? c.name : "?");
  else if (!c.name) dc_error_prefix(&err, "bad argument #%d: ", arg); /* called by pcall: nameless */
  else dc_error_prefix(&err, "bad argument #%d to '%s': ", arg, c.name);
  if (type)
    dc_fail(&err, DC_ARGUMENT, NULL, "%s (methods are called with a colon: %c:%s())", dc_error_text(&err), type[0],
            c.name);
  return dc_lua_raise(L, &err);
}

int dc_lua_fail_named(lua_State *L, dc_kind kind, const char *fmt, ...) {
  dc_error err = DC_ERROR_INIT;
  const called c = find_call(L, 0);
  va_list ap;
  va_start(ap, fmt);
  dc_vfail(&err, kind, NULL, fmt, ap);
  va_end(ap);
  if (c.name) dc_error_prefix(&err, "'%s': ", c.name);
  return dc_lua_raise(L, &err);
}

/* called_on(v): whether the script called the function of ours that is running as a method of v; nil where that is not
** known, of tail calls and of calls by pcall. */
static int core_called_on(lua_State *L) {
  lua_Debug ar;
  const called c = find_call(L, 0);
  bool is_receiver = false;
  lua_settop(L, 1);
  if (c.method && c.outermost > 0 && lua_getstack(L, c.outermost, &ar)) {
    lua_getinfo(L, "u", &ar);
    is_receiver = lua_getlocal(L, &ar, ar.nparams ? 1 : -1) && lua_rawequal(L, 1, -1); /* -1: the first of `...` */
  }
  if (c.name) lua_pushboolean(L, is_receiver);
  else lua_pushnil(L);
  return 1;
}

int dc_lua_count_receiver(lua_State *L) { return type_of_method(L) ? 1 : 0; }

/* The text of all errors about a number of arguments.  `name`: the function's where the call does not show one. */
static int fail_count(lua_State *L, const char *name, const char *takes, const char *got) {
  const called c = find_call(L, 0);
  if (c.name) name = c.name;
  if (name) lua_pushfstring(L, "'%s' takes %s", name, takes);
  else lua_pushfstring(L, "%s expected", takes); /* called by pcall: nameless */
  return dc_lua_fail(L, DC_ARGUMENT, "%s, got %s", lua_tostring(L, -1), got);
}

int dc_lua_fail_count(lua_State *L, const char *name, int got, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  const char *takes = lua_pushvfstring(L, fmt, ap);
  va_end(ap);
  return fail_count(L, name, takes, lua_pushfstring(L, "%d", got));
}

/* The function takes at most `most` arguments. */
static int fail_most(lua_State *L, int most, int got) {
  if (most == 0) return dc_lua_fail_count(L, NULL, got, "no arguments");
  return dc_lua_fail_count(L, NULL, got, "at most %d argument%s", most, most == 1 ? "" : "s");
}

void dc_lua_refuse_arguments(lua_State *L, int n) {
  int got = lua_gettop(L);
  while (got > n && lua_isnil(L, got)) got--;
  if (got <= n) return lua_settop(L, n);
  const int receiver = dc_lua_count_receiver(L);
  fail_most(L, n - receiver, got - receiver);
}

/* refuse_arguments(limit, receiver, got): raises for a function of ours in Lua.  `receiver`: 1 in a method, whose limit
** and number of arguments include the receiver, else 0. */
static int core_refuse_arguments(lua_State *L) {
  const lua_Integer receiver = luaL_checkinteger(L, 2);
  return fail_most(L, (int)(luaL_checkinteger(L, 1) - receiver), (int)(luaL_checkinteger(L, 3) - receiver));
}

/* fail_count(name, takes, got): raises for a function of ours in Lua; `got` is a number or a text. */
static int core_fail_count(lua_State *L) {
  return fail_count(L, luaL_checkstring(L, 1), luaL_checkstring(L, 2), luaL_checkstring(L, 3));
}

const luaL_Reg dc_lua_error_internal[] = {
  { "called_on", core_called_on }, { "refuse_arguments", core_refuse_arguments }, { "fail_count", core_fail_count },
  { NULL, NULL },
};

int dc_lua_expected(lua_State *L, int arg, const char *what) {
  return dc_lua_badarg(L, arg, "%s expected, got %s", what, dc_lua_describe(L, arg));
}

void *dc_lua_check(lua_State *L, const dc_lua *self, int arg, int slot, const char *what) {
  void *o = dc_lua_test(L, self, arg, slot);
  if (!o) dc_lua_expected(L, arg, what);
  return o;
}

const char *dc_lua_describe(lua_State *L, int idx) {
  idx = lua_absindex(L, idx);
  dc_lua *self = dc_lua_push_self(L);
  dc_lua_array *array = dc_lua_test(L, self, idx, DC_LUA_ARRAY);
  lua_pop(L, 1);
  if (array && array->a && dc_array_state_of(array->a) != DC_ARRAY_CLOSED)
    return lua_pushfstring(L, "%s array", dc_dtype_noun(dc_array_dtype(array->a)));
  if (array) return lua_pushliteral(L, "a closed array");
  switch (lua_type(L, idx)) {
    case LUA_TNONE: return lua_pushliteral(L, "no value");
    case LUA_TNIL: return lua_pushliteral(L, "nil");
    case LUA_TNUMBER: {
      luaL_tolstring(L, idx, NULL);
      lua_pushfstring(L, "the number %s", lua_tostring(L, -1));
      lua_remove(L, -2);
      return lua_tostring(L, -1);
    }
    case LUA_TSTRING: {
      const char *s = lua_tostring(L, idx);
      if (strlen(s) <= 40 && !strpbrk(s, "\r\n")) return lua_pushfstring(L, "the string '%s'", s);
      return lua_pushliteral(L, "a string");
    }
    case LUA_TBOOLEAN: return lua_pushstring(L, lua_toboolean(L, idx) ? "true" : "false");
    case LUA_TUSERDATA:
      if (luaL_getmetafield(L, idx, "__name") == LUA_TSTRING) {
        lua_pushfstring(L, "a %s", lua_tostring(L, -1));
        lua_remove(L, -2);
        return lua_tostring(L, -1);
      }
      break;
    default: break;
  }
  return lua_pushfstring(L, "a %s", luaL_typename(L, idx));
}
