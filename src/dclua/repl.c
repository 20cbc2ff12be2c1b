/*
** repl.c - see repl.h.
**
** The prompt's language is Lua's and is written in Lua (lua/dotcompute/prompt/): this file reads entries, runs what
** they were compiled to, and reports errors.
*/
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
  int session;              /* in the registry: the table of dotcompute.prompt */
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
  const size_t before = out->len;
  fputs(r->prompt ? r->prompt : "", stdout);
  fflush(stdout);
  errno = 0;
  int c;
  while ((c = getchar()) != EOF && c != '\n') dc_buf_putc(out, (char)c);
  if (c == EOF && errno == EINTR && dclua_interrupt_take()) {
    clearerr(stdin);
    return DCLUA_INTERRUPTED;
  }
  return c != EOF || out->len > before ? DCLUA_LINE : DCLUA_END;
}

/* Appends one line without its end. */
static dclua_reading read_line(repl *r, bool first, dc_buf *out) {
  if (dclua_interrupt_take()) return DCLUA_INTERRUPTED;
  set_prompt(r, first);
  if (r->terminal) return dclua_terminal_read(r->terminal, r->prompt ? r->prompt : "", out);
  return read_plain(r, out);
}

/* --- the session --------------------------------------------------------------------------------- */

/* Pushes a function of dotcompute.prompt. */
static void push_function(const repl *r, const char *name) { dclua_push_field(r->L, r->session, name); }

static bool open_session(repl *r) {
  lua_State *L = r->L;
  lua_getglobal(L, "require");
  lua_pushliteral(L, "dotcompute.prompt");
  if (dclua_report(L, dclua_call(L, 1, 1)) != LUA_OK) return false;
  r->session = luaL_ref(L, LUA_REGISTRYINDEX);
  push_function(r, "describe");
  lua_setfield(L, LUA_REGISTRYINDEX, DCLUA_DESCRIBE);
  return true;
}

/* Passes the terminal's width, and whether results and errors are written to a terminal, to the session. */
static void describe_terminal(repl *r) {
  push_function(r, "set_terminal");
  lua_pushinteger(r->L, dclua_terminal_columns());
  lua_pushboolean(r->L, isatty(STDOUT_FILENO));
  lua_pushboolean(r->L, isatty(STDERR_FILENO));
  dclua_report(r->L, dclua_call(r->L, 3, 0));
}

/* --- reading an entry ---------------------------------------------------------------------------- */

/* What has been read of an entry: more is expected, or the stack holds, alone, its chunk or the message. */
typedef enum entry { ENTRY_OPEN, ENTRY_CHUNK, ENTRY_WRONG } entry;

static entry compile(repl *r, const dc_buf *text, bool pasted) {
  lua_State *L = r->L;
  lua_settop(L, 0);
  push_function(r, pasted ? "compile_paste" : "compile");
  lua_pushlstring(L, dc_buf_str(text), text->len);
  if (dclua_call(L, 1, 2) != LUA_OK) return ENTRY_WRONG; /* message */
  if (lua_isnil(L, 1) && lua_isnil(L, 2)) return ENTRY_OPEN;
  const bool good = lua_isfunction(L, 1);
  lua_remove(L, good ? 2 : 1); /* chunk or message */
  return good ? ENTRY_CHUNK : ENTRY_WRONG;
}

/* Reads until there is a whole expression or statement, or all of a paste. */
static dclua_reading read_entry(repl *r, dc_buf *text, entry *what) {
  bool pasted = false;
  for (bool first = true;; first = false) {
    if (!first) dc_buf_putc(text, '\n');
    const dclua_reading got = read_line(r, first, text);
    if (got != DCLUA_LINE) return got;
    if (first) pasted = strchr(dc_buf_str(text), '\n') != NULL; /* an entry of the history */
    if (r->terminal && dclua_terminal_is_pasting(r->terminal)) {
      pasted = true;
      continue;
    }
    *what = compile(r, text, pasted);
    if (*what != ENTRY_OPEN) return DCLUA_LINE;
  }
}

/* --- evaluating ---------------------------------------------------------------------------------- */

/* dclua_call, in which Ctrl-C is for what runs. */
static int call(lua_State *L, int nargs, int nresults) {
  dclua_interrupt_idle(false);
  int status = dclua_call(L, nargs, nresults);
  dclua_interrupt_idle(true);
  return status;
}

/* Reports the error on top as the session words it. */
static void report(repl *r, int status) {
  lua_State *L = r->L;
  if (status == LUA_OK) return;
  push_function(r, "error_text");
  lua_pushvalue(L, -2);
  if (dclua_call(L, 1, 1) == LUA_OK && lua_isstring(L, -1)) lua_remove(L, -2); /* text */
  else lua_pop(L, 1);                                                         /* message */
  dclua_report(L, status);
}

/* Runs the chunk that the stack holds, and shows its results. */
static void run(repl *r, entry what) {
  lua_State *L = r->L;
  int status = LUA_ERRSYNTAX;
  if (what == ENTRY_CHUNK) {
    push_function(r, "begin");
    lua_pushvalue(L, 1);
    if ((status = dclua_call(L, 1, 0)) == LUA_OK) status = call(L, 0, LUA_MULTRET);
  }
  if (status == LUA_OK && lua_gettop(L) > 0) {
    push_function(r, "show");
    lua_insert(L, 1);
    status = call(L, lua_gettop(L) - 1, 0);
  }
  report(r, status);
}

void dclua_repl(lua_State *L) {
  repl r = { .L = L };
  dc_buf text = DC_BUF_INIT;
  if (!open_session(&r)) return;
  if (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)) r.terminal = dclua_terminal_open(L, r.session);
  if (r.terminal) puts("help() lists functions, ?name explains one, Tab completes, Ctrl-D ends");
  dclua_interrupt_idle(true);
  for (;;) {
    entry what = ENTRY_OPEN;
    dc_buf_reset(&text);
    describe_terminal(&r);
    const dclua_reading got = read_entry(&r, &text, &what);
    if (r.terminal) dclua_terminal_remember(r.terminal, dc_buf_str(&text));
    if (got == DCLUA_END) break;
    if (got == DCLUA_INTERRUPTED) {
      fputs("\n", stdout);
      continue;
    }
    run(&r, what);
    fflush(stdout);
  }
  dclua_interrupt_idle(false);
  lua_settop(L, 0);
  fputs("\n", stdout);
  fflush(stdout);
  if (r.terminal) dclua_terminal_close(r.terminal);
  luaL_unref(L, LUA_REGISTRYINDEX, r.session);
  dc_buf_free(&text);
  free(r.prompt);
}
