/*
** argument.c - see argument.h.
**
** The good path converts straight from the Lua stack into the caller's buffer, by the launch plan: no allocation, no
** text.  First everything is checked; then arrays that are still expressions are computed and readers of what the
** kernel may write are settled.
*/
#include "lua/argument_quick.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- once for a kernel --------------------------------------------------------------------------- */

typedef struct keys {
  lua_State *L;
  lua_Integer n;
  dc_lua_name *names; /* NULL: they are but counted */
} keys;

static void add_key(void *ud, const char *name) {
  keys *k = ud;
  k->n++;
  if (!k->names) return;
  lua_pushstring(k->L, name);
  k->names[k->n] = (dc_lua_name){ lua_topointer(k->L, -1), NULL };
  lua_rawseti(k->L, -2, k->n);
}

static void add_fields(const dc_plan_record *plan, dc_lua_name *names) {
  for (int i = 0; plan->fields && i < plan->record->nfields; i++)
    names[plan->fields[i].key].field = &plan->fields[i];
}

/* The names, malloc'ed: they outlive the table of their strings where the debug library takes that from the object. */
typedef struct name_list {
  size_t refs;
  dc_lua_name names[]; /* from 1 on */
} name_list;

static name_list *list_of(const dc_lua_arguments *how) {
  return how->names ? (name_list *)(void *)((char *)how->names - offsetof(name_list, names)) : NULL;
}

void dc_lua_arguments_ref(const dc_lua_arguments *how) {
  name_list *list = list_of(how);
  if (list) list->refs++;
}

void dc_lua_arguments_unref(dc_lua_arguments *how) {
  name_list *list = list_of(how);
  how->names = NULL;
  if (list && --list->refs == 0) free(list);
}

/* Sets the table of keys of the kernel object on top; gives the list of their addresses. */
static dc_lua_name *make_keys(lua_State *L, const dc_module *m) {
  const dc_image *image = m->image;
  keys list = { L, 0, NULL };
  dc_plan_keys(image, add_key, &list);
  const size_t n = (size_t)list.n, size = (n + 1) * sizeof *list.names;
  lua_createtable(L, (int)n, 1);
  list.names = lua_newuserdatauv(L, size, 0); /* making strings may raise */
  lua_insert(L, -2);
  memset(list.names, 0, size);
  list.n = 0;
  dc_plan_keys(image, add_key, &list);
  for (int i = 0; m->records && i < image->nrecords; i++) add_fields(&m->records[i], list.names);
  name_list *made = malloc(sizeof *made + size);
  if (!made) dc_lua_fail(L, DC_MEMORY, "the host has no %zu bytes of memory left", size);
  made->refs = 1;
  memcpy(made->names, list.names, size);
  lua_setiuservalue(L, -3, DC_LUA_KERNEL_KEYS);
  lua_pop(L, 1);
  return made->names;
}

dc_lua_arguments dc_lua_prepare_arguments(lua_State *L, const dc_kernel *k) {
  dc_lua_arguments how = { .opaque = false };
  bool tables = false;
  for (int i = 0; i < k->nparams; i++) {
    const dc_plan_param *p = &k->params[i];
    how.opaque = how.opaque || p->reach == DC_REACH_HIDDEN;
    how.wide = how.wide || p->reach == DC_REACH_VALUE || p->reach == DC_REACH_TABLE;
    tables = tables || p->conv == DC_CONV_VECTOR || p->conv == DC_CONV_COMPLEX || p->conv == DC_CONV_STRUCT;
  }
  if (tables) how.names = make_keys(L, k->module);
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
  dc_fail(&err, DC_ARGUMENT, NULL, "%d argument%s expected after grid and block, got %d", k->nparams,
          k->nparams == 1 ? "" : "s", got);
  return fail_argument(L, k, -1, &err);
}

bool dc_lua_takes_array(const dc_plan_param *p) {
  return p->conv == DC_CONV_POINTER || (p->conv == DC_CONV_WORD && p->size == sizeof(dc_ptr));
}

/* What values the parameter takes, where they are no arrays. */
static const char *wanted(const dc_plan_param *p, char text[64]) {
  switch (p->conv) {
    case DC_CONV_BOOL: return "a boolean";
    case DC_CONV_VECTOR: snprintf(text, 64, "a table of %d numbers", p->lanes); return text;
    case DC_CONV_COMPLEX: return "a number or a table {real, imaginary}";
    case DC_CONV_STRUCT: snprintf(text, 64, "a table of its fields or a string of %u bytes", p->size); return text;
    case DC_CONV_RECORD: snprintf(text, 64, "a string of %u bytes", p->size); return text;
    default: return "a number";
  }
}

/* A value of a type that no parameter takes. */
static int fail_type(lua_State *L, const dc_plan_param *p, int idx, dc_error *err) {
  char text[64];
  if (p->conv == DC_CONV_UNSUPPORTED) return dc_fail(err, DC_ARGUMENT, NULL, "%s", p->why);
  if (dc_lua_takes_array(p))
    return dc_fail(err, DC_ARGUMENT, NULL, "an array expected, got %s%s", dc_lua_describe(L, idx),
                   lua_isnil(L, idx) ? " (a null pointer is dc.null)" : "");
  const char *why = p->conv == DC_CONV_RECORD ? p->why : NULL;
  return dc_fail(err, DC_ARGUMENT, NULL, "%s expected%s%s%s, got %s", wanted(p, text), why ? " (" : "",
                 why ? why : "", why ? ")" : "", dc_lua_describe(L, idx));
}

/* --- values -------------------------------------------------------------------------------------- */

/* Why an array may not be passed: closed, elsewhere, or not contiguous. 0 when none of these. */
static int check_array(const dc_kernel *k, const dc_array *a, dc_error *err) {
  const dc_device *dev = k->dev;
  if (!a || dc_array_state_of(a) == DC_ARRAY_CLOSED) return dc_fail(err, DC_ARGUMENT, NULL, "the array is closed");
  dc_dtype dtype = dc_array_dtype(a);
  if (dc_array_device(a) != dev)
    return dc_fail(err, DC_ARGUMENT, NULL, "got %s array of device %s, the kernel is compiled for %s",
                   dc_dtype_noun(dtype), dc_array_device(a)->id, dev->id);
  if (!dc_geometry_contiguous(dc_array_geometry(a), dc_dtype_size(dtype)))
    return dc_fail(err, DC_ARGUMENT, NULL, "got a view of %s array that is not contiguous; pass a copy (a:copy())",
                   dc_dtype_noun(dtype));
  return 0;
}

int dc_lua_put_array(const dc_lua_walk *w, const dc_plan_param *p, dc_array *a, char *params, dc_error *err) {
  const dc_kernel *k = w->k;
  dc_ptr ptr = a ? dc_array_launch_ready(a, k->dev, dc_array_dtype(a), !p->is_const) : 0;
  int due = 0;
  if (ptr == 0) {
    if (dc_lua_takes_array(p) && check_array(k, a, err) != 0) return -1;
    if (!a || dc_array_state_of(a) == DC_ARRAY_CLOSED) return dc_fail(err, DC_ARGUMENT, NULL, "the array is closed");
    const bool ready = dc_array_state_of(a) == DC_ARRAY_READY;
    if (ready && dc_array_ptr(a, &ptr, err) != 0) return -1;
    due = !ready || !w->settled;
  }
  if (dc_plan_check_pointer(p, dc_array_dtype(a), ptr, (uint64_t)dc_array_size(a), err) != 0) return -1;
  if (!due) dc_plan_put_ptr(p, ptr, params);
  return due;
}

/* A dc.complex for a complex parameter or a pair of floats. */
static int put_complex(const dc_plan_param *p, double re, double im, char *base, dc_error *err) {
  const dc_plan_param x = dc_plan_lane(p, 0), y = dc_plan_lane(p, 1);
  return dc_plan_put_float(&x, re, base, err) != 0 ? -1 : dc_plan_put_float(&y, im, base, err);
}

int dc_lua_put_value(dc_lua_walk *w, const dc_plan_param *p, int idx, char *base, dc_error *err) {
  lua_State *L = w->L;
  switch (lua_type(L, idx)) {
    case LUA_TNUMBER:
      if (lua_isinteger(L, idx)) return dc_plan_put_int(p, lua_tointeger(L, idx), base, err);
      return dc_plan_put_float(p, lua_tonumber(L, idx), base, err);
    case LUA_TUSERDATA: {
      dc_lua_array *o = dc_lua_test(L, w->self, idx, DC_LUA_ARRAY);
      if (o) return dc_lua_put_array(w, p, o->a, base, err);
      double re, im;
      if ((p->conv == DC_CONV_COMPLEX || p->conv == DC_CONV_VECTOR) && p->lanes == 2 &&
          dc_dtypes[p->dtype].kind == 'f' && dc_lua_tocomplex(L, w->self, idx, &re, &im))
        return put_complex(p, re, im, base, err);
      if (lua_touserdata(L, idx) != w->self->null || !dc_lua_takes_array(p)) return fail_type(L, p, idx, err);
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
      if (p->conv != DC_CONV_VECTOR && p->conv != DC_CONV_COMPLEX && p->conv != DC_CONV_STRUCT)
        return fail_type(L, p, idx, err);
      return dc_lua_put_table(w, p, idx, base, err);
    default: return fail_type(L, p, idx, err);
  }
}

static int fail_value(dc_lua_walk *w, int param, dc_error *err) {
  if (w->field[0]) dc_error_prefix(err, "field '%s': ", w->field);
  return fail_argument(w->L, w->k, param, err);
}

/* --- settling ------------------------------------------------------------------------------------ */

static int compute(dc_lua_walk *w, const dc_plan_param *p, dc_lua_array *array, dc_error *err) {
  (void)p;
  if (!array->a) return dc_fail(err, DC_ARGUMENT, NULL, "the array is closed");
  dc_lua_settle(w->L, w->self, array->a);
  return 0;
}

static int about_to_write(dc_lua_walk *w, const dc_plan_param *p, dc_lua_array *array, dc_error *err) {
  if (p->is_const) return 0;
  if (!array->a) return dc_fail(err, DC_ARGUMENT, NULL, "the array is closed");
  return DC_LUA_WORK(w->self, dc_array_will_write(array->a, err));
}

/* Every array among the arguments, those in tables too. */
static void visit_arguments(dc_lua_walk *w, int first, dc_lua_visit *visit) {
  for (int i = 0; i < w->k->nparams; i++) {
    const dc_plan_param *p = &w->k->params[i];
    dc_error err = DC_ERROR_INIT;
    int rc = 0;
    if (lua_istable(w->L, first + i)) {
      rc = dc_lua_visit_table(w, p, first + i, visit, &err);
    } else {
      dc_lua_array *array = dc_lua_test(w->L, w->self, first + i, DC_LUA_ARRAY);
      if (array) rc = visit(w, p, array, &err);
    }
    if (rc != 0) fail_value(w, i, &err);
  }
}

/* Computes what is still an expression, then settles what reads the arrays that the kernel may write, then
** puts all arguments anew. Everything has been checked. */
static void settle_arguments(dc_lua_walk *w, bool all, int first, char *params) {
  dc_error err = DC_ERROR_INIT;
  dc_lua_hold_kernel(w->L, w->k);
  visit_arguments(w, first, compute);
  if (all && DC_LUA_WORK(w->self, dc_flush_device(w->k->dev, &err)) != 0)
    dc_lua_raise_kernel(w->L, &err);
  visit_arguments(w, first, about_to_write);
  dc_lua_check_held(w->L, w->k);
  w->settled = true; /* no finalizer closes an array from here on */
  for (int i = 0; i < w->k->nparams; i++) {
    int rc = dc_lua_put_value(w, &w->k->params[i], first + i, params, &err);
    if (rc == 0) continue;
    if (rc > 0) dc_fail(&err, DC_ARGUMENT, NULL, "its table was changed while it was being passed");
    fail_value(w, i, &err);
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
static bool lead_anywhere(const dc_lua *self, const dc_kernel *k, const char *params) {
  for (int i = 0; i < k->nparams; i++) {
    const dc_plan_param *p = &k->params[i];
    const char *at = params + p->offset;
    dc_ptr v = 1;
    if (p->reach == DC_REACH_VALUE && has_address(self, at, p->size)) return true;
    if (p->reach != DC_REACH_TABLE) continue;
    if (p->size == sizeof v) memcpy(&v, at, sizeof v);
    if (v != 0) return true;
  }
  return false;
}

DC_HOT bool dc_lua_put_rest(lua_State *L, dc_lua *self, const dc_kernel *k, const dc_lua_arguments *how, int i,
                            const dc_lua_cell *stack, int first, int got, char *params) {
  if (DC_UNLIKELY(got != k->nparams)) fail_count(L, k, got);
  int due = 0;
  dc_lua_walk w;
  w.L = L, w.self = self, w.k = k, w.names = how->names, w.keys = 0, w.settled = false;
  w.field[0] = '\0';
  const dc_device *dev = k->dev;
  for (; i < k->nparams; i++) {
    const int idx = first + i;
    const dc_plan_param *p = &k->params[i];
    if (DC_LIKELY(stack != NULL)) {
      const dc_lua_cell *cell = stack + idx;
      if (dc_lua_put_quick(cell, self, dev, &k->quick[i], params) || dc_lua_put_cell(&w, p, cell, params)) continue;
    }
    dc_error err = DC_ERROR_INIT;
    const int rc = dc_lua_put_value(&w, p, idx, params, &err);
    if (rc < 0) fail_value(&w, i, &err);
    due |= rc;
    stack = dc_lua_cells(L);
  }
  const bool all = dc_lua_may_lead(self, how) && (how->opaque || lead_anywhere(self, k, params));
  if (due || all) settle_arguments(&w, all, first, params);
  if (w.keys) lua_settop(L, first + k->nparams - 1);
  return all;
}
