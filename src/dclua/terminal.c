/*
** terminal.c - see terminal.h.
**
** libedit's own handling of signals loses input: its handler runs at any moment, and a Ctrl-C between two keys is not
** noticed before the line's end.  Here Ctrl-C is an ordinary character while a line is edited, so it has its place
** among the keys, and signals are blocked except where the next key is waited for.
*/
#include "dclua/terminal.h"

#include <errno.h>
#include <histedit.h>
#include <locale.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

#include "base/buf.h"
#include "dclua/call.h"
#include "dclua/history.h"
#include "dclua/interrupt.h"

#define CTRL_C 3
#define CTRL_D 4
#define PASTE_END_GAP 20 /* milliseconds in which the end of a paste follows its last line */
#define PASTE_GAP 2 /* seconds without a key: the end of a paste was lost, read by a program most likely */

struct dclua_terminal {
  lua_State *L;
  int session;      /* in the registry: the table of dotcompute.prompt */
  EditLine *el;
  dclua_history history;
  const char *prompt;
  sigset_t before;  /* the signals that are blocked outside of dclua_terminal_read */
  bool interrupted; /* the line ends because of Ctrl-C */
  bool brackets;    /* the terminal marks what is pasted */
  bool pasting;
  bool is_set;      /* the terminal sends Ctrl-C as a character */
  int ahead;        /* bytes not read yet that were typed before is_set */
  char peeked[8];   /* bytes that were read to see whether a paste ends */
  int npeeked;
};

static dclua_terminal *of(EditLine *el) {
  dclua_terminal *t = NULL;
  el_get(el, EL_CLIENTDATA, &t);
  return t;
}

static char *prompt_text(EditLine *el) { return (char *)(uintptr_t)of(el)->prompt; }

/* --- signals while a line is edited ------------------------------------------------------------------------------ */

/* Besides SIGINT, which has its handler in interrupt.c. */
static const int signals[] = { SIGTSTP, SIGCONT, SIGWINCH, SIGTERM, SIGHUP, SIGQUIT };
#define SIGNALS (sizeof signals / sizeof *signals)
static struct sigaction saved[SIGNALS];
static volatile sig_atomic_t arrived[SIGNALS];
static pthread_t reader;

static void note(int sig) {
  if (!pthread_equal(pthread_self(), reader)) { /* a thread of a library was given it */
    pthread_kill(reader, sig);
    return;
  }
  for (size_t i = 0; i < SIGNALS; i++)
    if (signals[i] == sig) arrived[i] = 1;
}

static void install(size_t i) {
  struct sigaction act;
  memset(&act, 0, sizeof act);
  act.sa_handler = note;
  sigfillset(&act.sa_mask);
  sigaction(signals[i], NULL, &saved[i]);
  if (saved[i].sa_handler != SIG_IGN || signals[i] == SIGWINCH) sigaction(signals[i], &act, NULL); /* nohup's stays */
}

static void block(dclua_terminal *t) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  for (size_t i = 0; i < SIGNALS; i++) sigaddset(&set, signals[i]);
  pthread_sigmask(SIG_BLOCK, &set, &t->before);
}

static void catch_signals(dclua_terminal *t) {
  block(t);
  reader = pthread_self();
  for (size_t i = 0; i < SIGNALS; i++) {
    arrived[i] = 0;
    install(i);
  }
}

static void release_signals(dclua_terminal *t) {
  for (size_t i = 0; i < SIGNALS; i++) sigaction(signals[i], &saved[i], NULL);
  pthread_sigmask(SIG_SETMASK, &t->before, NULL);
}

static void use_brackets(dclua_terminal *t, bool on) {
  if (!t->brackets) return;
  fputs(on ? "\033[?2004h" : "\033[?2004l", stdout);
  fflush(stdout);
}

static void edit_again(dclua_terminal *t) {
  el_set(t->el, EL_PREP_TERM, 1);
  t->is_set = false;
  use_brackets(t, true);
  el_set(t->el, EL_REFRESH);
}

/* What the signal does without a handler, on a terminal in its usual mode: it stops or ends the process. */
static void obey(dclua_terminal *t, size_t i) {
  use_brackets(t, false);
  el_set(t->el, EL_PREP_TERM, 0);
  sigaction(signals[i], &saved[i], NULL);
  raise(signals[i]);
  pthread_sigmask(SIG_SETMASK, &t->before, NULL); /* here it strikes */
  block(t);
  install(i);
  edit_again(t);
}

static void answer_signals(dclua_terminal *t) {
  for (size_t i = 0; i < SIGNALS; i++) {
    if (!arrived[i]) continue;
    arrived[i] = 0;
    if (signals[i] == SIGWINCH) {
      el_resize(t->el);
      el_set(t->el, EL_REFRESH);
    } else if (signals[i] == SIGCONT) edit_again(t);
    else obey(t, i);
  }
}

/* --- keys -------------------------------------------------------------------------------------------------------- */

static int waiting_bytes(void) {
  int n = 0;
  return ioctl(STDIN_FILENO, FIONREAD, &n) == 0 ? n : 0;
}

/* In the mode that libedit has set for this line; it sets the usual one, with the signal, at the line's end. */
static void take_ctrl_c(dclua_terminal *t) {
  struct termios mode;
  if (t->is_set || tcgetattr(STDIN_FILENO, &mode) != 0) return;
  mode.c_cc[VINTR] = _POSIX_VDISABLE;
  tcsetattr(STDIN_FILENO, TCSADRAIN, &mode);
  t->is_set = true;
  t->ahead = waiting_bytes();
}

/* A Ctrl-D that was typed while the terminal took whole lines: Linux keeps it as a NUL, which raw mode then reads. */
static char typed_ahead(dclua_terminal *t, char c) {
  if (t->ahead == 0) return c;
  t->ahead--;
  return c == '\0' ? CTRL_D : c;
}

/* Waits for a byte. 1: there is one, 0: the time is over, -1: an interrupt. */
static int wait_for_byte(dclua_terminal *t, const struct timespec *most) {
  struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };
  for (;;) {
    int n = dclua_interrupt_pending() ? -1 : ppoll(&in, 1, most, &t->before), why = errno;
    sigset_t blocked; /* ppoll prefers bytes to signals; a signal that came before the byte is answered before it */
    pthread_sigmask(SIG_SETMASK, &t->before, &blocked);
    pthread_sigmask(SIG_SETMASK, &blocked, NULL);
    answer_signals(t);
    if (dclua_interrupt_take()) return -1;
    if (n >= 0 || why != EINTR) return n != 0;
  }
}

/* 1, 0 at the end of the input, -1 for an interrupt or an error. */
static int read_byte(dclua_terminal *t, char *c) {
  static const struct timespec gap = { .tv_sec = PASTE_GAP };
  if (t->npeeked > 0) {
    *c = t->peeked[0];
    memmove(t->peeked, t->peeked + 1, (size_t)--t->npeeked);
    return 1;
  }
  for (;;) {
    int there = wait_for_byte(t, t->pasting ? &gap : NULL);
    if (there == 0) {
      t->pasting = false;
      continue;
    }
    ssize_t n = there > 0 ? read(STDIN_FILENO, c, 1) : -1;
    if (there > 0 && n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (n == 1) *c = typed_ahead(t, *c);
    if (there < 0 || (n == 1 && *c == CTRL_C)) {
      t->interrupted = true;
      errno = EINTR;
      return -1;
    }
    return (int)n;
  }
}

/* At a line's end in a paste: where the paste ends too, its end is taken, so that the entry is complete with this line.
*/
static void take_paste_end(dclua_terminal *t) {
  static const char mark[] = "\033[201~";
  struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };
  while (t->npeeked < (int)sizeof mark - 1 && poll(&in, 1, PASTE_END_GAP) == 1) {
    if (read(STDIN_FILENO, &t->peeked[t->npeeked], 1) != 1) break;
    t->npeeked++;
    if (memcmp(t->peeked, mark, (size_t)t->npeeked) != 0) return;
  }
  if (t->npeeked < (int)sizeof mark - 1) return;
  t->npeeked = 0;
  t->pasting = false;
}

/* libedit's source of characters.  Bytes that are none in this locale are dropped. */
static int read_character(EditLine *el, wchar_t *out) {
  dclua_terminal *t = of(el);
  mbstate_t state;
  take_ctrl_c(t);
  memset(&state, 0, sizeof state);
  for (;;) {
    char c;
    int n = read_byte(t, &c);
    *out = L'\0';
    if (n <= 0) return n;
    size_t used = mbrtowc(out, &c, 1, &state);
    if (used <= 1 && t->pasting && t->npeeked == 0 && (c == '\n' || c == '\r')) take_paste_end(t);
    if (used <= 1) return 1;
    if (used == (size_t)-1) memset(&state, 0, sizeof state);
  }
}

/* --- functions of keys ------------------------------------------------------------------------------------------- */

static unsigned char begin_paste(EditLine *el, int ch) {
  (void)ch;
  of(el)->pasting = true;
  return CC_NORM;
}

static unsigned char end_paste(EditLine *el, int ch) {
  (void)ch;
  of(el)->pasting = false;
  return CC_NORM;
}

int dclua_terminal_columns(void) {
  struct winsize size = { .ws_col = 0 };
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 20 ? size.ws_col : 80;
}

/* Inserts what all candidates of dotcompute.prompt's complete share, and shows them when there is nothing to insert. */
static unsigned char complete(dclua_terminal *t) {
  lua_State *L = t->L;
  const LineInfo *line = el_line(t->el);
  unsigned char result = CC_ERROR;
  dclua_push_field(L, t->session, "complete");
  lua_pushlstring(L, line->buffer, (size_t)(line->cursor - line->buffer));
  lua_pushinteger(L, dclua_terminal_columns()); /* function, text, columns */
  if (lua_pcall(L, 2, 2, 0) != LUA_OK) return result;
  const char *insert = lua_tostring(L, -2), *list = lua_tostring(L, -1);
  if (insert && *insert && el_insertstr(t->el, insert) == 0) result = CC_REFRESH;
  else if (list && *list) {
    printf("\n%s\n", list);
    fflush(stdout);
    result = CC_REDISPLAY;
  }
  return result;
}

/* Completes, except in pasted text.  On terminals that do not mark it, text that is behind the tab already, more than
** an Enter, was not typed. */
static unsigned char on_tab(EditLine *el, int ch) {
  (void)ch;
  dclua_terminal *t = of(el);
  if (t->pasting || waiting_bytes() > 1) return el_insertstr(el, "\t") == 0 ? CC_REFRESH : CC_ERROR;
  int top = lua_gettop(t->L);
  unsigned char result = complete(t);
  lua_settop(t->L, top);
  return result;
}

/* --- lines ------------------------------------------------------------------------------------------------------- */

dclua_terminal *dclua_terminal_open(lua_State *L, int session) {
  setlocale(LC_CTYPE, ""); /* libedit reads characters, not bytes */
  dclua_terminal *t = calloc(1, sizeof *t);
  EditLine *el = t ? el_init("dclua", stdin, stdout, stderr) : NULL;
  if (!el) {
    free(t);
    return NULL;
  }
  const char *term = getenv("TERM");
  t->L = L;
  t->session = session;
  t->el = el;
  t->brackets = term && *term && strcmp(term, "dumb") != 0;
  el_set(el, EL_CLIENTDATA, t);
  el_set(el, EL_PROMPT, prompt_text);
  el_set(el, EL_EDITOR, "emacs");
  el_set(el, EL_SIGNAL, 0);
  el_wset(el, EL_GETCFN, read_character);
  el_set(el, EL_ADDFN, "lua-complete", "completes names of Lua", on_tab);
  el_set(el, EL_ADDFN, "paste-begin", "takes keys as text", begin_paste);
  el_set(el, EL_ADDFN, "paste-end", "takes keys as keys", end_paste);
  el_set(el, EL_BIND, "^I", "lua-complete", NULL);
  el_set(el, EL_BIND, "^R", "em-inc-search-prev", NULL);
  el_set(el, EL_BIND, "\\e[200~", "paste-begin", NULL);
  el_set(el, EL_BIND, "\\e[201~", "paste-end", NULL);
  dclua_history_open(&t->history);
  if (t->history.lines) el_set(el, EL_HIST, history, t->history.lines);
  el_source(el, NULL); /* the user's ~/.editrc */
  return t;
}

bool dclua_terminal_is_pasting(const dclua_terminal *t) { return t->pasting; }

void dclua_terminal_remember(dclua_terminal *t, const char *entry) { dclua_history_add(&t->history, entry); }

void dclua_terminal_close(dclua_terminal *t) {
  dclua_history_close(&t->history);
  el_end(t->el);
  free(t);
}

dclua_reading dclua_terminal_read(dclua_terminal *t, const char *prompt, dc_buf *out) {
  int n = 0;
  t->prompt = prompt;
  t->interrupted = false;
  fflush(stdout);
  catch_signals(t);
  use_brackets(t, true);
  t->is_set = false;
  el_set(t->el, EL_PREP_TERM, 1); /* before the prompt is shown: a key that answers it is a key */
  take_ctrl_c(t);
  const char *line = el_gets(t->el, &n);
  if (t->interrupted) el_reset(t->el);
  use_brackets(t, false);
  release_signals(t);
  if (t->interrupted) {
    t->pasting = false;
    return DCLUA_INTERRUPTED;
  }
  if (!line || n <= 0) return DCLUA_END;
  dc_buf_puts(out, line);
  if (out->len > 0 && out->data[out->len - 1] == '\n') out->data[--out->len] = '\0';
  return DCLUA_LINE;
}
