/*
** embedded.h - the modules inside the executable.  `require "dotcompute"` in dclua reads no file:
** package.preload holds a loader for each of our Lua files and for the C core.
*/
#pragma once

#include <lua.h>

/* Puts `dotcompute.core` and every embedded Lua module into package.preload. */
void dclua_embedded_open(lua_State *L);
