/*
** lex.c - the tokens of PTX (PTX ISA, chapter 4: Syntax).
**
** Reads only inside [text, text + len): any bytes are safe, and no final NUL is needed.
*/
#include "cpu/ptx/lex.h"

#include <stdlib.h>
#include <string.h>

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_alpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
static bool is_start(char c) { return is_alpha(c) || c == '_' || c == '$' || c == '%'; }
static bool is_follow(char c) { return is_alpha(c) || is_digit(c) || c == '_' || c == '$'; }

static int digit_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 99;
}

static char at(const ptx_lex *lx, const char *p) { return p < lx->end ? *p : '\0'; }

/* Past blanks, comments and preprocessor line marks. False at an unfinished comment. */
static bool skip_blanks(ptx_lex *lx) {
  for (;;) {
    char c = at(lx, lx->p);
    if (c == '\n') {
      lx->line++;
      lx->p++;
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
      lx->p++;
    } else if ((c == '/' && at(lx, lx->p + 1) == '/') || c == '#') {
      while (lx->p < lx->end && *lx->p != '\n') lx->p++;
    } else if (c == '/' && at(lx, lx->p + 1) == '*') {
      for (lx->p += 2;; lx->p++) {
        if (lx->p >= lx->end) return false;
        if (*lx->p == '\n') lx->line++;
        if (*lx->p == '*' && at(lx, lx->p + 1) == '/') break;
      }
      lx->p += 2;
    } else {
      return true;
    }
  }
}

/* Decimal floats.  strtod needs a final NUL, so the number is copied; longer ones than the copy are bad tokens. */
static void lex_decimal_float(ptx_lex *lx, const char *end) {
  char copy[128];
  size_t n = (size_t)(end - lx->tok.s);
  if (n >= sizeof copy) {
    lx->tok.kind = PTX_TOK_BAD;
    lx->p = end;
    return;
  }
  memcpy(copy, lx->tok.s, n);
  copy[n] = '\0';
  double v = strtod(copy, NULL);
  memcpy(&lx->tok.bits, &v, sizeof v);
  lx->tok.kind = PTX_TOK_FLOAT;
  lx->tok.fkind = 'd';
  lx->p = end;
}

static const char *skip_digits(const ptx_lex *lx, const char *p) {
  while (is_digit(at(lx, p))) p++;
  return p;
}

/* The end of a decimal float that begins at p, or NULL when it is none. */
static const char *float_end(const ptx_lex *lx, const char *p) {
  const char *q = skip_digits(lx, p);
  bool isfloat = false;
  if (at(lx, q) == '.') {
    isfloat = true;
    q = skip_digits(lx, q + 1);
  }
  if (at(lx, q) == 'e' || at(lx, q) == 'E') {
    const char *e = q + 1;
    if (at(lx, e) == '+' || at(lx, e) == '-') e++;
    if (is_digit(at(lx, e))) {
      isfloat = true;
      q = skip_digits(lx, e);
    }
  }
  return isfloat ? q : NULL;
}

/* 123, 0x1f, 017, 0b101 with an optional U; 0f3F800000 and 0d3FF0000000000000; 1.5e3. */
static void lex_number(ptx_lex *lx) {
  const char *p = lx->p;
  int base = 10, ndigits = 0;
  const char mark = at(lx, p) == '0' ? (char)(at(lx, p + 1) | 32) : '\0'; /* a letter in lower case; digits stay */
  const char *fend = NULL;
  if (mark == 'f' || mark == 'd' || mark == 'x') {
    base = 16;
    p += 2;
  } else if (mark == 'b') {
    base = 2;
    p += 2;
  } else if ((fend = float_end(lx, p)) != NULL) {
    lex_decimal_float(lx, fend);
    return;
  } else if (is_digit(mark)) {
    base = 8;
  }
  uint64_t v = 0;
  for (; digit_value(at(lx, p)) < base; p++, ndigits++) v = v * (uint64_t)base + (uint64_t)digit_value(*p);
  lx->tok.bits = v;
  lx->tok.kind = ndigits > 0 ? PTX_TOK_INT : PTX_TOK_BAD;
  if (mark == 'f' || mark == 'd') {
    lx->tok.kind = ndigits == (mark == 'd' ? 16 : 8) ? PTX_TOK_FLOAT : PTX_TOK_BAD;
    lx->tok.fkind = mark;
  } else if (at(lx, p) == 'U') {
    p++;
  }
  lx->p = p;
}

static void lex_string(ptx_lex *lx) {
  const char *p = ++lx->p;
  while (p < lx->end && *p != '"' && *p != '\n') p += (*p == '\\' && p + 1 < lx->end) ? 2 : 1;
  if (p > lx->end) p = lx->end;
  bool closed = at(lx, p) == '"';
  lx->tok.kind = closed ? PTX_TOK_STRING : PTX_TOK_BAD;
  lx->tok.s = lx->p;
  lx->tok.len = (size_t)(p - lx->p);
  lx->p = closed ? p + 1 : p;
}

/* From p on letters, digits, _ (and dots when asked), and :: between two of them. */
static const char *word_end(const ptx_lex *lx, const char *p, bool dots) {
  for (;;) {
    char c = at(lx, p);
    if (is_alpha(c) || is_digit(c) || c == '_' || (dots && c == '.')) {
      p++;
    } else if (c == ':' && at(lx, p + 1) == ':' && (is_alpha(at(lx, p + 2)) || is_digit(at(lx, p + 2)))) {
      p += 2;
    } else {
      return p;
    }
  }
}

void ptx_lex_next(ptx_lex *lx) {
  ptx_tok *t = &lx->tok;
  lx->behind = lx->p;
  lx->behind_line = lx->line;
  bool fine = skip_blanks(lx);
  t->line = lx->line;
  t->s = lx->p;
  t->len = 1;
  t->fkind = 0;
  t->bits = 0;
  char c = at(lx, lx->p);
  if (!fine) {
    t->kind = PTX_TOK_BAD;
  } else if (lx->p >= lx->end) {
    t->kind = PTX_TOK_END;
    t->len = 0;
  } else if (c == '%' && !is_follow(at(lx, lx->p + 1))) {
    t->kind = PTX_TOK_PUNCT; /* the remainder operator */
    lx->p++;
  } else if (is_start(c)) {
    t->kind = PTX_TOK_NAME;
    for (lx->p++; is_follow(at(lx, lx->p));) lx->p++;
    t->len = (size_t)(lx->p - t->s);
  } else if (is_digit(c) || (c == '.' && is_digit(at(lx, lx->p + 1)))) {
    lex_number(lx);
    t->len = (size_t)(lx->p - t->s);
  } else if (c == '.' && (is_alpha(at(lx, lx->p + 1)) || at(lx, lx->p + 1) == '_')) {
    t->kind = PTX_TOK_DOT;
    lx->p = word_end(lx, lx->p + 1, false);
    t->len = (size_t)(lx->p - t->s);
  } else if (c == '"') {
    lex_string(lx);
  } else {
    t->kind = (c > ' ' && c < 127) ? PTX_TOK_PUNCT : PTX_TOK_BAD;
    lx->p++;
  }
}

void ptx_lex_skip_text(ptx_lex *lx, const char *end) {
  const size_t n = strlen(end);
  for (; lx->p < lx->end; lx->p++) {
    if ((size_t)(lx->end - lx->p) >= n && memcmp(lx->p, end, n) == 0) return;
    if (*lx->p == '\n') lx->line++;
  }
}

void ptx_lex_opcode(ptx_lex *lx) {
  lx->p = word_end(lx, lx->tok.s, true);
  lx->tok.len = (size_t)(lx->p - lx->tok.s);
}

void ptx_lex_init(ptx_lex *lx, const char *text, size_t len) {
  memset(lx, 0, sizeof *lx);
  lx->p = text;
  lx->end = text + len;
  lx->line = 1;
  ptx_lex_next(lx);
}

bool ptx_tok_eq(const ptx_tok *t, ptx_tok_kind kind, const char *word) {
  return t->kind == kind && t->len == strlen(word) && memcmp(t->s, word, t->len) == 0;
}
