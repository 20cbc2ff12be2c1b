/*
** prelude.c - see prelude.h.
**
** A piece is a declaration at file scope or a macro.  A name leads to all pieces that declare it (a structure and its
** typedef, a function and its prototype); what a piece needs is found by the identifiers in it.  Members and parameters
** are taken for names as well, which at worst selects too much.  Names that a macro completes ("dc_old_##bits") are all
** those that begin so; the beginning is to end with an underscore, lest there be too many.
*/
#include "cpu/codegen/prelude.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/map.h"

typedef struct piece {
  const char *at;
  size_t len;
  bool macro;
  bool dead; /* a macro that #undef has taken back */
} piece;

typedef struct named {
  struct named *next;  /* of the same name */
  struct named *older; /* of all */
  const char *at;
  size_t len, piece;
} named;

struct dc_prelude {
  char *text;
  piece *v;
  size_t n, cap;
  dc_map names;   /* to named, which lie in the arena */
  named *newest;
  dc_arena arena;
  bool failed;    /* no memory */
};

/* --- tokens ------------------------------------------------------------------------------------------------------- */

enum { END, WORD = 'a', LITERAL = '0', DIRECTIVE = '#' }; /* other kinds: the character itself */

typedef struct token {
  const char *at;
  size_t len;
  int kind;
} token;

enum { SPACE = 1, LETTER, DIGIT };
static const unsigned char classes[256] = {
  [' '] = SPACE, ['\t' ... '\r'] = SPACE, ['a' ... 'z'] = LETTER, ['A' ... 'Z'] = LETTER, ['_'] = LETTER,
  ['$'] = LETTER, ['0' ... '9'] = DIGIT,
};
static int class_of(char c) { return classes[(unsigned char)c]; }
static bool is_word(char c) { return class_of(c) >= LETTER; }

static const char *behind_literal(const char *p, const char *end) {
  const char quote = *p++;
  while (p < end && *p != quote) p += *p == '\\' && p + 1 < end ? 2 : 1;
  return p < end ? p + 1 : end;
}

/* The token at *p, or behind it; preprocessed text has neither comments nor continued lines. */
static token next(const char **p, const char *end) {
  const char *at = *p;
  while (at < end && class_of(*at) == SPACE) at++;
  token t = { at, 0, END };
  if (at < end) {
    const char *to = at + 1;
    t.kind = *at;
    if (*at == '#') {
      while (to < end && *to != '\n') to++;
    } else if (*at == '"' || *at == '\'') {
      to = behind_literal(at, end);
      t.kind = LITERAL;
    } else if (is_word(*at)) {
      t.kind = class_of(*at) == DIGIT ? LITERAL : WORD;
      while (to < end && (is_word(*to) || (t.kind == LITERAL && *to == '.'))) to++;
    }
    t.len = (size_t)(to - at);
    at = to;
  }
  *p = at;
  return t;
}

static bool opens(int kind) { return kind == '(' || kind == '[' || kind == '{'; }
static bool closes(int kind) { return kind == ')' || kind == ']' || kind == '}'; }

static bool is(const token *t, const char *word) {
  return t->kind == WORD && strlen(word) == t->len && memcmp(t->at, word, t->len) == 0;
}

/* A word before a parenthesis that does not declare anything by it. */
static bool is_attribute(const token *t) {
  static const char *const words[] = { "__attribute__", "__attribute", "__asm__", "__asm", "asm", "_Alignas",
                                       "__typeof__", "typeof", "__typeof" };
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (is(t, words[i])) return true;
  return false;
}

/* --- splitting ---------------------------------------------------------------------------------------------------- */

/* A new piece; its number. */
static size_t begin_piece(dc_prelude *p, const char *at, bool macro) {
  if (p->n == p->cap) {
    const size_t cap = p->cap ? 2 * p->cap : 1024;
    piece *v = realloc(p->v, cap * sizeof *v);
    if (v == NULL) {
      p->failed = true;
      return 0;
    }
    p->v = v;
    p->cap = cap;
  }
  p->v[p->n] = (piece){ .at = at, .macro = macro };
  return p->n++;
}

static void declare(dc_prelude *p, const token *name, size_t number) {
  named *first = dc_map_get(&p->names, name->at, name->len), *d = dc_arena_alloc(&p->arena, sizeof *d);
  if (d == NULL) {
    p->failed = true;
    return;
  }
  *d = (named){ .older = p->newest, .at = name->at, .len = name->len, .piece = number };
  p->newest = d;
  if (first) { /* the map's value stays: the list's head */
    d->next = first->next;
    first->next = d;
  } else if (dc_map_set(&p->names, name->at, name->len, d) != 0) {
    p->failed = true;
  }
}

/* "#define NAME …" is a piece; "#undef NAME" takes it back. */
static void directive(dc_prelude *p, const token *t) {
  const char *at = t->at + 1, *end = t->at + t->len;
  const token word = next(&at, end), name = next(&at, end);
  if (is(&word, "define") && name.kind == WORD) {
    const size_t number = begin_piece(p, t->at, true);
    if (p->failed) return;
    p->v[number].len = t->len;
    declare(p, &name, number);
  } else if (is(&word, "undef") && name.kind == WORD) {
    for (const named *d = dc_map_get(&p->names, name.at, name.len); d; d = d->next)
      if (p->v[d->piece].macro) p->v[d->piece].dead = true;
  }
}

/* The declaration being read. */
typedef struct reader {
  bool inside;            /* there is one */
  size_t number;
  int depth;              /* open parentheses, brackets and braces */
  char opener;            /* the outermost of them */
  bool function;          /* a body in braces ends it */
  bool assigned;          /* an initializer has begun */
  bool type_definition, enumeration;
  bool pointer;           /* in "typedef int (*name)(void)" the name has been read */
  bool tagged;            /* struct, union or enum has been read, and no tag yet */
  token before, last, tag; /* the token before; the last word outside of parentheses */
} reader;

/* What is declared so far, at a token behind a declarator. */
static void at_declarator(dc_prelude *p, reader *r, int kind) {
  if (r->type_definition) {
    if ((kind == ';' || kind == ',') && !r->pointer) declare(p, &r->last, r->number);
    return;
  }
  if (r->before.kind != WORD || is_attribute(&r->before)) return;
  declare(p, &r->before, r->number);
  if (kind == '(' && !r->assigned) r->function = true;
}

static void outside(dc_prelude *p, reader *r, const token *t) {
  if (t->kind == WORD) {
    if (is_attribute(t)) return;
    r->last = *t;
    if (r->tagged) r->tag = *t;
    r->tagged = is(t, "struct") || is(t, "union") || is(t, "enum");
    r->enumeration = r->enumeration || is(t, "enum");
    r->type_definition = r->type_definition || is(t, "typedef");
  } else if (t->kind == '{') {
    if (r->tag.at && !r->function && !r->assigned) declare(p, &r->tag, r->number);
  } else if (strchr("([=,;", t->kind)) {
    at_declarator(p, r, t->kind);
    r->assigned = r->assigned || t->kind == '=';
  }
}

/* One level deep: enumerators, and the name in "typedef int (*name)(void)". */
static void within(dc_prelude *p, reader *r, const token *t) {
  if (t->kind != WORD) return;
  const bool enumerator = r->enumeration && r->opener == '{' && (r->before.kind == '{' || r->before.kind == ',');
  const bool pointer = r->type_definition && r->opener == '(' && r->before.kind == '*' && !r->pointer;
  if (enumerator || pointer) declare(p, t, r->number);
  r->pointer = r->pointer || pointer;
}

static void split(dc_prelude *p, const char *text, size_t len) {
  reader r = { .inside = false };
  const char *at = text, *end = text + len;
  for (token t; (t = next(&at, end)).kind != END && !p->failed;) {
    if (t.kind == DIRECTIVE) {
      directive(p, &t);
      continue;
    }
    if (!r.inside) r = (reader){ .inside = true, .number = begin_piece(p, t.at, false) };
    if (r.depth == 0) outside(p, &r, &t);
    else if (r.depth == 1) within(p, &r, &t);
    if (opens(t.kind) && r.depth++ == 0) r.opener = (char)t.kind;
    if (closes(t.kind)) r.depth--;
    r.before = t;
    if (r.depth > 0 || (t.kind != ';' && !(t.kind == '}' && r.function))) continue;
    if (!p->failed) p->v[r.number].len = (size_t)(at - p->v[r.number].at);
    r.inside = false;
  }
}

dc_prelude *dc_prelude_new(char *text, size_t len) {
  dc_prelude *p = calloc(1, sizeof *p);
  if (p == NULL) {
    free(text);
    return NULL;
  }
  p->text = text;
  split(p, text, len);
  if (!p->failed) return p;
  dc_prelude_free(p);
  return NULL;
}

void dc_prelude_free(dc_prelude *p) {
  if (p == NULL) return;
  dc_map_free(&p->names);
  dc_arena_free(&p->arena);
  free(p->v);
  free(p->text);
  free(p);
}

/* --- selecting ---------------------------------------------------------------------------------------------------- */

typedef struct selection {
  const dc_prelude *p;
  bool *needed;
  size_t *todo, n; /* pieces of which the identifiers are not looked at yet */
} selection;

static void need(selection *s, size_t number) {
  if (s->needed[number] || s->p->v[number].dead) return;
  s->needed[number] = true;
  s->todo[s->n++] = number;
}

static void need_beginning(selection *s, const token *t) {
  if (t->kind != WORD || t->at[t->len - 1] != '_') return;
  for (const named *d = s->p->newest; d; d = d->older)
    if (d->len > t->len && memcmp(d->at, t->at, t->len) == 0) need(s, d->piece);
}

/* What this text needs.  Macros are expanded in declarations already. */
static void need_words(selection *s, const char *text, size_t len, bool macros) {
  const char *at = text, *end = text + len;
  token before = { text, 0, END };
  for (token t; (t = next(&at, end)).kind != END; before = t) {
    if (t.kind == DIRECTIVE) {
      if (t.len > 1 && t.at[1] == '#') need_beginning(s, &before);
      need_words(s, t.at + 1, t.len - 1, macros);
    } else if (t.kind == WORD) {
      for (const named *d = dc_map_get(&s->p->names, t.at, t.len); d; d = d->next)
        if (macros || !s->p->v[d->piece].macro) need(s, d->piece);
    }
  }
}

static void put(const selection *s, bool macros, dc_buf *out) {
  for (size_t i = 0; i < s->p->n; i++) {
    if (!s->needed[i] || s->p->v[i].macro != macros) continue;
    dc_buf_add(out, s->p->v[i].at, s->p->v[i].len);
    dc_buf_putc(out, '\n');
  }
}

int dc_prelude_select(const dc_prelude *p, const char *mark, const char *unit, size_t len, dc_buf *out) {
  selection s = { .p = p, .needed = calloc(p->n + 1, sizeof *s.needed), .todo = calloc(p->n + 1, sizeof *s.todo) };
  const bool good = s.needed && s.todo;
  if (good) {
    const named *from = mark ? dc_map_get(&p->names, mark, strlen(mark)) : NULL;
    for (size_t i = from ? from->piece + 1 : p->n; i < p->n; i++) need(&s, i);
    need_words(&s, unit, len, true);
    while (s.n > 0) {
      const piece *q = &p->v[s.todo[--s.n]];
      need_words(&s, q->at, q->len, q->macro);
    }
    put(&s, false, out);
    put(&s, true, out); /* behind the declarations, in which they would be expanded a second time */
  }
  free(s.needed);
  free(s.todo);
  return good && !out->failed ? 0 : -1;
}
