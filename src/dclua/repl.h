/*
** repl.h - the prompt: expressions printed without `return`, input over several lines, Ctrl-C that drops the line but
** not the session.  Without a terminal it reads plain lines and shows the same prompts, as `lua -i` does.
*/
#pragma once

#include <lua.h>

/* Reads, evaluates and prints until end of file. The terminal's name for messages is argv[0]'s. */
void dclua_repl(lua_State *L);
