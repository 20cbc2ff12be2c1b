/*
** index.h - a[i], a[{…}], views, and assignment through them.
*/
#pragma once

#include <lauxlib.h>
#include <lua.h>
#include <stdbool.h>

#include "array/graph/types.h"
#include "lua/object.h"

extern const luaL_Reg dc_lua_index_meta[], dc_lua_index_methods[];

/* Assigns the value at `value` (number, boolean, array, table) to all of `dst`. `async`: as dc_array_assign. */
void dc_lua_assign(lua_State *L, dc_lua *self, dc_array *dst, int value, bool async);

/* Sets the fields' numbers by name in the table on top, that of the methods. */
void dc_lua_set_fields(lua_State *L);
