/*
** part.c - see part.h.
**
** Until such a kernel is launched, its operands are kept: a finalizer, or the launch itself, may compute the
** expression, which then lets go of them.
*/
#include "lua/part.h"

#include <lauxlib.h>
#include <lua.h>

#include "array/fused_predicate.h"
#include "array/graph/types.h"
#include "base/error.h"
#include "lua/array.h"
#include "lua/error.h"
#include "lua/interrupt.h"
#include "lua/object.h"

static dc_fused *check_part(lua_State *L) {
  return dc_lua_check(L, dc_lua_self(L), 1, DC_LUA_PART, "a part");
}

/*
** part(test, value, known): how a kernel computes the bool array `test` itself, beside the array `value` of the same
** shape, or nil.  Gives what keeps the operands, which is to be closed after the launch; a key; the operands as the
** bytes of a parameter; whether there is dc_value; and, where known[key] is nil, the text.  Nothing where `test` must
** be computed first.
*/
static int core_part(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  lua_settop(L, 3);
  dc_array *test = dc_lua_checkarray(L, self, 1), *value = lua_isnil(L, 2) ? NULL : dc_lua_checkarray(L, self, 2);
  dc_error err = DC_ERROR_INIT;
  luaL_checktype(L, 3, LUA_TTABLE);
  if (value) dc_lua_materialize(L, self, value);
  dc_fused *part = dc_lua_new(L, DC_LUA_PART, sizeof *part, 0); /* 4 */
  if (DC_LUA_WORK(self, dc_fused_make(test, value, false, part, &err)) != 0) return dc_lua_raise(L, &err);
  if (!part->fits) return 0;
  lua_pushlstring(L, part->key.data, part->key.len);
  lua_pushlstring(L, part->operands.data, part->operands.len);
  lua_pushboolean(L, part->takes_value);
  lua_pushvalue(L, 5);
  if (lua_rawget(L, 3) == LUA_TNIL) {
    dc_fused *full = dc_lua_new(L, DC_LUA_PART, sizeof *full, 0);
    if (DC_LUA_WORK(self, dc_fused_make(test, value, true, full, &err)) != 0) return dc_lua_raise(L, &err);
    lua_pushlstring(L, full->text.data, full->text.len);
    lua_replace(L, 8);
  }
  dc_fused_done(test);
  lua_settop(L, 8);
  return 5;
}

/* The end of a <close> variable, too. Idempotent. */
static int part_gc(lua_State *L) {
  dc_fused_free(check_part(L));
  return 0;
}

const luaL_Reg dc_lua_part_internal[] = {
  { "part", core_part },
  { NULL, NULL },
};

static const luaL_Reg part_meta[] = {
  { "__gc", part_gc },
  { "__close", part_gc },
  { NULL, NULL },
};

void dc_lua_open_part(lua_State *L, int self) {
  dc_lua_newtype(L, self, DC_LUA_PART, "dotcompute.part", part_meta, NULL);
}
