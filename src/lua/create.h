/*
** create.h - functions of the module that make arrays, random and page-locked ones among them.
*/
#pragma once

#include <lauxlib.h>
#include <lua.h>
#include <stdint.h>

#include "array/graph/types.h"
#include "base/dtype.h"
#include "device/device.h"
#include "lua/object.h"

extern const luaL_Reg dc_lua_create_core[], dc_lua_create_internal[];

/* Pushes an array of undefined contents, in C order; the array object owns what is returned. */
dc_array *dc_lua_push_empty(lua_State *L, dc_lua *self, dc_device *dev, dc_dtype dtype, int ndim,
                            const int64_t *shape);
