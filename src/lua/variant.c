/*
** variant.c - see variant.h.
**
** A variant is a kernel that was compiled for kinds of arguments and of captured values.  An object of dc.jit, a table,
** has those of its last launches at 1, 2, ….  A launch compares its values with each: where all suit, they are pushed
** as the kernel takes them (an array, its extents), and the kernel is launched.  Otherwise a function in Lua finds or
** compiles the variant.
*/
#include "lua/variant.h"

#include <lauxlib.h>
#include <lua.h>
#include <string.h>

#include "array/array.h"
#include "array/graph/geometry.h"
#include "base/dtype.h"
#include "base/error.h"
#include "base/line.h"
#include "device/device.h"
#include "lua/array.h"
#include "lua/convert.h"
#include "lua/device.h"
#include "lua/error.h"
#include "lua/kernel.h"
#include "lua/object.h"

enum { MOST_VALUES = 128, MOST_KEYS = 8, MOST_VARIANTS = 4 };

typedef enum value_kind {
  VALUE_ARRAY, /* contiguous */
  VALUE_VIEW,  /* an array that is not */
  VALUE_INTEGER, VALUE_FLOAT, VALUE_NUMBER, VALUE_BOOLEAN, VALUE_GUARD, VALUE_COMPLEX,
  VALUE_STRUCT, /* a table with a metatable */
  VALUE_STRUCTS /* an array of structs: a table with the array of bytes, whose last axis is a struct's */
} value_kind;

/* A value that a launch compares: an argument, or a captured one, which is read from an upvalue of a function, and from
** there by keys. */
typedef struct value {
  uint8_t kind;
  uint8_t dtype, ndim;  /* of an array */
  bool written;         /* an array that the kernel writes */
  bool fits;            /* an integer of at most `most` */
  uint8_t nkeys;
  uint8_t upvalue;      /* its number */
  uint16_t argument;    /* from 1 on; 0: captured */
  uint16_t fn, key;     /* user values of the variant: the function, the first key */
  uint16_t expected;    /* of a guard: what it has to be; of structs: their metatable, their struct */
  uint16_t parts;       /* of an array of structs: the key of a table with `struct` and `bytes` */
  lua_Integer extent;   /* of an array with one axis: what it has to be; -1: any */
} value;

typedef struct variant {
  dc_device *dev;
  lua_Integer most;     /* of `small`, and of integers that fit */
  bool small;           /* for arrays and grids with at most `most` elements, threads along x; else for others alone */
  bool disjoint;        /* no array that is written shares memory with another; else for others alone */
  bool has_array;
  bool conflicts;       /* an array is written, and there are others */
  bool fixed;           /* for launches with this grid and block alone, two integers */
  lua_Integer grid, block;
  int nargs, nvalues, npushed;
  value values[];
} variant;

/* The kernel is its first user value. */
enum { KERNEL = 1 };

/* --- comparing ----------------------------------------------------------------------------------- */

/* Pushes the value; false where a key leads nowhere, then what is pushed does not matter. `v` is at `at`. */
static inline bool push_value(lua_State *L, int at, const value *one, int first) {
  if (DC_LIKELY(one->argument != 0)) {
    lua_pushvalue(L, first + one->argument - 1);
    return true;
  }
  lua_getiuservalue(L, at, one->fn);
  if (!lua_isfunction(L, -1) || !lua_getupvalue(L, -1, one->upvalue)) return false;
  lua_replace(L, -2);
  for (int i = 0; i < one->nkeys; i++) {
    if (!lua_istable(L, -1)) return false;
    lua_getiuservalue(L, at, one->key + i);
    lua_gettable(L, -2);
    lua_replace(L, -2);
  }
  return true;
}

/* The number of elements; -1 where it, or an extent, is greater than `most`. */
static inline int64_t small_size(const dc_geometry *g, lua_Integer most) {
  int64_t size = 1;
  bool small = true;
  for (int i = 0; i < g->ndim; i++) {
    small = small && g->shape[i] <= most;
    if (small) size *= g->shape[i]; /* of two that are at most 2^30: no overflow */
    small = small && size <= most;
  }
  return small ? size : -1;
}

/* The distance of its last element from the first one, along axes in which both directions count; of a small array. */
static lua_Integer reach(const dc_geometry *g, int64_t itemsize) {
  lua_Integer far = 0;
  for (int i = 0; i < g->ndim; i++)
    far += (g->shape[i] - 1) * (g->strides[i] < 0 ? -g->strides[i] : g->strides[i]) / itemsize;
  return far;
}

/* Whether several elements of a view are one in memory. */
static bool is_broadcast(const dc_geometry *g) {
  bool is = false;
  for (int i = 0; i < g->ndim; i++) is = is || (g->strides[i] == 0 && g->shape[i] > 1);
  return is;
}

/* The arrays of a launch: addresses of their first bytes and behind their last ones. */
typedef struct memory {
  dc_array *array;
  dc_ptr from, to;
  bool written;
} memory;

/* Notes the array of a value; `from` is 0 where it has no contiguous memory yet. */
static inline void note_memory(memory *m, const variant *v, const value *one, dc_array *a) {
  m->array = a;
  m->written = one->written;
  if (one->kind == VALUE_VIEW) {
    dc_array_span(a, &m->from, &m->to);
    return;
  }
  m->from = dc_array_launch_ready(a, v->dev, (dc_dtype)one->dtype, false);
  m->to = m->from + (dc_ptr)dc_lua_nbytes(a);
}

/* Arrays that are pending are materialized; empty ones have no memory. Raises. */
static DC_COLD void find_memory(lua_State *L, dc_lua *self, memory *m) {
  dc_error err = DC_ERROR_INIT;
  if (dc_array_size(m->array) == 0) return;
  dc_lua_materialize(L, self, m->array);
  if (dc_array_ptr(m->array, &m->from, &err) != 0) dc_lua_raise(L, &err);
  m->to = m->from + (dc_ptr)dc_lua_nbytes(m->array);
}

/* Whether no array that is written shares memory with another one. */
static inline bool are_disjoint(lua_State *L, dc_lua *self, memory *m, int n) {
  for (int i = 0; i < n; i++)
    if (DC_UNLIKELY(m[i].from == 0)) find_memory(L, self, &m[i]);
  for (int i = 0; i < n; i++) {
    if (!m[i].written) continue;
    for (int j = 0; j < n; j++)
      if (j != i && m[i].from < m[j].to && m[j].from < m[i].to) return false;
  }
  return true;
}

/* Whether the value on top is what a guard expects. */
static inline bool is_expected(lua_State *L, int at, const value *one) {
  lua_getiuservalue(L, at, one->expected);
  const bool same = lua_rawequal(L, -1, -2);
  lua_pop(L, 1);
  return same;
}

/* Puts the array of bytes in place of an array of structs on top; false where it is none of the structs. */
static bool open_structs(lua_State *L, int at, const value *one) {
  if (!lua_istable(L, -1)) return false;
  lua_getiuservalue(L, at, one->parts);
  if (lua_rawget(L, -2) != LUA_TTABLE) return false;
  lua_getfield(L, -1, "struct");
  if (!is_expected(L, at, one)) return false;
  lua_getfield(L, -2, "bytes"); /* array, its parts, struct, bytes */
  lua_replace(L, -4);
  lua_pop(L, 2);
  return true;
}

/* Puts the address of the view `a` on top, as a 0-d view, in its place, and pushes its extents and strides; false where
** the kernel writes it and several of its elements are one in memory. */
static DC_NOINLINE bool push_view(lua_State *L, const value *one, dc_array *a, const dc_geometry *g) {
  const int64_t itemsize = (int64_t)dc_dtype_size((dc_dtype)one->dtype);
  const dc_geometry point = { .ndim = 0 };
  if (one->written && is_broadcast(g)) return false;
  dc_lua_push_view(L, a, &point, 0);
  lua_replace(L, -2);
  for (int axis = 0; axis < g->ndim; axis++) lua_pushinteger(L, g->shape[axis]);
  for (int axis = 0; axis < g->ndim; axis++) lua_pushinteger(L, g->strides[axis] / itemsize);
  return true;
}

/* Compares the value on top with what the variant was compiled for; pushes the extents of an array, and the strides of
** one that is not contiguous. */
static inline bool suits(lua_State *L, const dc_lua *self, int at, const variant *v, const value *one, bool *small,
                         dc_array **array) {
  switch (one->kind) {
    case VALUE_STRUCTS:
      if (!open_structs(L, at, one)) return false; /* fall through */
    case VALUE_VIEW:
    case VALUE_ARRAY: {
      const bool contiguous = one->kind != VALUE_VIEW;
      const dc_lua_array *o = dc_lua_test(L, self, -1, DC_LUA_ARRAY);
      const dc_geometry *g = o && o->a ? dc_array_geometry_on(o->a, v->dev, (dc_dtype)one->dtype, contiguous) : NULL;
      if (!g || g->ndim != one->ndim) return false;
      if (one->extent >= 0 && g->shape[0] != one->extent) return false;
      *small = *small && small_size(g, v->most) >= 0;
      *array = o->a;
      if (DC_UNLIKELY(!contiguous)) {
        *small = *small && reach(g, (int64_t)dc_dtype_size((dc_dtype)one->dtype)) <= v->most;
        return push_view(L, one, o->a, g);
      }
      const int axes = g->ndim - (one->kind == VALUE_STRUCTS);
      for (int axis = 0; axis < axes; axis++) lua_pushinteger(L, g->shape[axis]);
      return true;
    }
    case VALUE_INTEGER: {
      const lua_Integer i = lua_isinteger(L, -1) ? lua_tointeger(L, -1) : 0;
      return (i != 0 || lua_isinteger(L, -1)) && (!one->fits || (i >= -v->most && i <= v->most));
    }
    case VALUE_FLOAT: return lua_type(L, -1) == LUA_TNUMBER && !lua_isinteger(L, -1);
    case VALUE_NUMBER: return lua_type(L, -1) == LUA_TNUMBER;
    case VALUE_BOOLEAN: return lua_isboolean(L, -1);
    case VALUE_COMPLEX: return dc_lua_test(L, self, -1, DC_LUA_COMPLEX) != NULL;
    case VALUE_STRUCT: {
      if (!lua_istable(L, -1) || !lua_getmetatable(L, -1)) return false;
      const bool same = is_expected(L, at, one);
      lua_pop(L, 1);
      return same;
    }
    default: return is_expected(L, at, one);
  }
}

/* Pushes what the kernel of the variant at `at`, the stack's top, takes for the arguments from `first` to `at` - 1.
** False where the variant does not suit them. */
static inline bool push_arguments(lua_State *L, dc_lua *self, int at, const variant *v, int first, bool small) {
  memory arrays[MOST_VALUES];
  int n = 0;
  if (!v->has_array && dc_lua_current(L, self) != v->dev) return false;
  for (int i = 0; i < v->nvalues; i++) {
    const value *one = &v->values[i];
    dc_array *a = NULL;
    if (!push_value(L, at, one, first) || !suits(L, self, at, v, one, &small, &a)) return false;
    if (a) {
      if (v->conflicts) note_memory(&arrays[n++], v, one, a);
    } else if (one->kind == VALUE_GUARD) {
      lua_pop(L, 1);
    }
  }
  return small == v->small && (!v->conflicts || are_disjoint(L, self, arrays, n) == v->disjoint);
}

/* --- launching ----------------------------------------------------------------------------------- */

/* The extent along x of a grid or block at idx, as jit/init.lua's extent_x; errors are the launch's. */
static lua_Integer extent_x(lua_State *L, int idx) {
  int64_t x = 1;
  if (lua_type(L, idx) == LUA_TSTRING) return 1024; /* "auto" */
  if (!lua_istable(L, idx)) return dc_lua_tointeger(L, idx, &x) ? x : 0;
  if (lua_geti(L, idx, 1) == LUA_TNIL) lua_getfield(L, idx, "x");
  if (!lua_isnil(L, -1) && !dc_lua_tointeger(L, -1, &x)) x = 0;
  return x;
}

/* Whether grid × block, at 2 and 3, has at most `most` threads along x. */
static inline bool is_small_grid(lua_State *L, lua_Integer most) {
  if (DC_LIKELY(lua_isinteger(L, 2) && lua_isinteger(L, 3)))
    return (double)lua_tointeger(L, 2) * (double)lua_tointeger(L, 3) <= (double)most;
  const int top = lua_gettop(L);
  const bool is = (double)extent_x(L, 2) * (double)extent_x(L, 3) <= (double)most;
  lua_settop(L, top);
  return is;
}

/* Threads of forall: whole blocks. */
static inline bool is_small_count(lua_State *L, lua_Integer most) {
  int64_t n = 0;
  return !dc_lua_tointeger(L, 2, &n) || n <= most - 1024;
}

/* Whether grid and block, of a launch whose arguments begin at 4, are those of the variant. */
static inline bool has_grid(lua_State *L, const variant *v, int first) {
  return first == 4 && lua_isinteger(L, 2) && lua_tointeger(L, 2) == v->grid && lua_isinteger(L, 3) &&
         lua_tointeger(L, 3) == v->block;
}

/* Pushes a variant of the object at 1, and the arguments for its kernel, which replaces the object; they begin behind
** `top`.  False: none suits. */
static inline bool choose(lua_State *L, dc_lua *self, int first, int top,
                          bool (*is_small_launch)(lua_State *, lua_Integer)) {
  if (DC_UNLIKELY(!lua_istable(L, 1))) return false;
  for (int i = 1; i <= MOST_VARIANTS; i++) {
    if (lua_rawgeti(L, 1, i) != LUA_TUSERDATA) return false;
    const variant *v = dc_lua_test(L, self, -1, DC_LUA_VARIANT);
    if (DC_UNLIKELY(!v)) return false;
    if (v->nargs == top - first + 1 && (DC_LIKELY(!v->fixed) || has_grid(L, v, first))) {
      if (DC_UNLIKELY(v->npushed > LUA_MINSTACK - 8)) luaL_checkstack(L, v->npushed + 8, NULL);
      if (DC_LIKELY(push_arguments(L, self, top + 1, v, first, is_small_launch(L, v->most)))) {
        lua_getiuservalue(L, top + 1, KERNEL);
        lua_replace(L, 1);
        return true;
      }
    }
    lua_settop(L, top);
  }
  return false;
}

/* Calls the second upvalue, a function in Lua, with all arguments. */
static DC_COLD int call_slow(lua_State *L, int top) {
  lua_settop(L, top);
  lua_pushvalue(L, lua_upvalueindex(2));
  lua_insert(L, 1);
  lua_call(L, top, 0);
  return 0;
}

/* object(grid, block, ...) */
static DC_HOT int variant_call(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  const int top = lua_gettop(L);
  if (DC_LIKELY(top >= 3 && choose(L, self, 4, top, is_small_grid))) return dc_lua_launch_kernel(L, top + 2);
  return call_slow(L, top);
}

/* object:forall(n, ...) */
static DC_HOT int variant_forall(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  const int top = lua_gettop(L);
  if (DC_LIKELY(top >= 2 && lua_type(L, 2) == LUA_TNUMBER && choose(L, self, 3, top, is_small_count)))
    return dc_lua_launch_forall(L, top + 2);
  return call_slow(L, top);
}

/* launches(call, forall): the functions that launch an object, which call these where no variant of it suits. */
static int core_launches(lua_State *L) {
  static const lua_CFunction functions[] = { variant_call, variant_forall };
  lua_settop(L, 2);
  for (int i = 1; i <= 2; i++) {
    luaL_checktype(L, i, LUA_TFUNCTION);
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_pushvalue(L, i);
    lua_pushcclosure(L, functions[i - 1], 2);
  }
  return 2;
}

/* --- making one ---------------------------------------------------------------------------------- */

static bool get_flag(lua_State *L, int idx, const char *name) {
  lua_getfield(L, idx, name);
  const bool is = lua_toboolean(L, -1);
  lua_pop(L, 1);
  return is;
}

static lua_Integer get_integer(lua_State *L, int idx, const char *name) {
  lua_getfield(L, idx, name);
  const lua_Integer i = luaL_optinteger(L, -1, 0);
  lua_pop(L, 1);
  return i;
}

static bool is_array(const value *one) {
  return one->kind == VALUE_ARRAY || one->kind == VALUE_VIEW || one->kind == VALUE_STRUCTS;
}

/* Moves the value on top to user value *next of the variant at 3. */
static uint16_t keep(lua_State *L, uint16_t *next) {
  lua_setiuservalue(L, 3, *next);
  return (*next)++;
}

/* Fills `one` from the description at index 4. */
static void read_value(lua_State *L, value *one, uint16_t *next) {
  static const char *const kinds[] = { "array", "view", "integer", "float", "number", "boolean", "guard",
                                       "complex", "struct", "structs", NULL };
  lua_getfield(L, 4, "kind");
  one->kind = (uint8_t)luaL_checkoption(L, -1, NULL, kinds);
  lua_pop(L, 1);
  one->argument = (uint16_t)get_integer(L, 4, "argument");
  one->written = get_flag(L, 4, "written");
  one->fits = get_flag(L, 4, "fits");
  lua_getfield(L, 4, "extent");
  one->extent = luaL_optinteger(L, -1, -1);
  lua_pop(L, 1);
  if (is_array(one)) {
    lua_getfield(L, 4, "dtype");
    one->dtype = (uint8_t)dc_lua_checkdtype(L, -1);
    lua_pop(L, 1);
    one->ndim = (uint8_t)get_integer(L, 4, "ndim");
  }
  if (one->kind == VALUE_GUARD || one->kind == VALUE_STRUCT || one->kind == VALUE_STRUCTS) {
    lua_getfield(L, 4, "value");
    one->expected = keep(L, next);
  }
  if (one->kind == VALUE_STRUCTS) {
    lua_getfield(L, 4, "parts");
    one->parts = keep(L, next);
  }
  if (one->argument) return;
  one->upvalue = (uint8_t)get_integer(L, 4, "upvalue");
  lua_getfield(L, 4, "fn");
  one->fn = keep(L, next);
  lua_getfield(L, 4, "keys"); /* 5 */
  one->nkeys = (uint8_t)lua_rawlen(L, 5);
  one->key = *next;
  for (int i = 1; i <= one->nkeys; i++) {
    lua_rawgeti(L, 5, i);
    keep(L, next);
  }
  lua_settop(L, 4);
}

/*
** variant(kernel, facts): a variant for objects of dc.jit.  `facts`: device, most, small, disjoint, nargs, and a list
** of what a launch compares, in the order of the kernel's parameters: { kind = "array", "view", "integer", "float",
** "number", "boolean", "guard", "complex", "struct" (`value`: the metatable) or "structs" (`value`: the struct,
** `parts`: see VALUE_STRUCTS), argument = its number, or fn =, upvalue =, keys =, and dtype, ndim, written, extent;
** fits; value }; grid and block, integers, where it is for these alone.  Nothing where there are too many.
*/
static int core_variant(lua_State *L) {
  lua_settop(L, 2);
  luaL_checktype(L, 2, LUA_TTABLE);
  const int n = (int)lua_rawlen(L, 2);
  if (n > MOST_VALUES) return 0;
  variant *v = dc_lua_new(L, DC_LUA_VARIANT, sizeof *v + (size_t)n * sizeof(value), 1 + n * (3 + MOST_KEYS)); /* 3 */
  lua_pushvalue(L, 1);
  lua_setiuservalue(L, 3, KERNEL);
  lua_getfield(L, 2, "device");
  v->dev = dc_lua_checkdevice(L, -1);
  lua_pop(L, 1);
  v->most = get_integer(L, 2, "most");
  v->small = get_flag(L, 2, "small");
  v->disjoint = get_flag(L, 2, "disjoint");
  v->nargs = (int)get_integer(L, 2, "nargs");
  v->grid = get_integer(L, 2, "grid");
  v->block = get_integer(L, 2, "block");
  v->fixed = v->block != 0;
  v->nvalues = n;
  uint16_t next = KERNEL + 1;
  int arrays = 0, written = 0;
  for (int i = 0; i < n; i++) {
    value *one = &v->values[i];
    lua_rawgeti(L, 2, i + 1); /* 4 */
    lua_getfield(L, 4, "keys");
    if (lua_istable(L, -1) && lua_rawlen(L, -1) > MOST_KEYS) return 0;
    lua_pop(L, 1);
    read_value(L, one, &next);
    v->npushed += 1 + one->ndim * (one->kind == VALUE_VIEW ? 2 : 1);
    if (is_array(one)) {
      arrays++;
      if (one->written) written++;
    }
    lua_settop(L, 3);
  }
  v->has_array = arrays > 0;
  v->conflicts = written > 0 && arrays > 1;
  return 1;
}

const luaL_Reg dc_lua_variant_internal[] = {
  { "variant", core_variant },
  { "launches", core_launches },
  { NULL, NULL },
};

void dc_lua_open_variant(lua_State *L, int self) {
  static const luaL_Reg meta[] = { { NULL, NULL } };
  dc_lua_newtype(L, self, DC_LUA_VARIANT, "dotcompute.variant", meta, NULL);
}
