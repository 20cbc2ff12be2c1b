/*
** variant.c - see variant.h.
**
** A variant is a kernel that was compiled for kinds of arguments and of captured values: a kernel object that knows
** them.  An object of dc.jit, a table, has those of its last launches at 1, 2, ….  One pass over a launch's values
** compares them with a variant and converts them to the bytes of its kernel's parameters.  Where all suit and nothing
** else is to be done, the kernel is launched with these.  Where all suit, but an array is pending, or the launch is
** tracked or profiled, they are pushed as the kernel takes them, an array with its extents, for a launch of the kernel
** object.  Where none of the variants suits, a function in Lua finds or compiles the one that does.
*/
#include "lua/variant.h"

#include <lauxlib.h>
#include <lua.h>
#include <stdalign.h>
#include <string.h>

#include "array/array.h"
#include "array/graph/geometry.h"
#include "base/dtype.h"
#include "base/error.h"
#include "base/line.h"
#include "device/device.h"
#include "kernel/kernel.h"
#include "lua/argument.h"
#include "lua/array.h"
#include "lua/convert.h"
#include "lua/device.h"
#include "lua/error.h"
#include "lua/extent.h"
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

/* A value that a launch compares, in 16 bytes: a launch reads few cache lines.  `param` is its parameter of the kernel,
** of which `common` says where and as what its bytes are stored; the extents of an array follow, and the strides of a
** view, as `long long` where `wide`, else as `int`. */
typedef struct value {
  uint8_t kind;
  uint8_t ndim;       /* of an array */
  bool fits : 1;      /* an integer of at most `most` */
  bool wide : 1;
  bool sized : 1;     /* an array of one axis with the extent of its `details` */
  uint8_t argument;   /* from 1 on; 0: captured */
  uint16_t param;
  uint16_t details;   /* of captured values, guards, structs, and where `sized` */
  dc_common_param common;
} value;

/* The rest of a value.  A captured one is read from an upvalue of a function, and from there by keys. */
typedef struct details {
  uint16_t fn, key;   /* user values of the variant: the function, the first key */
  uint16_t expected;  /* of a guard: what it has to be; of structs: their metatable, their struct */
  uint16_t parts;     /* of an array of structs: the key of a table with `struct` and `bytes` */
  uint8_t upvalue;    /* its number */
  uint8_t nkeys;
  lua_Integer extent; /* of an array with one axis: what it has to be */
} details;

typedef struct variant {
  lua_Integer most;     /* of `small`, and of integers that fit */
  bool small;           /* for arrays and grids with at most `most` elements, threads along x; else for others alone */
  bool disjoint;        /* no array that is written shares memory with another; else for others alone */
  bool has_array;
  bool conflicts;       /* an array is written, and there are others */
  bool fixed;           /* for launches with this grid and block alone, two integers */
  lua_Integer grid, block;
  int nargs, nvalues;
  int npushed;          /* values that are pushed for a launch of the kernel object */
  int ncaptured;        /* values that are read while a launch is compared, their functions included */
  details *details;     /* behind `values` */
  value values[];
} variant;

/* --- comparing ----------------------------------------------------------------------------------- */

/* A launch while it is compared with a variant. */
typedef struct launch {
  int first, top;      /* the arguments */
  int64_t count;       /* of forall; -1: a launch by grid and block */
  bool direct;         /* the bytes of `params` are those of all values */
  dc_launch l;
  alignas(16) char params[DC_PARAMS_USUAL];
  int at[MOST_VALUES]; /* stack indices of the variant's values */
} launch;

/* Replaces the captured value on top by what the variant's keys lead to from there; false where one leads nowhere.
** Where a metatable gave a field, code of the script's may have run and changed what was converted before: then *direct
** becomes false. */
static DC_NOINLINE bool follow_keys(lua_State *L, int v, const details *d, bool *direct) {
  for (int i = 0; i < d->nkeys; i++) {
    if (!lua_istable(L, -1)) return false;
    lua_getiuservalue(L, v, d->key + i);
    lua_pushvalue(L, -1); /* table, key, key */
    if (lua_rawget(L, -3) == LUA_TNIL && lua_getmetatable(L, -3)) {
      lua_pop(L, 2);
      lua_gettable(L, -2);
      lua_replace(L, -2);
      *direct = false;
    } else {
      lua_replace(L, -3);
      lua_pop(L, 1);
    }
  }
  return true;
}

/* The function of the last captured value: its stack index, and the number of the variant's user value that has it. */
typedef struct captured_function {
  int idx;
  uint16_t of;
} captured_function;

/* Pushes the captured value behind *top, the stack's; false where a key leads nowhere.  The variant is at `v`. */
static inline bool push_captured(lua_State *L, int v, const details *d, captured_function *fn, int *top, bool *direct) {
  if (fn->of != d->fn) {
    lua_getiuservalue(L, v, d->fn);
    *fn = (captured_function){ ++*top, d->fn };
  }
  ++*top;
  return DC_LIKELY(lua_getupvalue(L, fn->idx, d->upvalue)) &&
         (DC_LIKELY(d->nkeys == 0) || follow_keys(L, v, d, direct));
}

/* The arrays of a launch: addresses of their first bytes and behind their last ones. */
typedef struct memory {
  dc_array *array;
  dc_ptr from, to; /* from 0: it has no contiguous memory yet */
  bool written;
} memory;

/* Arrays that are pending are materialized; empty ones have no memory. Raises. */
static DC_COLD void find_memory(lua_State *L, dc_lua *self, memory *m) {
  m->to = 0;
  if (dc_array_size(m->array) == 0) return;
  dc_lua_materialize(L, self, m->array);
  m->from = dc_array_address(m->array);
  m->to = m->from + (dc_ptr)dc_lua_nbytes(m->array);
}

/* Whether no array that is written shares memory with another one. */
static DC_NOINLINE bool are_disjoint(lua_State *L, dc_lua *self, memory *m, int n) {
  for (int i = 0; i < n; i++)
    if (DC_UNLIKELY(m[i].from == 0)) find_memory(L, self, &m[i]);
  for (int i = 0; i < n; i++) {
    if (!m[i].written) continue;
    for (int j = 0; j < n; j++)
      if (j != i && m[i].from < m[j].to && m[j].from < m[i].to) return false;
  }
  return true;
}

/* Whether the value at idx is what a guard expects: 1 is not 1.0, 0.0 not -0.0. */
static inline bool is_expected(lua_State *L, int v, const details *d, int idx) {
  lua_getiuservalue(L, v, d->expected);
  bool same = lua_rawequal(L, -1, idx);
  if (lua_type(L, -1) == LUA_TNUMBER) {
    const lua_Number x = lua_tonumber(L, -1), y = lua_tonumber(L, idx);
    same = lua_type(L, idx) == LUA_TNUMBER && lua_isinteger(L, -1) == lua_isinteger(L, idx) &&
           (lua_isinteger(L, idx) ? same : memcmp(&x, &y, sizeof x) == 0);
  }
  lua_pop(L, 1);
  return same;
}

/* Pushes the array of bytes of an array of structs at idx; false where it is none of the structs. */
static bool push_bytes(lua_State *L, int v, const details *d, int idx) {
  if (!lua_istable(L, idx)) return false;
  lua_getiuservalue(L, v, d->parts);
  if (lua_rawget(L, idx) != LUA_TTABLE) return false;
  const int parts = lua_gettop(L);
  lua_getfield(L, parts, "struct");
  if (!is_expected(L, v, d, parts + 1)) return false;
  lua_getfield(L, parts, "bytes"); /* parts, struct, bytes */
  lua_replace(L, parts);
  lua_settop(L, parts);
  return true;
}

/* size * extent; `most` + 1 where either is greater than `most`, which is at most 2^30: no overflow. */
static inline uint64_t multiply(uint64_t size, uint64_t extent, uint64_t most) {
  return extent > most || size > most ? most + 1 : size * extent;
}

/* Stores an array's address, which may be 0, and its extents but those of the last `hidden` axes; gives the number of
** elements, `most` + 1 where it, or an extent, is greater. */
static inline uint64_t put_array(const value *one, const dc_geometry *g, dc_ptr ptr, int hidden, uint64_t most,
                                 char *params) {
  char *to = params + one->common.offset;
  uint64_t size = 1;
  memcpy(to, &ptr, sizeof ptr);
  to += sizeof ptr;
  for (int axis = 0; axis < one->ndim; axis++) {
    const uint64_t extent = (uint64_t)g->shape[axis];
    const uint32_t narrow = (uint32_t)extent; /* the variant is then for small arrays alone */
    size = multiply(size, extent, most);
    if (axis >= one->ndim - hidden) break;
    if (one->wide) memcpy(to + (size_t)axis * sizeof extent, &extent, sizeof extent);
    else memcpy(to + (size_t)axis * sizeof narrow, &narrow, sizeof narrow);
  }
  return size > most ? most + 1 : size;
}

/* The number of elements of a view as put_array gives it, or of elements that are as far as its last one, if more.
** `span`: its memory. */
static uint64_t measure_view(const dc_array *a, const dc_geometry *g, uint64_t itemsize, uint64_t most, memory *span) {
  uint64_t size = 1, far = 0;
  for (int axis = 0; axis < g->ndim; axis++) size = multiply(size, (uint64_t)g->shape[axis], most);
  span->from = 0;
  if (size != 0) dc_array_span(a, &span->from, &span->to);
  if (size == 0 || size > most) return size;
  for (int axis = 0; axis < g->ndim; axis++) {
    const int64_t stride = g->strides[axis];
    far += (uint64_t)(g->shape[axis] - 1) * (uint64_t)(stride < 0 ? -stride : stride) / itemsize;
  }
  return far > size ? far : size;
}

/* Whether an array has the rank, and the extent, that the variant was compiled for. */
static inline bool has_extents(const variant *w, const value *one, const dc_geometry *g) {
  return g->ndim == one->ndim && (DC_LIKELY(!one->sized) || g->shape[0] == w->details[one->details].extent);
}

/* Whether the array at idx is the view that `one` stands for.  `span`: its memory; *small becomes false where it has
** more than the variant's `most` elements. */
static DC_NOINLINE bool is_view(lua_State *L, dc_lua *self, const dc_lua_kernel *o, const value *one, int idx,
                                memory *span, bool *small) {
  const uint64_t most = (uint64_t)o->variant->most;
  const dc_lua_array *array = dc_lua_test(L, self, idx, DC_LUA_ARRAY);
  const dc_dtype dtype = (dc_dtype)one->common.dtype;
  const dc_geometry *g = array && array->a ? dc_array_strided_on(array->a, o->k->dev, dtype) : NULL;
  if (!g || !has_extents(o->variant, one, g) || (one->common.written && dc_geometry_repeats(g))) return false;
  *span = (memory){ .array = array->a, .written = one->common.written };
  if (measure_view(array->a, g, dc_dtype_size(dtype), most, span) > most) *small = false;
  return true;
}

/* Whether the value at idx is of the kind of `one`, a kind that is rare. */
static DC_NOINLINE bool is_of_kind(lua_State *L, dc_lua *self, int v, const variant *w, const value *one, int idx) {
  switch ((value_kind)one->kind) {
    case VALUE_NUMBER: return lua_type(L, idx) == LUA_TNUMBER;
    case VALUE_BOOLEAN: return lua_isboolean(L, idx);
    case VALUE_COMPLEX: return dc_lua_test(L, self, idx, DC_LUA_COMPLEX) != NULL;
    case VALUE_GUARD: return is_expected(L, v, &w->details[one->details], idx);
    case VALUE_STRUCT: {
      if (!lua_istable(L, idx) || !lua_getmetatable(L, idx)) return false;
      const bool same = is_expected(L, v, &w->details[one->details], lua_gettop(L));
      lua_pop(L, 1);
      return same;
    }
    case VALUE_ARRAY: case VALUE_VIEW: case VALUE_INTEGER: case VALUE_FLOAT: case VALUE_STRUCTS: break;
  }
  return false;
}

/* The result of comparing a value with what the variant was compiled for. */
typedef enum outcome {
  DIFFERS,    /* the variant does not suit */
  CONVERTED,  /* the value suits, and its bytes are in `params` where the kernel takes it */
  UNCONVERTED /* the value suits; dc_lua_marshal_value converts it */
} outcome;

/* The array at idx: its memory is `span`; *small becomes false where it has more than the variant's `most` elements. */
static inline outcome compare_array(lua_State *L, dc_lua *self, const dc_lua_kernel *o, const value *one, int idx,
                                    char *params, memory *span, bool *small) {
  const variant *w = o->variant;
  const dc_dtype dtype = (dc_dtype)one->common.dtype;
  const dc_lua_array *array = dc_lua_test(L, self, idx, DC_LUA_ARRAY);
  const dc_geometry *g = NULL;
  dc_ptr ptr = 0;
  if (DC_LIKELY(array && array->a))
    ptr = dc_array_launch_view(array->a, o->k->dev, dtype, one->common.written, &g);
  if (DC_UNLIKELY(!g || !has_extents(w, one, g))) return DIFFERS;
  const uint64_t most = (uint64_t)w->most;
  const uint64_t size = put_array(one, g, ptr, one->kind == VALUE_STRUCTS, most, params);
  if (DC_UNLIKELY(size > most)) *small = false;
  if (w->conflicts) {
    const size_t bytes = DC_LIKELY(size <= most) ? size * dc_dtype_size(dtype) : dc_lua_nbytes(array->a);
    *span = (memory){ array->a, ptr, ptr + (dc_ptr)bytes, one->common.written };
  }
  const bool ready = ptr != 0 && (ptr & one->common.unaligned) == 0 && one->common.kind == DC_COMMON_ARRAY;
  return DC_LIKELY(ready) ? CONVERTED : UNCONVERTED;
}

static inline outcome compare_integer(lua_State *L, const variant *w, const value *one, int idx, char *params) {
  if (DC_UNLIKELY(!lua_isinteger(L, idx))) return DIFFERS;
  const lua_Integer x = lua_tointeger(L, idx);
  const int32_t narrow = (int32_t)x;
  char *to = params + one->common.offset;
  if (one->fits && (uint64_t)x + (uint64_t)w->most > 2 * (uint64_t)w->most) return DIFFERS; /* beyond ±most */
  if (DC_LIKELY(one->fits && one->common.kind == DC_COMMON_INT32)) memcpy(to, &narrow, sizeof narrow);
  else if (one->common.kind == DC_COMMON_INT64) memcpy(to, &x, sizeof x);
  else return UNCONVERTED;
  return CONVERTED;
}

static inline outcome compare_float(lua_State *L, const value *one, int idx, char *params) {
  if (lua_type(L, idx) != LUA_TNUMBER || lua_isinteger(L, idx)) return DIFFERS;
  const lua_Number x = lua_tonumber(L, idx);
  if (one->common.kind != DC_COMMON_FLOAT64) return UNCONVERTED;
  memcpy(params + one->common.offset, &x, sizeof x);
  return CONVERTED;
}

/* Compares the launch's values with what the variant `o`, at stack index v, was compiled for, and converts them. */
static inline bool matches(lua_State *L, dc_lua *self, const dc_lua_kernel *o, int v, launch *n, bool small) {
  const variant *w = o->variant;
  memory arrays[MOST_VALUES];
  int narrays = 0, top = v;
  captured_function fn = { 0, 0 };
  n->direct = true;
  if (DC_UNLIKELY(!w->has_array) && dc_lua_current(L, self) != o->k->dev) return false;
  for (int i = 0; i < w->nvalues; i++) {
    const value *one = &w->values[i];
    const value_kind kind = (value_kind)one->kind;
    outcome is;
    int idx = n->first + one->argument - 1;
    if (one->argument == 0) {
      if (!push_captured(L, v, &w->details[one->details], &fn, &top, &n->direct)) return false;
      idx = top;
    }
    if (DC_UNLIKELY(kind == VALUE_STRUCTS)) {
      if (!push_bytes(L, v, &w->details[one->details], idx)) return false;
      idx = ++top;
    }
    if (DC_LIKELY(kind == VALUE_ARRAY || kind == VALUE_STRUCTS)) {
      is = compare_array(L, self, o, one, idx, n->params, &arrays[narrays], &small);
      narrays += w->conflicts;
    } else if (DC_LIKELY(kind == VALUE_INTEGER)) {
      is = compare_integer(L, w, one, idx, n->params);
    } else if (DC_LIKELY(kind == VALUE_FLOAT)) {
      is = compare_float(L, one, idx, n->params);
    } else if (kind == VALUE_VIEW) {
      is = is_view(L, self, o, one, idx, &arrays[narrays], &small) ? CONVERTED : DIFFERS;
      narrays += w->conflicts;
      n->direct = false;
    } else {
      is = !is_of_kind(L, self, v, w, one, idx) ? DIFFERS : kind == VALUE_GUARD ? CONVERTED : UNCONVERTED;
    }
    if (DC_UNLIKELY(is == DIFFERS)) return false;
    if (DC_UNLIKELY(is == UNCONVERTED) && n->direct)
      n->direct = dc_lua_marshal_value(L, self, o->k, one->param, idx, n->params);
    n->at[i] = idx;
  }
  return small == w->small && (!w->conflicts || are_disjoint(L, self, arrays, narrays) == w->disjoint);
}

/* --- launching ----------------------------------------------------------------------------------- */

/* The extent along x of a grid or block at idx, as jit/init.lua's extent_x; errors are the launch's. */
static double extent_x(lua_State *L, int idx) {
  int64_t x = 1;
  if (lua_type(L, idx) == LUA_TSTRING) return 1024; /* "auto" */
  if (!lua_istable(L, idx)) return dc_lua_tointeger(L, idx, &x) ? (double)x : 0;
  const int top = lua_gettop(L);
  if (lua_geti(L, idx, 1) == LUA_TNIL) lua_getfield(L, idx, "x");
  if (!lua_isnil(L, -1) && !dc_lua_tointeger(L, -1, &x)) x = 0;
  lua_settop(L, top);
  return (double)x;
}

/* Whether grid and block are the integers that the variant is for. */
static inline bool has_grid(lua_State *L, const variant *w, const launch *n) {
  return n->count < 0 && lua_isinteger(L, 2) && lua_tointeger(L, 2) == w->grid && lua_isinteger(L, 3) &&
         lua_tointeger(L, 3) == w->block;
}

/* The variant of the object at 1 that suits a launch of that many threads along x; it is behind the arguments then.
** NULL: none. */
static inline dc_lua_kernel *choose(lua_State *L, dc_lua *self, launch *n, double threads) {
  const int v = n->top + 1;
  if (DC_UNLIKELY(!lua_istable(L, 1))) return NULL;
  for (int i = 1; i <= MOST_VARIANTS; i++) {
    lua_rawgeti(L, 1, i);
    dc_lua_kernel *o = dc_lua_test(L, self, v, DC_LUA_KERNEL);
    if (DC_UNLIKELY(!o || !o->variant)) return NULL;
    const variant *w = o->variant;
    if (w->nargs == n->top - n->first + 1 && (DC_LIKELY(!w->fixed) || has_grid(L, w, n))) {
      if (DC_UNLIKELY(w->ncaptured > LUA_MINSTACK - 12)) luaL_checkstack(L, w->ncaptured + 12, NULL);
      if (DC_LIKELY(matches(L, self, o, v, n, threads <= (double)w->most))) return o;
    }
    lua_settop(L, n->top);
  }
  return NULL;
}

static bool is_array(const value *one) {
  return one->kind == VALUE_ARRAY || one->kind == VALUE_VIEW || one->kind == VALUE_STRUCTS;
}

/* For a launch of the kernel object `o`, the variant that suits: moves it to 1, and pushes what it takes for the
** values; an array is followed by its extents, and a view by its strides. Gives the first one's stack index. */
static DC_NOINLINE int push_arguments(lua_State *L, dc_lua *self, const dc_lua_kernel *o, const launch *n) {
  const variant *w = o->variant;
  const int first = lua_gettop(L) + 1;
  static const dc_geometry closed;
  lua_copy(L, n->top + 1, 1);
  luaL_checkstack(L, w->npushed + 12, NULL);
  for (int i = 0; i < w->nvalues; i++) {
    const value *one = &w->values[i];
    if (one->kind == VALUE_GUARD) continue;
    const dc_lua_array *array = is_array(one) ? dc_lua_test(L, self, n->at[i], DC_LUA_ARRAY) : NULL;
    if (one->kind == VALUE_VIEW && array->a) {
      const dc_geometry point = { .ndim = 0 };
      dc_lua_push_view(L, array->a, &point, 0); /* its address, as a 0-d view */
    } else {
      lua_pushvalue(L, n->at[i]);
    }
    if (!array) continue;
    const bool open = array->a && dc_array_state_of(array->a) != DC_ARRAY_CLOSED; /* a finalizer may have closed it */
    const dc_geometry *g = open ? dc_array_geometry(array->a) : &closed;
    const int axes = one->ndim - (one->kind == VALUE_STRUCTS);
    for (int axis = 0; axis < axes; axis++) lua_pushinteger(L, g->shape[axis]);
    const int64_t itemsize = (int64_t)dc_dtype_size((dc_dtype)one->common.dtype);
    for (int axis = 0; axis < axes && one->kind == VALUE_VIEW; axis++)
      lua_pushinteger(L, g->strides[axis] / itemsize);
  }
  return first;
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
  launch n;
  n.first = 4, n.top = lua_gettop(L), n.count = -1;
  if (DC_UNLIKELY(n.top < 3)) return call_slow(L, n.top);
  const bool plain = dc_lua_are_extents(L, 2, &n.l.grid, &n.l.block);
  const double threads = plain ? (double)n.l.grid.x * n.l.block.x : extent_x(L, 2) * extent_x(L, 3);
  dc_lua_kernel *o = choose(L, self, &n, threads);
  if (DC_UNLIKELY(!o)) return call_slow(L, n.top);
  n.l.params = n.params;
  if (DC_LIKELY(plain && n.direct && dc_lua_launch_marshalled(L, self, o, n.top + 1, &n.l))) return 0;
  return dc_lua_launch_kernel(L, push_arguments(L, self, o, &n));
}

/* object:forall(n, ...) */
static DC_HOT int variant_forall(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  launch n;
  n.first = 3, n.top = lua_gettop(L), n.count = 0;
  if (DC_UNLIKELY(n.top < 2 || lua_type(L, 2) != LUA_TNUMBER)) return call_slow(L, n.top);
  const bool counted = dc_lua_tointeger(L, 2, &n.count) && n.count >= 0;
  dc_lua_kernel *o = choose(L, self, &n, counted ? (double)n.count + 1024 : 0); /* whole blocks */
  if (DC_UNLIKELY(!o)) return call_slow(L, n.top);
  const uint32_t block = counted && o->block != 0 ? dc_lua_block_for(o, n.count) : 0;
  const int64_t blocks = block != 0 ? dc_lua_count_blocks(n.count, block) : 0;
  n.l.grid = (dc_dim3){ (uint32_t)blocks, 1, 1 }, n.l.block = (dc_dim3){ block, 1, 1 };
  n.l.params = n.params;
  const bool direct = n.direct && blocks > 0 && blocks <= UINT32_MAX;
  if (DC_LIKELY(direct && dc_lua_launch_marshalled(L, self, o, n.top + 1, &n.l))) return 0;
  return dc_lua_launch_forall(L, push_arguments(L, self, o, &n));
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

/* A variant while it is made: the kernel object at 1, the facts at 2, the variant at 3, a value's description at 4. */
typedef struct maker {
  lua_State *L;
  const dc_kernel *k;
  variant *v;
  int param;       /* the next parameter of the kernel */
  int ndetails;
  uint16_t next;   /* user value */
  uint16_t fn;     /* that of the last function; 0: none */
} maker;

/* The number of user values that a description needs; -1: it has too many keys. */
static int count_user_values(lua_State *L, int idx) {
  static const char *const names[] = { "value", "parts", "fn" };
  int n = 0;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (lua_getfield(L, idx, names[i]) != LUA_TNIL) n++;
    lua_pop(L, 1);
  }
  if (lua_getfield(L, idx, "keys") == LUA_TTABLE) {
    const lua_Integer keys = (lua_Integer)lua_rawlen(L, -1);
    n = keys <= MOST_KEYS ? n + (int)keys : -1;
  }
  lua_pop(L, 1);
  return n;
}

/* Moves the value on top to the next user value of the variant. */
static uint16_t keep(maker *m) {
  lua_setiuservalue(m->L, 3, m->next);
  return m->next++;
}

/* The user value with the function on top, which is the last one's where that is the same. */
static uint16_t keep_function(maker *m) {
  lua_State *L = m->L;
  if (m->fn != 0) {
    lua_getiuservalue(L, 3, m->fn);
    const bool same = lua_rawequal(L, -1, -2);
    lua_pop(L, 1);
    if (same) {
      lua_pop(L, 1);
      return m->fn;
    }
  }
  m->v->ncaptured++;
  return m->fn = keep(m);
}

static void read_details(maker *m, const value *one, details *d) {
  lua_State *L = m->L;
  if (one->kind == VALUE_GUARD || one->kind == VALUE_STRUCT || one->kind == VALUE_STRUCTS) {
    lua_getfield(L, 4, "value");
    d->expected = keep(m);
  }
  if (one->kind == VALUE_STRUCTS) {
    m->v->ncaptured++; /* the array of bytes */
    lua_getfield(L, 4, "parts");
    d->parts = keep(m);
  }
  if (one->argument) return;
  m->v->ncaptured++;
  d->upvalue = (uint8_t)get_integer(L, 4, "upvalue");
  lua_getfield(L, 4, "fn");
  d->fn = keep_function(m);
  lua_getfield(L, 4, "keys"); /* 5 */
  d->nkeys = (uint8_t)lua_rawlen(L, 5);
  d->key = m->next;
  for (int i = 1; i <= d->nkeys; i++) {
    lua_rawgeti(L, 5, i);
    keep(m);
  }
  lua_settop(L, 4);
}

/* The extents of an array, and strides of a view, which follow its address: integers of one width, without gaps. */
static bool read_extents(maker *m, value *one, int axes) {
  const dc_common_param *common = &m->k->common[m->param + 1];
  if (axes > m->k->nparams - m->param - 1) return false;
  one->wide = axes > 0 && common[0].kind == DC_COMMON_INT64;
  for (int axis = 0; axis < axes; axis++) {
    const uint32_t size = one->wide ? sizeof(int64_t) : sizeof(int32_t);
    if (common[axis].kind != (one->wide ? DC_COMMON_INT64 : DC_COMMON_INT32)) return false;
    if (common[axis].offset != one->common.offset + sizeof(dc_ptr) + (uint32_t)axis * size) return false;
  }
  return true;
}

/* Fills `one` from the description at 4; false where the kernel has other parameters. */
static bool read_value(maker *m, value *one) {
  static const char *const kinds[] = { "array", "view", "integer", "float", "number", "boolean", "guard",
                                       "complex", "struct", "structs", NULL };
  lua_State *L = m->L;
  lua_getfield(L, 4, "kind");
  one->kind = (uint8_t)luaL_checkoption(L, -1, NULL, kinds);
  lua_getfield(L, 4, "extent");
  const lua_Integer extent = luaL_optinteger(L, -1, -1);
  lua_settop(L, 4);
  one->argument = (uint8_t)get_integer(L, 4, "argument");
  one->fits = get_flag(L, 4, "fits");
  one->sized = extent >= 0;
  if (one->kind != VALUE_GUARD) {
    if (m->param >= m->k->nparams) return false;
    one->param = (uint16_t)m->param;
    one->common = m->k->common[m->param];
    one->common.offset = m->k->params[m->param].offset;
    int axes = 0;
    if (is_array(one)) {
      lua_getfield(L, 4, "dtype");
      one->common.dtype = (uint8_t)dc_lua_checkdtype(L, -1);
      lua_pop(L, 1);
      one->common.written = get_flag(L, 4, "written");
      one->ndim = (uint8_t)get_integer(L, 4, "ndim");
      axes = one->kind == VALUE_VIEW ? 2 * one->ndim : one->ndim - (one->kind == VALUE_STRUCTS);
      if (!read_extents(m, one, axes)) return false;
    }
    m->param += 1 + axes;
  }
  if (!one->argument || one->sized || one->kind == VALUE_GUARD || one->kind == VALUE_STRUCT ||
      one->kind == VALUE_STRUCTS) {
    one->details = (uint16_t)m->ndetails++;
    details *d = &m->v->details[one->details];
    d->extent = extent;
    read_details(m, one, d);
  }
  return true;
}

/*
** variant(kernel, facts): a kernel object that is a variant for objects of dc.jit.  `facts`: most, small, disjoint,
** nargs, and a list of what a launch compares, in the order of the kernel's parameters: { kind = "array", "view",
** "integer", "float", "number", "boolean", "guard", "complex", "struct" (`value`: the metatable) or "structs" (`value`:
** the struct, `parts`: see VALUE_STRUCTS), argument = its number, or fn =, upvalue =, keys =, and dtype, ndim, written,
** extent; fits; value }; grid and block, integers, where it is for these alone.  Nothing where there are too many, or
** too many bytes of parameters.
*/
static int core_variant(lua_State *L) {
  lua_settop(L, 2);
  dc_lua_kernel *o = dc_lua_check(L, dc_lua_self(L), 1, DC_LUA_KERNEL, "a kernel");
  luaL_checktype(L, 2, LUA_TTABLE);
  const int n = (int)lua_rawlen(L, 2);
  if (n > MOST_VALUES || !o->k || o->k->params_size > DC_PARAMS_USUAL) return 0;
  int user_values = 0;
  for (int i = 0; i < n; i++) {
    lua_rawgeti(L, 2, i + 1);
    const int one = count_user_values(L, 3);
    if (one < 0) return 0;
    user_values += one;
    lua_pop(L, 1);
  }
  const size_t values = sizeof(variant) + (size_t)n * sizeof(value);
  dc_lua_kernel *copy = dc_lua_push_kernel_copy(L, o, values + (size_t)n * sizeof(details), user_values);
  variant *v = (void *)(copy + 1);
  maker m = { .L = L, .k = copy->k, .v = v, .next = DC_LUA_KERNEL_NVALUES + 1 };
  v->details = (void *)((char *)v + values);
  v->most = get_integer(L, 2, "most");
  v->small = get_flag(L, 2, "small");
  v->disjoint = get_flag(L, 2, "disjoint");
  v->nargs = (int)get_integer(L, 2, "nargs");
  v->grid = get_integer(L, 2, "grid");
  v->block = get_integer(L, 2, "block");
  v->fixed = v->block != 0;
  v->nvalues = n;
  int arrays = 0, written = 0;
  for (int i = 0; i < n; i++) {
    value *one = &v->values[i];
    lua_rawgeti(L, 2, i + 1); /* 4 */
    if (!read_value(&m, one)) return 0;
    v->npushed += 1 + one->ndim * (one->kind == VALUE_VIEW ? 2 : 1);
    if (is_array(one)) {
      arrays++;
      if (one->common.written) written++;
    }
    lua_settop(L, 3);
  }
  if (m.param != m.k->nparams) return 0;
  v->has_array = arrays > 0;
  v->conflicts = written > 0 && arrays > 1;
  copy->variant = v;
  return 1;
}

const luaL_Reg dc_lua_variant_internal[] = {
  { "variant", core_variant },
  { "launches", core_launches },
  { NULL, NULL },
};
