/* image.c - see image.h. */
#include "lua/image.h"

#include <lauxlib.h>
#include <lua.h>
#include <stdlib.h>
#include <string.h>

#include "array/array.h"
#include "array/copy.h"
#include "array/graph/geometry.h"
#include "array/graph/types.h"
#include "base/dtype.h"
#include "base/error.h"
#include "device/device.h"
#include "file/bytes.h"
#include "file/input.h"
#include "file/output.h"
#include "file/picture.h"
#include "file/picture_read.h"
#include "file/png_write.h"
#include "file/pnm.h"
#include "lua/array.h"
#include "lua/device.h"
#include "lua/files.h"
#include "lua/interrupt.h"
#include "lua/memory.h"
#include "lua/object.h"

/* image_read(path) */
static int core_image_read(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  dc_error err = DC_ERROR_INIT;
  size_t n = 0;
  lua_settop(L, 1);
  dc_lua_file *f = dc_lua_newfile(L, 1);
  if (dc_input_open(&f->in, f->path, &err) != 0 || dc_input_read_all(&f->in, &f->bytes, &n, &err) != 0)
    return dc_lua_file_raise(L, f, &err);
  if (DC_LUA_WORK(self, dc_picture_read(&f->image, (const uint8_t *)f->bytes, n, &err)) != 0)
    return dc_lua_file_raise(L, f, &err);
  free(f->bytes);
  f->bytes = NULL;
  const dc_picture *m = &f->image;
  const int64_t shape[3] = { m->height, m->width, m->channels };
  dc_device *dev = dc_lua_current(L, self);
  dc_lua_array *slot = dc_lua_newarray(L);
  dc_lua_account(L, self, dc_picture_bytes(m));
  slot->a = dc_array_from_host(dev, m->depth == 16 ? DC_UINT16 : DC_UINT8, m->channels == 1 ? 2 : 3, shape, m->data,
                               &err);
  if (slot->a == NULL) return dc_lua_file_raise(L, f, &err);
  return 1;
}

/* The picture that the array is; dc.image has looked at its shape and dtype. */
static dc_picture picture(const dc_array *a) {
  const dc_geometry *g = dc_array_geometry(a);
  return (dc_picture){ .width = (uint32_t)g->shape[1],
                     .height = (uint32_t)g->shape[0],
                     .channels = g->ndim == 3 ? (int)g->shape[2] : 1,
                     .depth = dc_array_dtype(a) == DC_UINT16 ? 16 : 8 };
}

static int write_image(dc_lua_file *f, bool png, int level, dc_error *err) {
  const dc_sink to = { dc_output_push, &f->out };
  return png ? dc_png_write(&f->image, level, &to, err) : dc_pnm_write(&f->image, &to, err);
}

/* image_write(path, array, png, level) */
static int core_image_write(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  dc_error err = DC_ERROR_INIT;
  lua_settop(L, 4);
  const bool png = lua_toboolean(L, 3);
  const int level = (int)lua_tointeger(L, 4);
  dc_array *a = dc_lua_file_packed(L, self, 2, NULL);
  dc_lua_file *f = dc_lua_newfile(L, 1);
  f->image = picture(a);
  if (dc_picture_make(&f->image, &err) != 0) return dc_lua_file_raise(L, f, &err);
  if (DC_LUA_WORK(self, dc_array_read(a, f->image.data, &err)) != 0) return dc_lua_file_raise(L, f, &err);
  if (dc_output_open(&f->out, f->path, &err) != 0) return dc_lua_file_raise(L, f, &err);
  if (DC_LUA_WORK(self, write_image(f, png, level, &err)) != 0 || dc_output_commit(&f->out, &err) != 0)
    return dc_lua_file_raise(L, f, &err);
  return 0;
}

const luaL_Reg dc_lua_image_internal[] = {
  { "image_read", core_image_read },
  { "image_write", core_image_write },
  { NULL, NULL },
};
