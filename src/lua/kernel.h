/*
** kernel.h - the kernel object: calling it launches.
*/
#pragma once

#include <lauxlib.h>
#include <lua.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/line.h"
#include "device/device.h"
#include "kernel/kernel.h"
#include "lua/argument.h"
#include "lua/module.h"
#include "lua/object.h"

typedef struct dc_lua_kernel {
  uint64_t site;   /* number of the launch site of its last launch that was noted; 0: none */
  /* read by every launch, beside the tag behind the object */
  struct dc_stream *stream; /* from with{}, by which it can be named; NULL: the current one */
  dc_launch_options how; /* from with{} */
  dc_lua_arguments arguments;
  dc_kernel *k;    /* NULL: not made yet */
  dc_lua_module *home; /* the module object's */
  struct variant *variant; /* of a kernel of dc.jit, behind this: what its launches compare (variant.c); else NULL */
  unsigned generation; /* of home, when k was looked up */
  uint32_t block;  /* the choice of "auto", and of forall for many threads; 0: not made yet */
  bool noted;      /* the last launch was */
  bool from_file;  /* its module may be reloaded */
  bool plain;      /* no launch attributes, and the device's own stream */
  bool tile;       /* it is launched with a grid alone */
  int64_t many;    /* threads from which on forall takes that block */
  bool working;    /* a launch may return only when the work is done, so Ctrl-C must reach it */
} dc_lua_kernel;

/* Pushes the kernel object of `name` from the module at idx; raises when there is none. */
void dc_lua_pushkernel(lua_State *L, int module, const char *name);
/* Pushes another object of the kernel at 1, which is `o`, with `more` zeroed bytes behind it and `nvalues` more user
** values. */
dc_lua_kernel *dc_lua_push_kernel_copy(lua_State *L, dc_lua_kernel *o, size_t more, int nvalues);
/* k(grid, block, ...), k:forall(n, ...): the kernel object is at 1, grid and block, or n, behind it; the arguments are
** from `first` to the stack's top.  Raise. */
int dc_lua_launch_kernel(lua_State *L, int first);
int dc_lua_launch_forall(lua_State *L, int first);
/* Launches the kernel at stack index `at`, which is `o`, with arguments that have been marshalled to l->params, are
** contiguous arrays of its device that are not pending, or values.  False: its launch has to do more than that, and was
** not done.  May replace the value at 1 by the kernel.  Raises. */
bool dc_lua_launch_marshalled(lua_State *L, dc_lua *self, dc_lua_kernel *o, int at, dc_launch *l);
extern const luaL_Reg dc_lua_kernel_internal[]; /* functions of dotcompute.core */
void dc_lua_open_kernel(lua_State *L, int self);

/* The threads of forall's blocks for n threads in all, once `block` is chosen; dc_lua_small_block: where n is less than
** `many`. */
uint32_t dc_lua_small_block(const dc_lua_kernel *o, int64_t n);
static inline uint32_t dc_lua_block_for(const dc_lua_kernel *o, int64_t n) {
  return DC_LIKELY(n >= o->many) ? o->block : dc_lua_small_block(o, n);
}
static inline int64_t dc_lua_count_blocks(int64_t n, uint32_t block) { return n / block + (n % block != 0); }
