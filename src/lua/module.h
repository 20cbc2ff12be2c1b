/*
** module.h - a module as a Lua value, and m:global: arrays over its __device__, __constant__ and __managed__ variables.
**
** A module object's user values: its origin (source.c), the dc_source's userdata, a table of its kernel objects by
** name, and a table of its instances' modules by name.  Instances of templates that the module was not compiled with
** are images, hence modules, of their own.
*/
#pragma once

#include <lua.h>

#include "array/graph/types.h"
#include "base/error.h"
#include "kernel/kernel.h"
#include "lua/object.h"

/* What a module object points to; its kernels do too, whatever becomes of the object. */
typedef struct dc_lua_module {
  dc_module *m;        /* NULL: closed */
  unsigned refs;
  unsigned generation; /* changes when m does: kernel objects then look theirs up again */
  dc_array **globals;  /* arrays over its variables, of which its kernels may write any */
  int nglobals;
} dc_lua_module;
enum {
  DC_LUA_MODULE_ORIGIN = 1, DC_LUA_MODULE_SOURCE, DC_LUA_MODULE_KERNELS, DC_LUA_MODULE_INSTANCES,
  DC_LUA_MODULE_NVALUES = DC_LUA_MODULE_INSTANCES
};

/* A module object. */
typedef struct dc_lua_module_object {
  dc_lua_module *o; /* NULL: not made yet, or collected */
} dc_lua_module_object;

/* The open module object at 1; raises otherwise. */
dc_lua_module *dc_lua_check_module(lua_State *L);

/* The module of the object at idx; NULL when it is none. */
dc_lua_module *dc_lua_tomodule(lua_State *L, const dc_lua *self, int idx);
void dc_lua_module_unref(dc_lua_module *o);

/* Evaluates the pending expressions that read the module's variables: before its kernels may write them. */
int dc_lua_flush_global_readers(dc_lua_module *o, dc_error *err);

int dc_lua_module_global(lua_State *L); /* m:global(name) */

/* Closes the arrays over the module's variables. -1 with the first error; all are closed then too. */
int dc_lua_close_globals(dc_lua_module *o, dc_error *err);
