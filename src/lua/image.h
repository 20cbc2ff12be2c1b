/*
** image.h - arrays from and to pictures: h×w, or h×w×channels, of uint8 or uint16.
*/
#pragma once

#include <lauxlib.h>

extern const luaL_Reg dc_lua_image_internal[];
