/*
** array_fields.c - see array_fields.h.
**
** Fields and methods share one table, looked up by name; where it has a number instead of a function, the number says
** which field is meant.
*/
#include "lua/array_fields.h"

#include <lua.h>

#include "array/array.h"
#include "array/graph/geometry.h"
#include "array/graph/types.h"
#include "array/view.h"
#include "base/dtype.h"
#include "base/error.h"
#include "device/device.h"
#include "lua/array.h"
#include "lua/device.h"
#include "lua/error.h"
#include "lua/object.h"

enum field {
  FIELD_DTYPE = 1, FIELD_NDIM, FIELD_SIZE, FIELD_NBYTES, FIELD_DEVICE, FIELD_CONTIGUOUS, FIELD_T, FIELD_PTR
};

static const struct {
  const char *name;
  enum field id;
} fields[] = {
  { "dtype", FIELD_DTYPE },   { "ndim", FIELD_NDIM },             { "size", FIELD_SIZE }, { "nbytes", FIELD_NBYTES },
  { "device", FIELD_DEVICE }, { "contiguous", FIELD_CONTIGUOUS }, { "T", FIELD_T },       { "ptr", FIELD_PTR },
};

int dc_lua_push_transposed(lua_State *L, dc_lua *self, dc_array *a, const int *axes) {
  dc_error err = DC_ERROR_INIT;
  if (!dc_array_views_lazily(a, true)) dc_lua_materialize(L, self, a);
  dc_lua_array *slot = dc_lua_newarray(L);
  return dc_lua_set_array(L, slot, dc_array_transpose(a, axes, &err), &err);
}

static int push_ptr(lua_State *L, dc_lua *self, dc_array *a) {
  dc_ptr ptr, from, to;
  dc_error err = DC_ERROR_INIT;
  dc_lua_materialize(L, self, a);
  if (dc_array_ptr(a, &ptr, &err) != 0) return dc_lua_raise(L, &err);
  dc_array_memory(a, &from, &to);
  if (from != 0 && (self->highest_read == 0 || from < self->lowest_read)) self->lowest_read = from;
  if (to > self->highest_read) self->highest_read = to;
  lua_pushinteger(L, (lua_Integer)ptr);
  return 1;
}

int dc_lua_array_field(lua_State *L, dc_lua *self, dc_array *a, int id) {
  const dc_geometry *g = dc_array_geometry(a);
  const size_t itemsize = dc_dtype_size(dc_array_dtype(a));
  switch ((enum field)id) {
    case FIELD_DTYPE: lua_pushstring(L, dc_dtype_name(dc_array_dtype(a))); break;
    case FIELD_NDIM: lua_pushinteger(L, g->ndim); break;
    case FIELD_SIZE: lua_pushinteger(L, dc_array_size(a)); break;
    case FIELD_NBYTES: lua_pushinteger(L, (lua_Integer)dc_lua_nbytes(a)); break;
    case FIELD_DEVICE: dc_lua_pushdevice(L, dc_array_device(a)); break;
    case FIELD_CONTIGUOUS: lua_pushboolean(L, dc_geometry_contiguous(g, itemsize)); break;
    case FIELD_T: return dc_lua_push_transposed(L, self, a, NULL);
    case FIELD_PTR: return push_ptr(L, self, a);
  }
  return 1;
}

void dc_lua_set_fields(lua_State *L) {
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
    lua_pushinteger(L, fields[i].id);
    lua_setfield(L, -2, fields[i].name); /* methods */
  }
}
