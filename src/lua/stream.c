/* stream.c - see stream.h. */
#include "lua/stream.h"

#include <lauxlib.h>
#include <lua.h>
#include <string.h>

#include "base/error.h"
#include "device/device.h"
#include "device/registry.h"
#include "device/stream.h"
#include "device/stream_state.h"
#include "device/timeline.h"
#include "lua/device.h"
#include "lua/error.h"
#include "lua/field.h"
#include "lua/host_interrupt.h"
#include "lua/object.h"

dc_stream *dc_lua_tostream(lua_State *L, const dc_lua *self, int idx) {
  dc_lua_stream *o = dc_lua_test(L, self, idx, DC_LUA_STREAM);
  return o ? o->s : NULL;
}

/* Pushes an object for a stream, with a reference of its own. */
static void push_stream(lua_State *L, dc_stream *s) {
  dc_lua_stream *o = dc_lua_new(L, DC_LUA_STREAM, sizeof *o, 0);
  if (s) dc_stream_name(s);
  o->s = s;
}

typedef struct event_object {
  dc_event *e;
} event_object;

/* --- streams ------------------------------------------------------------------------------------- */

static dc_stream *check_stream(lua_State *L, const dc_lua *self, int arg) {
  dc_stream *s = dc_lua_tostream(L, self, arg);
  if (!s) dc_lua_expected(L, arg, "a stream");
  return s;
}

/* stream([device]): a new stream of the current device. */
static int core_stream(lua_State *L) {
  dc_lua_at_most(L, 1);
  dc_lua *self = dc_lua_self(L);
  dc_device *dev = dc_lua_optdevice(L, self, 1);
  dc_error err = DC_ERROR_INIT;
  dc_lua_stream *o = dc_lua_new(L, DC_LUA_STREAM, sizeof *o, 0);
  if (!(o->s = dc_stream_new(dev, &err))) return dc_lua_raise(L, &err);
  return 1;
}

/* synchronize(): waits for all its work. */
static int stream_synchronize(lua_State *L) {
  dc_lua_at_most(L, 1);
  dc_lua *self = dc_lua_self(L);
  dc_stream *s = check_stream(L, self, 1);
  dc_error err = DC_ERROR_INIT;
  if (DC_LUA_WORK(self, dc_stream_synchronize(s, &err)) != 0) return dc_lua_raise(L, &err);
  return 0;
}

/* query(): is all its work done? */
static int stream_query(lua_State *L) {
  dc_lua_at_most(L, 1);
  dc_stream *s = check_stream(L, dc_lua_self(L), 1);
  dc_error err = DC_ERROR_INIT;
  bool done;
  if (dc_stream_done(s, &done, &err) != 0) return dc_lua_raise(L, &err);
  lua_pushboolean(L, done);
  return 1;
}

/* close(): takes no more work; what it has goes on. Idempotent. */
static int stream_close(lua_State *L) {
  dc_stream *s = check_stream(L, dc_lua_self(L), 1);
  dc_error err = DC_ERROR_INIT;
  if (dc_stream_close(s, &err) != 0) return dc_lua_raise(L, &err);
  return 0;
}

static int stream_gc(lua_State *L) {
  dc_lua_stream *o = dc_lua_check(L, dc_lua_self(L), 1, DC_LUA_STREAM, "a stream");
  dc_stream *s = o->s;
  o->s = NULL;
  if (s) dc_stream_abandon(s);
  return 0;
}

static int stream_index(lua_State *L) {
  enum { DEVICE, CLOSED };
  static const char *const fields[] = { [DEVICE] = "device", [CLOSED] = "closed", NULL };
  dc_stream *s = check_stream(L, dc_lua_self(L), 1);
  if (dc_lua_method(L, DC_LUA_STREAM) != LUA_TNIL) return 1;
  if (dc_lua_check_field(L, "a stream", DC_LUA_STREAM, fields) == DEVICE) dc_lua_pushdevice(L, s->dev);
  else lua_pushboolean(L, s->closed);
  return 1;
}

static int stream_tostring(lua_State *L) {
  const dc_stream *s = check_stream(L, dc_lua_self(L), 1);
  lua_pushfstring(L, "stream %I of %s%s", (LUAI_UACINT)s->serial, s->dev->id, s->closed ? " (closed)" : "");
  return 1;
}

/* --- events -------------------------------------------------------------------------------------- */

static dc_event *check_event(lua_State *L, const dc_lua *self, int arg) {
  event_object *o = dc_lua_test(L, self, arg, DC_LUA_EVENT);
  if (!o || !o->e) dc_lua_expected(L, arg, "an event");
  return o->e;
}

/* event([device]): of the current device; not recorded yet. */
static int core_event(lua_State *L) {
  dc_lua_at_most(L, 1);
  dc_lua *self = dc_lua_self(L);
  dc_device *dev = dc_lua_optdevice(L, self, 1);
  dc_error err = DC_ERROR_INIT;
  event_object *o = dc_lua_new(L, DC_LUA_EVENT, sizeof *o, 0);
  if (!(o->e = dc_event_new(dev, &err))) return dc_lua_raise(L, &err);
  return 1;
}

/* record([stream]): happens when the stream (the current one) has done what it has now; returns the event. */
static int event_record(lua_State *L) {
  dc_lua_at_most(L, 2);
  dc_lua *self = dc_lua_self(L);
  dc_event *e = check_event(L, self, 1);
  dc_stream *s = lua_isnoneornil(L, 2) ? NULL : check_stream(L, self, 2);
  dc_error err = DC_ERROR_INIT;
  if (dc_event_record(e, s, &err) != 0) return dc_lua_raise(L, &err);
  lua_settop(L, 1);
  return 1;
}

/* s:wait(event): what the stream is given from now on runs after the event; returns the stream. */
static int stream_wait(lua_State *L) {
  dc_lua_at_most(L, 2);
  dc_lua *self = dc_lua_self(L);
  dc_stream *s = check_stream(L, self, 1);
  dc_event *e = check_event(L, self, 2);
  dc_error err = DC_ERROR_INIT;
  if (DC_LUA_WORK(self, dc_stream_wait(s, e, &err)) != 0) return dc_lua_raise(L, &err);
  lua_settop(L, 1);
  return 1;
}

/* wait([stream]): what the stream (the current one) is given from now on runs after the event; returns the event. */
static int event_wait(lua_State *L) {
  dc_lua_at_most(L, 2);
  dc_lua *self = dc_lua_self(L);
  dc_event *e = check_event(L, self, 1);
  dc_error err = DC_ERROR_INIT;
  dc_stream *s = NULL;
  if (!lua_isnoneornil(L, 2)) s = check_stream(L, self, 2);
  else s = dc_stream_current(dc_lua_current(L, self), &err);
  if (!s || DC_LUA_WORK(self, dc_stream_wait(s, e, &err)) != 0) return dc_lua_raise(L, &err);
  lua_settop(L, 1);
  return 1;
}

static int event_query(lua_State *L) {
  dc_lua_at_most(L, 1);
  dc_event *e = check_event(L, dc_lua_self(L), 1);
  dc_error err = DC_ERROR_INIT;
  bool done;
  if (dc_event_done(e, &done, &err) != 0) return dc_lua_raise(L, &err);
  lua_pushboolean(L, done);
  return 1;
}

static int event_synchronize(lua_State *L) {
  dc_lua_at_most(L, 1);
  dc_lua *self = dc_lua_self(L);
  dc_event *e = check_event(L, self, 1);
  dc_error err = DC_ERROR_INIT;
  if (DC_LUA_WORK(self, dc_event_synchronize(e, &err)) != 0) return dc_lua_raise(L, &err);
  return 0;
}

/* e:elapsed(e2): seconds of device time from e to e2; waits for both. */
static int event_elapsed(lua_State *L) {
  dc_lua_at_most(L, 2);
  dc_lua *self = dc_lua_self(L);
  dc_event *from = check_event(L, self, 1), *to = check_event(L, self, 2);
  dc_error err = DC_ERROR_INIT;
  double seconds;
  if (DC_LUA_WORK(self, dc_event_elapsed(from, to, &seconds, &err)) != 0) return dc_lua_raise(L, &err);
  lua_pushnumber(L, seconds);
  return 1;
}

static int event_gc(lua_State *L) {
  event_object *o = dc_lua_check(L, dc_lua_self(L), 1, DC_LUA_EVENT, "an event");
  dc_event *e = o->e;
  o->e = NULL;
  dc_event_free(e);
  return 0;
}

static int event_index(lua_State *L) {
  enum { DEVICE, RECORDED };
  static const char *const fields[] = { [DEVICE] = "device", [RECORDED] = "recorded", NULL };
  dc_event *e = check_event(L, dc_lua_self(L), 1);
  if (dc_lua_method(L, DC_LUA_EVENT) != LUA_TNIL) return 1;
  if (dc_lua_check_field(L, "an event", DC_LUA_EVENT, fields) == DEVICE) dc_lua_pushdevice(L, e->dev);
  else lua_pushboolean(L, e->recorded);
  return 1;
}

static int event_tostring(lua_State *L) {
  lua_pushfstring(L, "event of %s", check_event(L, dc_lua_self(L), 1)->dev->id);
  return 1;
}

/* --- dc.using --------------------------------------------------------------------------------------- */

/* switch(device or stream, fn): makes it current and gives what restore takes: the device before (nil when none had
** been chosen), and for a stream its device and that device's stream before (nil for its own). What will be called is
** checked here, where an error still stands in the script. */
static int core_switch(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  dc_stream *s = dc_lua_tostream(L, self, 1), *stream_before = NULL;
  dc_device *dev = s ? s->dev : dc_lua_checkdevice(L, 1), *before = self->device;
  dc_error err = DC_ERROR_INIT;
  if (!lua_isfunction(L, 2) && luaL_getmetafield(L, 2, "__call") == LUA_TNIL)
    return dc_lua_expected(L, 2, "a function");
  if (dc_device_open(dev, &err) != 0) return dc_lua_raise(L, &err);
  if (before) dc_lua_pushdevice(L, before);
  else lua_pushnil(L);
  if (!s) {
    self->device = dev;
    return 1;
  }
  dc_lua_pushdevice(L, dev);
  stream_before = dc_stream_chosen(dev);
  if (stream_before) push_stream(L, stream_before);
  else lua_pushnil(L);
  if (dc_stream_choose(dev, s, &err) != 0) return dc_lua_raise(L, &err);
  self->device = dev;
  return 3;
}

/* restore(device, stream's device, stream): undoes a switch. */
static int core_restore(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  dc_error err = DC_ERROR_INIT;
  lua_settop(L, 3);
  self->device = lua_isnil(L, 1) ? NULL : dc_lua_checkdevice(L, 1);
  if (lua_isnil(L, 2)) return 0;
  dc_stream *s = dc_lua_tostream(L, self, 3);
  if (s && s->closed) s = NULL; /* by its device's end */
  if (dc_stream_choose(dc_lua_checkdevice(L, 2), s, &err) != 0) return dc_lua_raise(L, &err);
  return 0;
}

/* --- opening ------------------------------------------------------------------------------------- */

const luaL_Reg dc_lua_stream_core[] = {
  { "stream", core_stream },
  { "event", core_event },
  { NULL, NULL },
};

const luaL_Reg dc_lua_stream_internal[] = {
  { "switch", core_switch },
  { "restore", core_restore },
  { NULL, NULL },
};

static const luaL_Reg stream_methods[] = {
  { "synchronize", stream_synchronize }, { "query", stream_query }, { "wait", stream_wait },
  { "close", stream_close },             { NULL, NULL },
};

static const luaL_Reg stream_meta[] = {
  { "__index", stream_index }, { "__tostring", stream_tostring }, { "__close", stream_close }, { "__gc", stream_gc },
  { NULL, NULL },
};

static const luaL_Reg event_methods[] = {
  { "record", event_record },   { "synchronize", event_synchronize }, { "query", event_query },
  { "elapsed", event_elapsed }, { "wait", event_wait },               { NULL, NULL },
};

static const luaL_Reg event_meta[] = {
  { "__index", event_index }, { "__tostring", event_tostring }, { "__gc", event_gc },
  { NULL, NULL },
};

void dc_lua_open_stream(lua_State *L, int self) {
  dc_lua_newtype(L, self, DC_LUA_STREAM, "dotcompute.stream", stream_meta, stream_methods);
  dc_lua_newtype(L, self, DC_LUA_EVENT, "dotcompute.event", event_meta, event_methods);
}
