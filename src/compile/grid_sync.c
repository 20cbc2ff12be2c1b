/*
** grid_sync.c - see grid_sync.h.
*/
#include "compile/grid_sync.h"

#include <ctype.h>
#include <string.h>

#include "compile/types/tokens.h"

typedef struct span {
  const char *at, *end;
} span;

static const char *find(span s, const char *what) {
  return s.at < s.end ? memmem(s.at, (size_t)(s.end - s.at), what, strlen(what)) : NULL;
}

static const char *skip(const char *p, const char *end, const char *chars) {
  while (p < end && *p != '\0' && strchr(chars, *p) != NULL) p++;
  return p;
}

static bool starts(const char *p, const char *end, const char *word) {
  const size_t n = strlen(word);
  return (size_t)(end - p) >= n && memcmp(p, word, n) == 0;
}

/* Whether what follows a group is .sync() or .barrier_arrive() … */
static bool is_synced(const char *p, const char *end) {
  p = skip(p, end, " \t\r\n");
  if (p == end || *p != '.') return false;
  p = skip(p + 1, end, " \t\r\n");
  return starts(p, end, "sync") || starts(p, end, "barrier_");
}

/* Whether the group of this name is synchronized: name.sync(), or sync(name). */
static bool syncs_named(span s, const char *name, size_t n) {
  for (span rest = s; rest.at < rest.end; rest.at++) {
    const char *p = memmem(rest.at, (size_t)(rest.end - rest.at), name, n);
    if (p == NULL) return false;
    rest.at = p;
    if ((p > s.at && dc_in_name(p[-1])) || (p + n < s.end && dc_in_name(p[n]))) continue;
    if (is_synced(p + n, s.end)) return true;
    const char *before = p;
    while (before > s.at && isspace((unsigned char)before[-1])) before--;
    if (before - s.at >= 5 && memcmp(before - 5, "sync(", 5) == 0) return true;
  }
  return false;
}

/* The name that a group got from this_grid() at p is given ("grid" in `auto grid = cg::this_grid()`), in *n letters. */
static const char *assigned_to(span s, const char *p, size_t *n) {
  while (p > s.at && (dc_in_name(p[-1]) || p[-1] == ':' || isspace((unsigned char)p[-1]))) p--;
  if (p == s.at || (p[-1] != '=' && p[-1] != '(' && p[-1] != '{')) return NULL;
  p--;
  while (p > s.at && isspace((unsigned char)p[-1])) p--;
  const char *end = p;
  while (p > s.at && dc_in_name(p[-1])) p--;
  *n = (size_t)(end - p);
  return *n > 0 ? p : NULL;
}

bool dc_syncs_grid(const char *text, size_t len) {
  const span all = { text, text + len };
  size_t n;
  for (span s = all; (s.at = find(s, "this_grid")) != NULL; s.at++) {
    const char *behind = skip(s.at + strlen("this_grid"), s.end, " ()");
    const char *name = assigned_to(all, s.at, &n);
    if (is_synced(behind, s.end) || (name != NULL && syncs_named(all, name, n))) return true;
  }
  for (span s = all; (s.at = find(s, "grid_group")) != NULL; s.at++) {
    const char *name = skip(s.at + strlen("grid_group"), s.end, " \t\r\n&*"), *end = name;
    while (end < s.end && dc_in_name(*end)) end++;
    if (end > name && syncs_named(all, name, (size_t)(end - name))) return true;
  }
  return false;
}
