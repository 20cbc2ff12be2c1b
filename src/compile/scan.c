/*
** scan.c - see scan.h.  A tokenizer for C++ that knows just enough: where names, brackets and literals are.
*/
#include "compile/scan.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

typedef enum kind { END, WORD, PUNCT, OTHER } kind;

typedef struct token {
  kind kind;
  const char *s;
  size_t n;
  int line;
} token;

#define MAX_NESTING 64

typedef struct scanner {
  const char *p, *end;
  int line;
  dc_arena *arena;
  dc_scanned *first, **last;
  bool failed;
  /* open braces; those of a namespace carry its name */
  struct { const char *s; size_t n; bool block; } nest[MAX_NESTING];
  int blocks;       /* how many of them are no namespaces */
  int depth;
  bool in_template; /* since the last ';', '{' or '}' a template<…> was seen */
} scanner;

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80; }

static bool at_line_start(const scanner *s, const char *begin) {
  const char *p = s->p;
  while (p > begin && (p[-1] == ' ' || p[-1] == '\t')) p--;
  return p == begin || p[-1] == '\n';
}

static void step(scanner *s) {
  if (*s->p == '\n') s->line++;
  s->p++;
}

static void skip_quoted(scanner *s, char quote) {
  step(s);
  while (s->p < s->end && *s->p != quote && *s->p != '\n') {
    if (*s->p == '\\' && s->p + 1 < s->end) step(s);
    step(s);
  }
  if (s->p < s->end) step(s);
}

/* R"delim( … )delim" with s->p on the quote */
static void skip_raw(scanner *s) {
  const char *open = s->p + 1, *paren = open;
  while (paren < s->end && *paren != '(' && paren - open <= 16) paren++;
  size_t n = (size_t)(paren - open);
  for (s->p = paren; s->p < s->end; step(s))
    if (*s->p == ')' && (size_t)(s->end - s->p) > n + 1 && memcmp(s->p + 1, open, n) == 0 && s->p[n + 1] == '"') {
      s->p += n + 2;
      return;
    }
}

static void skip_directive(scanner *s) {
  while (s->p < s->end && *s->p != '\n') {
    if (*s->p == '\\' && s->p + 1 < s->end) step(s);
    else if (s->p[0] == '/' && s->p + 1 < s->end && s->p[1] == '*') return; /* the comment may go on */
    step(s);
  }
}

static bool skip_blank(scanner *s, const char *begin) {
  const char *p = s->p;
  if (isspace((unsigned char)*p)) step(s);
  else if (p[0] == '/' && p + 1 < s->end && p[1] == '/') skip_directive(s);
  else if (p[0] == '/' && p + 1 < s->end && p[1] == '*') {
    for (s->p += 2; s->p < s->end && !(s->p[0] == '*' && s->p + 1 < s->end && s->p[1] == '/');) step(s);
    s->p = s->end - s->p < 2 ? s->end : s->p + 2;
  } else if (*p == '#' && at_line_start(s, begin)) skip_directive(s);
  else return false;
  return true;
}

static token next(scanner *s, const char *begin) {
  while (s->p < s->end && skip_blank(s, begin)) {}
  token t = {END, s->p, 0, s->line};
  if (s->p >= s->end) return t;
  if (is_word(*s->p)) {
    while (s->p < s->end && is_word(*s->p)) s->p++;
    t.kind = WORD;
    t.n = (size_t)(s->p - t.s);
    if (s->p < s->end && *s->p == '"' && t.s[t.n - 1] == 'R') {
      skip_raw(s);
      t.kind = OTHER;
    }
  } else if (*s->p == '"' || *s->p == '\'') {
    skip_quoted(s, *s->p);
    t.kind = OTHER;
  } else {
    t.kind = PUNCT;
    t.n = 1;
    step(s);
  }
  return t;
}

static bool is(token t, const char *word) { return t.n == strlen(word) && memcmp(t.s, word, t.n) == 0; }

static char *copy(scanner *s, const char *p, size_t n) {
  char *c = dc_arena_strndup(s->arena, p, n);
  if (!c) s->failed = true;
  return c;
}

/* Skips a bracketed group whose opening bracket was just read; nested brackets of all kinds count. */
static void skip_group(scanner *s, const char *begin) {
  for (int depth = 1; depth > 0;) {
    token t = next(s, begin);
    if (t.kind == END) return;
    if (t.kind != PUNCT) continue;
    if (strchr("([{", *t.s)) depth++;
    else if (strchr(")]}", *t.s)) depth--;
  }
}

/* A parameter without a name ends in a word of its type. */
static bool is_type_word(token t) {
  static const char *const words[] = {"int", "char", "short", "long", "float", "double", "unsigned", "signed", "bool",
                                      "void", "const", "volatile", "__restrict__", "size_t", NULL};
  for (const char *const *w = words; *w; w++)
    if (is(t, *w)) return true;
  return false;
}

/* CUDA's complex types are float2 and double2 to the compiler, so that they are told by their names alone. */
static bool is_complex_word(token t) {
  return is(t, "cuFloatComplex") || is(t, "cuComplex") || is(t, "cuDoubleComplex");
}

/* The parameter's name is the last word of its declarator: "const float *x", "float x[4]", "void (*f)(int)". */
static void read_params(scanner *s, const char *begin, dc_scanned *k) {
  char *names[256];
  bool complexes[256] = {false};
  int n = 0;
  token word = {END, NULL, 0, 0};
  bool any = false, in_default = false, is_complex = false;
  for (int round = 1, angle = 0; round > 0;) {
    token t = next(s, begin);
    if (t.kind == END) break;
    is_complex = is_complex || is_complex_word(t);
    char c = t.kind == PUNCT ? *t.s : '\0';
    if (c == '(' || c == '[' || c == '{') {
      if (c == '(' && !in_default && round == 1) { /* void (*name)(…): the name is in the first group */
        token inner = next(s, begin);
        while (inner.kind == PUNCT && (*inner.s == '*' || *inner.s == '&')) inner = next(s, begin);
        if (inner.kind == WORD) word = inner;
        if (!(inner.kind == PUNCT && *inner.s == ')')) skip_group(s, begin);
        any = true;
        token args = next(s, begin);
        if (args.kind == PUNCT && strchr("([", *args.s)) skip_group(s, begin);
        else if (args.kind == PUNCT && *args.s == ')') round--;
        else if (args.kind == PUNCT && *args.s == ',') c = ',';
        if (c != ',' && round > 0) continue;
      } else {
        skip_group(s, begin);
        continue;
      }
    }
    if (c == ')') round--;
    else if (c == '<') angle++;
    else if (c == '>' && angle > 0) angle--;
    else if (c == '=') in_default = true;
    if (round == 0 || (c == ',' && angle == 0)) {
      bool is_void = word.kind == WORD && is(word, "void") && n == 0 && round == 0;
      bool named = word.kind == WORD && !is_type_word(word);
      if (any && !is_void && n < 256) {
        complexes[n] = is_complex;
        names[n++] = named ? copy(s, word.s, word.n) : NULL;
      }
      word.kind = END;
      any = in_default = is_complex = false;
    } else {
      any = true;
      if (t.kind == WORD && !in_default && angle == 0) word = t;
    }
  }
  k->nparams = n;
  k->params = dc_arena_alloc(s->arena, sizeof *k->params * (size_t)(n ? n : 1));
  k->complexes = dc_arena_alloc(s->arena, sizeof *complexes * (size_t)(n ? n : 1));
  if (!k->params || !k->complexes) {
    s->failed = true;
    return;
  }
  memcpy(k->params, names, sizeof *names * (size_t)n);
  memcpy(k->complexes, complexes, sizeof *complexes * (size_t)n);
}

static char *qualify(scanner *s, token name) {
  char text[512];
  size_t at = 0;
  for (int i = 0; i < s->depth && i < MAX_NESTING; i++)
    if (s->nest[i].n && at + s->nest[i].n + 2 < sizeof text) {
      memcpy(text + at, s->nest[i].s, s->nest[i].n);
      memcpy(text + at + s->nest[i].n, "::", 2);
      at += s->nest[i].n + 2;
    }
  if (at + name.n >= sizeof text) return copy(s, name.s, name.n);
  memcpy(text + at, name.s, name.n);
  return copy(s, text, at + name.n);
}

static void add_kernel(scanner *s, const char *begin, token name, int line) {
  dc_scanned *k = dc_arena_alloc(s->arena, sizeof *k);
  if (!k) {
    s->failed = true;
    return;
  }
  k->name = qualify(s, name);
  k->is_template = s->in_template;
  k->line = line;
  read_params(s, begin, k);
  for (dc_scanned *o = s->first; o && k->name; o = o->next)
    if (o->name && strcmp(o->name, k->name) == 0) { /* declared before: the later one has the better names */
      o->line = k->line;
      o->nparams = k->nparams;
      o->params = k->params;
      o->complexes = k->complexes;
      return;
    }
  *s->last = k;
  s->last = &k->next;
}

/* After `__global__`: the kernel's name is the last word before a '(' that belongs to no attribute. */
static void read_kernel(scanner *s, const char *begin, int line) {
  token word = {END, NULL, 0, 0};
  for (;;) {
    token t = next(s, begin);
    if (t.kind == END) return;
    if (t.kind == WORD) {
      word = t;
      line = t.line;
    } else if (t.kind == PUNCT && *t.s == '(') {
      if (word.kind != WORD) return;
      if (is(word, "__launch_bounds__") || is(word, "__attribute__") || is(word, "__cluster_dims__") ||
          is(word, "__maxnreg__") || is(word, "__block_size__") || is(word, "__declspec") || is(word, "alignas")) {
        skip_group(s, begin);
        word.kind = END;
      } else {
        add_kernel(s, begin, word, line);
        return;
      }
    } else if (t.kind == PUNCT && (*t.s == ';' || *t.s == '{')) {
      return;
    }
  }
}

static void add_variable(scanner *s, token name) {
  dc_scanned *v = dc_arena_alloc(s->arena, sizeof *v);
  if (v) *v = (dc_scanned){.name = qualify(s, name), .is_variable = true, .line = name.line};
  if (!v || !v->name) {
    s->failed = true;
    return;
  }
  for (dc_scanned *o = s->first; o; o = o->next)
    if (o->is_variable && o->name && strcmp(o->name, v->name) == 0) return;
  *s->last = v;
  s->last = &v->next;
}

/* The initializer, up to the ',' or ';' behind it, which is given. */
static token skip_initializer(scanner *s, const char *begin) {
  for (;;) {
    token t = next(s, begin);
    if (t.kind == END || (t.kind == PUNCT && strchr(",;", *t.s))) return t;
    if (t.kind == PUNCT && strchr("([{", *t.s)) skip_group(s, begin);
  }
}

/* After `__device__` or `__constant__`, of which functions are full too: a variable's name is the last word before the
** first of = [ { , ; and its declaration has no parenthesis before. */
static void read_variables(scanner *s, const char *begin) {
  token word = {END, NULL, 0, 0};
  for (int angle = 0;;) {
    token t = next(s, begin);
    if (t.kind == END) return;
    if (t.kind == WORD && angle == 0) {
      if (is(t, "__global__") || is(t, "__managed__") || is(t, "struct") || is(t, "class") || is(t, "union") ||
          is(t, "enum"))
        return;
      word = t;
    }
    if (t.kind != PUNCT) continue;
    if (*t.s == '<') angle++;
    else if (*t.s == '>' && angle > 0) angle--;
    if (*t.s == '(' && word.kind == WORD &&
        (is(word, "__align__") || is(word, "__attribute__") || is(word, "alignas") || is(word, "decltype"))) {
      skip_group(s, begin);
      word.kind = END;
      continue;
    }
    if (*t.s == '(') { /* a function; its body is the caller's */
      skip_group(s, begin);
      return;
    }
    if (angle > 0 || !strchr("=[{,;", *t.s)) continue;
    if (word.kind == WORD && !s->in_template) add_variable(s, word);
    word.kind = END;
    while (*t.s == '[') {
      skip_group(s, begin);
      t = next(s, begin);
      if (t.kind != PUNCT) return;
    }
    if (*t.s == '{') {
      skip_group(s, begin);
      t = next(s, begin);
    }
    if (t.kind == PUNCT && *t.s == '=') t = skip_initializer(s, begin);
    if (t.kind != PUNCT || *t.s != ',') {
      s->in_template = false;
      return;
    }
  }
}

static void read_namespace(scanner *s, const char *begin) {
  token name = next(s, begin);
  token t = name.kind == WORD ? next(s, begin) : name;
  while (t.kind == PUNCT && *t.s == ':') { /* a::b: keep the whole spelling */
    t = next(s, begin);
    if (t.kind == WORD) {
      name.n = (size_t)(t.s + t.n - name.s);
      t = next(s, begin);
    }
  }
  if (t.kind != PUNCT || *t.s != '{') return;
  if (s->depth < MAX_NESTING) {
    s->nest[s->depth].s = name.s;
    s->nest[s->depth].block = false;
    s->nest[s->depth].n = name.kind == WORD ? name.n : 0;
  }
  s->depth++;
}

dc_scanned *dc_scan(const char *text, size_t len, dc_arena *arena, bool *failed) {
  scanner s = {.p = text, .end = text + len, .line = 1, .arena = arena};
  s.last = &s.first;
  token before = {END, text, 0, 0};
  for (token t = next(&s, text); t.kind != END; t = next(&s, text)) {
    if (t.kind == WORD) {
      if (is(t, "__global__")) read_kernel(&s, text, t.line);
      else if (is(t, "namespace")) read_namespace(&s, text);
      else if (is(t, "template")) s.in_template = true;
      else if (s.blocks == 0 && (is(t, "__device__") || is(t, "__constant__")) && !is(before, "__managed__"))
        read_variables(&s, text);
    } else if (t.kind == PUNCT) {
      if (*t.s == '{') {
        if (s.depth < MAX_NESTING) {
          s.nest[s.depth].n = 0;
          s.nest[s.depth].block = before.kind != OTHER; /* behind a literal it is extern "C" */
          s.blocks += s.nest[s.depth].block;
        }
        s.depth++;
      } else if (*t.s == '}' && s.depth > 0) {
        s.depth--;
        if (s.depth < MAX_NESTING) s.blocks -= s.nest[s.depth].block;
      }
      if (strchr(";{}", *t.s)) s.in_template = false;
    }
    before = t;
  }
  *failed = s.failed;
  return s.first;
}
