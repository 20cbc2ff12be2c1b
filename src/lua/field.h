/*
** field.h - names that a value does not have, and those that were most likely meant.
*/
#pragma once

#include <lauxlib.h>
#include <lua.h>
#include <stddef.h>

/* Pushes and returns " (did you mean 'keep'?)" for the one of the names that `word` was most likely meant to be, else
** "". */
const char *dc_lua_push_suggestion(lua_State *L, const char *word, const char *const *names, size_t n);

/* The same of the keys of the table at idx; " (in dotcompute: a:to(dtype))" for a name of another library. */
const char *dc_lua_suggest(lua_State *L, int idx, const char *name);

/* Pushes and returns the key at idx for messages: 'devise', or [3]. */
const char *dc_lua_push_key(lua_State *L, int idx);

/* Raises "a stream has no 'devise' (did you mean 'device'?)": the key at stack index 2 is none of a value that is
** `what`.  It has the methods of the type of `slot`, `fields`, which end in NULL, and the keys of the table at stack
** index `table`; 0: there is none. */
int dc_lua_fail_field(lua_State *L, const char *what, int slot, const char *const *fields, int table);
/* The number of the field in `fields` that the key at stack index 2 is; raises so where it is none. */
int dc_lua_check_field(lua_State *L, const char *what, int slot, const char *const *fields);
/* Names that the table on top does not have raise "a device has no attribute 'warpsize' (did you mean 'warp_size'?)";
** `what` is the device.  The attribute `absent`, if not NULL, is nil where the table does not have it. */
void dc_lua_refuse_attributes(lua_State *L, const char *what, const char *absent);

extern const luaL_Reg dc_lua_field_internal[]; /* functions of dotcompute.core */
