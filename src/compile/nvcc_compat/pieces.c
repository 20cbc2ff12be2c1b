/*
** pieces.c - see pieces.h.
*/
#include "compile/nvcc_compat/pieces.h"

#include <ctype.h>
#include <string.h>

#include "compile/types/tokens.h"

const char *const dc_device_words[] = {"__global__", "__device__", "__constant__", "__shared__", "__managed__", NULL};
static const char *const class_words[] = {"struct", "class", "union", "enum", "typedef", "using", NULL};
static const char *const attributes[] = {"__align__", "__attribute__", "__declspec", "alignas", "__launch_bounds__",
                                         "__cluster_dims__", NULL};

/* Whether the declaration ends before the next token, without a semicolon: "MAKE_KERNELS(float)" in a line of its own,
** a macro that stands for whole declarations. */
static bool is_macro_line(dc_tokens in, int line) {
  static const char *const go_on[] = {"noexcept", "override", "final", "try", NULL};
  const dc_token t = dc_token_next(&in);
  if (t.kind == DC_TOKEN_END || dc_token_is_char(t, '}')) return true;
  return t.kind == DC_TOKEN_WORD && t.line > line && !dc_token_in(t, go_on);
}

/* The next token behind "public:" and the like, which are no part of the member behind them. */
static dc_token first_token(dc_tokens *in) {
  static const char *const access[] = {"public", "protected", "private", NULL};
  dc_token t = dc_token_next(in);
  dc_tokens next = *in;
  while (dc_token_in(t, access) && dc_token_is_char(dc_token_next(&next), ':')) {
    *in = next;
    t = dc_token_next(in);
    next = *in;
  }
  return t;
}

bool dc_piece_next(dc_tokens *in, dc_piece *p) {
  dc_token t = first_token(in), before = t;
  *p = (dc_piece){.begin = t.s, .first = t.line};
  bool space = false, initial = false, literal = false, params = false, members = false, operator_name = false;
  for (; t.kind != DC_TOKEN_END; before = t, t = dc_token_next(in)) {
    p->end = in->p;
    p->last = in->line;
    if (t.kind == DC_TOKEN_WORD) {
      p->is_device = p->is_device || dc_token_in(t, dc_device_words);
      p->is_class = p->is_class || (!params && dc_token_in(t, class_words));
      space = space || dc_token_is(t, "namespace");
      operator_name = operator_name || dc_token_is(t, "operator"); /* "operator+=" */
      if (dc_token_is(t, "template")) {
        dc_token open = dc_token_next(in);
        for (int depth = dc_token_is_char(open, '<'); depth > 0;) { /* its parameters may say class */
          open = dc_token_next(in);
          if (open.kind == DC_TOKEN_END) return true;
          depth += dc_token_is_char(open, '<') - dc_token_is_char(open, '>');
        }
      }
      continue;
    }
    if (t.kind == DC_TOKEN_OTHER) literal = before.kind == DC_TOKEN_WORD && dc_token_is(before, "extern");
    if (t.kind != DC_TOKEN_PUNCT) continue;
    if (*t.s == ';') return true;
    if (*t.s == '=' && !params && !operator_name) initial = true;
    members = members || (params && !p->is_class && *t.s == ':'); /* a constructor's: "a(1), b{2}" */
    if (*t.s == '(') {
      const bool first = before.s == p->begin && !dc_token_in(before, attributes);
      params = params || !dc_token_in(before, attributes);
      dc_token_skip_group(in);
      if (first && is_macro_line(*in, in->line)) {
        p->end = in->p;
        p->last = in->line;
        return true;
      }
    } else if (*t.s == '[' || (*t.s == '{' && members && before.kind == DC_TOKEN_WORD)) {
      dc_token_skip_group(in);
    } else if (*t.s == '{' && (space || (literal && !params)) && !initial) {
      p->is_scope = true;
      p->end = in->p;
      return true;
    } else if (*t.s == '{') {
      p->body = in->p;
      p->body_line = in->line;
      dc_token_skip_group(in);
      p->body_end = in->p > p->body ? in->p - 1 : in->p; /* without a } at the end of the text */
      p->is_class = p->is_class && !params; /* "struct node *insert(…) {" is a function */
      p->is_function = params && !initial;
      p->end = in->p;
      p->last = in->line;
      if (p->is_function) return true;
    } else if (*t.s == '}') { /* of a namespace around it, or of the class */
      p->is_scope = true;
      return true;
    }
  }
  return p->begin < in->end;
}

bool dc_piece_function_at(dc_tokens in, int line, dc_piece *p) {
  while (in.p < in.end && dc_piece_next(&in, p)) {
    if (p->is_scope || line < p->first || line > p->last) continue;
    if (!p->is_class || !p->body) return p->is_function;
    return dc_piece_function_at((dc_tokens){p->body, p->body, p->body_end, p->body_line}, line, p);
  }
  return false;
}

bool dc_piece_begins_lambda(dc_token before) {
  const bool subscript = (before.kind == DC_TOKEN_WORD && !dc_token_is(before, "return")) ||
                         dc_token_is_char(before, ')') || dc_token_is_char(before, ']');
  return !subscript;
}

/* The body behind "[…] (…) mutable -> T {", of which the [ was read. */
static bool read_lambda_body(dc_tokens *in, dc_tokens *body) {
  dc_token_skip_group(in);
  for (dc_token t = dc_token_next(in); t.kind != DC_TOKEN_END; t = dc_token_next(in)) {
    if (t.kind != DC_TOKEN_PUNCT) continue;
    if (strchr(",;)]}=", *t.s)) return false;
    *body = *in;
    if (strchr("([{", *t.s)) dc_token_skip_group(in);
    body->end = in->p > body->p ? in->p - 1 : in->p;
    if (*t.s == '{') return true;
  }
  return false;
}

bool dc_piece_lambda_around(dc_tokens in, const char *at, dc_tokens *body) {
  dc_token before = {DC_TOKEN_PUNCT, ";", 1, 0};
  for (dc_token t = dc_token_next(&in); t.kind != DC_TOKEN_END && t.s <= at; before = t, t = dc_token_next(&in)) {
    dc_tokens behind = in;
    if (!dc_token_is_char(t, '[') || !dc_piece_begins_lambda(before) || !read_lambda_body(&behind, body)) continue;
    if (body->p <= at && at < body->end) return true;
    in = behind;
  }
  return false;
}

void dc_text_blank(char *text, const char *from, const char *to) {
  char *p = text + (from - text), *end = text + (to - text);
  bool line_start = true;
  while (p < end) {
    if (*p == '#' && line_start) {
      while (p < end && *p != '\n') p += p[0] == '\\' && p + 1 < end ? 2 : 1;
      continue;
    }
    if (*p == '\n') line_start = true;
    else {
      line_start = line_start && (*p == ' ' || *p == '\t');
      *p = ' ';
    }
    p++;
  }
}

bool dc_text_holds(const char *begin, const char *end, const char *what) {
  return memmem(begin, (size_t)(end - begin), what, strlen(what)) != NULL;
}

bool dc_text_names(const char *text, const char *const *words, const char *name, size_t n) {
  for (const char *p = text; (p = dc_word_find(p, name, n)) != NULL; p += n) {
    const char *end = p, *begin;
    while (end > text && strchr(" \t", end[-1])) end--;
    for (begin = end; begin > text && isalpha((unsigned char)begin[-1]);) begin--;
    if (dc_token_in((dc_token){DC_TOKEN_WORD, begin, (size_t)(end - begin), 0}, words)) return true;
  }
  return false;
}

const char *dc_text_place(const char *text, size_t len, int line, size_t column) {
  const char *at = text, *end = text + len;
  for (int i = 1; i < line && at; i++) {
    at = memchr(at, '\n', (size_t)(end - at));
    if (at) at++;
  }
  const char *eol = at ? memchr(at, '\n', (size_t)(end - at)) : NULL;
  return at && column < (size_t)((eol ? eol : end) - at) ? at + column : at;
}
