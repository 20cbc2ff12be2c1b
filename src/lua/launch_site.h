/*
** launch_site.h - launch sites: the lines of the script to which a fault that a GPU reports long after the launch is
** attributed.
*/
#pragma once

#include <lua.h>
#include <stdint.h>

#include "lua/object.h"

/* Notes the script's line that launches the kernel of that name.  *site is the number of the site of the kernel
** object's last launch, 0 at first. */
void dc_lua_note_launch(lua_State *L, dc_lua *self, uint64_t *site, const char name[40]);

/* Faults are not attributed to site `number` any more: its kernel has been launched since from a line not noted. */
void dc_lua_forget_launch(dc_lua *self, uint64_t number);

/* The site of the last launch noted of the kernel whose name `text` begins with, ended by a '; NULL: there is none. */
const dc_lua_launch_site *dc_lua_last_launch(const dc_lua *self, const char *text);
