/*
** mail.h - core.mail and core.read_mail: an integer that a kernel of lua/dotcompute tells the host, without a copy.
*/
#ifndef DC_LUA_MAIL_H
#define DC_LUA_MAIL_H

#include <lauxlib.h>

extern const luaL_Reg dc_lua_mail_internal[];

#endif
