/*
** argument.c - see argument.h.
**
** A table for a struct takes one walk over its entries, which finds missing and unknown fields too.  Where a value in a
** table is wrong, the name of its field is put together on the way back.
*/
#include "lua/argument.h"

#include <lauxlib.h>
#include <lua.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "array/array.h"
#include "array/evaluate.h"
#include "array/graph/geometry.h"
#include "array/graph/types.h"
#include "array/texture.h"
#include "base/dtype.h"
#include "base/error.h"
#include "base/line.h"
#include "compile/types/image.h"
#include "device/device.h"
#include "device/memory.h"
#include "kernel/kernel.h"
#include "kernel/plan.h"
#include "kernel/value.h"
#include "lua/array.h"
#include "lua/convert.h"
#include "lua/error.h"
#include "lua/host_interrupt.h"
#include "lua/module.h"
#include "lua/object.h"
#include "lua/tensor_map.h"
#include "lua/texture.h"

#define LEVEL 8 /* stack slots that one level of tables needs */

typedef dc_lua_marshal marshal;

/* --- once for a kernel --------------------------------------------------------------------------- */

dc_lua_arguments dc_lua_prepare_arguments(const dc_kernel *k) {
  dc_lua_arguments how = { .opaque = false };
  for (int i = 0; i < k->nparams; i++) {
    const dc_plan_param *p = &k->params[i];
    how.opaque = how.opaque || p->alias == DC_ALIAS_OPAQUE;
    how.wide = how.wide || p->alias == DC_ALIAS_VALUE || p->alias == DC_ALIAS_INDIRECT;
  }
  return how;
}

/* --- errors -------------------------------------------------------------------------------------- */

int dc_lua_raise_kernel(lua_State *L, dc_error *err) {
  lua_checkstack(L, 2); /* C functions have room beyond their arguments */
  if (lua_getiuservalue(L, 1, DC_LUA_KERNEL_MODULE) == LUA_TUSERDATA) lua_getiuservalue(L, -1, DC_LUA_MODULE_ORIGIN);
  return dc_lua_raise_at(L, err, lua_gettop(L));
}

static int fail_argument(lua_State *L, const dc_kernel *k, int param, dc_error *err) {
  dc_kernel_blame(k, param, err);
  return dc_lua_raise_kernel(L, err);
}

static int fail_count(lua_State *L, const dc_kernel *k, int got) {
  dc_error err = DC_ERROR_INIT;
  dc_fail(&err, DC_ARGUMENT, NULL, "%d argument%s expected after %s, got %d", k->nparams,
          k->nparams == 1 ? "" : "s", k->sig->tile ? "the grid" : "grid and block", got);
  return fail_argument(L, k, -1, &err);
}

/* Whether the parameter takes an array: a pointer, or a word of ready-made PTX that may be one. */
static bool takes_array(const dc_plan_param *p) {
  return p->conv == DC_CONV_POINTER || (p->conv == DC_CONV_WORD && p->size == sizeof(dc_ptr));
}

/* What values a parameter takes that is no pointer. */
static const char *wanted(const dc_plan_param *p, char text[64]) {
  switch (p->conv) {
    case DC_CONV_BOOL: return "a boolean";
    case DC_CONV_VECTOR: snprintf(text, 64, "a table of %d numbers", p->lanes); return text;
    case DC_CONV_COMPLEX: return "a number or a table {real, imaginary}";
    case DC_CONV_STRUCT:
      if (strcmp(p->fields->record->name, DC_TENSOR_MAP_TYPE) == 0) return "a tensor map (dc.tensor_map)";
      snprintf(text, 64, "a table of its fields or a string of %u bytes", p->size); return text;
    case DC_CONV_RECORD: snprintf(text, 64, "a string of %u bytes", p->size); return text;
    default:
      return p->named == DC_NAMED_TEXTURE ? "a texture" : p->named == DC_NAMED_SURFACE ? "a surface" : "a number";
  }
}

/* The value at idx has a type that the parameter does not take. */
static int fail_type(lua_State *L, const dc_plan_param *p, int idx, dc_error *err) {
  char text[64];
  if (p->conv == DC_CONV_UNSUPPORTED) return dc_fail(err, DC_ARGUMENT, NULL, "%s", p->why);
  if (takes_array(p))
    return dc_fail(err, DC_ARGUMENT, NULL, "an array expected, got %s%s", dc_lua_describe(L, idx),
                   lua_isnil(L, idx) ? " (a null pointer is dc.null)" : "");
  const char *why = p->conv == DC_CONV_RECORD ? p->why : NULL;
  return dc_fail(err, DC_ARGUMENT, NULL, "%s expected%s%s%s, got %s", wanted(p, text), why ? " (" : "",
                 why ? why : "", why ? ")" : "", dc_lua_describe(L, idx));
}

/* Pushes the field of that name of the table at idx, raw; gives its type. */
static int get_field(lua_State *L, int idx, const char *name) {
  idx = lua_absindex(L, idx);
  lua_pushstring(L, name);
  return lua_rawget(L, idx);
}

/* --- values -------------------------------------------------------------------------------------- */

/* Why an array may not be passed: closed, elsewhere and not open to peers, or not contiguous. 0 when none of these. */
static int check_array(marshal *m, const dc_array *a, dc_error *err) {
  const dc_device *dev = m->k->dev;
  if (!a || dc_array_state_of(a) == DC_ARRAY_CLOSED) return dc_fail(err, DC_ARGUMENT, NULL, "the array is closed");
  dc_dtype dtype = dc_array_dtype(a);
  dc_device *owner = dc_array_device(a);
  if (owner != dev && !dc_array_is_open_to_peers(a))
    return dc_fail(err, DC_ARGUMENT, NULL, "got %s array of device %s, the kernel is compiled for %s%s",
                   dc_dtype_noun(dtype), owner->id, dev->id,
                   owner->backend == dev->backend ? " (a:peer() opens an array to kernels of other devices)" : "");
  if (owner != dev && dc_device_reach(m->k->dev, owner, err) != 0) return -1;
  m->peers += owner != dev;
  return dc_array_check_contiguous(a, err);
}

/* Writes the address of an array to params + p->offset, unless it has to be materialized first (m->due). */
static DC_HOT int put_array(marshal *m, const dc_plan_param *p, dc_array *a, char *params, dc_error *err) {
  const dc_kernel *k = m->k;
  dc_ptr ptr = a ? dc_array_launch_ready(a, k->dev, dc_array_dtype(a), !p->is_const) : 0;
  bool due = false;
  if (ptr == 0) {
    if (takes_array(p) && check_array(m, a, err) != 0) return -1;
    if (!a || dc_array_state_of(a) == DC_ARRAY_CLOSED) return dc_fail(err, DC_ARGUMENT, NULL, "the array is closed");
    const bool ready = dc_array_state_of(a) == DC_ARRAY_READY;
    if (ready && dc_array_ptr(a, &ptr, err) != 0) return -1;
    due = !ready || !m->materialized;
  }
  if (dc_plan_check_pointer(p, dc_array_dtype(a), ptr, (uint64_t)dc_array_size(a), err) != 0) return -1;
  if (due) m->due = true;
  else dc_plan_put_ptr(p, ptr, params);
  return 0;
}

/* --- arrays of structs --------------------------------------------------------------------------- */

/* Pushes the parts of the array of structs at idx, { struct =, bytes =, vector = { dtype =, count = } or nil }
** (struct_array.lua); false, and nothing, where the value is none. */
static DC_COLD bool push_parts(lua_State *L, int idx) {
  luaL_checkstack(L, 4, NULL);
  idx = lua_absindex(L, idx);
  if (!lua_istable(L, idx) || luaL_getmetafield(L, idx, "__parts") == LUA_TNIL) return false; /* key */
  if (lua_rawget(L, idx) == LUA_TTABLE) return true;                                         /* parts */
  lua_pop(L, 1);
  return false;
}

/* The array of bytes of the parts on top. */
static dc_lua_array *bytes_of_parts(lua_State *L, const dc_lua *self) {
  get_field(L, -1, "bytes"); /* parts bytes */
  dc_lua_array *o = dc_lua_test(L, self, -1, DC_LUA_ARRAY);
  lua_pop(L, 1);
  return o;
}

dc_lua_array *dc_lua_argument_array(lua_State *L, const dc_lua *self, int idx) {
  dc_lua_array *o = dc_lua_test(L, self, idx, DC_LUA_ARRAY);
  if (o || !push_parts(L, idx)) return o;
  o = bytes_of_parts(L, self);
  lua_pop(L, 1);
  return o;
}

/* Whether the structs of the parts on top are the vectors that `p` points to. */
static bool are_vectors(lua_State *L, const dc_plan_param *p) {
  const int top = lua_gettop(L);
  bool are = false;
  if (get_field(L, top, "vector") == LUA_TTABLE && get_field(L, top + 1, "dtype") == LUA_TSTRING) {
    get_field(L, top + 1, "count"); /* parts vector dtype count */
    are = lua_tointeger(L, -1) == p->lanes && strcmp(lua_tostring(L, -2), dc_dtype_name(p->dtype)) == 0;
  }
  lua_settop(L, top);
  return are;
}

/* Structs, whose parts are on top, for a pointer to numbers or other vectors. */
static DC_COLD int fail_structs(lua_State *L, const dc_plan_param *p, dc_error *err) {
  const char *noun = dc_dtype_noun(p->dtype), *name = "structs";
  if (get_field(L, -1, "struct") == LUA_TTABLE && get_field(L, -1, "name") == LUA_TSTRING) name = lua_tostring(L, -1);
  if (p->lanes == 1) return dc_fail(err, DC_ARGUMENT, NULL, "it takes %s array, not one of %s", noun, name);
  return dc_fail(err, DC_ARGUMENT, NULL, "it takes %s array, or one of vectors of %d %s numbers, not one of %s", noun,
                 p->lanes, dc_dtype_name(p->dtype), name);
}

/* An array of structs, whose parts are on top, for a pointer. */
static DC_COLD int put_structs(marshal *m, const dc_plan_param *p, char *params, dc_error *err) {
  const dc_lua_array *o = bytes_of_parts(m->L, m->self);
  const dc_geometry *g = o && o->a ? dc_array_geometry(o->a) : NULL;
  const int64_t size = g && g->ndim > 0 ? g->shape[g->ndim - 1] : p->pointee;
  if (p->record && p->pointee != 0 && size != p->pointee)
    return dc_fail(err, DC_ARGUMENT, NULL, "it takes structs of %u bytes, and those of the array have %lld", p->pointee,
                   (long long)size);
  dc_plan_param structs = *p;
  if (p->conv == DC_CONV_POINTER && !p->record && p->dtype != DC_DTYPE_NONE && !(p->any_char && p->lanes == 1)) {
    if (!are_vectors(m->L, p)) return fail_structs(m->L, p, err);
    structs.record = true;
  }
  return put_array(m, &structs, o ? o->a : NULL, params, err);
}

/* A dc.complex for a complex parameter or a pair of floats. */
static int put_complex(const dc_plan_param *p, double re, double im, char *base, dc_error *err) {
  const dc_plan_param x = dc_plan_lane(p, 0), y = dc_plan_lane(p, 1);
  return dc_plan_put_float(&x, re, base, err) != 0 ? -1 : dc_plan_put_float(&y, im, base, err);
}

static int put_table(marshal *m, const dc_plan_param *p, int idx, char *base, dc_error *err);

/* Converts the value at idx for a parameter of a common type.  False: put_value does it, or says what is wrong. */
static inline bool put_common(lua_State *L, const dc_lua *self, const dc_kernel *k, const dc_common_param *p, int idx,
                              char *params) {
  char *to = params + p->offset;
  switch ((dc_common_kind)p->kind) {
    case DC_COMMON_ARRAY: {
      const dc_lua_array *o = dc_lua_test(L, self, idx, DC_LUA_ARRAY);
      if (DC_UNLIKELY(!o || !o->a)) return false;
      const dc_ptr ptr = dc_array_launch_ready(o->a, k->dev, (dc_dtype)p->dtype, p->written);
      memcpy(to, &ptr, sizeof ptr);
      return ptr != 0 && (ptr & p->unaligned) == 0;
    }
    case DC_COMMON_INT32: {
      const lua_Integer v = lua_isinteger(L, idx) ? lua_tointeger(L, idx) : LUA_MAXINTEGER;
      const int32_t narrow = (int32_t)v;
      memcpy(to, &narrow, sizeof narrow);
      return narrow == v;
    }
    case DC_COMMON_INT64: {
      const lua_Integer v = lua_isinteger(L, idx) ? lua_tointeger(L, idx) : 0;
      memcpy(to, &v, sizeof v);
      return v != 0; /* 0 may be no integer */
    }
    case DC_COMMON_FLOAT32: {
      const lua_Number v = lua_type(L, idx) == LUA_TNUMBER ? lua_tonumber(L, idx) : HUGE_VAL;
      const float narrow = (float)v;
      memcpy(to, &narrow, sizeof narrow);
      return fabs(v) <= 0x1p53; /* an integer beyond is not rounded once; inf and NaN come here too */
    }
    case DC_COMMON_FLOAT64: {
      const lua_Number v = lua_type(L, idx) == LUA_TNUMBER ? lua_tonumber(L, idx) : HUGE_VAL;
      memcpy(to, &v, sizeof v);
      return fabs(v) <= 0x1p53;
    }
    case DC_COMMON_NONE: break;
  }
  return false;
}

/* A texture or surface, `object` (NULL: closed), for a parameter of 64 bits.  Where the source calls that by CUDA's
** name, it has to be the right one of both. */
static DC_COLD int put_texture(marshal *m, const dc_plan_param *p, const dc_array *object, bool surface, char *base,
                               dc_error *err) {
  static const char *const names[] = { "a texture", "a surface" };
  uint64_t handle;
  const bool wide = p->size == sizeof handle && (p->dtype == DC_UINT64 || p->dtype == DC_INT64);
  if (!object) return dc_fail(err, DC_ARGUMENT, NULL, "the %s is closed", names[surface] + 2);
  if ((p->conv != DC_CONV_INT && p->conv != DC_CONV_WORD) || !wide)
    return dc_fail(err, DC_ARGUMENT, NULL, "%s is passed for a parameter of type %s, not for one of this type",
                   names[surface], surface ? "cudaSurfaceObject_t" : "cudaTextureObject_t");
  if (p->named != DC_NAMED_PLAIN && (p->named == DC_NAMED_SURFACE) != surface)
    return dc_fail(err, DC_ARGUMENT, NULL, "got %s where the kernel takes %s (%s)", names[surface], names[!surface],
                   surface ? "dc.texture(s) is one over a surface" : "dc.surface(t) is one over a texture");
  if (dc_array_device(object) != m->k->dev)
    return dc_fail(err, DC_ARGUMENT, NULL, "got %s of device %s, the kernel is compiled for %s", names[surface],
                   dc_array_device(object)->id, m->k->dev->id);
  if (dc_texture_handle(object, &handle, err) != 0) return -1;
  dc_plan_put_ptr(p, handle, base);
  return 0;
}

/* A tensor map for a parameter by value, CUtensorMap or a struct of its size.  Kernels may write through it. */
static DC_COLD int put_tensor_map(marshal *m, const dc_plan_param *p, const dc_lua_tensor_map *map, char *base,
                                  dc_error *err) {
  const dc_array *a = map->memory.a;
  if ((p->conv != DC_CONV_STRUCT && p->conv != DC_CONV_RECORD) || p->size != DC_TENSOR_MAP_BYTES)
    return dc_fail(err, DC_ARGUMENT, NULL, "a tensor map is passed for a parameter of type const __grid_constant__ "
                   "CUtensorMap, not for one of this type");
  if (p->offset % 64 != 0 && p->align < 64) /* the GPU aligns the address, not the offset: see plan.c */
    return dc_fail(err, DC_ARGUMENT, NULL, "a tensor map lies at a multiple of 64 bytes, not at offset %u: its type "
                   "is CUtensorMap of <cuda.h>, or a struct with alignas(64)", p->offset);
  if (!a || dc_array_state_of(a) == DC_ARRAY_CLOSED)
    return dc_fail(err, DC_ARGUMENT, NULL, "the array of the tensor map is closed");
  if (dc_array_device(a) != m->k->dev)
    return dc_fail(err, DC_ARGUMENT, NULL, "got a tensor map of device %s, the kernel is compiled for %s",
                   dc_array_device(a)->id, m->k->dev->id);
  if (dc_array_has_readers(a) && !m->materialized) m->due = true;
  else memcpy(base + p->offset, map->bytes, DC_TENSOR_MAP_BYTES);
  return 0;
}

/* Converts the value at idx into the bytes at base + p->offset; -1: *err and m->field say what is wrong. */
static DC_HOT int put_value(marshal *m, const dc_plan_param *p, int idx, char *base, dc_error *err) {
  lua_State *L = m->L;
  switch (lua_type(L, idx)) {
    case LUA_TNUMBER:
      if (lua_isinteger(L, idx)) return dc_plan_put_int(p, lua_tointeger(L, idx), base, err);
      return dc_plan_put_float(p, lua_tonumber(L, idx), base, err);
    case LUA_TUSERDATA: {
      dc_lua_array *o = dc_lua_test(L, m->self, idx, DC_LUA_ARRAY);
      if (o) return put_array(m, p, o->a, base, err);
      dc_array *object;
      bool surface;
      if (dc_lua_totexture(L, m->self, idx, &object, &surface)) return put_texture(m, p, object, surface, base, err);
      const dc_lua_tensor_map *map = dc_lua_test(L, m->self, idx, DC_LUA_TENSOR_MAP);
      if (map) return put_tensor_map(m, p, map, base, err);
      double re, im;
      if ((p->conv == DC_CONV_COMPLEX || p->conv == DC_CONV_VECTOR) && p->lanes == 2 &&
          dc_dtype_kind(p->dtype) == 'f' && dc_lua_tocomplex(L, m->self, idx, &re, &im))
        return put_complex(p, re, im, base, err);
      if (lua_touserdata(L, idx) != m->self->null || !takes_array(p)) return fail_type(L, p, idx, err);
      dc_plan_put_ptr(p, 0, base);
      return 0;
    }
    case LUA_TBOOLEAN:
      if (p->conv == DC_CONV_FLOAT) return fail_type(L, p, idx, err);
      return dc_plan_put_bool(p, lua_toboolean(L, idx), base, err);
    case LUA_TSTRING:
      if (p->conv != DC_CONV_RECORD && p->conv != DC_CONV_STRUCT) return fail_type(L, p, idx, err);
      return dc_plan_put_bytes(p, lua_tostring(L, idx), lua_rawlen(L, idx), base, err);
    case LUA_TTABLE:
      if (takes_array(p) && push_parts(L, idx)) {
        const int rc = put_structs(m, p, base, err);
        lua_pop(L, 1);
        return rc;
      }
      if (p->conv != DC_CONV_VECTOR && p->conv != DC_CONV_COMPLEX && p->conv != DC_CONV_STRUCT)
        return fail_type(L, p, idx, err);
      return put_table(m, p, idx, base, err);
    default: return fail_type(L, p, idx, err);
  }
}

/* --- tables --------------------------------------------------------------------------------------------- */

static size_t count_entries(lua_State *L, int idx) {
  size_t n = 0;
  for (lua_pushnil(L); lua_next(L, idx); lua_pop(L, 1)) n++;
  return n;
}

/* Puts a name in front of the field's; -1. */
static int in_field(marshal *m, const char *name) {
  char rest[sizeof m->field];
  memcpy(rest, m->field, sizeof rest);
  snprintf(m->field, sizeof m->field, "%s%s%.60s", name, rest[0] && rest[0] != '[' ? "." : "", rest);
  return -1;
}

static int in_element(marshal *m, size_t i) {
  char name[32];
  snprintf(name, sizeof name, "[%zu]", i + 1);
  return in_field(m, name);
}

/* --- vectors ------------------------------------------------------------------------------------------ */

static int fail_vector(marshal *m, const dc_plan_param *p, int idx, dc_error *err) {
  static const char *const forms[] = { "{x} or {x = 1}", "{x, y} or {x = 1, y = 2}", "{x, y, z} or {x = 1, …}",
                                       "{x, y, z, w} or {x = 1, …}" };
  return dc_fail(err, DC_ARGUMENT, NULL, "a table of %d numbers is wanted, %s; got one of %zu", p->lanes,
                 forms[(p->lanes - 1) & 3], count_entries(m->L, idx));
}

/* {1, 2} */
static int put_list(marshal *m, const dc_plan_param *p, int idx, char *base, dc_error *err) {
  lua_State *L = m->L;
  for (int i = 0; i < p->lanes; i++) {
    const dc_plan_param lane = dc_plan_lane(p, i);
    if (lua_rawgeti(L, idx, i + 1) == LUA_TNIL) return fail_vector(m, p, idx, err);
    if (put_value(m, &lane, lua_gettop(L), base, err) != 0) return in_element(m, (size_t)i);
    lua_pop(L, 1);
  }
  return count_entries(L, idx) == p->lanes ? 0 : fail_vector(m, p, idx, err);
}

/* {x = 1, y = 2} */
static int put_components(marshal *m, const dc_plan_param *p, int idx, char *base, dc_error *err) {
  static const char names[] = "xyzw";
  lua_State *L = m->L;
  int found = 0;
  for (lua_pushnil(L); lua_next(L, idx); lua_pop(L, 1)) { /* key value */
    const char *name = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "";
    const char *at = name[0] && !name[1] ? memchr(names, name[0], p->lanes) : NULL;
    if (!at) return fail_vector(m, p, idx, err);
    const dc_plan_param lane = dc_plan_lane(p, (int)(at - names));
    if (put_value(m, &lane, lua_gettop(L), base, err) != 0) return in_field(m, name);
    found++; /* keys differ, so none is found twice */
  }
  return found == p->lanes ? 0 : fail_vector(m, p, idx, err);
}

/* --- structs ------------------------------------------------------------------------------------------ */

static int fail_missing(marshal *m, const dc_struct_plan *plan, int idx, dc_error *err) {
  const char *name = "?";
  for (int i = 0; i < plan->record->nfields; i++) {
    name = plan->record->fields[i].name;
    if (get_field(m->L, idx, name) == LUA_TNIL) break;
    lua_pop(m->L, 1);
  }
  dc_fail(err, DC_ARGUMENT, NULL, "it is missing");
  return in_field(m, name);
}

/* The table has a key that is no field. */
static int fail_unknown(marshal *m, const dc_struct_layout *r, int idx, dc_error *err) {
  lua_State *L = m->L;
  char list[200] = "";
  size_t at = 0;
  for (int i = 0; i < r->nfields && at < sizeof list - 1; i++) {
    int n = snprintf(list + at, sizeof list - at, "%s%s", i ? ", " : "", r->fields[i].name);
    at += n > 0 ? (size_t)n : 0;
  }
  for (lua_pushnil(L); lua_next(L, idx); lua_pop(L, 1)) {
    const char *name = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : NULL;
    bool known = false;
    for (int i = 0; i < r->nfields && name && !known; i++) known = strcmp(r->fields[i].name, name) == 0;
    if (known) continue;
    if (!name) name = dc_lua_describe(L, lua_gettop(L) - 1);
    return dc_fail(err, DC_ARGUMENT, NULL, "%s has no field '%s'; it has %s%s", r->name, name,
                   r->nfields ? list : "none", at >= sizeof list ? "…" : "");
  }
  return dc_fail(err, DC_ARGUMENT, NULL, "its table was changed while it was being passed");
}

static inline int put_field(marshal *m, const dc_plan_field *f, int idx, char *base, dc_error *err) {
  return put_common(m->L, m->self, m->k, &f->common, idx, base) ? 0 : put_value(m, &f->value, idx, base, err);
}

/* Bytes of what is below dimension `dim` of an array. */
static size_t step(const dc_plan_field *f, int dim) {
  size_t n = f->value.size;
  for (int i = dim + 1; i < f->field->ndim; i++) n *= f->field->extent[i];
  return n;
}

/* The table or string at idx as dimension `dim` of an array, which begins at base + the field's offset. */
static DC_HOT int put_extent(marshal *m, const dc_plan_field *f, int dim, int idx, char *base, dc_error *err) {
  lua_State *L = m->L;
  const size_t n = f->field->extent[dim], each = step(f, dim);
  const int type = lua_type(L, idx);
  if (type == LUA_TSTRING) {
    dc_plan_param bytes = f->value;
    bytes.size = (uint32_t)(n * each);
    return dc_plan_put_bytes(&bytes, lua_tostring(L, idx), lua_rawlen(L, idx), base, err);
  }
  if (type != LUA_TTABLE)
    return dc_fail(err, DC_ARGUMENT, NULL, "a table of %zu values expected, got %s", n, dc_lua_describe(L, idx));
  if (lua_rawlen(L, idx) != n)
    return dc_fail(err, DC_ARGUMENT, NULL, "a table of %zu values is wanted, got one of %zu", n,
                   (size_t)lua_rawlen(L, idx));
  if (dim > 0) luaL_checkstack(L, LEVEL, NULL); /* put_table did so for the first dimension */
  if (dc_lua_other_key(L, idx, (lua_Integer)n, true))
    return dc_fail(err, DC_ARGUMENT, NULL, "a table of %zu values is wanted, this one has %s as a key, too", n,
                   dc_lua_describe(L, -1));
  const int at = idx + 1;
  const bool last = dim + 1 == f->field->ndim;
  for (size_t i = 0; i < n; i++) {
    lua_rawgeti(L, idx, (lua_Integer)i + 1);
    char *element = base + i * each;
    const int rc = last ? put_field(m, f, at, element, err) : put_extent(m, f, dim + 1, at, element, err);
    if (rc != 0) return in_element(m, i);
    lua_settop(L, at - 1);
  }
  return 0;
}

static inline bool is_name(const dc_struct_plan *plan, int field, const char *name) {
  const char *is = plan->fields[field].field->name;
  return *is == *name && strcmp(is, name) == 0;
}

/* The number of the field of that name; -1: there is none.  `guess`: where it may be. */
static int find_field(const dc_struct_plan *plan, const char *name, int guess) {
  const int n = plan->record->nfields;
  if (guess < n && is_name(plan, guess, name)) return guess;
  for (int i = 0; i < n; i++)
    if (is_name(plan, i, name)) return i;
  return -1;
}

static DC_HOT int put_struct(marshal *m, const dc_plan_param *p, int idx, char *base, dc_error *err) {
  const dc_struct_plan *plan = p->fields;
  lua_State *L = m->L;
  char *start = base + p->offset;
  int found = 0, at = -1;
  bool unknown = false;
  memset(start, 0, p->size); /* padding too */
  const int key = lua_gettop(L) + 1, value = key + 1;
  for (lua_pushnil(L); lua_next(L, idx); lua_settop(L, key)) { /* key value */
    at = lua_type(L, key) == LUA_TSTRING ? find_field(plan, lua_tostring(L, key), at + 1) : -1;
    unknown = unknown || at < 0;
    if (at < 0) continue;
    const dc_plan_field *f = &plan->fields[at];
    const int rc = f->field->ndim > 0 ? put_extent(m, f, 0, value, start, err) : put_field(m, f, value, start, err);
    if (rc != 0) return in_field(m, f->field->name);
    found++; /* keys differ, so none is found twice */
  }
  if (found < plan->record->nfields) return fail_missing(m, plan, idx, err);
  return unknown ? fail_unknown(m, plan->record, idx, err) : 0;
}

static int put_table(marshal *m, const dc_plan_param *p, int idx, char *base, dc_error *err) {
  lua_State *L = m->L;
  luaL_checkstack(L, LEVEL, NULL);
  if (p->conv == DC_CONV_STRUCT) return put_struct(m, p, idx, base, err);
  const bool listed = lua_rawgeti(L, idx, 1) != LUA_TNIL;
  lua_pop(L, 1);
  return listed ? put_list(m, p, idx, base, err) : put_components(m, p, idx, base, err);
}

/* The array at idx, also of structs, or that of a tensor map; NULL: none of them is there. */
static dc_lua_array *array_at(const marshal *m, int idx) {
  dc_lua_array *array = dc_lua_argument_array(m->L, m->self, idx);
  dc_lua_tensor_map *map = array ? NULL : dc_lua_test(m->L, m->self, idx, DC_LUA_TENSOR_MAP);
  return map ? &map->memory : array;
}

/* --- arrays in tables --------------------------------------------------------------------------------- */

/* Calls `visit` for every array in the fields of the table at idx; stops when it gives -1. */
typedef int visitor(marshal *m, const dc_plan_param *p, dc_lua_array *array, dc_error *err);
static int visit_table(marshal *m, const dc_plan_param *p, int idx, visitor *visit, dc_error *err);

/* The value at idx: an array, or tables that may hold some. */
static int visit_value(marshal *m, const dc_plan_field *f, int dim, int idx, visitor *visit, dc_error *err) {
  lua_State *L = m->L;
  int rc = 0;
  luaL_checkstack(L, LEVEL, NULL);
  if (dim < f->field->ndim) {
    for (size_t i = 0; lua_istable(L, idx) && i < f->field->extent[dim] && rc == 0; i++) {
      lua_rawgeti(L, idx, (lua_Integer)i + 1);
      rc = visit_value(m, f, dim + 1, lua_gettop(L), visit, err);
      lua_pop(L, 1);
    }
    return rc;
  }
  dc_lua_array *array = array_at(m, idx);
  if (array) return visit(m, &f->value, array, err);
  return lua_istable(L, idx) ? visit_table(m, &f->value, idx, visit, err) : 0;
}

/* Whether a field may hold arrays, itself or below. */
static bool holds_arrays(const dc_plan_field *f) {
  const dc_conv c = f->value.conv;
  return c == DC_CONV_POINTER || c == DC_CONV_STRUCT || c == DC_CONV_RECORD;
}

static int visit_table(marshal *m, const dc_plan_param *p, int idx, visitor *visit, dc_error *err) {
  const dc_struct_plan *plan = p->fields;
  int rc = 0;
  if (p->conv != DC_CONV_STRUCT) return 0;
  luaL_checkstack(m->L, LEVEL, NULL);
  for (int i = 0; i < plan->record->nfields && rc == 0; i++) {
    const dc_plan_field *f = &plan->fields[i];
    if (!holds_arrays(f)) continue;
    get_field(m->L, idx, f->field->name); /* by name: finalizers may change the table meanwhile */
    rc = visit_value(m, f, 0, lua_gettop(m->L), visit, err);
    lua_pop(m->L, 1);
  }
  return rc;
}

/* --- all arguments --------------------------------------------------------------------------------- */

static int fail_value(marshal *m, int param, dc_error *err) {
  if (m->field[0]) dc_error_prefix(err, "field '%s': ", m->field);
  return fail_argument(m->L, m->k, param, err);
}

static int materialize(marshal *m, const dc_plan_param *p, dc_lua_array *array, dc_error *err) {
  (void)p;
  if (!array->a) return dc_fail(err, DC_ARGUMENT, NULL, "the array is closed");
  dc_lua_materialize(m->L, m->self, array->a);
  return 0;
}

static int about_to_write(marshal *m, const dc_plan_param *p, dc_lua_array *array, dc_error *err) {
  if (p->is_const) return 0;
  if (!array->a) return dc_fail(err, DC_ARGUMENT, NULL, "the array is closed");
  return DC_LUA_WORK(m->self, dc_array_will_write(array->a, err));
}

/* Every array among the arguments, those in tables too. */
static void visit_arguments(marshal *m, visitor *visit) {
  for (int i = 0; i < m->k->nparams; i++) {
    const dc_plan_param *p = &m->k->params[i];
    dc_error err = DC_ERROR_INIT;
    int rc = 0;
    dc_lua_array *array = array_at(m, m->first + i);
    if (array) rc = visit(m, p, array, &err);
    else if (lua_istable(m->L, m->first + i)) rc = visit_table(m, p, m->first + i, visit, &err);
    if (rc != 0) fail_value(m, i, &err);
  }
}

/* Whether the bytes at `from` have an address in them that the script has read. */
static bool has_address(const dc_lua *self, const char *from, uint32_t n) {
  for (uint32_t i = 0; i + sizeof(dc_ptr) <= n; i++) { /* anywhere: structs may be packed */
    dc_ptr v;
    memcpy(&v, from + i, sizeof v);
    if (v - self->lowest_read <= self->highest_read - self->lowest_read) return true;
  }
  return false;
}

/* Whether arguments may lead to arrays whose address the script has read. */
static bool may_reach_read_addresses(const dc_lua *self, const dc_kernel *k, const char *params) {
  for (int i = 0; i < k->nparams; i++) {
    const dc_plan_param *p = &k->params[i];
    const char *at = params + p->offset;
    dc_ptr v = 1;
    if (p->alias == DC_ALIAS_VALUE && has_address(self, at, p->size)) return true;
    if (p->alias != DC_ALIAS_INDIRECT) continue;
    if (p->size == sizeof v) memcpy(&v, at, sizeof v);
    if (v != 0) return true;
  }
  return false;
}

DC_HOT bool dc_lua_marshal_arguments(dc_lua_marshal *m, lua_State *L, dc_lua *self, const dc_kernel *k,
                                     const dc_lua_arguments *how, int first, int got, char *params) {
  m->L = L, m->self = self, m->k = k, m->how = how, m->first = first;
  m->due = m->materialized = false;
  m->peers = 0;
  m->field[0] = '\0';
  if (DC_UNLIKELY(got != k->nparams)) fail_count(L, k, got);
  dc_error err;
  dc_error_start(&err);
  const dc_common_param *common = k->common;
  for (int i = 0; i < got; i++)
    if (DC_UNLIKELY(!put_common(L, self, k, &common[i], first + i, params)) &&
        DC_UNLIKELY(put_value(m, &k->params[i], first + i, params, &err) != 0)) fail_value(m, i, &err);
  if (DC_LIKELY(!how->opaque && !(how->wide && self->highest_read != 0))) return false;
  return how->opaque || may_reach_read_addresses(self, k, params);
}

void dc_lua_materialize_arguments(dc_lua_marshal *m, bool all) {
  dc_error err = DC_ERROR_INIT;
  visit_arguments(m, materialize);
  if (all && DC_LUA_WORK(m->self, dc_flush_device(m->k->dev, &err)) != 0) dc_lua_raise_kernel(m->L, &err);
  visit_arguments(m, about_to_write);
}

void dc_lua_marshal_again(dc_lua_marshal *m, char *params) {
  dc_error err = DC_ERROR_INIT;
  m->materialized = true; /* no finalizer closes an array from here on */
  m->due = false;
  m->peers = 0;
  for (int i = 0; i < m->k->nparams; i++) {
    int rc = put_value(m, &m->k->params[i], m->first + i, params, &err);
    if (rc == 0 && m->due) rc = dc_fail(&err, DC_ARGUMENT, NULL, "its table was changed while it was being passed");
    if (rc != 0) fail_value(m, i, &err);
  }
}

bool dc_lua_marshal_value(lua_State *L, dc_lua *self, const dc_kernel *k, int param, int idx, char *params) {
  marshal m = { .L = L, .self = self, .k = k };
  dc_error err = DC_ERROR_INIT;
  const int top = lua_gettop(L);
  if (put_common(L, self, k, &k->common[param], idx, params)) return true;
  if (put_value(&m, &k->params[param], idx, params, &err) == 0) return !m.due && m.peers == 0;
  dc_error_clear(&err); /* the launch that is made instead raises it */
  lua_settop(L, top);
  return false;
}
