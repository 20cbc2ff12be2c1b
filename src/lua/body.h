/*
** body.h - the kernels of dc.elementwise and dc.reduction as an object: the text and the parameters of a user's body,
** and the kernels made with it.
*/
#pragma once

#include <lauxlib.h>
#include <lua.h>

extern const luaL_Reg dc_lua_body_internal[];
void dc_lua_open_body(lua_State *L, int self);
