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

/* The same of the keys of the table at idx. */
const char *dc_lua_suggest(lua_State *L, int idx, const char *name);

/* Raises "a stream has no 'devise' (did you mean 'device'?)", of a value that is `what`.  It has the methods of the
** type of `slot`, `fields`, which end in NULL, and the keys of the table at stack index `table`; 0: there is none. */
int dc_lua_fail_field(lua_State *L, const char *what, int slot, const char *name, const char *const *fields, int table);
/* The number of the field `name` in `fields`; raises so where it is none. */
int dc_lua_check_field(lua_State *L, const char *what, int slot, const char *name, const char *const *fields);

extern const luaL_Reg dc_lua_field_internal[]; /* functions of dotcompute.core */
