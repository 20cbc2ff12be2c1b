/* body.c - see body.h. */
#include "lua/body.h"

#include <string.h>

#include "array/array.h"
#include "array/codegen/body.h"
#include "array/codegen/ir.h"
#include "array/codegen/kernel_cache.h"
#include "array/copy.h"
#include "array/evaluate_body.h"
#include "array/graph/geometry.h"
#include "array/graph/number.h"
#include "array/graph/types.h"
#include "base/buf.h"
#include "base/dtype.h"
#include "base/error.h"
#include "device/device.h"
#include "lua/array.h"
#include "lua/builders.h"
#include "lua/convert.h"
#include "lua/create.h"
#include "lua/device.h"
#include "lua/error.h"
#include "lua/host_interrupt.h"
#include "lua/memory.h"
#include "lua/module.h"
#include "lua/object.h"

typedef struct body_object {
  uint64_t site;                   /* number of the launch site of its last launch that was noted; 0: none */
  uint8_t from[DC_MAX_BODY_PARAMS]; /* of each parameter: the argument of a call, from 1; 0: a new result */
  bool has_identity;               /* of a reduction */
  dc_body body;
} body_object;

/* User values: the strings that the dc_body borrows, the function that compiles, and the parameters as declared. */
enum { NAME = 1, DECLARATIONS, DEFINITIONS, COMPILE, TEXTS, NVALUES = TEXTS };

/* --- making one ---------------------------------------------------------------------------------- */

/* The string field of the table at 1, kept as a user value of the object on top. */
static const char *keep_string(lua_State *L, const char *field, int slot) {
  if (lua_getfield(L, 1, field) != LUA_TSTRING) luaL_error(L, "body: no %s", field);
  const char *s = lua_tostring(L, -1);
  lua_setiuservalue(L, -2, slot);
  return s;
}

static bool flag(lua_State *L, int table, const char *field) {
  lua_getfield(L, table, field);
  const bool is = lua_toboolean(L, -1);
  lua_pop(L, 1);
  return is;
}

/* body{name, declarations, definitions, indexed, given, is_long, accumulator, has_identity, compile, params}: params is
** a list of {dtype, result, raw, from, text}, in the order of dc_body's or dc_map's parameters; compile(text) gives a
** module; all else is as dc_body's. */
static int core_body(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  lua_getfield(L, 1, "params"); /* 2 */
  luaL_checktype(L, 2, LUA_TTABLE);
  const lua_Integer n = luaL_len(L, 2);
  if (n < 1 || n > DC_MAX_BODY_PARAMS)
    return dc_lua_fail(L, DC_ARGUMENT, "1 to %d parameters are possible, got %d", DC_MAX_BODY_PARAMS, (int)n);
  body_object *o = dc_lua_new(L, DC_LUA_BODY, sizeof *o + (size_t)n * sizeof(dc_body_param), NVALUES); /* 3 */
  o->body.name = keep_string(L, "name", NAME);
  o->body.declarations = keep_string(L, "declarations", DECLARATIONS);
  o->body.definitions = keep_string(L, "definitions", DEFINITIONS);
  o->body.indexed = flag(L, 1, "indexed");
  o->body.given = flag(L, 1, "given");
  o->body.is_long = flag(L, 1, "is_long");
  o->has_identity = flag(L, 1, "has_identity");
  lua_getfield(L, 1, "accumulator");
  o->body.accumulator = (int)lua_tointeger(L, -1);
  lua_pop(L, 1);
  lua_getfield(L, 1, "compile");
  lua_setiuservalue(L, 3, COMPILE);
  lua_pushvalue(L, 2);
  lua_setiuservalue(L, 3, TEXTS);
  for (int i = 0; i < n; i++) {
    lua_geti(L, 2, i + 1); /* 4 */
    lua_getfield(L, 4, "dtype");
    o->body.param[i] = (dc_body_param){ .dtype = dc_lua_checkdtype(L, 5), .result = flag(L, 4, "result"),
                                        .raw = flag(L, 4, "raw") };
    lua_getfield(L, 4, "from");
    o->from[i] = (uint8_t)lua_tointeger(L, 6);
    lua_settop(L, 3);
  }
  o->body.nparams = (int)n;
  return 1;
}

static body_object *check_body(lua_State *L, const dc_lua *self) {
  return dc_lua_check(L, self, 1, DC_LUA_BODY, "a body");
}

static int body_gc(lua_State *L) {
  dc_body_end(&check_body(L, dc_lua_self(L))->body);
  return 0;
}

/* --- calls --------------------------------------------------------------------------------------- */

/* Raises: `err`, about parameter i of the body at 1. */
static int fail_param(lua_State *L, const dc_body *b, int i, dc_error *err) {
  lua_getiuservalue(L, 1, TEXTS);
  lua_geti(L, -1, i + 1);
  lua_getfield(L, -1, "text");
  dc_error_prefix(err, "%s: '%s': ", b->name, lua_tostring(L, -1));
  err->kind = DC_ARGUMENT;
  return dc_lua_raise(L, err);
}

/* The operand of parameter i from the value on top. */
static void read_operand(lua_State *L, const dc_lua *self, const dc_body *b, int i, dc_body_operand *o) {
  dc_error err = DC_ERROR_INIT;
  dc_scalar s;
  o->array = dc_lua_toarray(L, self, -1);
  if (o->array) {
    if (b->param[i].raw && dc_array_check_contiguous(o->array, &err) != 0) fail_param(L, b, i, &err);
    return;
  }
  if (!dc_lua_toscalar(L, -1, &s) || (s.kind == DC_SCALAR_BOOL && b->param[i].dtype != DC_BOOL)) {
    dc_fail(&err, DC_ARGUMENT, NULL, "an array or a number expected, got %s", dc_lua_describe(L, -1));
    fail_param(L, b, i, &err);
  }
  if (dc_number_from(&s, b->param[i].dtype, &o->number, &err) != 0) fail_param(L, b, i, &err);
}

/* The elements: the common shape of the arrays that are read element by element or, where there is none, the first
** result's. */
static void domain_of(lua_State *L, const dc_body *b, const dc_body_operand *o, dc_geometry *domain) {
  dc_error err = DC_ERROR_INIT;
  const dc_array *result = NULL;
  bool any = false;
  int number = 0;
  domain->ndim = 0;
  for (int i = 0; i < b->nparams; i++) {
    dc_geometry both;
    if (b->param[i].raw) continue;
    if (b->param[i].result && !result) result = o[i].array;
    number += !b->param[i].result;
    if (b->param[i].result || !o[i].array) continue;
    if (dc_geometry_broadcast(domain, dc_array_geometry(o[i].array), &both, &err) != 0) {
      dc_error_clear(&err);
      char left[512], right[512];
      dc_lua_fail(L, DC_SHAPE, "%s: argument %d of shape %s does not broadcast with %s of the arguments before it",
                  b->name, number, dc_geometry_text(dc_array_geometry(o[i].array), left, sizeof left),
                  dc_geometry_text(domain, right, sizeof right));
    }
    *domain = both;
    any = true;
  }
  if (!any && result) *domain = *dc_array_geometry(result);
}

/* Checks results that were passed; others are made, on top of the stack.  Returns how many these are. */
static int take_results(lua_State *L, dc_lua *self, const body_object *o, dc_device *dev, const dc_geometry *domain,
                        dc_body_operand *operand) {
  const dc_body *b = &o->body;
  int number = 0, made = 0;
  for (int i = 0; i < b->nparams; i++) {
    if (!b->param[i].result || b->param[i].raw) continue;
    number++;
    if (operand[i].array) {
      dc_lua_check_result(L, operand[i].array, domain, number);
      continue;
    }
    luaL_checkstack(L, 4, NULL);
    operand[i].array = dc_lua_push_empty(L, self, dev, b->param[i].dtype, domain->ndim, domain->shape);
    made++;
  }
  return made;
}

/* Compiles the kernel that is missing. */
static void add_kernel(lua_State *L, dc_lua *self, body_object *o, dc_buf *text) {
  dc_error err = DC_ERROR_INIT;
  lua_getiuservalue(L, 1, COMPILE);
  char *copy = dc_lua_scratch(L, text->len + 1);
  memcpy(copy, text->data, text->len);
  const size_t len = text->len;
  dc_buf_free(text);
  lua_pushlstring(L, copy, len);
  lua_remove(L, -2);
  lua_call(L, 1, 1);
  dc_lua_module *m = dc_lua_tomodule(L, self, lua_gettop(L));
  if (!m || !m->m) luaL_error(L, "body: no module");
  if (dc_body_add_kernel(&o->body, m->m, &err) != 0) dc_lua_raise(L, &err);
  lua_pop(L, 1);
}

/* A call of the body at 1, as its arguments at 2 and the device at 3 say. */
typedef struct body_call {
  lua_State *L;
  dc_lua *self;
  body_object *o;
  dc_device *dev; /* where new results are made */
  dc_geometry domain;
  dc_body_operand operand[DC_MAX_BODY_PARAMS];
  dc_buf text; /* of the kernel that is missing */
  bool attributable;
} body_call;

/* Reads the arguments; nothing is left on the stack. */
static void begin(lua_State *L, body_call *c) {
  c->L = L;
  c->self = dc_lua_self(L);
  c->o = check_body(L, c->self);
  c->text = (dc_buf)DC_BUF_INIT;
  luaL_checktype(L, 2, LUA_TTABLE);
  c->dev = lua_isnoneornil(L, 3) ? dc_lua_current(L, c->self) : dc_lua_checkdevice(L, 3);
  for (int i = 0; i < c->o->body.nparams; i++) {
    c->operand[i].array = NULL;
    if (c->o->from[i] == 0) continue;
    lua_rawgeti(L, 2, c->o->from[i]);
    read_operand(L, c->self, &c->o->body, i, &c->operand[i]);
    lua_pop(L, 1); /* the table keeps it */
  }
  domain_of(L, &c->o->body, c->operand, &c->domain);
}

/* After `rc`, what evaluating gave: true where the kernel that was missing is there now; raises where it failed. */
static bool again(body_call *c, int rc, dc_error *err) {
  if (rc == 1) {
    add_kernel(c->L, c->self, c->o, &c->text);
    return true;
  }
  dc_buf_free(&c->text);
  if (rc != 0) dc_lua_raise(c->L, err);
  if (c->attributable) {
    char label[40] = "";
    strncpy(label, c->o->body.name, sizeof label - 1);
    dc_lua_note_launch(c->L, c->self, &c->o->site, label);
  } else if (c->o->site != 0) {
    dc_lua_forget_launch(c->self, c->o->site);
  }
  return false;
}

/* run(body, arguments, device): calls the body for each element.  Gives the results that were not passed. */
static int core_run(lua_State *L) {
  body_call c;
  dc_error err = DC_ERROR_INIT;
  lua_settop(L, 3);
  begin(L, &c);
  const int made = take_results(L, c.self, c.o, c.dev, &c.domain, c.operand);
  while (again(&c, DC_LUA_WORK(c.self, dc_evaluate_body(&c.o->body, c.operand, c.dev, &c.domain, &c.text,
                                                        &c.attributable, &err)), &err)) {}
  return made;
}

static void check_reduced(lua_State *L, const dc_array *out, const dc_geometry *g, const char *name) {
  dc_error err = DC_ERROR_INIT;
  if (!dc_geometry_same_shape(dc_array_geometry(out), g)) {
    char wanted[512], has[512];
    dc_lua_fail(L, DC_SHAPE, "%s: the result has the shape %s, got an array of %s", name,
                dc_geometry_text(g, wanted, sizeof wanted),
                dc_geometry_text(dc_array_geometry(out), has, sizeof has));
  }
  if (dc_array_check_writable(out, &err) != 0) dc_lua_raise(L, &err);
}

/* reduce(body, arguments, device, dtype, axes, keep, result): reduces along the axes that are bits of `axes` (nil: all)
** into the array `result` or, where that is nil, a new one of the dtype.  Gives the result. */
static int core_reduce(lua_State *L) {
  body_call c;
  dc_geometry g;
  dc_error err = DC_ERROR_INIT;
  lua_settop(L, 7);
  begin(L, &c);
  uint32_t axes = lua_isnil(L, 5) ? UINT32_MAX : (uint32_t)luaL_checkinteger(L, 5);
  if (c.domain.ndim < 32) axes &= (1u << c.domain.ndim) - 1;
  dc_geometry_reduced(&c.domain, axes, lua_toboolean(L, 6), &g);
  const char *name = c.o->body.name;
  if (dc_geometry_size(&c.domain) == 0 && dc_geometry_size(&g) > 0 && !c.o->has_identity)
    return dc_lua_fail(L, DC_SHAPE, "%s: there is nothing to reduce, and no option 'identity' says what that gives",
                       name);
  dc_array *out = lua_isnil(L, 7) ? NULL : dc_lua_checkarray(L, c.self, 7);
  if (out) check_reduced(L, out, &g, name);
  else out = dc_lua_push_empty(L, c.self, c.dev, dc_lua_checkdtype(L, 4), g.ndim, g.shape); /* 8 */
  while (again(&c, DC_LUA_WORK(c.self, dc_reduce_body(&c.o->body, c.operand, out, &c.domain, axes, &c.text,
                                                      &c.attributable, &err)), &err)) {}
  return 1;
}

const luaL_Reg dc_lua_body_internal[] = {
  { "body", core_body },
  { "run", core_run },
  { "reduce", core_reduce },
  { NULL, NULL },
};

static const luaL_Reg body_meta[] = {
  { "__gc", body_gc },
  { NULL, NULL },
};

void dc_lua_open_body(lua_State *L, int self) {
  dc_lua_newtype(L, self, DC_LUA_BODY, "dotcompute.body", body_meta, NULL);
}
