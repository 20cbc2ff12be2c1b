/*
** host_code.c - see host_code.h.
*/
#include "compile/nvcc_compat/host_code.h"

#include <ctype.h>
#include <string.h>

#include "base/arena.h"
#include "compile/types/tokens.h"

static const char *const device_words[] = {"__global__", "__device__",  "__constant__",
                                           "__shared__", "__managed__", NULL};
static const char *const class_words[] = {"struct", "class", "union", "enum", "typedef", "using", NULL};

static bool holds(const char *begin, const char *end, const char *what) {
  return memmem(begin, (size_t)(end - begin), what, strlen(what)) != NULL;
}

static bool is_char(dc_token t, char c) { return t.kind == DC_TOKEN_PUNCT && *t.s == c; }

/* A function of the runtime that only the host calls: cudaMalloc, cudaGetLastError, … */
static bool is_runtime(dc_token t) {
  static const char *const for_kernels[] = {"cudaGridDependencySynchronize", "cudaTriggerProgrammaticLaunchCompletion",
                                            "cudaDeviceSynchronize", "cudaTextureObject_t", "cudaSurfaceObject_t",
                                            NULL};
  return t.n > 4 && memcmp(t.s, "cuda", 4) == 0 && isupper((unsigned char)t.s[4]) && !dc_token_in(t, for_kernels);
}

bool dc_host_code_in(const char *text, size_t len) {
  dc_tokens in = dc_tokens_of(text, len);
  int angles = 0;
  for (dc_token t = dc_token_next(&in); t.kind != DC_TOKEN_END; t = dc_token_next(&in)) {
    angles = is_char(t, '<') ? angles + 1 : 0;
    if (angles == 3) return true; /* a launch */
    if (t.kind == DC_TOKEN_WORD && (dc_token_is(t, "main") || is_runtime(t))) return true;
  }
  return false;
}

/* One declaration at the level of namespaces or of a class. */
typedef struct piece {
  const char *begin, *end;
  int first, last;         /* lines */
  const char *body;        /* of a function or class: behind its {, up to body_end, the } */
  const char *body_end;
  int body_line;
  bool is_class, is_function, is_device;
  bool is_scope;           /* a namespace or extern "C": what is inside counts for itself */
} piece;

/* Reads the next piece; false at the end. */
static bool next_piece(dc_tokens *in, piece *p) {
  dc_token t = dc_token_next(in), before = t;
  *p = (piece){.begin = t.s, .first = t.line};
  bool space = false, initial = false, literal = false, params = false, members = false;
  for (; t.kind != DC_TOKEN_END; before = t, t = dc_token_next(in)) {
    p->end = in->p;
    p->last = in->line;
    if (t.kind == DC_TOKEN_WORD) {
      p->is_device = p->is_device || dc_token_in(t, device_words);
      p->is_class = p->is_class || (!params && dc_token_in(t, class_words));
      space = space || dc_token_is(t, "namespace");
      if (dc_token_is(t, "template")) {
        dc_token open = dc_token_next(in);
        for (int depth = is_char(open, '<'); depth > 0;) { /* its parameters may say class */
          open = dc_token_next(in);
          if (open.kind == DC_TOKEN_END) return true;
          depth += is_char(open, '<') - is_char(open, '>');
        }
      }
      continue;
    }
    if (t.kind == DC_TOKEN_OTHER) literal = before.kind == DC_TOKEN_WORD && dc_token_is(before, "extern");
    if (t.kind != DC_TOKEN_PUNCT) continue;
    if (*t.s == ';') return true;
    if (*t.s == '=' && !params && !dc_token_is(before, "operator")) initial = true;
    members = members || (params && !p->is_class && *t.s == ':'); /* a constructor's: "a(1), b{2}" */
    if (*t.s == '(') {
      params = true;
      dc_token_skip_group(in);
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
      p->is_function = params && !initial && !p->is_class;
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

/* All but line ends and preprocessor lines, so that lines, #if and #endif stay what they are. */
static void blank(char *text, const char *from, const char *to) {
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

static bool holds_device_words(const char *begin, const char *end) {
  dc_tokens in = dc_tokens_of(begin, (size_t)(end - begin));
  for (dc_token t = dc_token_next(&in); t.kind != DC_TOKEN_END; t = dc_token_next(&in))
    if (t.kind == DC_TOKEN_WORD && dc_token_in(t, device_words)) return true;
  return false;
}

/* Of a class that has something for the device, member functions of the host's only: its data are its layout. */
static bool blank_member(char *text, const piece *c, int line) {
  dc_tokens in = {c->body, c->body, c->body_end, c->body_line};
  piece p;
  while (in.p < in.end && next_piece(&in, &p))
    if (p.is_function && !p.is_device && p.first <= line && line <= p.last) {
      blank(text, p.begin, p.end);
      return true;
    }
  return false;
}

bool dc_host_code_blank(char *text, size_t len, int line) {
  dc_tokens in = dc_tokens_of(text, len);
  piece p;
  while (in.p < in.end && next_piece(&in, &p)) {
    if (p.is_scope || line < p.first || line > p.last || holds(p.begin, p.end, "__global__")) continue;
    if (p.is_class && p.body) {
      if (blank_member(text, &p, line)) return true;
      if (p.is_device || holds_device_words(p.body, p.body_end)) continue;
    } else if (p.is_device) {
      continue;
    }
    blank(text, p.begin, p.end);
    return true;
  }
  return false;
}

/* Where "ns::scale<float, 4>" begins that ends before `end`; `end` when there is no such thing. */
static const char *instance_begin(const char *text, const char *end) {
  const char *p = end;
  int depth = 0;
  do {
    if (--p < text || strchr(";{}\n", *p)) return end;
    depth += (*p == '>') - (*p == '<');
  } while (depth > 0);
  while (p > text && (isalnum((unsigned char)p[-1]) || p[-1] == '_' || p[-1] == ':')) p--;
  return isalpha((unsigned char)*p) || *p == '_' ? p : end;
}

const char **dc_host_code_launches(const char *text, size_t len, dc_arena *arena, int *n) {
  const char **list = NULL;
  *n = 0;
  for (const char *p = text; (p = memmem(p, len - (size_t)(p - text), "<<<", 3)) != NULL; p += 3) {
    const char *end = p;
    while (end > text && end[-1] == ' ') end--;
    if (end == text || end[-1] != '>') continue;
    const char *begin = instance_begin(text, end);
    char *name = begin < end ? dc_arena_strndup(arena, begin, (size_t)(end - begin)) : NULL;
    bool known = !name;
    for (int i = 0; i < *n && !known; i++) known = strcmp(list[i], name) == 0;
    const char **more = known ? NULL : dc_arena_alloc(arena, sizeof *more * (size_t)(*n + 1));
    if (!more) continue;
    if (*n) memcpy(more, list, sizeof *more * (size_t)*n);
    more[(*n)++] = name;
    list = more;
  }
  return list;
}

bool dc_host_code_blank_launches(char *text, size_t len) {
  dc_tokens in = dc_tokens_of(text, len);
  bool any = false;
  for (piece p; in.p < in.end && next_piece(&in, &p);) {
    if (!p.is_function || p.is_device || holds(p.begin, p.end, "__global__")) continue;
    dc_tokens head = dc_tokens_of(p.begin, (size_t)(p.body - p.begin));
    bool sure = holds(p.body, p.body_end, "<<<");
    for (dc_token t = dc_token_next(&head); t.kind != DC_TOKEN_END && !sure; t = dc_token_next(&head))
      sure = dc_token_is(t, "main");
    if (sure) blank(text, p.begin, p.end);
    any = any || sure;
  }
  return any;
}

/* The name of a function: the last word before its parameters. */
static dc_token name_of(const piece *p) {
  static const char *const attributes[] = {"__launch_bounds__", "__attribute__", "__cluster_dims__", "__maxnreg__",
                                           "__block_size__", "__declspec", "alignas", NULL};
  dc_tokens in = dc_tokens_of(p->begin, (size_t)(p->end - p->begin));
  dc_token word = {DC_TOKEN_END, p->begin, 0, 0};
  for (dc_token t = dc_token_next(&in); t.kind != DC_TOKEN_END; t = dc_token_next(&in)) {
    if (is_char(t, '(') && !dc_token_in(word, attributes)) return word;
    if (is_char(t, '(')) dc_token_skip_group(&in);
    if (t.kind == DC_TOKEN_WORD) word = t;
  }
  return word;
}

/* Blanks what declares the function. */
static void blank_declarations(char *text, size_t len, dc_token name) {
  dc_tokens in = dc_tokens_of(text, len);
  for (piece p; in.p < in.end && next_piece(&in, &p);) {
    if (p.is_function || p.is_class || p.is_scope || !p.is_device) continue;
    dc_token other = name_of(&p);
    if (other.n == name.n && memcmp(other.s, name.s, name.n) == 0) blank(text, p.begin, p.end);
  }
}

static int lines_to(const char *from, const char *to) {
  int n = 0;
  for (; from < to; from++) n += *from == '\n';
  return n;
}

bool dc_host_code_blank_launchers(char *text, size_t len, void (*found)(void *ud, int first, int last, int line),
                                  void *ud) {
  dc_tokens in = dc_tokens_of(text, len);
  bool any = false;
  for (piece p; in.p < in.end && next_piece(&in, &p);) {
    const char *launch = p.is_function && p.is_device
                             ? memmem(p.body, (size_t)(p.body_end - p.body), "<<<", 3) : NULL;
    if (!launch) continue;
    found(ud, p.first, p.last, p.body_line + lines_to(p.body, launch));
    blank_declarations(text, len, name_of(&p));
    blank(text, p.begin, p.end);
    any = true;
  }
  return any;
}

bool dc_host_code_plain_lambdas(char *text, size_t len) {
  dc_tokens in = dc_tokens_of(text, len);
  bool any = false, behind = false;
  for (dc_token t = dc_token_next(&in); t.kind != DC_TOKEN_END; t = dc_token_next(&in)) {
    if (behind && (dc_token_is(t, "__device__") || dc_token_is(t, "__host__"))) {
      blank(text, t.s, t.s + t.n);
      any = true;
      continue;
    }
    behind = is_char(t, ']');
  }
  return any;
}
