/*
** array.h - an array as a Lua value: a userdata with one pointer, which is NULL once it is closed.
*/
#pragma once

#include <lua.h>
#include <stddef.h>
#include <stdint.h>

#include "array/graph/geometry.h"
#include "array/graph/types.h"
#include "base/error.h"
#include "lua/object.h"

/* Bytes of all elements. */
size_t dc_lua_nbytes(const dc_array *a);

/* Pushes an array object without an array, which counts as closed until dc_lua_set_array. */
dc_lua_array *dc_lua_newarray(lua_State *L);

/* The finalizer of the state's dc_lua, the last of ours: releases the arrays that Lua does not finalize. */
int dc_lua_release_late(lua_State *L);

/* The same, given the running function's dc_lua; the stack must have room for two more values. */
dc_lua_array *dc_lua_newarray_of(lua_State *L, dc_lua *self);

/* Stores `a`, whose reference it takes over, in the array object on top and returns 1; raises `err` where a is NULL. */
int dc_lua_set_array(lua_State *L, dc_lua_array *slot, dc_array *a, dc_error *err);

/* Pushes a view of the array's memory with geometry `g`, whose first element is `offset` bytes behind the array's; or a
** copy in C order of an array that is not pending.  The object owns what is returned.  Raise. */
dc_array *dc_lua_push_view(lua_State *L, dc_array *a, const dc_geometry *g, int64_t offset);
dc_array *dc_lua_push_copy(lua_State *L, dc_lua *self, dc_array *a);

/* The open array at idx, or NULL when it is no array (closed arrays raise). */
dc_array *dc_lua_toarray(lua_State *L, const dc_lua *self, int idx);

/* The open array that is argument `arg`; raises otherwise. */
dc_array *dc_lua_checkarray(lua_State *L, const dc_lua *self, int arg);

/* Evaluates the array when it is pending; raises where that fails. */
void dc_lua_materialize(lua_State *L, dc_lua *self, dc_array *a);
