/*
** module_global.h - m:global: arrays over a module's __device__, __constant__ and __managed__ variables.
*/
#pragma once

#include <lua.h>

#include "base/error.h"
#include "lua/module.h"

int dc_lua_module_global(lua_State *L); /* m:global(name) */

/* Closes the arrays over the module's variables. -1 with the first error; all are closed then too. */
int dc_lua_close_globals(dc_lua_module *o, dc_error *err);
