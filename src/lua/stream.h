/*
** stream.h - streams, events, graphs and page-locked arrays for the other files of lua/.
*/
#ifndef DC_LUA_STREAM_H
#define DC_LUA_STREAM_H

#include "lua/argument.h"

/* A stream object: a userdata with one pointer. */
typedef struct dc_lua_stream {
  dc_stream *s; /* NULL: not made yet, or collected */
} dc_lua_stream;

/* The stream at idx, or NULL when it is none; it may be closed. */
dc_stream *dc_lua_tostream(lua_State *L, const dc_lua *self, int idx);
/* Pushes an object for a stream that somebody else holds too. */
void dc_lua_pushstream(lua_State *L, dc_stream *s);
/* Orders a launch of a kernel of module `m` in stream `by` (NULL: the current one) behind the uses of its arguments in
** other streams, or makes them part of the graph that is being captured.  Call it when the device's `tracking` is set,
** after dc_lua_put_arguments.  `anything`: the kernel may use memory that nobody knows.  Raises. */
void dc_lua_order_launch(lua_State *L, dc_lua *self, const dc_kernel *k, const dc_lua_module *m, dc_stream *by,
                         bool anything, int first);

extern const luaL_Reg dc_lua_stream_core[], dc_lua_graph_core[], dc_lua_pinned_core[];
void dc_lua_open_stream(lua_State *L, int self);
void dc_lua_open_graph(lua_State *L, int self);

#endif
