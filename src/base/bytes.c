/*
** bytes.c - amounts of memory as people write and read them.
*/
#include "base/bytes.h"

#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *dc_bytes_text(size_t bytes, char *text, size_t n) {
  static const char *const units[] = { "KiB", "MiB", "GiB" };
  double v = (double)bytes / 1024;
  int unit = 0;
  if (bytes < 1024) {
    snprintf(text, n, "%zu bytes", bytes);
    return text;
  }
  while (unit < 2 && v >= 1024) {
    v /= 1024;
    unit++;
  }
  snprintf(text, n, v < 10000 ? "%.4g %s" : "%.0f %s", v, units[unit]);
  return text;
}

bool dc_bytes_read(const char *text, size_t *bytes) {
  static const char units[] = "KMGT";
  char *end;
  if (!isdigit((unsigned char)text[0])) return false;
  errno = 0;
  unsigned long long v = strtoull(text, &end, 10);
  if (errno != 0) return false;
  const char *unit = *end != '\0' ? strchr(units, toupper((unsigned char)*end)) : NULL;
  const int shift = unit != NULL ? 10 * (int)(unit - units + 1) : 0;
  if (end[unit != NULL] != '\0' || v > SIZE_MAX >> shift) return false;
  *bytes = (size_t)v << shift;
  return true;
}

size_t dc_bytes_setting(const char *variable, size_t otherwise) {
  const char *text = getenv(variable);
  size_t bytes;
  return text != NULL && dc_bytes_read(text, &bytes) ? bytes : otherwise;
}
