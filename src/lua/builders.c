/*
** builders.c - see builders.h.
**
** The good path of an elementwise call is two calls into this file and one launch.  Lua is asked only what it does
** better: text, and which kernel goes with which types.
*/
#include "lua/builders.h"

#include <lauxlib.h>
#include <lua.h>
#include <string.h>

#include "array/array.h"
#include "array/graph/geometry.h"
#include "array/graph/types.h"
#include "base/dtype.h"
#include "base/error.h"
#include "device/device.h"
#include "lua/array.h"
#include "lua/convert.h"
#include "lua/device.h"
#include "lua/error.h"
#include "lua/memory.h"
#include "lua/object.h"
#include "lua/source.h"

#define MOST_OPERANDS 64

/* --- errors and places --------------------------------------------------------------------------- */

/* fail(kind, message): raises an error object, as the functions in C do. */
static int core_fail(lua_State *L) {
  static const dc_kind kinds[] = { DC_COMPILE, DC_LAUNCH, DC_ARGUMENT, DC_SHAPE, DC_DTYPE, DC_INDEX, DC_DEVICE };
  const char *name = luaL_checkstring(L, 1), *text = luaL_checkstring(L, 2);
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (strcmp(dc_kind_name(kinds[i]), name) == 0) return dc_lua_fail(L, kinds[i], "%s", text);
  return luaL_error(L, "no kind of error: %s", name);
}

/* describe(v): how messages call a value. */
static int core_describe(lua_State *L) {
  lua_settop(L, 1);
  dc_lua_describe(L, 1);
  return 1;
}

/* origin(text): remembers where in the caller's script the text stands; place(origin, line): "script.lua:17". */
static int core_origin(lua_State *L) {
  luaL_checktype(L, 1, LUA_TSTRING);
  dc_lua_origin(L, 1, NULL);
  return 1;
}

static int core_place(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  dc_lua_place(L, 1, (int)luaL_checkinteger(L, 2));
  return 1;
}

/* is_array(v) */
static int core_is_array(lua_State *L) {
  lua_pushboolean(L, dc_lua_toarray(L, dc_lua_self(L), 1) != NULL);
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
  lua_pushstring(L, d->name);
  lua_setfield(L, -2, "name");
  lua_pushstring(L, d->ctype);
  lua_setfield(L, -2, "ctype");
  lua_pushinteger(L, d->size);
  lua_setfield(L, -2, "size");
  lua_pushlstring(L, &d->kind, 1);
  lua_setfield(L, -2, "kind");
  lua_pushinteger(L, d->significand);
  lua_setfield(L, -2, "significand");
  if (d->header) {
    lua_pushstring(L, d->header);
    lua_setfield(L, -2, "header");
  }
  lua_pushstring(L, d->to_float);
  lua_setfield(L, -2, "to_float");
  return 1;
}

/* promote(a, b): the dtype in which arrays of these two meet. */
static int core_promote(lua_State *L) {
  lua_pushstring(L, dc_dtype_name(dc_dtype_promote(dc_lua_checkdtype(L, 1), dc_lua_checkdtype(L, 2))));
  return 1;
}

/* signature(values, n): a key of the kinds of the values 1 to n: a byte for each (an array's dtype,
** "i" an integer, "n" another number, "t" a boolean, "T" a table, "-" nil, "?" anything else) after the number of the
** device of the arrays; and that device's object, or nil without arrays.  Arrays of two devices are an error. */
static int core_signature(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  const lua_Integer n = luaL_checkinteger(L, 2);
  char text[MOST_OPERANDS + sizeof(uint64_t)];
  dc_device *dev = NULL;
  if (n < 0 || n > MOST_OPERANDS) return dc_lua_fail(L, DC_ARGUMENT, "more than %d arguments", MOST_OPERANDS);
  for (lua_Integer i = 1; i <= n; i++) {
    char *c = &text[sizeof(uint64_t) + (size_t)i - 1];
    const int type = lua_rawgeti(L, 1, i);
    dc_array *a = type == LUA_TUSERDATA ? dc_lua_toarray(L, self, -1) : NULL;
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

/* --- one domain for all operands ----------------------------------------------------------------- */

/* The array at list[i], or NULL for what is no array. Nothing stays on the stack; the list keeps it alive. */
static dc_array *array_at(lua_State *L, const dc_lua *self, int list, lua_Integer i) {
  lua_rawgeti(L, list, i);
  dc_array *a = dc_lua_toarray(L, self, -1);
  lua_pop(L, 1);
  return a;
}

/* The shape that list[first..last] broadcast to; false when none of them is an array. */
static bool broadcast_all(lua_State *L, const dc_lua *self, int list, lua_Integer first, lua_Integer last,
                          dc_geometry *out) {
  bool any = false;
  dc_error err = DC_ERROR_INIT;
  out->ndim = 0;
  for (lua_Integer i = first; i <= last; i++) {
    const dc_array *a = array_at(L, self, list, i);
    if (!a) continue;
    dc_geometry both;
    if (dc_geometry_broadcast(out, dc_array_geometry(a), &both, &err) != 0) {
      dc_error_clear(&err);
      char left[512], right[512];
      dc_lua_fail(L, DC_SHAPE, "argument %d of shape %s does not broadcast with %s of the arguments before it",
                  (int)(i - first + 1), dc_geometry_text(dc_array_geometry(a), left, sizeof left),
                  dc_geometry_text(out, right, sizeof right));
    }
    *out = both;
    any = true;
  }
  return any;
}

static void push_shape(lua_State *L, const dc_geometry *g) {
  lua_createtable(L, g->ndim, 0);
  for (int i = 0; i < g->ndim; i++) {
    lua_pushinteger(L, g->shape[i]);
    lua_rawseti(L, -2, i + 1);
  }
}

/* broadcast(list, first, last): the common shape of the arrays there as a table; {} without any. */
static int core_broadcast(lua_State *L) {
  dc_geometry g;
  broadcast_all(L, dc_lua_self(L), 1, luaL_checkinteger(L, 2), luaL_checkinteger(L, 3), &g);
  push_shape(L, &g);
  return 1;
}

/* The dtype's name at list[i] is replaced by a new array of the shape. */
static void make_result(lua_State *L, dc_lua *self, dc_device *dev, int list, lua_Integer i, const dc_geometry *g) {
  dc_error err = DC_ERROR_INIT;
  lua_rawgeti(L, list, i);
  const dc_dtype dtype = dc_lua_checkdtype(L, lua_gettop(L));
  size_t bytes = dc_dtype_size(dtype);
  for (int d = 0; d < g->ndim; d++)
    if (__builtin_mul_overflow(bytes, (size_t)g->shape[d], &bytes)) bytes = 0; /* refused below */
  dc_lua_array *slot = dc_lua_newarray(L);
  dc_lua_account(L, self, bytes);
  dc_lua_set_array(L, slot, dc_array_empty(dev, dtype, g->ndim, g->shape, &err), &err);
  lua_rawseti(L, list, i);
  lua_pop(L, 1);
}

static void check_result(lua_State *L, const dc_array *a, const dc_geometry *g, int number) {
  const dc_geometry *own = dc_array_geometry(a);
  if (!dc_geometry_same_shape(own, g)) {
    char has[512], wanted[512];
    dc_lua_fail(L, DC_SHAPE, "result %d has the shape %s, the arguments' common shape is %s", number,
                dc_geometry_text(own, has, sizeof has), dc_geometry_text(g, wanted, sizeof wanted));
  }
  for (int i = 0; i < own->ndim; i++)
    if (own->strides[i] == 0 && own->shape[i] > 1)
      dc_lua_fail(L, DC_ARGUMENT, "result %d is a broadcast view, which cannot be written", number);
}

/* First and last byte of what an array covers; false when it has no elements. */
static bool extent_of(dc_array *a, uint64_t *first, uint64_t *end) {
  const dc_geometry *g = dc_array_geometry(a);
  dc_ptr ptr;
  dc_error ignored = DC_ERROR_INIT;
  if (dc_array_size(a) == 0 || dc_array_ptr(a, &ptr, &ignored) != 0) {
    dc_error_clear(&ignored);
    return false;
  }
  *first = ptr;
  *end = ptr + dc_dtype_size(dc_array_dtype(a));
  for (int i = 0; i < g->ndim; i++) {
    const int64_t way = (g->shape[i] - 1) * g->strides[i];
    if (way < 0) *first += (uint64_t)way;
    else *end += (uint64_t)way;
  }
  return true;
}

/* Whether the arrays share bytes, other than element by element (`exactly` false: at all). */
static bool overlap(dc_array *a, dc_array *b, bool exactly) {
  uint64_t fa, ea, fb, eb;
  if (!extent_of(a, &fa, &ea) || !extent_of(b, &fb, &eb) || ea <= fb || eb <= fa) return false;
  const dc_geometry *ga = dc_array_geometry(a), *gb = dc_array_geometry(b);
  if (!exactly || dc_dtype_size(dc_array_dtype(a)) != dc_dtype_size(dc_array_dtype(b))) return true;
  if (!dc_geometry_same_shape(ga, gb)) return true;
  for (int i = 0; i < ga->ndim; i++)
    if (ga->shape[i] > 1 && ga->strides[i] != gb->strides[i]) return true;
  dc_ptr pa = 0, pb = 0;
  dc_error ignored = DC_ERROR_INIT;
  if (dc_array_ptr(a, &pa, &ignored) != 0 || dc_array_ptr(b, &pb, &ignored) != 0) dc_error_clear(&ignored);
  return pa != pb;
}

/* overlap(a, b): would writing a, element by element, spoil what is still to be read of b? */
static int core_overlap(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  dc_array *a = dc_lua_checkarray(L, self, 1), *b = dc_lua_checkarray(L, self, 2);
  dc_lua_materialize(L, self, a);
  dc_lua_materialize(L, self, b);
  lua_pushboolean(L, overlap(a, b, !lua_toboolean(L, 3)));
  return 1;
}

/* Results are computed where they are to stand, unless an operand would be overwritten before it is read. */
static lua_Integer find_spoiled(lua_State *L, const dc_lua *self, lua_Integer nout, lua_Integer n) {
  for (lua_Integer i = 1; i <= nout; i++) {
    dc_array *out = array_at(L, self, 1, i);
    for (lua_Integer k = i + 1; k <= n; k++) {
      dc_array *other = array_at(L, self, 1, k);
      if (!other || !overlap(out, other, k > nout)) continue;
      if (k <= nout) dc_lua_fail(L, DC_ARGUMENT, "results %d and %d share memory", (int)i, (int)k);
      return i;
    }
  }
  return 0;
}

/* How an operand lies in the domain: 'F' at the element's number, 'O' one value, 'N' a number, 'S' by strides. */
static char layout_of(const dc_array *a, const dc_geometry *domain) {
  if (!a) return 'N';
  const dc_geometry *g = dc_array_geometry(a);
  const int64_t n = dc_geometry_size(domain);
  if (dc_geometry_contiguous(g, dc_dtype_size(dc_array_dtype(a))) && dc_geometry_size(g) == n) {
    return 'F'; /* as many elements, and it broadcasts: only extents of 1 differ */
  }
  return dc_geometry_size(g) == 1 ? 'O' : 'S';
}

/*
** arrange(list, nout, n): the operands 1 to n, the first nout of them results, on one domain.  An operand is an
** array or a number; a result may be a dtype's name, which is replaced by a new array.  The domain is the common
** shape of the arrays that are not results; of the first result when there are none; 0-d without any.  Pending
** operands are computed.  `device`: where new results are made.
** Gives the number of elements and the layouts, a letter each, 'V' in front when all flat ones begin at a multiple
** of 16 bytes; or false and the number of a result that shares memory with an operand which would be spoiled.
*/
static int core_arrange(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  const lua_Integer nout = luaL_checkinteger(L, 2), n = luaL_checkinteger(L, 3);
  dc_device *dev = lua_isnil(L, 4) ? dc_lua_current(L, self) : dc_lua_checkdevice(L, 4);
  dc_geometry domain;
  char code[MOST_OPERANDS + 1];
  dc_error err = DC_ERROR_INIT;
  if (n > MOST_OPERANDS) return dc_lua_fail(L, DC_ARGUMENT, "more than %d operands", MOST_OPERANDS);
  if (!broadcast_all(L, self, 1, nout + 1, n, &domain)) {
    const dc_array *first = nout > 0 ? array_at(L, self, 1, 1) : NULL;
    if (first) domain = *dc_array_geometry(first);
  }
  for (lua_Integer i = 1; i <= nout; i++) {
    const dc_array *a = array_at(L, self, 1, i);
    if (a) check_result(L, a, &domain, (int)i);
    else make_result(L, self, dev, 1, i, &domain);
  }
  for (lua_Integer i = 1; i <= n; i++) {
    dc_array *a = array_at(L, self, 1, i);
    if (a) dc_lua_materialize(L, self, a);
  }
  const lua_Integer spoiled = find_spoiled(L, self, nout, n);
  if (spoiled) {
    lua_pushboolean(L, false);
    lua_pushinteger(L, spoiled);
    return 2;
  }
  bool aligned = true;
  code[0] = 'V';
  for (lua_Integer i = 1; i <= n; i++) {
    dc_array *a = array_at(L, self, 1, i);
    dc_ptr ptr = 0;
    if (a && dc_array_ptr(a, &ptr, &err) != 0) return dc_lua_raise(L, &err);
    code[i] = layout_of(a, &domain);
    if (code[i] == 'S' || (code[i] == 'F' && ptr % 16 != 0)) aligned = false;
  }
  lua_pushinteger(L, dc_geometry_size(&domain));
  lua_pushlstring(L, aligned ? code : code + 1, (size_t)n + aligned);
  return 2;
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

/* base(a): its first element as a 0-d view, which a kernel takes for the address of any view. */
static int core_base(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  dc_array *a = dc_lua_checkarray(L, self, 1);
  const dc_geometry point = { .ndim = 0 };
  dc_error err = DC_ERROR_INIT;
  dc_lua_materialize(L, self, a);
  dc_lua_array *slot = dc_lua_newarray(L);
  return dc_lua_set_array(L, slot, dc_array_view(a, &point, 0, &err), &err);
}

/* --- methods written in Lua ---------------------------------------------------------------------- */

/* Objects of the type `slot` have the method `name` (at 1) from now on: the function at 2. */
static int add_method(lua_State *L, int slot) {
  luaL_checktype(L, 1, LUA_TSTRING);
  luaL_checktype(L, 2, LUA_TFUNCTION);
  dc_lua_get(L, slot, LUA_TTABLE);
  lua_getfield(L, -1, "__methods");
  lua_pushvalue(L, 1);
  lua_pushvalue(L, 2);
  lua_settable(L, -3); /* not raw: a script can reach that table */
  return 0;
}

/* method(name, fn): of kernels; array_method(name, fn): of arrays. */
static int core_method(lua_State *L) { return add_method(L, DC_LUA_KERNEL); }
static int core_array_method(lua_State *L) { return add_method(L, DC_LUA_ARRAY); }

const luaL_Reg dc_lua_builders_internal[] = {
  { "fail", core_fail },           { "describe", core_describe }, { "origin", core_origin },
  { "place", core_place },         { "dtype", core_dtype },       { "promote", core_promote },
  { "signature", core_signature }, { "broadcast", core_broadcast }, { "arrange", core_arrange },
  { "overlap", core_overlap },     { "strides", core_strides },   { "base", core_base },
  { "method", core_method },       { "is_array", core_is_array }, { "array_method", core_array_method },
  { NULL, NULL },
};
