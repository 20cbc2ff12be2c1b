/*
** nvrtc.c - NVIDIA's compiler alone, as a Lua module: what a new kernel costs at least.
**
** It takes the library that this process has loaded already.
*/
#include <dlfcn.h>
#include <lauxlib.h>
#include <lua.h>
#include <stddef.h>
#include <stdlib.h>

#include "clock.h"

typedef struct api {
  int (*create)(void **program, const char *source, const char *name, int nheaders, const char **headers,
                const char **names);
  int (*compile)(void *program, int noptions, const char **options);
  int (*size)(void *program, size_t *bytes);
  int (*get)(void *program, char *ptx);
  int (*destroy)(void **program);
} api;

static void load(lua_State *L, const char *path, api *a) {
  void *lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!lib) luaL_error(L, "%s", dlerror());
  *(void **)&a->create = dlsym(lib, "nvrtcCreateProgram");
  *(void **)&a->compile = dlsym(lib, "nvrtcCompileProgram");
  *(void **)&a->size = dlsym(lib, "nvrtcGetPTXSize");
  *(void **)&a->get = dlsym(lib, "nvrtcGetPTX");
  *(void **)&a->destroy = dlsym(lib, "nvrtcDestroyProgram");
  if (!a->create || !a->compile || !a->size || !a->get || !a->destroy) luaL_error(L, "NVRTC lacks a function");
}

/* compile(library, source, {options}) -> seconds, PTX; library: the file that is NVRTC */
static int l_compile(lua_State *L) {
  api a;
  load(L, luaL_checkstring(L, 1), &a);
  const char *source = luaL_checkstring(L, 2), *options[16];
  int n = 0;
  for (; n < 16 && lua_geti(L, 3, n + 1) == LUA_TSTRING; n++) options[n] = lua_tostring(L, -1);
  double t = now();
  void *program = NULL;
  size_t bytes = 0;
  int r = a.create(&program, source, "fresh.cu", 0, NULL, NULL);
  if (r == 0) r = a.compile(program, n, options);
  if (r == 0) r = a.size(program, &bytes);
  char *ptx = r == 0 ? malloc(bytes + 1) : NULL;
  if (ptx) r = a.get(program, ptx);
  a.destroy(&program);
  t = now() - t;
  if (r != 0 || !ptx) {
    free(ptx);
    return luaL_error(L, "NVRTC error %d", r);
  }
  lua_pushnumber(L, t);
  lua_pushlstring(L, ptx, bytes ? bytes - 1 : 0);
  free(ptx);
  return 2;
}

int luaopen_nvrtc(lua_State *L);
int luaopen_nvrtc(lua_State *L) {
  lua_newtable(L);
  lua_pushcfunction(L, l_compile);
  lua_setfield(L, -2, "compile");
  return 1;
}
