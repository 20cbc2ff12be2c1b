/*
** files.h - arrays from and to files: .npy, .npz, raw bytes, CSV, pictures.
*/
#pragma once

#include <lauxlib.h>
#include <lua.h>

extern const luaL_Reg dc_lua_files_internal[];

void dc_lua_open_files(lua_State *L, int self);
