/* builders.c - see builders.h. */
#include "lua/builders.h"

#include <lauxlib.h>
#include <lua.h>
#include <string.h>

#include "array/array.h"
#include "array/copy.h"
#include "array/graph/geometry.h"
#include "array/graph/types.h"
#include "array/index_bounds.h"
#include "base/closest.h"
#include "base/dtype.h"
#include "base/error.h"
#include "device/device.h"
#include "lua/array.h"
#include "lua/convert.h"
#include "lua/device.h"
#include "lua/error.h"
#include "lua/host_interrupt.h"
#include "lua/memory.h"
#include "lua/object.h"

#define MOST_ARGUMENTS 64

/* --- errors and places --------------------------------------------------------------------------- */

/* fail(kind, message): raises an error object, as the functions in C do. */
static int core_fail(lua_State *L) {
  static const dc_kind kinds[] = { DC_COMPILE, DC_LAUNCH, DC_ARGUMENT, DC_SHAPE, DC_DTYPE, DC_INDEX, DC_DEVICE,
                                   DC_IO,      DC_MEMORY };
  const char *name = luaL_checkstring(L, 1), *text = luaL_checkstring(L, 2);
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (strcmp(dc_kind_name(kinds[i]), name) == 0) return dc_lua_fail(L, kinds[i], "%s", text);
  return luaL_error(L, "no kind of error: %s", name);
}

/* kind_of_errno([code]): the kind of the error where a function of the io library failed with this code, its third
** result. */
static int core_kind_of_errno(lua_State *L) {
  lua_pushstring(L, dc_kind_name(dc_kind_of_errno((int)luaL_optinteger(L, 1, 0))));
  return 1;
}

/* describe(v): how messages call a value. */
static int core_describe(lua_State *L) {
  lua_settop(L, 1);
  dc_lua_describe(L, 1);
  return 1;
}

/* bad_argument(number, text): raises "bad argument #1 to 'kernel': …" for the function that the script called;
** expected(number, what, value): "… expected, got a string". */
static int core_bad_argument(lua_State *L) {
  return dc_lua_badarg(L, (int)luaL_checkinteger(L, 1), "%s", luaL_checkstring(L, 2));
}

static int core_expected(lua_State *L) {
  lua_settop(L, 3);
  return dc_lua_badarg(L, (int)luaL_checkinteger(L, 1), "%s expected, got %s", luaL_checkstring(L, 2),
                       dc_lua_describe(L, 3));
}

/* caller(): of the script's function that called ours the file or false, its short name, and the line; false, nil and
** 0 where there is none. */
static int core_caller(lua_State *L) {
  lua_Debug ar;
  const bool known = dc_lua_caller(L, &ar);
  if (known && ar.source[0] == '@') lua_pushstring(L, ar.source + 1);
  else lua_pushboolean(L, 0);
  lua_pushstring(L, known ? ar.short_src : NULL);
  lua_pushinteger(L, known ? ar.currentline : 0);
  return 3;
}

/* closest(word, names): the name in the list that `word` was most likely meant to be, or nil. */
static int core_closest(lua_State *L) {
  const char *word = luaL_checkstring(L, 1);
  luaL_checktype(L, 2, LUA_TTABLE);
  const size_t n = lua_rawlen(L, 2);
  const char **names = dc_lua_scratch(L, (n + 1) * sizeof *names);
  for (size_t i = 0; i < n; i++) {
    if (lua_rawgeti(L, 2, (lua_Integer)i + 1) != LUA_TSTRING) return luaL_argerror(L, 2, "a list of strings expected");
    names[i] = lua_tostring(L, -1); /* the list keeps it */
    lua_pop(L, 1);
  }
  lua_pushstring(L, dc_closest(word, names, n));
  return 1;
}

/* is_array(v) */
static int core_is_array(lua_State *L) {
  lua_pushboolean(L, dc_lua_toarray(L, dc_lua_self(L), 1) != NULL);
  return 1;
}

static bool is_closed(const dc_lua_array *o) { return !o->a || dc_array_state_of(o->a) == DC_ARRAY_CLOSED; }

/* is_closed(v): whether it is a closed array. */
static int core_is_closed(lua_State *L) {
  const dc_lua_array *o = dc_lua_test(L, dc_lua_self(L), 1, DC_LUA_ARRAY);
  lua_pushboolean(L, o && is_closed(o));
  return 1;
}

/* --- dtypes -------------------------------------------------------------------------------------- */

/* dtype(name): its row of base/dtype.def as a table {name, ctype, size, kind, significand, header, to_float}; nil where
** there is none. */
static int core_dtype(lua_State *L) {
  size_t n;
  const char *name = luaL_checklstring(L, 1, &n);
  dc_dtype t = dc_dtype_parse(name, n);
  if (t == DC_DTYPE_NONE) return 0;
  const dc_dtype_info *d = &dc_dtypes[t];
  lua_createtable(L, 0, 7); /* the result */
  dc_lua_set_string(L, "name", d->name);
  dc_lua_set_string(L, "ctype", d->ctype);
  dc_lua_set_integer(L, "size", d->size);
  dc_lua_set_string(L, "kind", (char[]){ d->kind, 0 });
  dc_lua_set_integer(L, "significand", d->significand);
  if (d->header) dc_lua_set_string(L, "header", d->header);
  dc_lua_set_string(L, "to_float", d->to_float);
  return 1;
}

/* dtypes(): the names of all dtypes. */
static int core_dtypes(lua_State *L) {
  lua_createtable(L, DC_NDTYPES, 0);
  for (int t = 0; t < DC_NDTYPES; t++) {
    lua_pushstring(L, dc_dtypes[t].name);
    lua_rawseti(L, -2, t + 1);
  }
  return 1;
}

/* promote(a, b): the dtype in which arrays of these two meet. */
static int core_promote(lua_State *L) {
  lua_pushstring(L, dc_dtype_name(dc_dtype_promote(dc_lua_checkdtype(L, 1), dc_lua_checkdtype(L, 2))));
  return 1;
}

/* most_arguments(): of which core.signature takes the kinds. */
static int core_most_arguments(lua_State *L) {
  lua_pushinteger(L, MOST_ARGUMENTS);
  return 1;
}

/* signature(values, n): a key of the kinds of the values 1 to n: a byte for each (an array's dtype,
** "i" an integer, "n" another number, "t" a boolean, "T" a table, "-" nil, "?" anything else) after the number of the
** device of the arrays; and that device's object, or nil without arrays.  Arrays of two devices are an error. */
static int core_signature(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  const lua_Integer n = luaL_checkinteger(L, 2);
  char text[MOST_ARGUMENTS + sizeof(uint64_t)];
  dc_device *dev = NULL;
  if (n < 0 || n > MOST_ARGUMENTS)
    return dc_lua_fail(L, DC_ARGUMENT, "%d arguments; there can be %d", (int)n, MOST_ARGUMENTS);
  for (lua_Integer i = 1; i <= n; i++) {
    char *c = &text[sizeof(uint64_t) + (size_t)i - 1];
    const int type = lua_rawgeti(L, 1, i);
    const dc_lua_array *o = type == LUA_TUSERDATA ? dc_lua_test(L, self, -1, DC_LUA_ARRAY) : NULL;
    dc_array *a = o ? o->a : NULL;
    if (o && is_closed(o))
      return dc_lua_fail(L, DC_ARGUMENT, "argument %d: the array is closed", (int)i);
    if (a) {
      dc_device *own = dc_array_device(a);
      if (dev && own != dev)
        return dc_lua_fail(L, DC_DEVICE, "arrays of %s and of %s; move one with a:to(device)", dev->id, own->id);
      dev = own;
      *c = (char)(1 + dc_array_dtype(a));
    } else if (type == LUA_TNUMBER) *c = lua_isinteger(L, -1) ? 'i' : 'n';
    else *c = type == LUA_TBOOLEAN ? 't' : type == LUA_TTABLE ? 'T' : type == LUA_TNIL ? '-' : '?';
    lua_pop(L, 1);
  }
  const dc_device *where = dev ? dev : dc_lua_current(L, self);
  memcpy(text, &where->serial, sizeof where->serial);
  lua_pushlstring(L, text, sizeof(uint64_t) + (size_t)n);
  if (dev) dc_lua_pushdevice(L, dev);
  else lua_pushnil(L);
  return 2;
}

/* --- results and their memory -------------------------------------------------------------------- */

void dc_lua_check_result(lua_State *L, const dc_array *a, const dc_geometry *g, int number) {
  if (!dc_geometry_same_shape(dc_array_geometry(a), g)) {
    char has[512], wanted[512];
    dc_lua_fail(L, DC_SHAPE, "result %d has the shape %s, the arguments' common shape is %s", number,
                dc_geometry_text(dc_array_geometry(a), has, sizeof has), dc_geometry_text(g, wanted, sizeof wanted));
  }
  if (dc_geometry_repeats(dc_array_geometry(a)))
    dc_lua_fail(L, DC_ARGUMENT, "result %d is a broadcast view, which cannot be written", number);
}

/* check_result(out, from): raises unless `out` has the shape of `from` and can be written. */
static int core_check_result(lua_State *L) {
  const dc_lua *self = dc_lua_self(L);
  const dc_array *out = dc_lua_checkarray(L, self, 1), *from = dc_lua_checkarray(L, self, 2);
  dc_lua_check_result(L, out, dc_array_geometry(from), 1);
  return 0;
}

/* First and last byte of what an array covers; false when it has no elements. */
static bool extent_of(dc_array *a, dc_ptr *first, dc_ptr *end) {
  if (dc_array_size(a) == 0 || dc_array_address(a) == 0) return false;
  dc_array_span(a, first, end);
  return true;
}

/* Whether the arrays have bytes in common, or bytes between those of the other. */
static bool shares(dc_array *a, dc_array *b) {
  dc_ptr fa, ea, fb, eb;
  return extent_of(a, &fa, &ea) && extent_of(b, &fb, &eb) && ea > fb && eb > fa;
}

/* Whether the arrays share bytes other than element by element. */
static bool overlap(dc_array *a, dc_array *b) {
  if (!shares(a, b)) return false;
  const dc_geometry *ga = dc_array_geometry(a), *gb = dc_array_geometry(b);
  if (dc_dtype_size(dc_array_dtype(a)) != dc_dtype_size(dc_array_dtype(b))) return true;
  if (!dc_geometry_same_shape(ga, gb)) return true;
  for (int i = 0; i < ga->ndim; i++)
    if (ga->shape[i] > 1 && ga->strides[i] != gb->strides[i]) return true;
  return dc_array_address(a) != dc_array_address(b);
}

/* overlap(a, b): would writing a, element by element, spoil what is still to be read of b? */
static int core_overlap(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  dc_array *a = dc_lua_checkarray(L, self, 1), *b = dc_lua_checkarray(L, self, 2);
  dc_lua_materialize(L, self, a);
  dc_lua_materialize(L, self, b);
  lua_pushboolean(L, overlap(a, b));
  return 1;
}

/* shares(a, b): whether two arrays have bytes in common, or bytes between those of the other. */
static int core_shares(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  dc_array *a = dc_lua_checkarray(L, self, 1), *b = dc_lua_checkarray(L, self, 2);
  dc_lua_materialize(L, self, a);
  dc_lua_materialize(L, self, b);
  lua_pushboolean(L, shares(a, b));
  return 1;
}

/* aligned(a): whether its elements are contiguous from a multiple of 16 bytes on, as vector accesses need them. */
static int core_aligned(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  dc_array *a = dc_lua_checkarray(L, self, 1);
  dc_lua_materialize(L, self, a);
  const bool contiguous = dc_geometry_contiguous(dc_array_geometry(a), dc_dtype_size(dc_array_dtype(a)));
  lua_pushboolean(L, contiguous && dc_array_address(a) % 16 == 0);
  return 1;
}

/* --- strided operands ---------------------------------------------------------------------------- */

/* strides(a, shape): the steps, in elements, of an array along each axis of a shape that it broadcasts to. */
static int core_strides(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  dc_array *a = dc_lua_checkarray(L, self, 1);
  dc_error err = DC_ERROR_INIT;
  dc_lua_shape shape;
  dc_geometry g;
  luaL_checktype(L, 2, LUA_TTABLE);
  dc_lua_checkshape(L, 2, 2, false, &shape);
  dc_lua_materialize(L, self, a);
  if (dc_geometry_stretch(dc_array_geometry(a), shape.ndim, shape.extent, &g, &err) != 0) return dc_lua_raise(L, &err);
  const int64_t size = (int64_t)dc_dtype_size(dc_array_dtype(a));
  lua_createtable(L, g.ndim, 0);
  for (int i = 0; i < g.ndim; i++) {
    lua_pushinteger(L, g.strides[i] / size);
    lua_rawseti(L, -2, i + 1);
  }
  return 1;
}

/* repeats(a): whether several elements of the array are one in memory, as in a broadcast view. */
static int core_repeats(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  dc_array *a = dc_lua_checkarray(L, self, 1);
  dc_lua_materialize(L, self, a);
  lua_pushboolean(L, dc_geometry_repeats(dc_array_geometry(a)));
  return 1;
}

/* base(a): its first element as a 0-d view, which a kernel takes for the address of any view. */
static int core_base(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  dc_array *a = dc_lua_checkarray(L, self, 1);
  const dc_geometry point = { .ndim = 0 };
  dc_lua_materialize(L, self, a);
  dc_lua_push_view(L, a, &point, 0);
  return 1;
}

/* discard(a): closes the array, and expressions that read it and are not computed. */
static int core_discard(lua_State *L) {
  dc_array_discard(dc_lua_checkarray(L, dc_lua_self(L), 1));
  return 0;
}

/* --- indices ------------------------------------------------------------------------------------- */

/* index_outside(index, n): the position, from 1, of the first integer that is not in 1..n or -n..-1; nil: there is
** none. */
static int core_index_outside(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  dc_array *index = dc_lua_checkarray(L, self, 1);
  const int64_t extent = luaL_checkinteger(L, 2);
  dc_error err = DC_ERROR_INIT;
  int bad;
  int64_t at;
  dc_lua_materialize(L, self, index);
  if (DC_LUA_WORK(self, dc_index_check(&index, &extent, 1, &bad, &at, &err)) != 0) return dc_lua_raise(L, &err);
  if (bad != 0) return 0;
  lua_pushinteger(L, at + 1);
  return 1;
}

/* index_promise(index, n, distinct): kernels of our own Lua files, and nothing else, have written the array, integers
** of 1..n, and `distinct` if no two are the same.  Returns it. */
static int core_index_promise(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  dc_array *index = dc_lua_checkarray(L, self, 1);
  dc_lua_materialize(L, self, index);
  dc_index_promise(index, luaL_checkinteger(L, 2), lua_toboolean(L, 3));
  lua_settop(L, 1);
  return 1;
}

/* --- methods written in Lua ---------------------------------------------------------------------- */

/* Objects of the type `slot` have the method `name` (at 1) from now on: the function at 2. */
static int add_method(lua_State *L, int slot) {
  luaL_checktype(L, 1, LUA_TSTRING);
  luaL_checktype(L, 2, LUA_TFUNCTION);
  dc_lua_get_table(L, slot);
  lua_getfield(L, -1, "__methods");
  lua_pushvalue(L, 1);
  lua_pushvalue(L, 2);
  lua_settable(L, -3); /* not raw: a script can reach that table */
  return 0;
}

/* method(name, fn): of kernels; array_method and module_method: of arrays and modules. */
static int core_method(lua_State *L) { return add_method(L, DC_LUA_KERNEL); }
static int core_array_method(lua_State *L) { return add_method(L, DC_LUA_ARRAY); }
static int core_module_method(lua_State *L) { return add_method(L, DC_LUA_MODULE); }

/* entry(fn): fn as a C function (dc_lua_entry). */
static int core_entry(lua_State *L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_settop(L, 1);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  lua_pushcclosure(L, dc_lua_entry, 2);
  return 1;
}

const luaL_Reg dc_lua_builders_internal[] = {
  { "fail", core_fail },           { "describe", core_describe },           { "caller", core_caller },
  { "expected", core_expected },   { "bad_argument", core_bad_argument },   { "closest", core_closest },
  { "dtype", core_dtype },         { "dtypes", core_dtypes },               { "promote", core_promote },
  { "signature", core_signature }, { "aligned", core_aligned },             { "check_result", core_check_result },
  { "overlap", core_overlap },     { "shares", core_shares },               { "strides", core_strides },
  { "base", core_base },           { "is_array", core_is_array },           { "is_closed", core_is_closed },
  { "method", core_method },       { "array_method", core_array_method },   { "entry", core_entry },
  { "kind_of_errno", core_kind_of_errno },
  { "module_method", core_module_method }, { "most_arguments", core_most_arguments }, { "repeats", core_repeats },
  { "discard", core_discard },     { "index_outside", core_index_outside }, { "index_promise", core_index_promise },
  { NULL, NULL },
};
