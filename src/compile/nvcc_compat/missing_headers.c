/*
** missing_headers.c - see missing_headers.h.
*/
#include "compile/nvcc_compat/missing_headers.h"

#include <string.h>

typedef struct known {
  const char *space;
  const char *names; /* words with blanks between; a * at the end of one stands for anything */
  const char *header;
} known;

#define X(space, names, header) {space, names, header},
#define HOST(names)
#define HEAVY(names)
static const known table[] = {
#include "compile/nvcc_compat/missing_headers.def"
};
#undef X
#undef HOST
#undef HEAVY

#define X(space, names, header)
#define HOST(names) static const char host_headers[] = names;
#define HEAVY(names) static const char heavy_headers[] = names;
#include "compile/nvcc_compat/missing_headers.def"

static bool among(const char *words, const char *name, size_t n) {
  for (const char *w = words; *w; w += strspn(w, " ")) {
    size_t m = strcspn(w, " ");
    bool open = w[m - 1] == '*';
    if (open ? n >= m - 1 && memcmp(w, name, m - 1) == 0 : n == m && memcmp(w, name, m) == 0) return true;
    w += m;
  }
  return false;
}

const char *dc_missing_header(const char *space, const char *name, size_t n) {
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (strcmp(table[i].space, space) == 0 && among(table[i].names, name, n)) return table[i].header;
  return NULL;
}

bool dc_missing_host_header(const char *name, size_t n) { return among(host_headers, name, n); }

bool dc_missing_heavy_header(const char *name, size_t n) { return among(heavy_headers, name, n); }

const char *dc_missing_heavy_next(const char *before, size_t *n) {
  const char *w = before ? before + *n : heavy_headers;
  do {
    w += strspn(w, " ");
    *n = strcspn(w, " ");
  } while (*n > 0 && w[*n - 1] == '*' && (w += *n));
  return *n > 0 ? w : NULL;
}
