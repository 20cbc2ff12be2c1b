/* texture.c - see texture.h. */
#include "lua/texture.h"

#include <string.h>

#include "array/array.h"
#include "array/texture.h"
#include "lua/array.h"
#include "lua/device.h"
#include "lua/error.h"
#include "lua/field.h"
#include "lua/host_interrupt.h"
#include "lua/memory.h"

/* Of all three types. User values of textures and surfaces: a table that describes them, and their storage. */
typedef struct texture_object {
  dc_array *a; /* NULL: not made yet, or closed */
} texture_object;
enum { INFO = 1, STORAGE, NVALUES = STORAGE };

static const char *const type_names[] = { "texture", "surface" };

/* The texture or surface at idx. */
static texture_object *test(lua_State *L, const dc_lua *self, int idx, bool *surface) {
  texture_object *o = dc_lua_test(L, self, idx, DC_LUA_TEXTURE);
  *surface = o == NULL;
  return o ? o : dc_lua_test(L, self, idx, DC_LUA_SURFACE);
}

bool dc_lua_totexture(lua_State *L, const dc_lua *self, int idx, dc_array **object, bool *surface) {
  const texture_object *o = test(L, self, idx, surface);
  if (o) *object = o->a;
  return o != NULL;
}

/* Of a method: at 1. */
static texture_object *check(lua_State *L, bool *surface) {
  texture_object *o = test(L, dc_lua_self(L), 1, surface);
  if (!o) dc_lua_expected(L, 1, "a texture or a surface");
  return o;
}

static texture_object *check_open(lua_State *L) {
  bool surface;
  texture_object *o = check(L, &surface);
  if (!o->a) dc_lua_fail(L, DC_ARGUMENT, "the %s is closed", type_names[surface]);
  return o;
}

static dc_array *check_storage(lua_State *L) {
  const texture_object *o = dc_lua_check(L, dc_lua_self(L), 1, DC_LUA_STORAGE, "storage");
  return o->a;
}

static int push_made(lua_State *L, texture_object *o, dc_array *a, dc_error *err) {
  o->a = a;
  return a ? 1 : dc_lua_raise(L, err);
}

/* --- making, for texture.lua, which has checked all but what the device allows ---------------------------- */

/* The number in that field of the table at 2. */
static lua_Number number_of(lua_State *L, const char *name) {
  lua_getfield(L, 2, name);
  const lua_Number v = lua_tonumber(L, -1);
  lua_pop(L, 1);
  return v;
}
#define EXTENT(name) ((uint32_t)number_of(L, name))
#define SMALL(name) ((uint8_t)number_of(L, name))

/* The fields of the table at 2 that describe the shape. */
static dc_texture_shape read_shape(lua_State *L) {
  return (dc_texture_shape){ .kind = SMALL("kind"),
                             .texel = { SMALL("channel"), SMALL("bits"), SMALL("channels") },
                             .width = EXTENT("width"), .height = EXTENT("height"), .depth = EXTENT("depth"),
                             .layers = EXTENT("layers"), .levels = EXTENT("levels") };
}

static dc_sampling read_sampling(lua_State *L) {
  dc_sampling s = { .address = { SMALL("address_x"), SMALL("address_y"), SMALL("address_z") },
                    .filter = SMALL("filter"), .mipmap_filter = SMALL("mipmap_filter"),
                    .normalized = SMALL("normalized"), .normalized_read = SMALL("normalized_read"),
                    .srgb = SMALL("srgb"), .bias = (float)number_of(L, "bias"),
                    .min_level = (float)number_of(L, "min_level"), .max_level = (float)number_of(L, "max_level") };
  lua_getfield(L, 2, "border");
  for (int i = 0; i < 4 && lua_istable(L, -1); i++) {
    lua_rawgeti(L, -1, i + 1);
    s.border[i] = (float)lua_tonumber(L, -1);
    lua_pop(L, 1);
  }
  return s;
}

/* texture_storage(device, shape) */
static int core_storage(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  dc_device *dev = dc_lua_checkdevice(L, 1);
  dc_error err = DC_ERROR_INIT;
  luaL_checktype(L, 2, LUA_TTABLE);
  const dc_texture_shape shape = read_shape(L);
  texture_object *o = dc_lua_new(L, DC_LUA_STORAGE, sizeof *o, 0);
  dc_lua_account(L, self, dc_texture_level_size(&shape, 0));
  return push_made(L, o, DC_LUA_MAKE(self, dc_texture_storage(dev, &shape, &err)), &err);
}

/* texture_copy(storage, level, array, write): level 0 is the largest; the array is contiguous. */
static int core_copy(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  dc_array *storage = check_storage(L), *a = dc_lua_checkarray(L, self, 3);
  const uint32_t level = (uint32_t)luaL_checkinteger(L, 2);
  dc_error err = DC_ERROR_INIT;
  dc_lua_materialize(L, self, a);
  if (DC_LUA_WORK(self, dc_texture_copy(storage, level, a, lua_toboolean(L, 4), &err)) != 0)
    return dc_lua_raise(L, &err);
  return 0;
}

/* Pushes the object, with the table at 2 and the storage at 1 if it is that. */
static texture_object *push_object(lua_State *L, int slot) {
  texture_object *o = dc_lua_new(L, slot, sizeof *o, NVALUES);
  lua_pushvalue(L, 2);
  lua_setiuservalue(L, -2, INFO);
  if (dc_lua_test(L, dc_lua_self(L), 1, DC_LUA_STORAGE)) {
    lua_pushvalue(L, 1);
    lua_setiuservalue(L, -2, STORAGE);
  }
  return o;
}

/* texture_over(storage or array, info): a texture; info has the shape, the sampling and fields for scripts. */
static int core_texture_over(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  dc_array *memory = dc_lua_toarray(L, self, 1);
  const bool is_array = memory != NULL;
  dc_error err = DC_ERROR_INIT;
  luaL_checktype(L, 2, LUA_TTABLE);
  if (is_array) dc_lua_materialize(L, self, memory);
  else memory = check_storage(L);
  const dc_texture_desc desc = { .shape = read_shape(L), .sampling = read_sampling(L) };
  texture_object *o = push_object(L, DC_LUA_TEXTURE);
  return push_made(L, o, DC_LUA_MAKE(self, dc_texture_over(memory, is_array, &desc, &err)), &err);
}

/* surface_over(storage, info): a surface of level info.level. */
static int core_surface_over(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  dc_array *storage = check_storage(L);
  dc_error err = DC_ERROR_INIT;
  luaL_checktype(L, 2, LUA_TTABLE);
  const uint32_t level = EXTENT("level");
  texture_object *o = push_object(L, DC_LUA_SURFACE);
  return push_made(L, o, DC_LUA_MAKE(self, dc_surface_over(storage, level, &err)), &err);
}

/* texture_parts(object): "texture" or "surface", its table, its storage or nil; nothing for another value.  Raises for
** a closed one. */
static int core_parts(lua_State *L) {
  bool surface;
  if (!test(L, dc_lua_self(L), 1, &surface)) return 0;
  check_open(L);
  lua_pushstring(L, type_names[surface]);
  lua_getiuservalue(L, 1, INFO);
  lua_getiuservalue(L, 1, STORAGE);
  return 3;
}

/* texture_method(type, name, function) */
static int core_method(lua_State *L) {
  dc_lua_get_table(L, strcmp(luaL_checkstring(L, 1), "surface") == 0 ? DC_LUA_SURFACE : DC_LUA_TEXTURE);
  lua_getfield(L, -1, "__methods");
  lua_pushvalue(L, 2);
  lua_pushvalue(L, 3);
  lua_settable(L, -3);
  return 0;
}

/* --- objects --------------------------------------------------------------------------------------- */

static int texture_close(lua_State *L) {
  bool surface;
  texture_object *o = check(L, &surface);
  dc_array *a = o->a;
  dc_error err = DC_ERROR_INIT;
  o->a = NULL;
  if (!a) return 0;
  const int rc = dc_array_close(a, &err);
  dc_array_unref(a);
  lua_pushnil(L);
  lua_setiuservalue(L, 1, STORAGE); /* the last of its users frees it */
  return rc == 0 ? 0 : dc_lua_raise(L, &err);
}

static int storage_gc(lua_State *L) {
  texture_object *o = dc_lua_check(L, dc_lua_self(L), 1, DC_LUA_STORAGE, "storage");
  dc_array *a = o->a;
  o->a = NULL;
  dc_array_unref(a);
  return 0;
}

static int texture_gc(lua_State *L) {
  bool surface;
  texture_object *o = check(L, &surface);
  dc_array *a = o->a;
  o->a = NULL;
  dc_array_unref(a);
  return 0;
}

/* The integer that kernels receive.  From now on integers that are equal to it may stand for the texture. */
static int push_handle(lua_State *L, dc_lua *self, const dc_array *a) {
  uint64_t handle;
  dc_error err = DC_ERROR_INIT;
  if (dc_texture_handle(a, &handle, &err) != 0) return dc_lua_raise(L, &err);
  if (self->highest_read == 0 || handle < self->lowest_read) self->lowest_read = handle;
  if (handle > self->highest_read) self->highest_read = handle;
  lua_pushinteger(L, (lua_Integer)handle);
  return 1;
}

static int texture_index(lua_State *L) {
  bool surface;
  check(L, &surface);
  if (dc_lua_method(L, surface ? DC_LUA_SURFACE : DC_LUA_TEXTURE) != LUA_TNIL) return 1;
  const texture_object *o = check_open(L);
  if (lua_type(L, 2) == LUA_TSTRING && strcmp(lua_tostring(L, 2), "handle") == 0)
    return push_handle(L, dc_lua_self(L), o->a);
  lua_getiuservalue(L, 1, INFO);
  lua_getfield(L, -1, "fields");
  const int fields = lua_gettop(L);
  lua_pushvalue(L, 2);
  if (lua_rawget(L, fields) != LUA_TNIL) return 1;
  static const char *const others[] = { "handle", NULL };
  return dc_lua_fail_field(L, surface ? "a surface" : "a texture", surface ? DC_LUA_SURFACE : DC_LUA_TEXTURE, others,
                           fields);
}

static int texture_tostring(lua_State *L) {
  bool surface;
  if (!check(L, &surface)->a) {
    lua_pushfstring(L, "closed %s", type_names[surface]);
    return 1;
  }
  lua_getiuservalue(L, 1, INFO);
  lua_getfield(L, -1, "text");
  return 1;
}

const luaL_Reg dc_lua_texture_internal[] = {
  { "texture_storage", core_storage }, { "texture_copy", core_copy },   { "texture_over", core_texture_over },
  { "surface_over", core_surface_over }, { "texture_parts", core_parts }, { "texture_method", core_method },
  { NULL, NULL },
};

static const luaL_Reg texture_methods[] = { { "close", texture_close }, { NULL, NULL } };

static const luaL_Reg texture_meta[] = {
  { "__index", texture_index }, { "__tostring", texture_tostring }, { "__close", texture_close },
  { "__gc", texture_gc },       { NULL, NULL },
};

static const luaL_Reg storage_meta[] = { { "__gc", storage_gc }, { NULL, NULL } };

void dc_lua_open_texture(lua_State *L, int self) {
  dc_lua_newtype(L, self, DC_LUA_TEXTURE, "dotcompute.texture", texture_meta, texture_methods);
  dc_lua_newtype(L, self, DC_LUA_SURFACE, "dotcompute.surface", texture_meta, texture_methods);
  dc_lua_newtype(L, self, DC_LUA_STORAGE, "dotcompute.storage", storage_meta, NULL);
}
