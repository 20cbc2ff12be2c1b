/*
** stream.h - streams, events, graphs and page-locked arrays for the other files of lua/.
*/
#pragma once

#include <lua.h>

#include "device/timeline.h"
#include "lua/object.h"

/* A stream object: a userdata with one pointer. */
typedef struct dc_lua_stream {
  dc_stream *s; /* NULL: not made yet, or collected */
} dc_lua_stream;

/* The stream at idx, or NULL when it is none; it may be closed. */
dc_stream *dc_lua_tostream(lua_State *L, const dc_lua *self, int idx);
/* Pushes an object for a stream, with a reference of its own. */
void dc_lua_pushstream(lua_State *L, dc_stream *s);
