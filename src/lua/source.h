/*
** source.h - a source and its options as the compiler takes them.
*/
#pragma once

#include <lua.h>

#include "compile/types/source.h"

/* Pushes a userdata that begins with a dc_source for the origin at `origin` (lua/dotcompute/module.lua), and ends with
** copies of all its strings. `instance`: one more instance of a template, or NULL. */
const dc_source *dc_lua_newsource(lua_State *L, int origin, const char *instance);
