/*
** stream_order.h - the order of launches where there are several streams, and launches that are captured into graphs.
*/
#pragma once

#include <lua.h>
#include <stdbool.h>

#include "device/timeline.h"
#include "kernel/kernel.h"
#include "lua/module.h"
#include "lua/object.h"

/* Orders a launch of a kernel of module `m` in stream `by` (NULL: the current one) behind the uses of its arguments in
** other streams, or makes them part of the graph that is being captured.  Call it when the device's `tracking` is set,
** after the arguments are marshalled.  `anything`: the kernel may use memory that its arguments do not show.  `first`:
** stack index of the first argument.  Raises. */
void dc_lua_order_launch(lua_State *L, dc_lua *self, const dc_kernel *k, const dc_lua_module *m, dc_stream *by,
                         bool anything, int first);
