/*
** device.h - devices as Lua objects, which of them is the current one, counters, and what the doctor asks.
*/
#pragma once

#include <lauxlib.h>
#include <lua.h>

#include "device/device.h"
#include "lua/object.h"

void dc_lua_pushdevice(lua_State *L, dc_device *dev);

/* A device object or a name at idx; raises otherwise. */
dc_device *dc_lua_checkdevice(lua_State *L, int idx);

/* The device that argument `arg` names, or the current one. */
dc_device *dc_lua_optdevice(lua_State *L, dc_lua *self, int arg);

/* The current device; the first call chooses the default. */
dc_device *dc_lua_current(lua_State *L, dc_lua *self);
void dc_lua_open_device(lua_State *L, int self);
extern const luaL_Reg dc_lua_device_core[], dc_lua_device_internal[];
