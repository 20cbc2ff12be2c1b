/*
** files.c - see files.h.
**
** Functions of core, for dotcompute.files, table.lua and image.lua, which have checked options: paths are strings,
** arrays arrays.  Whatever is
** open belongs to a to-be-closed userdata, so functions here just return or raise; what a device or a file does runs
** within DC_LUA_WORK, so that Ctrl-C ends it.
*/
#include "lua/files.h"

#include <inttypes.h>
#include <lauxlib.h>
#include <lua.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array/array.h"
#include "array/chunks.h"
#include "array/copy.h"
#include "array/graph/geometry.h"
#include "array/graph/types.h"
#include "base/buf.h"
#include "base/dtype.h"
#include "base/error.h"
#include "device/device.h"
#include "file/bytes.h"
#include "file/csv.h"
#include "file/input.h"
#include "file/jpeg.h"
#include "file/npy.h"
#include "file/output.h"
#include "file/picture.h"
#include "file/picture_read.h"
#include "file/png_write.h"
#include "file/pnm.h"
#include "file/zip.h"
#include "file/zip_read.h"
#include "file/zip_write.h"
#include "lua/array.h"
#include "lua/convert.h"
#include "lua/create.h"
#include "lua/device.h"
#include "lua/error.h"
#include "lua/host_interrupt.h"
#include "lua/memory.h"
#include "lua/object.h"

/* Everything that reading or writing a file may hold. */
typedef struct file {
  const char *path; /* the userdata's user value, or a string on the stack */
  dc_input in;
  dc_output out;
  dc_zip zip;
  dc_zip_reader reader;
  dc_zip_writer writer;
  char *bytes; /* of a whole file, or a header */
  dc_csv csv;
  dc_picture image;
} file;

/* --- the holder --------------------------------------------------------------------------------------------- */

/* Pushes one with nothing open, for the path at 1.  When the function returns or raises, all that is in it then is
** closed, and what was being written is given up unless it was committed. */
static file *new_file(lua_State *L) {
  size_t n;
  const char *path = luaL_checklstring(L, 1, &n);
  if (strlen(path) != n) dc_lua_fail(L, DC_ARGUMENT, "the name of a file has a zero byte");
  file *f = dc_lua_new(L, DC_LUA_FILE, sizeof *f, 1);
  f->in = (dc_input)DC_INPUT_CLOSED;
  f->out = (dc_output)DC_OUTPUT_CLOSED;
  f->path = path;
  lua_pushvalue(L, 1);
  lua_setiuservalue(L, -2, 1);
  lua_toclose(L, -1);
  return f;
}

static void close_all(file *f) {
  dc_zip_reader_close(&f->reader);
  dc_zip_writer_close(&f->writer);
  dc_zip_close(&f->zip);
  dc_input_close(&f->in);
  dc_output_abandon(&f->out);
  dc_csv_free(&f->csv);
  dc_picture_free(&f->image);
  free(f->bytes);
  f->bytes = NULL;
}

/* Puts the file's name in front of the message of an error of kind io, and raises. */
static int raise_file(lua_State *L, const file *f, dc_error *err) {
  dc_file_blame(err, f->path);
  return dc_lua_raise(L, err);
}

/* Pushes one with the bytes of the file at 1; *n: how many there are. */
static file *read_whole(lua_State *L, size_t *n) {
  dc_error err = DC_ERROR_INIT;
  file *f = new_file(L);
  if (dc_input_open(&f->in, f->path, &err) != 0 || dc_input_read_all(&f->in, &f->bytes, n, &err) != 0)
    raise_file(L, f, &err);
  return f;
}

/* Pushes one whose file at 1 is written. */
static file *create_file(lua_State *L) {
  dc_error err = DC_ERROR_INIT;
  file *f = new_file(L);
  if (dc_output_open(&f->out, f->path, &err) != 0) raise_file(L, f, &err);
  return f;
}

static int file_gc(lua_State *L) {
  file *f = dc_lua_test(L, dc_lua_self(L), 1, DC_LUA_FILE);
  if (f) close_all(f);
  return 0;
}

/* --- arrays ------------------------------------------------------------------------------------------------- */

/* Pushes a view of the array with its axes reversed. */
static dc_array *push_reversed(lua_State *L, dc_array *a) {
  dc_error err = DC_ERROR_INIT;
  dc_geometry g;
  if (dc_geometry_transpose(dc_array_geometry(a), NULL, &g, &err) != 0) dc_lua_raise(L, &err);
  return dc_lua_push_view(L, a, &g, 0);
}

/* Pushes an array that holds the elements of the one at idx in C order: itself, or a copy. `fortran` (may be NULL): a
** view with the axes reversed will do too; *fortran says whether it is one. */
static dc_array *push_packed(lua_State *L, dc_lua *self, int idx, bool *fortran) {
  dc_error err = DC_ERROR_INIT;
  idx = lua_absindex(L, idx);
  dc_array *a = dc_lua_toarray(L, self, idx);
  if (a == NULL) dc_lua_fail(L, DC_ARGUMENT, "an array expected, got %s", dc_lua_describe(L, idx));
  dc_lua_materialize(L, self, a);
  const size_t size = dc_dtype_size(dc_array_dtype(a));
  dc_geometry reversed;
  if (dc_geometry_contiguous(dc_array_geometry(a), size)) {
    lua_pushvalue(L, idx);
    return a;
  }
  if (fortran != NULL && dc_geometry_transpose(dc_array_geometry(a), NULL, &reversed, &err) == 0 &&
      dc_geometry_contiguous(&reversed, size)) {
    *fortran = true;
    return push_reversed(L, a);
  }
  dc_error_clear(&err);
  return dc_lua_push_copy(L, self, a);
}

/* --- reading ------------------------------------------------------------------------------------------------ */

/* Elements on their way from a source to an array. */
typedef struct arrival {
  dc_source_of from;
  dc_dtype dtype;
  bool swapped;
  uint64_t at;
} arrival;

static int give(void *ud, void *bytes, size_t n, dc_error *err) {
  arrival *r = ud;
  if (r->from.pull(r->from.ud, bytes, n, err) != 0) return -1;
  const uint64_t at = r->at;
  r->at += n;
  return dc_npy_settle(r->dtype, r->swapped, bytes, n, at, err);
}

static int check_axes(const dc_npy *npy, dc_error *err) {
  if (npy->ndim <= DC_MAX_DIMS) return 0;
  return dc_fail(err, DC_IO, NULL, "its array has %d axes; arrays here have at most %d", npy->ndim, DC_MAX_DIMS);
}

/* The shape in which the elements lie in C order. */
static void shape_in_file(const dc_npy *npy, int64_t shape[DC_MAX_DIMS]) {
  for (int i = 0; i < npy->ndim; i++) shape[i] = npy->shape[npy->fortran ? npy->ndim - 1 - i : i];
}

/* Replaces the array on top, whose axes are reversed if the file is in Fortran order, by a view of the right shape. */
static void restore_order(lua_State *L, const dc_npy *npy) {
  if (!npy->fortran || npy->ndim < 2) return;
  const dc_lua_array *slot = lua_touserdata(L, -1);
  push_reversed(L, slot->a);
  lua_remove(L, -2);
}

/* The last view of mapped memory has gone. */
static void release_mapping(void *ud) {
  dc_mapping_close(ud);
  free(ud);
}

/* Pushes an array over the bytes of the file from `at` on, mapped, so that pages are read at their first access. */
static void push_mapped(lua_State *L, dc_lua *self, file *f, uint64_t at, dc_dtype dtype, int ndim,
                        const int64_t *shape, size_t bytes) {
  dc_error err = DC_ERROR_INIT;
  dc_device *dev = dc_lua_current(L, self);
  dc_lua_array *slot = dc_lua_newarray(L);
  void *p = NULL;
  dc_mapping *map = calloc(1, sizeof *map);
  if (map == NULL) dc_fail_oom(&err);
  else if (dc_input_map(&f->in, at, bytes, map, &p, &err) == 0)
    slot->a = dc_array_wrap(dev, (dc_ptr)(uintptr_t)p, dtype, ndim, shape, release_mapping, map, &err);
  if (slot->a != NULL) return;
  if (map != NULL) release_mapping(map);
  raise_file(L, f, &err);
}

/* Can the bytes be used as they stand in the file? Those of bools must be checked first. */
static bool can_map(lua_State *L, dc_lua *self, dc_dtype dtype, bool swapped, uint64_t at, uint64_t bytes) {
  return bytes > 0 && !swapped && dtype != DC_BOOL && at % dc_dtype_size(dtype) == 0 &&
         dc_lua_current(L, self)->host_memory;
}

/* Pushes the array whose header and elements `from` gives; `size` bytes in all. `at` (may be NULL) is where `from`
** stands in the file: the elements may be mapped from there. Whether they were. */
static bool push_from(lua_State *L, dc_lua *self, file *f, const dc_source_of *from, uint64_t size,
                      const uint64_t *at) {
  dc_error err = DC_ERROR_INIT;
  dc_npy npy;
  int64_t shape[DC_MAX_DIMS];
  if (dc_npy_read_header(&npy, from, size, &err) != 0 || check_axes(&npy, &err) != 0) raise_file(L, f, &err);
  shape_in_file(&npy, shape);
  const bool mapped = at != NULL && can_map(L, self, npy.dtype, npy.swapped, *at, npy.bytes);
  if (mapped) {
    push_mapped(L, self, f, *at, npy.dtype, npy.ndim, shape, (size_t)npy.bytes);
  } else {
    dc_array *a = dc_lua_push_empty(L, self, dc_lua_current(L, self), npy.dtype, npy.ndim, shape);
    arrival r = { *from, npy.dtype, npy.swapped, 0 };
    if (DC_LUA_WORK(self, dc_array_receive(a, give, &r, &err)) != 0) raise_file(L, f, &err);
  }
  restore_order(L, &npy);
  return mapped;
}

static int read_npy(lua_State *L, dc_lua *self, file *f, bool mapped) {
  dc_input_at place = { &f->in, 0 };
  const dc_source_of from = { dc_input_pull, &place };
  push_from(L, self, f, &from, f->in.size, mapped ? &place.at : NULL);
  return 1;
}

/* "x" for the member "x.npy"; 0 for members that are no arrays. */
static size_t array_name(const char *member) {
  const size_t n = strlen(member);
  return n > 4 && strcmp(member + n - 4, ".npy") == 0 ? n - 4 : 0;
}

/* Pushes the array of the member. The CRC of a mapped one, which is not read here, is not checked. */
static void push_member(lua_State *L, dc_lua *self, file *f, const dc_zip_entry *entry, bool mapped) {
  dc_error err = DC_ERROR_INIT;
  const dc_source_of from = { dc_zip_reader_pull, &f->reader };
  lua_pushfstring(L, "%s' in '%s", entry->name, f->path); /* for messages: "'x.npy' in 'file.npz': …" */
  f->path = lua_tostring(L, -1);
  const int name = lua_gettop(L);
  if (dc_zip_reader_open(&f->reader, &f->zip, entry, &err) != 0) raise_file(L, f, &err);
  const uint64_t *at = mapped && f->reader.inflate == NULL ? &f->reader.at : NULL;
  if (!push_from(L, self, f, &from, entry->size, at) &&
      DC_LUA_WORK(self, dc_zip_reader_finish(&f->reader, &err)) != 0)
    raise_file(L, f, &err);
  dc_zip_reader_close(&f->reader);
  lua_remove(L, name);
}

/* The last member of that name, as when a zip program replaces one. */
static const dc_zip_entry *find_member(const dc_zip *zip, const char *name) {
  const size_t n = strlen(name);
  for (size_t i = zip->n; i-- > 0;)
    if (array_name(zip->entries[i].name) == n && n > 0 && memcmp(zip->entries[i].name, name, n) == 0)
      return &zip->entries[i];
  return NULL;
}

/* "a, b, c", as many as there is room for. */
static void list_members(const dc_zip *zip, char *text, size_t n) {
  size_t used = 0;
  text[0] = '\0';
  for (size_t i = 0; i < zip->n; i++) {
    const size_t len = array_name(zip->entries[i].name);
    if (len == 0) continue;
    if (used + len + 8 > n) {
      snprintf(text + used, n - used, ", ...");
      return;
    }
    used += (size_t)snprintf(text + used, n - used, "%s%.*s", used > 0 ? ", " : "", (int)len, zip->entries[i].name);
  }
}

/* All arrays of the archive as a table, or the one that `name` (may be NULL) names. */
static int read_npz(lua_State *L, dc_lua *self, file *f, const char *name, bool mapped) {
  dc_error err = DC_ERROR_INIT;
  char text[300];
  if (dc_zip_open(&f->zip, &f->in, &err) != 0) return raise_file(L, f, &err);
  const char *path = f->path;
  if (name != NULL) {
    const dc_zip_entry *entry = find_member(&f->zip, name);
    if (entry == NULL) {
      list_members(&f->zip, text, sizeof text);
      dc_fail(&err, DC_IO, NULL, "it has no array '%s'; it has %s", name, *text ? text : "none");
      return raise_file(L, f, &err);
    }
    push_member(L, self, f, entry, mapped);
    return 1;
  }
  lua_newtable(L);
  size_t arrays = 0;
  for (size_t i = 0; i < f->zip.n; i++) {
    const size_t n = array_name(f->zip.entries[i].name);
    if (n == 0) continue;
    lua_pushlstring(L, f->zip.entries[i].name, n);
    push_member(L, self, f, &f->zip.entries[i], mapped);
    lua_settable(L, -3);
    f->path = path;
    arrays++;
  }
  if (arrays > 0 || f->zip.n == 0) return 1;
  dc_fail(&err, DC_IO, NULL, "this archive holds no arrays (members whose names end in .npy)");
  return raise_file(L, f, &err);
}

/* file_load(path, mmap, name): what is in a .npy or .npz file, by its content. `name`: of one array of the .npz. */
static int core_file_load(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  dc_error err = DC_ERROR_INIT;
  uint8_t head[6] = { 0 };
  lua_settop(L, 3);
  const bool mapped = lua_toboolean(L, 2);
  const char *name = lua_tostring(L, 3);
  file *f = new_file(L);
  if (dc_input_open(&f->in, f->path, &err) != 0) return raise_file(L, f, &err);
  const size_t n = f->in.size < sizeof head ? (size_t)f->in.size : sizeof head;
  if (dc_input_read(&f->in, 0, head, n, &err) != 0) return raise_file(L, f, &err);
  const bool npy = memcmp(head, DC_NPY_MAGIC, 6) == 0, npz = n >= 4 && dc_zip_looks_like(head);
  if (npy && name != NULL)
    dc_fail(&err, DC_ARGUMENT, NULL, "'%s' is a .npy file, of one array without a name", f->path);
  else if (!npy && !npz)
    dc_fail(&err, DC_IO, NULL,
            n == 0 ? "the file is empty"
                   : "this is no .npy or .npz file; dc.load_raw, dc.load_csv and dc.image.read read other ones");
  if (err.kind != DC_OK) return raise_file(L, f, &err);
  if (npy) read_npy(L, self, f, mapped);
  else read_npz(L, self, f, name, mapped);
  return 1;
}

/* --- raw bytes ---------------------------------------------------------------------------------------------- */

/* The extents of a raw file: what `bytes` have room for where no shape is given, or an extent of it is -1. */
static int fit_shape(dc_lua_shape *s, bool given, dc_dtype dtype, uint64_t bytes, bool exact, dc_error *err) {
  const uint64_t size = dc_dtype_size(dtype), there = bytes / size;
  uint64_t needed = 1;
  int open = given ? -1 : 0;
  bool beyond = false;
  if (!given) *s = (dc_lua_shape){ 1, { -1 } };
  for (int i = 0; i < s->ndim; i++) {
    if (s->extent[i] != -1) beyond |= __builtin_mul_overflow(needed, (uint64_t)s->extent[i], &needed);
    else if (given && open >= 0) return dc_fail(err, DC_SHAPE, NULL, "only one extent of a shape can be -1");
    else open = i;
  }
  const char *rest = exact ? "; option 'offset' reads a part of a file" : "";
  if (!beyond && open >= 0 && needed > 0) {
    s->extent[open] = (int64_t)(there / needed);
    if (!exact || bytes % (needed * size) == 0) return 0;
    return dc_fail(err, DC_SHAPE, NULL, "%" PRIu64 " bytes are no whole number of %" PRIu64 " bytes%s", bytes,
                   needed * size, rest);
  }
  if (open >= 0) return dc_fail(err, DC_SHAPE, NULL, "an extent of -1 is not determined beside one of 0");
  if (!beyond && needed <= there && (!exact || needed * size == bytes)) return 0;
  if (beyond || needed > UINT64_MAX / size)
    return dc_fail(err, DC_SHAPE, NULL, "the shape has more elements than any file");
  return dc_fail(err, DC_SHAPE, NULL, "the shape needs %" PRIu64 " bytes, %" PRIu64 " are there%s", needed * size,
                 bytes, needed > there ? "" : rest);
}

/* raw_load(path, dtype, shape, offset, big, mmap): elements as bytes. shape: a table or nil. With an offset (nil: none)
** what follows the elements is left alone. */
static int core_raw_load(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  dc_error err = DC_ERROR_INIT;
  dc_lua_shape shape = { 0 };
  lua_settop(L, 6);
  const dc_dtype dtype = dc_lua_checkdtype(L, 2);
  const bool given = !lua_isnil(L, 3), exact = lua_isnil(L, 4), mapped = lua_toboolean(L, 6);
  const bool swapped = lua_toboolean(L, 5) && dc_dtype_size(dtype) > 1;
  const uint64_t at = (uint64_t)lua_tointeger(L, 4);
  if (given) dc_lua_checkshape(L, 3, 3, true, &shape);
  file *f = new_file(L);
  if (dc_input_open(&f->in, f->path, &err) != 0) return raise_file(L, f, &err);
  if (at > f->in.size)
    dc_fail(&err, DC_IO, NULL, "it has %" PRIu64 " bytes; offset %" PRIu64 " is behind its end", f->in.size, at);
  else if (fit_shape(&shape, given, dtype, f->in.size - at, exact, &err) != 0)
    dc_error_prefix(&err, "'%s': ", f->path);
  if (err.kind != DC_OK) return raise_file(L, f, &err);
  uint64_t bytes = dc_dtype_size(dtype);
  for (int i = 0; i < shape.ndim; i++) bytes *= (uint64_t)shape.extent[i];
  if (mapped && can_map(L, self, dtype, swapped, at, bytes)) {
    push_mapped(L, self, f, at, dtype, shape.ndim, shape.extent, (size_t)bytes);
  } else {
    dc_input_at place = { &f->in, at };
    arrival r = { { dc_input_pull, &place }, dtype, swapped, 0 };
    dc_array *a = dc_lua_push_empty(L, self, dc_lua_current(L, self), dtype, shape.ndim, shape.extent);
    if (DC_LUA_WORK(self, dc_array_receive(a, give, &r, &err)) != 0) return raise_file(L, f, &err);
  }
  return 1;
}

/* --- writing ------------------------------------------------------------------------------------------------ */

/* Writes the array by `sink` to the open output, and commits it; returns 0 values. */
static int send_all(lua_State *L, dc_lua *self, file *f, dc_array *a, dc_array_sink sink, void *ud) {
  dc_error err = DC_ERROR_INIT;
  if (DC_LUA_WORK(self, dc_array_send(a, sink, ud, &err)) != 0 || dc_output_commit(&f->out, &err) != 0)
    return raise_file(L, f, &err);
  return 0;
}

/* raw_save(path, array) */
static int core_raw_save(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  lua_settop(L, 2);
  dc_array *a = push_packed(L, self, 2, NULL);
  file *f = create_file(L);
  return send_all(L, self, f, a, dc_output_push, &f->out);
}

/* The header of what `a` holds; `fortran`: of the array whose reversed view it is. Freed with the file. */
static size_t make_header(lua_State *L, file *f, const dc_array *a, bool fortran) {
  dc_error err = DC_ERROR_INIT;
  int64_t shape[DC_MAX_DIMS];
  size_t n;
  const dc_geometry *g = dc_array_geometry(a);
  for (int i = 0; i < g->ndim; i++) shape[i] = g->shape[fortran ? g->ndim - 1 - i : i];
  free(f->bytes);
  f->bytes = dc_npy_header(dc_array_dtype(a), fortran, g->ndim, shape, &n, &err);
  if (f->bytes == NULL) raise_file(L, f, &err);
  return n;
}

/* npy_save(path, array) */
static int core_npy_save(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  dc_error err = DC_ERROR_INIT;
  bool fortran = false;
  lua_settop(L, 2);
  dc_array *a = push_packed(L, self, 2, &fortran);
  file *f = new_file(L);
  const size_t n = make_header(L, f, a, fortran);
  if (dc_output_open(&f->out, f->path, &err) != 0 || dc_output_write(&f->out, f->bytes, n, &err) != 0)
    return raise_file(L, f, &err);
  return send_all(L, self, f, a, dc_output_push, &f->out);
}

/* The array at idx as a member of that name. */
static int write_member(file *f, const char *name, dc_array *a, size_t header, int level, dc_error *err) {
  const uint64_t bytes = (uint64_t)dc_array_size(a) * dc_dtype_size(dc_array_dtype(a));
  if (dc_zip_writer_begin(&f->writer, name, header + bytes, level, err) != 0) return -1;
  if (dc_zip_writer_push(&f->writer, f->bytes, header, err) != 0) return -1;
  if (dc_array_send(a, dc_zip_writer_push, &f->writer, err) != 0) return -1;
  return dc_zip_writer_end(&f->writer, err);
}

/* npz_save(path, names, arrays, level): lists of equal length. */
static int core_npz_save(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  dc_error err = DC_ERROR_INIT;
  lua_settop(L, 4);
  const lua_Integer n = luaL_len(L, 2);
  const int level = (int)lua_tointeger(L, 4);
  file *f = create_file(L);
  dc_zip_writer_open(&f->writer, &f->out);
  for (lua_Integer i = 1; i <= n; i++) {
    const int top = lua_gettop(L);
    bool fortran = false;
    lua_geti(L, 2, i);
    lua_pushfstring(L, "%s.npy", lua_tostring(L, -1));
    const char *member = lua_tostring(L, -1);
    lua_geti(L, 3, i);
    dc_array *a = push_packed(L, self, -1, &fortran);
    const size_t header = make_header(L, f, a, fortran);
    if (DC_LUA_WORK(self, write_member(f, member, a, header, level, &err)) != 0) return raise_file(L, f, &err);
    lua_settop(L, top);
  }
  if (dc_zip_writer_finish(&f->writer, &err) != 0 || dc_output_commit(&f->out, &err) != 0)
    return raise_file(L, f, &err);
  return 0;
}

/* --- pictures ------------------------------------------------------------------------------------ */

/* image_read(path) */
static int core_image_read(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  dc_error err = DC_ERROR_INIT;
  size_t n = 0;
  lua_settop(L, 1);
  file *f = read_whole(L, &n);
  if (DC_LUA_WORK(self, dc_picture_read(&f->image, (const uint8_t *)f->bytes, n, &err)) != 0)
    return raise_file(L, f, &err);
  free(f->bytes);
  f->bytes = NULL;
  const dc_picture *m = &f->image;
  const int64_t shape[3] = { m->height, m->width, m->channels };
  dc_device *dev = dc_lua_current(L, self);
  dc_lua_array *slot = dc_lua_newarray(L);
  dc_lua_account(L, self, dc_picture_bytes(m));
  slot->a = dc_array_from_host(dev, m->depth == 16 ? DC_UINT16 : DC_UINT8, m->channels == 1 ? 2 : 3, shape, m->data,
                               &err);
  if (slot->a == NULL) return raise_file(L, f, &err);
  return 1;
}

/* Size and depth of the picture for an array whose shape and dtype dc.image has checked. */
static dc_picture picture(const dc_array *a) {
  const dc_geometry *g = dc_array_geometry(a);
  return (dc_picture){ .width = (uint32_t)g->shape[1],
                     .height = (uint32_t)g->shape[0],
                     .channels = g->ndim == 3 ? (int)g->shape[2] : 1,
                     .depth = dc_array_dtype(a) == DC_UINT16 ? 16 : 8 };
}

typedef struct image_options {
  int format; /* of image_formats */
  int level;  /* PNG's compression, JPEG's quality */
  dc_jpeg_subsampling subsampling;
} image_options;

enum { PNG, JPEG, PNM };
static const char *const image_formats[] = { "png", "jpeg", "pnm", NULL };
static const char *const subsamplings[] = { "4:4:4", "4:2:2", "4:2:0", NULL };

static int write_image(file *f, const image_options *o, dc_error *err) {
  const dc_sink to = { dc_output_push, &f->out };
  switch (o->format) {
    case PNG: return dc_png_write(&f->image, o->level, &to, err);
    case JPEG: return dc_jpeg_write(&f->image, o->level, o->subsampling, &to, err);
    default: return dc_pnm_write(&f->image, &to, err);
  }
}

/* image_write(path, array, format, level, subsampling): `level` is PNG's compression or JPEG's quality. */
static int core_image_write(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  dc_error err = DC_ERROR_INIT;
  lua_settop(L, 5);
  const image_options o = { luaL_checkoption(L, 3, NULL, image_formats), (int)lua_tointeger(L, 4),
                            (dc_jpeg_subsampling)luaL_checkoption(L, 5, "4:2:0", subsamplings) };
  dc_array *a = push_packed(L, self, 2, NULL);
  file *f = new_file(L);
  f->image = picture(a);
  if (dc_picture_make(&f->image, &err) != 0) return raise_file(L, f, &err);
  if (DC_LUA_WORK(self, dc_array_read(a, f->image.data, &err)) != 0) return raise_file(L, f, &err);
  if (dc_output_open(&f->out, f->path, &err) != 0) return raise_file(L, f, &err);
  if (DC_LUA_WORK(self, write_image(f, &o, &err)) != 0 || dc_output_commit(&f->out, &err) != 0)
    return raise_file(L, f, &err);
  return 0;
}

/* --- CSV ----------------------------------------------------------------------------------------- */

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
  file *f = read_whole(L, &n);
  if (DC_LUA_WORK(self, dc_csv_read(&f->csv, f->bytes, n, &o, &err)) != 0) return raise_file(L, f, &err);
  free(f->bytes);
  f->bytes = NULL;
  const int64_t shape[2] = { f->csv.rows, f->csv.columns };
  dc_device *dev = dc_lua_current(L, self);
  dc_lua_array *slot = dc_lua_newarray(L);
  dc_lua_account(L, self, (size_t)(shape[0] * shape[1]) * dc_dtype_size(o.dtype));
  slot->a = dc_array_from_host(dev, o.dtype, 2, shape, f->csv.data, &err);
  if (slot->a == NULL) return raise_file(L, f, &err);
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
  dc_array *a = push_packed(L, self, 2, NULL);
  file *f = create_file(L);
  if (header && dc_output_write(&f->out, header, n, &err) != 0) return raise_file(L, f, &err);
  departure d = { { dc_output_push, &f->out }, dc_array_dtype(a), columns > 0 ? columns : 1, 0, *delimiter };
  return send_all(L, self, f, a, take, &d);
}

/* --- registration ------------------------------------------------------------------------------------------- */

const luaL_Reg dc_lua_files_internal[] = {
  { "file_load", core_file_load }, { "raw_load", core_raw_load }, { "raw_save", core_raw_save },
  { "npy_save", core_npy_save },   { "npz_save", core_npz_save },
  { "csv_load", core_csv_load },   { "csv_save", core_csv_save }, { "image_read", core_image_read },
  { "image_write", core_image_write }, { NULL, NULL },
};

static const luaL_Reg file_meta[] = {
  { "__gc", file_gc },
  { "__close", file_gc },
  { NULL, NULL },
};

void dc_lua_open_files(lua_State *L, int self) {
  dc_lua_newtype(L, self, DC_LUA_FILE, "dotcompute.file", file_meta, NULL);
}
