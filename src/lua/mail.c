/* mail.c - see mail.h. */
#include "lua/mail.h"

#include <lauxlib.h>
#include <lua.h>

#include "base/error.h"
#include "device/capture.h"
#include "device/device.h"
#include "device/mail.h"
#include "lua/device.h"
#include "lua/error.h"
#include "lua/interrupt.h"
#include "lua/object.h"

/* mail(device): where the kernel tells the integer, and under which number; nothing where the device has no mail now.
** An error where a graph is captured: nobody could wait for it. */
static int core_mail(lua_State *L) {
  dc_device *dev = dc_lua_checkdevice(L, 1);
  dc_ptr at;
  uint64_t number;
  dc_error err = DC_ERROR_INIT;
  if (dc_capture_refuse(dev, "copies values to the host", &err) != 0) return dc_lua_raise(L, &err);
  if (dev->ops->mail == NULL || dev->state != DC_DEVICE_OPEN || !dev->ops->mail(dev, &at, &number)) return 0;
  lua_pushinteger(L, (lua_Integer)at);
  lua_pushinteger(L, (lua_Integer)number);
  return 2;
}

/* read_mail(device, number): waits for the integer; nil when the kernel has ended without it. */
static int core_read_mail(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  dc_device *dev = dc_lua_checkdevice(L, 1);
  const uint64_t number = (uint64_t)luaL_checkinteger(L, 2);
  int64_t value = 0;
  dc_error err = DC_ERROR_INIT;
  const int rc = DC_LUA_WORK(self, dev->ops->mail_wait(dev, number, &value, sizeof value, &err));
  if (rc < 0) return dc_lua_raise(L, &err);
  if (rc == 0) lua_pushinteger(L, value);
  else lua_pushnil(L);
  return 1;
}

/* mail_text(): CUDA C of dc_tell(at, letter, value), which does it; the value is a long long. */
static int core_mail_text(lua_State *L) {
  lua_pushstring(L, dc_mail_text);
  return 1;
}

const luaL_Reg dc_lua_mail_internal[] = {
  { "mail_text", core_mail_text },
  { "mail", core_mail },
  { "read_mail", core_read_mail },
  { NULL, NULL },
};
