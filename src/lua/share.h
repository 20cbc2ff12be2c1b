/*
** share.h - dc.share and dc.open: arrays handed from one Lua state of the process to another.
*/
#pragma once

#include <lauxlib.h>

extern const luaL_Reg dc_lua_share_core[];
