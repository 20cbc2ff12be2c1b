/*
** comm.h - communicators as Lua values: handles that lua/dotcompute/comm.lua keeps in its objects.
*/
#pragma once

#include <lauxlib.h>
#include <lua.h>
#include <stdbool.h>

#include "comm/settings.h"
#include "device/device.h"

#define DC_LUA_COMM_MOST 128 /* devices of one process */
#define DC_LUA_COMM_LINE (LUA_IDSIZE + 16)

/* A device of this process that takes part. */
typedef struct dc_lua_comm_part {
  dc_device *dev;
  void *comm; /* the backend's */
  bool open;  /* it is made: at the first use */
} dc_lua_comm_part;

/* A line of the script that called us itself: "script.lua", 12, "script.lua:12"; line 0: none. */
typedef struct dc_lua_comm_site {
  int line;
  char script[LUA_IDSIZE];
  char where[DC_LUA_COMM_LINE];
} dc_lua_comm_site;
#define DC_LUA_COMM_SITES 4 /* a power of two */

typedef struct dc_lua_comm {
  dc_ranks *ranks; /* NULL: all are devices of this process */
  int rank, size;
  bool closed;
  bool grouping; /* a group is open: its user value is the list of what was called in it (comm_call.c) */
  dc_lua_comm_site sites[DC_LUA_COMM_SITES]; /* of recent calls, by the last bits of their lines */
  int n;         /* 1 where there are ranks, else size */
  dc_lua_comm_part part[];
} dc_lua_comm;

/* The argument, which is open; raises otherwise. */
dc_lua_comm *dc_lua_comm_check(lua_State *L, int arg);
/* The line of the script that calls: "script.lua:12", valid until the next call. */
const char *dc_lua_comm_line(lua_State *L, dc_lua_comm *h);

void dc_lua_open_comm(lua_State *L, int self);
extern const luaL_Reg dc_lua_comm_internal[];
