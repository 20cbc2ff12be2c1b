/*
** closest.c - suggestions for misspelled names: the Damerau-Levenshtein distance with adjacent transpositions, without
** regard to case, and prefixes ("keepdims" is "keep").
*/
#include "base/closest.h"

#include <string.h>

#define MOST 40 /* bytes of a name; longer ones have no suggestion */

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

static int least(int a, int b) { return a < b ? a : b; }

/* How many insertions, deletions, substitutions and swaps of neighbours turn `a` into `b`. */
static int distance(const char *a, int na, const char *b, int nb) {
  int rows[3][MOST + 1];
  int *before = rows[0], *last = rows[1], *now = rows[2]; /* the distances of the first i - 2, i - 1, i letters of a */
  for (int k = 0; k <= nb; k++) last[k] = before[k] = k;
  for (int i = 1; i <= na; i++) {
    now[0] = i;
    for (int k = 1; k <= nb; k++) {
      const char x = lower(a[i - 1]), y = lower(b[k - 1]);
      now[k] = least(least(last[k], now[k - 1]) + 1, last[k - 1] + (x != y));
      if (i > 1 && k > 1 && x == lower(b[k - 2]) && lower(a[i - 2]) == y) now[k] = least(now[k], before[k - 2] + 1);
    }
    int *const spare = before;
    before = last;
    last = now;
    now = spare;
  }
  return last[nb];
}

static int is_prefix(const char *a, int na, const char *b, int nb) {
  for (int i = 0; i < na && i < nb; i++)
    if (lower(a[i]) != lower(b[i])) return 0;
  return na >= 2 && nb >= 2;
}

const char *dc_closest(const char *word, const char *const *names, size_t n) {
  const char *best = NULL;
  const size_t length = strlen(word);
  if (length > MOST) return NULL;
  const int na = (int)length;
  int fewest = na < 4 ? 2 : na / 3 + 2; /* more edits than a third of the letters make another word */
  for (size_t i = 0; i < n; i++) {
    const size_t own = strlen(names[i]);
    if (own > MOST) continue;
    const int nb = (int)own;
    const int d = is_prefix(word, na, names[i], nb) ? 1 : distance(word, na, names[i], nb);
    if (d >= fewest || d >= nb) continue;
    fewest = d;
    best = names[i];
  }
  return best;
}
