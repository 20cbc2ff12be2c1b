/*
** pinned.h - arrays of the CPU device in page-locked memory, which GPUs copy to and from without waiting.
*/
#pragma once

#include <lauxlib.h>

extern const luaL_Reg dc_lua_pinned_core[];
