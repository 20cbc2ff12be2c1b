/*
** texture.h - textures and surfaces as Lua values; lua/dotcompute/texture.lua reads their options and describes them.
*/
#pragma once

#include <lauxlib.h>
#include <lua.h>

#include "array/graph/types.h"
#include "lua/object.h"

/* The texture or surface at idx: its object (array/texture.h), NULL where it is closed.  False: it is neither. */
bool dc_lua_totexture(lua_State *L, const dc_lua *self, int idx, dc_array **object, bool *surface);

void dc_lua_open_texture(lua_State *L, int self);
extern const luaL_Reg dc_lua_texture_internal[];
