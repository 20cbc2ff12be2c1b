/* comm.c - see comm.h. */
#include "lua/comm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array/array.h"
#include "array/communicate.h"
#include "array/graph/geometry.h"
#include "base/dtype.h"
#include "base/error.h"
#include "comm/mpi.h"
#include "comm/ranks.h"
#include "comm/settings.h"
#include "device/comm.h"
#include "device/device.h"
#include "lua/array.h"
#include "lua/device.h"
#include "lua/error.h"
#include "lua/host_interrupt.h"
#include "lua/object.h"

typedef struct handle {
  dc_ranks *ranks; /* NULL: a device of this process's, with others of it */
  dc_device *dev;
  void *comm;      /* the backend's; NULL: not made yet */
  bool open, closed;
} handle;

static handle *check_handle(lua_State *L, int arg) {
  handle *h = dc_lua_check(L, dc_lua_self(L), arg, DC_LUA_COMM, "a communicator");
  if (h->closed) dc_lua_fail(L, DC_ARGUMENT, "the communicator is closed");
  return h;
}

static handle *new_handle(lua_State *L, dc_ranks *ranks, dc_device *dev) {
  handle *h = dc_lua_new(L, DC_LUA_COMM, sizeof *h, 0);
  h->ranks = ranks;
  h->dev = dev;
  return h;
}

/* Pushes what follows the handle on top; the number of results. */
static int push_facts(lua_State *L, const handle *h) {
  lua_pushinteger(L, h->ranks->rank);
  lua_pushinteger(L, h->ranks->size);
  lua_pushinteger(L, h->ranks->local_rank);
  lua_pushinteger(L, h->ranks->local_size);
  return 5;
}

enum { WHERE = LUA_IDSIZE + 16 };

/* "script.lua:12"; not by snprintf, which takes longer than issuing a small reduction. */
static void script_line(lua_State *L, char text[WHERE]) {
  lua_Debug ar;
  strcpy(text, "?");
  if (!dc_lua_caller(L, &ar)) return;
  char digits[16];
  int n = 0;
  for (int line = ar.currentline; line > 0; line /= 10) digits[n++] = (char)('0' + line % 10);
  char *at = stpcpy(text, ar.short_src);
  *at++ = ':';
  while (n > 0) *at++ = digits[--n];
  *at = '\0';
}

/* --- making and closing -------------------------------------------------------------------------- */

/* comm_world(device): the handle of all processes, rank, size, local rank, number of local ranks. */
static int core_comm_world(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  dc_device *dev = dc_lua_checkdevice(L, 1);
  dc_error err = DC_ERROR_INIT;
  handle *h = new_handle(L, NULL, dev);
  if (DC_LUA_WORK(self, (h->ranks = dc_ranks_world(&err)) != NULL ? 0 : -1) != 0) {
    h->closed = true;
    return dc_lua_raise(L, &err);
  }
  return push_facts(L, h);
}

/* comm_split(handle, color, key): the same of those that give the same color; nothing for color -1. */
static int core_comm_split(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  handle *h = check_handle(L, 1);
  const int color = (int)luaL_checkinteger(L, 2), key = (int)luaL_checkinteger(L, 3);
  dc_error err = DC_ERROR_INIT;
  dc_ranks *part = NULL;
  char where[WHERE];
  script_line(L, where);
  handle *made = new_handle(L, NULL, h->dev);
  made->closed = true;
  if (DC_LUA_WORK(self, dc_ranks_split(h->ranks, color, key, where, &part, &err)) != 0) return dc_lua_raise(L, &err);
  if (!part) return 0;
  made->ranks = part;
  made->closed = false;
  return push_facts(L, made);
}

/* comm_devices({device, ...}): a table of handles, or nothing where the devices have no library for that. */
static int core_comm_devices(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  dc_device *devices[128];
  void *comms[128] = { NULL };
  dc_error err = DC_ERROR_INIT;
  luaL_checktype(L, 1, LUA_TTABLE);
  const int n = (int)lua_rawlen(L, 1);
  if (n > 128) return dc_lua_fail(L, DC_ARGUMENT, "%d devices; there can be 128", n);
  lua_settop(L, 1);
  lua_createtable(L, n, 0); /* 2 */
  for (int i = 0; i < n; i++) {
    lua_rawgeti(L, 1, i + 1);
    devices[i] = dc_lua_checkdevice(L, 3);
    lua_settop(L, 2);
    new_handle(L, NULL, devices[i])->closed = true;
    lua_rawseti(L, 2, i + 1);
  }
  const dc_comm_ops *ops = dc_device_comms(devices[0], &err);
  if (!ops) return dc_lua_raise(L, &err);
  if (!ops->open_all) return 0;
  if (DC_LUA_WORK(self, ops->open_all(devices, n, comms, &err)) != 0) return dc_lua_raise(L, &err);
  for (int i = 0; i < n; i++) {
    lua_rawgeti(L, 2, i + 1);
    handle *h = dc_lua_test(L, self, 3, DC_LUA_COMM);
    h->comm = comms[i];
    h->open = true;
    h->closed = false;
    lua_settop(L, 2);
  }
  return 1;
}

/* comm_close(handle) */
static int core_comm_close(lua_State *L) {
  handle *h = dc_lua_check(L, dc_lua_self(L), 1, DC_LUA_COMM, "a communicator");
  if (h->closed) return 0;
  h->closed = true;
  if (h->open) h->dev->comms->close(h->dev, h->comm);
  dc_ranks_close(h->ranks);
  return 0;
}

/* --- running -------------------------------------------------------------------------------------- */

/* The device's communicator, made at its first use. */
static int open_handle(handle *h, dc_error *err) {
  if (h->open) return 0;
  const dc_comm_ops *ops = dc_device_comms(h->dev, err);
  if (!ops || ops->open(h->dev, h->ranks, &h->comm, err) != 0) return -1;
  h->open = true;
  return 0;
}

/* The transfer of the table on top: {handle, op, fold, src or false, dst or false, count, peer, where}. */
static void read_transfer(lua_State *L, dc_lua *self, dc_transfer *t, handle **h) {
  const int row = lua_gettop(L);
  for (int i = 1; i <= 8; i++) lua_rawgeti(L, row, i);
  *h = check_handle(L, row + 1);
  t->call = (dc_comm_call){
    .dev = (*h)->dev, .op = (dc_comm_op)luaL_checkinteger(L, row + 2),
    .fold = (dc_comm_fold)luaL_checkinteger(L, row + 3), .count = luaL_checkinteger(L, row + 6),
    .peer = (int)luaL_checkinteger(L, row + 7), .where = luaL_checkstring(L, row + 8), /* the row keeps it */
  };
  t->src = dc_lua_toarray(L, self, row + 4);
  t->dst = dc_lua_toarray(L, self, row + 5);
  if (t->src) dc_lua_materialize(L, self, t->src);
  if (t->src) t->call.dtype = dc_array_dtype(t->src);
  else if (t->dst) t->call.dtype = dc_array_dtype(t->dst);
  lua_settop(L, row - 1);
}

static int run(dc_transfer *list, handle **handles, int n, dc_error *err) {
  for (int i = 0; i < n; i++) {
    if (open_handle(handles[i], err) != 0) return -1;
    list[i].call.comm = handles[i]->comm;
  }
  return dc_array_communicate(list, n, err);
}

/* comm_run({row, ...}): runs them together. */
static int core_comm_run(lua_State *L) {
  dc_lua *self = dc_lua_self(L);
  dc_error err = DC_ERROR_INIT;
  luaL_checktype(L, 1, LUA_TTABLE);
  const int n = (int)lua_rawlen(L, 1);
  if (n == 0) return 0;
  lua_settop(L, 1);
  dc_transfer *list = lua_newuserdatauv(L, (size_t)n * sizeof *list, 0);   /* 2 */
  handle **handles = lua_newuserdatauv(L, (size_t)n * sizeof *handles, 0); /* 3 */
  for (int i = 0; i < n; i++) {
    luaL_checkstack(L, 16, NULL);
    lua_rawgeti(L, 1, i + 1);
    luaL_checktype(L, 4, LUA_TTABLE);
    read_transfer(L, self, &list[i], &handles[i]);
  }
  if (DC_LUA_WORK(self, run(list, handles, n, &err)) != 0) return dc_lua_raise(L, &err);
  return 0;
}

/* --- all_reduce in place ------------------------------------------------------------------------------ */

/* The fold of all_reduce(a, [op,] {out = a}), whose arguments behind a (at 2) begin at 3; false: another form, or a
** mean, which integers do not have. */
static bool in_place_fold(lua_State *L, dc_comm_fold *fold) {
  int options = 3;
  *fold = DC_COMM_SUM;
  if (lua_type(L, 3) == LUA_TSTRING) {
    const char *name = lua_tostring(L, 3);
    while (*fold < DC_COMM_MEAN && strcmp(name, dc_comm_fold_name(*fold)) != 0) (*fold)++;
    if (*fold == DC_COMM_MEAN) return false;
    options = 4;
  }
  if (lua_type(L, options) != LUA_TTABLE || lua_gettop(L) != options || lua_getmetatable(L, options)) return false;
  lua_pushnil(L);
  if (!lua_next(L, options)) return false;
  const bool out = lua_type(L, -2) == LUA_TSTRING && strcmp(lua_tostring(L, -2), "out") == 0 && lua_rawequal(L, -1, 2);
  lua_pop(L, 1);
  return out && !lua_next(L, options);
}

/* Adds the array at `a` of the handle at `h`; false unless it is computed, contiguous and of a dtype with all folds. */
static bool add_in_place(lua_State *L, dc_lua *self, int h, int a, dc_transfer *t, handle **of) {
  *of = dc_lua_test(L, self, h, DC_LUA_COMM);
  *t = (dc_transfer){ 0 };
  t->src = t->dst = dc_lua_toarray(L, self, a);
  if (!*of || (*of)->closed || !t->src || dc_array_size(t->src) == 0) return false;
  t->call.dev = (*of)->dev;
  t->call.dtype = dc_array_dtype(t->src);
  t->call.count = dc_array_size(t->src);
  const char kind = dc_dtypes[t->call.dtype].kind;
  return kind != 'b' && kind != 'c' && dc_array_launch_ready(t->src, t->call.dev, t->call.dtype, true) != 0;
}

/* comm_in_place(handle, a, ...) or comm_in_place({handle, ...}, {a, ...}, ...): the call all_reduce(a, ...) where it is
** one in place of arrays that are ready, and true; nothing where it is not, or not right: comm.lua knows all forms, but
** its checks take longer than a small reduction. */
static int core_comm_in_place(lua_State *L) {
  enum { MOST = 16 };
  dc_lua *self = dc_lua_self(L);
  dc_transfer list[MOST];
  handle *handles[MOST];
  dc_comm_fold fold;
  char where[WHERE];
  dc_error err = DC_ERROR_INIT;
  if (!in_place_fold(L, &fold)) return 0;
  const bool several = lua_type(L, 1) == LUA_TTABLE;
  const int n = several ? (int)lua_rawlen(L, 1) : 1;
  if (n < 1 || n > MOST || (several && (lua_type(L, 2) != LUA_TTABLE || (int)lua_rawlen(L, 2) != n))) return 0;
  script_line(L, where);
  for (int i = 0; i < n; i++) {
    lua_settop(L, 2);
    if (several) {
      lua_rawgeti(L, 1, i + 1);
      lua_rawgeti(L, 2, i + 1);
    }
    if (!add_in_place(L, self, several ? 3 : 1, several ? 4 : 2, &list[i], &handles[i])) return 0;
    list[i].call.op = DC_COMM_ALL_REDUCE;
    list[i].call.fold = fold;
    list[i].call.where = where;
    if (list[i].call.dtype != list[0].call.dtype ||
        !dc_geometry_same_shape(dc_array_geometry(list[i].src), dc_array_geometry(list[0].src)))
      return 0;
  }
  if (DC_LUA_WORK(self, run(list, handles, n, &err)) != 0) return dc_lua_raise(L, &err);
  lua_pushboolean(L, true);
  return 1;
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
  { "comm_close", core_comm_close },     { "comm_run", core_comm_run },         { "comm_library", core_comm_library },
  { "comm_in_place", core_comm_in_place },
  { NULL, NULL },
};

static const luaL_Reg handle_meta[] = { { NULL, NULL } };

void dc_lua_open_comm(lua_State *L, int self) {
  dc_lua_newtype(L, self, DC_LUA_COMM, "dotcompute.communicator", handle_meta, NULL);
}
