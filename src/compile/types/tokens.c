/*
** tokens.c - see tokens.h.
*/
#include "compile/types/tokens.h"

#include <ctype.h>
#include <string.h>

dc_tokens dc_tokens_of(const char *text, size_t len) { return (dc_tokens){text, text, text + len, 1}; }

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80; }

static bool at_line_start(const dc_tokens *s) {
  const char *p = s->p;
  while (p > s->begin && (p[-1] == ' ' || p[-1] == '\t')) p--;
  return p == s->begin || p[-1] == '\n';
}

static void step(dc_tokens *s) {
  if (*s->p == '\n') s->line++;
  s->p++;
}

static void skip_quoted(dc_tokens *s, char quote) {
  step(s);
  while (s->p < s->end && *s->p != quote && *s->p != '\n') {
    if (*s->p == '\\' && s->p + 1 < s->end) step(s);
    step(s);
  }
  if (s->p < s->end) step(s);
}

/* R"delim( … )delim" with s->p on the quote */
static void skip_raw(dc_tokens *s) {
  const char *open = s->p + 1, *paren = open;
  while (paren < s->end && *paren != '(' && paren - open <= 16) paren++;
  size_t n = (size_t)(paren - open);
  for (s->p = paren; s->p < s->end; step(s))
    if (*s->p == ')' && (size_t)(s->end - s->p) > n + 1 && memcmp(s->p + 1, open, n) == 0 && s->p[n + 1] == '"') {
      s->p += n + 2;
      return;
    }
}

static void skip_directive(dc_tokens *s) {
  while (s->p < s->end && *s->p != '\n') {
    if (*s->p == '\\' && s->p + 1 < s->end) step(s);
    else if (s->p[0] == '/' && s->p + 1 < s->end && s->p[1] == '*') return; /* the comment may go on */
    step(s);
  }
}

/* The word of the directive that s->p is on, behind the #. */
static const char *directive(const dc_tokens *s, size_t *n) {
  const char *p = s->p + 1;
  while (p < s->end && (*p == ' ' || *p == '\t')) p++;
  for (*n = 0; p + *n < s->end && is_word(p[*n]);) ++*n;
  return p;
}

/* The conditional that the directive is part of: 1 begins one, -1 ends one, 0 for a branch (else, elif) or another. */
static int nesting(const char *word, size_t n) {
  return n >= 2 && memcmp(word, "if", 2) == 0 ? 1 : n == 5 && memcmp(word, "endif", n) == 0 ? -1 : 0;
}

static bool is_branch(const char *word, size_t n) { return n >= 4 && memcmp(word, "el", 2) == 0; } /* else, elif */

/* From a directive to the #endif of its conditional, or with `branches` to its next #else. */
static void skip_lines(dc_tokens *s, bool branches) {
  for (int depth = 0; s->p < s->end;) {
    while (s->p < s->end && *s->p != '\n') step(s);
    while (s->p < s->end && isspace((unsigned char)*s->p)) step(s);
    if (s->p == s->end || *s->p != '#') continue;
    size_t n;
    const char *word = directive(s, &n);
    depth += nesting(word, n);
    if (depth < 0 || (branches && depth == 0 && is_branch(word, n))) return;
  }
}

static bool is_never(const dc_tokens *s) {
  size_t n;
  const char *p = directive(s, &n);
  if (n != 2 || memcmp(p, "if", n) != 0) return false;
  p += n;
  while (p < s->end && (*p == ' ' || *p == '\t')) p++;
  return p < s->end && *p == '0' && (p + 1 == s->end || isspace((unsigned char)p[1]));
}

/* Whatever looks like the beginning of another comment in it. */
static void skip_line_comment(dc_tokens *s) {
  while (s->p < s->end && *s->p != '\n') {
    if (*s->p == '\\' && s->p + 1 < s->end) step(s);
    step(s);
  }
}

static void skip_comment(dc_tokens *s) {
  if (s->p[1] == '/') {
    skip_line_comment(s);
    return;
  }
  for (s->p += 2; s->p < s->end && !(s->p[0] == '*' && s->p + 1 < s->end && s->p[1] == '/');) step(s);
  s->p = s->end - s->p < 2 ? s->end : s->p + 2;
}

static bool at_comment(const dc_tokens *s) {
  return s->p[0] == '/' && s->p + 1 < s->end && (s->p[1] == '/' || s->p[1] == '*');
}

/* Where the branch begins that ends at the directive at s->p: at its #if, #elif; NULL where s has not come by it. */
static const char *branch_begin(const dc_tokens *s) {
  int depth = 0;
  for (const char *line = s->p; line > s->begin;) {
    do line--;
    while (line > s->begin && line[-1] != '\n');
    dc_tokens at = {s->begin, line, s->p, 0};
    while (at.p < at.end && (*at.p == ' ' || *at.p == '\t')) at.p++;
    if (at.p == at.end || *at.p != '#') continue;
    size_t n;
    const char *word = directive(&at, &n);
    if (depth == 0 && (nesting(word, n) > 0 || is_branch(word, n))) return at.p;
    depth -= nesting(word, n);
  }
  return NULL;
}

/* Whether the branch that ends at s->p opens brackets that it does not close, or the other way round: the branches
** behind it do the same again.  Of conditionals in it the first branch counts. */
static bool ends_unbalanced(const dc_tokens *s) {
  const char *begin = branch_begin(s);
  dc_tokens in = {s->begin, begin, s->p, 0};
  int depth = 0;
  if (!begin) return false;
  skip_directive(&in);
  while (in.p < in.end) {
    size_t n;
    if (at_comment(&in)) skip_comment(&in);
    else if (*in.p == '"' || *in.p == '\'') skip_quoted(&in, *in.p);
    else if (*in.p == '#' && at_line_start(&in)) {
      const char *word = directive(&in, &n);
      if (is_branch(word, n)) skip_lines(&in, false);
      skip_directive(&in);
    } else {
      depth += (*in.p && strchr("([{", *in.p)) - (*in.p && strchr(")]}", *in.p));
      step(&in);
    }
  }
  return depth != 0;
}

static bool skip_blank(dc_tokens *s) {
  size_t n;
  if (isspace((unsigned char)*s->p)) step(s);
  else if (at_comment(s)) skip_comment(s);
  else if (*s->p == '#' && at_line_start(s)) {
    const char *word = directive(s, &n);
    if (is_never(s)) skip_lines(s, true);
    else if (is_branch(word, n) && ends_unbalanced(s)) skip_lines(s, false);
    skip_directive(s);
  }
  else return false;
  return true;
}

dc_token dc_token_next(dc_tokens *s) {
  while (s->p < s->end && skip_blank(s)) {}
  dc_token t = {DC_TOKEN_END, s->p, 0, s->line};
  if (s->p >= s->end) return t;
  if (is_word(*s->p)) {
    while (s->p < s->end && is_word(*s->p)) s->p++;
    t.kind = DC_TOKEN_WORD;
    t.n = (size_t)(s->p - t.s);
    if (s->p < s->end && *s->p == '"' && t.s[t.n - 1] == 'R') {
      skip_raw(s);
      t.kind = DC_TOKEN_OTHER;
    }
  } else if (*s->p == '"' || *s->p == '\'') {
    skip_quoted(s, *s->p);
    t.kind = DC_TOKEN_OTHER;
  } else {
    t.kind = DC_TOKEN_PUNCT;
    t.n = 1;
    step(s);
  }
  return t;
}

bool dc_token_is(dc_token t, const char *word) { return t.n == strlen(word) && memcmp(t.s, word, t.n) == 0; }

bool dc_token_is_char(dc_token t, char c) { return t.kind == DC_TOKEN_PUNCT && *t.s == c; }

bool dc_token_in(dc_token t, const char *const *words) {
  for (; *words; words++)
    if (dc_token_is(t, *words)) return true;
  return false;
}

void dc_token_skip_group(dc_tokens *s) {
  for (int depth = 1; depth > 0;) {
    dc_token t = dc_token_next(s);
    if (t.kind == DC_TOKEN_END) return;
    if (t.kind != DC_TOKEN_PUNCT) continue;
    if (strchr("([{", *t.s)) depth++;
    else if (strchr(")]}", *t.s)) depth--;
  }
}

bool dc_in_name(char c) { return isalnum((unsigned char)c) || c == '_'; }

const char *dc_word_find(const char *text, const char *word, size_t n) {
  for (const char *p = text; n > 0 && (p = memmem(p, strlen(p), word, n)) != NULL; p++)
    if ((p == text || !dc_in_name(p[-1])) && !dc_in_name(p[n])) return p;
  return NULL;
}
