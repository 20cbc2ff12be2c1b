/*
** statements.c - see statements.h.
*/
#include "compile/nvcc_compat/statements.h"

#include <stdio.h>
#include <string.h>

#include "base/string_list.h"
#include "compile/nvcc_compat/host_code.h"
#include "compile/nvcc_compat/pieces.h"
#include "compile/types/tokens.h"

static bool is_in(const char *at, const char *from, const char *to) { return from <= at && at < to; }

/* Blanks [from, to) and writes `instead` at its beginning, if it fits.  False when it says that already. */
static bool replace(char *text, const char *from, const char *to, const char *instead) {
  size_t n = strlen(instead);
  bool changes = false;
  for (const char *p = from; p < to; p++) changes = changes || !strchr(" \t\r\n", *p);
  if ((size_t)(to - from) < n) return false;
  if (n > 0 && memcmp(from, instead, n) == 0) {
    changes = false;
    for (const char *p = from + n; p < to; p++) changes = changes || !strchr(" \t\r\n", *p);
  }
  if (!changes) return false;
  dc_text_blank(text, from, to);
  memcpy(text + (from - text), instead, n);
  return true;
}

/* The launch's configuration around `at` in the statement: between <<< and >>>. */
static bool drop_configuration(char *text, const char *begin, const char *end, const char *at) {
  const char *open = memmem(begin, (size_t)(end - begin), "<<<", 3);
  const char *close = open ? memmem(open, (size_t)(end - open), ">>>", 3) : NULL;
  return close && is_in(at, open + 3, close) && replace(text, open + 3, close, "1,1");
}

/* What stands for an initializer from `from` to `to` in the declaration that begins at `begin`: where the type needs
** one, an object of which nothing is known (dotcompute/host.h). */
static const char *initial_value(const char *begin, const char *from) {
  dc_tokens in = dc_tokens_of(begin, (size_t)(from - begin));
  dc_token before = {DC_TOKEN_END, begin, 0, 0}, last = before;
  bool deduced = false, constant = false;
  for (dc_token t = dc_token_next(&in); t.kind != DC_TOKEN_END; t = dc_token_next(&in)) {
    deduced = deduced || dc_token_is(t, "auto");
    constant = constant || dc_token_is(t, "const");
    before = last;
    last = t;
  }
  if (deduced) return dc_token_is_char(before, '*') ? "" : "=dc_x";
  if (constant && !dc_token_is_char(before, '&')) return "=dc_x";
  return dc_token_is_char(before, '&') ? "=dc_v" : "";
}

static bool drop_value(char *text, const char *begin, const char *from, const char *to) {
  const char *value = initial_value(begin, from);
  return (*value && replace(text, from, to, value)) || replace(text, from, to, "");
}

/* The initializer around `at`: from its = up to the comma or semicolon. */
static bool drop_initializer(char *text, const char *begin, const char *end, int line, const char *at) {
  dc_tokens in = {begin, begin, end, line};
  const char *equals = NULL;
  for (dc_token t = dc_token_next(&in), before = t; t.kind != DC_TOKEN_END; before = t, t = dc_token_next(&in)) {
    if (t.kind != DC_TOKEN_PUNCT) continue;
    if (strchr("([{", *t.s)) dc_token_skip_group(&in);
    else if (*t.s == '=' && before.kind == DC_TOKEN_PUNCT && strchr("=!<>+-*/%&|^", *before.s)) continue;
    else if (*t.s == '=' && *in.p != '=') equals = t.s;
    else if (equals && strchr(",;", *t.s)) {
      if (is_in(at, equals, in.p)) return drop_value(text, begin, equals, t.s);
      equals = NULL;
    }
  }
  return false;
}

/* The arguments around `at` of "T x(a, b);" or "T x{a, b};", which becomes a reference to such an object: whatever the
** constructors of T, what uses x still compiles. */
static bool drop_arguments(char *text, const char *begin, const char *end, int line, const char *at) {
  static const char *const others[] = {"return", "delete", "throw", "new", "goto", "else", "using", "typedef", "static",
                                       "constexpr", "extern", "auto", NULL};
  dc_tokens in = {begin, begin, end, line};
  dc_token before = {DC_TOKEN_END, begin, 0, 0}, name = before;
  if (dc_token_in(dc_token_next(&in), others)) return false;
  in.p = begin;
  for (dc_token t = dc_token_next(&in); t.kind != DC_TOKEN_END; before = name, name = t, t = dc_token_next(&in)) {
    if (t.kind != DC_TOKEN_PUNCT || !strchr("([{", *t.s)) continue;
    dc_token_skip_group(&in);
    const bool typed = before.kind == DC_TOKEN_WORD || (dc_token_is_char(before, '>') && before.s[-1] != '-');
    if (!is_in(at, t.s, in.p) || *t.s == '[') continue;
    dc_tokens behind = in;
    const char *gap = name.s - 1;
    return typed && name.kind == DC_TOKEN_WORD && before.s + before.n <= gap && *gap == ' ' &&
           dc_token_is_char(dc_token_next(&behind), ';') && replace(text, t.s, in.p, "=dc_v") &&
           (text[gap - text] = '&');
  }
  return false;
}

/* A change of the statement around `at`. */
typedef struct edit {
  char *text;
  const char *at;
  bool (*change)(const struct edit *e, const char *begin, const char *end, int line);
  const dc_string_list *kernels; /* names of templates of kernels; NULL: none */
} edit;

static bool is_kernel(const edit *e, dc_token t) {
  for (int i = 0; e->kernels && i < e->kernels->n; i++)
    if (dc_token_is(t, e->kernels->v[i])) return true;
  return false;
}

/* Behind the > of "k<T, 4>", of which the < comes next; NULL where it is no list of arguments. */
static const char *instance_end(dc_tokens in) {
  int depth = 0;
  do {
    const dc_token t = dc_token_next(&in);
    if (t.kind == DC_TOKEN_END || (t.kind == DC_TOKEN_PUNCT && strchr(";{})]", *t.s))) return NULL;
    if (dc_token_is_char(t, '(') || dc_token_is_char(t, '[')) dc_token_skip_group(&in);
    depth += dc_token_is_char(t, '<') - dc_token_is_char(t, '>');
  } while (depth > 0);
  return in.p;
}

/* Of "launch(grid)(ns::k<T, 4>, x);" the instance of a kernel remains, an expression: that it is named is enough for
** the compiler to make it.  False where there is none, or nothing else in the statement. */
static bool keep_instances(const edit *e, const char *begin, const char *end, int line) {
  dc_tokens in = {begin, begin, end, line};
  const char *from = begin, *name = NULL; /* what is not blank yet; where "ns::k" begins */
  bool scope = false, changes = false;    /* whether :: stands before */
  for (dc_token t = dc_token_next(&in); t.kind != DC_TOKEN_END; t = dc_token_next(&in)) {
    const bool colon = dc_token_is_char(t, ':') && in.p < end && *in.p == ':';
    if (t.kind == DC_TOKEN_WORD && !(scope && name)) name = t.s;
    const char *behind = is_kernel(e, t) && in.p < end && *in.p == '<' ? instance_end(in) : NULL;
    if (behind && behind < end) {
      const bool another = from > begin;
      changes = replace(e->text, from, name, another ? "," : "") || changes;
      in.p = from = behind;
    }
    if (colon) dc_token_next(&in);
    else if (t.kind != DC_TOKEN_WORD) name = NULL;
    scope = colon;
  }
  return from > begin && (replace(e->text, from, end, "") || changes);
}

/* What is wrong in the statement [begin, end), of which the last character is its semicolon. */
static bool drop_part(const edit *e, const char *begin, const char *end, int line) {
  if (drop_configuration(e->text, begin, end, e->at) || drop_initializer(e->text, begin, end, line, e->at)) return true;
  const char *semicolon = end > begin && end[-1] == ';' ? end - 1 : end;
  return keep_instances(e, begin, semicolon, line) || replace(e->text, begin, semicolon, "");
}

/* Reads the rest of "a->b.c(d)[e]", of which the first word was read: whether more than names stands there, and whether
** e->at is in it, but in none of its brackets. */
static bool read_operand(const edit *e, dc_tokens *in, const char *first, bool *is_at) {
  bool more = false, inner = false;
  for (dc_tokens next = *in;; *in = next) {
    const dc_token t = dc_token_next(&next);
    if (t.kind != DC_TOKEN_PUNCT || next.p >= next.end) break;
    const char *behind = *t.s == '<' && more ? instance_end(*in) : NULL; /* "a.b<T>(c)" */
    if (behind && *behind == '(') {
      next.p = behind;
      continue;
    }
    if (*t.s == '(' || *t.s == '[') {
      dc_token_skip_group(&next);
      inner = inner || is_in(e->at, t.s + 1, next.p - 1);
    } else {
      const bool arrow = *t.s == '-' && *next.p == '>', scope = *t.s == ':' && *next.p == ':';
      if (*t.s != '.' && !arrow && !scope) break;
      if (arrow || scope) dc_token_next(&next);
      if (dc_token_next(&next).kind != DC_TOKEN_WORD) break;
      if (scope) continue;
    }
    more = true;
  }
  *is_at = !inner && is_in(e->at, first, in->p);
  return more;
}

/* Of "f(a->b.c(), d)" the operand around the error, if it is no template's and none of the statement's own: an object
** of which nothing is known takes its place, so that what remains shows what is launched. */
static bool drop_operand(const edit *e, const char *begin, const char *end, int line) {
  static const char *const others[] = {"sizeof", "decltype", "alignof", "new", "return", NULL};
  dc_tokens in = {begin, begin, end, line};
  for (dc_token before = {DC_TOKEN_END, begin, 0, 0}, t = before; (t = dc_token_next(&in)).kind != DC_TOKEN_END;
       before = t) {
    if (t.kind != DC_TOKEN_WORD || dc_token_in(t, others) || is_kernel(e, t)) continue;
    const bool may_begin = (before.kind == DC_TOKEN_PUNCT && strchr("(,=)+-*/?&|!", *before.s)) ||
                           dc_token_is(before, "return");
    dc_tokens behind = in;
    bool is_at = false;
    if (!read_operand(e, &behind, t.s, &is_at) || !may_begin || !is_at) continue;
    const char *to = behind.p;
    const dc_token next = dc_token_next(&behind);
    if (next.kind != DC_TOKEN_PUNCT) continue;
    const bool compared = (to[-1] == ')' || to[-1] == ']') && strchr("<>", *next.s) && strncmp(next.s, "<<<", 3) != 0;
    if (compared || strchr(",);+-*/%?:=!&|", *next.s)) return replace(e->text, t.s, to, "dc_x");
  }
  return false;
}

/* The same in a function. */
static bool drop_local_part(const edit *e, const char *begin, const char *end, int line) {
  return drop_configuration(e->text, begin, end, e->at) || drop_operand(e, begin, end, line) ||
         drop_arguments(e->text, begin, end, line, e->at) || drop_part(e, begin, end, line);
}

/* The statement [begin, end) becomes a trap, unless it declares something that the next ones need. */
static bool trap_part(const edit *e, const char *begin, const char *end, int line) {
  dc_tokens in = {begin, begin, end, line};
  const dc_token first = dc_token_next(&in), second = dc_token_next(&in);
  const bool declares = first.kind == DC_TOKEN_WORD && second.kind == DC_TOKEN_WORD && !dc_token_is(first, "return");
  return !declares && end[-1] == ';' && replace(e->text, begin, end - 1, "__trap()");
}

static bool drop_in_block(const edit *e, dc_tokens in);

/* Reads "NAME(…) {…}", of which NAME was read: a macro that is not there makes the head of the block. */
static bool read_headed_block(dc_tokens *in, dc_token name, dc_tokens *block) {
  dc_tokens next = *in;
  if (name.kind != DC_TOKEN_WORD || !dc_token_is_char(dc_token_next(&next), '(')) return false;
  dc_token_skip_group(&next);
  if (!dc_token_is_char(dc_token_next(&next), '{')) return false;
  *block = next;
  dc_token_skip_group(&next);
  block->end = next.p > block->p ? next.p - 1 : next.p;
  *in = next;
  return true;
}

/* Of such a block, its head goes, or what is wrong in it. */
static bool drop_in_headed_block(const edit *e, const char *head, dc_tokens block) {
  if (is_in(e->at, block.p, block.end)) return drop_in_block(e, block);
  return e->change == drop_local_part && is_in(e->at, head, block.p) && replace(e->text, head, block.p - 1, "");
}

/* Of the head "for (auto &x : list)" the range around `at`. */
static bool drop_range(const edit *e, const char *begin, const char *end, int line) {
  dc_tokens in = {begin, begin, end, line};
  for (dc_token t = dc_token_next(&in); t.kind != DC_TOKEN_END && !dc_token_is_char(t, ';'); t = dc_token_next(&in)) {
    if (t.kind == DC_TOKEN_PUNCT && strchr("([{", *t.s)) dc_token_skip_group(&in);
    if (!dc_token_is_char(t, ':')) continue;
    if (in.p == end || *in.p != ':') return is_in(e->at, in.p, end) && replace(e->text, in.p, end, "dc_x");
    dc_token_next(&in);
  }
  return false;
}

/* Reads a statement, or the head of one; true when something of it is taken out. */
static bool drop_in_statement(const edit *e, dc_tokens *in, dc_token t) {
  static const char *const heads[] = {"if", "while", "for", "switch", "catch", NULL};
  static const char *const prefixes[] = {"else", "do", "try", NULL};
  const dc_token first = t;
  if (dc_token_in(t, prefixes)) return false;
  if (dc_token_in(t, heads)) {
    dc_token open = dc_token_next(in);
    if (dc_token_is(open, "constexpr")) open = dc_token_next(in);
    if (!dc_token_is_char(open, '(')) return false;
    const char *from = in->p;
    dc_token_skip_group(in);
    if (e->change != drop_local_part || !is_in(e->at, t.s, in->p)) return false;
    if (!dc_token_is(t, "for")) return replace(e->text, from, in->p - 1, "1");
    return drop_range(e, from, in->p - 1, open.line) || replace(e->text, from, in->p - 1, ";;");
  }
  dc_tokens block;
  if (read_headed_block(in, t, &block)) return drop_in_headed_block(e, t.s, block);
  const bool is_label = dc_token_is(t, "case") || dc_token_is(t, "default");
  for (; t.kind != DC_TOKEN_END; t = dc_token_next(in)) {
    if (t.kind != DC_TOKEN_PUNCT) continue;
    if (*t.s == '{') {
      block = *in;
      dc_token_skip_group(in);
      block.end = in->p > block.p ? in->p - 1 : in->p;
      if (t.s == first.s) return is_in(e->at, block.p, block.end) && drop_in_block(e, block);
    } else if (strchr("([", *t.s)) {
      dc_token_skip_group(in);
    } else if (*t.s == ';' || (is_label && *t.s == ':')) {
      break;
    }
  }
  dc_tokens body;
  if (!is_in(e->at, first.s, in->p)) return false;
  const dc_tokens whole = {first.s, first.s, in->p, first.line};
  if (dc_piece_lambda_around(whole, e->at, &body) && drop_in_block(e, body)) return true;
  return e->change(e, first.s, in->p, first.line);
}

static bool drop_in_block(const edit *e, dc_tokens in) {
  while (in.p < in.end) {
    dc_token t = dc_token_next(&in);
    if (t.kind == DC_TOKEN_END || t.s > e->at) return false;
    if (drop_in_statement(e, &in, t)) return true;
  }
  return false;
}

/* Of "(const A<B> &x, C y = z) {", of which the ( was read, the parameter around e->at takes anything. */
static bool loosen_parameter(const edit *e, dc_tokens in) {
  const char *begin = in.p, *end = NULL; /* of the parameter; what is behind is its default */
  dc_token name = {DC_TOKEN_END, begin, 0, 0};
  int depth = 0;
  for (dc_token t = dc_token_next(&in); t.kind != DC_TOKEN_END; t = dc_token_next(&in)) {
    if (t.kind == DC_TOKEN_WORD && !end) name = t;
    if (t.kind != DC_TOKEN_PUNCT) continue;
    if (strchr("([{", *t.s)) dc_token_skip_group(&in);
    depth += (*t.s == '<') - (*t.s == '>' && t.s[-1] != '-');
    if (*t.s == '=' || *t.s == '[') end = t.s;
    if (*t.s != ')' && (*t.s != ',' || depth > 0)) continue;
    char instead[64];
    if (is_in(e->at, begin, t.s)) {
      const int n = snprintf(instead, sizeof instead, "dc_any_t %.*s", (int)name.n, name.s);
      return n < (int)sizeof instead && replace(e->text, begin, t.s, instead);
    }
    if (*t.s == ')') return false;
    begin = in.p;
    end = NULL;
  }
  return false;
}

/* In the head of a function of the host, the type around e->at becomes one of which nothing is known (host.h), so that
** the body is compiled. */
static bool loosen_head(const edit *e, const dc_piece *p) {
  const dc_token name = dc_host_code_name(p);
  if (p->is_device || name.kind != DC_TOKEN_WORD || e->at >= p->body) return false;
  dc_tokens in = {name.s, name.s + name.n, p->body, name.line};
  if (!dc_token_is_char(dc_token_next(&in), '(')) return false;
  return loosen_parameter(e, in);
}

/* Of the declarations that are read from `in`, inside a class when `members`. */
static bool drop_in_pieces(const edit *e, dc_tokens in, bool members) {
  for (dc_piece p; in.p < in.end && dc_piece_next(&in, &p);) {
    if (p.is_scope || !is_in(e->at, p.begin, p.end)) continue;
    const bool in_body = p.body && is_in(e->at, p.body, p.body_end);
    dc_tokens body = {p.body, p.body, p.body_end, p.body_line};
    if (p.is_function && !in_body) return loosen_head(e, &p) || replace(e->text, p.begin, p.end, "");
    if (p.is_function) return drop_in_block(e, body);
    if (p.is_class && in_body) return drop_in_pieces(e, body, true);
    if (p.is_class && !members) return false;
    return drop_part(e, p.begin, p.end, p.first);
  }
  return false;
}

bool dc_statement_drop(char *text, size_t len, int line, size_t column, const dc_string_list *kernels) {
  const char *at = dc_text_place(text, len, line, column), *end = text + len;
  while (at && at < end && (*at == ' ' || *at == '\t')) at++;
  const edit e = {text, at, drop_local_part, kernels};
  return at && drop_in_pieces(&e, dc_tokens_of(text, len), false);
}

bool dc_statement_trap(char *text, size_t len, const dc_piece *p, int line, size_t column) {
  const char *at = dc_text_place(text, len, line, column);
  const dc_tokens body = {p->body, p->body, p->body_end, p->body_line};
  const edit e = {text, at, trap_part, NULL};
  return at && p->body && is_in(at, p->body, p->body_end) && drop_in_block(&e, body);
}

/* Whether the line includes one of the headers of which host code needs nothing to be told what it launches, and that
** take the compiler seconds. */
static bool includes_slow(const char *line, const char *eol) {
  static const char *const slow[] = {"<cub/", "\"cub/", "<thrust/", "\"thrust/", NULL};
  while (line < eol && strchr(" \t#", *line)) line++;
  if (eol - line < 8 || memcmp(line, "include", 7) != 0) return false;
  for (line += 7; line < eol && strchr(" \t", *line);) line++;
  for (const char *const *s = slow; *s; s++)
    if (strncmp(line, *s, strlen(*s)) == 0) return strncmp(line + 1, "thrust/complex.h", 16) != 0;
  return false;
}

/* Whether the compiler needs the function's body elsewhere: for its type, or for a constant. */
static bool tells_by_body(const dc_piece *p) {
  static const char *const words[] = {"auto", "decltype", "constexpr", "consteval", NULL};
  dc_tokens head = dc_tokens_of(p->begin, (size_t)(p->body - p->begin));
  for (dc_token t = dc_token_next(&head); t.kind != DC_TOKEN_END; t = dc_token_next(&head))
    if (dc_token_in(t, words)) return true;
  return false;
}

void dc_statement_prepare(char *text, size_t len) {
  for (char *line = text, *eol; line < text + len; line = eol + 1) {
    eol = line + strcspn(line, "\n");
    if (*line != '\n' && includes_slow(line, eol)) memset(line, ' ', (size_t)(eol - line));
  }
  dc_tokens all = dc_tokens_of(text, len);
  for (dc_piece p; all.p < all.end && dc_piece_next(&all, &p);)
    if (p.is_function && p.is_device && !dc_text_holds(p.body, p.body_end, "<<<") && !tells_by_body(&p))
      dc_text_blank(text, p.body, p.body_end);
  dc_tokens in = dc_tokens_of(text, len);
  for (dc_token t = dc_token_next(&in); t.kind != DC_TOKEN_END; t = dc_token_next(&in)) {
    if (dc_token_is(t, "__host__") || dc_token_is(t, "try")) dc_text_blank(text, t.s, t.s + t.n);
    if (!dc_token_is(t, "catch")) continue;
    const char *begin = t.s;
    if (!dc_token_is_char(dc_token_next(&in), '(')) continue;
    dc_token_skip_group(&in);
    if (!dc_token_is_char(dc_token_next(&in), '{')) continue;
    dc_token_skip_group(&in);
    dc_text_blank(text, begin, in.p);
  }
}
