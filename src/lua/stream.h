/*
** stream.h - streams and events as Lua objects, and the switch of the current device and stream (dc.using).
*/
#pragma once

#include <lauxlib.h>
#include <lua.h>

#include "device/timeline.h"
#include "lua/object.h"

/* A stream object: a userdata with one pointer. */
typedef struct dc_lua_stream {
  dc_stream *s; /* NULL: not made yet, or collected */
} dc_lua_stream;

/* The stream at idx, or NULL when it is none; it may be closed. */
dc_stream *dc_lua_tostream(lua_State *L, const dc_lua *self, int idx);

void dc_lua_open_stream(lua_State *L, int self);

extern const luaL_Reg dc_lua_stream_core[], dc_lua_stream_internal[];
