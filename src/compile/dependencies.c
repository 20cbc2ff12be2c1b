/*
** dependencies.c - see dependencies.h.  Comments, literals and directives are read as by a
** preprocessor; macros and conditions are ignored.
*/
#include "compile/dependencies.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/path.h"
#include "compile/types/source.h"

#define MAX_DEPTH 64 /* of files that include files; the content of deeper ones is not part of the key */

/* --- finding the names in a text ---------------------------------------------------------------- */

typedef struct text {
  const char *p;
  bool line_start;   /* nothing but blanks and comments since the line began */
  const char *asked; /* inside an #if line: where to look for the next __has_include */
} text;

typedef struct found {
  const char *name; /* NULL: made by a macro */
  size_t len;
  bool quoted;
  bool asked; /* by __has_include */
} found;

static const char *skip_comment(const char *p) { /* on the second character of a comment's start */
  if (*p == '*') {
    const char *end = strstr(p + 1, "*/");
    return end ? end + 2 : p + strlen(p);
  }
  while (*p && *p != '\n') p += p[0] == '\\' && p[1] ? 2 : 1;
  return p;
}

static const char *skip_literal(const char *p) { /* on the quote */
  char quote = *p++;
  while (*p && *p != quote && *p != '\n') p += p[0] == '\\' && p[1] ? 2 : 1;
  return *p == quote ? p + 1 : p;
}

/* On the quote of R"delimiter(…)delimiter". */
static const char *skip_raw(const char *p) {
  const char *open = p + 1, *paren = open + strcspn(open, "(\n");
  size_t n = (size_t)(paren - open);
  if (*paren != '(' || n > 16) return skip_literal(p);
  for (p = paren + 1; (p = strchr(p, ')')) != NULL; p++)
    if (strncmp(p + 1, open, n) == 0 && p[n + 1] == '"') return p + n + 2;
  return paren + strlen(paren);
}

/* Blanks, continued lines and comments between the words of a directive. */
static const char *skip_blanks(const char *p) {
  for (;;) {
    if (*p == ' ' || *p == '\t') p++;
    else if (p[0] == '\\' && (p[1] == '\n' || (p[1] == '\r' && p[2] == '\n'))) p += p[1] == '\n' ? 2 : 3;
    else if (p[0] == '/' && p[1] == '*') p = skip_comment(p + 1);
    else return p;
  }
}

/* "name" or <name> at p: true and the place behind it in *after. */
static bool read_name(const char *p, found *f, const char **after) {
  char close = *p == '"' ? '"' : *p == '<' ? '>' : '\0';
  if (!close) return false;
  const char *end = p + 1;
  while (*end && *end != close && *end != '\n') end++;
  if (*end != close) return false;
  *f = (found){ p + 1, (size_t)(end - p - 1), close == '"', false };
  *after = end + 1;
  return true;
}

static bool word_is(const char *p, size_t n, const char *word) { return strlen(word) == n && memcmp(p, word, n) == 0; }

/* __has_include(<name>) in an #if line: whether the header is there matters, hence the header does. */
static bool next_asked(text *t, found *f) {
  static const char has[] = "__has_include";
  const char *eol = t->asked + strcspn(t->asked, "\n");
  while (t->asked) {
    const char *p = strstr(t->asked, has);
    if (!p || p >= eol) break;
    p = skip_blanks(p + sizeof has - 1);
    t->asked = p;
    if (*p == '(' && read_name(skip_blanks(p + 1), f, &t->asked)) return f->asked = true;
  }
  t->asked = NULL;
  return false;
}

/* Behind a '#': true when the directive names a header, or names it by a macro. */
static bool directive(text *t, found *f) {
  const char *word = skip_blanks(t->p), *p = word;
  while (isalpha((unsigned char)*p) || *p == '_') p++;
  size_t n = (size_t)(p - word);
  t->p = p;
  if (word_is(word, n, "if") || word_is(word, n, "elif")) {
    t->asked = p;
    return next_asked(t, f);
  }
  if (!word_is(word, n, "include") && !word_is(word, n, "include_next") && !word_is(word, n, "import")) return false;
  p = skip_blanks(p);
  if (read_name(p, f, &t->p)) return true;
  *f = (found){ NULL, 0, false, false };
  return isalpha((unsigned char)*p) || *p == '_';
}

static bool next_include(text *t, found *f) {
  if (t->asked && next_asked(t, f)) return true;
  for (const char *start = t->p; *t->p;) {
    char c = *t->p;
    if (c == '\n') t->line_start = true, t->p++;
    else if (isspace((unsigned char)c)) t->p++;
    else if (c == '/' && (t->p[1] == '*' || t->p[1] == '/')) t->p = skip_comment(t->p + 1);
    else if (c == '\\' && t->p[1] == '\n') t->p += 2;
    else if (c == '#' && t->line_start) {
      t->line_start = false;
      t->p++;
      if (directive(t, f)) return true;
    } else {
      t->line_start = false;
      if (c == '"' && t->p > start && t->p[-1] == 'R') t->p = skip_raw(t->p);
      else if (c == '"' || c == '\'') t->p = skip_literal(t->p);
      else t->p++;
    }
  }
  return false;
}

/* --- following them ------------------------------------------------------------------------------- */

typedef struct walk {
  const dc_source *src;
  dc_sha256 *hash; /* NULL: they are not hashed */
  dc_map seen;     /* headers already visited, by path or in-memory name; values only mark */
  dc_arena *arena; /* of the list of what is included; NULL: there is none */
  dc_included *list;
  int depth;
  bool complete;
} walk;

static int visit(walk *w, const char *content, const char *folder, dc_error *err);

/* Hashes a file's content and what it includes. */
static int visit_content(walk *w, char *path, const char *name, dc_error *err) {
  char *data = NULL;
  size_t len;
  dc_error unreadable = DC_ERROR_INIT;
  if (dc_file_read(path, &data, &len, &unreadable) != 0) { /* the compiler will say it */
    dc_error_clear(&unreadable);
    return 0;
  }
  if (w->hash) {
    dc_sha256_str(w->hash, name);
    dc_sha256_str(w->hash, data);
  }
  char *slash = strrchr(path, '/');
  if (slash) *slash = '\0';
  int result = visit(w, data, path, err);
  free(data);
  return result;
}

/* The value of option `i` when it is -I, --include-path, -include or --pre-include in any of its spellings
** ("-Idir", "-I" "dir", "--include-path=dir"); NULL when it is another. *folder: it is one of the first two. */
static const char *include_option(const dc_source *src, int i, bool *folder) {
  static const struct { const char *name; bool folder; } options[] = {
    { "--include-path", true }, { "-I", true }, { "--pre-include", false }, { "-include", false },
  };
  for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
    size_t n = strlen(options[k].name);
    const char *rest = src->options[i] + n;
    if (strncmp(src->options[i], options[k].name, n) != 0) continue;
    *folder = options[k].folder;
    if (*rest == '=') return rest + 1;
    if (*rest == '\0') return i + 1 < src->noptions ? src->options[i + 1] : NULL;
    if (n == 2) return rest;
  }
  return NULL;
}

/* Adds what is included to the list, once. */
static int record(walk *w, const char *name, const char *path) {
  if (!w->arena) return 0;
  for (const dc_included *i = w->list; i; i = i->next)
    if (strcmp(i->name, name) == 0 && strcmp(i->path ? i->path : "", path ? path : "") == 0) return 0;
  dc_included *one = dc_arena_alloc(w->arena, sizeof *one);
  if (!one) return -1;
  *one = (dc_included){dc_arena_strndup(w->arena, name, strlen(name)),
                       path ? dc_arena_strndup(w->arena, path, strlen(path)) : NULL, w->list};
  w->list = one;
  return one->name && (one->path || !path) ? 0 : -1;
}

static int record_file(walk *w, const char *name, const char *path) {
  char *whole = w->arena ? realpath(path, NULL) : NULL;
  const int result = whole ? record(w, name, whole) : 0;
  free(whole);
  return result;
}

/* Marks the file as visited.  1: it was not before; 0: it was; -1: out of memory.  Headers that include each other by
** "../a/b.h" reach a file by any number of paths, so the folder is resolved; not the file, since what it includes is
** beside the link. */
static int mark_visited(walk *w, const char *path) {
  if (dc_map_get(&w->seen, path, strlen(path))) return 0;
  if (dc_map_set(&w->seen, path, strlen(path), w) != 0) return -1;
  const char *slash = strrchr(path, '/');
  char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : NULL;
  char *whole = folder ? realpath(folder, NULL) : NULL, *key = whole ? dc_path_join(whole, slash + 1) : NULL;
  int result = 1;
  if (key && strcmp(key, path) != 0) {
    if (dc_map_get(&w->seen, key, strlen(key))) result = 0;
    else if (dc_map_set(&w->seen, key, strlen(key), w) != 0) result = -1;
  }
  free(folder);
  free(whole);
  free(key);
  return result;
}

/* 0: the folder has the file, and it is hashed; 1: it has not. */
static int visit_file(walk *w, const char *folder, const char *name, dc_error *err) {
  char *path = name[0] == '/' ? strdup(name) : dc_path_join(folder, name);
  if (!path) return dc_fail_oom(err);
  int result = 0, fresh = 0;
  if (!dc_file_exists(path) || dc_file_is_dir(path)) result = 1;
  else if (record_file(w, name, path) != 0 || (fresh = mark_visited(w, path)) < 0) result = dc_fail_oom(err);
  else if (fresh > 0) result = visit_content(w, path, name, err);
  free(path);
  return result;
}

/* In memory first, as NVRTC does; then beside the includer, in folders from options, in the user's. */
static int visit_named(walk *w, const char *name, const char *folder, bool asked, dc_error *err) {
  const dc_source *src = w->src;
  for (int i = 0; i < src->nheaders; i++) { /* texts of all of them are hashed; here: what they include */
    if (strcmp(src->header_names[i], name) != 0) continue;
    if (dc_map_get(&w->seen, name, strlen(name))) return 0;
    if (dc_map_set(&w->seen, name, strlen(name), w) != 0) return dc_fail_oom(err);
    return visit(w, src->header_texts[i], NULL, err);
  }
  int r = folder || name[0] == '/' ? visit_file(w, folder, name, err) : 1;
  for (int i = 0; r > 0 && i < src->noptions; i++) {
    bool is_folder;
    const char *value = include_option(src, i, &is_folder);
    if (value && is_folder) r = visit_file(w, value, name, err);
  }
  for (int i = 0; r > 0 && i < src->ninclude_dirs; i++) r = visit_file(w, src->include_dirs[i], name, err);
  if (r > 0 && !asked && record(w, name, NULL) != 0) return dc_fail_oom(err);
  return r < 0 ? -1 : 0;
}

static int visit(walk *w, const char *content, const char *folder, dc_error *err) {
  text t = { content, true, NULL };
  found f;
  int result = 0;
  if (w->depth >= MAX_DEPTH) return 0;
  w->depth++;
  while (result == 0 && next_include(&t, &f)) {
    if (!f.name) {
      w->complete = false;
      continue;
    }
    char *name = strndup(f.name, f.len);
    result = name ? visit_named(w, name, f.quoted ? folder : NULL, f.asked, err) : dc_fail_oom(err);
    free(name);
  }
  w->depth--;
  return result;
}

int dc_include_hash(const dc_source *src, dc_sha256 *hash, bool *complete, dc_error *err) {
  walk w = { .src = src, .hash = hash, .seen = DC_MAP_INIT, .complete = true };
  int result = 0;
  for (int i = 0; i < src->nheaders; i++) {
    dc_sha256_str(hash, src->header_names[i]);
    dc_sha256_str(hash, src->header_texts[i]);
  }
  for (int i = 0; result == 0 && i < src->noptions; i++) {
    bool is_folder;
    const char *value = include_option(src, i, &is_folder);
    if (value && !is_folder) result = visit_named(&w, value, ".", false, err);
  }
  if (result == 0) result = visit(&w, src->text, NULL, err);
  dc_map_free(&w.seen);
  *complete = w.complete;
  return result;
}

int dc_include_list(const dc_source *src, dc_arena *arena, dc_included **list, dc_error *err) {
  walk w = { .src = src, .seen = DC_MAP_INIT, .arena = arena };
  int result = visit(&w, src->text, NULL, err);
  dc_map_free(&w.seen);
  *list = w.list;
  return result;
}
