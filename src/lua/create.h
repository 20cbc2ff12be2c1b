/*
** create.h - functions of the module that make arrays.
*/
#ifndef DC_LUA_CREATE_H
#define DC_LUA_CREATE_H

#include <lauxlib.h>
#include <lua.h>

#include "base/dtype.h"
#include "lua/convert.h"

/* All arguments, as a shape and perhaps a dtype, which is given (float32 otherwise). (create.c) */
dc_dtype dc_lua_checkshaped(lua_State *L, dc_lua_shape *s);

extern const luaL_Reg dc_lua_create_core[];

#endif
