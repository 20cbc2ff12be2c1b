/*
** argument_quick.c - tables for structs, put in one walk over each.
**
** A field is found by the address of its key: strings of up to 40 bytes are the same string where they are equal.  So
** a walk also tells that nothing is missing or unknown, where asking for each field by name needs a second one to
** count (a struct of eight numbers: 170 ns, against 310).
*/
#include "lua/argument_quick.h"

#define ROW 16               /* elements of an array that are taken from a table together */
#define STACK (8 + DC_FIELD_DIMS + ROW) /* slots that one struct needs */

/* One value, whatever it is. */
static __attribute__((noinline)) bool put_unusual(dc_lua_walk *w, const dc_plan_param *p, int idx, char *base) {
  if (p->conv == DC_CONV_STRUCT && lua_istable(w->L, idx)) return dc_lua_put_fields(w, p, idx, base);
  dc_error err = DC_ERROR_INIT;
  const int top = lua_gettop(w->L), keys = w->keys, rc = dc_lua_put_value(w, p, idx, base, &err);
  lua_settop(w->L, top);
  w->keys = keys;
  dc_error_clear(&err); /* it is found again, with the names that lead there */
  w->field[0] = '\0';
  return rc == 0;
}

static inline bool put_one(dc_lua_walk *w, const dc_plan_param *p, int idx, char *base) {
  return dc_lua_put_quick(w->L, w->self, w->k->dev, &p->quick, idx, base) || put_unusual(w, p, idx, base);
}

/* `n` elements of the table at idx, from 1 + `from` on, ROW at most; they stay on the stack. */
static DC_HOT bool put_floats(lua_State *L, uint8_t quick, size_t from, size_t n, int idx, char *to, size_t size) {
  for (const size_t end = from + n; from < end; to += size)
    if (lua_rawgeti(L, idx, (lua_Integer)++from) != LUA_TNUMBER || !dc_lua_put_float(quick, lua_tonumber(L, -1), to))
      return false;
  return true;
}

static bool put_values(dc_lua_walk *w, const dc_plan_param *p, size_t from, size_t n, int idx, char *base) {
  const int at = lua_gettop(w->L) + 1;
  for (size_t i = 0; i < n; i++) {
    lua_rawgeti(w->L, idx, (lua_Integer)(from + i + 1));
    if (!put_one(w, p, at + (int)i, base + i * p->size)) return false;
  }
  return true;
}

/* The last dimension of a field's array, from the table at idx; it leaves up to ROW values on the stack. */
static DC_HOT bool put_row(dc_lua_walk *w, const dc_plan_param *p, size_t n, int idx, char *base) {
  lua_State *L = w->L;
  const uint8_t quick = p->quick.quick;
  const bool is_float = quick == DC_QUICK_F32 || quick == DC_QUICK_F64;
  if (lua_type(L, idx) != LUA_TTABLE || lua_rawlen(L, idx) != n) return false;
  for (size_t i = 0; i < n; i += ROW) {
    const size_t some = n - i < ROW ? n - i : ROW;
    char *at = base + i * p->size;
    if (i > 0) lua_pop(L, ROW);
    if (is_float ? !put_floats(L, quick, i, some, idx, at + p->offset, p->size) : !put_values(w, p, i, some, idx, at))
      return false;
  }
  return true;
}

/* Dimension `dim` of a field's array, from the table at idx; the same. */
static bool put_dimension(dc_lua_walk *w, const dc_plan_field *f, int dim, int idx, char *base) {
  lua_State *L = w->L;
  const size_t n = f->field->extent[dim];
  if (dim + 1 == f->field->ndim) return put_row(w, &f->value, n, idx, base);
  if (lua_type(L, idx) != LUA_TTABLE || lua_rawlen(L, idx) != n) return false;
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

static DC_HOT bool put_walking(dc_lua_walk *w, const dc_plan_param *p, int idx, char *start) {
  lua_State *L = w->L;
  const dc_plan_field *fields = p->fields->fields;
  const int n = p->fields->record->nfields;
  const void *const *names = w->names + fields[0].key; /* a struct's keys follow each other */
  int found = 0;
  if (!lua_checkstack(L, STACK)) return false;
  lua_pushnil(L);
  for (const int key = lua_gettop(L); lua_next(L, idx); lua_settop(L, key)) {
    const void *name = lua_topointer(L, key); /* NULL for a number */
    int i = 0;
    while (i < n && names[i] != name) i++;
    if (i == n) return false;
    const dc_plan_field *f = &fields[i];
    const bool put = f->ndim == 0   ? put_one(w, &f->value, key + 1, start)
                     : f->ndim == 1 ? put_row(w, &f->value, f->extent, key + 1, start)
                                    : put_dimension(w, f, 0, key + 1, start);
    if (!put) return false;
    found++;
  }
  return found == n;
}

DC_HOT bool dc_lua_put_fields(dc_lua_walk *w, const dc_plan_param *p, int idx, char *base) {
  const int top = lua_gettop(w->L);
  char *start = base + p->offset;
  memset(start, 0, p->size); /* what lies between the fields too */
  if (put_walking(w, p, idx, start)) return true;
  lua_settop(w->L, top);
  return false;
}
