/*
** module_text.h - properties of a module's source text that need no compiler, and names of kernels.
*/
#pragma once

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>

/* Whether the CUDA C text declares __constant__, __managed__ or __device__ variables. */
bool dc_lua_has_variables(const char *text);

/* Pushes the name of the text's first template of a kernel, or `name` if one is called so; false when there is none. */
bool dc_lua_push_template(lua_State *L, const char *text, const char *name);

/* Whether the text is the name of a file of source or machine code: no source is one line that ends in ".cu". */
bool dc_lua_is_file_name(const char *text, size_t n);

/* Pushes the name without blanks that do not matter, by which kernels are remembered. */
void dc_lua_push_canonical(lua_State *L, const char *name);

/* Arguments 3 and on are a template's: replaces the name at 2 by the instance's, and drops them. */
void dc_lua_instance_name(lua_State *L);
