/*
** host.c - a plain Lua 5.4 for SAN=1: a stock lua5.4 would need the sanitizers' library preloaded, and
** every program that specs start would inherit it, leaks of compilers and shells included.
**
** It does what specs need of `lua5.4`: -e, -l, a script or stdin, the arg table, tracebacks, exit status.
*/
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int traceback(lua_State *L) {
  luaL_traceback(L, L, luaL_tolstring(L, 1, NULL), 1);
  return 1;
}

/* Runs the chunk on top, or reports why it could not be loaded; the arguments are in the arg table. */
static int run(lua_State *L, int status) {
  if (status == LUA_OK) {
    lua_pushcfunction(L, traceback);
    lua_insert(L, -2);
    int n = 0;
    lua_getglobal(L, "arg");
    luaL_checkstack(L, (int)lua_rawlen(L, -1) + 1, "too many arguments");
    int table = lua_gettop(L);
    while (lua_rawgeti(L, table, n + 1) != LUA_TNIL) n++;
    lua_pop(L, 1);
    lua_remove(L, table);
    status = lua_pcall(L, n, 0, -(n + 2));
  }
  if (status != LUA_OK) fprintf(stderr, "lua5.4: %s\n", lua_tostring(L, -1));
  lua_settop(L, 0);
  return status;
}

static void set_arg(lua_State *L, int argc, char **argv, int script) {
  lua_newtable(L);
  for (int i = 0; i < argc; i++) {
    lua_pushstring(L, argv[i]);
    lua_rawseti(L, -2, i - script);
  }
  lua_setglobal(L, "arg");
}

int main(int argc, char **argv) {
  lua_State *L = luaL_newstate();
  if (!L) return EXIT_FAILURE;
  luaL_openlibs(L);
  int script = 1;
  while (script + 1 < argc && (strcmp(argv[script], "-e") == 0 || strcmp(argv[script], "-l") == 0)) script += 2;
  set_arg(L, argc, argv, script < argc ? script : 0);
  int status = LUA_OK;
  for (int i = 1; i < script && status == LUA_OK; i += 2) {
    if (argv[i][1] == 'e') status = luaL_loadstring(L, argv[i + 1]);
    else status = luaL_loadstring(L, lua_pushfstring(L, "%s = require '%s'", argv[i + 1], argv[i + 1]));
    status = run(L, status);
  }
  if (status == LUA_OK && script < argc)
    status = run(L, luaL_loadfile(L, strcmp(argv[script], "-") == 0 ? NULL : argv[script]));
  lua_close(L);
  return status == LUA_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
