/* repl.c - see repl.h. */
#include "dclua/repl.h"

#include <errno.h>
#include <lauxlib.h>
#include <lua.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "dclua/call.h"
#include "dclua/interrupt.h"
#include "dclua/terminal.h"

typedef struct repl {
  lua_State *L;
  dclua_terminal *terminal; /* NULL without one */
  char *prompt;             /* what is shown now */
} repl;

/* --- reading a line ------------------------------------------------------------------------------ */

/* The globals _PROMPT and _PROMPT2 change the prompts, as in stock Lua. */
static void set_prompt(repl *r, bool first) {
  lua_State *L = r->L;
  const char *text = first ? "> " : ">> ";
  int top = lua_gettop(L);
  lua_pushglobaltable(L);
  lua_pushstring(L, first ? "_PROMPT" : "_PROMPT2");
  if (lua_rawget(L, -2) == LUA_TSTRING) text = lua_tostring(L, -1);
  free(r->prompt);
  r->prompt = strdup(text);
  lua_settop(L, top);
}

/* Reads one line without a terminal. */
static dclua_reading read_plain(repl *r, dc_buf *out) {
  fputs(r->prompt ? r->prompt : "", stdout);
  fflush(stdout);
  errno = 0;
  int c;
  while ((c = getchar()) != EOF && c != '\n') dc_buf_putc(out, (char)c);
  if (c == EOF && errno == EINTR && dclua_interrupt_take()) {
    clearerr(stdin);
    return DCLUA_INTERRUPTED;
  }
  return c != EOF || out->len > 0 ? DCLUA_LINE : DCLUA_END;
}

/* Pushes one line without its end. */
static dclua_reading push_line(repl *r, bool first) {
  if (dclua_interrupt_take()) return DCLUA_INTERRUPTED;
  set_prompt(r, first);
  dc_buf line = DC_BUF_INIT;
  dclua_reading got;
  if (r->terminal) got = dclua_terminal_read(r->terminal, r->prompt ? r->prompt : "", &line);
  else got = read_plain(r, &line);
  if (got == DCLUA_LINE) lua_pushlstring(r->L, dc_buf_str(&line), line.len);
  dc_buf_free(&line);
  return got;
}

/* --- reading a statement ------------------------------------------------------------------------- */

/* True when the syntax error on top says that more was expected; pops it then. */
static bool wants_more(lua_State *L, int status) {
  if (status != LUA_ERRSYNTAX) return false;
  size_t n;
  const char *text = lua_tolstring(L, -1, &n);
  static const char mark[] = "<eof>";
  const size_t nmark = sizeof mark - 1;
  if (n < nmark || strcmp(text + n - nmark, mark) != 0) return false;
  lua_pop(L, 1);
  return true;
}

static int load(lua_State *L, const char *text, size_t n) { return luaL_loadbufferx(L, text, n, "=stdin", "t"); }

/* Reads until there is a whole expression or statement.  On DCLUA_LINE the stack holds, alone, its chunk
** (*status LUA_OK) or the message. */
static dclua_reading read_statement(repl *r, int *status) {
  lua_State *L = r->L;
  lua_settop(L, 0);
  for (bool first = true;; first = false) {
    dclua_reading got = push_line(r, first);
    if (got != DCLUA_LINE) return got;
    if (first) {
      const char *line = lua_tostring(L, 1);
      lua_pushfstring(L, "return %s", line[0] == '=' ? line + 1 : line); /* "=x" as Lua 5.1 had it */
      *status = load(L, lua_tostring(L, 2), lua_rawlen(L, 2)); /* line, "return line", chunk or message */
      if (*status == LUA_OK) break;
      lua_settop(L, 1);
    } else {
      lua_pushliteral(L, "\n");
      lua_insert(L, 2); /* text, newline, line */
      lua_concat(L, 3);
    }
    *status = load(L, lua_tostring(L, 1), lua_rawlen(L, 1));
    if (!wants_more(L, *status)) break;
  }
  lua_replace(L, 1);
  lua_settop(L, 1);
  return DCLUA_LINE;
}

/* --- evaluating ---------------------------------------------------------------------------------- */

/* dclua_call, in which Ctrl-C is for what runs. */
static int call(lua_State *L, int nargs, int nresults) {
  dclua_interrupt_idle(false);
  int status = dclua_call(L, nargs, nresults);
  dclua_interrupt_idle(true);
  return status;
}

/* Calls the global `print`.  Reading a global may raise an error: of a metamethod of _G. */
static int print_values(lua_State *L) {
  int n = lua_gettop(L);
  luaL_checkstack(L, 1, "too many results to print");
  lua_getglobal(L, "print");
  lua_insert(L, 1);
  lua_call(L, n, 0);
  return 0;
}

/* Prints the values on the stack. */
static void print_results(lua_State *L) {
  int n = lua_gettop(L);
  if (n == 0) return;
  lua_pushcfunction(L, print_values);
  lua_insert(L, 1);
  dclua_report(L, call(L, n, 0));
}

void dclua_repl(lua_State *L) {
  repl r = { .L = L };
  if (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)) r.terminal = dclua_terminal_open(L);
  dclua_interrupt_idle(true);
  for (;;) {
    int status = LUA_OK;
    dclua_reading got = read_statement(&r, &status);
    if (got == DCLUA_END) break;
    if (got == DCLUA_INTERRUPTED) {
      fputs("\n", stdout);
      continue;
    }
    if (status == LUA_OK) status = call(L, 0, LUA_MULTRET);
    if (dclua_report(L, status) == LUA_OK) print_results(L);
    fflush(stdout);
  }
  dclua_interrupt_idle(false);
  lua_settop(L, 0);
  fputs("\n", stdout);
  fflush(stdout);
  if (r.terminal) dclua_terminal_close(r.terminal);
  free(r.prompt);
}
