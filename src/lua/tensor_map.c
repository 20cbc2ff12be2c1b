/* tensor_map.c - see tensor_map.h. */
#include "lua/tensor_map.h"

#include <string.h>

#include "array/array.h"
#include "array/graph/types.h"
#include "lua/array.h"
#include "lua/error.h"
#include "lua/host_interrupt.h"

enum { INFO = 1 };

/* tensor_layout(array): its address, then the stride in bytes of each axis.  It is evaluated. */
static int core_layout(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  dc_array *a = dc_lua_checkarray(L, self, 1);
  dc_error err = DC_ERROR_INIT;
  dc_ptr address;
  dc_lua_materialize(L, self, a);
  if (dc_array_ptr(a, &address, &err) != 0) return dc_lua_raise(L, &err);
  const dc_geometry *g = dc_array_geometry(a);
  luaL_checkstack(L, g->ndim + 1, NULL);
  lua_pushinteger(L, (lua_Integer)address);
  for (int i = 0; i < g->ndim; i++) lua_pushinteger(L, (lua_Integer)g->strides[i]);
  return g->ndim + 1;
}

/* The integer in that field of the table at 2. */
static lua_Integer integer_of(lua_State *L, const char *name) {
  lua_getfield(L, 2, name);
  const lua_Integer v = lua_tointeger(L, -1);
  lua_pop(L, 1);
  return v;
}

/* Element i, from 0, of the list in that field of the table at 2. */
static lua_Integer element_of(lua_State *L, const char *name, uint32_t i) {
  lua_getfield(L, 2, name);
  lua_rawgeti(L, -1, (lua_Integer)i + 1);
  const lua_Integer v = lua_tointeger(L, -1);
  lua_pop(L, 2);
  return v;
}

/* tensor_map(array, info): info has the fields of dc_tensor_map, checked, and `text`. */
static int core_tensor_map(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  dc_array *a = dc_lua_checkarray(L, self, 1);
  dc_error err = DC_ERROR_INIT;
  luaL_checktype(L, 2, LUA_TTABLE);
  dc_tensor_map m = { .address = (dc_ptr)integer_of(L, "address"), .type = (uint32_t)integer_of(L, "type"),
                      .axes = (uint32_t)integer_of(L, "axes"), .interleave = (uint32_t)integer_of(L, "interleave"),
                      .swizzle = (uint32_t)integer_of(L, "swizzle"), .l2 = (uint32_t)integer_of(L, "l2"),
                      .fill = (uint32_t)integer_of(L, "fill") };
  for (uint32_t i = 0; i < m.axes && i < DC_TENSOR_AXES; i++) {
    m.extent[i] = (uint64_t)element_of(L, "extent", i);
    m.box[i] = (uint32_t)element_of(L, "box", i);
    m.step[i] = (uint32_t)element_of(L, "step", i);
    if (i > 0) m.stride[i - 1] = (uint64_t)element_of(L, "stride", i - 1);
  }
  dc_lua_tensor_map *o = dc_lua_new(L, DC_LUA_TENSOR_MAP, sizeof *o, INFO);
  if (dc_tensor_map_encode(dc_array_device(a), &m, o->bytes, &err) != 0) return dc_lua_raise(L, &err);
  dc_array_ref(a);
  o->memory.a = a;
  lua_pushvalue(L, 2);
  lua_setiuservalue(L, -2, INFO);
  return 1;
}

static dc_lua_tensor_map *check(lua_State *L) {
  return dc_lua_check(L, dc_lua_self(L), 1, DC_LUA_TENSOR_MAP, "a tensor map");
}

static int tensor_map_gc(lua_State *L) {
  dc_lua_tensor_map *o = check(L);
  dc_array *a = o->memory.a;
  o->memory.a = NULL;
  dc_array_unref(a);
  return 0;
}

static int tensor_map_tostring(lua_State *L) {
  check(L);
  lua_getiuservalue(L, 1, INFO);
  lua_getfield(L, -1, "text");
  return 1;
}

const luaL_Reg dc_lua_tensor_map_internal[] = {
  { "tensor_layout", core_layout }, { "tensor_map", core_tensor_map }, { NULL, NULL }
};

static const luaL_Reg meta[] = {
  { "__tostring", tensor_map_tostring }, { "__gc", tensor_map_gc }, { NULL, NULL }
};

void dc_lua_open_tensor_map(lua_State *L, int self) {
  dc_lua_newtype(L, self, DC_LUA_TENSOR_MAP, "dotcompute.tensor_map", meta, NULL);
}
