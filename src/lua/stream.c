/* stream.c - a stream as a Lua value. */
#include "lua/stream.h"

#include <lua.h>

#include "device/stream.h"
#include "device/timeline.h"
#include "lua/object.h"

dc_stream *dc_lua_tostream(lua_State *L, const dc_lua *self, int idx) {
  dc_lua_stream *o = dc_lua_test(L, self, idx, DC_LUA_STREAM);
  return o ? o->s : NULL;
}

void dc_lua_pushstream(lua_State *L, dc_stream *s) {
  dc_lua_stream *o = dc_lua_new(L, DC_LUA_STREAM, sizeof *o, 0);
  if (s) dc_stream_name(s);
  o->s = s;
}
