/*
** named.h - options that a function takes by name: {dtype = "int8"}, {keep = true}.
*/
#pragma once

#include <lauxlib.h>
#include <lua.h>
#include <stdbool.h>
#include <stddef.h>

typedef enum { DC_LUA_BOOLEAN, DC_LUA_NUMBER, DC_LUA_INTEGER, DC_LUA_STRING, DC_LUA_ANY } dc_lua_option_type;
/* An option by name, and the stack index of the positional argument that it stands for; a NULL name ends a list. */
typedef struct dc_lua_option {
  const char *name;
  dc_lua_option_type type;
  int place;
} dc_lua_option;

/* The places of `known` are arguments up to `last`: a table of options behind them, or in place of one from `first` on,
** is put in these places.  Then `last` values are on the stack; without options nothing changes. */
void dc_lua_take_options(lua_State *L, int first, int last, const dc_lua_option *known);

/* Puts the options of the table at idx in their places, which hold nil or are given twice; `takes_list`: its list part
** is left to the caller. */
void dc_lua_read_options(lua_State *L, int idx, bool takes_list, const dc_lua_option *known);

/* Raises where the value at idx is a table with options: there are none where it stands. */
void dc_lua_refuse_options(lua_State *L, int idx);

/* Whether the table at idx (from the stack's bottom) has entries beside its list part. */
bool dc_lua_has_names(lua_State *L, int idx);

/* Raises "there is no option 'kep' (did you mean 'keep'?); there is keep"; `kind` is "option". `who`: the
** function's name, which the message begins with, or "". */
int dc_lua_fail_option(lua_State *L, const char *who, const char *kind, const char *name, const char *const *names,
                       size_t n);
extern const luaL_Reg dc_lua_named_internal[];
