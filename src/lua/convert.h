/*
** convert.h - Lua values to host memory and back: elements, nested tables, dtypes, shapes.
*/
#pragma once

#include <lua.h>
#include <stdbool.h>
#include <stdint.h>

#include "array/graph/geometry.h"
#include "array/graph/number.h"
#include "array/graph/types.h"
#include "base/dtype.h"
#include "base/error.h"
#include "device/device.h"
#include "lua/object.h"

typedef struct dc_lua_shape {
  int ndim;
  int64_t extent[DC_MAX_DIMS];
} dc_lua_shape;

/* A number, boolean or complex number at idx as a scalar; false when it is none. */
bool dc_lua_toscalar(lua_State *L, int idx, dc_scalar *s);
void dc_lua_pushscalar(lua_State *L, const dc_scalar *s);

/* The Lua value at idx as one element. `given`: the user chose the dtype, so floats may round an integer. */
int dc_lua_element(lua_State *L, int idx, dc_dtype dtype, bool given, void *dst, dc_error *err);

/* The nested table at idx as an array object, pushed. dtype DC_DTYPE_NONE: float32, or bool. */
dc_array *dc_lua_fromtable(lua_State *L, dc_lua *self, dc_device *dev, int idx, dc_dtype dtype);

/* The array that is argument `arg`, or an array made of the table there, which takes its place: of the dtype and on the
** device of `like`, if that is not NULL. Raises otherwise. */
dc_array *dc_lua_checkoperand(lua_State *L, dc_lua *self, int arg, const dc_array *like);

/* Pushes nested tables (a plain value for 0 dimensions) from host memory in C order. */
void dc_lua_pushtable(lua_State *L, dc_dtype dtype, int ndim, const int64_t *shape, const char *src);
dc_dtype dc_lua_checkdtype(lua_State *L, int idx);
dc_dtype dc_lua_optdtype(lua_State *L, int idx, dc_dtype fallback); /* `fallback` for nil or none */

/* The dtype that an array of this one value has: bool, complex64 or float32. */
dc_dtype dc_lua_value_dtype(const dc_scalar *s);

/* Default dtype for the number or boolean at idx; raises for an integer that float32 cannot hold. */
dc_dtype dc_lua_default_dtype(lua_State *L, int idx);

/* Extents from arguments first..last: integers, or one table of them. `wild` allows -1. */
void dc_lua_checkshape(lua_State *L, int first, int last, bool wild, dc_lua_shape *s);

/* Whether the list of n values at idx has another key than 1 to n, which is pushed then; of strings only if `names`,
** and never the `n` of table.pack.  Other keys follow the elements of Lua's array part, so that the search begins
** behind the last one. */
bool dc_lua_other_key(lua_State *L, int idx, lua_Integer n, bool names);

/* Raises where the list of n axes at idx has a key other than 1 to n. */
void dc_lua_check_axes(lua_State *L, int idx, lua_Integer n, bool names);

/* An integer, or a float with an integer's value, at idx. */
bool dc_lua_tointeger(lua_State *L, int idx, int64_t *v);

void dc_lua_pushcomplex(lua_State *L, double re, double im);
bool dc_lua_tocomplex(lua_State *L, const dc_lua *self, int idx, double *re, double *im);
