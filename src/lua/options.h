/*
** options.h - the options table of dc.kernel and dc.module, as the dc_source that the compiler takes.
*/
#pragma once

#include <lua.h>

#include "compile/types/source.h"

/* Pushes a userdata that begins with a dc_source for the texts and options of the origin at `origin`, and ends with
** copies of all its strings. `instance`: one more instance of a template, or NULL. */
const dc_source *dc_lua_newsource(lua_State *L, int origin, const char *instance);
