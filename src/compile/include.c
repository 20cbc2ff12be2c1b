/*
** include.c - see include.h.
*/
#include "compile/include.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/map.h"

typedef struct walk {
  const dc_source *src;
  dc_sha256 *hash;
  dc_map seen; /* names of headers already hashed; values only mark */
  int depth;
} walk;

#define MAX_DEPTH 64

/* The next `#include` line's name from *text on; false at the end. Backslashes at line ends are not followed. */
static bool next_include(const char **text, const char **name, size_t *n, bool *quoted) {
  for (const char *p = *text; *p;) {
    while (*p == ' ' || *p == '\t') p++;
    if (*p == '#') {
      p++;
      while (*p == ' ' || *p == '\t') p++;
      if (strncmp(p, "include", 7) == 0) {
        p += 7;
        while (*p == ' ' || *p == '\t') p++;
        if (*p == '"' || *p == '<') {
          char close = *p == '"' ? '"' : '>';
          const char *end = strpbrk(p + 1, close == '"' ? "\"\n" : ">\n");
          if (end && *end == close) {
            *quoted = close == '"';
            *name = p + 1;
            *n = (size_t)(end - p - 1);
            *text = end + 1;
            return true;
          }
        }
      }
    }
    p = strchr(p, '\n');
    if (!p) break;
    p++;
  }
  return false;
}

bool dc_include_computed(const char *text) {
  for (const char *p = text; (p = strstr(p, "include")) != NULL; p += 7) {
    const char *q = p;
    while (q > text && (q[-1] == ' ' || q[-1] == '\t')) q--;
    if (q == text || q[-1] != '#') continue;
    for (q = p + 7; *q == ' ' || *q == '\t';) q++;
    if (isalpha((unsigned char)*q) || *q == '_') return true;
  }
  return false;
}

static int visit(walk *w, const char *text, const char *folder, dc_error *err);

/* Hashes one file and what it includes; 1 when there is no such file. */
static int visit_file(walk *w, const char *folder, const char *name, dc_error *err) {
  char *path = dc_file_join(folder, name);
  if (!path) return dc_fail_oom(err);
  if (!dc_file_exists(path) || dc_file_is_dir(path)) {
    free(path);
    return 1;
  }
  int result = 0;
  if (!dc_map_get(&w->seen, path, strlen(path))) {
    char *data = NULL;
    size_t len;
    dc_error ignored = DC_ERROR_INIT;
    if (dc_map_set(&w->seen, path, strlen(path), w) != 0) {
      result = dc_fail_oom(err);
    } else if (dc_file_read(path, &data, &len, &ignored) != 0) {
      dc_error_clear(&ignored); /* the compiler will say it */
    } else {
      dc_sha256_str(w->hash, name);
      dc_sha256_str(w->hash, data);
      char *slash = strrchr(path, '/');
      if (slash) *slash = '\0';
      result = visit(w, data, slash ? path : NULL, err);
    }
    free(data);
  }
  free(path);
  return result;
}

static int visit_named(walk *w, const char *name, const char *folder, dc_error *err) {
  for (int i = 0; i < w->src->nheaders; i++) /* texts of all of them are hashed; here: what they include */
    if (strcmp(w->src->header_names[i], name) == 0) {
      if (dc_map_get(&w->seen, name, strlen(name))) return 0;
      if (dc_map_set(&w->seen, name, strlen(name), w) != 0) return dc_fail_oom(err);
      return visit(w, w->src->header_texts[i], NULL, err);
    }
  int r = name[0] == '/' ? visit_file(w, "", name, err) : folder ? visit_file(w, folder, name, err) : 1;
  for (int i = 0; r > 0 && i < w->src->ninclude_dirs; i++) r = visit_file(w, w->src->include_dirs[i], name, err);
  return r < 0 ? -1 : 0;
}

static int visit(walk *w, const char *text, const char *folder, dc_error *err) {
  const char *name;
  size_t n;
  bool quoted;
  if (w->depth >= MAX_DEPTH) return 0;
  w->depth++;
  int result = 0;
  while (result == 0 && next_include(&text, &name, &n, &quoted)) {
    char *copy = strndup(name, n);
    result = copy ? visit_named(w, copy, quoted ? folder : NULL, err) : dc_fail_oom(err);
    free(copy);
  }
  w->depth--;
  return result;
}

int dc_include_hash(const dc_source *src, dc_sha256 *hash, dc_error *err) {
  walk w = {.src = src, .hash = hash, .seen = DC_MAP_INIT};
  for (int i = 0; i < src->nheaders; i++) {
    dc_sha256_str(hash, src->header_names[i]);
    dc_sha256_str(hash, src->header_texts[i]);
  }
  int result = visit(&w, src->text, NULL, err);
  dc_map_free(&w.seen);
  return result;
}
