/*
** operators.h - arithmetic and elementary functions on arrays: lazy expressions, made here and computed
** when needed.
*/
#pragma once

#include <lauxlib.h>
#include <lua.h>
#include <stdbool.h>

#include "array/graph/op.h"
#include "lua/object.h"

extern const luaL_Reg dc_lua_operators_core[], dc_lua_operators_internal[];

/* Whether an argument is a symbolic value of dc.vectorize, or all are numbers while it traces a function: then the node
** of the function `name` is on top. */
bool dc_lua_apply_symbolic(lua_State *L, const dc_lua *self, const char *name);
extern const luaL_Reg dc_lua_operators_meta[], dc_lua_operators_methods[];

/* The operator or function of the arguments on the stack; pushes the result, returns 1. */
int dc_lua_apply(lua_State *L, dc_op op);

/* All functions of dc_ops by name, into the table on top; as methods of `type`, if not NULL. */
void dc_lua_set_functions(lua_State *L, int self, const char *type);
