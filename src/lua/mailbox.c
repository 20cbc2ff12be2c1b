/* mailbox.c - see mailbox.h. */
#include "lua/mailbox.h"

#include "base/error.h"
#include "device/device.h"
#include "device/mailbox.h"
#include "device/stream_state.h"
#include "lua/device.h"
#include "lua/error.h"
#include "lua/interrupt.h"
#include "lua/object.h"

/* mailbox(device): the two arguments of dc_post for the next kernel; nothing where the mailbox cannot be used now. An
** error while a graph is captured: the kernel's value would not be there to wait for. */
static int core_mailbox(lua_State *L) {
  dc_device *dev = dc_lua_checkdevice(L, 1);
  dc_ptr at;
  uint64_t sequence;
  dc_error err = DC_ERROR_INIT;
  if (dc_capture_refuse(dev, "copies values to the host", &err) != 0) return dc_lua_raise(L, &err);
  if (!dc_device_mailbox(dev, &at, &sequence)) return 0;
  lua_pushinteger(L, (lua_Integer)at);       /* at */
  lua_pushinteger(L, (lua_Integer)sequence); /* at, sequence */
  return 2;
}

/* mailbox_wait(device, sequence): waits for the integer; nil when the kernel has ended without posting it. */
static int core_mailbox_wait(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  dc_device *dev = dc_lua_checkdevice(L, 1);
  const uint64_t sequence = (uint64_t)luaL_checkinteger(L, 2);
  int64_t value = 0;
  dc_error err = DC_ERROR_INIT;
  const int rc = DC_LUA_WORK(self, dc_device_mailbox_wait(dev, sequence, &value, sizeof value, &err));
  if (rc < 0) return dc_lua_raise(L, &err);
  if (rc == 0) lua_pushinteger(L, value);
  else lua_pushnil(L);
  return 1;
}

/* mailbox_text(): CUDA C of dc_post(mailbox, sequence, value); for mailbox_wait the value is a long long. */
static int core_mailbox_text(lua_State *L) {
  lua_pushstring(L, dc_mailbox_text);
  return 1;
}

const luaL_Reg dc_lua_mailbox_internal[] = {
  { "mailbox_text", core_mailbox_text },
  { "mailbox", core_mailbox },
  { "mailbox_wait", core_mailbox_wait },
  { NULL, NULL },
};
