/*
** notice.c - see notice.h.
*/
#include "base/notice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/runtime.h"

#define DELAY 0.5 /* seconds until a notice is shown */

/* VT100: save the cursor, no wrapping at the edge; erase to the end of the line, wrap again, restore the cursor. */
#define BEFORE "\0337\033[?7l"
#define AFTER "\033[K\033[?7h\0338"
#define ERASE "\033[K"

static _Thread_local char subject_text[80];
static _Thread_local dc_notice *current;

static bool is_off(const char *name, const char *value) {
  const char *set = getenv(name);
  return set != NULL && strcmp(set, value) == 0;
}

int dc_notice_columns(void) {
  struct winsize size = { .ws_col = 0 };
  const char *term = getenv("TERM");
  if (term == NULL || *term == '\0' || strcmp(term, "dumb") == 0 || is_off("DOTCOMPUTE_PROGRESS", "off")) return 0;
  if (!isatty(STDERR_FILENO)) return 0;
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

void dc_notice_subject(const char *subject) {
  snprintf(subject_text, sizeof subject_text, "%s", subject != NULL ? subject : "");
}

static const char *own_subject(void) { return subject_text[0] != '\0' ? subject_text : NULL; }

/* Names come from scripts: control characters would be commands for the terminal. */
static void make_harmless(char *text) {
  for (; *text != '\0'; text++)
    if ((unsigned char)*text < ' ' || *text == 127) *text = '?';
}

void dc_notice_begin(dc_notice *n, const char *verb, const char *subject) {
  *n = (dc_notice){ .inner = current != NULL };
  if (n->inner) return;
  const char *own = own_subject();
  snprintf(n->text, sizeof n->text, "%s %.70s …", verb, own != NULL ? own : subject);
  make_harmless(n->text);
  n->due = dc_clock() + DELAY;
  current = n;
}

static void show(dc_notice *n) {
  n->shown = dc_notice_columns() > 0;
  n->due = dc_clock() + DELAY;
  if (!n->shown) return;
  fflush(stdout); /* what the script has written comes first, where both go to one terminal */
  fprintf(stderr, BEFORE "%s" AFTER, n->text);
  fflush(stderr);
}

void dc_notice_poll(void) {
  if (current != NULL && !current->shown && dc_clock() >= current->due) show(current);
}

void dc_notice_end(dc_notice *n) {
  if (n->inner) return;
  current = NULL;
  if (!n->shown) return;
  fputs(ERASE, stderr);
  fflush(stderr);
}
