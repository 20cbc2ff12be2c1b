/*
** mailbox.h - core.mailbox and core.mailbox_wait: an integer that a kernel of lua/dotcompute posts to the host.
*/
#pragma once

#include <lauxlib.h>

extern const luaL_Reg dc_lua_mailbox_internal[];
