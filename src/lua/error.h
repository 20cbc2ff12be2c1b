/*
** error.h - dc_error to Lua error, in one place.
*/
#pragma once

#include <lauxlib.h>
#include <lua.h>
#include <stdbool.h>

#include "base/error.h"
#include "base/line.h"
#include "lua/object.h"

/* As dc_lua_raise, with lines of the kernel source shown as places in the script: `origin` is the index
** of the table that script_lines.origin made (lua/dotcompute/script_lines.lua). */
int dc_lua_raise_at(lua_State *L, dc_error *err, int origin);
int dc_lua_fail(lua_State *L, dc_kind kind, const char *fmt, ...) DC_PRINTF(3, 4);

/* Kind "argument": "bad argument #2 to 'reshape': …", methods counted as Lua does. */
int dc_lua_badarg(lua_State *L, int arg, const char *fmt, ...) DC_PRINTF(3, 4);

/* An error of that kind, with the name of the function that the script called in front: "'zeros': …". */
int dc_lua_fail_named(lua_State *L, dc_kind kind, const char *fmt, ...) DC_PRINTF(3, 4);

/* 1 in a method, whose first argument is the receiver, which messages about numbers of arguments do not count; else
** 0. */
int dc_lua_count_receiver(lua_State *L);

/* dc_lua_badarg, "bad argument #2 to 'fill': an array expected, got nil". */
int dc_lua_expected(lua_State *L, int arg, const char *what);

/* Raises "'clip' takes 2 arguments, got 3": what the function takes as lua_pushfstring formats it.  `name`: that of the
** function where the call does not show one, NULL: none. */
int dc_lua_fail_count(lua_State *L, const char *name, int got, const char *fmt, ...) DC_PRINTF(4, 5);

/* Raises where there are more than `n` arguments, a method's object among them; nil behind them is no argument. */
DC_COLD void dc_lua_refuse_arguments(lua_State *L, int n);
static inline void dc_lua_at_most(lua_State *L, int n) {
  if (DC_UNLIKELY(lua_gettop(L) > n)) dc_lua_refuse_arguments(L, n);
}

/* The object of the type `slot` that is argument `arg`; raises dc_lua_expected otherwise. */
void *dc_lua_check(lua_State *L, const dc_lua *self, int arg, int slot, const char *what);

/* Pushes and returns how a message calls the value: "nil", "a string", "a float64 array", "the number 2.5". */
const char *dc_lua_describe(lua_State *L, int idx);

/* Raises `err` as a Lua error table (docs/api.md, "Errors") and clears it. Never returns; the return type
** is for `return dc_lua_raise(L, &err);`. Nothing may be held that the error would leak. */
int dc_lua_raise(lua_State *L, dc_error *err);

extern const luaL_Reg dc_lua_error_internal[];
