/*
** predicate.c - see predicate.h.
**
** The operands of a fused predicate are kept until its kernel is launched: a finalizer, or the launch itself, may
** compute the expression, which then lets go of them.
*/
#include "lua/predicate.h"

#include <lauxlib.h>
#include <lua.h>

#include "array/fused_predicate.h"
#include "array/graph/types.h"
#include "base/error.h"
#include "lua/array.h"
#include "lua/error.h"
#include "lua/host_interrupt.h"
#include "lua/object.h"

static dc_fused *check_predicate(lua_State *L) {
  dc_fused *fused = dc_lua_test(L, dc_lua_self(L), 1, DC_LUA_PREDICATE);
  if (!fused) dc_lua_expected(L, 1, "a fused predicate");
  return fused;
}

/*
** fuse_predicate(test, value, known): how a kernel computes the bool array `test` itself, beside the array `value` of
** the same shape, or nil.  Gives an object that keeps the operands, to be closed after the launch; a key; the operands
** as the bytes of a parameter; whether the text has dc_value; and, where known[key] is nil, the text.  Nothing where
** `test` must be computed first.
*/
static int core_fuse_predicate(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  lua_settop(L, 3);
  dc_array *test = dc_lua_checkarray(L, self, 1), *value = lua_isnil(L, 2) ? NULL : dc_lua_checkarray(L, self, 2);
  dc_error err = DC_ERROR_INIT;
  luaL_checktype(L, 3, LUA_TTABLE);
  if (value) dc_lua_materialize(L, self, value);
  dc_fused *fused = dc_lua_new(L, DC_LUA_PREDICATE, sizeof *fused, 0); /* 4 */
  if (DC_LUA_WORK(self, dc_fused_make(test, value, false, fused, &err)) != 0) return dc_lua_raise(L, &err);
  if (!fused->fits) return 0;
  lua_pushlstring(L, fused->key.data, fused->key.len);
  lua_pushlstring(L, fused->operands.data, fused->operands.len);
  lua_pushboolean(L, fused->takes_value);
  lua_pushvalue(L, 5);
  if (lua_rawget(L, 3) == LUA_TNIL) {
    dc_fused *full = dc_lua_new(L, DC_LUA_PREDICATE, sizeof *full, 0);
    if (DC_LUA_WORK(self, dc_fused_make(test, value, true, full, &err)) != 0) return dc_lua_raise(L, &err);
    lua_pushlstring(L, full->text.data, full->text.len);
    lua_replace(L, 8);
  }
  dc_fused_done(test);
  lua_settop(L, 8);
  return 5;
}

/* The end of a <close> variable, too. Idempotent. */
static int predicate_gc(lua_State *L) {
  dc_fused_free(check_predicate(L));
  return 0;
}

const luaL_Reg dc_lua_predicate_internal[] = {
  { "fuse_predicate", core_fuse_predicate },
  { NULL, NULL },
};

static const luaL_Reg predicate_meta[] = {
  { "__gc", predicate_gc },
  { "__close", predicate_gc },
  { NULL, NULL },
};

void dc_lua_open_predicate(lua_State *L, int self) {
  dc_lua_newtype(L, self, DC_LUA_PREDICATE, "dotcompute.predicate", predicate_meta, NULL);
}
