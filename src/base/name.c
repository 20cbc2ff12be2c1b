/*
** name.c - names of kernels as users know them.
*/
#include "base/name.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads <length><name>; false: that does not stand at *p. */
static bool read_identifier(const char **p, const char **name, size_t *len) {
  char *begin;
  if (!isdigit((unsigned char)**p)) return false;
  *len = strtoul(*p, &begin, 10);
  if (*len > strlen(begin)) return false;
  *name = begin;
  *p = begin + *len;
  return true;
}

/* Of the unit's own: unnamed namespaces, and those that relocatable code has for what is static. */
static bool is_unnamed(const char *name, size_t len) {
  return (len >= 8 && strncmp(name, "_GLOBAL_", 8) == 0) || (len >= 10 && strncmp(name, "_INTERNAL_", 10) == 0);
}

const char *dc_short_name(const char *entry, char *text, size_t n) {
  const char *p = entry + 2, *name;
  size_t len, at = 0;
  snprintf(text, n, "%s", entry);
  if (strncmp(entry, "_Z", 2) != 0) return text;
  const bool nested = *p == 'N';
  p += nested || *p == 'L'; /* L: of internal linkage */
  while (read_identifier(&p, &name, &len) && at < n) {
    if (!nested || !is_unnamed(name, len))
      at += (size_t)snprintf(text + at, n - at, "%s%.*s", at ? "::" : "", (int)len, name);
    if (!nested) break;
    p += *p == 'L';
  }
  return text;
}
