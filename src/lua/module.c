/* module.c - see module.h. */
#include "lua/module.h"

#include <lauxlib.h>
#include <lua.h>
#include <stdlib.h>
#include <string.h>

#include "array/array.h"
#include "array/evaluate.h"
#include "array/graph/types.h"
#include "base/dtype.h"
#include "base/error.h"
#include "compile/compile.h"
#include "compile/types/image.h"
#include "compile/types/source.h"
#include "device/device.h"
#include "kernel/kernel.h"
#include "kernel/module.h"
#include "lua/array.h"
#include "lua/error.h"
#include "lua/host_interrupt.h"
#include "lua/object.h"
#include "lua/source.h"

dc_lua_module *dc_lua_tomodule(lua_State *L, const dc_lua *self, int idx) {
  const dc_lua_module_object *object = dc_lua_test(L, self, idx, DC_LUA_MODULE);
  return object ? object->o : NULL;
}

void dc_lua_module_unref(dc_lua_module *o) {
  if (--o->refs == 0) free(o);
}

dc_lua_module *dc_lua_check_module(lua_State *L) {
  dc_lua_module *o = dc_lua_tomodule(L, dc_lua_self(L), 1);
  if (!o) dc_lua_expected(L, 1, "a module");
  if (!o->m) dc_lua_fail(L, DC_ARGUMENT, "the module is closed");
  return o;
}

/* Forgets arrays that were closed. */
static void drop_closed_globals(dc_lua_module *o) {
  int n = 0;
  for (int i = 0; i < o->nglobals; i++) {
    if (dc_array_state_of(o->globals[i]) == DC_ARRAY_CLOSED) dc_array_unref(o->globals[i]);
    else o->globals[n++] = o->globals[i];
  }
  o->nglobals = n;
}

int dc_lua_flush_global_readers(dc_lua_module *o, dc_error *err) {
  drop_closed_globals(o);
  for (int i = 0; i < o->nglobals; i++) { /* a finalizer that runs meanwhile may close one */
    bool open = dc_array_state_of(o->globals[i]) != DC_ARRAY_CLOSED;
    if (open && dc_array_will_write(o->globals[i], err) != 0) return -1;
  }
  drop_closed_globals(o);
  return 0;
}

/* --- arrays over variables ----------------------------------------------------------------------- */
/* A kernel may write to any variable of its module, whatever its parameters are.  So the module object keeps the
** arrays that were made, and each launch first evaluates pending expressions that read them.  The arrays' memory keeps
** the loaded code alive; the module object is not kept by them. */

static void release_module(void *ud) { dc_module_unref(ud); }

/* The variable by its name as written, blanks aside, or by its symbol; NULL when the compiler reported none. */
static const dc_variable *find_variable(const dc_image *image, const char *name) {
  for (int i = 0; i < image->nvariables; i++)
    if (dc_name_same(image->variables[i].name, name)) return &image->variables[i];
  for (int i = 0; i < image->nvariables; i++)
    if (strcmp(image->variables[i].lowered, name) == 0) return &image->variables[i];
  return NULL;
}

static int fail_unknown(lua_State *L, const dc_module *m, const char *name) {
  luaL_Buffer b;
  luaL_buffinit(L, &b);
  for (int i = 0; i < m->image->nvariables; i++) {
    if (i) luaL_addstring(&b, ", ");
    luaL_addstring(&b, m->image->variables[i].name);
  }
  luaL_pushresult(&b);
  const char *list = lua_tostring(L, -1);
  return dc_lua_fail(L, DC_ARGUMENT, "there is no variable '%s' in the module; %s%s", name,
                     *list ? "it has " : "no __device__, __constant__ or __managed__ variable was found in it", list);
}

/* Compiles a template's instance that the module was not compiled with: an image of the same source that has
** it, the caller's to free.  Raises where there is no such instance. */
static dc_image *learn_instance(lua_State *L, dc_lua *self, const dc_module *m, const char *name) {
  dc_error err = DC_ERROR_INIT;
  dc_image *image = NULL;
  lua_getiuservalue(L, 1, DC_LUA_MODULE_ORIGIN);
  const int origin = lua_gettop(L);
  const dc_source *source = dc_lua_newsource(L, origin, name);
  const dc_target *target = &m->dev->target;
  if (DC_LUA_WORK(self, dc_compile(source, target->arch, target->binary, &image, &err)) != 0) {
    if (strcmp(err.code, "NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID") != 0) dc_lua_raise_at(L, &err, origin);
    dc_error_clear(&err);
    fail_unknown(L, m, name);
  }
  lua_settop(L, origin - 1);
  return image;
}

/* An array over the variable, which refers to the module; NULL with an error. */
static dc_array *wrap_variable(dc_module *m, const char *name, const dc_variable *known, dc_error *err) {
  dc_variable v = known ? *known : (dc_variable){0};
  dc_ptr ptr = 0;
  size_t size = 0;
  if (m->dev->code->global(m->dev, m->code, known ? known->lowered : name, &ptr, &size, err) != 0) return NULL;
  if (!known || v.size != size) { /* bytes: its type is not known */
    v.dtype = DC_UINT8;
    v.ndim = 1;
    v.shape[0] = (int64_t)size;
  }
  dc_module_ref(m);
  dc_array *a = dc_array_wrap(m->dev, ptr, v.dtype, v.ndim, v.shape, release_module, m, err);
  if (!a) dc_module_unref(m);
  return a;
}

/* Room for one more array that is kept. */
static bool make_room(dc_lua_module *o) {
  dc_array **more = realloc(o->globals, sizeof *more * (size_t)(o->nglobals + 1));
  if (more) o->globals = more;
  return more != NULL;
}

/* global(name): the array over that variable; the same memory's array as before while it is open. */
int dc_lua_module_global(lua_State *L) {
  dc_lua_at_most(L, 2);
  dc_lua *self = dc_lua_self(L);
  dc_lua_module *o = dc_lua_check_module(L);
  dc_error err = DC_ERROR_INIT;
  lua_settop(L, 2);
  if (lua_type(L, 2) != LUA_TSTRING) return dc_lua_expected(L, 2, "a variable's name");
  if (!o->m->dev->code->global) return dc_lua_fail(L, DC_DEVICE, "%s cannot find variables", o->m->dev->name);
  if (lua_getiuservalue(L, 1, DC_LUA_MODULE_KERNELS) != LUA_TTABLE) /* 3; globals are there with a blank in front */
    return dc_lua_tampered(L, "a user value of a module");
  lua_pushfstring(L, " %s", lua_tostring(L, 2));  /* 4 */
  lua_pushvalue(L, 4);
  if (lua_rawget(L, 3) == LUA_TUSERDATA) {
    dc_lua_array *before = dc_lua_test(L, self, -1, DC_LUA_ARRAY);
    if (before && before->a && dc_array_state_of(before->a) != DC_ARRAY_CLOSED) return 1;
  }
  lua_settop(L, 4);
  dc_lua_array *slot = dc_lua_newarray(L); /* 5 */
  const char *name = lua_tostring(L, 2);
  const dc_variable *known = find_variable(o->m->image, name);
  dc_image *learned = !known && strchr(name, '<') ? learn_instance(L, self, o->m, name) : NULL;
  if (learned) known = find_variable(learned, name);
  const bool used = !learned || known; /* else it is an instance of a kernel */
  drop_closed_globals(o);
  if (!make_room(o)) dc_fail_oom(&err);
  dc_array *a = err.kind == DC_OK && used ? wrap_variable(o->m, name, known, &err) : NULL;
  if (learned) dc_image_free(learned);
  if (!used || (!a && strcmp(err.code, "CUDA_ERROR_NOT_FOUND") == 0)) {
    dc_error_clear(&err);
    if (!learned || !used) return fail_unknown(L, o->m, name);
    return dc_lua_fail(L, DC_ARGUMENT,
                       "no kernel of the module uses the variable '%s', so that it is not there: name it beforehand, "
                       "in the module's option instantiate = {\"%s\"}", name, name);
  }
  if (a) {
    dc_array_ref(a);
    o->globals[o->nglobals++] = a;
  }
  dc_lua_set_array(L, slot, a, &err);
  lua_settop(L, 5);
  lua_pushvalue(L, 4);
  lua_pushvalue(L, 5);
  lua_rawset(L, 3);
  return 1;
}

int dc_lua_close_globals(dc_lua_module *o, dc_error *err) {
  dc_error more = DC_ERROR_INIT;
  dc_array **list = o->globals;
  int n = o->nglobals;
  o->globals = NULL;
  o->nglobals = 0;
  for (int i = 0; i < n; i++) {
    dc_array_close(list[i], err->kind == DC_OK ? err : &more);
    dc_array_unref(list[i]);
  }
  dc_error_clear(&more);
  free(list);
  return err->kind == DC_OK ? 0 : -1;
}
