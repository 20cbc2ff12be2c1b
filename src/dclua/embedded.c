/* embedded.c - see embedded.h. */
#include "dclua/embedded.h"

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <string.h>


/* Made by tools/embed.c from lua/; the name is the path below it, a NULL name ends the list. */
struct dc_embedded { const char *name, *text; size_t len; };
extern const struct dc_embedded dc_embedded_lua[];

int luaopen_dotcompute_core(lua_State *L);

/* "dotcompute/init.lua" is module "dotcompute", "dotcompute/doctor.lua" is "dotcompute.doctor". */
static void push_module_name(lua_State *L, const char *path) {
  size_t n = strlen(path) - strlen(".lua");
  static const char init[] = "/init";
  const size_t ninit = sizeof init - 1;
  if (n > ninit && memcmp(path + n - ninit, init, ninit) == 0) n -= ninit;
  lua_pushlstring(L, path, n);
  luaL_gsub(L, lua_tostring(L, -1), "/", ".");
  lua_remove(L, -2);
}

/* The loader: upvalue 1 points to the file. */
static int load_embedded(lua_State *L) {
  const struct dc_embedded *file = dc_embedded_lua;
  while (file->name && file != lua_touserdata(L, lua_upvalueindex(1))) file++;
  if (!file->name) return luaL_error(L, "the loader of a module was changed by means of the debug library");
  lua_pushfstring(L, "@%s", file->name);
  if (luaL_loadbufferx(L, file->text, file->len, lua_tostring(L, -1), "t") != LUA_OK) return lua_error(L);
  lua_pushvalue(L, 1);
  lua_pushliteral(L, "dclua");
  lua_call(L, 2, 1);
  return 1;
}

void dclua_embedded_open(lua_State *L) {
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_PRELOAD_TABLE);
  for (const struct dc_embedded *file = dc_embedded_lua; file->name; file++) {
    push_module_name(L, file->name);
    lua_pushlightuserdata(L, (void *)file);
    lua_pushcclosure(L, load_embedded, 1);
    lua_rawset(L, -3); /* preload[name] = loader */
  }
  lua_pushcfunction(L, luaopen_dotcompute_core);
  lua_setfield(L, -2, "dotcompute.core");
  lua_pop(L, 1);
}
