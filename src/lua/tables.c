/* tables.c - see tables.h. */
#include "lua/tables.h"

#include <lauxlib.h>
#include <lua.h>
#include <stdlib.h>
#include <string.h>

#include "array/array.h"
#include "array/chunks.h"
#include "array/graph/types.h"
#include "base/buf.h"
#include "base/dtype.h"
#include "base/error.h"
#include "device/device.h"
#include "file/bytes.h"
#include "file/csv.h"
#include "file/input.h"
#include "file/output.h"
#include "lua/array.h"
#include "lua/convert.h"
#include "lua/device.h"
#include "lua/error.h"
#include "lua/files.h"
#include "lua/interrupt.h"
#include "lua/memory.h"
#include "lua/object.h"

/* A list of the columns' names. */
static void push_names(lua_State *L, const dc_buf *names) {
  lua_newtable(L);
  lua_Integer i = 0;
  for (size_t at = 0; at < names->len; at += strlen(names->data + at) + 1) {
    lua_pushstring(L, names->data + at);
    lua_seti(L, -2, ++i);
  }
}

/* csv_load(path, dtype, delimiter, comment, header, skip, missing): an array of two axes, and the names of the columns
** when there is a header. comment "": none; missing nil: empty fields are errors. */
static int core_csv_load(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  dc_error err = DC_ERROR_INIT;
  size_t n = 0;
  lua_settop(L, 7);
  dc_csv_options o = { .dtype = dc_lua_checkdtype(L, 2), .header = lua_toboolean(L, 5), .skip = lua_tointeger(L, 6) };
  o.delimiter = *luaL_checkstring(L, 3);
  o.comment = *luaL_checkstring(L, 4);
  o.fills = !lua_isnil(L, 7);
  if (o.fills && dc_lua_element(L, 7, o.dtype, true, o.missing, &err) != 0) {
    dc_error_prefix(&err, "option 'missing': ");
    return dc_lua_raise(L, &err);
  }
  dc_lua_file *f = dc_lua_newfile(L, 1);
  if (dc_input_open(&f->in, f->path, &err) != 0 || dc_input_read_all(&f->in, &f->bytes, &n, &err) != 0)
    return dc_lua_file_raise(L, f, &err);
  if (DC_LUA_WORK(self, dc_csv_read(&f->csv, f->bytes, n, &o, &err)) != 0) return dc_lua_file_raise(L, f, &err);
  free(f->bytes);
  f->bytes = NULL;
  const int64_t shape[2] = { f->csv.rows, f->csv.columns };
  dc_device *dev = dc_lua_current(L, self);
  dc_lua_array *slot = dc_lua_newarray(L);
  dc_lua_account(L, self, (size_t)(shape[0] * shape[1]) * dc_dtype_size(o.dtype));
  slot->a = dc_array_from_host(dev, o.dtype, 2, shape, f->csv.data, &err);
  if (slot->a == NULL) return dc_lua_file_raise(L, f, &err);
  if (o.header) push_names(L, &f->csv.names);
  return o.header ? 2 : 1;
}

/* What happens to the pieces of an array on their way to a file. */
typedef struct departure {
  dc_sink to;
  dc_dtype dtype;
  int64_t columns;
  int64_t row; /* element of the row that comes next */
  char delimiter;
} departure;

static int take(void *ud, const void *bytes, size_t n, dc_error *err) {
  departure *d = ud;
  const size_t size = dc_dtype_size(d->dtype);
  const size_t count = n / size;
  if (dc_csv_write(&d->to, d->dtype, bytes, count, d->columns, d->row, d->delimiter, err) != 0) return -1;
  d->row = (int64_t)((d->row + (int64_t)count) % d->columns);
  return 0;
}

/* csv_save(path, array, columns, delimiter, header): a line for each `columns` elements; header: text of the first
** line, or nil. */
static int core_csv_save(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  dc_error err = DC_ERROR_INIT;
  size_t n = 0;
  lua_settop(L, 5);
  const int64_t columns = lua_tointeger(L, 3);
  const char *delimiter = luaL_checkstring(L, 4), *header = lua_tolstring(L, 5, &n);
  dc_array *a = dc_lua_file_packed(L, self, 2, NULL);
  dc_lua_file *f = dc_lua_newfile(L, 1);
  if (dc_output_open(&f->out, f->path, &err) != 0) return dc_lua_file_raise(L, f, &err);
  if (header && dc_output_write(&f->out, header, n, &err) != 0) return dc_lua_file_raise(L, f, &err);
  departure d = { { dc_output_push, &f->out }, dc_array_dtype(a), columns > 0 ? columns : 1, 0, *delimiter };
  if (DC_LUA_WORK(self, dc_array_send(a, take, &d, &err)) != 0 || dc_output_commit(&f->out, &err) != 0)
    return dc_lua_file_raise(L, f, &err);
  return 0;
}

const luaL_Reg dc_lua_tables_internal[] = {
  { "csv_load", core_csv_load },
  { "csv_save", core_csv_save },
  { NULL, NULL },
};
