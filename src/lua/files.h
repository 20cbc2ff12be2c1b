/*
** files.h - what the bindings of file formats share: one userdata that holds whatever is open.
*/
#pragma once

#include <lauxlib.h>
#include <lua.h>
#include <stdbool.h>
#include <stdint.h>

#include "array/graph/types.h"
#include "base/dtype.h"
#include "base/error.h"
#include "file/csv.h"
#include "file/input.h"
#include "file/output.h"
#include "file/picture.h"
#include "file/zip.h"
#include "lua/object.h"

/* Everything that reading or writing a file may hold. */
typedef struct dc_lua_file {
  const char *path; /* the userdata's user value, or a string on the stack */
  dc_input in;
  dc_output out;
  dc_zip zip;
  dc_zip_reader reader;
  dc_zip_writer writer;
  char *bytes; /* of a whole file, or a header */
  dc_csv csv;
  dc_picture image;
} dc_lua_file;

/* Pushes one with nothing open, for the path at `arg`.  When the function returns or raises, all that is in it then is
** closed, and what was being written is given up unless it was committed. */
dc_lua_file *dc_lua_newfile(lua_State *L, int arg);
/* Puts the file's name in front of the message of an error of kind io, and raises. */
int dc_lua_file_raise(lua_State *L, const dc_lua_file *f, dc_error *err);

/* Pushes an array of undefined contents on the current device. */
dc_array *dc_lua_file_array(lua_State *L, dc_lua *self, dc_dtype dtype, int ndim, const int64_t *shape);
/* Pushes an array that holds the elements of the one at idx in C order: itself, or a copy. `fortran` (may be NULL): a
** view with the axes reversed will do too; *fortran says whether it is one. */
dc_array *dc_lua_file_packed(lua_State *L, dc_lua *self, int idx, bool *fortran);

void dc_lua_open_files(lua_State *L, int self);

extern const luaL_Reg dc_lua_files_internal[];
