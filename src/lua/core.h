/*
** core.h - the interface of lua/ for hosts, dclua among them: opening the module, raising its errors.
*/
#pragma once

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>

/* The C core of `require "dotcompute"`. May run any number of times, in any number of Lua states.  A
** host that puts it into package.preload is taken to catch SIGINT itself (it sets dc_interrupt_flag);
** elsewhere a handler of ours serves while a device works. */
__attribute__((visibility("default"))) int luaopen_dotcompute_core(lua_State *L);
