/*
** serial.c - see serial.h.  A NUL stands behind each byte string, so that strings can be used where they lie.
*/
#include "base/serial.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

void dc_put_number(dc_buf *b, uint64_t v) {
  unsigned char bytes[8];
  for (int i = 0; i < 8; i++) bytes[i] = (unsigned char)(v >> (8 * i));
  dc_buf_add(b, bytes, 8);
}

void dc_put_bytes(dc_buf *b, const void *bytes, size_t n) {
  dc_put_number(b, n);
  dc_buf_add(b, bytes, n);
  dc_buf_putc(b, '\0');
}

void dc_put_string(dc_buf *b, const char *s) { dc_put_bytes(b, s, strlen(s)); }

void dc_put_optional(dc_buf *b, const char *s) {
  dc_put_number(b, s != NULL);
  if (s) dc_put_string(b, s);
}

void dc_put_strings(dc_buf *b, const char *const *list, int n) {
  dc_put_number(b, (uint64_t)n);
  for (int i = 0; i < n; i++) dc_put_string(b, list[i]);
}

uint64_t dc_get_number(dc_reader *r) {
  if (r->bad || r->end - r->p < 8) {
    r->bad = true;
    return 0;
  }
  uint64_t v = 0;
  for (int i = 0; i < 8; i++) v |= (uint64_t)r->p[i] << (8 * i);
  r->p += 8;
  return v;
}

const char *dc_get_bytes_in_place(dc_reader *r, size_t *len) {
  const uint64_t n = dc_get_number(r);
  if (r->bad || n >= (uint64_t)(r->end - r->p) || r->p[n] != '\0') {
    r->bad = true;
    return NULL;
  }
  const char *s = (const char *)r->p;
  r->p += n + 1;
  if (len) *len = (size_t)n;
  return s;
}

char *dc_get_bytes(dc_reader *r, size_t *len) {
  size_t n;
  const char *s = dc_get_bytes_in_place(r, &n);
  char *copy = s ? malloc(n + 1) : NULL;
  if (!copy) {
    r->bad = true;
    return NULL;
  }
  memcpy(copy, s, n + 1);
  if (len) *len = n;
  return copy;
}

char *dc_get_optional(dc_reader *r) { return dc_get_number(r) != 0 ? dc_get_bytes(r, NULL) : NULL; }

const char *dc_get_string_in_place(dc_reader *r) {
  size_t n;
  const char *s = dc_get_bytes_in_place(r, &n);
  if (s && strlen(s) != n) r->bad = true;
  return r->bad ? NULL : s;
}

const char **dc_get_strings_in_place(dc_reader *r, int *n) {
  const uint64_t count = dc_get_number(r);
  *n = 0;
  if (r->bad || count > (uint64_t)(r->end - r->p)) r->bad = true;
  const char **list = r->bad ? NULL : calloc((size_t)count + 1, sizeof *list);
  if (!list) {
    r->bad = true;
    return NULL;
  }
  while (*n < (int)count && !r->bad) list[(*n)++] = dc_get_string_in_place(r);
  if (!r->bad) return list;
  free(list);
  *n = 0;
  return NULL;
}
