/*
** scan.c - see scan.h.
*/
#include "compile/types/scan.h"

#include <string.h>

#include "base/arena.h"
#include "compile/types/tokens.h"

#define MAX_NESTING 64

typedef struct scanner {
  dc_tokens in;
  dc_arena *arena;
  dc_scanned *first, **last;
  bool failed;
  /* open braces; those of a namespace carry its name */
  struct { const char *s; size_t n; bool block; } nest[MAX_NESTING];
  int blocks;       /* how many of them are no namespaces */
  int depth;
  bool in_template; /* since the last ';', '{' or '}' a template<…> was seen */
} scanner;

static char *copy(scanner *s, const char *p, size_t n) {
  char *c = dc_arena_strndup(s->arena, p, n);
  if (!c) s->failed = true;
  return c;
}

/* A parameter without a name ends in a word of its type. */
static bool is_type_word(dc_token t) {
  static const char *const words[] = {"int", "char", "short", "long", "float", "double", "unsigned", "signed", "bool",
                                      "void", "const", "volatile", "__restrict__", "size_t", NULL};
  return dc_token_in(t, words);
}

/* The parameter's name is the last word of its declarator: "const float *x", "float x[4]", "void (*f)(int)". */
static void read_params(scanner *s, dc_scanned *k) {
  char *names[256];
  dc_named called[256] = {DC_NAMED_PLAIN}, is = DC_NAMED_PLAIN;
  int n = 0;
  dc_token word = {DC_TOKEN_END, NULL, 0, 0};
  bool any = false, in_default = false;
  for (int round = 1, angle = 0; round > 0;) {
    dc_token t = dc_token_next(&s->in);
    if (t.kind == DC_TOKEN_END) break;
    if (t.kind == DC_TOKEN_WORD && is == DC_NAMED_PLAIN) is = dc_named_by(t.s, t.n);
    char c = t.kind == DC_TOKEN_PUNCT ? *t.s : '\0';
    if (c == '(' || c == '[' || c == '{') {
      if (c == '(' && !in_default && round == 1) { /* void (*name)(…): the name is in the first group */
        dc_token inner = dc_token_next(&s->in);
        while (inner.kind == DC_TOKEN_PUNCT && (*inner.s == '*' || *inner.s == '&')) inner = dc_token_next(&s->in);
        if (inner.kind == DC_TOKEN_WORD) word = inner;
        if (!(inner.kind == DC_TOKEN_PUNCT && *inner.s == ')')) dc_token_skip_group(&s->in);
        any = true;
        dc_token args = dc_token_next(&s->in);
        if (args.kind == DC_TOKEN_PUNCT && strchr("([", *args.s)) dc_token_skip_group(&s->in);
        else if (args.kind == DC_TOKEN_PUNCT && *args.s == ')') round--;
        else if (args.kind == DC_TOKEN_PUNCT && *args.s == ',') c = ',';
        if (c != ',' && round > 0) continue;
      } else {
        dc_token_skip_group(&s->in);
        continue;
      }
    }
    if (c == ')') round--;
    else if (c == '<') angle++;
    else if (c == '>' && angle > 0) angle--;
    else if (c == '=') in_default = true;
    if (round == 0 || (c == ',' && angle == 0)) {
      bool is_void = word.kind == DC_TOKEN_WORD && dc_token_is(word, "void") && n == 0 && round == 0;
      bool named = word.kind == DC_TOKEN_WORD && !is_type_word(word);
      if (any && !is_void && n < 256) {
        called[n] = is;
        names[n++] = named ? copy(s, word.s, word.n) : NULL;
      }
      word.kind = DC_TOKEN_END;
      any = in_default = false;
      is = DC_NAMED_PLAIN;
    } else {
      any = true;
      if (t.kind == DC_TOKEN_WORD && !in_default && angle == 0) word = t;
    }
  }
  k->nparams = n;
  k->params = dc_arena_alloc(s->arena, sizeof *k->params * (size_t)(n ? n : 1));
  k->named = dc_arena_alloc(s->arena, sizeof *called * (size_t)(n ? n : 1));
  if (!k->params || !k->named) {
    s->failed = true;
    return;
  }
  memcpy(k->params, names, sizeof *names * (size_t)n);
  memcpy(k->named, called, sizeof *called * (size_t)n);
}

static char *qualify(scanner *s, dc_token name) {
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

static void add_kernel(scanner *s, dc_token name, int line, bool tile) {
  dc_scanned *k = dc_arena_alloc(s->arena, sizeof *k);
  if (!k) {
    s->failed = true;
    return;
  }
  k->name = qualify(s, name);
  k->is_template = s->in_template;
  k->line = line;
  k->is_tile = tile;
  read_params(s, k);
  for (dc_scanned *o = s->first; o && k->name; o = o->next)
    if (o->name && strcmp(o->name, k->name) == 0) { /* declared before: the later one has the better names */
      o->line = k->line;
      o->nparams = k->nparams;
      o->params = k->params;
      o->named = k->named;
      return;
    }
  *s->last = k;
  s->last = &k->next;
}

/* After `__global__` or `__tile_global__`: the kernel's name is the last word before a '(' that belongs to no
** attribute. */
static void read_kernel(scanner *s, int line, bool tile) {
  static const char *const attributes[] = {"__launch_bounds__", "__attribute__", "__cluster_dims__", "__maxnreg__",
                                           "__block_size__", "__declspec", "alignas", NULL};
  dc_token word = {DC_TOKEN_END, NULL, 0, 0};
  for (;;) {
    dc_token t = dc_token_next(&s->in);
    if (t.kind == DC_TOKEN_END) return;
    if (t.kind == DC_TOKEN_WORD) {
      word = t;
      line = t.line;
    } else if (t.kind == DC_TOKEN_PUNCT && *t.s == '(') {
      if (word.kind != DC_TOKEN_WORD) return;
      if (dc_token_in(word, attributes)) {
        dc_token_skip_group(&s->in);
        word.kind = DC_TOKEN_END;
      } else {
        add_kernel(s, word, line, tile);
        return;
      }
    } else if (t.kind == DC_TOKEN_PUNCT && (*t.s == ';' || *t.s == '{')) {
      return;
    }
  }
}

static void add_variable(scanner *s, dc_token name, bool managed) {
  dc_scanned *v = dc_arena_alloc(s->arena, sizeof *v);
  if (v)
    *v = (dc_scanned){.name = qualify(s, name), .is_template = s->in_template, .is_variable = true,
                      .is_managed = managed, .line = name.line};
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
static dc_token skip_initializer(scanner *s) {
  for (;;) {
    dc_token t = dc_token_next(&s->in);
    if (t.kind == DC_TOKEN_END || (t.kind == DC_TOKEN_PUNCT && strchr(",;", *t.s))) return t;
    if (t.kind == DC_TOKEN_PUNCT && strchr("([{", *t.s)) dc_token_skip_group(&s->in);
  }
}

/* After `__device__`, `__constant__` or `__managed__`, of which functions are full too: a variable's name is the last
** word before the first of = [ { , ; and its declaration has no parenthesis before. */
static void read_variables(scanner *s, bool managed) {
  static const char *const others[] = {"__global__", "struct", "class", "union", "enum", NULL};
  static const char *const attributes[] = {"__align__", "__attribute__", "alignas", "decltype", NULL};
  dc_token word = {DC_TOKEN_END, NULL, 0, 0};
  for (int angle = 0;;) {
    dc_token t = dc_token_next(&s->in);
    if (t.kind == DC_TOKEN_END) return;
    if (t.kind == DC_TOKEN_WORD && angle == 0) {
      if (dc_token_in(t, others)) return;
      managed = managed || dc_token_is(t, "__managed__");
      word = t;
    }
    if (t.kind != DC_TOKEN_PUNCT) continue;
    if (*t.s == '<') angle++;
    else if (*t.s == '>' && angle > 0) angle--;
    if (*t.s == '(' && word.kind == DC_TOKEN_WORD && dc_token_in(word, attributes)) {
      dc_token_skip_group(&s->in);
      word.kind = DC_TOKEN_END;
      continue;
    }
    if (*t.s == '(') { /* a function; its body is the caller's */
      dc_token_skip_group(&s->in);
      return;
    }
    if (angle > 0 || !strchr("=[{,;", *t.s)) continue;
    if (word.kind == DC_TOKEN_WORD) add_variable(s, word, managed);
    word.kind = DC_TOKEN_END;
    while (*t.s == '[') {
      dc_token_skip_group(&s->in);
      t = dc_token_next(&s->in);
      if (t.kind != DC_TOKEN_PUNCT) return;
    }
    if (*t.s == '{') {
      dc_token_skip_group(&s->in);
      t = dc_token_next(&s->in);
    }
    if (t.kind == DC_TOKEN_PUNCT && *t.s == '=') t = skip_initializer(s);
    if (t.kind != DC_TOKEN_PUNCT || *t.s != ',') {
      s->in_template = false;
      return;
    }
  }
}

static void read_namespace(scanner *s) {
  dc_token name = dc_token_next(&s->in);
  dc_token t = name.kind == DC_TOKEN_WORD ? dc_token_next(&s->in) : name;
  while (t.kind == DC_TOKEN_PUNCT && *t.s == ':') { /* a::b: keep the whole spelling */
    t = dc_token_next(&s->in);
    if (t.kind == DC_TOKEN_WORD) {
      name.n = (size_t)(t.s + t.n - name.s);
      t = dc_token_next(&s->in);
    }
  }
  if (t.kind != DC_TOKEN_PUNCT || *t.s != '{') return;
  if (s->depth < MAX_NESTING) {
    s->nest[s->depth].s = name.s;
    s->nest[s->depth].block = false;
    s->nest[s->depth].n = name.kind == DC_TOKEN_WORD ? name.n : 0;
  }
  s->depth++;
}

dc_scanned *dc_scan(const char *text, size_t len, dc_arena *arena, bool *failed) {
  scanner s = {.in = dc_tokens_of(text, len), .arena = arena};
  s.last = &s.first;
  static const char *const spaces[] = {"__device__", "__constant__", "__managed__", NULL};
  dc_token before = {DC_TOKEN_END, text, 0, 0};
  for (dc_token t = dc_token_next(&s.in); t.kind != DC_TOKEN_END; t = dc_token_next(&s.in)) {
    if (t.kind == DC_TOKEN_WORD) {
      if (dc_token_is(t, "__global__")) read_kernel(&s, t.line, false);
      else if (dc_token_is(t, "__tile_global__")) read_kernel(&s, t.line, true);
      else if (dc_token_is(t, "namespace")) read_namespace(&s);
      else if (dc_token_is(t, "template")) s.in_template = true;
      else if (s.blocks == 0 && dc_token_in(t, spaces)) read_variables(&s, dc_token_is(t, "__managed__"));
    } else if (t.kind == DC_TOKEN_PUNCT) {
      if (*t.s == '{') {
        if (s.depth < MAX_NESTING) {
          s.nest[s.depth].n = 0;
          s.nest[s.depth].block = before.kind != DC_TOKEN_OTHER; /* behind a literal it is extern "C" */
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
