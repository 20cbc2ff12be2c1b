/*
** module_methods.c - see module_methods.h.
**
** A module keeps its source and options: its PTX is made from them on request, and so are instances of
** templates that it was not compiled with.  An instance is an image of its own, so it is refused for
** sources with variables, of which each image would have its own copy.
*/
#include "lua/module_methods.h"

#include <lauxlib.h>
#include <lua.h>
#include <stdlib.h>
#include <string.h>

#include "array/array.h"
#include "array/graph/types.h"
#include "base/error.h"
#include "base/file.h"
#include "compile/types/image.h"
#include "compile/types/source.h"
#include "device/device.h"
#include "kernel/kernel.h"
#include "kernel/module.h"
#include "lua/device.h"
#include "lua/error.h"
#include "lua/interrupt.h"
#include "lua/kernel.h"
#include "lua/memory.h"
#include "lua/module.h"
#include "lua/module_code.h"
#include "lua/module_text.h"
#include "lua/object.h"
#include "lua/options.h"
#include "lua/source.h"

/* The module at 1, which may be closed; raises when it is none. */
static dc_lua_module *check_any_module(lua_State *L, const dc_lua *self) {
  dc_lua_module *o = dc_lua_tomodule(L, self, 1);
  if (!o) dc_lua_expected(L, 1, "a module");
  return o;
}

/* Pushes a user value of the module object at idx, which is a table; raises otherwise. */
static void get_table(lua_State *L, int idx, int value) {
  if (lua_getiuservalue(L, idx, value) != LUA_TTABLE) dc_lua_tampered(L, "a user value of a module");
}

/* Compiles for the device and pushes the module object. `instance`: one more instance, or NULL. */
static dc_module *push_module(lua_State *L, dc_device *dev, int origin, const char *instance) {
  dc_lua *self = dc_lua_self(L);
  dc_error err = DC_ERROR_INIT;
  dc_lua_module_object *object = dc_lua_new(L, DC_LUA_MODULE, sizeof *object, DC_LUA_MODULE_NVALUES);
  dc_lua_module *o = object->o = calloc(1, sizeof *o);
  int at = lua_gettop(L);
  if (!o) dc_lua_fail(L, DC_MEMORY, "the host has no %zu bytes of memory left", sizeof *o);
  o->refs = 1;
  lua_pushvalue(L, origin);
  lua_setiuservalue(L, at, DC_LUA_MODULE_ORIGIN); /* the object */
  const dc_source *source = dc_lua_newsource(L, origin, instance);
  lua_setiuservalue(L, at, DC_LUA_MODULE_SOURCE);
  lua_newtable(L);
  lua_setiuservalue(L, at, DC_LUA_MODULE_KERNELS);
  lua_newtable(L);
  lua_setiuservalue(L, at, DC_LUA_MODULE_INSTANCES);
  dc_module *m = NULL;
  if (DC_LUA_WORK(self, dc_module_build(dev, source, &m, &err)) != 0) dc_lua_raise_at(L, &err, origin);
  o->m = m;
  dc_lua_show_warnings(L, m, origin);
  return m;
}

/* --- instances on request ------------------------------------------------------------------------ */

/* Compiles the module at 1 again with one more instance, and pushes that kernel's object. */
static void push_instance(lua_State *L, const char *name) {
  const dc_module *m = dc_lua_check_module(L)->m;
  get_table(L, 1, DC_LUA_MODULE_ORIGIN);
  int origin = lua_gettop(L);
  if (lua_getfield(L, origin, "text") != LUA_TSTRING) dc_lua_tampered(L, "the text of a module");
  if (dc_lua_has_variables(lua_tostring(L, -1)))
    dc_lua_fail(L, DC_ARGUMENT,
                "the module has variables and so is one image: name '%s' beforehand, in its option instantiate = {…}",
                name);
  push_module(L, m->dev, origin, name);
  int module = lua_gettop(L);
  dc_lua_pushkernel(L, module, name);
  get_table(L, 1, DC_LUA_MODULE_INSTANCES);
  lua_pushvalue(L, module);
  lua_setfield(L, -2, name);
  lua_pop(L, 1);
}

/* --- methods ------------------------------------------------------------------------------------- */

/* Raises where `name` (NULL: any) is a template in the source of the origin at that index. */
static void refuse_template(lua_State *L, int origin, const char *name) {
  if (!lua_istable(L, origin) || lua_getfield(L, origin, "text") != LUA_TSTRING) return;
  if (!dc_lua_push_template(L, lua_tostring(L, -1), name)) return;
  const char *found = lua_tostring(L, -1);
  dc_lua_fail(L, DC_ARGUMENT,
              "the kernel '%s' is a template: name an instance, m:kernel \"%s<float>\" of a module m or name = "
              "\"%s<float>\" among the options of dc.kernel",
              found, found, found);
}

/* The kernel as the module's image calls it: `name` but for blanks. NULL: it has none so called. */
static const char *find_name(const dc_module *m, const char *name) {
  for (int i = 0; i < m->image->nkernels; i++)
    if (dc_name_same(m->image->kernels[i].name, name)) return m->image->kernels[i].name;
  return NULL;
}

/* Pushes the kernel whose name is at 2, from the module's table when it was asked for before. */
static int find_kernel(lua_State *L, dc_lua_module *o) {
  dc_error err = DC_ERROR_INIT;
  lua_settop(L, 2);
  get_table(L, 1, DC_LUA_MODULE_KERNELS); /* 3 */
  lua_pushvalue(L, 2);
  if (lua_rawget(L, 3) == LUA_TUSERDATA) return 1;
  const char *name = lua_tostring(L, 2), *known = find_name(o->m, name);
  dc_lua_push_canonical(L, name);
  lua_replace(L, 4);
  lua_pushvalue(L, 4);
  if (lua_rawget(L, 3) == LUA_TUSERDATA) return 1;
  lua_settop(L, 4);
  if (known) name = known;
  const bool there = DC_LUA_WORK(dc_lua_self(L), dc_module_kernel(o->m, name, &err) ? 0 : -1) == 0;
  if (!there && (err.kind != DC_ARGUMENT || !strchr(name, '<') || known)) {
    lua_getiuservalue(L, 1, DC_LUA_MODULE_ORIGIN);
    const int origin = lua_gettop(L);
    if (err.kind == DC_ARGUMENT && !known && lua_istable(L, origin)) {
      dc_error_clear(&err);
      refuse_template(L, origin, name);
      dc_module_kernel(o->m, name, &err); /* fails again */
    }
    return dc_lua_raise_at(L, &err, origin);
  }
  dc_error_clear(&err);
  if (there) dc_lua_pushkernel(L, 1, name);
  else push_instance(L, name);
  lua_pushvalue(L, 4);
  lua_pushvalue(L, -2);
  lua_rawset(L, 3);
  return 1;
}

/* kernel(name), kernel(template, argument, …) */
static int module_kernel(lua_State *L) {
  dc_lua_module *o = dc_lua_check_module(L);
  if (lua_type(L, 2) != LUA_TSTRING) return dc_lua_expected(L, 2, "a kernel's name");
  if (strlen(lua_tostring(L, 2)) != lua_rawlen(L, 2)) return dc_lua_badarg(L, 2, "the name holds a NUL byte");
  dc_lua_instance_name(L);
  return find_kernel(L, o);
}

static int module_index(lua_State *L) {
  if (lua_type(L, 2) != LUA_TSTRING) {
    dc_lua_check_module(L);
    return dc_lua_fail(L, DC_INDEX, "a module is indexed by names of kernels, got %s", dc_lua_describe(L, 2));
  }
  if (dc_lua_method(L, DC_LUA_MODULE) != LUA_TNIL) return 1;
  return find_kernel(L, dc_lua_check_module(L));
}

/* kernels(): their names. */
static int module_kernels(lua_State *L) {
  const dc_image *image = dc_lua_check_module(L)->m->image;
  lua_createtable(L, image->nkernels, 0);
  for (int i = 0; i < image->nkernels; i++) {
    lua_pushstring(L, image->kernels[i].name);
    lua_rawseti(L, -2, i + 1);
  }
  return 1;
}

/* The module object has no module from now on, or another one. Arrays over its variables are closed. */
static int replace_module(dc_lua_module *o, dc_module *m, dc_error *err) {
  dc_module *old = o->m;
  int rc = dc_lua_close_globals(o, err);
  o->m = m;
  o->generation++;
  if (old) dc_module_unref(old);
  return rc;
}

/* close(): the module, its kernels and the arrays over its variables cannot be used any more. Idempotent. */
static int module_close(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  dc_error err = DC_ERROR_INIT, more = DC_ERROR_INIT;
  dc_lua_module *o = check_any_module(L, self);
  lua_settop(L, 1);
  if (lua_getiuservalue(L, 1, DC_LUA_MODULE_INSTANCES) == LUA_TTABLE)
    for (lua_pushnil(L); lua_next(L, 2); lua_pop(L, 1)) {
      dc_lua_module *instance = dc_lua_tomodule(L, self, -1);
      if (instance) replace_module(instance, NULL, &more);
    }
  dc_error_clear(&more); /* instances have no variables, hence no arrays over them to evaluate */
  if (DC_LUA_WORK(self, replace_module(o, NULL, &err)) != 0) return dc_lua_raise(L, &err);
  return 0;
}

static int module_gc(lua_State *L) {
  dc_lua_module_object *object = dc_lua_check(L, dc_lua_self(L), 1, DC_LUA_MODULE, "a module");
  dc_lua_module *o = object->o;
  if (!o) return 0;
  object->o = NULL;
  dc_module *m = o->m;
  dc_array **globals = o->globals;
  int n = o->nglobals;
  o->m = NULL;
  o->generation++;
  o->globals = NULL;
  o->nglobals = 0;
  for (int i = 0; i < n; i++) dc_array_unref(globals[i]); /* others may still use them */
  free(globals);
  if (m) dc_module_unref(m);
  dc_lua_module_unref(o);
  return 0;
}

static int module_tostring(lua_State *L) {
  const dc_lua_module *o = check_any_module(L, dc_lua_self(L));
  luaL_Buffer b;
  luaL_buffinit(L, &b);
  luaL_addstring(&b, o->m ? "module of" : "closed module");
  for (int i = 0; o->m && i < o->m->image->nkernels; i++) {
    luaL_addstring(&b, i ? ", " : " ");
    luaL_addstring(&b, o->m->image->kernels[i].name);
  }
  if (o->m && o->m->image->nkernels == 0) luaL_addstring(&b, " no kernels");
  luaL_pushresult(&b);
  return 1;
}

/* --- functions of dc ----------------------------------------------------------------------------- */

/* Appends the string, or the strings of the list, on top to the list at `list`; `what` it is. Popped. */
static void append_strings(lua_State *L, int list, const char *what) {
  lua_Integer at = (lua_Integer)lua_rawlen(L, list), n = lua_istable(L, -1) ? luaL_len(L, -1) : 0;
  if (lua_type(L, -1) == LUA_TSTRING) {
    lua_rawseti(L, list, at + 1);
    return;
  }
  if (n == 0) dc_lua_fail_named(L, DC_ARGUMENT, "%s: a string or a list of them, got %s", what, dc_lua_describe(L, -1));
  for (lua_Integer i = 1; i <= n; i++) {
    if (lua_geti(L, -1, i) != LUA_TSTRING)
      dc_lua_fail(L, DC_ARGUMENT, "%s: source %d is no string but %s", what, (int)i, dc_lua_describe(L, -1));
    lua_rawseti(L, list, at + i);
  }
  lua_pop(L, 1);
}

/* The sources at 1 and in the option link, as a list at 4; raises. */
static void collect_sources(lua_State *L) {
  lua_newtable(L); /* 4 */
  if (lua_type(L, 1) != LUA_TSTRING && (!lua_istable(L, 1) || luaL_len(L, 1) == 0))
    dc_lua_expected(L, 1, "CUDA C source");
  lua_pushvalue(L, 1);
  append_strings(L, 4, "linked sources");
  if (lua_istable(L, 2) && lua_getfield(L, 2, "link") != LUA_TNIL) append_strings(L, 4, "option 'link'");
  lua_settop(L, 4);
}

/* Stack on entry: a source or a list of them at 1, options or nil at 2, a list of the files they came from or nil at
** 3. Leaves the origin at 4, the module at 5. */
static dc_module *compile(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  lua_settop(L, 3);
  collect_sources(L); /* 4 */
  if (lua_rawlen(L, 4) > 1) {
    dc_lua_origins(L, 4, 3);
  } else {
    lua_rawgeti(L, 4, 1);
    if (lua_istable(L, 3)) lua_rawgeti(L, 3, 1);
    else lua_pushnil(L);
    dc_lua_origin(L, 5, lua_tostring(L, 6));
  }
  lua_replace(L, 4);
  lua_settop(L, 4);
  lua_pushvalue(L, 2);
  lua_setfield(L, 4, "options");
  const char *name = NULL;
  if (lua_istable(L, 2) && lua_getfield(L, 2, "name") != LUA_TNIL) {
    if (lua_type(L, -1) != LUA_TSTRING)
      dc_lua_fail(L, DC_ARGUMENT, "option 'name' is a string, got %s", dc_lua_describe(L, -1));
    name = strchr(lua_tostring(L, -1), '<') ? lua_tostring(L, -1) : NULL; /* alive in the options */
  }
  lua_pushstring(L, name); /* nil when NULL */
  lua_setfield(L, 4, "instance");
  lua_settop(L, 4);
  return push_module(L, dc_lua_current(L, self), 4, name);
}

/* The kernel that dc.kernel returns: that of option name, or the only one. */
static const char *choose_kernel(lua_State *L, const dc_module *m) {
  if (lua_istable(L, 2) && lua_getfield(L, 2, "name") == LUA_TSTRING) return lua_tostring(L, -1);
  const dc_image *image = m->image;
  const int n = image->nkernels + image->nrefused;
  if (n == 1) return image->nkernels == 1 ? image->kernels[0].name : image->refused[0].name;
  if (n == 0) refuse_template(L, 4, NULL);
  if (n == 0)
    dc_lua_fail(L, DC_ARGUMENT, "the source has no kernel: no __global__ function that is no template was found");
  luaL_Buffer b;
  luaL_buffinit(L, &b);
  for (int i = 0; i < n; i++) {
    if (i) luaL_addstring(&b, ", ");
    luaL_addstring(&b, i < image->nkernels ? image->kernels[i].name : image->refused[i - image->nkernels].name);
  }
  luaL_pushresult(&b);
  dc_lua_fail(L, DC_ARGUMENT, "the source has %d kernels (%s): say which in the option 'name', or use dc.module", n,
              lua_tostring(L, -1));
  return NULL;
}

static int push_chosen(lua_State *L) {
  dc_module *m = compile(L);
  dc_lua_pushkernel(L, 5, choose_kernel(L, m));
  return 1;
}

/* The text at 1 is source, and not the name of a file. */
static void refuse_file_name(lua_State *L, const char *name) {
  size_t n;
  const char *s = lua_type(L, 1) == LUA_TSTRING ? lua_tolstring(L, 1, &n) : NULL;
  if (s && dc_lua_is_file_name(s, n))
    dc_lua_fail(L, DC_ARGUMENT,
                "dc.%s takes the text of the source, got the name of a file: dc.%s_file \"%s\" reads it", name,
                name, s);
}

static int core_module(lua_State *L) {
  lua_settop(L, 2);
  refuse_file_name(L, "module");
  compile(L);
  return 1;
}

static int core_kernel(lua_State *L) {
  lua_settop(L, 2);
  refuse_file_name(L, "kernel");
  return push_chosen(L);
}

/* Replaces the path on top by the file's text. */
static void read_file(lua_State *L) {
  dc_error err = DC_ERROR_INIT;
  char *text = NULL;
  size_t n = 0;
  if (dc_file_read(lua_tostring(L, -1), &text, &n, &err) != 0) dc_lua_raise(L, &err);
  dc_lua_push_owned(L, text, n);
  lua_replace(L, -2);
}

/* Arguments (path or paths, options) become (texts, options, paths). */
static void read_sources(lua_State *L) {
  lua_settop(L, 2);
  lua_newtable(L); /* 3 */
  if (lua_type(L, 1) != LUA_TSTRING && !lua_istable(L, 1)) dc_lua_expected(L, 1, "a file name");
  lua_pushvalue(L, 1);
  append_strings(L, 3, "file names");
  lua_newtable(L); /* 4 */
  for (lua_Integer i = 1; lua_rawgeti(L, 3, i) == LUA_TSTRING; i++) {
    read_file(L);
    lua_rawseti(L, 4, i);
  }
  lua_settop(L, 4);
  lua_replace(L, 1);
}

/* --- files that were edited ------------------------------------------------------------------------ */

/* Pushes the origin of the same files as they are now; `old` is the one before. */
static void push_fresh_origin(lua_State *L, int old) {
  const int base = lua_gettop(L);
  lua_newtable(L); /* base + 1: texts */
  lua_newtable(L); /* base + 2: paths */
  bool linked = lua_getfield(L, old, "units") == LUA_TTABLE; /* base + 3 */
  bool any = false;
  for (lua_Integer i = 1; i == 1 || linked; i++) {
    if (!linked) lua_pushvalue(L, old); /* base + 4: a unit */
    else if (lua_rawgeti(L, base + 3, i) != LUA_TTABLE) break;
    const int unit = lua_gettop(L);
    if (lua_getfield(L, unit, "path") == LUA_TSTRING) {
      any = true;
      lua_pushvalue(L, -1);
      lua_rawseti(L, base + 2, i);
      read_file(L); /* base + 5: text */
    } else {
      lua_pushboolean(L, 0);
      lua_rawseti(L, base + 2, i);
      lua_getfield(L, unit, "text"); /* base + 5: text */
    }
    lua_rawseti(L, base + 1, i);
    lua_settop(L, base + 3);
  }
  if (!any) dc_lua_fail(L, DC_ARGUMENT, "the module does not come from a file (dc.kernel_file, dc.module_file)");
  if (linked) {
    dc_lua_origins(L, base + 1, base + 2);
  } else {
    lua_rawgeti(L, base + 1, 1);
    lua_rawgeti(L, base + 2, 1);
    dc_lua_origin(L, base + 4, lua_tostring(L, base + 5));
  }
  lua_getfield(L, old, "options");
  lua_setfield(L, -2, "options"); /* origin on top */
  lua_replace(L, base + 1);
  lua_settop(L, base + 1);
}

static bool same_image(const dc_image *a, const dc_image *b) {
  return a->len == b->len && memcmp(a->bytes, b->bytes, a->len) == 0;
}

/* The module objects in the list at `fresh` take the place of those in the list at `stale`, at the same indices. */
static void exchange(lua_State *L, int stale, int fresh) {
  dc_error err = DC_ERROR_INIT;
  const dc_lua *self = dc_lua_self(L);
  for (lua_Integer i = 1; lua_rawgeti(L, stale, i) == LUA_TUSERDATA; i++) {
    const int old = lua_gettop(L);
    lua_rawgeti(L, fresh, i);
    dc_lua_module *made = dc_lua_tomodule(L, self, -1);
    dc_module *m = made->m;
    made->m = NULL;
    for (int v = DC_LUA_MODULE_ORIGIN; v <= DC_LUA_MODULE_SOURCE; v++) {
      lua_getiuservalue(L, old + 1, v);
      lua_setiuservalue(L, old, v);
    }
    replace_module(dc_lua_tomodule(L, self, old), m, &err);
    lua_settop(L, old - 1);
  }
  lua_pop(L, 1);
  if (err.kind != DC_OK) dc_lua_raise(L, &err); /* of expressions that read a variable as it was */
}

/* Compiles the files that the module came from again; pushes whether anything has changed.  All is compiled before
** anything is replaced, so that an error leaves the module as it was. */
static int reload(lua_State *L, int module) {
  luaL_checkstack(L, 24, NULL);
  const dc_lua *self = dc_lua_self(L);
  const dc_lua_module *o = dc_lua_tomodule(L, self, module);
  if (!o || !o->m) return dc_lua_fail(L, DC_ARGUMENT, "the module is closed");
  dc_module *m = o->m;
  get_table(L, module, DC_LUA_MODULE_ORIGIN); /* old */
  const int old = lua_gettop(L);
  push_fresh_origin(L, old); /* old + 1: origin */
  const int origin = old + 1, stale = old + 2, fresh = old + 3;
  lua_newtable(L);
  lua_newtable(L);
  lua_getfield(L, old, "instance"); /* of dc.kernel's option name */
  dc_module *made = push_module(L, m->dev, origin, lua_tostring(L, -1));
  bool changed = !same_image(m->image, made->image);
  lua_rawseti(L, fresh, 1); /* …, instance name */
  lua_pop(L, 1);
  lua_pushvalue(L, module);
  lua_rawseti(L, stale, 1);
  lua_Integer n = 1;
  get_table(L, module, DC_LUA_MODULE_INSTANCES); /* fresh + 1 */
  for (lua_pushnil(L); lua_next(L, fresh + 1); lua_settop(L, fresh + 2)) {
    lua_rawseti(L, stale, ++n); /* fresh + 2: name */
    lua_rawgeti(L, stale, n); /* fresh + 3: the instance's module */
    const dc_lua_module *instance = dc_lua_tomodule(L, self, -1);
    if (!instance || !instance->m) dc_lua_tampered(L, "an instance of a module");
    const dc_module *before = instance->m;
    made = push_module(L, m->dev, origin, lua_tostring(L, fresh + 2));
    changed = changed || !same_image(before->image, made->image);
    lua_rawseti(L, fresh, n);
  }
  if (changed) exchange(L, stale, fresh);
  lua_settop(L, old - 1);
  lua_pushboolean(L, changed);
  return 1;
}

/* reload() */
static int module_reload(lua_State *L) {
  dc_lua_check_module(L);
  lua_settop(L, 1);
  return reload(L, 1);
}

static int core_module_file(lua_State *L) {
  dc_lua_self(L);
  read_sources(L);
  compile(L);
  return 1;
}

static int core_kernel_file(lua_State *L) {
  dc_lua_self(L);
  read_sources(L);
  return push_chosen(L);
}

const luaL_Reg dc_lua_module_core[] = {
  { "module", core_module },
  { "kernel", core_kernel },
  { "module_file", core_module_file },
  { "kernel_file", core_kernel_file },
  { NULL, NULL },
};

/* recompiled(module): a module of the same source and options for the current device. */
static int core_recompiled(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  dc_lua_check_module(L);
  lua_settop(L, 1);
  get_table(L, 1, DC_LUA_MODULE_ORIGIN);
  lua_getfield(L, 2, "instance"); /* module, origin, name or nil */
  push_module(L, dc_lua_current(L, self), 2, lua_tostring(L, 3));
  return 1;
}

const luaL_Reg dc_lua_module_internal[] = {
  { "recompiled", core_recompiled },
  { NULL, NULL },
};

/* source(): the text that was compiled. */
static int module_source(lua_State *L) {
  dc_lua_check_module(L);
  lua_settop(L, 1);
  get_table(L, 1, DC_LUA_MODULE_ORIGIN);
  if (lua_getfield(L, 2, "text") != LUA_TSTRING) return dc_lua_tampered(L, "the text of a module");
  return 1;
}

static const luaL_Reg module_methods[] = {
  { "kernel", module_kernel },
  { "kernels", module_kernels },
  { "global", dc_lua_module_global },
  { "ptx", dc_lua_module_ptx },
  { "cubin", dc_lua_module_cubin },
  { "sass", dc_lua_module_sass },
  { "log", dc_lua_module_log },
  { "source", module_source },
  { "reload", module_reload },
  { "close", module_close },
  { NULL, NULL },
};

static const luaL_Reg module_meta[] = {
  { "__index", module_index },
  { "__gc", module_gc },
  { "__close", module_close },
  { "__tostring", module_tostring },
  { NULL, NULL },
};

void dc_lua_open_module(lua_State *L, int self) {
  dc_lua_newtype(L, self, DC_LUA_MODULE, "dotcompute.module", module_meta, module_methods);
  static const luaL_Reg none[] = { { NULL, NULL } };
  dc_lua_newtype(L, self, DC_LUA_SOURCE, "dotcompute.source", none, NULL);
}
