/*
** cache.h - what our own Lua files (dotcompute.cache) need of the compiler's cache and of bundles.
*/
#pragma once

#include <lauxlib.h>
#include <lua.h>

extern const luaL_Reg dc_lua_cache_internal[];

/* Notes the script (`arg[0]`) whose bundle of compiled code is to be used. The stack is emptied. */
void dc_lua_find_bundle(lua_State *L);
