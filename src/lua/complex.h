/*
** complex.h - one complex number as a Lua value, as an element of a complex array is: two float64, immutable.
*/
#pragma once

#include <lua.h>
#include <stdbool.h>

#include "lua/object.h"

void dc_lua_pushcomplex(lua_State *L, double re, double im);
bool dc_lua_tocomplex(lua_State *L, const dc_lua *self, int idx, double *re, double *im);
