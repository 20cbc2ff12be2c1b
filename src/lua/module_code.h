/*
** module_code.h - the code made from a source: PTX, machine code, its disassembly.
*/
#pragma once

#include <lua.h>

#include "kernel/kernel.h"

int dc_lua_module_ptx(lua_State *L);   /* m:ptx([arch]) */
int dc_lua_module_cubin(lua_State *L); /* m:cubin([arch]) */
int dc_lua_module_sass(lua_State *L);  /* m:sass([arch]) */
