/*
** gnu_forms.c - see gnu_forms.h.
*/
#include "compile/nvcc_compat/gnu_forms.h"

#include <string.h>

#include "base/buf.h"
#include "compile/nvcc_compat/pieces.h"
#include "compile/types/tokens.h"

typedef struct rewrite {
  dc_tokens in;
  const char *copied; /* the text is copied up to here */
  dc_buf *out;
  bool any;
} rewrite;

/* Copies up to `from`, then writes `instead` for [from, to). */
static void put(rewrite *r, const char *from, const char *to, const char *instead) {
  dc_buf_add(r->out, r->copied, (size_t)(from - r->copied));
  dc_buf_puts(r->out, instead);
  r->copied = to;
  r->any = true;
}

/* Whether the words in brackets may be a type: "P", "struct P", "const ns::P<3> *", "float[4]". */
static bool is_type(dc_tokens in) {
  bool named = false;
  for (dc_token t = dc_token_next(&in); t.kind != DC_TOKEN_END; t = dc_token_next(&in)) {
    if (t.kind == DC_TOKEN_OTHER || (t.kind == DC_TOKEN_PUNCT && !strchr(":<>,*[]", *t.s))) return false;
    named = named || t.kind == DC_TOKEN_WORD;
  }
  return named;
}

/* Whether an expression can begin behind the token: not behind a name, which makes it a call, or a closing bracket. */
static bool begins_operand(dc_token before) {
  if (before.kind == DC_TOKEN_WORD) return dc_token_is(before, "return");
  return before.kind == DC_TOKEN_PUNCT && !strchr(")]>", *before.s);
}

/* Whether [in.p, in.end) are statements, not the values of "f({1, 2})". */
static bool are_statements(dc_tokens in) {
  static const char *const begin[] = {"if", "for", "while", "do", "switch", NULL};
  dc_token t = dc_token_next(&in);
  if (dc_token_in(t, begin)) return true;
  for (; t.kind != DC_TOKEN_END; t = dc_token_next(&in)) {
    if (dc_token_is_char(t, ';')) return true;
    if (t.kind == DC_TOKEN_PUNCT && strchr("([{", *t.s)) dc_token_skip_group(&in);
  }
  return false;
}

/* Where the last statement of [in.p, in.end) begins, if it is an expression whose value counts; else NULL. */
static const char *last_expression(dc_tokens in) {
  static const char *const others[] = {"if", "for", "while", "do", "switch", "return", "goto", NULL};
  dc_token first = {DC_TOKEN_END, NULL, 0, 0}, last = first;
  bool begins = true;
  for (dc_token t = dc_token_next(&in); t.kind != DC_TOKEN_END; t = dc_token_next(&in)) {
    if (dc_token_is_char(t, '\\')) continue; /* of a macro's lines */
    if (begins) first = t;
    begins = dc_token_is_char(t, ';');
    if (begins) last = first;
    if (t.kind == DC_TOKEN_PUNCT && strchr("([{", *t.s)) dc_token_skip_group(&in);
    if (dc_token_is_char(t, '{') && t.s == first.s) begins = true;
  }
  if (!begins || last.s == NULL || last.s != first.s || dc_token_in(last, others)) return NULL;
  return last.s;
}

static void rewrite_tokens(rewrite *r);

/* "({ … })": `open` is its parenthesis, the brace was read. */
static void rewrite_statements(rewrite *r, dc_token open) {
  dc_tokens body = r->in, after = r->in;
  dc_token_skip_group(&after);
  body.end = after.p > body.p ? after.p - 1 : after.p;
  const dc_token close = dc_token_next(&after);
  if (!dc_token_is_char(close, ')') || !are_statements(body)) return;
  const char *value = last_expression(body), *end = r->in.end;
  put(r, open.s, r->in.p, "[&]{");
  if (value) {
    r->in.end = value;
    rewrite_tokens(r);
    put(r, value, value, "return ");
  }
  r->in.end = body.end;
  rewrite_tokens(r);
  put(r, body.end, after.p, "}()");
  r->in.p = after.p;
  r->in.line = after.line;
  r->in.end = end;
}

/* "(P) {": `open` is the parenthesis. */
static void rewrite_literal(rewrite *r, dc_token open) {
  dc_tokens type = r->in, after = r->in;
  dc_token_skip_group(&after);
  type.end = after.p > type.p ? after.p - 1 : after.p;
  const char *close = type.end;
  if (!is_type(type) || !dc_token_is_char(dc_token_next(&after), '{')) return;
  put(r, open.s, open.s + 1, "dc_gnu_<");
  put(r, close, close + 1, ">");
}

static void rewrite_tokens(rewrite *r) {
  dc_token before = {DC_TOKEN_PUNCT, ";", 1, 0};
  bool names_operator = false; /* "operator+(P a, P b) {" is no literal */
  for (dc_token t = dc_token_next(&r->in); t.kind != DC_TOKEN_END; before = t, t = dc_token_next(&r->in)) {
    if (t.kind == DC_TOKEN_WORD) names_operator = dc_token_is(t, "operator");
    if (!dc_token_is_char(t, '(')) continue;
    const bool is_parameters = names_operator;
    names_operator = false;
    if (is_parameters) continue;
    dc_tokens next = r->in;
    if (dc_token_is_char(dc_token_next(&next), '{')) {
      r->in = next;
      rewrite_statements(r, t);
    } else if (begins_operand(before)) {
      rewrite_literal(r, t);
    }
  }
}

/* Where the macro defined on the line has its body; NULL if the line defines none. */
static const char *macro_body(const char *line, const char *end) {
  const char *p = line + strspn(line, " \t");
  if (p == end || *p++ != '#') return NULL;
  p += strspn(p, " \t");
  if (strncmp(p, "define ", 7) != 0) return NULL;
  p += 7 + strspn(p + 7, " \t");
  while (p < end && dc_in_name(*p)) p++;
  if (p < end && *p == '(') p += strcspn(p, ")\n");
  return p < end && *p == ')' ? p + 1 : p;
}

/* What follows a macro's name, with the lines that continue it. */
static void rewrite_macro(rewrite *r, const char *body, const char *end) {
  dc_tokens in = r->in;
  const char *stop = body;
  while (stop < end && *stop != '\n') stop += *stop == '\\' && stop + 1 < end ? 2 : 1;
  r->in = (dc_tokens){body, body, stop, 1};
  rewrite_tokens(r);
  r->in = in;
}

/* Macros first, since the tokenizer passes over them; then the code, which is rewritten into `out`. */
static bool rewrite_macros(const char *text, size_t len, dc_buf *out) {
  rewrite r = {dc_tokens_of(text, len), text, out, false};
  for (const char *line = text, *end = text + len; line < end; line++) {
    const char *body = macro_body(line, end);
    if (body && body >= r.copied) rewrite_macro(&r, body, end);
    line += strcspn(line, "\n");
  }
  dc_buf_add(out, r.copied, (size_t)(text + len - r.copied));
  return r.any;
}

bool dc_gnu_forms(const char *source, size_t source_len, dc_buf *out) {
  dc_buf macros = DC_BUF_INIT;
  const bool any = rewrite_macros(source, source_len, &macros);
  const char *text = dc_buf_str(&macros);
  const size_t len = macros.len;
  rewrite r = {dc_tokens_of(text, len), text, out, any};
  rewrite_tokens(&r);
  if (r.any) dc_buf_add(out, r.copied, (size_t)(text + len - r.copied));
  dc_buf_free(&macros);
  return r.any;
}
