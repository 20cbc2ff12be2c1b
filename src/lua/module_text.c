/* module_text.c - see module_text.h. */
#include "lua/module_text.h"

#include <ctype.h>
#include <lauxlib.h>
#include <lua.h>
#include <string.h>

#include "array/array.h"
#include "base/dtype.h"
#include "lua/array.h"
#include "lua/convert.h"
#include "lua/error.h"
#include "lua/object.h"

static size_t word_length(const char *s) {
  return strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
}

/* The end of a comment or literal that begins at s, else s. */
static const char *skip_quiet(const char *s) {
  if (s[0] == '/' && s[1] == '/') return s + strcspn(s, "\n");
  if (s[0] == '/' && s[1] == '*') {
    const char *end = strstr(s + 2, "*/");
    return end ? end + 2 : s + strlen(s);
  }
  if (s[0] != '"' && s[0] != '\'') return s;
  char quote = *s++;
  while (*s && *s != quote) s += s[0] == '\\' && s[1] ? 2 : 1;
  return *s ? s + 1 : s;
}

/* After "__device__": a variable's declaration has no parenthesis before its first of ; = { [. */
static bool declares_variable(const char *s) {
  while (*s) {
    const char *quiet = skip_quiet(s);
    if (quiet != s) {
      s = quiet;
      continue;
    }
    if (*s == '(') return false;
    if (strchr(";={[", *s)) return true;
    s++;
  }
  return false;
}

bool dc_lua_has_variables(const char *s) {
  while (*s) {
    const char *quiet = skip_quiet(s);
    if (quiet != s) {
      s = quiet;
      continue;
    }
    if (!isalpha((unsigned char)*s) && *s != '_') {
      s++;
      continue;
    }
    size_t n = word_length(s);
    if (n == 12 && strncmp(s, "__constant__", n) == 0) return true;
    if (n == 11 && strncmp(s, "__managed__", n) == 0) return true;
    if (n == 10 && strncmp(s, "__device__", n) == 0 && declares_variable(s + n)) return true;
    s += n;
  }
  return false;
}

/* --- templates ------------------------------------------------------------------------------------- */

/* After "template": its length and place where that is a kernel's, "scale" of "<class T> __global__ void scale(…)". */
static const char *name_of_template(const char *s, size_t *length) {
  bool kernel = false;
  const char *last = NULL;
  while (*s && *s != '{' && *s != ';') {
    const size_t n = word_length(s);
    if (n > 0) {
      kernel = kernel || (n == 10 && strncmp(s, "__global__", n) == 0);
      last = s;
      *length = n;
      s += n;
      continue;
    }
    const bool attribute = last && *length > 2 && strncmp(last, "__", 2) == 0; /* __launch_bounds__(…) */
    if (*s == '(' && kernel && !attribute) return last;
    s = skip_quiet(s) != s ? skip_quiet(s) : s + 1;
  }
  return NULL;
}

bool dc_lua_push_template(lua_State *L, const char *s, const char *name) {
  while (s && *s) {
    const char *quiet = skip_quiet(s);
    const size_t n = word_length(s);
    if (quiet != s) s = quiet;
    else if (n == 0) s++;
    else if (n != 8 || strncmp(s, "template", n) != 0) s += n;
    else {
      size_t length = 0;
      const char *found = name_of_template(s += n, &length);
      if (!found || (name && (strlen(name) != length || strncmp(found, name, length) != 0))) continue;
      lua_pushlstring(L, found, length);
      return true;
    }
  }
  return false;
}

/* --- names of kernels ---------------------------------------------------------------------------- */

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80; }

void dc_lua_push_canonical(lua_State *L, const char *name) {
  luaL_Buffer b;
  char last = '\0';
  luaL_buffinit(L, &b);
  for (const char *p = name; *p; p++) {
    if (isspace((unsigned char)*p)) continue;
    bool apart = p > name && isspace((unsigned char)p[-1]) && is_word(last) && is_word(*p); /* "unsigned int" */
    if (apart) luaL_addchar(&b, ' ');
    luaL_addchar(&b, last = *p);
  }
  luaL_pushresult(&b);
}

/* How C++ spells the template argument at idx, pushed. Names of dtypes that are not C's own end in digits. */
static void push_argument(lua_State *L, const dc_lua *self, int idx) {
  dc_lua_array *array = dc_lua_test(L, self, idx, DC_LUA_ARRAY);
  int64_t v;
  if (array) {
    lua_pushstring(L, dc_dtypes[dc_array_dtype(dc_lua_checkarray(L, self, idx))].ctype);
  } else if (lua_isboolean(L, idx)) {
    lua_pushstring(L, lua_toboolean(L, idx) ? "true" : "false");
  } else if (lua_type(L, idx) == LUA_TSTRING) {
    size_t n;
    const char *s = lua_tolstring(L, idx, &n);
    dc_dtype dtype = n > 0 && isdigit((unsigned char)s[n - 1]) ? dc_dtype_parse(s, n) : DC_DTYPE_NONE;
    if (n == 0 || strlen(s) != n) dc_lua_badarg(L, idx, "a template argument is empty or holds a NUL byte");
    lua_pushstring(L, dtype != DC_DTYPE_NONE ? dc_dtypes[dtype].ctype : s);
  } else if (lua_type(L, idx) == LUA_TNUMBER && dc_lua_tointeger(L, idx, &v)) {
    lua_pushfstring(L, "%I", (LUAI_UACINT)v);
  } else {
    dc_lua_expected(L, idx, "a dtype, a C++ type, an integer, a boolean or an array");
  }
}

void dc_lua_instance_name(lua_State *L) {
  const dc_lua *self = dc_lua_self(L);
  const int last = lua_gettop(L);
  if (last < 3) return;
  if (strchr(lua_tostring(L, 2), '<'))
    dc_lua_badarg(L, 2, "'%s' has its template arguments already", lua_tostring(L, 2));
  luaL_checkstack(L, 2 * last + 4, NULL);
  lua_pushvalue(L, 2);
  lua_pushliteral(L, "<");
  for (int i = 3; i <= last; i++) {
    if (i > 3) lua_pushliteral(L, ", ");
    push_argument(L, self, i);
  }
  lua_pushliteral(L, ">");
  lua_concat(L, lua_gettop(L) - last);
  lua_replace(L, 2);
  lua_settop(L, 2);
}

/* --- files ----------------------------------------------------------------------------------------- */

bool dc_lua_is_file_name(const char *s, size_t n) {
  static const char *const ends[] = { ".cu", ".cuh", ".h", ".hpp", ".c", ".cc", ".cpp", ".ptx", ".cubin", ".fatbin" };
  if (n > 4096 || strlen(s) != n || strpbrk(s, "\r\n;{}()#")) return false;
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    const size_t k = strlen(ends[i]);
    if (n > k && strcmp(s + n - k, ends[i]) == 0) return true;
  }
  return false;
}
