/*
** module_methods.c - see module_methods.h.
**
** What is text and tables of it (options, names, files that were edited) is in lua/dotcompute/module.lua, which adds
** methods to the type.
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
#include "base/runtime.h"
#include "compile/compile.h"
#include "compile/disassemble.h"
#include "compile/link/prebuilt.h"
#include "compile/nvrtc/compiler.h"
#include "compile/nvrtc/nvjitlink.h"
#include "compile/types/image.h"
#include "compile/types/source.h"
#include "device/device.h"
#include "kernel/kernel.h"
#include "kernel/module.h"
#include "lua/device.h"
#include "lua/error.h"
#include "lua/host_interrupt.h"
#include "lua/kernel.h"
#include "lua/memory.h"
#include "lua/module.h"
#include "lua/object.h"
#include "lua/source.h"

/* The module at 1, which may be closed; raises when it is none. */
static dc_lua_module *check_any_module(lua_State *L, const dc_lua *self) {
  dc_lua_module *o = dc_lua_tomodule(L, self, 1);
  if (!o) dc_lua_expected(L, 1, "a module");
  return o;
}

/* Pushes a user value of the module object at 1, which is a table; raises otherwise. */
static void get_table(lua_State *L, int value) {
  if (lua_getiuservalue(L, 1, value) != LUA_TTABLE) dc_lua_tampered(L, "a user value of a module");
}

/* build(module or nil, origin, instance or nil): the module object of the origin's source, compiled for the device of
** the module or the current one, with one more instance. */
static int core_build(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  dc_error err = DC_ERROR_INIT;
  lua_settop(L, 3);
  luaL_checktype(L, 2, LUA_TTABLE);
  dc_device *dev = lua_isnil(L, 1) ? dc_lua_current(L, self) : dc_lua_check_module(L)->m->dev;
  dc_lua_module_object *object = dc_lua_new(L, DC_LUA_MODULE, sizeof *object, DC_LUA_MODULE_NVALUES); /* 4 */
  dc_lua_module *o = object->o = calloc(1, sizeof *o);
  if (!o) return dc_lua_fail(L, DC_MEMORY, "the host has no %zu bytes of memory left", sizeof *o);
  o->refs = 1;
  lua_pushvalue(L, 2);
  lua_setiuservalue(L, 4, DC_LUA_MODULE_ORIGIN);
  const dc_source *source = dc_lua_newsource(L, 2, lua_tostring(L, 3));
  lua_setiuservalue(L, 4, DC_LUA_MODULE_SOURCE);
  lua_newtable(L);
  lua_setiuservalue(L, 4, DC_LUA_MODULE_KERNELS);
  lua_newtable(L);
  lua_setiuservalue(L, 4, DC_LUA_MODULE_INSTANCES);
  dc_module *m = NULL;
  if (DC_LUA_WORK(self, dc_module_build(dev, source, &m, &err)) != 0) return dc_lua_raise_at(L, &err, 2);
  o->m = m;
  return 1;
}

/* --- kernels by name ----------------------------------------------------------------------------- */

/* The kernel as the module's image calls it: `name` but for blanks. NULL: it has none so called. */
static const char *find_name(const dc_module *m, const char *name) {
  for (int i = 0; i < m->image->nkernels; i++)
    if (dc_name_same(m->image->kernels[i].name, name)) return m->image->kernels[i].name;
  return NULL;
}

/* find_kernel(module, name, optional): a new object of the kernel; nil where it is optional and there is none of that
** name. */
static int core_find_kernel(lua_State *L) {
  dc_error err = DC_ERROR_INIT;
  const dc_lua_module *o = dc_lua_check_module(L);
  lua_settop(L, 3);
  const char *name = luaL_checkstring(L, 2), *known = find_name(o->m, name);
  if (known) name = known;
  if (DC_LUA_WORK(dc_lua_self(L), dc_module_kernel(o->m, name, &err) ? 0 : -1) == 0) {
    dc_lua_pushkernel(L, 1, name);
  } else if (lua_toboolean(L, 3) && err.kind == DC_ARGUMENT && !known) {
    dc_error_clear(&err);
    lua_pushnil(L);
  } else {
    lua_getiuservalue(L, 1, DC_LUA_MODULE_ORIGIN); /* 4 */
    return dc_lua_raise_at(L, &err, 4);
  }
  return 1;
}

/* m.name: a method, or the kernel of that name, found before or by the method `kernel`. */
static int module_index(lua_State *L) {
  if (lua_type(L, 2) != LUA_TSTRING) {
    dc_lua_check_module(L);
    return dc_lua_fail(L, DC_INDEX, "a module is indexed by names of kernels, got %s", dc_lua_describe(L, 2));
  }
  if (dc_lua_method(L, DC_LUA_MODULE) != LUA_TNIL) return 1;
  dc_lua_check_module(L);
  lua_settop(L, 2);
  get_table(L, DC_LUA_MODULE_KERNELS);
  lua_pushvalue(L, 2);
  if (lua_rawget(L, 3) == LUA_TUSERDATA) return 1;
  lua_settop(L, 2);
  lua_pushliteral(L, "kernel");
  lua_insert(L, 2);
  dc_lua_method(L, DC_LUA_MODULE);
  lua_pushvalue(L, 1);
  lua_pushvalue(L, 3);
  lua_call(L, 2, 1);
  return 1;
}

/* kernel_names(module): a list of the kernels' names, and one of those left out: {name=, line=, reason=,
** failed=}. */
static int core_kernel_names(lua_State *L) {
  const dc_image *image = dc_lua_check_module(L)->m->image;
  lua_createtable(L, image->nkernels, 0); /* names */
  for (int i = 0; i < image->nkernels; i++) {
    lua_pushstring(L, image->kernels[i].name);
    lua_rawseti(L, -2, i + 1);
  }
  lua_createtable(L, image->nrefused, 0); /* names, left out */
  for (int i = 0; i < image->nrefused; i++) {
    const dc_refused *r = &image->refused[i];
    lua_createtable(L, 0, 4); /* names, left out, one */
    lua_pushstring(L, r->name);
    lua_setfield(L, -2, "name");
    lua_pushstring(L, r->reason);
    lua_setfield(L, -2, "reason");
    lua_pushinteger(L, r->line);
    lua_setfield(L, -2, "line");
    lua_pushboolean(L, r->failed);
    lua_setfield(L, -2, "failed");
    lua_rawseti(L, -2, i + 1);
  }
  return 2;
}

/* module_parts(module): its origin, its kernel objects by name, and its instances' modules by name. */
static int core_module_parts(lua_State *L) {
  dc_lua_check_module(L);
  get_table(L, DC_LUA_MODULE_ORIGIN);
  get_table(L, DC_LUA_MODULE_KERNELS);
  get_table(L, DC_LUA_MODULE_INSTANCES);
  return 3;
}

/* module_log(module): the compiler's warnings or nil; and whether they are always shown. */
static int core_module_log(lua_State *L) {
  const char *log = dc_lua_check_module(L)->m->image->log;
  lua_pushstring(L, log && *log ? log : NULL);
  lua_pushboolean(L, dc_log_on(DC_LOG_COMPILE));
  return 2;
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

/* --- files --------------------------------------------------------------------------------------- */

/* read_file(path): what is in the file. */
static int core_read_file(lua_State *L) {
  dc_error err = DC_ERROR_INIT;
  char *text = NULL;
  size_t n = 0;
  if (dc_file_read(luaL_checkstring(L, 1), &text, &n, &err) != 0) return dc_lua_raise(L, &err);
  return dc_lua_push_owned(L, text, n);
}

/* is_prebuilt(text): whether a source is code already: PTX, LTO-IR, machine code. */
static int core_is_prebuilt(lua_State *L) {
  size_t n;
  const char *text = luaL_checklstring(L, 1, &n);
  lua_pushboolean(L, dc_is_prebuilt(text, n));
  return 1;
}

/* same_image(module, module) */
static int core_same_image(lua_State *L) {
  const dc_image *image[2];
  lua_settop(L, 2);
  for (int i = 0; i < 2; i++) {
    image[i] = dc_lua_check_module(L)->m->image;
    lua_rotate(L, 1, 1);
  }
  lua_pushboolean(L, image[0]->len == image[1]->len && memcmp(image[0]->bytes, image[1]->bytes, image[0]->len) == 0);
  return 1;
}

/* The module object at `old` becomes the one at `new`, which is closed then. */
static void exchange(lua_State *L, const dc_lua *self, int old, int new, dc_error *err) {
  dc_lua_module *to = dc_lua_tomodule(L, self, old), *from = dc_lua_tomodule(L, self, new);
  if (!to || !from) dc_lua_tampered(L, "an instance of a module");
  dc_module *m = from->m;
  from->m = NULL;
  for (int v = DC_LUA_MODULE_ORIGIN; v <= DC_LUA_MODULE_SOURCE; v++) {
    lua_getiuservalue(L, new, v);
    lua_setiuservalue(L, old, v);
  }
  replace_module(to, m, err);
}

/* exchange_modules(old, new): the modules of the list `new` take the place of those in `old`, at the same indices. */
static int core_exchange_modules(lua_State *L) {
  dc_error err = DC_ERROR_INIT;
  const dc_lua *self = dc_lua_self(L);
  luaL_checktype(L, 1, LUA_TTABLE);
  luaL_checktype(L, 2, LUA_TTABLE);
  lua_settop(L, 2);
  for (lua_Integer i = 1; lua_rawgeti(L, 1, i) == LUA_TUSERDATA; i++) {
    lua_rawgeti(L, 2, i); /* old new 3: module 4: module */
    exchange(L, self, 3, 4, &err);
    lua_settop(L, 2);
  }
  return err.kind == DC_OK ? 0 : dc_lua_raise(L, &err); /* of expressions that read a variable as it was */
}

const luaL_Reg dc_lua_module_internal[] = {
  { "build", core_build },               { "find_kernel", core_find_kernel }, { "kernel_names", core_kernel_names },
  { "module_parts", core_module_parts }, { "module_log", core_module_log },   { "read_file", core_read_file },
  { "is_prebuilt", core_is_prebuilt },   { "same_image", core_same_image },
  { "exchange_modules", core_exchange_modules }, { NULL, NULL },
};

/* --- code ---------------------------------------------------------------------------------------- */

/* Pushes the image's bytes, and frees the image when `own`. */
static int push_bytes(lua_State *L, dc_image *image, bool own) {
  if (!own) {
    lua_pushlstring(L, image->bytes, image->len);
    return 1;
  }
  char *bytes = image->bytes;
  const size_t n = image->len;
  image->bytes = NULL;
  dc_image_free(image);
  return dc_lua_push_owned(L, bytes, n);
}

/* Ready-made PTX becomes machine code in the same image, by NVIDIA's linker. */
static int assemble(dc_image *image, const char *arch, dc_error *err) {
  size_t len;
  const dc_link_input ptx = { image->bytes, image->len, DC_LINK_PTX };
  void *cubin = dc_link_code(&(dc_link_job){ .inputs = &ptx, .n = 1, .arch = arch }, &len, err);
  if (!cubin) return -1;
  free(image->bytes);
  image->bytes = cubin;
  image->len = len;
  image->binary = true;
  return 0;
}

/* The module's source compiled for another architecture; raises. The caller frees it. */
static dc_image *compile_for(lua_State *L, const char *arch, bool binary) {
  dc_error err = DC_ERROR_INIT;
  dc_image *made = NULL;
  lua_getiuservalue(L, 1, DC_LUA_MODULE_ORIGIN);
  int origin = lua_gettop(L);
  lua_getiuservalue(L, 1, DC_LUA_MODULE_SOURCE);
  const dc_source *source = dc_lua_test(L, dc_lua_self(L), -1, DC_LUA_SOURCE);
  if (!source) dc_lua_tampered(L, "a user value of a module");
  if (dc_compile(source, arch, binary, &made, &err) != 0) dc_lua_raise_at(L, &err, origin);
  if (made->binary == binary || (binary && assemble(made, arch, &err) == 0)) return made;
  dc_image_free(made); /* ready-made code */
  if (binary) dc_lua_raise(L, &err);
  dc_lua_fail(L, DC_ARGUMENT, "the module came as machine code, of which PTX cannot be made");
  return NULL;
}

/* The architecture at 2, "compute_90" or "sm_90" with `prefix` in front of the number; else the device's. Pushed. */
static const char *read_arch(lua_State *L, const dc_module *m, const char *prefix) {
  lua_settop(L, 2);
  const char *given = m->arch;
  if (!lua_isnil(L, 2)) {
    if (lua_type(L, 2) != LUA_TSTRING) dc_lua_expected(L, 2, "an architecture such as 'sm_90'");
    given = lua_tostring(L, 2);
  }
  const char *number = strchr(given, '_');
  number = number ? number + 1 : "?";
  if (strspn(number, "0123456789af") != strlen(number) || (strncmp(given, "sm_", 3) && strncmp(given, "compute_", 8)))
    dc_lua_badarg(L, 2, "'%s' is no architecture such as 'sm_90' or 'compute_90'", given);
  return lua_pushfstring(L, "%s%s", prefix, number);
}

/* ptx([arch]): the image where it is PTX, else the source compiled to PTX. */
static int module_ptx(lua_State *L) {
  dc_lua_at_most(L, 2);
  dc_lua_module *o = dc_lua_check_module(L);
  const char *arch = read_arch(L, o->m, "compute_");
  if (!o->m->image->binary && lua_isnil(L, 2)) return push_bytes(L, o->m->image, false);
  return push_bytes(L, compile_for(L, arch, false), true);
}

/* The machine code for the architecture at 2, or the device's. *own: the caller frees it. */
static dc_image *machine_code(lua_State *L, const dc_module *m, bool *own) {
  *own = false;
  if (m->image->binary && lua_isnoneornil(L, 2)) return m->image;
  if (lua_isnoneornil(L, 2) && !m->dev->target.binary)
    dc_lua_fail(L, DC_ARGUMENT, "%s runs PTX: name the architecture that machine code is wanted for, such as 'sm_90'",
                m->dev->name);
  *own = true;
  return compile_for(L, read_arch(L, m, "sm_"), true);
}

/* cubin([arch]) */
static int module_cubin(lua_State *L) {
  dc_lua_at_most(L, 2);
  dc_lua_module *o = dc_lua_check_module(L);
  bool own;
  dc_image *image = machine_code(L, o->m, &own);
  return push_bytes(L, image, own);
}

/* sass([arch]) */
static int module_sass(lua_State *L) {
  dc_lua_at_most(L, 2);
  dc_lua_module *o = dc_lua_check_module(L);
  dc_error err = DC_ERROR_INIT;
  bool own;
  dc_image *image = machine_code(L, o->m, &own);
  char *text = dc_disassemble(image->bytes, image->len, &err);
  if (own) dc_image_free(image);
  if (!text) return dc_lua_raise(L, &err);
  return dc_lua_push_owned(L, text, strlen(text));
}

static const luaL_Reg module_methods[] = {
  { "global", dc_lua_module_global },
  { "ptx", module_ptx },
  { "cubin", module_cubin },
  { "sass", module_sass },
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
