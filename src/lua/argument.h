/*
** argument.h - the arguments of a launch: Lua values become the bytes of a kernel's parameters, by its launch plan.
**
** Marshalling runs no code of the script's and allocates nothing.  Where arguments are arrays that are still
** expressions, or arrays that pending expressions read and the kernel may write, they are materialized first and the
** arguments marshalled again; that may run finalizers.
*/
#pragma once

#include <lua.h>
#include <stdbool.h>

#include "base/error.h"
#include "kernel/kernel.h"
#include "lua/object.h"

/* User values of a kernel object. */
enum {
  DC_LUA_KERNEL_MODULE = 1,
  DC_LUA_KERNEL_TILES, /* of a tile kernel: which arguments are multiples -> its variant (tile.c) */
  DC_LUA_KERNEL_NVALUES = DC_LUA_KERNEL_TILES
};

/* Whether the launches of a kernel may reach memory that their arguments do not show (dc_alias), by its types. */
typedef struct dc_lua_arguments {
  bool opaque; /* takes pointers to structs or to pointers, which may hold addresses of any array */
  bool wide;   /* takes 64-bit integers, arrays of them or bytes, which may be addresses */
} dc_lua_arguments;

dc_lua_arguments dc_lua_prepare_arguments(const dc_kernel *k);

/* Raises with places of the script where the kernel's source stands. The kernel object is at 1. */
int dc_lua_raise_kernel(lua_State *L, dc_error *err);

/* The array at idx, or that of the bytes of an array of structs; NULL where neither is there. */
dc_lua_array *dc_lua_argument_array(lua_State *L, const dc_lua *self, int idx);

/* One launch's arguments while they are marshalled. */
typedef struct dc_lua_marshal {
  lua_State *L;
  dc_lua *self;
  const dc_kernel *k;
  const dc_lua_arguments *how;
  int first;         /* stack index of the first argument; they end at the stack's top */
  bool due;          /* an array must be materialized, or pending expressions that read it */
  bool materialized; /* that has been done */
  int peers;         /* number of arrays of other devices among the arguments */
  char field[120];   /* of the error: which field of the parameter, "in[2].v.x"; "" for the whole */
} dc_lua_marshal;

/* Checks and converts the `got` values from `first` to the stack's top into `params` (aligned to 16, k->params_size
** bytes).  The kernel object is at 1.  Afterwards m->due says whether dc_lua_materialize_arguments and
** dc_lua_marshal_again must follow.  True: the launch may reach memory that its arguments do not show, so all of the
** device must be materialized, and waited for.  Raises. */
bool dc_lua_marshal_arguments(dc_lua_marshal *m, lua_State *L, dc_lua *self, const dc_kernel *k,
                              const dc_lua_arguments *how, int first, int got, char *params);
/* Evaluates the arguments that are pending, then what reads memory that the kernel may write (`all`: what is pending on
** the device).  May run finalizers.  Raises. */
void dc_lua_materialize_arguments(dc_lua_marshal *m, bool all);
void dc_lua_marshal_again(dc_lua_marshal *m, char *params);
/* Converts the value at idx for one parameter.  False where that fails or takes more: an array that is pending or of
** another device. */
bool dc_lua_marshal_value(lua_State *L, dc_lua *self, const dc_kernel *k, int param, int idx, char *params);
