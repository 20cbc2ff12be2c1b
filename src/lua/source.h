/*
** source.h - where a kernel's source text stands in the script that passed it.
*/
#pragma once

#include <lua.h>

/* Pushes a table that remembers the source text (at index `text`) and the caller's place. `path`: the
** file that the text is the whole of, or NULL. */
void dc_lua_origin(lua_State *L, int text, const char *path);

/* The same for several sources that are linked, with their paths or false in the table at `paths` (or nil): lines
** count through them. */
void dc_lua_origins(lua_State *L, int texts, int paths);

/* Pushes the place of line `line` of the source: "script.lua:17". */
void dc_lua_place(lua_State *L, int origin, int line);

/* Pushes `text` with every "dotcompute.cu(12)" replaced by its place. */
void dc_lua_map_lines(lua_State *L, int origin, const char *text);
