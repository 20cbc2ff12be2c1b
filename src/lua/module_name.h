/*
** module_name.h - names of kernels: "scale< float,4 >" is "scale<float, 4>", and m:kernel("scale", "float32", 4) too.
*/
#pragma once

#include <lua.h>

/* Pushes the name without blanks that do not matter, by which kernels are remembered. */
void dc_lua_push_canonical(lua_State *L, const char *name);

/* Arguments 3 and on are a template's: replaces the name at 2 by the instance's, and drops them. */
void dc_lua_instance_name(lua_State *L);
