/*
** module.h - what the files about modules share.
**
** A module object's user values: its origin (source.c), the dc_source's userdata, a table of its kernel objects by
** name, and a table of its instances' modules by name.  Instances of templates that nobody named beforehand are images,
** hence modules, of their own.
*/
#ifndef DC_LUA_MODULE_H
#define DC_LUA_MODULE_H

#include "lua/lib.h"

/* A module object. */
typedef struct dc_lua_module_object {
  dc_lua_module *o; /* NULL: not made yet, or collected */
} dc_lua_module_object;

/* The open module object at 1; raises otherwise. */
dc_lua_module *dc_lua_check_module(lua_State *L);
/* --- module_text.c --- */
/* Whether the CUDA C text declares __constant__, __managed__ or __device__ variables. */
bool dc_lua_has_variables(const char *text);
/* Pushes the name of the text's first template of a kernel, or `name` if one is called so; false when there is none. */
bool dc_lua_push_template(lua_State *L, const char *text, const char *name);
/* Whether the text is the name of a file of source or machine code: no source is one line that ends in ".cu". */
bool dc_lua_is_file_name(const char *text, size_t n);

/* --- module_name.c --- */
/* Pushes the name without blanks that do not matter, by which kernels are remembered. */
void dc_lua_push_canonical(lua_State *L, const char *name);
/* Arguments 3 and on are a template's: replaces the name at 2 by the instance's, and drops them. */
void dc_lua_instance_name(lua_State *L);

/* --- module_global.c --- */
int dc_lua_module_global(lua_State *L); /* m:global(name) */
/* Closes the arrays over the module's variables. -1 with the first error; all are closed then too. */
int dc_lua_close_globals(dc_lua_module *o, dc_error *err);

/* --- module_code.c --- */
int dc_lua_module_ptx(lua_State *L);   /* m:ptx([arch]) */
int dc_lua_module_cubin(lua_State *L); /* m:cubin([arch]) */
int dc_lua_module_sass(lua_State *L);  /* m:sass([arch]) */
int dc_lua_module_log(lua_State *L);   /* m:log() */
/* Shows the compiler's warnings on stderr when they are asked for. The module's origin is at `origin`. */
void dc_lua_show_warnings(lua_State *L, const dc_module *m, int origin);

#endif
