/*
** argument_quick.c - tables for structs, put in one walk over each.
**
** A field is found by the address of its key: strings of up to 40 bytes are the same string where they are equal.  So
** a walk also tells that nothing is missing or unknown, where asking for each field by name needs a second one to
** count (a struct of eight numbers: 170 ns, against 310).  Tables mostly have their fields in the order of the last
** one, which is remembered: then each key is compared once.
*/
#include "lua/argument_quick.h"

#define ROW (DC_LUA_FIELDS_STACK - 2) /* elements of an array that are taken together; besides, a key and its value */

/* One value, whatever it is. */
static __attribute__((noinline)) bool put_unusual(dc_lua_walk *w, const dc_plan_param *p, int idx, char *base) {
  if (!lua_checkstack(w->L, DC_LUA_FIELDS_STACK)) return false;
  if (p->conv == DC_CONV_STRUCT && lua_istable(w->L, idx)) return dc_lua_put_fields(w, p, idx, base);
  dc_error err = DC_ERROR_INIT;
  const int top = lua_gettop(w->L), keys = w->keys, rc = dc_lua_put_value(w, p, idx, base, &err);
  lua_settop(w->L, top);
  w->keys = keys;
  dc_error_clear(&err); /* it is found again, with the names that lead there */
  w->field[0] = '\0';
  return rc == 0;
}

static __attribute__((noinline)) bool put_one(dc_lua_walk *w, const dc_plan_param *p, int idx, char *base) {
  return dc_lua_put_quick(w->L, w->self, w->k->dev, &p->quick, idx, base) || put_unusual(w, p, idx, base);
}

static inline bool is_row(lua_State *L, int idx, size_t n) {
  return lua_type(L, idx) == LUA_TTABLE && lua_rawlen(L, idx) == n;
}

/* A small integer as a DC_QUICK_F32 or _F64. */
static inline bool put_small(lua_State *L, uint8_t quick, int idx, char *to) {
  if (!lua_isinteger(L, idx)) return false;
  const lua_Integer v = lua_tointeger(L, idx);
  if (v != (int32_t)v) return false;
  if (quick == DC_QUICK_F64) memcpy(to, &(double){ (int32_t)v }, sizeof(double));
  else memcpy(to, &(float){ (float)(int32_t)v }, sizeof(float));
  return true;
}

/* The table at idx as `n` values of a DC_QUICK_F32 or _F64; they stay on the stack.
** Scripts write 0 for 0.0: as long as all are small integers they are read as such, which is quicker than as floats. */
static inline bool put_numbers(lua_State *L, uint8_t quick, size_t n, int idx, char *to) {
  const size_t size = quick == DC_QUICK_F64 ? sizeof(double) : sizeof(float);
  bool small = true;
  if (!is_row(L, idx, n) || (n > ROW && !lua_checkstack(L, (int)n))) return false;
  for (size_t i = 0; i < n; i++, to += size) {
    if (lua_rawgeti(L, idx, (lua_Integer)i + 1) != LUA_TNUMBER) return false;
    small = small && put_small(L, quick, -1, to);
    if (!small && !dc_lua_put_float(quick, lua_tonumber(L, -1), to)) return false;
  }
  return true;
}

static DC_HOT __attribute__((noinline)) bool put_floats(lua_State *L, size_t n, int idx, char *base) {
  return put_numbers(L, DC_QUICK_F32, n, idx, base);
}

static DC_HOT __attribute__((noinline)) bool put_doubles(lua_State *L, size_t n, int idx, char *base) {
  return put_numbers(L, DC_QUICK_F64, n, idx, base);
}

static bool put_values(dc_lua_walk *w, const dc_plan_param *p, size_t n, int idx, char *base) {
  lua_State *L = w->L;
  if (!is_row(L, idx, n)) return false;
  for (size_t i = 0; i < n; i++) {
    lua_rawgeti(L, idx, (lua_Integer)i + 1);
    if (!put_one(w, p, idx + 1, base + i * p->size)) return false;
    lua_pop(L, 1);
  }
  return true;
}

/* The last dimension of a field's array, from the table on top, at idx; some values may stay above that. */
static inline bool put_row(dc_lua_walk *w, const dc_plan_param *p, size_t n, int idx, char *base) {
  if (p->quick.quick == DC_QUICK_F32) return put_floats(w->L, n, idx, base + p->quick.offset);
  if (p->quick.quick == DC_QUICK_F64) return put_doubles(w->L, n, idx, base + p->quick.offset);
  return put_values(w, p, n, idx, base);
}

/* Dimension `dim` of a field's array, from the table at idx; the same. */
static __attribute__((noinline)) bool put_dimension(dc_lua_walk *w, const dc_plan_field *f, int dim, int idx,
                                                    char *base) {
  lua_State *L = w->L;
  const size_t n = f->field->extent[dim];
  if (dim + 1 == f->field->ndim) return put_row(w, &f->value, n, idx, base);
  if (!is_row(L, idx, n) || !lua_checkstack(L, DC_LUA_FIELDS_STACK)) return false;
  size_t each = f->value.size;
  for (int i = dim + 1; i < f->field->ndim; i++) each *= f->field->extent[i];
  const int at = lua_gettop(L) + 1;
  for (size_t i = 0; i < n; i++) {
    lua_rawgeti(L, idx, (lua_Integer)i + 1);
    if (!put_dimension(w, f, dim + 1, at, base + i * each)) return false;
    lua_settop(L, at - 1);
  }
  return true;
}

/* Brings the field of that key to where the walk is. */
static __attribute__((noinline)) bool bring(dc_lua_name *here, const dc_lua_name *end, const void *string) {
  for (dc_lua_name *o = here; o < end; o++) {
    if (o->string != string) continue;
    const dc_lua_name name = *o;
    *o = *here;
    *here = name;
    return true;
  }
  return false;
}

/* A field that is no array, from the value at idx. */
static inline bool put_field(dc_lua_walk *w, lua_State *L, const dc_plan_field *f, int idx, char *base) {
  return dc_lua_put_number(L, &f->value.quick, idx, base) || put_one(w, &f->value, idx, base);
}

static inline bool put_array(dc_lua_walk *w, const dc_plan_field *f, int idx, char *base) {
  return f->ndim == 1 ? put_row(w, &f->value, f->extent, idx, base) : put_dimension(w, f, 0, idx, base);
}

/* The fields before `name` have been met: as all keys of a table differ, none is met twice, and at the end all have
** been where their number is right. */
DC_HOT bool dc_lua_put_fields(dc_lua_walk *w, const dc_plan_param *p, int idx, char *base) {
  lua_State *L = w->L;
  const dc_plan_record *plan = p->fields;
  dc_lua_name *name = w->names + plan->fields[0].key; /* a struct's keys follow each other */
  const dc_lua_name *const end = name + plan->record->nfields;
  const int key = lua_gettop(L) + 1;
  char *start = base + p->offset;
  memset(start, 0, p->size); /* what lies between the fields too */
  for (lua_pushnil(L); lua_next(L, idx); name++) {
    const void *string = lua_topointer(L, key); /* NULL for a number */
    if (name == end || (name->string != string && !bring(name, end, string))) goto unusual;
    if (name->field->ndim == 0) {
      if (!put_field(w, L, name->field, key + 1, start)) goto unusual;
      lua_pop(L, 1);
    } else {
      if (!put_array(w, name->field, key + 1, start)) goto unusual;
      lua_settop(L, key);
    }
  }
  if (name == end) return true;
unusual:
  lua_settop(L, key - 1);
  return false;
}
