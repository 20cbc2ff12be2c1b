/*
** repl.c - the prompt: libedit's line editing with a history kept between sessions, expressions printed
** without `return`, input over several lines, Tab completion, Ctrl-C that drops the line but not the
** session.  Without a terminal it reads plain lines and shows the same prompts, as `lua -i` does.
*/
#include <errno.h>
#include <histedit.h>
#include <lauxlib.h>
#include <locale.h>
#include <lua.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "dclua/dclua.h"

#define HISTORY_LINES 2000

typedef struct repl {
  lua_State *L;
  EditLine *el; /* NULL without a terminal */
  History *history;
  char *history_file; /* NULL when it cannot be kept */
  char *prompt;       /* what libedit shows now, owned */
} repl;

typedef enum reading { READ_LINE, READ_INTERRUPTED, READ_END } reading;

/* --- the terminal ------------------------------------------------------------------------------ */

static char *prompt_text(EditLine *el) {
  repl *r = NULL;
  el_get(el, EL_CLIENTDATA, &r);
  static char none[] = "";
  return r->prompt ? r->prompt : none;
}

/* ${XDG_STATE_HOME:-~/.local/state}/dotcompute/history, its folder made. NULL when that cannot be. */
static char *find_history_file(void) {
  const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
  dc_buf path = DC_BUF_INIT;
  if (state && state[0] == '/') dc_buf_printf(&path, "%s/dotcompute", state);
  else if (home && home[0] == '/') dc_buf_printf(&path, "%s/.local/state/dotcompute", home);
  else return NULL;
  dc_error err = DC_ERROR_INIT;
  bool made = !path.failed && dc_file_mkdirs(dc_buf_str(&path), &err) == 0;
  dc_error_clear(&err);
  dc_buf_puts(&path, "/history");
  char *name = dc_buf_take(&path);
  if (made) return name;
  free(name);
  return NULL;
}

/* Tab: asks dotcompute.complete what could stand before the cursor; inserts what all candidates share
** and shows them when there is nothing to insert. */
static unsigned char complete(EditLine *el, int ch) {
  (void)ch;
  repl *r = NULL;
  el_get(el, EL_CLIENTDATA, &r);
  lua_State *L = r->L;
  int top = lua_gettop(L);
  const LineInfo *line = el_line(el);
  unsigned char result = CC_ERROR;
  lua_getglobal(L, "require");
  lua_pushliteral(L, "dotcompute.complete");
  if (lua_pcall(L, 1, 1, 0) == LUA_OK) {
    lua_pushlstring(L, line->buffer, (size_t)(line->cursor - line->buffer));
    lua_pushinteger(L, 80);
    if (lua_pcall(L, 2, 2, 0) == LUA_OK) {
      const char *insert = lua_tostring(L, -2), *list = lua_tostring(L, -1);
      if (insert && *insert && el_insertstr(el, insert) == 0) result = CC_REFRESH;
      else if (list && *list) {
        printf("\n%s\n", list);
        fflush(stdout);
        result = CC_REDISPLAY;
      }
    }
  }
  lua_settop(L, top);
  return result;
}

static void open_terminal(repl *r) {
  setlocale(LC_CTYPE, ""); /* libedit reads characters, not bytes */
  r->el = el_init("dclua", stdin, stdout, stderr);
  if (!r->el) return;
  el_set(r->el, EL_CLIENTDATA, r);
  el_set(r->el, EL_PROMPT, prompt_text);
  el_set(r->el, EL_EDITOR, "emacs");
  el_set(r->el, EL_SIGNAL, 1);
  el_set(r->el, EL_ADDFN, "lua-complete", "completes names of Lua", complete);
  el_set(r->el, EL_BIND, "^I", "lua-complete", NULL);
  el_set(r->el, EL_BIND, "^R", "em-inc-search-prev", NULL);
  el_source(r->el, NULL); /* the user's ~/.editrc */
  r->history = history_init();
  if (!r->history) return;
  HistEvent event;
  history(r->history, &event, H_SETSIZE, HISTORY_LINES);
  history(r->history, &event, H_SETUNIQUE, 1);
  el_set(r->el, EL_HIST, history, r->history);
  r->history_file = find_history_file();
  if (r->history_file) history(r->history, &event, H_LOAD, r->history_file);
}

static void close_terminal(repl *r) {
  if (r->history) history_end(r->history);
  if (r->el) el_end(r->el);
  free(r->history_file);
  free(r->prompt);
}

static void remember(repl *r, const char *line) {
  if (!r->history || line[strspn(line, " \t\r\n")] == '\0') return;
  HistEvent event;
  history(r->history, &event, H_ENTER, line);
  if (r->history_file) history(r->history, &event, H_SAVE, r->history_file);
}

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
static reading read_plain(repl *r, dc_buf *out) {
  fputs(r->prompt ? r->prompt : "", stdout);
  fflush(stdout);
  errno = 0;
  int c;
  while ((c = getchar()) != EOF && c != '\n') dc_buf_putc(out, (char)c);
  if (c != EOF || out->len > 0) return READ_LINE;
  if (errno != EINTR) return READ_END;
  clearerr(stdin);
  return READ_INTERRUPTED;
}

static reading read_edited(repl *r, dc_buf *out) {
  int n = 0;
  fflush(stdout);
  const char *line = el_gets(r->el, &n);
  if (dclua_interrupt_take()) {
    el_reset(r->el);
    return READ_INTERRUPTED;
  }
  if (!line || n <= 0) return READ_END;
  remember(r, line);
  dc_buf_puts(out, line);
  if (out->len > 0 && out->data[out->len - 1] == '\n') out->data[--out->len] = '\0';
  return READ_LINE;
}

/* Pushes one line without its end. */
static reading push_line(repl *r, bool first) {
  set_prompt(r, first);
  dc_buf line = DC_BUF_INIT;
  reading got = r->el ? read_edited(r, &line) : read_plain(r, &line);
  if (dclua_interrupt_take()) got = READ_INTERRUPTED;
  if (got == READ_LINE) lua_pushlstring(r->L, dc_buf_str(&line), line.len);
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

/* Reads until there is a whole expression or statement.  On READ_LINE the stack holds, alone, its chunk
** (*status LUA_OK) or the message. */
static reading read_statement(repl *r, int *status) {
  lua_State *L = r->L;
  lua_settop(L, 0);
  for (bool first = true;; first = false) {
    reading got = push_line(r, first);
    if (got != READ_LINE) return got;
    if (first) {
      const char *line = lua_tostring(L, 1);
      lua_pushfstring(L, "return %s", line[0] == '=' ? line + 1 : line); /* "=x" as Lua 5.1 had it */
      *status = load(L, lua_tostring(L, 2), lua_rawlen(L, 2));
      if (*status == LUA_OK) break;
      lua_settop(L, 1);
    } else { /* text, line */
      lua_pushliteral(L, "\n");
      lua_insert(L, 2);
      lua_concat(L, 3);
    }
    *status = load(L, lua_tostring(L, 1), lua_rawlen(L, 1));
    if (!wants_more(L, *status)) break;
  }
  lua_replace(L, 1);
  lua_settop(L, 1);
  return READ_LINE;
}

/* --- evaluating ---------------------------------------------------------------------------------- */

/* Prints the values on the stack by the global `print`. */
static void print_results(lua_State *L) {
  int n = lua_gettop(L);
  if (n == 0) return;
  lua_getglobal(L, "print");
  lua_insert(L, 1);
  dclua_report(L, dclua_call(L, n, 0));
}

void dclua_repl(lua_State *L) {
  repl r = { .L = L };
  if (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)) open_terminal(&r);
  for (;;) {
    int status = LUA_OK;
    reading got = read_statement(&r, &status);
    if (got == READ_END) break;
    if (got == READ_INTERRUPTED) {
      fputs("\n", stdout);
      continue;
    }
    if (status == LUA_OK) status = dclua_call(L, 0, LUA_MULTRET);
    if (dclua_report(L, status) == LUA_OK) print_results(L);
    dclua_interrupt_take(); /* one that came too late to stop anything */
    fflush(stdout);
  }
  lua_settop(L, 0);
  fputs("\n", stdout);
  fflush(stdout);
  close_terminal(&r);
}
