/*
** bytecode.c - see bytecode.h.
*/
#include "lua/bytecode.h"

#include <lauxlib.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "array/codegen/device_text.h"
#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/version.h"

/* Their addresses are keys of the registry. */
static const char format_key = 0, searcher_key = 0, text_key = 0, modules_key = 0;

/* Compares what Lua dumps with the sample's code. */
typedef struct comparison {
  size_t at;
  bool same;
} comparison;

static int compare(lua_State *L, const void *bytes, size_t n, void *ud) {
  (void)L;
  comparison *c = ud;
  const size_t left = dc_bytecode_sample.len - c->at;
  c->same = c->same && n <= left && memcmp(dc_bytecode_sample.code + c->at, bytes, n) == 0;
  c->at += c->same ? n : 0;
  return 0;
}

/* Whether this Lua makes the same bytecode as the one that the program was built with. */
static bool has_same_format(lua_State *L) {
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &format_key) == LUA_TNIL) {
    comparison c = { 0, dc_bytecode_sample.len > 0 };
    lua_pop(L, 1);
    if (luaL_loadbufferx(L, DC_BYTECODE_SAMPLE, sizeof DC_BYTECODE_SAMPLE - 1, "=sample", "t") != LUA_OK) lua_error(L);
    lua_dump(L, compare, &c, 0);
    lua_pop(L, 1);
    lua_pushboolean(L, c.same && c.at == dc_bytecode_sample.len);
    lua_pushvalue(L, -1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &format_key);
  }
  const bool same = lua_toboolean(L, -1);
  lua_pop(L, 1);
  return same;
}

bool dc_lua_load_bytecode(lua_State *L, const char *name, const uint64_t *hash) {
  const dc_bytecode *file = dc_bytecode_lua;
  while (file->name && strcmp(file->name, name) != 0) file++;
  if (!file->name || !has_same_format(L)) return false;
  if (hash && file->hash != *hash) return false;
  if (luaL_loadbufferx(L, (const char *)file->code, file->len, name, "b") == LUA_OK) return true;
  lua_pop(L, 1);
  return false;
}

/* --- modules ------------------------------------------------------------------------------------- */

void dc_lua_push_modules(lua_State *L) {
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &modules_key) == LUA_TTABLE) return;
  lua_pop(L, 1);
  lua_newtable(L);
  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &modules_key);
}

/* The loader of a module, loader(name, where): upvalue 1 is its main function. */
static int load_once(lua_State *L) {
  lua_settop(L, 2);
  dc_lua_push_modules(L); /* 3 */
  lua_pushvalue(L, 1);
  if (lua_rawget(L, 3) != LUA_TNIL) return 1;
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushvalue(L, 1);
  lua_pushvalue(L, 2);
  lua_call(L, 2, 1); /* 5 */
  lua_pushvalue(L, 1);
  lua_pushvalue(L, 5);
  lua_rawset(L, 3);
  return 1;
}

void dc_lua_make_loader(lua_State *L) { lua_pushcclosure(L, load_once, 1); }

/* --- require ------------------------------------------------------------------------------------- */

/* The hash of a file's text; false where it cannot be read. */
static bool hash_file(const char *path, uint64_t *hash) {
  dc_error err = DC_ERROR_INIT;
  char *text;
  size_t len;
  if (dc_file_read(path, &text, &len, &err) != 0) {
    dc_error_clear(&err);
    return false;
  }
  *hash = dc_fnv1a(DC_FNV1A, text, len);
  free(text);
  return true;
}

/* searcher(name): the loader of a module of ours and its path; nothing where Lua has to say what is wrong. */
static int search(lua_State *L) {
  static const char own[] = "dotcompute.";
  const char *name = luaL_checkstring(L, 1);
  if (strncmp(name, own, sizeof own - 1) != 0) return 0;
  lua_settop(L, 1);
  lua_getfield(L, lua_upvalueindex(1), "searchpath"); /* upvalue: package */
  lua_pushvalue(L, 1);
  if (lua_getfield(L, lua_upvalueindex(1), "path") != LUA_TSTRING || !lua_isfunction(L, 2)) return 0;
  lua_call(L, 2, 1);
  if (!lua_isstring(L, 2)) return 0;
  uint64_t hash;
  if (!hash_file(lua_tostring(L, 2), &hash)) return 0;
  luaL_gsub(L, name, ".", "/");
  const char *const files[] = { lua_pushfstring(L, "%s.lua", lua_tostring(L, -1)),
                                lua_pushfstring(L, "%s/init.lua", lua_tostring(L, -2)) };
  for (int i = 0; i < 2; i++) {
    if (!dc_lua_load_bytecode(L, files[i], &hash)) continue;
    dc_lua_make_loader(L);
    lua_pushvalue(L, 2);
    return 2;
  }
  lua_pushboolean(L, 1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &text_key);
  if (luaL_loadfile(L, lua_tostring(L, 2)) != LUA_OK) return 0;
  dc_lua_make_loader(L);
  lua_pushvalue(L, 2);
  return 2;
}

/* --- what the program was built from --------------------------------------------------------------- */

static uint8_t code_digest[32];
static pthread_once_t code_once = PTHREAD_ONCE_INIT;

static void hash_code(void) {
  dc_sha256 h;
  dc_sha256_init(&h);
  dc_sha256_str(&h, DC_VERSION);
  for (const dc_bytecode *file = dc_bytecode_lua; file->name; file++)
    dc_sha256_add(&h, &file->hash, sizeof file->hash);
  dc_device_text_hash(&h);
  dc_sha256_end(&h, code_digest);
}

const uint8_t *dc_lua_code_digest(lua_State *L) {
  const bool has_texts = lua_rawgetp(L, LUA_REGISTRYINDEX, &text_key) != LUA_TNIL;
  lua_pop(L, 1);
  if (has_texts || !dc_bytecode_lua[0].name) return NULL;
  pthread_once(&code_once, hash_code);
  return code_digest;
}

void dc_lua_open_bytecode(lua_State *L) {
  const int top = lua_gettop(L);
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &searcher_key) == LUA_TNIL && dc_bytecode_lua[0].name &&
      lua_getfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE) == LUA_TTABLE &&
      lua_getfield(L, -1, "package") == LUA_TTABLE && lua_getfield(L, -1, "searchers") == LUA_TTABLE) {
    /* nil, loaded, package, searchers */
    for (lua_Integer i = (lua_Integer)lua_rawlen(L, -1); i >= 2; i--) { /* package.preload stays the first one */
      lua_rawgeti(L, -1, i);
      lua_rawseti(L, -2, i + 1);
    }
    lua_pushvalue(L, -2);
    lua_pushcclosure(L, search, 1);
    lua_rawseti(L, -2, 2);
    lua_pushboolean(L, 1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &searcher_key);
  }
  lua_settop(L, top);
}
