/*
** module_code.h - the code made from a source: PTX, machine code, its disassembly, the compiler's warnings.
*/
#pragma once

#include <lua.h>

#include "kernel/kernel.h"

int dc_lua_module_ptx(lua_State *L);   /* m:ptx([arch]) */
int dc_lua_module_cubin(lua_State *L); /* m:cubin([arch]) */
int dc_lua_module_sass(lua_State *L);  /* m:sass([arch]) */
int dc_lua_module_log(lua_State *L);   /* m:log() */

/* Shows the compiler's warnings on stderr when they are asked for. The module's origin is at `origin`. */
void dc_lua_show_warnings(lua_State *L, const dc_module *m, int origin);
