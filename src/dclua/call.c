/* call.c - see call.h. */
#include "dclua/call.h"

#include <lauxlib.h>
#include <lua.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

const char *dclua_progname = "dclua";

void dclua_print_message(const char *text) {
  /* at once, so that messages of several ranks do not mix */
  if (dclua_progname) fprintf(stderr, "%s: %s\n", dclua_progname, text);
  else fprintf(stderr, "%s\n", text);
  fflush(stderr);
}

/* Errors of ours took their traceback when they were raised. Pushes it, or nothing. */
static bool push_own_traceback(lua_State *L) {
  bool found = false;
  if (lua_type(L, 1) == LUA_TTABLE) {
    lua_pushliteral(L, "traceback");
    found = lua_rawget(L, 1) == LUA_TSTRING && lua_rawlen(L, -1) > 0;
    if (!found) lua_pop(L, 1);
  }
  return found;
}

/* Pushes the text of the error object, which has no __tostring: what the prompt shows of it, or its type. */
static void push_description(lua_State *L) {
  if (lua_getfield(L, LUA_REGISTRYINDEX, DCLUA_DESCRIBE) == LUA_TFUNCTION) {
    lua_pushvalue(L, 1);
    if (lua_pcall(L, 1, 1, 0) == LUA_OK && lua_type(L, -1) == LUA_TSTRING) return;
  }
  lua_pushfstring(L, "(error object is a %s value)", luaL_typename(L, 1));
}

/* Whether a line of a traceback is a frame of dotcompute's own Lua files, or of C that they have called. */
static bool is_own_frame(const char *line) {
  static const char lua[] = "\tdotcompute/", core[] = "\t[C]: in function 'dotcompute.core.", c[] = "\t[C]: ";
  for (; strncmp(line, c, sizeof c - 1) == 0; line++) {
    if (strncmp(line, core, sizeof core - 1) == 0) return true;
    if ((line = strchr(line, '\n')) == NULL) return false;
  }
  return strncmp(line, lua, sizeof lua - 1) == 0;
}

/* Takes these frames, and tail calls by them, from the text with a traceback on top. */
static void hide_own_frames(lua_State *L) {
  static const char head[] = "\nstack traceback:\n", tail[] = "\t(...tail calls...)";
  const char *text = lua_tostring(L, -1), *line = strstr(text, head);
  if (!line) return;
  line += sizeof head - 1;
  luaL_Buffer b;
  luaL_buffinit(L, &b);
  luaL_addlstring(&b, text, (size_t)(line - text));
  bool hidden = false;
  for (const char *next; *line; line = next) {
    next = line + strcspn(line, "\n");
    if (*next) next++;
    hidden = is_own_frame(line) || (hidden && strncmp(line, tail, sizeof tail - 1) == 0);
    if (!hidden) luaL_addlstring(&b, line, (size_t)(next - line));
  }
  luaL_pushresult(&b);
  lua_remove(L, -2);
}

/* Error: its text with a traceback. */
static void push_text(lua_State *L) {
  if (lua_isstring(L, 1)) { /* or a number */
    luaL_traceback(L, L, lua_tostring(L, 1), 1);
    return;
  }
  if (!luaL_callmeta(L, 1, "__tostring") || lua_type(L, -1) != LUA_TSTRING) {
    push_description(L);
    luaL_traceback(L, L, lua_tostring(L, -1), 1);
    return;
  }
  int text = lua_gettop(L);
  if (!push_own_traceback(L)) return;
  if (strstr(lua_tostring(L, text), lua_tostring(L, -1))) lua_pop(L, 1); /* the text has it already */
  else {
    lua_pushliteral(L, "\n");
    lua_insert(L, -2);
    lua_concat(L, 3);
  }
}

static int message_handler(lua_State *L) {
  push_text(L);
  hide_own_frames(L);
  return 1;
}

int dclua_call(lua_State *L, int nargs, int nresults) {
  int base = lua_gettop(L) - nargs;
  lua_pushcfunction(L, message_handler);
  lua_insert(L, base);
  int status = lua_pcall(L, nargs, nresults, base);
  lua_remove(L, base);
  return status;
}

void dclua_push_field(lua_State *L, int ref, const char *name) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, ref);
  lua_pushstring(L, name);
  lua_rawget(L, -2); /* table, value */
  lua_remove(L, -2);
}

int dclua_report(lua_State *L, int status) {
  if (status == LUA_OK) return status;
  const char *text = lua_tostring(L, -1);
  dclua_print_message(text ? text : "(error message not a string)");
  lua_pop(L, 1);
  return status;
}
