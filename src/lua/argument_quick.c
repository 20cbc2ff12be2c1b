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

/* What follows gives the stack (dc_lua_cells), which may be elsewhere than before, or NULL: something is unusual. */

/* One value, whatever it is. */
static __attribute__((noinline)) const dc_lua_cell *put_unusual(dc_lua_walk *w, const dc_plan_param *p, int idx,
                                                                char *base) {
  if (!lua_checkstack(w->L, DC_LUA_FIELDS_STACK)) return NULL;
  if (p->conv == DC_CONV_STRUCT && lua_istable(w->L, idx))
    return dc_lua_put_fields(w, p, dc_lua_cells(w->L), idx, base);
  dc_error err = DC_ERROR_INIT;
  const int top = lua_gettop(w->L), keys = w->keys, rc = dc_lua_put_value(w, p, idx, base, &err);
  lua_settop(w->L, top);
  w->keys = keys;
  dc_error_clear(&err); /* it is found again, with the names that lead there */
  w->field[0] = '\0';
  return rc == 0 ? dc_lua_cells(w->L) : NULL;
}

static const dc_lua_cell *put_one(dc_lua_walk *w, const dc_plan_param *p, const dc_lua_cell *stack, int idx,
                                  char *base) {
  if (dc_lua_put_quick(stack + idx, w->self, w->k->dev, &p->quick, base)) return stack;
  return put_unusual(w, p, idx, base);
}

static inline bool is_row(lua_State *L, const dc_lua_cell *stack, int idx, size_t n) {
  return stack[idx].type == DC_CELL_TABLE && lua_rawlen(L, idx) == n;
}

/* The table on top, at idx, as `n` values of a DC_QUICK_F32 or _F64; they stay on the stack. */
static inline const dc_lua_cell *put_numbers(lua_State *L, uint8_t quick, size_t n, const dc_lua_cell *stack, int idx,
                                             char *to) {
  const size_t size = quick == DC_QUICK_F64 ? sizeof(double) : sizeof(float);
  if (!is_row(L, stack, idx, n)) return NULL;
  if (n > ROW) {
    if (!lua_checkstack(L, (int)n)) return NULL;
    stack = dc_lua_cells(L);
  }
  const dc_lua_cell *cell = stack + idx;
  for (size_t i = 0; i < n; i++, to += size) {
    lua_Number v;
    lua_rawgeti(L, idx, (lua_Integer)i + 1);
    if (!dc_cell_number(++cell, &v) || !dc_lua_put_float(quick, v, to)) return NULL;
  }
  return stack;
}

static DC_HOT __attribute__((noinline)) const dc_lua_cell *put_floats(lua_State *L, size_t n, const dc_lua_cell *stack,
                                                                      int idx, char *base) {
  return put_numbers(L, DC_QUICK_F32, n, stack, idx, base);
}

static DC_HOT __attribute__((noinline)) const dc_lua_cell *put_doubles(lua_State *L, size_t n,
                                                                       const dc_lua_cell *stack, int idx, char *base) {
  return put_numbers(L, DC_QUICK_F64, n, stack, idx, base);
}

static const dc_lua_cell *put_values(dc_lua_walk *w, const dc_plan_param *p, size_t n, const dc_lua_cell *stack,
                                     int idx, char *base) {
  lua_State *L = w->L;
  if (!is_row(L, stack, idx, n)) return NULL;
  for (size_t i = 0; i < n && stack; i++) {
    lua_rawgeti(L, idx, (lua_Integer)i + 1);
    stack = put_one(w, p, stack, idx + 1, base + i * p->size);
    if (stack) lua_pop(L, 1);
  }
  return stack;
}

/* The last dimension of a field's array, from the table on top, at idx; some values may stay above that. */
static inline const dc_lua_cell *put_row(dc_lua_walk *w, const dc_plan_param *p, size_t n, const dc_lua_cell *stack,
                                         int idx, char *base) {
  if (p->quick.quick == DC_QUICK_F32) return put_floats(w->L, n, stack, idx, base + p->quick.offset);
  if (p->quick.quick == DC_QUICK_F64) return put_doubles(w->L, n, stack, idx, base + p->quick.offset);
  return put_values(w, p, n, stack, idx, base);
}

/* Dimension `dim` of a field's array, from the table on top, at idx; the same. */
static __attribute__((noinline)) const dc_lua_cell *put_dimension(dc_lua_walk *w, const dc_plan_field *f, int dim,
                                                                  const dc_lua_cell *stack, int idx, char *base) {
  lua_State *L = w->L;
  const size_t n = f->field->extent[dim];
  if (dim + 1 == f->field->ndim) return put_row(w, &f->value, n, stack, idx, base);
  if (!is_row(L, stack, idx, n) || !lua_checkstack(L, DC_LUA_FIELDS_STACK)) return NULL;
  size_t each = f->value.size;
  for (int i = dim + 1; i < f->field->ndim; i++) each *= f->field->extent[i];
  stack = dc_lua_cells(L);
  for (size_t i = 0; i < n && stack; i++) {
    lua_rawgeti(L, idx, (lua_Integer)i + 1);
    stack = put_dimension(w, f, dim + 1, stack, idx + 1, base + i * each);
    if (stack) lua_settop(L, idx);
  }
  return stack;
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
static inline const dc_lua_cell *put_field(dc_lua_walk *w, const dc_plan_field *f, const dc_lua_cell *stack, int idx,
                                           char *base) {
  return dc_lua_put_number(stack + idx, &f->value.quick, base) ? stack : put_one(w, &f->value, stack, idx, base);
}

static inline const dc_lua_cell *put_array(dc_lua_walk *w, const dc_plan_field *f, const dc_lua_cell *stack, int idx,
                                           char *base) {
  return f->ndim == 1 ? put_row(w, &f->value, f->extent, stack, idx, base) : put_dimension(w, f, 0, stack, idx, base);
}

/* The fields before `name` have been met: as all keys of a table differ, none is met twice, and at the end all have
** been where their number is right. */
DC_HOT const dc_lua_cell *dc_lua_put_fields(dc_lua_walk *w, const dc_plan_param *p, const dc_lua_cell *stack, int idx,
                                            char *base) {
  if (DC_UNLIKELY(!stack)) return NULL;
  lua_State *L = w->L;
  const dc_plan_record *plan = p->fields;
  dc_lua_name *name = w->names + plan->fields[0].key; /* a struct's keys follow each other */
  const dc_lua_name *const end = name + plan->record->nfields;
  const int key = lua_gettop(L) + 1;
  char *start = base + p->offset;
  memset(start, 0, p->size); /* what lies between the fields too */
  for (lua_pushnil(L); lua_next(L, idx); name++) {
    const dc_lua_cell *const cell = stack + key;
    if (DC_UNLIKELY(name == end || cell->type != DC_CELL_NAME)) goto unusual;
    if (DC_UNLIKELY(name->string != cell->as.string) && !bring(name, end, cell->as.string)) goto unusual;
    const dc_plan_field *f = name->field;
    stack = f->ndim == 0 ? put_field(w, f, stack, key + 1, start) : put_array(w, f, stack, key + 1, start);
    if (DC_UNLIKELY(!stack)) goto unusual;
    lua_settop(L, key);
  }
  if (DC_LIKELY(name == end)) return stack;
unusual:
  lua_settop(L, key - 1);
  return NULL;
}
