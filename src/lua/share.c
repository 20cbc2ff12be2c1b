/*
** share.c - see share.h.
**
** A token is text: the number of the memory (array/graph/shared.h), and the array's dtype, shape and strides.  At its
** end is a hash of all that under a key of the process, so that damaged tokens and those of other processes are known.
*/
#include "lua/share.h"

#include <inttypes.h>
#include <lua.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "array/array.h"
#include "array/shared_array.h"
#include "base/buf.h"
#include "base/dtype.h"
#include "base/error.h"
#include "base/hash.h"
#include "device/registry.h"
#include "lua/array.h"
#include "lua/error.h"
#include "lua/host_interrupt.h"
#include "lua/memory.h"
#include "lua/named.h"
#include "lua/object.h"

#define BEGINNING "dotcompute array "
#define KEY 32   /* bytes of the key */
#define HASH 64  /* characters of the hash */

static unsigned char key[KEY];

static void make_key(void) {
  const pid_t pid = getpid();
  if (getrandom(key, sizeof key, GRND_NONBLOCK) < (ssize_t)sizeof key) memcpy(key, &pid, sizeof pid);
}

static void hash_of(const char *text, size_t len, char hex[HASH + 1]) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  dc_sha256 s;
  pthread_once(&once, make_key);
  dc_sha256_init(&s);
  dc_sha256_add(&s, key, sizeof key);
  dc_sha256_add(&s, text, len);
  dc_sha256_end_hex(&s, hex);
}

/* share(a [, {keep = true}]): the token. */
static int core_share(lua_State *L) {
  static const dc_lua_option options[] = { { "keep", DC_LUA_BOOLEAN, 2 }, { NULL, DC_LUA_ANY, 0 } };
  const dc_lua *self = dc_lua_self(L);
  if (!lua_isnoneornil(L, 2) && !lua_istable(L, 2)) return dc_lua_expected(L, 2, "a table of options");
  dc_lua_take_options(L, 2, 2, options);
  dc_array *a = dc_lua_checkarray(L, self, 1);
  dc_error err = DC_ERROR_INIT;
  dc_buf b = DC_BUF_INIT;
  char hex[HASH + 1];
  dc_shared_view v;
  if (DC_LUA_WORK(self, dc_array_share(a, lua_toboolean(L, 2), &v, &err)) != 0) return dc_lua_raise(L, &err);
  dc_buf_printf(&b, BEGINNING "%" PRIu64 " %d %d %" PRIu64 " %d", v.number, v.keep, v.dtype, v.offset, v.g.ndim);
  for (int i = 0; i < v.g.ndim; i++) dc_buf_printf(&b, " %" PRId64 " %" PRId64, v.g.shape[i], v.g.strides[i]);
  hash_of(dc_buf_str(&b), b.len, hex);
  dc_buf_printf(&b, " %s", hex);
  if (b.failed) {
    dc_buf_free(&b);
    return dc_lua_fail(L, DC_MEMORY, "the host has no memory left for a token");
  }
  const size_t len = b.len;
  char *text = dc_buf_take(&b);
  return dc_lua_push_owned(L, text, len);
}

/* The token's content; false: it is none of this process, or damaged. */
static bool read_token(const char *text, size_t len, dc_shared_view *v) {
  const size_t begin = sizeof BEGINNING - 1;
  char hex[HASH + 1];
  int keep, dtype, used = 0;
  if (len < begin + HASH + 1 || memcmp(text, BEGINNING, begin) != 0) return false;
  hash_of(text, len - HASH - 1, hex);
  if (text[len - HASH - 1] != ' ' || memcmp(text + len - HASH, hex, HASH) != 0) return false;
  /* written by core_share: all numbers are there */
  sscanf(text + begin, "%" SCNu64 " %d %d %" SCNu64 " %d%n", &v->number, &keep, &dtype, &v->offset, &v->g.ndim, &used);
  char *at = (char *)(uintptr_t)text + begin + used;
  for (int i = 0; i < v->g.ndim; i++) {
    v->g.shape[i] = strtoll(at, &at, 10);
    v->g.strides[i] = strtoll(at, &at, 10);
  }
  v->keep = keep != 0;
  v->dtype = (dc_dtype)dtype;
  return true;
}

/* open(token) */
static int core_open(lua_State *L) {
  dc_lua_at_most(L, 1);
  const dc_lua *self = dc_lua_self(L);
  size_t len;
  dc_shared_view v;
  char id[24];
  dc_error err = DC_ERROR_INIT;
  if (lua_type(L, 1) != LUA_TSTRING) return dc_lua_expected(L, 1, "a token of dc.share (a string)");
  const char *text = lua_tolstring(L, 1, &len);
  if (!read_token(text, len, &v)) {
    const bool like = len > sizeof BEGINNING && memcmp(text, BEGINNING, sizeof BEGINNING - 1) == 0;
    return dc_lua_fail(L, DC_ARGUMENT, "open: %s",
                       like ? "the token is damaged, or was made by another process: arrays are shared by the Lua "
                              "states of one process"
                            : "this is no token of dc.share");
  }
  if (dc_shared_device(v.number, id, &err) != 0) return dc_lua_raise(L, &err);
  dc_device *dev = dc_device_find(self->devices, id, &err);
  if (!dev || dc_device_open(dev, &err) != 0) return dc_lua_raise(L, &err);
  dc_lua_array *slot = dc_lua_newarray(L);
  return dc_lua_set_array(L, slot, dc_array_open_shared(dev, &v, &err), &err);
}

const luaL_Reg dc_lua_share_core[] = { { "share", core_share }, { "open", core_open }, { NULL, NULL } };
