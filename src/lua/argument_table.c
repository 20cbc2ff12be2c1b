/*
** argument_table.c - tables as arguments: vectors, complex numbers and structs by value.
**
** Names are looked up raw, by Lua strings that the kernel object keeps, so that nothing is allocated.  Where something
** is wrong, the name of the field is put together on the way back.
*/
#include <stdio.h>
#include <string.h>

#include "lua/argument.h"

#define STACK 8 /* slots that one level needs */

/* The stack index of the table of keys. */
static int keys(dc_lua_walk *w) {
  if (!w->keys) {
    luaL_checkstack(w->L, STACK, NULL);
    if (lua_getiuservalue(w->L, 1, DC_LUA_KERNEL_KEYS) != LUA_TTABLE) dc_lua_tampered(w->L, "a user value of a kernel");
    w->keys = lua_gettop(w->L);
  }
  return w->keys;
}

/* Pushes the value of key number `key` in the table at idx; gives its type. */
static int get(dc_lua_walk *w, int idx, uint32_t key) {
  lua_rawgeti(w->L, keys(w), key);
  return lua_rawget(w->L, idx);
}

static size_t count_entries(lua_State *L, int idx) {
  size_t n = 0;
  for (lua_pushnil(L); lua_next(L, idx); lua_pop(L, 1)) n++;
  return n;
}

/* Puts a name in front of the field's; -1. */
static int in_field(dc_lua_walk *w, const char *name) {
  char rest[sizeof w->field];
  memcpy(rest, w->field, sizeof rest);
  snprintf(w->field, sizeof w->field, "%s%s%.60s", name, rest[0] && rest[0] != '[' ? "." : "", rest);
  return -1;
}

static int in_element(dc_lua_walk *w, size_t i) {
  char name[32];
  snprintf(name, sizeof name, "[%zu]", i + 1);
  return in_field(w, name);
}

/* --- vectors ------------------------------------------------------------------------------------------ */

static int fail_vector(dc_lua_walk *w, const dc_plan_param *p, int idx, dc_error *err) {
  static const char *const forms[] = { "{x} or {x = 1}", "{x, y} or {x = 1, y = 2}", "{x, y, z} or {x = 1, …}",
                                       "{x, y, z, w} or {x = 1, …}" };
  return dc_fail(err, DC_ARGUMENT, NULL, "a table of %d numbers is wanted, %s; got one of %zu", p->lanes,
                 forms[(p->lanes - 1) & 3], count_entries(w->L, idx));
}

/* Components by number or by name: {1, 2} or {x = 1, y = 2}. */
static int put_vector(dc_lua_walk *w, const dc_plan_param *p, int idx, char *base, dc_error *err) {
  static const char *const names[] = { "x", "y", "z", "w" };
  lua_State *L = w->L;
  const bool listed = lua_rawgeti(L, idx, 1) != LUA_TNIL;
  lua_pop(L, 1);
  for (int i = 0; i < p->lanes; i++) {
    const dc_plan_param lane = dc_plan_lane(p, i);
    const int type = listed ? lua_rawgeti(L, idx, i + 1) : get(w, idx, (uint32_t)i + 1);
    if (type == LUA_TNIL) return fail_vector(w, p, idx, err);
    if (dc_lua_put_value(w, &lane, lua_gettop(L), base, err) != 0)
      return listed ? in_element(w, (size_t)i) : in_field(w, names[i]);
    lua_pop(L, 1);
  }
  return count_entries(L, idx) == p->lanes ? 0 : fail_vector(w, p, idx, err);
}

/* --- structs ------------------------------------------------------------------------------------------ */

static int fail_missing(dc_lua_walk *w, const char *name, dc_error *err) {
  dc_fail(err, DC_ARGUMENT, NULL, "it is missing");
  return in_field(w, name);
}

/* Something in the table is no field. */
static int fail_unknown(dc_lua_walk *w, const dc_record *r, int idx, dc_error *err) {
  lua_State *L = w->L;
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

/* Bytes of what is below dimension `dim` of an array. */
static size_t step(const dc_plan_field *f, int dim) {
  size_t n = f->value.size;
  for (int i = dim + 1; i < f->field->ndim; i++) n *= f->field->extent[i];
  return n;
}

static int put_element(dc_lua_walk *w, const dc_plan_field *f, int dim, int idx, char *base, dc_error *err);

/* The table or string at idx as dimension `dim` of an array, which begins at base + the field's offset. */
static int put_array(dc_lua_walk *w, const dc_plan_field *f, int dim, int idx, char *base, dc_error *err) {
  lua_State *L = w->L;
  const size_t n = f->field->extent[dim], each = step(f, dim);
  int due = 0;
  if (lua_type(L, idx) == LUA_TSTRING) {
    dc_plan_param bytes = f->value;
    bytes.size = (uint32_t)(n * each);
    return dc_plan_put_bytes(&bytes, lua_tostring(L, idx), lua_rawlen(L, idx), base, err);
  }
  if (!lua_istable(L, idx))
    return dc_fail(err, DC_ARGUMENT, NULL, "a table of %zu values expected, got %s", n, dc_lua_describe(L, idx));
  if (lua_rawlen(L, idx) != n)
    return dc_fail(err, DC_ARGUMENT, NULL, "a table of %zu values is wanted, got one of %zu", n,
                   (size_t)lua_rawlen(L, idx));
  for (size_t i = 0; i < n; i++) {
    lua_rawgeti(L, idx, (lua_Integer)i + 1);
    const int rc = put_element(w, f, dim + 1, lua_gettop(L), base + i * each, err);
    if (rc < 0) return in_element(w, i);
    due |= rc;
    lua_pop(L, 1);
  }
  return due;
}

static int put_element(dc_lua_walk *w, const dc_plan_field *f, int dim, int idx, char *base, dc_error *err) {
  luaL_checkstack(w->L, STACK, NULL);
  if (dim < f->field->ndim) return put_array(w, f, dim, idx, base, err);
  return dc_lua_put_value(w, &f->value, idx, base, err);
}

static int put_struct(dc_lua_walk *w, const dc_plan_param *p, int idx, char *base, dc_error *err) {
  const dc_plan_record *plan = p->fields;
  lua_State *L = w->L;
  char *start = base + p->offset;
  const int n = plan->record->nfields;
  int due = 0;
  memset(start, 0, p->size); /* what lies between the fields too */
  for (int i = 0; i < n; i++) {
    const dc_plan_field *f = &plan->fields[i];
    if (get(w, idx, f->key) == LUA_TNIL) return fail_missing(w, f->field->name, err);
    const int rc = put_element(w, f, 0, lua_gettop(L), start, err);
    if (rc < 0) return in_field(w, f->field->name);
    due |= rc;
    lua_pop(L, 1);
  }
  return count_entries(L, idx) == (size_t)n ? due : fail_unknown(w, plan->record, idx, err);
}

int dc_lua_put_table(dc_lua_walk *w, const dc_plan_param *p, int idx, char *base, dc_error *err) {
  keys(w); /* below whatever comes on the stack */
  luaL_checkstack(w->L, STACK, NULL);
  return p->conv == DC_CONV_STRUCT ? put_struct(w, p, idx, base, err) : put_vector(w, p, idx, base, err);
}

/* --- arrays in tables --------------------------------------------------------------------------------- */

/* The value at idx: an array, or tables that may hold some. */
static int visit_value(dc_lua_walk *w, const dc_plan_field *f, int dim, int idx, dc_lua_visit *visit, dc_error *err) {
  lua_State *L = w->L;
  int rc = 0;
  luaL_checkstack(L, STACK, NULL);
  if (dim < f->field->ndim) {
    for (size_t i = 0; lua_istable(L, idx) && i < f->field->extent[dim] && rc == 0; i++) {
      lua_rawgeti(L, idx, (lua_Integer)i + 1);
      rc = visit_value(w, f, dim + 1, lua_gettop(L), visit, err);
      lua_pop(L, 1);
    }
    return rc;
  }
  if (lua_istable(L, idx)) return dc_lua_visit_table(w, &f->value, idx, visit, err);
  dc_lua_array *array = dc_lua_test(L, w->self, idx, DC_LUA_ARRAY);
  return array ? visit(w, &f->value, array, err) : 0;
}

/* Whether a field may hold arrays, itself or below. */
static bool holds_arrays(const dc_plan_field *f) {
  return f->value.conv == DC_CONV_POINTER || f->value.conv == DC_CONV_STRUCT;
}

int dc_lua_visit_table(dc_lua_walk *w, const dc_plan_param *p, int idx, dc_lua_visit *visit, dc_error *err) {
  const dc_plan_record *plan = p->fields;
  int rc = 0;
  if (p->conv != DC_CONV_STRUCT) return 0;
  keys(w);
  luaL_checkstack(w->L, STACK, NULL);
  for (int i = 0; i < plan->record->nfields && rc == 0; i++) {
    const dc_plan_field *f = &plan->fields[i];
    if (!holds_arrays(f)) continue;
    get(w, idx, f->key);
    rc = visit_value(w, f, 0, lua_gettop(w->L), visit, err);
    lua_pop(w->L, 1);
  }
  return rc;
}
