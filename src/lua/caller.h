/* caller.h - which line of the script called: the innermost Lua function that is not of a built-in Lua file. */
#pragma once

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>

#include "lua/object.h"

/* The innermost Lua function that is not ours: fills `ar` with "Sl". False when there is none.  Needs 8 free stack
** slots, and raises nothing when they are there. */
bool dc_lua_caller(lua_State *L, lua_Debug *ar);

/* Whether the chunk of that name is a built-in Lua file. */
bool dc_lua_is_builtin(const dc_lua *self, const char *source, size_t len);
dc_lua_builtin dc_lua_builtin_name(const char *source, size_t len);
