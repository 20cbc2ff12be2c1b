/*
** host_pass.h - what algorithms in Lua ask the host to do with small arrays (array/host/memory.h).
*/
#pragma once

#include <lauxlib.h>

extern const luaL_Reg dc_lua_host_pass_internal[];
