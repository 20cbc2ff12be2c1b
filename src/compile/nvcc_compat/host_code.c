/*
** host_code.c - see host_code.h.
*/
#include "compile/nvcc_compat/host_code.h"

#include <ctype.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/string_list.h"
#include "compile/nvcc_compat/pieces.h"
#include "compile/types/tokens.h"

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
    angles = dc_token_is_char(t, '<') ? angles + 1 : 0;
    if (angles == 3) return true; /* a launch */
    if (t.kind == DC_TOKEN_WORD && (dc_token_is(t, "main") || is_runtime(t))) return true;
  }
  return false;
}

static bool holds_device_words(const char *begin, const char *end) {
  dc_tokens in = dc_tokens_of(begin, (size_t)(end - begin));
  for (dc_token t = dc_token_next(&in); t.kind != DC_TOKEN_END; t = dc_token_next(&in))
    if (t.kind == DC_TOKEN_WORD && dc_token_in(t, dc_device_words)) return true;
  return false;
}

/* Whether a member only names a type, also in a template. */
static bool names_type(const dc_piece *p) {
  dc_tokens in = dc_tokens_of(p->begin, (size_t)(p->end - p->begin));
  for (dc_token t = dc_token_next(&in); p->is_class && !p->body && t.kind != DC_TOKEN_END; t = dc_token_next(&in))
    if (dc_token_is(t, "using") || dc_token_is(t, "typedef")) return true;
  return false;
}

/* Whether a member is a function's prototype: "explicit table(const info &i);", not "int (*call)(int);". */
static bool is_prototype(const dc_piece *p) {
  static const char *const behind[] = {"const", "noexcept", "override", "final", NULL};
  static const char *const not_names[] = {"__attribute__", "alignas", "__align__", "decltype", NULL};
  dc_tokens in = dc_tokens_of(p->begin, (size_t)(p->end - p->begin));
  dc_token before = {DC_TOKEN_END, p->begin, 0, 0}, t = dc_token_next(&in);
  for (; t.kind != DC_TOKEN_END && !dc_token_is_char(t, '(') && !dc_token_is_char(t, '='); t = dc_token_next(&in))
    before = t;
  if (p->is_class || !dc_token_is_char(t, '(') || before.kind != DC_TOKEN_WORD || dc_token_in(before, not_names))
    return false;
  dc_token_skip_group(&in);
  t = dc_token_next(&in);
  return dc_token_is_char(t, ';') || dc_token_is_char(t, '=') || dc_token_in(t, behind);
}

/* Of a class that has something for the device, member functions of the host's and names of types only: its data are
** its layout. */
static bool blank_member(char *text, const dc_piece *c, int line) {
  dc_tokens in = {c->body, c->body, c->body_end, c->body_line};
  dc_piece p;
  while (in.p < in.end && dc_piece_next(&in, &p)) {
    if (line < p.first || line > p.last) continue;
    if (p.is_class && p.body) return blank_member(text, &p, line);
    if (p.is_device || (!p.is_function && !names_type(&p) && !is_prototype(&p))) continue;
    dc_text_blank(text, p.begin, p.end);
    return true;
  }
  return false;
}

/* Of a class of the host's, all but names of types, which kernels may use.  False where it has none, or they alone are
** left. */
static bool blank_all_members(char *text, const dc_piece *c) {
  dc_tokens in = {c->body, c->body, c->body_end, c->body_line};
  bool any = false, kept = false;
  for (dc_piece p; in.p < in.end && dc_piece_next(&in, &p);) {
    if (names_type(&p)) kept = true;
    else {
      any = true;
      dc_text_blank(text, p.begin, p.end);
    }
  }
  return any && kept;
}

bool dc_host_code_blank(char *text, size_t len, int line, bool functions) {
  dc_tokens in = dc_tokens_of(text, len);
  dc_piece p;
  while (in.p < in.end && dc_piece_next(&in, &p)) {
    if (p.is_scope || line < p.first || line > p.last || dc_text_holds(p.begin, p.end, "__global__")) continue;
    if (p.is_class && p.body) {
      if (blank_member(text, &p, line)) return true;
      if (functions || p.is_device || holds_device_words(p.body, p.body_end)) continue;
      if (line >= p.body_line && blank_all_members(text, &p)) return true;
    } else if (p.is_device || (functions && !p.is_function)) {
      continue;
    }
    dc_text_blank(text, p.begin, p.end);
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

bool dc_host_code_launches_others(const char *text, size_t len) {
  for (const char *p = text; (p = memmem(p, len - (size_t)(p - text), "<<<", 3)) != NULL; p += 3) {
    const char *end = p, *name;
    while (end > text && isspace((unsigned char)end[-1])) end--;
    for (name = end; name > text && dc_in_name(name[-1]);) name--;
    bool is_kernel = false;
    for (const char *q = text; name < end && !is_kernel && q < name; q++) { /* its definition stands before */
      q = memmem(q, (size_t)(name - q), name, (size_t)(end - name));
      if (!q) break;
      const char *behind = q + (end - name);
      while (behind < p && isspace((unsigned char)*behind)) behind++;
      is_kernel = *behind == '(';
    }
    if (!is_kernel) return true;
  }
  return false;
}

/* Whether the arguments of the template name a type parameter of the text: "scale<T>", inside a host template. */
static bool names_parameter(const char *text, size_t len, const char *begin, const char *end) {
  static const char *const keys[] = {"typename ", "class ", NULL};
  for (const char *p = memchr(begin, '<', (size_t)(end - begin)); p && p < end;) {
    size_t n = 0;
    while (p + n < end && dc_in_name(p[n])) n++;
    for (const char *const *key = keys; n > 0 && *key; key++) {
      const size_t k = strlen(*key);
      for (const char *q = text; (q = memmem(q, len - (size_t)(q - text), *key, k)) != NULL; q += k)
        if ((size_t)(text + len - q) > k + n && memcmp(q + k, p, n) == 0 && strchr(",>=", q[k + n])) return true;
    }
    p += n > 0 ? n : 1;
  }
  return false;
}

const char **dc_host_code_launches(const char *text, size_t len, dc_arena *arena, const char *const *known, int *n) {
  dc_string_list list = {.arena = arena};
  for (int i = 0; i < *n; i++) dc_string_list_add(&list, known[i]);
  for (const char *p = text; (p = memmem(p, len - (size_t)(p - text), "<<<", 3)) != NULL; p += 3) {
    const char *end = p;
    while (end > text && end[-1] == ' ') end--;
    if (end == text || end[-1] != '>') continue;
    const char *begin = instance_begin(text, end);
    if (begin < end && names_parameter(text, len, begin, end)) continue;
    char *name = begin < end ? dc_arena_strndup(arena, begin, (size_t)(end - begin)) : NULL;
    const size_t length = (size_t)(end - begin);
    bool listed = !name;
    for (int i = 0; i < list.n && !listed; i++) /* a known one may say its parameters' types, too */
      listed = strncmp(list.v[i], name, length) == 0 && (list.v[i][length] == '\0' || list.v[i][length] == '(');
    if (!listed) dc_string_list_add(&list, name);
  }
  *n = list.n;
  return list.v;
}

bool dc_host_code_blank_launches(char *text, size_t len) {
  dc_tokens in = dc_tokens_of(text, len);
  bool any = false;
  for (dc_piece p; in.p < in.end && dc_piece_next(&in, &p);) {
    if (!p.is_function || p.is_device || dc_text_holds(p.begin, p.end, "__global__")) continue;
    dc_tokens head = dc_tokens_of(p.begin, (size_t)(p.body - p.begin));
    bool sure = dc_text_holds(p.body, p.body_end, "<<<");
    for (dc_token t = dc_token_next(&head); t.kind != DC_TOKEN_END && !sure; t = dc_token_next(&head))
      sure = dc_token_is(t, "main");
    if (sure) dc_text_blank(text, p.begin, p.end);
    any = any || sure;
  }
  return any;
}

dc_token dc_host_code_name(const dc_piece *p) {
  static const char *const attributes[] = {"__launch_bounds__", "__attribute__", "__cluster_dims__", "__maxnreg__",
                                           "__block_size__", "__declspec", "alignas", NULL};
  dc_tokens in = dc_tokens_of(p->begin, (size_t)(p->end - p->begin));
  dc_token word = {DC_TOKEN_END, p->begin, 0, 0};
  for (dc_token t = dc_token_next(&in); t.kind != DC_TOKEN_END; t = dc_token_next(&in)) {
    if (dc_token_is_char(t, '(') && !dc_token_in(word, attributes)) return word;
    if (dc_token_is_char(t, '(')) dc_token_skip_group(&in);
    if (t.kind == DC_TOKEN_WORD) word = t;
  }
  return word;
}

void dc_host_code_blank_declarations(char *text, size_t len, dc_token name) {
  dc_tokens in = dc_tokens_of(text, len);
  for (dc_piece p; in.p < in.end && dc_piece_next(&in, &p);) {
    if (p.is_function || p.is_class || p.is_scope || !p.is_device) continue;
    dc_token other = dc_host_code_name(&p);
    if (other.n == name.n && memcmp(other.s, name.s, name.n) == 0) dc_text_blank(text, p.begin, p.end);
  }
}

static int lines_to(const char *from, const char *to) {
  int n = 0;
  for (; from < to; from++) n += *from == '\n';
  return n;
}

bool dc_host_code_blank_launchers(char *text, size_t len, void (*found)(void *ud, const dc_piece *p, int line),
                                  void *ud) {
  dc_tokens in = dc_tokens_of(text, len);
  bool any = false;
  for (dc_piece p; in.p < in.end && dc_piece_next(&in, &p);) {
    const char *launch = p.is_function && p.is_device
                             ? memmem(p.body, (size_t)(p.body_end - p.body), "<<<", 3) : NULL;
    if (!launch) continue;
    found(ud, &p, p.body_line + lines_to(p.body, launch));
    dc_host_code_blank_declarations(text, len, dc_host_code_name(&p));
    dc_text_blank(text, p.begin, p.end);
    any = true;
  }
  return any;
}

bool dc_host_code_plain_lambdas(char *text, size_t len) {
  dc_tokens in = dc_tokens_of(text, len);
  bool any = false, behind = false;
  for (dc_token t = dc_token_next(&in); t.kind != DC_TOKEN_END; t = dc_token_next(&in)) {
    if (behind && (dc_token_is(t, "__device__") || dc_token_is(t, "__host__"))) {
      dc_text_blank(text, t.s, t.s + t.n);
      any = true;
      continue;
    }
    behind = dc_token_is_char(t, ']');
  }
  return any;
}

/* Appends a use of the class instance's member functions that launch kernels and stand outside of the class. */
static void use_members(const char *text, size_t len, const char *name, size_t n, const char *end, dc_buf *out) {
  dc_tokens in = dc_tokens_of(text, len);
  for (dc_piece p; in.p < in.end && dc_piece_next(&in, &p);) {
    if (!p.is_function || !dc_text_holds(p.body, p.body_end, "<<<")) continue;
    const char *at = memmem(p.begin, (size_t)(p.body - p.begin), name, n);
    if (!at || at[n] != '<') continue;
    const char *member = memmem(at, (size_t)(p.body - at), "::", 2);
    const size_t length = member ? strcspn(member + 2, "(") : 0;
    if (length == 0 || member + length > p.body) continue;
    const bool call = length == 8 && memcmp(member + 2, "operator", length) == 0;
    dc_buf_printf(out, "\nvoid dc_use_%zu() { auto f = &%.*s::%.*s%s; (void)f; }", out->len, (int)(end - name), name,
                  (int)length, member + 2, call ? "()" : "");
  }
}

void dc_host_code_use_instances(const char *text, size_t len, dc_buf *out) {
  dc_tokens in = dc_tokens_of(text, len);
  for (dc_token t = dc_token_next(&in); t.kind != DC_TOKEN_END; t = dc_token_next(&in)) {
    if (!dc_token_is(t, "template")) continue;
    dc_tokens rest = in;
    const dc_token class = dc_token_next(&rest), name = dc_token_next(&rest);
    if (!dc_token_is(class, "class") && !dc_token_is(class, "struct")) continue;
    const char *end = name.s + strcspn(name.s, ";{");
    if (name.kind == DC_TOKEN_WORD && *end == ';') use_members(text, len, name.s, name.n, end, out);
  }
}
