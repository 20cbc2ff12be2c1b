/*
** array_fields.h - the fields of arrays: a.dtype, a.T, a.ptr ...
*/
#pragma once

#include <lua.h>

#include "array/graph/types.h"
#include "lua/object.h"

/* Pushes field number `id` of an open array; returns 1. */
int dc_lua_array_field(lua_State *L, dc_lua *self, dc_array *a, int id);

/* Sets the fields' numbers by name in the table on top, that of the methods. */
void dc_lua_set_fields(lua_State *L);

/* Pushes a view whose axis i is axes[i] of `a`; NULL: reversed. Returns 1. */
int dc_lua_push_transposed(lua_State *L, dc_lua *self, dc_array *a, const int *axes);
