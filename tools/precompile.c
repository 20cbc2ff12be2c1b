/*
** precompile.c - Lua files as bytecode in C arrays, so that a binary need not parse them.
**
** Usage: precompile ROOT FILE...   writes C to standard output: dc_bytecode_lua and dc_bytecode_sample, see
** src/lua/bytecode.h.  The name of a file is its path below ROOT, by which tracebacks call its functions; names and
** lines are kept.
*/
#include <inttypes.h>
#include <lauxlib.h>
#include <lua.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "lua/bytecode.h"

static int write_bytes(lua_State *L, const void *from, size_t n, void *ud) {
  (void)L;
  long *at = ud;
  for (size_t i = 0; i < n; i++, (*at)++) printf("%s%u,", *at % 32 == 0 ? "\n" : "", ((const unsigned char *)from)[i]);
  return ferror(stdout);
}

/* Writes the code of the text on top, code NUMBER. */
static int write_code(lua_State *L, const char *chunk, int number) {
  long n = 0;
  size_t len;
  const char *text = lua_tolstring(L, -1, &len);
  if (luaL_loadbufferx(L, text, len, chunk, "t") != LUA_OK) {
    fprintf(stderr, "%s\n", lua_tostring(L, -1));
    return -1;
  }
  printf("static const unsigned char code%d[] = {", number);
  if (lua_dump(L, write_bytes, &n, 0) != 0) return -1;
  printf("};\n");
  lua_pop(L, 1);
  return 0;
}

/* Pushes the file's text. */
static int read_text(lua_State *L, const char *path) {
  luaL_Buffer b;
  FILE *f = fopen(path, "rb");
  if (!f) {
    perror(path);
    return -1;
  }
  luaL_buffinit(L, &b);
  for (size_t n; (n = fread(luaL_prepbuffer(&b), 1, LUAL_BUFFERSIZE, f)) > 0;) luaL_addsize(&b, n);
  luaL_pushresult(&b);
  const int failed = ferror(f);
  fclose(f);
  return failed ? -1 : 0;
}

static const char *name_of(const char *path, const char *root) {
  const size_t n = strlen(root);
  return strncmp(path, root, n) == 0 && path[n] == '/' ? path + n + 1 : path;
}

int main(int argc, char **argv) {
  lua_State *L = luaL_newstate();
  if (argc < 2 || !L) {
    fprintf(stderr, "usage: precompile ROOT FILE...\n");
    return 2;
  }
  printf("/* made by tools/precompile.c */\n#include \"lua/bytecode.h\"\n");
  lua_pushliteral(L, DC_BYTECODE_SAMPLE);
  if (write_code(L, "=sample", 0) != 0) return 1;
  printf("const dc_bytecode dc_bytecode_sample = { \"sample\", code0, sizeof code0, 0 };\n");
  lua_settop(L, 0);
  for (int i = 2; i < argc; i++) { /* texts stay at i - 1 */
    luaL_checkstack(L, 8, NULL);
    if (read_text(L, argv[i]) != 0) return 1;
    const char *chunk = lua_pushfstring(L, "@%s", name_of(argv[i], argv[1]));
    lua_insert(L, -2);
    if (write_code(L, chunk, i) != 0) return 1;
    lua_remove(L, -2);
  }
  printf("const dc_bytecode dc_bytecode_lua[] = {\n");
  for (int i = 2; i < argc; i++) {
    size_t len;
    const char *text = lua_tolstring(L, i - 1, &len);
    printf("  { \"%s\", code%d, sizeof code%d, UINT64_C(%" PRIu64 ") },\n", name_of(argv[i], argv[1]), i, i,
           dc_fnv1a(DC_FNV1A, text, len));
  }
  printf("  { NULL, NULL, 0, 0 }};\n");
  lua_close(L);
  return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}
