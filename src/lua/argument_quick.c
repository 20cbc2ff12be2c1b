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
static bool put_one(dc_lua_walk *w, const dc_plan_param *p, int idx, char *base) {
  if (dc_lua_put_quick(w->L, w->self, w->k->module->dev, &p->quick, idx, base)) return true;
  if (p->conv == DC_CONV_STRUCT && lua_istable(w->L, idx)) return dc_lua_put_fields(w, p, idx, base);
  dc_error err = DC_ERROR_INIT;
  const int top = lua_gettop(w->L), keys = w->keys, rc = dc_lua_put_value(w, p, idx, base, &err);
  lua_settop(w->L, top);
  w->keys = keys;
  dc_error_clear(&err); /* it is found again, with the names that lead there */
  w->field[0] = '\0';
  return rc == 0;
}

/* The last dimension of a field's array, from the table at idx; it leaves up to ROW values on the stack. */
static bool put_row(dc_lua_walk *w, const dc_plan_field *f, size_t n, int idx, char *base) {
  lua_State *L = w->L;
  const uint8_t quick = f->value.quick.quick;
  const bool is_float = quick == DC_QUICK_F32 || quick == DC_QUICK_F64;
  const int at = lua_gettop(L) + 1;
  for (size_t i = 0; i < n; i++, base += f->value.size) {
    const int k = (int)(i % ROW);
    if (k == 0 && i > 0) lua_settop(L, at - 1);
    const int type = lua_rawgeti(L, idx, (lua_Integer)i + 1);
    if (is_float ? type != LUA_TNUMBER || !dc_lua_put_float(L, quick, -1, base + f->value.offset)
                 : !put_one(w, &f->value, at + k, base))
      return false;
  }
  return true;
}

/* Dimension `dim` of a field's array, from the table at idx; the same. */
static bool put_dimension(dc_lua_walk *w, const dc_plan_field *f, int dim, int idx, char *base) {
  lua_State *L = w->L;
  const size_t n = f->field->extent[dim];
  if (lua_type(L, idx) != LUA_TTABLE || lua_rawlen(L, idx) != n) return false;
  if (dim + 1 == f->field->ndim) return put_row(w, f, n, idx, base);
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

static bool put_walking(dc_lua_walk *w, const dc_plan_param *p, int idx, char *start) {
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
    if (f->field->ndim ? !put_dimension(w, f, 0, key + 1, start) : !put_one(w, &f->value, key + 1, start)) return false;
    found++;
  }
  return found == n;
}

bool dc_lua_put_fields(dc_lua_walk *w, const dc_plan_param *p, int idx, char *base) {
  const int top = lua_gettop(w->L);
  char *start = base + p->offset;
  memset(start, 0, p->size); /* what lies between the fields too */
  if (put_walking(w, p, idx, start)) return true;
  lua_settop(w->L, top);
  return false;
}
