/*
** image.h - arrays from and to pictures: h×w, or h×w×channels, of uint8 or uint16.
*/
#ifndef DC_LUA_IMAGE_H
#define DC_LUA_IMAGE_H

#include <lauxlib.h>

extern const luaL_Reg dc_lua_image_internal[];

#endif
