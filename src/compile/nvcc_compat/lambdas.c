/*
** lambdas.c - see lambdas.h.
*/
#include "compile/nvcc_compat/lambdas.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "compile/nvcc_compat/pieces.h"
#include "compile/types/tokens.h"

#define MOST_NAMES 64

typedef struct name_list {
  dc_token v[MOST_NAMES];
  int n;
} name_list;

static bool same(dc_token a, dc_token b) { return a.n == b.n && memcmp(a.s, b.s, a.n) == 0; }

static bool holds(const name_list *l, dc_token t) {
  for (int i = 0; i < l->n; i++)
    if (same(l->v[i], t)) return true;
  return false;
}

static void add(name_list *l, dc_token t) {
  if (l->n < MOST_NAMES && !holds(l, t)) l->v[l->n++] = t;
}

static dc_token peek(const dc_tokens *in) {
  dc_tokens next = *in;
  return dc_token_next(&next);
}

/* [open, in->p - 1) of the group whose opening bracket was just read. */
static dc_tokens group(dc_tokens *in) {
  dc_tokens inner = *in;
  dc_token_skip_group(in);
  inner.end = in->p > inner.p ? in->p - 1 : in->p;
  return inner;
}

/* --- names that are declared -------------------------------------------------------------------------------------- */

static bool skip_angles(dc_tokens *in) {
  for (int depth = 1; depth > 0;) {
    const dc_token t = dc_token_next(in);
    if (t.kind == DC_TOKEN_END || (t.kind == DC_TOKEN_PUNCT && strchr(";{}", *t.s))) return false;
    if (dc_token_is_char(t, '(')) dc_token_skip_group(in);
    depth += dc_token_is_char(t, '<') - dc_token_is_char(t, '>');
  }
  return true;
}

/* Of parameters between brackets: the last word of each before its default. */
static void read_parameters(dc_tokens in, name_list *out) {
  dc_token name = {DC_TOKEN_END, NULL, 0, 0};
  bool is_default = false;
  for (;;) {
    const dc_token t = dc_token_next(&in);
    if (t.kind == DC_TOKEN_END || dc_token_is_char(t, ',')) {
      if (name.kind == DC_TOKEN_WORD) add(out, name);
      if (t.kind == DC_TOKEN_END) return;
      name.kind = DC_TOKEN_END;
      is_default = false;
    } else if (dc_token_is_char(t, '<') && !is_default) {
      if (!skip_angles(&in)) return;
    } else if (t.kind == DC_TOKEN_PUNCT && strchr("([{", *t.s)) {
      dc_token_skip_group(&in);
    } else if (dc_token_is_char(t, '=')) {
      is_default = true;
    } else if (t.kind == DC_TOKEN_WORD && !is_default) {
      name = t;
    }
  }
}

/* The declarators of "int a = 1, *b;" behind the first's name. */
static void read_declarators(dc_tokens *in, name_list *out) {
  for (dc_token t = dc_token_next(in); t.kind != DC_TOKEN_END; t = dc_token_next(in)) {
    if (t.kind != DC_TOKEN_PUNCT) continue;
    if (strchr("([{", *t.s)) dc_token_skip_group(in);
    else if (strchr(";:)}", *t.s)) return;
    else if (*t.s == ',') {
      dc_token name = dc_token_next(in);
      while (name.kind == DC_TOKEN_PUNCT && strchr("*&", *name.s)) name = dc_token_next(in);
      if (name.kind == DC_TOKEN_WORD) add(out, name);
    }
  }
}

/* The declaration that may begin with `t`: words of a type, then a name and what can follow one. */
static void read_declaration(dc_tokens in, dc_token t, name_list *out) {
  static const char *const others[] = {"return", "delete", "throw", "new", "goto", "else", "case", "using", "typedef",
                                       "template", "if", "while", "switch", "do", NULL};
  int words = 0;
  dc_token name = t, before = {DC_TOKEN_PUNCT, ";", 1, 0};
  if (dc_token_in(t, others)) return;
  for (; t.kind != DC_TOKEN_END; before = t, t = dc_token_next(&in)) {
    if (t.kind == DC_TOKEN_WORD) {
      words += !dc_token_is_char(before, ':');
      name = t;
    } else if (dc_token_is_char(t, '<')) {
      if (!skip_angles(&in)) return;
    } else if (dc_token_is_char(t, ':') && dc_token_is_char(peek(&in), ':')) {
      t = dc_token_next(&in);
    } else if (t.kind != DC_TOKEN_PUNCT || !strchr("*&", *t.s)) {
      break;
    }
  }
  if (words < 2 || before.kind != DC_TOKEN_WORD || t.kind != DC_TOKEN_PUNCT || !strchr("=;,([{:", *t.s)) return;
  add(out, name);
  in.p = t.s;
  read_declarators(&in, out);
}

/* Of "auto [a, b] = …", of which auto was read. */
static void read_bindings(dc_tokens in, name_list *out) {
  dc_token t = dc_token_next(&in);
  while (dc_token_is(t, "const") || dc_token_is_char(t, '&')) t = dc_token_next(&in);
  if (!dc_token_is_char(t, '[')) return;
  dc_tokens names = group(&in);
  for (t = dc_token_next(&names); t.kind != DC_TOKEN_END; t = dc_token_next(&names))
    if (t.kind == DC_TOKEN_WORD) add(out, t);
}

/* The variables that a function's body declares up to in.end, in whichever block, with the parameters of its lambdas.
** Other brackets declare one in the head of a statement alone: "f(a * b, c)" is a call. */
static void read_locals(dc_tokens in, name_list *out) {
  static const char *const heads[] = {"for", "if", "while", "switch", "catch", "constexpr", NULL};
  bool begins = true;
  dc_token before = {DC_TOKEN_PUNCT, ";", 1, 0};
  for (dc_token t = dc_token_next(&in); t.kind != DC_TOKEN_END; before = t, t = dc_token_next(&in)) {
    if (begins && t.kind == DC_TOKEN_WORD) read_declaration(in, t, out);
    if (dc_token_is(t, "auto")) read_bindings(in, out);
    if (dc_token_is_char(t, '(') && dc_token_is_char(before, ']')) {
      dc_tokens parameters = in;
      read_parameters(group(&parameters), out);
    }
    begins = t.kind == DC_TOKEN_PUNCT && (strchr(";{}", *t.s) || (*t.s == '(' && dc_token_in(before, heads)));
  }
}

/* --- a lambda ----------------------------------------------------------------------------------------------------- */

typedef struct lambda {
  const char *begin, *end;
  int line;
  dc_tokens captures, parameters, result, body;
  bool has_parameters, is_mutable;
} lambda;

/* Reads "[…] __device__ (…) … {…}", of which the [ was read. */
static bool read_lambda(dc_tokens *in, dc_token open, lambda *l) {
  *l = (lambda){.begin = open.s, .line = open.line};
  dc_tokens at = *in;
  l->captures = group(&at);
  dc_token t = dc_token_next(&at);
  bool device = false;
  for (; dc_token_is(t, "__device__") || dc_token_is(t, "__host__"); t = dc_token_next(&at))
    device = device || dc_token_is(t, "__device__");
  if (!device) return false;
  if (dc_token_is_char(t, '(')) {
    l->has_parameters = true;
    l->parameters = group(&at);
    t = dc_token_next(&at);
  }
  l->result = (dc_tokens){t.s, t.s, t.s, t.line};
  for (; t.kind != DC_TOKEN_END && !dc_token_is_char(t, '{'); t = dc_token_next(&at)) {
    if (dc_token_is(t, "mutable")) {
      l->is_mutable = true;
      l->result = at;
    }
    if (dc_token_is_char(t, ';')) return false;
  }
  if (t.kind == DC_TOKEN_END) return false;
  l->result.end = t.s;
  l->body = group(&at);
  l->end = at.p;
  *in = at;
  return true;
}

/* The captured variables' names, and their initializers where a capture has one.  False when one cannot be a field. */
typedef struct fields {
  name_list name;
  dc_tokens value[MOST_NAMES]; /* empty: the variable of that name */
} fields;

/* The variables of the function that the lambda's body uses. */
static void read_uses(const lambda *l, const name_list *locals, fields *f) {
  name_list own = {.n = 0};
  if (l->has_parameters) read_parameters(l->parameters, &own);
  read_locals(l->body, &own);
  dc_tokens in = l->body;
  dc_token before = {DC_TOKEN_PUNCT, ";", 1, 0};
  for (dc_token t = dc_token_next(&in); t.kind != DC_TOKEN_END; before = t, t = dc_token_next(&in)) {
    const bool member = dc_token_is_char(before, '.') || dc_token_is_char(before, ':') ||
                        (dc_token_is_char(before, '>') && before.s > in.begin && before.s[-1] == '-');
    if (t.kind == DC_TOKEN_WORD && !member && holds(locals, t) && !holds(&own, t)) add(&f->name, t);
  }
}

static bool read_captures(const lambda *l, const name_list *locals, fields *f) {
  dc_tokens in = l->captures;
  f->name.n = 0;
  memset(f->value, 0, sizeof f->value);
  for (dc_token t = dc_token_next(&in); t.kind != DC_TOKEN_END;) {
    if (dc_token_is_char(t, '=')) read_uses(l, locals, f);
    else if (t.kind != DC_TOKEN_WORD || dc_token_is(t, "this")) return false;
    else add(&f->name, t);
    const int i = f->name.n - 1;
    t = dc_token_next(&in);
    if (dc_token_is_char(t, '=') || dc_token_is_char(t, '{')) {
      const bool braced = dc_token_is_char(t, '{');
      dc_tokens value = braced ? group(&in) : in;
      for (t = dc_token_next(&in); t.kind != DC_TOKEN_END && !dc_token_is_char(t, ','); t = dc_token_next(&in))
        if (t.kind == DC_TOKEN_PUNCT && strchr("([{", *t.s)) dc_token_skip_group(&in);
      if (!braced) value.end = t.s;
      if (i >= 0) f->value[i] = value;
    }
    if (t.kind != DC_TOKEN_END && !dc_token_is_char(t, ',')) return false;
    if (t.kind != DC_TOKEN_END) t = dc_token_next(&in);
  }
  return f->name.n < MOST_NAMES;
}

/* --- writing ------------------------------------------------------------------------------------------------------ */

/* In one line, without comments; each "auto" as "dc_pN", counted in *autos, where that is given.  False where
** preprocessor lines decide what the text is. */
static bool put_text(dc_tokens in, int *autos, dc_buf *out) {
  for (const char *p = in.p; p < in.end; p++) {
    if (*p != '\n') continue;
    p += strspn(p, " \t\n");
    if (p < in.end && *p == '#' && strncmp(p + 1 + strspn(p + 1, " \t"), "pragma", 6) != 0) return false;
    p--;
  }
  for (dc_token t = dc_token_next(&in); t.kind != DC_TOKEN_END; t = dc_token_next(&in)) {
    const bool spaced = in.p < in.end && (isspace((unsigned char)*in.p) || *in.p == '/');
    if (autos && dc_token_is(t, "auto")) dc_buf_printf(out, "dc_p%d", (*autos)++);
    else dc_buf_add(out, t.s, (size_t)(in.p - t.s));
    if (spaced) dc_buf_putc(out, ' ');
  }
  return true;
}

/* The parameters of the templates around the lambda: as they are declared, and their names. */
typedef struct heads {
  dc_buf declared, named;
  bool pack;
} heads;

/* "template <class T, int N = 4>" of the declaration at `begin`, if it begins so. */
static void read_head(dc_tokens in, heads *h) {
  while (dc_token_is(peek(&in), "template")) {
    dc_token_next(&in);
    if (!dc_token_is_char(dc_token_next(&in), '<')) return;
    dc_tokens all = in;
    if (!skip_angles(&in)) return;
    all.end = in.p - 1;
    for (const char *p = all.p; p < all.end; p++) h->pack = h->pack || strncmp(p, "...", 3) == 0;
    name_list list = {.n = 0};
    read_parameters(all, &list);
    for (int i = 0; i < list.n; i++)
      dc_buf_printf(&h->named, "%.*s, ", (int)list.v[i].n, list.v[i].s);
    bool is_default = false;
    for (dc_token t = dc_token_next(&all); t.kind != DC_TOKEN_END; t = dc_token_next(&all)) {
      is_default = dc_token_is_char(t, '=') || (is_default && !dc_token_is_char(t, ','));
      if (!is_default) dc_buf_printf(&h->declared, "%.*s ", (int)(all.p - t.s), t.s);
      if (is_default && t.kind == DC_TOKEN_PUNCT && strchr("([{", *t.s)) dc_token_skip_group(&all);
    }
    if (list.n > 0) dc_buf_puts(&h->declared, ", ");
  }
}

/* "template <HEADS class dc_t0, …> " or nothing, with `prefix` before each field's parameter. */
static void put_head(const heads *h, int nfields, dc_buf *out) {
  if (h->declared.len == 0 && nfields == 0) return;
  dc_buf_printf(out, "template <%s", dc_buf_str(&h->declared));
  for (int i = 0; i < nfields; i++) dc_buf_printf(out, "class dc_t%d, ", i);
  out->len -= 2; /* the last comma */
  dc_buf_puts(out, "> ");
}

static void put_class(const lambda *l, const fields *f, const heads *h, const char *name, dc_buf *out) {
  dc_buf parameters = DC_BUF_INIT;
  int autos = 0;
  const int n = f->name.n;
  const bool is_template = h->declared.len > 0 || n > 0;
  if (l->has_parameters) put_text(l->parameters, &autos, &parameters);
  put_head(h, n, out);
  dc_buf_printf(out, "struct %s { ", name);
  for (int i = 0; i < n; i++) dc_buf_printf(out, "dc_t%d %.*s; ", i, (int)f->name.v[i].n, f->name.v[i].s);
  for (int i = 0; i < autos; i++) dc_buf_printf(out, "%sclass dc_p%d", i ? ", " : "template <", i);
  if (autos) dc_buf_puts(out, "> ");
  dc_buf_printf(out, "__device__ auto operator()(%s) %s", dc_buf_str(&parameters), l->is_mutable ? "" : "const ");
  put_text(l->result, NULL, out);
  dc_buf_puts(out, "{ ");
  put_text(l->body, NULL, out);
  dc_buf_puts(out, "} }; ");
  dc_buf_free(&parameters);
  put_head(h, n, out); /* by value, which drops references and const */
  dc_buf_printf(out, "__device__ auto %s_of(", name);
  for (int i = 0; i < n; i++) dc_buf_printf(out, "%sdc_t%d dc_v%d", i ? ", " : "", i, i);
  dc_buf_printf(out, ") { return %s", name);
  if (is_template) {
    dc_buf_printf(out, "<%s", dc_buf_str(&h->named));
    for (int i = 0; i < n; i++) dc_buf_printf(out, "dc_t%d, ", i);
    out->len -= 2;
    dc_buf_putc(out, '>');
  }
  dc_buf_putc(out, '{');
  for (int i = 0; i < n; i++) dc_buf_printf(out, "%sdc_v%d", i ? ", " : "", i);
  dc_buf_puts(out, "}; } ");
}

static void put_object(const lambda *l, const fields *f, const heads *h, const char *name, dc_buf *out) {
  dc_buf_printf(out, "%s_of", name);
  if (h->named.len) dc_buf_printf(out, "<%.*s>", (int)h->named.len - 2, dc_buf_str(&h->named));
  dc_buf_putc(out, '(');
  for (int i = 0; i < f->name.n; i++) {
    if (i) dc_buf_puts(out, ", ");
    if (f->value[i].p) put_text(f->value[i], NULL, out);
    else dc_buf_add(out, f->name.v[i].s, f->name.v[i].n);
  }
  dc_buf_putc(out, ')');
  for (const char *p = l->begin; p < l->end; p++)
    if (*p == '\n') dc_buf_putc(out, '\n');
}

/* --- the text ----------------------------------------------------------------------------------------------------- */

typedef struct rewrite {
  const char *const *wanted; /* names of instances; NULL: of all lambdas */
  int nwanted;
  const char *copied, *text;
  int line, nline; /* of the last lambda, and how many that line has */
  dc_buf *out;
  bool any;
} rewrite;

/* Whether one of the instances is of the class: "k<ns::dc_lambda_12<float *>>". */
static bool is_wanted(const rewrite *r, const char *name) {
  const size_t n = strlen(name);
  for (int i = 0; i < r->nwanted; i++)
    for (const char *p = r->wanted[i]; (p = strstr(p, name)) != NULL; p += n)
      if (!dc_in_name(p[n])) return true;
  return false;
}

static void copy_to(rewrite *r, const char *to) {
  dc_buf_add(r->out, r->copied, (size_t)(to - r->copied));
  r->copied = to;
}

/* A function of the host's: classes come before `place`, which is the function or the class that it is a member of. */
static void rewrite_function(rewrite *r, const dc_piece *p, const dc_piece *class, const char *place) {
  heads h = {DC_BUF_INIT, DC_BUF_INIT, false};
  dc_buf body = DC_BUF_INIT, classes = DC_BUF_INIT;
  const char *copied = p->body;
  if (class) read_head((dc_tokens){class->begin, class->begin, class->body, class->first}, &h);
  read_head((dc_tokens){p->begin, p->begin, p->body, p->first}, &h);
  dc_tokens in = {p->body, p->body, p->body_end, p->body_line};
  dc_token before = {DC_TOKEN_PUNCT, "{", 1, 0};
  for (dc_token t = dc_token_next(&in); t.kind != DC_TOKEN_END && !h.pack; before = t, t = dc_token_next(&in)) {
    lambda l;
    fields f;
    name_list locals = {.n = 0};
    char name[48];
    if (!dc_token_is_char(t, '[') || !dc_piece_begins_lambda(before) || !read_lambda(&in, t, &l)) continue;
    dc_tokens head = {p->begin, p->begin, p->body - 1, p->first};
    while (head.p < head.end && !dc_token_is_char(dc_token_next(&head), '(')) {}
    read_parameters(group(&head), &locals);
    read_locals((dc_tokens){p->body, p->body, l.begin, p->body_line}, &locals);
    r->nline = r->line == l.line ? r->nline + 1 : 1;
    r->line = l.line;
    snprintf(name, sizeof name, r->nline > 1 ? "dc_lambda_%d_%d" : "dc_lambda_%d", l.line, r->nline);
    while (dc_word_find(r->text, name, strlen(name))) /* one of an earlier pass */
      snprintf(name, sizeof name, "dc_lambda_%d_%d", l.line, ++r->nline);
    dc_buf probe = DC_BUF_INIT;
    const bool good = read_captures(&l, &locals, &f) && put_text(l.body, NULL, &probe);
    dc_buf_free(&probe);
    if (!good || (r->wanted && !is_wanted(r, name))) continue;
    put_class(&l, &f, &h, name, &classes);
    dc_buf_add(&body, copied, (size_t)(l.begin - copied));
    put_object(&l, &f, &h, name, &body);
    copied = l.end;
  }
  if (classes.len) {
    copy_to(r, place);
    dc_buf_printf(r->out, "extern \"C++\" { %s} ", dc_buf_str(&classes));
    copy_to(r, p->body);
    dc_buf_add(r->out, dc_buf_str(&body), body.len);
    r->copied = copied;
    r->any = true;
  }
  dc_buf_free(&body);
  dc_buf_free(&classes);
  dc_buf_free(&h.declared);
  dc_buf_free(&h.named);
}

static bool rewrite_text(rewrite *r, size_t len) {
  dc_tokens in = dc_tokens_of(r->text, len);
  for (dc_piece p; in.p < in.end && dc_piece_next(&in, &p);) {
    if (p.is_function && !dc_text_holds(p.begin, p.body, "__device__") && !dc_text_holds(p.begin, p.body, "__global__"))
      rewrite_function(r, &p, NULL, p.begin);
    if (!p.is_class || !p.body) continue;
    dc_tokens members = {p.body, p.body, p.body_end, p.body_line};
    const char *place = p.begin;
    for (dc_piece m; members.p < members.end && dc_piece_next(&members, &m);)
      if (m.is_function && !dc_text_holds(m.begin, m.body, "__device__") && place >= r->copied) {
        rewrite_function(r, &m, &p, place);
      }
  }
  if (r->any) dc_buf_add(r->out, r->copied, (size_t)(r->text + len - r->copied));
  return r->any;
}

bool dc_lambdas_as_objects(const char *text, size_t len, const char *const *names, int n, dc_buf *out) {
  dc_buf before = DC_BUF_INIT;
  bool any = false, more = true;
  dc_buf_add(&before, text, len);
  while (more && !before.failed) { /* a class has one of its functions done each time */
    rewrite r = {.wanted = names, .nwanted = n, .text = dc_buf_str(&before), .copied = dc_buf_str(&before), .out = out};
    dc_buf_reset(out);
    more = rewrite_text(&r, before.len);
    any = any || more;
    if (!more) break;
    dc_buf_reset(&before);
    dc_buf_add(&before, dc_buf_str(out), out->len);
  }
  dc_buf_reset(out);
  if (any) dc_buf_add(out, dc_buf_str(&before), before.len);
  dc_buf_free(&before);
  return any;
}
