/*
** host_interrupt.h - Ctrl-C while a device works, under hosts that know nothing of us (a stock lua5.4).
*/
#pragma once

#include <stdbool.h>

#include "array/graph/types.h"
#include "lua/object.h"

/* Around work of a device that may take long: Ctrl-C meanwhile sets dc_interrupt_flag. No Lua errors in between. */
void dc_lua_work_begin(const dc_lua *self);
void dc_lua_work_end(const dc_lua *self, bool failed);

/* The slot in which a new Lua state counts its nesting depth of device work. */
int dc_lua_work_slot(void);
void dc_lua_work_slot_give(int slot); /* the state has ended */

/* The value of an expression that gives 0 or -1, with Ctrl-C reaching the device meanwhile. */
#define DC_LUA_WORK(self, expression)            \
  ({                                             \
    dc_lua_work_begin(self);                     \
    int work_result_ = (expression);             \
    dc_lua_work_end(self, work_result_ != 0);    \
    work_result_;                                \
  })
/* The same for one that gives an array or NULL. */
#define DC_LUA_MAKE(self, expression)               \
  ({                                                \
    dc_lua_work_begin(self);                        \
    dc_array *work_result_ = (expression);          \
    dc_lua_work_end(self, work_result_ == NULL);    \
    work_result_;                                   \
  })
