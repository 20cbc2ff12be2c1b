/*
** fixup.c - see fixup.h.
*/
#include "compile/nvcc_compat/fixup.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/file.h"
#include "base/runtime.h"
#include "compile/nvcc_compat/additions.h"
#include "compile/nvcc_compat/annotations.h"
#include "compile/nvcc_compat/declared.h"
#include "compile/nvcc_compat/gnu_forms.h"
#include "compile/nvcc_compat/host_code.h"
#include "compile/nvcc_compat/macro_heads.h"
#include "compile/nvcc_compat/message.h"
#include "compile/nvcc_compat/missing_headers.h"
#include "compile/nvcc_compat/own_names.h"
#include "compile/nvcc_compat/pieces.h"
#include "compile/nvcc_compat/prototypes.h"
#include "compile/nvcc_compat/statements.h"
#include "compile/nvcc_compat/texture_references.h"
#include "compile/nvcc_compat/unnamed.h"
#include "compile/nvcc_compat/user_headers.h"
#include "compile/types/image.h"
#include "compile/types/included.h"
#include "compile/types/scan.h"
#include "compile/types/source.h"
#include "compile/types/tokens.h"

void dc_fixup_free(dc_fixup *m) {
  dc_map_free(&m->names);
  dc_arena_free(&m->arena);
}

/* --- what is added to the source's options and headers ------------------------------------------------------------ */

static bool add_option(dc_fixup *m, const char *option) { return dc_source_add_option(&m->source, &m->arena, option); }

static bool add_include(dc_fixup *m, const char *header) {
  return dc_source_add_include(&m->source, &m->arena, header);
}

static bool add_header(dc_fixup *m, const char *name, size_t n, const char *content) {
  return dc_source_add_header(&m->source, &m->arena, name, n, content);
}

/* Headers of the host's that are there are empty from now on: those of the table, which the toolkit's own include, and
** what the user's headers include.  True when any of them was there still. */
static bool drop_heavy_headers(dc_fixup *m) {
  bool any = false;
  size_t n = 0;
  for (const char *w = NULL; (w = dc_missing_heavy_next(w, &n)) != NULL;) any = add_header(m, w, n, "") || any;
  for (const dc_included *i = m->included; i; i = i->next)
    if (!i->path && dc_missing_heavy_header(i->name, strlen(i->name)))
      any = add_header(m, i->name, strlen(i->name), "") || any;
  return any;
}

/* --- what an error teaches -------------------------------------------------------------------------------------- */

/* Whether the source includes the header from now on: by this error, or by another of the same log. */
static bool brings_header(dc_fixup *m, const char *header) {
  if (add_include(m, header)) return true;
  for (int i = m->noptions_before; i < m->source.noptions; i++) {
    const char *name = strchr(m->source.options[i], '=');
    if (name && strcmp(name + 1, header) == 0) return true;
  }
  return false;
}

static bool include_by(dc_fixup *m, const char *kind, const char *space, const char *name, size_t n) {
  char whole[24];
  snprintf(whole, sizeof whole, "%s%s", kind, space);
  const char *header = n ? dc_missing_header(whole, name, n) : NULL;
  return header && brings_header(m, header);
}

/* "host std" is the namespace std of what kernels do not use; "types std" has its classes by their sizes alone. */
static bool include_for(dc_fixup *m, const char *space, const char *name, size_t n) {
  if (m->keeps_host && include_by(m, "host ", space, name, n)) return true;
  if (include_by(m, "", space, name, n)) return true;
  return m->has_host_code && !m->keeps_host && include_by(m, "types ", space, name, n);
}

/* What the source has itself is undefined where an error hides it: a declaration would take its place. */
static bool declare_for(dc_fixup *m, const dc_message *e, const char *space, const char *name, size_t n) {
  if (dc_map_get(&m->names, name, n)) return false;
  if (m->brings_namespace && !*space) return true; /* the name may be in it */
  const char *header = m->keeps_host ? dc_declare(&m->source, &m->arena, e, space, name, n) : NULL;
  return header && brings_header(m, header);
}

static bool bring_namespace(dc_fixup *m, const char *name, size_t n) {
  const bool brought = n > 0 && include_by(m, "", "", name, n);
  m->brings_namespace = m->brings_namespace || brought;
  return brought;
}

/* A namespace may be known in part, from what host.h or another declaration has of it, without its header. */
static bool declare_qualified(dc_fixup *m, const dc_message *e) {
  size_t n;
  const char *space = m->keeps_host ? dc_message_first_namespace(e, &n) : NULL;
  if (space && bring_namespace(m, space, n)) return true;
  const char *header = m->keeps_host ? dc_declare_qualified(&m->source, &m->arena, e, &m->spaces) : NULL;
  return header && brings_header(m, header);
}

/* Of the source, or of the header that the error is in: its text, and the line; NULL for another's header. */
static char *text_of(dc_fixup *m, const dc_message *e, size_t *len, int *line) {
  dc_fixup_header *h = e->nfile ? dc_fixup_header_of(m, e) : NULL;
  if (!h && !e->line) return NULL;
  *len = h ? h->len : m->source.len;
  *line = h ? e->header_line : e->line;
  return h ? h->text : m->text;
}

/* Where the error's caret is in its line. */
static size_t column_of(const dc_message *e) {
  size_t column = 0;
  const char *shown = dc_message_shown(e, &column);
  return shown && column >= 2 ? column - 2 : 0; /* lines are shown with two blanks in front */
}

static bool is_hosts_function(const dc_fixup *m, const char *name, size_t n) {
  for (int i = 0; i < m->hosts.n; i++)
    if (strlen(m->hosts.v[i]) == n && memcmp(m->hosts.v[i], name, n) == 0) return true;
  return false;
}

/* A function of the device calls one of the runtime's: kernels have some of them.  One for the host and the device
** calls a function of the host's: the device stops there, where nvcc leaves open what happens. */
static bool learn_in_device(dc_fixup *m, const dc_message *e, const char *space, const char *name, size_t n) {
  size_t len;
  int line;
  dc_piece p;
  char *text = m->keeps_host || !m->has_host_code ? NULL : text_of(m, e, &len, &line);
  if (!text || !dc_piece_function_at(dc_tokens_of(text, len), line, &p) || !p.is_device) return false;
  if (include_by(m, "device ", space, name, n) || (*space && include_by(m, "", space, name, n))) return true;
  if (!is_hosts_function(m, name, n) || !dc_text_holds(p.begin, p.body, "__host__")) return false;
  return dc_statement_trap(text, len, &p, line, column_of(e));
}

/* Thrust's vectors are the host's: types of members and of aliases in headers.  Functions that have them go. */
static bool bring_thrust_type(dc_fixup *m, const dc_message *e, const char *name, size_t n) {
  size_t len;
  int line;
  dc_piece p;
  char *text = m->keeps_host || !m->has_host_code ? NULL : text_of(m, e, &len, &line);
  return text && !dc_piece_function_at(dc_tokens_of(text, len), line, &p) && include_by(m, "types ", "thrust", name, n);
}

static bool bring(dc_fixup *m, const dc_message *e, const char *space, const char *name, size_t n) {
  if (m->keeps_host && n == 3 && memcmp(name, "cub", n) == 0) return false; /* its include was taken out */
  return include_for(m, space, name, n) || declare_for(m, e, space, name, n);
}

/* Vectors' operators and functions, which CUDA's samples bring in a header of their own. */
static bool about_vectors(const dc_message *e) {
  static const char *const types[] = {"float2", "float3", "float4", "int2", "int3", "int4", "uint2", "uint3", "uint4"};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (dc_message_says(e, types[i])) return true;
  return false;
}

/* References to textures, in the source or the header that has them. */
static bool mark_references(dc_fixup *m, const dc_message *e) {
  dc_buf b = DC_BUF_INIT;
  dc_fixup_header *h = e->nfile ? dc_fixup_header_of(m, e) : NULL;
  const char *text = h ? h->text : m->text;
  const bool any = (h || e->line) && dc_texture_references(text, h ? h->len : m->source.len, &b);
  char *marked = any ? dc_arena_strndup(&m->arena, dc_buf_str(&b), b.len) : NULL;
  if (marked) dc_fixup_replace_text(m, h, marked, b.len);
  dc_buf_free(&b);
  return add_include(m, "dotcompute/texture_references.h") || marked;
}

/* Of "thrust::tuple<…> f()" that the error points at: the namespace, if it is one of those with a table, and the name
** behind it. */
static const char *qualified_name(const dc_message *e, const char **space, size_t *n) {
  static const char *const spaces[] = {"std", "thrust", "cub"};
  const char *at = dc_message_pointed_at(e, n), *found = NULL;
  for (size_t i = 0; *n > 0 && i < sizeof spaces / sizeof *spaces; i++)
    if (strlen(spaces[i]) == *n && memcmp(spaces[i], at, *n) == 0) found = spaces[i];
  if (!found || strncmp(at + *n, "::", 2) != 0) return NULL;
  const char *name = at + *n + 2;
  *space = found;
  for (*n = 0; dc_in_name(name[*n]);) ++*n;
  return name;
}

/* The namespace is not known, or it is and the name is not. */
static bool bring_qualified(dc_fixup *m, const dc_message *e) {
  const char *space;
  size_t n;
  const char *name = qualified_name(e, &space, &n);
  return (name && (learn_in_device(m, e, space, name, n) || bring(m, e, space, name, n))) || declare_qualified(m, e);
}

/* Of "cuda::std::__4::basic_string<char, …>", which libcu++ only declares, the name; also where << finds no stream. */
static bool bring_incomplete(dc_fixup *m, const dc_message *e) {
  size_t n;
  const char *type = dc_message_quoted(e, "incomplete type \"", &n);
  if (!n && dc_message_says(e, "no operator \"<<\"") && dc_message_says(e, "std::ostream"))
    return include_for(m, "std", "ostream", 7);
  if (n < 11 || memcmp(type, "cuda::std::", 11) != 0) return false;
  for (size_t i = 0; i + 2 < n && type[i] != '<'; i++)
    if (memcmp(type + i, "::", 2) == 0) type += i + 2, n -= i + 2, i = 0;
  return include_for(m, "std", type, strcspn(type, "<\" ") < n ? strcspn(type, "<\" ") : n);
}

static bool learn_names(dc_fixup *m, const dc_message *e) {
  size_t n;
  if (dc_message_says(e, "texture is not a template") || dc_message_says(e, "surface is not a template"))
    return mark_references(m, e);
  const char *name = dc_message_quoted(e, "identifier \"", &n);
  if (n && dc_message_says(e, "is undefined")) return learn_in_device(m, e, "", name, n) || bring(m, e, "", name, n);
  if (m->keeps_host && dc_declared_withdraw(&m->source, &m->arena, e)) return true;
  if (m->keeps_host && dc_declare_member(&m->source, &m->arena, e)) return true;
  const char *header = m->keeps_host ? dc_declare_template(&m->source, &m->arena, e) : NULL;
  if (header && m->brings_namespace) return true;
  if (header) return brings_header(m, header);
  if (dc_message_says(e, "name must be a namespace name")) {
    name = dc_message_pointed_at(e, &n);
    return bring_namespace(m, name, n);
  }
  name = dc_message_quoted(e, "namespace \"std\" has no member \"", &n);
  if (!n) name = dc_message_quoted(e, "namespace \"std\" has no member class \"", &n);
  if (n) return bring(m, e, "std", name, n);
  name = dc_message_quoted(e, "namespace \"thrust\" has no member \"", &n);
  if (!n) name = dc_message_quoted(e, "namespace \"thrust\" has no member class \"", &n);
  if (n)
    return learn_in_device(m, e, "thrust", name, n) || bring(m, e, "thrust", name, n) ||
           bring_thrust_type(m, e, name, n);
  name = dc_message_quoted(e, "namespace \"cub\" has no member \"", &n);
  if (n) return include_for(m, "cub", name, n);
  name = dc_message_quoted(e, "namespace \"c10\" has no member \"", &n);
  if (n && include_by(m, "", "c10", name, n)) return true;
  if (dc_message_says(e, "must be a class or namespace name")) {
    name = dc_message_pointed_at(e, &n);
    if (m->has_host_code && !m->keeps_host && n == 6 && memcmp(name, "thrust", n) == 0) {
      const char *space;
      name = qualified_name(e, &space, &n); /* the host's, most often */
      return name && (learn_in_device(m, e, space, name, n) || bring_thrust_type(m, e, name, n));
    }
    return bring_namespace(m, name, n) || bring(m, e, "", name, n) || declare_qualified(m, e);
  }
  if (dc_message_says(e, "namespace \"") && dc_message_says(e, "\" has no member ")) return declare_qualified(m, e);
  if (dc_message_says(e, "qualified name is not allowed")) return bring_qualified(m, e);
  name = dc_message_quoted(e, "has no member \"", &n);
  if (n && learn_in_device(m, e, "", name, n)) return true;
  if (bring_incomplete(m, e)) return true;
  if (dc_message_says(e, "more than one instance of overloaded function"))
    return add_include(m, "dotcompute/mixed_math.h");
  if (dc_message_says(e, "no operator \"") && dc_message_says(e, "these operands") && about_vectors(e))
    return add_include(m, "dotcompute/vector_math.h");
  return false;
}

/* The name behind the folders of a path. */
static const char *last_name(const char *path, size_t n) {
  const char *name = path;
  while (memchr(name, '/', n - (size_t)(name - path))) name++;
  return name;
}

static bool is_hosts(const char *path, size_t n) {
  const char *name = last_name(path, n); /* "../common/helper_cuda.h" too */
  return dc_missing_host_header(path, n) || dc_missing_host_header(name, n - (size_t)(name - path));
}

/* What stands for a header that is not there. */
static const char *stand_in(const char *path, size_t n) {
  const char *name = last_name(path, n);
  const size_t last = n - (size_t)(name - path);
  const bool math = (last == 13 && memcmp(name, "helper_math.h", last) == 0) ||
                    (last == 12 && memcmp(name, "cutil_math.h", last) == 0);
  return math ? "#include <dotcompute/vector_math.h>\n" : "";
}

static bool learn_files(dc_fixup *m, const dc_message *e) {
  size_t n;
  const char *path = dc_message_quoted(e, "cannot open source file \"", &n);
  if (!n) return false;
  if (dc_fixup_give_neighbour(m, path, n)) return true;
  const char *text = stand_in(path, n);
  if (!*text && !is_hosts(path, n)) {
    if (!m->has_host_code && !m->source.is_file) return false;
    m->lacks_header = true; /* it may be the host's, too */
    m->has_host_code = true;
    if (!m->lacking) m->lacking = dc_arena_strndup(&m->arena, path, n);
    dc_log(DC_LOG_COMPILE, "'%.*s' is not there, and taken for empty", (int)n, path);
  }
  return add_header(m, path, n, text) || !m->mended; /* the first run is of the source as it is */
}

void dc_fixup_lacks(dc_fixup *m, const char *header, bool any) {
  const size_t n = strlen(header);
  if (any || is_hosts(header, n)) add_header(m, header, n, stand_in(header, n));
}

/* Notes the templates of kernels that the text has, by their names without namespaces. */
static void find_kernels(dc_fixup *m, const char *text, size_t len) {
  bool failed = false;
  m->kernels.arena = &m->arena;
  if (!m->keeps_host || !memmem(text, len, "__global__", 10)) return;
  for (const dc_scanned *k = dc_scan(text, len, &m->arena, &failed); k; k = k->next) {
    const char *colon = strrchr(k->name, ':');
    if (k->is_template && !k->is_variable) dc_string_list_add(&m->kernels, colon ? colon + 1 : k->name);
  }
}

/* What the macros of a text stand for, and which names and kernels it has. */
static void read_text(dc_fixup *m, const char *text, size_t len) {
  dc_annotations_find(text, len, &m->arena, &m->annotations);
  find_kernels(m, text, len);
  dc_own_namespaces(text, len, &m->spaces);
  if (m->keeps_host) dc_own_names(text, len, &m->names);
}

/* Of the source and of the user's headers. */
static void read_texts(dc_fixup *m) {
  m->spaces.arena = &m->arena;
  read_text(m, m->text, m->source.len);
  for (const dc_included *i = m->included; i; i = i->next) {
    size_t len = 0;
    char *text = dc_included_read(i, &len);
    if (text) read_text(m, text, len);
    free(text);
  }
  m->source.text = m->text = dc_fixup_with_annotations(m, m->text, &m->source.len);
}

bool dc_fixup_hosts_among(const dc_included *list) {
  for (; list; list = list->next)
    if (!list->path && (is_hosts(list->name, strlen(list->name)) ||
                        dc_missing_heavy_header(list->name, strlen(list->name)))) return true;
  return false;
}

/* Instances that host code launches may be of types that no kernel names: "k<c10::Half>". */
static void include_for_instances(dc_fixup *m) {
  for (int i = 0; i < m->source.nlaunched; i++) {
    dc_tokens in = dc_tokens_of(m->source.launched[i], strlen(m->source.launched[i]));
    for (dc_token t = dc_token_next(&in); t.kind != DC_TOKEN_END; t = dc_token_next(&in)) {
      bool known = t.kind != DC_TOKEN_WORD || strncmp(t.s + t.n, "::", 2) != 0;
      for (int k = 0; k < m->spaces.n && !known; k++) known = dc_token_is(t, m->spaces.v[k]);
      if (!known) include_by(m, "", "", t.s, t.n);
    }
  }
}

void dc_fixup_includes(dc_fixup *m, dc_included *list) {
  m->included = list;
  m->has_host_code = m->has_host_code || dc_fixup_hosts_among(list);
  if (!m->has_host_code) return;
  drop_heavy_headers(m);
  read_texts(m);
  if (!m->keeps_host) include_for_instances(m);
}

/* Whether the error is in a header that is given as text since this log, and so is about what it was before. */
static bool is_stale(dc_fixup *m, const dc_message *e) {
  const dc_fixup_header *h = e->nfile ? dc_fixup_header_of(m, e) : NULL;
  for (const dc_fixup_header *fresh = m->headers; fresh != m->headers_before; fresh = fresh->next)
    if (fresh == h) return true;
  return false;
}

/* What is taken out around an error: a statement; a function of the host's, but no constexpr one, which kernels may
** call; any function of the host's; that, or a variable or class of its. */
typedef enum extent { STATEMENT, PLAIN_FUNCTION, FUNCTION, DECLARATION } extent;

/* Whether what an error points at was taken out with another error's. */
static bool is_gone(const char *text, size_t len, int line, size_t column) {
  const char *at = column > 0 ? dc_text_place(text, len, line, column) : NULL;
  return at && *at == ' ';
}

static bool blank_line(dc_fixup *m, const dc_message *e, char *text, size_t len, int line, extent what) {
  const size_t column = column_of(e);
  if (what == STATEMENT) return dc_statement_drop(text, len, line, column, &m->kernels);
  if (is_gone(text, len, line, column)) return false;
  dc_piece p;
  const bool is_function = dc_piece_function_at(dc_tokens_of(text, len), line, &p) && !p.is_device;
  if (what == PLAIN_FUNCTION && (!is_function || dc_text_holds(p.begin, p.body, "constexpr"))) return false;
  const dc_token name = is_function ? dc_host_code_name(&p) : (dc_token){.n = 0};
  const char *kept = name.n ? dc_arena_strndup(&m->arena, name.s, name.n) : NULL;
  if (!dc_host_code_blank(text, len, line, what != DECLARATION)) return false;
  m->hosts.arena = &m->arena;
  if (kept) dc_string_list_add(&m->hosts, kept);
  return true;
}

/* The header of the toolkit or the system in which the error is, if the text or a header of the user's includes it and
** so may do without it: the host's, most often. */
static bool drop_failing_header(dc_fixup *m, const dc_message *e) {
  for (const dc_included *i = m->has_host_code ? m->included : NULL; i; i = i->next) {
    const size_t len = strlen(i->name);
    if (i->path || len >= e->nfile || memcmp(e->text + e->nfile - len, i->name, len) != 0 ||
        e->text[e->nfile - len - 1] != '/') continue;
    m->lacks_header = true;
    if (add_header(m, i->name, len, "")) return true;
  }
  return false;
}

/* A header's byte order mark, which the compiler does not take. */
static bool drop_mark(dc_fixup *m, const dc_message *e) {
  static const char mark[] = "\xef\xbb\xbf";
  const bool may_be = dc_message_says(e, "unrecognized token") && e->header_line == 1;
  dc_fixup_header *h = may_be ? dc_fixup_header_of(m, e) : NULL;
  if (!h || strncmp(h->text, mark, sizeof mark - 1) != 0) return false;
  memset(h->text, ' ', sizeof mark - 1);
  return true;
}

static bool blank_at(dc_fixup *m, const dc_message *e, extent what) {
  size_t len;
  int line;
  dc_message user;
  char *text = text_of(m, e, &len, &line);
  if (!text && dc_message_instantiated(e, &user)) { /* a function of the host's, by its use of another's template */
    e = &user;
    text = text_of(m, e, &len, &line);
    if (what == DECLARATION) what = FUNCTION;
  }
  const bool blanked = text && blank_line(m, e, text, len, line, what);
  m->blanked = m->blanked || blanked;
  return blanked;
}

/* Rewrites expressions of GNU C in the header's text, or the source's where h is NULL; false where there are none. */
static bool rewrite_gnu_forms_of(dc_fixup *m, dc_fixup_header *h) {
  dc_buf b = DC_BUF_INIT;
  const bool any = dc_gnu_forms(h ? h->text : m->text, h ? h->len : m->source.len, &b);
  char *rewritten = any ? dc_arena_strndup(&m->arena, dc_buf_str(&b), b.len) : NULL;
  if (rewritten) dc_fixup_replace_text(m, h, rewritten, b.len);
  dc_buf_free(&b);
  return rewritten;
}

/* Rewrites expressions of GNU C, once: in the source, and in headers, of which macros may have them. */
static bool rewrite_gnu_forms(dc_fixup *m) {
  if (m->gnu_forms) return false;
  m->gnu_forms = true;
  bool any = rewrite_gnu_forms_of(m, NULL);
  for (const dc_included *i = m->included; i; i = i->next) {
    dc_fixup_header *h = i->path ? dc_fixup_header_at(m, i->path) : NULL;
    any = (h && rewrite_gnu_forms_of(m, h)) || any;
  }
  return any && add_include(m, "dotcompute/gnu.h");
}

/* Whether the name of n bytes stands behind one of the words, in the source or one of the user's headers. */
static bool stands_behind(const dc_fixup *m, const char *const *words, const char *name, size_t n) {
  bool any = dc_text_names(m->text, words, name, n);
  for (const dc_included *i = m->included; i && !any; i = i->next) {
    size_t len = 0;
    char *text = dc_included_read(i, &len);
    any = text && dc_text_names(text, words, name, n);
    free(text);
  }
  return any;
}

static bool is_class(void *m, const char *name, size_t n) {
  static const char *const words[] = {"class", "struct", NULL};
  return stands_behind(m, words, name, n);
}

static bool is_macro(void *m, const char *name, size_t n) {
  static const char *const words[] = {"define", NULL};
  return stands_behind(m, words, name, n);
}

/* Whether the error's line begins with "NAME(". */
static bool begins_with_call(const dc_message *e) {
  size_t column;
  const char *p = dc_message_shown(e, &column);
  if (!p) return false;
  p += strspn(p, " \t");
  if (!isalpha((unsigned char)*p)) return false;
  while (dc_in_name(*p)) p++;
  return *p == '(' || strncmp(p, " (", 2) == 0;
}

/* Functions of the host's of which an unknown macro makes the head get another, all that it makes. */
static bool rewrite_heads(dc_fixup *m, const dc_message *e) {
  size_t len;
  int line;
  char *text = m->keeps_host && begins_with_call(e) ? text_of(m, e, &len, &line) : NULL;
  const dc_known_names known = {is_class, is_macro, m};
  dc_buf b = DC_BUF_INIT;
  const bool any = text && dc_macro_heads(text, len, line, &known, &b);
  char *rewritten = any ? dc_arena_strndup(&m->arena, dc_buf_str(&b), b.len) : NULL;
  if (rewritten) dc_fixup_replace_text(m, e->nfile ? dc_fixup_header_of(m, e) : NULL, rewritten, b.len);
  dc_buf_free(&b);
  return rewritten;
}

/* Takes the word out of the line that the error is in. */
static bool drop_word(dc_fixup *m, const dc_message *e, const char *word) {
  size_t len;
  int line;
  char *text = text_of(m, e, &len, &line);
  const char *begin = text ? dc_text_place(text, len, line, 0) : NULL;
  const char *at = begin ? dc_word_find(begin, word, strlen(word)) : NULL;
  if (!at || memchr(begin, '\n', (size_t)(at - begin))) return false;
  dc_text_blank(text, at, at + strlen(word));
  return true;
}

/* Designated initializers are C++20's, and nvcc's in any standard. */
static bool allow_designators(dc_fixup *m, const dc_message *e) {
  size_t column = 0;
  const char *shown = dc_message_shown(e, &column);
  if (!shown || shown[column] != '.') return false;
  for (int i = 0; i < m->source.noptions; i++)
    if (strstr(m->source.options[i], "-std")) return false;
  return add_option(m, "--std=c++20");
}

static bool drop_lambda_annotations(dc_fixup *m, const dc_message *e) {
  size_t len;
  int line;
  char *text = text_of(m, e, &len, &line);
  return text && dc_host_code_plain_lambdas(text, len);
}

/* A function says neither __device__ nor __host__, which is an error unless the first is the default. */
static bool is_unmarked(const dc_message *e) { return dc_message_says(e, "is considered a host "); }

static bool learn_dialect(dc_fixup *m, const dc_message *e) {
  if (dc_message_says(e, "expected an expression") && (rewrite_gnu_forms(m) || allow_designators(m, e)))
    return true;
  if (m->launches && dc_message_says(e, "device-side kernel launch could not be processed"))
    return add_include(m, "dotcompute/device_launch.h");
  if (drop_mark(m, e)) return true;
  if (m->keeps_host && dc_message_says(e, "\"override\" does not override") && add_option(m, "-Doverride="))
    return true; /* of a class that is not there */
  if (dc_message_says(e, "dynamic initialization is not supported for a function-scope static"))
    return m->keeps_host && drop_word(m, e, "static");
  if (m->keeps_host && dc_message_says(e, "does not support exception handling") && add_option(m, "-Dthrow=(void)"))
    return true; /* also in macros, of which other parts launch kernels */
  if (dc_message_says(e, "\"register\" storage class")) return add_option(m, "-Dregister=");
  if (dc_message_says(e, "annotation on lambda requires")) return drop_lambda_annotations(m, e);
  if (dc_message_says(e, "explicitly marked as a __host__ function"))
    return (m->keeps_host && is_stale(m, e)) || blank_at(m, e, m->keeps_host ? STATEMENT : DECLARATION);
  if (m->default_device || !is_unmarked(e)) return false;
  return m->default_device = true;
}

/* The compiler stops at the hundredth error otherwise, and the errors of a header take the place of others. */
#define MOST_ERRORS "-Xcudafe=--error_limit=2000"

bool dc_fixup_fewer_errors(dc_fixup *m) {
  const char **v = dc_arena_alloc(&m->arena, sizeof *v * (size_t)m->source.noptions);
  int n = 0;
  for (int i = 0; v && i < m->source.noptions; i++)
    if (strcmp(m->source.options[i], MOST_ERRORS) != 0) v[n++] = m->source.options[i];
  if (!v || n == m->source.noptions) return false;
  m->source.options = v;
  m->source.noptions = n;
  return true;
}

bool dc_fixup_init(dc_fixup *m, const dc_source *src, bool keeps_host) {
  *m = (dc_fixup){.source = *src, .keeps_host = keeps_host, .default_device = keeps_host, .arena = DC_ARENA_INIT};
  dc_buf b = DC_BUF_INIT;
  if (!keeps_host || !dc_unnamed_name(src->text, src->len, &b)) dc_buf_add(&b, src->text, src->len);
  if (keeps_host) dc_host_code_use_instances(src->text, src->len, &b);
  m->text = dc_arena_strndup(&m->arena, dc_buf_str(&b), b.len);
  m->source.text = m->text;
  m->source.len = b.len;
  dc_buf_free(&b);
  if (!m->text) return false;
  if (!add_option(m, MOST_ERRORS)) return false;
  m->has_host_code = keeps_host || dc_host_code_in(src->text, src->len);
  if (!m->has_host_code) return true;
  if (keeps_host) {
    dc_statement_prepare(m->text, m->source.len);
    static const char groups[] = "cooperative_groups.h";
    add_header(m, groups, sizeof groups - 1, "#include <dotcompute/host_groups.h>\n");
    return add_include(m, "dotcompute/host.h");
  }
  m->source.launched = dc_host_code_launches(src->text, src->len, &m->arena, src->launched, &m->source.nlaunched);
  m->mended = m->blanked = dc_host_code_blank_launches(m->text, src->len);
  return true;
}

void dc_fixup_drop_prototypes(dc_fixup *m) {
  for (const dc_included *i = m->source.nlaunched > 0 ? m->included : NULL; i; i = i->next) {
    size_t len = 0;
    char *text = dc_included_read(i, &len);
    const bool stale = text && dc_prototypes_stale(text, len, m->text, m->source.len, false);
    dc_fixup_header *h = stale ? dc_fixup_header_at(m, i->path) : NULL;
    if (h) dc_prototypes_stale(h->text, h->len, m->text, m->source.len, true);
    free(text);
  }
}

/* The compiler has lost its place: errors behind this one may be its consequences. */
static bool is_syntactic(const dc_message *e) {
  return strncmp(e->sentence, "expected ", 9) == 0 || strncmp(e->sentence, "explicit type is missing", 24) == 0;
}

/* Errors of one file behind one that is syntactic may be its consequences; and those of all files behind one that shows
** that the compiler took the end of a function's body for that of a namespace. */
typedef struct file_lost {
  const char *name;
  size_t n;
  bool everywhere;
} file_lost;

static bool is_lost(const file_lost *f, const dc_message *e) {
  return f->everywhere || (f->name && f->n == e->nfile && memcmp(f->name, e->text, f->n) == 0);
}

static void note_lost(file_lost *f, const dc_message *e) {
  if (is_syntactic(e))
    *f = (file_lost){e->text, e->nfile, f->everywhere || strncmp(e->sentence, "expected a declaration", 22) == 0};
}

static bool has_gone(dc_fixup *m, const dc_message *e) {
  size_t len;
  int line;
  const char *text = text_of(m, e, &len, &line);
  return text && is_gone(text, len, line, column_of(e));
}

/* Takes out what the errors point at, in each file up to the first at which the compiler lost its place.  Where
** functions went already, only what is wrong for itself, not for one that uses it. */
static bool blank_all(dc_fixup *m, const char *log, extent what, bool already) {
  bool any = already;
  file_lost f = {NULL, 0, false};
  for (const char *p = log; *p;) {
    dc_message e = dc_message_read(p);
    if (e.sentence) {
      const bool gone = any && what == STATEMENT && has_gone(m, &e);
      const bool consequence = gone || (any && (is_lost(&f, &e) || dc_message_says(&e, "<error-type>"))) ||
                               (already && dc_message_says(&e, "detected during"));
      if (!consequence)
        any = blank_at(m, &e, what) || any;
      if (!gone) note_lost(&f, &e);
    }
    p = dc_message_next(&e);
  }
  return any;
}

static bool names_kernel(const dc_fixup *m, const dc_piece *p) {
  for (int i = 0; i < m->kernels.n; i++) {
    const char *at = dc_word_find(p->body, m->kernels.v[i], strlen(m->kernels.v[i]));
    if (at && at < p->body_end) return true;
  }
  return false;
}

/* Where host code is kept, what goes of a function of a header that contains an error: all of one that launches and
** names no kernel, but a statement of a template, which may call others that do.  False where the error is elsewhere,
** or where what launches may still be learned. */
static bool blank_in_header(dc_fixup *m, const dc_message *e) {
  size_t len;
  int line;
  dc_piece p;
  char *text = e->nfile ? text_of(m, e, &len, &line) : NULL;
  if (!text || !dc_piece_function_at(dc_tokens_of(text, len), line, &p)) return false;
  if (dc_text_holds(p.body, p.body_end, "<<<") || dc_text_holds(p.body, p.body_end, "cudaLaunch")) return false;
  const bool may_call = dc_text_holds(p.begin, p.body, "template") || dc_message_says(e, "detected during");
  return blank_at(m, e, may_call || names_kernel(m, &p) ? STATEMENT : FUNCTION);
}

bool dc_fixup_learn(dc_fixup *m, const char *log) {
  bool any = false, taught = false;
  m->noptions_before = m->source.noptions;
  m->brings_namespace = false;
  m->headers_before = m->headers;
  /* Functions of the host in which there are errors go at once, while other things are learned: a run less. */
  const bool early = m->has_host_code && !m->keeps_host;
  file_lost f = {NULL, 0, false};
  for (const char *p = log; *p;) {
    dc_message e = dc_message_read(p);
    if (e.sentence) {
      const bool learned = rewrite_heads(m, &e) || learn_names(m, &e) || learn_files(m, &e) || learn_dialect(m, &e);
      any = learned || any;
      taught = learned || taught;
      note_lost(&f, &e);
      if (!learned && early && !is_unmarked(&e))
        any = blank_at(m, &e, is_lost(&f, &e) ? PLAIN_FUNCTION : FUNCTION) || any;
      if (!learned && m->keeps_host && !is_lost(&f, &e)) any = blank_in_header(m, &e) || any;
    }
    if (e.sentence && !e.line) {
      const bool dropped = drop_heavy_headers(m);
      any = dropped || (!any && e.nfile && !dc_fixup_header_of(m, &e) && drop_failing_header(m, &e)) || any;
    }
    p = dc_message_next(&e);
  }
  if (!any && m->keeps_host) any = blank_all(m, log, STATEMENT, false);
  if (!taught && (early || !any)) any = blank_all(m, log, DECLARATION, any);
  m->mended = m->mended || any;
  return any;
}
