/* comm.c - see comm.h. */
#include "lua/comm.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "comm/mpi.h"
#include "comm/ranks.h"
#include "comm/settings.h"
#include "device/comm.h"
#include "device/device.h"
#include "lua/device.h"
#include "lua/error.h"
#include "lua/host_interrupt.h"
#include "lua/object.h"

dc_lua_comm *dc_lua_comm_check(lua_State *L, int arg) {
  dc_lua_comm *h = dc_lua_check(L, dc_lua_self(L), arg, DC_LUA_COMM, "a communicator");
  if (h->closed) dc_lua_fail(L, DC_ARGUMENT, "the communicator is closed");
  return h;
}

/* --- lines of the script ------------------------------------------------------------------------- */

/* Fills `ar` with "Sl" of the function that called the running C function. */
static bool get_caller(lua_State *L, lua_Debug *ar) { return lua_getstack(L, 1, ar) && lua_getinfo(L, "Sl", ar); }

/* "script.lua:12"; not by snprintf, which takes longer than issuing a small reduction. */
static void write_line(const lua_Debug *ar, char text[DC_LUA_COMM_LINE]) {
  char digits[16];
  int n = 0;
  for (int line = ar->currentline; line > 0; line /= 10) digits[n++] = (char)('0' + line % 10);
  char *at = stpcpy(text, ar->short_src);
  *at++ = ':';
  while (n > 0) *at++ = digits[--n];
  *at = '\0';
}

/* Scripts communicate in loops, so lines that called us themselves are remembered. */
DC_HOT const char *dc_lua_comm_line(lua_State *L, dc_lua_comm *h) {
  lua_Debug direct, ar;
  const bool known = get_caller(L, &direct);
  dc_lua_comm_site *site = &h->sites[known ? direct.currentline & (DC_LUA_COMM_SITES - 1) : 0];
  if (known && site->line > 0 && direct.currentline == site->line && strcmp(direct.short_src, site->script) == 0)
    return site->where;
  site->line = 0;
  if (!dc_lua_caller(L, &ar)) return strcpy(site->where, "?");
  write_line(&ar, site->where);
  if (known && ar.currentline == direct.currentline && strcmp(ar.short_src, direct.short_src) == 0) {
    site->line = ar.currentline;
    strcpy(site->script, ar.short_src);
  }
  return site->where;
}

/* --- making and closing -------------------------------------------------------------------------- */

/* Pushes a handle of n devices of this process, closed for now. */
static dc_lua_comm *push_handle(lua_State *L, int n) {
  dc_lua_comm *h = dc_lua_new(L, DC_LUA_COMM, sizeof *h + (size_t)n * sizeof h->part[0], 1);
  h->n = n;
  h->closed = true;
  return h;
}

/* Its processes are known: pushes what follows the handle on top; the number of results. */
static int opened(lua_State *L, dc_lua_comm *h, dc_ranks *ranks) {
  h->ranks = ranks;
  h->rank = ranks->rank;
  h->size = ranks->size;
  h->closed = false;
  lua_pushinteger(L, ranks->rank);
  lua_pushinteger(L, ranks->size);
  lua_pushinteger(L, ranks->local_rank);
  lua_pushinteger(L, ranks->local_size);
  return 5;
}

/* comm_world(device): the handle of all processes, rank, size, local rank, number of local ranks. */
static int core_comm_world(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  dc_error err = DC_ERROR_INIT;
  dc_ranks *ranks = NULL;
  dc_lua_comm *h = push_handle(L, 1);
  h->part[0].dev = dc_lua_checkdevice(L, 1);
  if (DC_LUA_WORK(self, (ranks = dc_ranks_world(&err)) != NULL ? 0 : -1) != 0) return dc_lua_raise(L, &err);
  return opened(L, h, ranks);
}

/* comm_split(handle, color, key): the same of those that give the same color; nothing for color -1. */
static int core_comm_split(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  dc_lua_comm *h = dc_lua_comm_check(L, 1);
  const int color = (int)luaL_checkinteger(L, 2), key = (int)luaL_checkinteger(L, 3);
  dc_error err = DC_ERROR_INIT;
  dc_ranks *ranks = NULL;
  const char *where = dc_lua_comm_line(L, h);
  dc_lua_comm *made = push_handle(L, 1);
  made->part[0].dev = h->part[0].dev;
  if (DC_LUA_WORK(self, dc_ranks_split(h->ranks, color, key, where, &ranks, &err)) != 0) return dc_lua_raise(L, &err);
  return ranks ? opened(L, made, ranks) : 0;
}

/* comm_devices({device, ...}): the handle of a communicator among the devices; nothing where their backend has no
** library that connects devices of one process. */
static int core_comm_devices(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  dc_device *devices[DC_LUA_COMM_MOST];
  void *comms[DC_LUA_COMM_MOST] = { NULL };
  dc_error err = DC_ERROR_INIT;
  luaL_checktype(L, 1, LUA_TTABLE);
  const int n = (int)lua_rawlen(L, 1);
  if (n > DC_LUA_COMM_MOST) return dc_lua_fail(L, DC_ARGUMENT, "%d devices; there can be %d", n, DC_LUA_COMM_MOST);
  for (int i = 0; i < n; i++) {
    lua_settop(L, 1);
    lua_rawgeti(L, 1, i + 1);
    devices[i] = dc_lua_checkdevice(L, 2);
  }
  const dc_comm_ops *ops = dc_device_comms(devices[0], &err);
  if (!ops) return dc_lua_raise(L, &err);
  if (!ops->open_all) return 0;
  dc_lua_comm *h = push_handle(L, n);
  h->size = n;
  if (DC_LUA_WORK(self, ops->open_all(devices, n, comms, &err)) != 0) return dc_lua_raise(L, &err);
  for (int i = 0; i < n; i++) h->part[i] = (dc_lua_comm_part){ .dev = devices[i], .comm = comms[i], .open = true };
  h->closed = false;
  return 1;
}

/* comm_close(handle) */
static int core_comm_close(lua_State *L) {
  dc_lua_comm *h = dc_lua_check(L, dc_lua_self(L), 1, DC_LUA_COMM, "a communicator");
  if (h->closed) return 0;
  h->closed = true;
  for (int i = 0; i < h->n; i++)
    if (h->part[i].open) h->part[i].dev->comms->close(h->part[i].dev, h->part[i].comm);
  dc_ranks_close(h->ranks);
  return 0;
}

/* --- facts ----------------------------------------------------------------------------------------- */

/* comm_library(device): {name =, path = or nil, version = or nil, why_not = or nil}, or nothing where it has none. */
static int core_comm_library(lua_State *L) {
  dc_device *dev = dc_lua_checkdevice(L, 1);
  dc_error err = DC_ERROR_INIT;
  char *path = NULL, version[200] = "";
  if (!dev->comms) return 0;
  lua_newtable(L);
  dc_lua_set_string(L, "name", dev->comms->library);
  if (dev->comms->load(&path, &err) != 0) {
    lua_pushfstring(L, "%s", dc_error_text(&err));
    lua_setfield(L, -2, "why_not");
    if (err.log && *err.log) dc_lua_set_string(L, "log", err.log);
  } else {
    dc_lua_set_string(L, "path", path);
    if (dev->host_memory) dc_mpi_version(version, sizeof version);
    if (*version) dc_lua_set_string(L, "version", version);
  }
  free(path);
  dc_error_clear(&err);
  return 1;
}

const luaL_Reg dc_lua_comm_internal[] = {
  { "comm_world", core_comm_world },     { "comm_split", core_comm_split },     { "comm_devices", core_comm_devices },
  { "comm_close", core_comm_close },     { "comm_library", core_comm_library },
  { NULL, NULL },
};

static const luaL_Reg handle_meta[] = { { NULL, NULL } };

void dc_lua_open_comm(lua_State *L, int self) {
  dc_lua_newtype(L, self, DC_LUA_COMM, "dotcompute.communicator", handle_meta, NULL);
}
