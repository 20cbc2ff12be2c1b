/* cache.c - see cache.h. */
#include "lua/cache.h"

#include <lauxlib.h>
#include <lua.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "compile/bundle.h"
#include "compile/cache.h"
#include "lua/bytecode.h"
#include "lua/error.h"
#include "lua/memory.h"

/* cache_folder(): the folder, or nil and why there is none. */
static int core_cache_folder(lua_State *L) {
  lua_pushstring(L, dc_cache_folder());
  lua_pushstring(L, dc_cache_note());
  return 2;
}

typedef struct entries {
  dc_cache_entry *list;
  int n;
} entries;

static int push_entries(lua_State *L) {
  const entries *all = lua_touserdata(L, 1);
  lua_createtable(L, all->n, 0); /* the result */
  for (int i = 0; i < all->n; i++) {
    const dc_cache_entry *e = &all->list[i];
    lua_createtable(L, 0, 6);
    dc_lua_set_string(L, "key", e->key);
    dc_lua_set_integer(L, "size", (lua_Integer)e->size);
    dc_lua_set_number(L, "age", e->age);
    dc_lua_set_boolean(L, "good", e->good);
    dc_lua_set_string(L, "about", e->about);
    lua_rawseti(L, -2, i + 1);
  }
  return 1;
}

/* cache_list(): {key, size, age, good, about} of each entry, those used last first. */
static int core_cache_list(lua_State *L) {
  entries all;
  all.list = dc_cache_list(&all.n);
  lua_pushcfunction(L, push_entries);
  lua_pushlightuserdata(L, &all);
  int status = lua_pcall(L, 1, 1, 0);
  free(all.list);
  return status == LUA_OK ? 1 : lua_error(L);
}

static int push_sum(lua_State *L, dc_cache_sum sum) {
  lua_pushinteger(L, sum.files);
  lua_pushinteger(L, (lua_Integer)sum.bytes);
  return 2;
}

/* cache_clear(), cache_prune([bytes]): files and bytes removed. */
static int core_cache_clear(lua_State *L) { return push_sum(L, dc_cache_clear()); }

static int core_cache_prune(lua_State *L) {
  lua_Integer most = luaL_optinteger(L, 1, 0);
  return push_sum(L, dc_cache_prune(most > 0 ? (size_t)most : 0));
}

/* --- entries of our own Lua files ------------------------------------------------------------ */

/* cache_magic(): how an entry begins. */
static int core_cache_magic(lua_State *L) {
  lua_pushliteral(L, DC_CACHE_CUDA_C);
  return 1;
}

/* cache_key(string, ...): a key for what the strings and our own code determine; nil where that code is not known. */
static int core_cache_key(lua_State *L) {
  const int n = lua_gettop(L);
  char key[65];
  const uint8_t *code = dc_lua_code_digest(L);
  if (!code) return 0;
  dc_sha256 h;
  dc_sha256_init(&h);
  dc_sha256_add(&h, code, 32);
  for (int i = 1; i <= n; i++) {
    size_t len;
    const char *text = luaL_checklstring(L, i, &len);
    dc_sha256_add(&h, &len, sizeof len);
    dc_sha256_add(&h, text, len);
  }
  dc_sha256_end_hex(&h, key);
  lua_pushstring(L, key);
  return 1;
}

static const char *check_key(lua_State *L) {
  size_t len;
  const char *key = luaL_checklstring(L, 1, &len);
  luaL_argcheck(L, len == 64 && strspn(key, "0123456789abcdef") == 64, 1, "a key of cache_key expected");
  return key;
}

/* cache_get(key): what is kept under the key, or nil. */
static int core_cache_get(lua_State *L) {
  void *data;
  size_t len;
  return dc_cache_get(check_key(L), &data, &len) ? dc_lua_push_owned(L, data, len) : 0;
}

/* cache_put(key, string) */
static int core_cache_put(lua_State *L) {
  size_t len;
  const char *data = luaL_checklstring(L, 2, &len);
  dc_cache_put(check_key(L), data, len);
  return 0;
}

/* bundle_record(): from now on; bundle_write(path): images and bytes written. */
static int core_bundle_record(lua_State *L) {
  dc_bundle_record();
  lua_pushboolean(L, 1);
  return 1;
}

static int core_bundle_write(lua_State *L) {
  dc_error err = DC_ERROR_INIT;
  int count;
  size_t bytes;
  if (dc_bundle_write(luaL_checkstring(L, 1), &count, &bytes, &err) != 0) return dc_lua_raise(L, &err);
  lua_pushinteger(L, count);
  lua_pushinteger(L, (lua_Integer)bytes);
  return 2;
}

const luaL_Reg dc_lua_cache_internal[] = {
  { "cache_folder", core_cache_folder }, { "cache_list", core_cache_list },       { "cache_clear", core_cache_clear },
  { "cache_prune", core_cache_prune },   { "bundle_record", core_bundle_record }, { "bundle_write", core_bundle_write },
  { "cache_key", core_cache_key },       { "cache_get", core_cache_get },         { "cache_put", core_cache_put },
  { "cache_magic", core_cache_magic },
  { NULL, NULL },
};

void dc_lua_find_bundle(lua_State *L) {
  if (lua_getglobal(L, "arg") == LUA_TTABLE && lua_rawgeti(L, -1, 0) == LUA_TSTRING)
    dc_bundle_beside(lua_tostring(L, -1));
  lua_settop(L, 0);
}
