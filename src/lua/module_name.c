/* module_name.c - see module_name.h. */
#include "lua/module_name.h"

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
  lua_concat(L, lua_gettop(L) - last); /* …, "name<args>" */
  lua_replace(L, 2);
  lua_settop(L, 2);
}
