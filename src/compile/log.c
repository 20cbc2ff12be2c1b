/*
** log.c - see log.h.  A message is a block of lines, ended by an empty line:
**   dotcompute.cu(12): error: identifier "x" is undefined
**     float y = x;
**               ^
*/
#include "compile/log.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "compile/types/signature.h"
#include "compile/types/source.h"

/* Files that are not the user's: the appended queries, and the place where NVRTC resolves name expressions. */
static const char queries[] = DC_SIGNATURE_FILE "(", names[] = "__nv_name_map(";

static bool starts(const char *s, const char *prefix) { return strncmp(s, prefix, strlen(prefix)) == 0; }

/* Whether the block's first line has the words: no further, since a log may be long. */
static bool first_line_has(const char *block, const char *words) {
  return memmem(block, strcspn(block, "\n"), words, strlen(words)) != NULL;
}

/* "3 errors detected in the compilation of …", "1 catastrophic error detected …" */
static bool is_count(const char *block) {
  return strspn(block, "0123456789") > 0 && first_line_has(block, " detected in the compilation of ");
}

/* A warning about a header: not the user's. */
static bool is_foreign_warning(const char *block) {
  return !starts(block, DC_NVRTC_NAME "(") && first_line_has(block, ": warning ");
}

static bool unwanted(const char *block) {
  return is_foreign_warning(block) || is_count(block) || starts(block, "Remark:") || starts(block, queries) ||
         starts(block, names);
}

/* Behind "at line " (of an instantiation or a declaration): the number's end when the line is the source's. */
static const char *own_line(const char *number, const char *end) {
  const char *p = number + strspn(number, "0123456789");
  if (p == number || p > end) return NULL;
  if (!starts(p, " of ")) return p;
  if (!starts(p + 4, DC_NVRTC_NAME)) return NULL;
  p += 4 + sizeof DC_NVRTC_NAME - 1;
  return *p == '"' ? NULL : p;
}

/* One line, in which "at line 12" becomes "at dotcompute.cu(12)", a place like the others. */
static void add_line(dc_buf *out, const char *line, size_t n) {
  static const char at[] = "at line ";
  const char *p = line, *end = line + n, *found;
  while ((found = memmem(p, (size_t)(end - p), at, sizeof at - 1)) != NULL) {
    const char *number = found + sizeof at - 1, *after = own_line(number, end);
    dc_buf_add(out, p, (size_t)(number - p) - (after ? strlen("line ") : 0));
    if (after) dc_buf_printf(out, DC_SOURCE_NAME "(%.*s)", (int)strspn(number, "0123456789"), number);
    p = after ? after : number;
  }
  dc_buf_add(out, p, (size_t)(end - p));
}

static void add_block(dc_buf *out, const char *block, size_t n) {
  for (size_t i = 0; i < n;) {
    if (starts(block + i, DC_NVRTC_NAME "(")) i++; /* the slash in front */
    const char *end = memchr(block + i, '\n', n - i);
    size_t len = end ? (size_t)(end - block) - i + 1 : n - i;
    if (i < 2) add_line(out, block + i, len); /* the message, not the source below it */
    else if (block[i] == ' ' && memmem(block + i, len, "detected during", 15)) add_line(out, block + i, len);
    else if (block[i] == ' ' && memmem(block + i, len, "instantiation of", 16)) add_line(out, block + i, len);
    else dc_buf_add(out, block + i, len);
    i += len;
  }
  dc_buf_putc(out, '\n');
}

char *dc_log_clean(const char *log) {
  dc_buf out = DC_BUF_INIT;
  for (const char *p = log; *p;) {
    while (*p == '\n') p++;
    const char *end = strstr(p, "\n\n");
    size_t n = end ? (size_t)(end - p) + 1 : strlen(p);
    if (n && !unwanted(p)) add_block(&out, p, n);
    p += n;
  }
  while (out.len > 0 && out.data[out.len - 1] == '\n') out.data[--out.len] = '\0';
  return dc_buf_take(&out);
}

bool dc_log_names_trouble(const char *log) { return strstr(log, queries) != NULL || strstr(log, names) != NULL; }

/* Under each complaint NVRTC shows the line "  #pragma nv_mangled_name EXPRESSION". */
char *dc_log_blame(const char *log, const char *expression) {
  static const char pragma[] = "#pragma nv_mangled_name ", error[] = ": error: ";
  size_t n = strlen(expression);
  for (const char *p = log, *end; (p = strstr(p, names)) != NULL; p = end) {
    end = p + strcspn(p, "\n");
    const char *sentence = memmem(p, (size_t)(end - p), error, sizeof error - 1), *shown = strstr(end, pragma);
    if (!sentence || !shown) continue;
    shown += sizeof pragma - 1;
    if (strncmp(shown, expression, n) != 0 || (shown[n] != '\n' && shown[n] != '\0')) continue;
    sentence += sizeof error - 1;
    return strndup(sentence, (size_t)(end - sentence));
  }
  return NULL;
}

bool dc_log_first_error(const char *cleaned, int *line, char **sentence) {
  *line = 0;
  *sentence = NULL;
  for (const char *p = cleaned; p && *p; p = strchr(p, '\n'), p = p ? p + 1 : NULL) {
    const char *eol = strchr(p, '\n');
    size_t n = eol ? (size_t)(eol - p) : strlen(p);
    const char *at = memmem(p, n, "error", 5);
    if (!at) continue;
    const char *colon = memmem(at, (size_t)(p + n - at), ": ", 2);
    const char *paren = memchr(p, '(', n);
    bool at_end = starts(p, "At end of source: ");
    if (!colon || (!at_end && (!paren || paren > at))) continue;
    if (starts(p, DC_SOURCE_NAME "(")) *line = (int)strtol(paren + 1, NULL, 10);
    dc_buf b = DC_BUF_INIT;
    if (*line == 0) dc_buf_add(&b, p, n); /* in a header, or at the end: keep the place */
    else dc_buf_add(&b, colon + 2, (size_t)(p + n - colon - 2));
    *sentence = dc_buf_take(&b);
    return true;
  }
  return false;
}

/* --- what a message shows of it ----------------------------------------------------------------- */

#define WIDTH 160   /* of a source line in a message */
#define LONGEST 600 /* sentence: it may name types without end */

/* A head "file(12): error: sentence", "file(12): Error: sentence" (from behind the front end, as of parameters that are
** too large) or "At end of source: error: sentence". */
typedef struct head {
  const char *file;
  size_t nfile;         /* 0: at the end of the source */
  int line;
  const char *sentence; /* from "error" on */
} head;

static bool read_head(const char *p, size_t n, head *h) {
  static const char *const kinds[] = {"error", "Error", "catastrophic error", "internal error", NULL};
  const char *end = p + n, *colon = p;
  *h = (head){p, 0, 0, NULL};
  while ((colon = memmem(colon, (size_t)(end - colon), ": ", 2)) != NULL) {
    colon += 2;
    for (const char *const *k = kinds; *k; k++)
      if (starts(colon, *k) && (colon[strlen(*k)] == ':' || colon[strlen(*k)] == ' ')) h->sentence = colon;
    if (h->sentence) break;
  }
  if (!h->sentence) return false;
  const char *open = h->sentence - 2;
  while (open > p && *open != '(') open--;
  if (*open != '(') return starts(p, "At end of source");
  h->nfile = (size_t)(open - p);
  h->line = (int)strtol(open + 1, NULL, 10);
  return true;
}

/* Where UTF-8 characters begin: a cut in the middle of one would leave half of it. */
static size_t at_character(const char *s, size_t i) {
  while (i > 0 && ((unsigned char)s[i] & 0xc0) == 0x80) i--;
  return i;
}

/* A source line, and below it a caret under byte `at` (none when at is n or more), cut to the part around the caret.
** The compiler counts bytes; on a terminal characters count. */
static void add_shown(dc_buf *out, const char *source, size_t n, size_t at) {
  size_t from = 0;
  if (n > WIDTH && at < n && at > WIDTH / 2) from = at_character(source, at - WIDTH / 2);
  size_t to = n - from > WIDTH ? at_character(source, from + WIDTH) : n;
  while (to > from && to == n && (source[to - 1] == ' ' || source[to - 1] == '\r')) to--, n--;
  dc_buf_printf(out, "\n%s%.*s%s", from ? "  ..." : "", (int)(to - from), source + from, to < n ? "..." : "");
  if (at == SIZE_MAX) return;
  dc_buf_printf(out, "\n%s", from ? "     " : "");
  for (size_t i = from; i < at; i++) {
    if (i >= n || ((unsigned char)source[i] & 0xc0) != 0x80) dc_buf_putc(out, i < n && source[i] == '\t' ? '\t' : ' ');
  }
  dc_buf_putc(out, '^');
}

static size_t line_length(const char *p, const char *end) {
  const char *eol = memchr(p, '\n', (size_t)(end - p));
  return (size_t)((eol ? eol : end) - p);
}

/* What follows the head in its block: source line and caret, then the first few remarks on it. */
static void add_rest(dc_buf *out, const char *p, const char *end) {
  for (int i = 0; p < end && i < 6; i++) {
    size_t n = line_length(p, end);
    const char *next = p + n < end ? p + n + 1 : end;
    size_t m = next < end ? line_length(next, end) : 0;
    bool caret = m > 0 && next[m - 1] == '^' && strspn(next, " \t") == m - 1;
    add_shown(out, p, n, caret ? m - 1 : SIZE_MAX);
    p = caret && next + m < end ? next + m + 1 : caret ? end : next;
  }
}

static void add_error(dc_buf *out, const head *h, const char *block, const char *end, bool first, int *line) {
  const char *eol = block + line_length(block, end);
  bool own = h->nfile == sizeof DC_SOURCE_NAME - 1 && starts(h->file, DC_SOURCE_NAME);
  if (out->len) dc_buf_putc(out, '\n');
  if (own && first) *line = h->line;
  else if (own) dc_buf_printf(out, DC_SOURCE_NAME "(%d): ", h->line); /* a place of the script, later */
  else if (h->nfile) dc_buf_printf(out, "%.*s:%d: ", (int)h->nfile, h->file, h->line);
  else dc_buf_puts(out, "at the end of the source: ");
  const size_t n = (size_t)(eol - h->sentence);
  const bool cut = n > LONGEST;
  dc_buf_printf(out, "%.*s%s", (int)(cut ? at_character(h->sentence, LONGEST) : n), h->sentence, cut ? "..." : "");
  if (eol < end) add_rest(out, eol + 1, end);
}

char *dc_log_digest(const char *cleaned, int most, int *line) {
  dc_buf out = DC_BUF_INIT;
  int n = 0;
  *line = 0;
  for (const char *p = cleaned; *p;) {
    const char *stop = strstr(p, "\n\n"), *end = stop ? stop : p + strlen(p);
    head h;
    if (read_head(p, line_length(p, end), &h) && n++ < most) add_error(&out, &h, p, end, n == 1, line);
    p = end + strspn(end, "\n");
  }
  if (n > most) dc_buf_printf(&out, "\nand %d more", n - most);
  if (n > 0) return dc_buf_take(&out);
  dc_buf_free(&out);
  return NULL;
}

/* Lines of which a log may consist without an error that has a place: the compiler gave up.  The best is one that names
** an error, else the first that says anything. */
char *dc_log_reason(const char *log) {
  const char *best = NULL;
  bool names_error = false;
  for (const char *p = log; p && *p && !names_error; p += strcspn(p, "\n"), p += *p == '\n') {
    const size_t n = strcspn(p, "\n");
    if (strspn(p, " \t\r") >= n || is_foreign_warning(p)) continue;
    names_error = memmem(p, n, "rror", 4) != NULL && !is_count(p);
    if (!best || names_error) best = p;
  }
  if (!best) return NULL;
  if (strncmp(best, "error: ", 7) == 0) best += 7; /* a sentence of ours */
  const size_t n = strcspn(best, "\n");
  dc_buf out = DC_BUF_INIT;
  dc_buf_printf(&out, "error: the compiler gave up: %.*s%s", (int)(n > LONGEST ? at_character(best, LONGEST) : n), best,
                n > LONGEST ? "..." : "");
  return dc_buf_take(&out);
}
