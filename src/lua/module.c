/*
** module.c - dc.kernel, dc.module and the module object: a compiled source and its kernels by name.
**
** A module keeps its source and options: its PTX is made from them on request, and so are instances of
** templates that nobody named beforehand.  An instance is an image of its own, so it is refused for
** sources with variables, of which each image would have its own copy.
*/
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "lua/lib.h"

/* User values: the origin (source.c), the dc_source's userdata, and a table name -> kernel object. */

static dc_lua_module *check_module(lua_State *L) {
  dc_lua_module *o = dc_lua_test(L, dc_lua_self(L), 1, DC_LUA_MODULE);
  if (!o || !o->m) dc_lua_expected(L, 1, "a module");
  return o;
}

/* Compiles for the current device and pushes the module object. `instance`: one more instance, or NULL. */
static dc_module *push_module(lua_State *L, dc_device *dev, int text, int options, int origin, const char *instance) {
  dc_lua *self = dc_lua_self(L);
  dc_error err = DC_ERROR_INIT;
  dc_lua_module *o = dc_lua_new(L, DC_LUA_MODULE, sizeof *o, DC_LUA_MODULE_NVALUES);
  int at = lua_gettop(L);
  lua_pushvalue(L, origin);
  lua_setiuservalue(L, at, DC_LUA_MODULE_ORIGIN);
  const dc_source *source = dc_lua_newsource(L, text, options, instance);
  lua_setiuservalue(L, at, DC_LUA_MODULE_SOURCE);
  lua_newtable(L);
  lua_setiuservalue(L, at, DC_LUA_MODULE_KERNELS);
  dc_module *m = NULL;
  if (DC_LUA_WORK(self, dc_module_build(dev, source, &m, &err)) != 0) dc_lua_raise_at(L, &err, origin);
  o->m = m;
  return m;
}

/* --- instances on request ------------------------------------------------------------------------ */

/* The end of a comment or literal that begins at s, else s. */
static const char *skip_quiet(const char *s) {
  if (s[0] == '/' && s[1] == '/') return s + strcspn(s, "\n");
  if (s[0] == '/' && s[1] == '*') {
    const char *end = strstr(s + 2, "*/");
    return end ? end + 2 : s + strlen(s);
  }
  if (s[0] != '"' && s[0] != '\'') return s;
  char quote = *s++;
  while (*s && *s != quote) s += s[0] == '\\' && s[1] ? 2 : 1;
  return *s ? s + 1 : s;
}

/* After "__device__": a variable's declaration has no parenthesis before its first of ; = { [. */
static bool declares_variable(const char *s) {
  while (*s) {
    const char *quiet = skip_quiet(s);
    if (quiet != s) {
      s = quiet;
      continue;
    }
    if (*s == '(') return false;
    if (strchr(";={[", *s)) return true;
    s++;
  }
  return false;
}

/* Has the source __constant__, __managed__ or __device__ variables? */
static bool has_variables(const char *s) {
  while (*s) {
    const char *quiet = skip_quiet(s);
    if (quiet != s) {
      s = quiet;
      continue;
    }
    if (!isalpha((unsigned char)*s) && *s != '_') {
      s++;
      continue;
    }
    size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    if (n == 12 && strncmp(s, "__constant__", n) == 0) return true;
    if (n == 11 && strncmp(s, "__managed__", n) == 0) return true;
    if (n == 10 && strncmp(s, "__device__", n) == 0 && declares_variable(s + n)) return true;
    s += n;
  }
  return false;
}

/* Compiles the module at `module` again with one more instance, and pushes that kernel's object. */
static void push_instance(lua_State *L, int module, const char *name) {
  const dc_module *m = ((dc_lua_module *)lua_touserdata(L, module))->m;
  lua_getiuservalue(L, module, DC_LUA_MODULE_ORIGIN);
  int origin = lua_gettop(L);
  lua_getfield(L, origin, "text");
  lua_getfield(L, origin, "options");
  if (has_variables(lua_tostring(L, origin + 1)))
    dc_lua_fail(L, DC_ARGUMENT,
                "the module has variables and so is one image: name '%s' beforehand, in its option instantiate = {…}",
                name);
  push_module(L, m->dev, origin + 1, origin + 2, origin, name);
  dc_lua_pushkernel(L, lua_gettop(L), name);
}

/* --- methods ------------------------------------------------------------------------------------- */

/* Pushes the kernel `name`, from the module's table when it was asked for before. */
static int find_kernel(lua_State *L, dc_lua_module *o, const char *name) {
  dc_error err = DC_ERROR_INIT;
  lua_settop(L, 2);
  lua_getiuservalue(L, 1, DC_LUA_MODULE_KERNELS); /* 3 */
  lua_pushvalue(L, 2);
  if (lua_rawget(L, 3) != LUA_TNIL) return 1;
  lua_pop(L, 1);
  bool there = dc_module_kernel(o->m, name, &err) != NULL;
  if (!there && (err.kind != DC_ARGUMENT || !strchr(name, '<'))) {
    lua_getiuservalue(L, 1, DC_LUA_MODULE_ORIGIN);
    return dc_lua_raise_at(L, &err, lua_gettop(L));
  }
  dc_error_clear(&err);
  if (there) dc_lua_pushkernel(L, 1, name);
  else push_instance(L, 1, name);
  lua_pushvalue(L, 2);
  lua_pushvalue(L, -2);
  lua_rawset(L, 3);
  return 1;
}

static int module_kernel(lua_State *L) {
  dc_lua_module *o = check_module(L);
  if (lua_type(L, 2) != LUA_TSTRING) return dc_lua_expected(L, 2, "a kernel's name");
  return find_kernel(L, o, lua_tostring(L, 2));
}

static int module_index(lua_State *L) {
  dc_lua_module *o = check_module(L);
  if (lua_type(L, 2) != LUA_TSTRING)
    return dc_lua_fail(L, DC_INDEX, "a module is indexed by names of kernels, got %s", dc_lua_describe(L, 2));
  lua_getiuservalue(L, lua_upvalueindex(1), DC_LUA_MODULE);
  lua_getfield(L, -1, "__methods");
  lua_pushvalue(L, 2);
  if (lua_rawget(L, -2) != LUA_TNIL) return 1;
  return find_kernel(L, o, lua_tostring(L, 2));
}

/* kernels(): their names. */
static int module_kernels(lua_State *L) {
  const dc_image *image = check_module(L)->m->image;
  lua_createtable(L, image->nkernels, 0);
  for (int i = 0; i < image->nkernels; i++) {
    lua_pushstring(L, image->kernels[i].name);
    lua_rawseti(L, -2, i + 1);
  }
  return 1;
}

static int push_image(lua_State *L) {
  const dc_image *image = lua_touserdata(L, 1);
  lua_pushlstring(L, image->bytes, image->len);
  return 1;
}

/* ptx(): the image where it is PTX, else compiled again to PTX of the same architecture. */
static int module_ptx(lua_State *L) {
  dc_lua_module *o = check_module(L);
  dc_error err = DC_ERROR_INIT;
  dc_image *image = o->m->image, *made = NULL;
  if (image->binary) {
    char arch[sizeof o->m->dev->target.arch + 8] = "compute_";
    const char *number = strchr(o->m->dev->target.arch, '_');
    strncat(arch, number ? number + 1 : "75", sizeof arch - strlen(arch) - 1);
    lua_getiuservalue(L, 1, DC_LUA_MODULE_ORIGIN);
    lua_getiuservalue(L, 1, DC_LUA_MODULE_SOURCE);
    if (dc_compile(lua_touserdata(L, -1), arch, false, &made, &err) != 0) return dc_lua_raise_at(L, &err, -2);
    image = made;
  }
  lua_pushcfunction(L, push_image);
  lua_pushlightuserdata(L, image);
  int status = lua_pcall(L, 1, 1, 0);
  if (made) dc_image_free(made);
  return status == LUA_OK ? 1 : lua_error(L);
}

static int module_gc(lua_State *L) {
  dc_lua_module *o = dc_lua_test(L, dc_lua_self(L), 1, DC_LUA_MODULE);
  if (!o) return dc_lua_expected(L, 1, "a module");
  dc_module *m = o->m;
  o->m = NULL;
  if (m) dc_module_unref(m);
  return 0;
}

static int module_tostring(lua_State *L) {
  const dc_image *image = check_module(L)->m->image;
  luaL_Buffer b;
  luaL_buffinit(L, &b);
  luaL_addstring(&b, "module of");
  for (int i = 0; i < image->nkernels; i++) {
    luaL_addstring(&b, i ? ", " : " ");
    luaL_addstring(&b, image->kernels[i].name);
  }
  if (image->nkernels == 0) luaL_addstring(&b, " no kernels");
  luaL_pushresult(&b);
  return 1;
}

/* --- functions of dc ----------------------------------------------------------------------------- */

/* Stack on entry: source text at 1, options or nil at 2, the file it came from or nil at 3. Leaves the
** origin at 4, the module at 5. */
static dc_module *compile(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  lua_settop(L, 3);
  if (lua_type(L, 1) != LUA_TSTRING) dc_lua_expected(L, 1, "CUDA C source");
  dc_lua_origin(L, 1, lua_tostring(L, 3)); /* 4 */
  lua_pushvalue(L, 2);
  lua_setfield(L, 4, "options");
  const char *name = NULL;
  if (lua_istable(L, 2) && lua_getfield(L, 2, "name") != LUA_TNIL) {
    if (lua_type(L, -1) != LUA_TSTRING)
      dc_lua_fail(L, DC_ARGUMENT, "option 'name' is a string, got %s", dc_lua_describe(L, -1));
    name = strchr(lua_tostring(L, -1), '<') ? lua_tostring(L, -1) : NULL; /* alive in the options */
  }
  lua_settop(L, 4);
  return push_module(L, dc_lua_current(L, self), 1, 2, 4, name);
}

/* Which kernel dc.kernel means: option name, or the only one. */
static const char *choose_kernel(lua_State *L, const dc_module *m) {
  if (lua_istable(L, 2) && lua_getfield(L, 2, "name") == LUA_TSTRING) return lua_tostring(L, -1);
  const dc_image *image = m->image;
  if (image->nkernels == 1) return image->kernels[0].name;
  if (image->nkernels == 0)
    dc_lua_fail(L, DC_ARGUMENT, "the source has no kernel: no __global__ function that is no template was found");
  luaL_Buffer b;
  luaL_buffinit(L, &b);
  for (int i = 0; i < image->nkernels; i++) {
    if (i) luaL_addstring(&b, ", ");
    luaL_addstring(&b, image->kernels[i].name);
  }
  luaL_pushresult(&b);
  dc_lua_fail(L, DC_ARGUMENT, "the source has %d kernels (%s): say which in the option 'name', or use dc.module",
              image->nkernels, lua_tostring(L, -1));
  return NULL;
}

static int push_chosen(lua_State *L) {
  dc_module *m = compile(L);
  dc_lua_pushkernel(L, 5, choose_kernel(L, m));
  return 1;
}

static int core_module(lua_State *L) {
  lua_settop(L, 2);
  compile(L);
  return 1;
}

static int core_kernel(lua_State *L) {
  lua_settop(L, 2);
  return push_chosen(L);
}

typedef struct bytes {
  char *data;
  size_t n;
} bytes;

static int push_bytes(lua_State *L) {
  const bytes *b = lua_touserdata(L, 1);
  lua_pushlstring(L, b->data, b->n);
  return 1;
}

/* Arguments (path, options) become (text, options, path). */
static void read_source(lua_State *L) {
  dc_error err = DC_ERROR_INIT;
  bytes file = { NULL, 0 };
  lua_settop(L, 2);
  if (lua_type(L, 1) != LUA_TSTRING) dc_lua_expected(L, 1, "a file name");
  if (dc_file_read(lua_tostring(L, 1), &file.data, &file.n, &err) != 0) dc_lua_raise(L, &err);
  lua_pushvalue(L, 1); /* 3 */
  lua_pushcfunction(L, push_bytes);
  lua_pushlightuserdata(L, &file);
  int status = lua_pcall(L, 1, 1, 0);
  free(file.data);
  if (status != LUA_OK) lua_error(L);
  lua_replace(L, 1);
}

static int core_module_file(lua_State *L) {
  dc_lua_self(L);
  read_source(L);
  compile(L);
  return 1;
}

static int core_kernel_file(lua_State *L) {
  dc_lua_self(L);
  read_source(L);
  return push_chosen(L);
}

const luaL_Reg dc_lua_module_core[] = {
  { "module", core_module },
  { "kernel", core_kernel },
  { "module_file", core_module_file },
  { "kernel_file", core_kernel_file },
  { NULL, NULL },
};

static const luaL_Reg module_methods[] = {
  { "kernel", module_kernel },
  { "kernels", module_kernels },
  { "ptx", module_ptx },
  { NULL, NULL },
};

static const luaL_Reg module_meta[] = {
  { "__index", module_index },
  { "__gc", module_gc },
  { "__tostring", module_tostring },
  { NULL, NULL },
};

void dc_lua_open_module(lua_State *L, int self) {
  dc_lua_newtype(L, self, DC_LUA_MODULE, "dotcompute.module", module_meta, module_methods);
}
