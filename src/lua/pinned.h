/*
** pinned.h - arrays of the CPU device in page-locked memory, which GPUs copy to and from without waiting.
*/
#ifndef DC_LUA_PINNED_H
#define DC_LUA_PINNED_H

#include <lauxlib.h>

extern const luaL_Reg dc_lua_pinned_core[];

#endif
