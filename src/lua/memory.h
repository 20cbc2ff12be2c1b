/*
** memory.h - device memory and Lua's collector; dc.memory: what a device has in use, and the lines that allocated it.
*/
#pragma once

#include <lauxlib.h>
#include <lua.h>
#include <stddef.h>

#include "lua/object.h"

/* Before n bytes of device memory are made: lets the collector run in proportion. May run finalizers, so
** hold no pointer that they could invalidate. */
void dc_lua_account_all(lua_State *L, dc_lua *self, size_t n);

/* Before an array object is made; may collect, as above. */
void dc_lua_count_array(lua_State *L, dc_lua *self);
void dc_lua_open_memory(void);

/* malloc'ed memory owned by a userdata that is pushed; raises when there is none. */
void *dc_lua_scratch(lua_State *L, size_t n);
void dc_lua_scratch_free(lua_State *L, int idx); /* early; idempotent */

/* Pushes n bytes, malloc'ed, as a string and frees them, also when Lua is out of memory; returns 1. */
int dc_lua_push_owned(lua_State *L, char *bytes, size_t n);
void dc_lua_open_scratch(lua_State *L, int self);

static inline void dc_lua_account(lua_State *L, dc_lua *self, size_t n) {
  if (n < 256) n = 256; /* what a device gives at least */
  if (n > self->quiet) {
    dc_lua_account_all(L, self, n);
    return;
  }
  self->quiet -= n;
  self->counted += n;
}

extern const luaL_Reg dc_lua_memory_internal[]; /* for dc.memory */
