/*
** create.h - functions of the module that make arrays.
*/
#pragma once

#include <lauxlib.h>
#include <lua.h>

#include "base/dtype.h"
#include "lua/convert.h"

/* All arguments, as a shape and perhaps a dtype, which is given (float32 otherwise). (create.c) */
dc_dtype dc_lua_checkshaped(lua_State *L, dc_lua_shape *s);

extern const luaL_Reg dc_lua_create_core[];
