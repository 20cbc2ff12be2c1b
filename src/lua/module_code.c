/* module_code.c - see module_code.h. */
#include "lua/module_code.h"

#include <lua.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "compile/compile.h"
#include "compile/disassemble.h"
#include "compile/nvrtc/compiler.h"
#include "compile/nvrtc/nvjitlink.h"
#include "compile/types/image.h"
#include "compile/types/source.h"
#include "kernel/kernel.h"
#include "lua/error.h"
#include "lua/memory.h"
#include "lua/module.h"
#include "lua/object.h"

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
  const char *given = m->dev->target.arch;
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
int dc_lua_module_ptx(lua_State *L) {
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
int dc_lua_module_cubin(lua_State *L) {
  dc_lua_module *o = dc_lua_check_module(L);
  bool own;
  dc_image *image = machine_code(L, o->m, &own);
  return push_bytes(L, image, own);
}

/* sass([arch]) */
int dc_lua_module_sass(lua_State *L) {
  dc_lua_module *o = dc_lua_check_module(L);
  dc_error err = DC_ERROR_INIT;
  bool own;
  dc_image *image = machine_code(L, o->m, &own);
  char *text = dc_disassemble(image->bytes, image->len, &err);
  if (own) dc_image_free(image);
  if (!text) return dc_lua_raise(L, &err);
  return dc_lua_push_owned(L, text, strlen(text));
}
