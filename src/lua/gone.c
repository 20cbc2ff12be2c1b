/*
** gone.c - arrays whose objects go without a finalizer, where the host's allocator tells of them (lua_dc.h).
*/
#include <string.h>

#include "lua/lib.h"

#define OBJECT (sizeof(dc_lua_array) + sizeof(dc_lua_tag)) /* what dc_lua_new makes of an array */
_Static_assert(sizeof(dc_lua_array) % 8 == 0, "the tag stands right behind the array");

struct dc_lua_host dc_lua_host;

static struct {
  const dc_lua *self; /* the only state's; only compared: it may go before them when the state is closed */
  size_t arrays;      /* gone since somebody asked */
  bool going;         /* one is */
} gone;

DC_HOT void dc_lua_gone(void *block) {
  dc_lua_tag *tag = (void *)((char *)block + dc_lua_host.bytes - sizeof *tag);
  if (tag->owner != gone.self || tag->slot != DC_LUA_ARRAY) return;
  const dc_lua_array *o = (const dc_lua_array *)(void *)tag - 1;
  tag->owner = NULL; /* a block of something else may be made here that does not write it */
  gone.arrays++;
  if (!o->a) return;
  gone.going = true;
  dc_array_unref(o->a);
  gone.going = false;
}

bool dc_lua_is_going(void) { return gone.going; }

size_t dc_lua_take_gone(void) {
  const size_t n = gone.arrays;
  gone.arrays = 0;
  return n;
}

static size_t heap_bytes(lua_State *L) {
  return (size_t)lua_gc(L, LUA_GCCOUNT) * 1024 + (size_t)lua_gc(L, LUA_GCCOUNTB);
}

/* What an array object takes of the heap, Lua's own part included.  0 within a finalizer, where the collector tells
** nothing. */
static size_t block_bytes(lua_State *L) {
  const bool running = lua_gc(L, LUA_GCISRUNNING);
  lua_gc(L, LUA_GCSTOP);
  const size_t before = heap_bytes(L);
  memset(lua_newuserdatauv(L, OBJECT, 0), 0, OBJECT);
  const size_t bytes = heap_bytes(L) - before;
  lua_pop(L, 1);
  if (running) lua_gc(L, LUA_GCRESTART);
  return bytes;
}

void dc_lua_spare_finalizers(lua_State *L, const dc_lua *self) {
  const size_t bytes = dc_lua_host.tells ? block_bytes(L) : 0;
  if (bytes == 0) return;
  gone.self = self;
  dc_lua_host.bytes = bytes;
  lua_pushnil(L);
  lua_setfield(L, -2, "__gc");
}
