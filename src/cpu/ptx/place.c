/* place.c - see place.h. */
#define _GNU_SOURCE /* memmem */
#include "cpu/ptx/place.h"

#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/map.h"
#include "cpu/ptx/lex.h"

/* ---- lines of the source ---- */

static uint64_t location_key(uint64_t file, uint64_t line, uint64_t column) {
  return (file & 0xfff) << 52 | (line & 0xffffffff) << 20 | (column & 0xfffff);
}

int ptxp_read_location(ptx_parser *P, uint64_t loc[3]) {
  for (int i = 0; i < 3; i++)
    if (ptxp_int(P, &loc[i], "a source location") != 0) return -1;
  return 0;
}

/* .loc file line column[, function_name label[+n], inlined_at file line column].
** The user's line is the innermost one in their file; an inlined location leads to it through the .loc
** of its call site, which the compiler has listed before. */
int ptxp_read_loc(ptx_parser *P) {
  uint64_t loc[3], at[3] = {0, 0, 0}, line = 0;
  if (ptxp_read_location(P, loc) != 0) return -1;
  while (ptxp_accept(P, ',')) {
    bool inlined = ptx_tok_eq(&P->lex.tok, PTX_TOK_NAME, "inlined_at");
    bool function = ptx_tok_eq(&P->lex.tok, PTX_TOK_NAME, "function_name");
    if (!inlined && !function) return ptxp_expected(P, "function_name or inlined_at");
    ptx_lex_next(&P->lex);
    if (inlined) {
      if (ptxp_read_location(P, at) != 0) return -1;
      continue;
    }
    ptx_tok label;
    if (ptxp_name(P, &label, "a label") != 0) return -1;
    uint64_t n = 0;
    if (ptxp_accept(P, '+') && ptxp_int(P, &n, "a label's offset") != 0) return -1;
  }
  if (loc[0] == P->user_file && loc[1] != 0) line = loc[1];
  else if (at[0] == P->user_file && at[1] != 0) line = at[1];
  else if (at[1] != 0) line = ptxp_number_get(&P->inlined, location_key(at[0], at[1], at[2]));
  if (line != 0 && ptxp_number_set(&P->inlined, location_key(loc[0], loc[1], loc[2]), line) != 0) return ptxp_oom(P);
  if (line != 0) P->line = (uint32_t)line;
  return 0;
}

uint32_t ptxp_user_file(const char *text, size_t len) {
  static const char mark[] = "dotcompute.cu\"", file[] = ".file";
  const char *p = text, *end = text + len;
  for (; (p = memmem(p, (size_t)(end - p), mark, sizeof mark - 1)) != NULL; p++) {
    const char *s = p;
    while (s > text && s[-1] != '\n') s--;
    while (s < p && (*s == ' ' || *s == '\t')) s++;
    if ((size_t)(p - s) < sizeof file || memcmp(s, file, sizeof file - 1) != 0) continue;
    for (s += sizeof file - 1; s < p && (*s == ' ' || *s == '\t'); s++) {}
    const int n = ptxp_decimal(s, p);
    if (n > 0) return (uint32_t)n;
  }
  return 0;
}

/* ---- inline assembly with a brace too many ---- */

/* A pair of the compiler's comments "begin inline asm" and "end inline asm". */
typedef struct assembly {
  uint32_t line, source; /* of the brace: of the PTX, of the user's source */
  const char *at;
  int depth;             /* '{' less '}' */
} assembly;

static bool has_comment(const char *from, const char *to, const char *comment) {
  return memmem(from, (size_t)(to - from), comment, strlen(comment)) != NULL;
}

/* The first inline assembly of the last function that opens a brace which no other closes, or the reverse. */
static bool find_unmatched(ptx_parser *P, assembly *found) {
  enum { MOST = 16 };
  assembly open[MOST], a = {0};
  int n = 0;
  bool inside = false;
  ptx_lex lex = {.p = P->body, .end = P->lex.end, .line = P->body_line};
  P->line = 0;
  dc_map_free(&P->inlined);
  for (P->lex = lex;;) {
    const char *behind = P->lex.p;
    ptx_lex_next(&P->lex);
    const ptx_tok t = P->lex.tok;
    if (inside && has_comment(behind, t.s, "end inline asm")) {
      inside = false;
      for (; a.depth < 0 && n > 0 && open[n - 1].depth + a.depth <= 0; n--) a.depth += open[n - 1].depth;
      if (a.depth < 0 && n > 0) open[n - 1].depth += a.depth;
      else if (a.depth < 0) return *found = a, true;
      else if (a.depth > 0 && n < MOST) open[n++] = a;
    }
    if (has_comment(behind, t.s, "begin inline asm")) {
      inside = true;
      a = (assembly){0};
    }
    if (t.kind == PTX_TOK_END || t.kind == PTX_TOK_BAD || ptx_tok_eq(&t, PTX_TOK_DOT, ".entry") ||
        ptx_tok_eq(&t, PTX_TOK_DOT, ".func"))
      break;
    if (ptx_tok_eq(&t, PTX_TOK_DOT, ".loc")) {
      lex = P->lex;
      ptx_lex_next(&P->lex);
      if (ptxp_read_loc(P) != 0) break;
      P->lex = lex; /* its numbers come again, and the comments behind them */
    }
    const int step = ptx_tok_is(&t, '{') - ptx_tok_is(&t, '}');
    if (!inside || step == 0) continue;
    if (a.at == NULL) a = (assembly){t.line, P->line, t.s, 0};
    a.depth += step;
  }
  if (n > 0) *found = open[0];
  return n > 0;
}

/* ---- the message ---- */

#define WIDTH 120 /* of a line of PTX in a message */

/* Below the message the line of PTX around `at`, and a caret below that; blanks are single, bytes of no PTX '?'. */
static void add_line(dc_buf *out, const char *line, const char *end, const char *at) {
  while (line < end && (*line == ' ' || *line == '\t')) line++;
  while (end > line && (unsigned char)end[-1] <= ' ') end--;
  if (line == end) return;
  if (at > end) at = end;
  if (at && at - line > WIDTH / 2) line = at - WIDTH / 2;
  if (end - line > WIDTH) end = line + WIDTH;
  while (end[-1] == ' ' || end[-1] == '\t') end--;
  size_t column = 0, shown = 0;
  dc_buf_puts(out, "\n  ");
  for (const char *p = line; p < end; p++) {
    const bool blank = *p == ' ' || *p == '\t';
    if (p == at) column = shown;
    if (blank && p > line && (p[-1] == ' ' || p[-1] == '\t')) continue;
    dc_buf_putc(out, blank ? ' ' : *p < ' ' || *p > '~' ? '?' : *p);
    shown++;
  }
  if (at == NULL) return;
  if (at == end) column = shown;
  dc_buf_puts(out, "\n  ");
  for (; column > 0; column--) dc_buf_putc(out, ' ');
  dc_buf_putc(out, '^');
}

/* The line `number` of the text: its beginning; *end: its end. */
static const char *find_line(const char *text, size_t len, uint32_t number, const char **end) {
  const char *p = text, *last = text + len;
  for (; number > 1 && p < last; number--) {
    const char *next = memchr(p, '\n', (size_t)(last - p));
    p = next ? next + 1 : last;
  }
  const char *next = memchr(p, '\n', (size_t)(last - p));
  *end = next ? next : last;
  return p;
}

void ptxp_show_place(ptx_parser *P, const char *text, size_t len) {
  if (P->err->kind != DC_COMPILE || P->bad_line == 0) return;
  const uint32_t line = P->bad_line, source = P->bad_source;
  const char *at = P->bad_at;
  dc_error ignored = DC_ERROR_INIT, *err = P->err;
  assembly a = {line, source, at, 0};
  P->err = &ignored; /* of directives that are read again */
  const bool unmatched = P->user_file && P->body && find_unmatched(P, &a) && a.line <= line;
  P->err = err;
  dc_error_clear(&ignored);
  if (!unmatched) a = (assembly){line, source, at, 0};
  const char *end, *start = find_line(text, len, a.line, &end);
  dc_buf b = DC_BUF_INIT;
  if (unmatched)
    dc_buf_printf(&b, "PTX line %u: inline assembly has a '%c' without its '%c'", (unsigned)a.line,
                  a.depth > 0 ? '{' : '}', a.depth > 0 ? '}' : '{');
  else
    dc_buf_puts(&b, dc_error_text(err));
  add_line(&b, start, end, a.at);
  if (!b.failed) {
    dc_fail(err, DC_COMPILE, NULL, "%s", dc_buf_str(&b));
    err->source_line = (int)a.source;
  }
  dc_buf_free(&b);
}
