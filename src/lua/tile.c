/* tile.c - see tile.h. */
#include "lua/tile.h"

#include <stdint.h>
#include <string.h>

#include "kernel/kernel.h"
#include "lua/argument.h"

enum {
  MOST_VARIANTS = 8, /* of a kernel; for other arguments the kernel itself is launched */
  MOST_PARAMS = 62,  /* examined for multiples: each has a bit of a Lua integer */
  FACTOR = 16        /* of addresses in bytes, and of integers; also in lua/dotcompute/tile.lua */
};

/* The registry's key of the function in Lua that compiles a variant. */
static const char compile_key = 0;

/* Bit i: parameter i is an address or an integer of 4 or 8 bytes, and a multiple of FACTOR. */
static uint64_t find_multiples(const dc_kernel *k, const char *params) {
  uint64_t multiples = 0;
  for (int i = 0; i < k->nparams && i < MOST_PARAMS; i++) {
    const dc_plan_param *p = &k->params[i];
    uint64_t v = 0;
    if ((p->conv != DC_CONV_POINTER && p->conv != DC_CONV_INT) || (p->size != 4 && p->size != 8)) continue;
    memcpy(&v, params + p->offset, p->size); /* little-endian; multiples show in the low bits, of either sign */
    if (v % FACTOR == 0) multiples |= (uint64_t)1 << i;
  }
  return multiples;
}

static lua_Integer count(lua_State *L, int idx) {
  lua_Integer n = 0;
  for (lua_pushnil(L); lua_next(L, idx); lua_pop(L, 1)) n++;
  return n;
}

/* Pushes the variant of the kernel at 1 for parameters of which those in `multiples` are multiples of FACTOR; false
** where it cannot be compiled. */
static void compile(lua_State *L, dc_lua *self, uint64_t multiples) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &compile_key);
  lua_pushvalue(L, 1);
  lua_pushinteger(L, (lua_Integer)multiples);
  lua_call(L, 2, 1);
  if (dc_lua_test(L, self, -1, DC_LUA_KERNEL)) {
    lua_pushboolean(L, 0); /* it has no variants itself */
    lua_setiuservalue(L, -2, DC_LUA_KERNEL_TILES);
  } else {
    lua_pop(L, 1);
    lua_pushboolean(L, 0);
  }
}

bool dc_lua_choose_tile(lua_State *L, dc_lua *self, const dc_kernel *k, const char *params) {
  const int top = lua_gettop(L);
  const uint64_t multiples = find_multiples(k, params);
  luaL_checkstack(L, 8, NULL);
  const int type = multiples ? lua_getiuservalue(L, 1, DC_LUA_KERNEL_TILES) : LUA_TBOOLEAN;
  if (type == LUA_TBOOLEAN) {
    lua_settop(L, top);
    return false;
  }
  if (type != LUA_TTABLE) {
    lua_newtable(L);
    lua_pushvalue(L, -1);
    lua_setiuservalue(L, 1, DC_LUA_KERNEL_TILES);
    lua_replace(L, top + 1);
  }
  const bool is_new = lua_rawgeti(L, top + 1, (lua_Integer)multiples) == LUA_TNIL && count(L, top + 1) < MOST_VARIANTS;
  if (is_new) {
    compile(L, self, multiples);
    lua_pushvalue(L, -1);
    lua_rawseti(L, top + 1, (lua_Integer)multiples);
  }
  if (dc_lua_test(L, self, -1, DC_LUA_KERNEL)) lua_replace(L, 1);
  lua_settop(L, top);
  return is_new;
}

void dc_lua_forget_tiles(lua_State *L, int idx) {
  idx = lua_absindex(L, idx);
  lua_pushnil(L);
  lua_setiuservalue(L, idx, DC_LUA_KERNEL_TILES);
}

/* on_tile_launch(fn): fn(kernel, multiples) gives a variant of the kernel, or nothing. */
static int core_on_tile_launch(lua_State *L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_settop(L, 1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &compile_key);
  return 0;
}

const luaL_Reg dc_lua_tile_internal[] = {
  { "on_tile_launch", core_on_tile_launch },
  { NULL, NULL },
};
