/*
** buf.c - a growing byte string.  Capacity doubles; one byte is always kept for the final NUL.
*/
#include "base/buf.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Makes room for `more` bytes and the NUL; false (and b->failed) when that cannot be had. */
static bool reserve(dc_buf *b, size_t more) {
  if (b->failed) return false;
  if (b->cap > b->len && more < b->cap - b->len) return true;
  size_t cap = b->cap ? b->cap : 64;
  if (more > SIZE_MAX / 2 - b->len - 1) return !(b->failed = true);
  while (cap < b->len + more + 1) cap *= 2;
  char *data = realloc(b->data, cap);
  if (!data) return !(b->failed = true);
  b->data = data;
  b->cap = cap;
  return true;
}

void dc_buf_add(dc_buf *b, const void *bytes, size_t n) {
  if (!reserve(b, n)) return;
  if (n) memcpy(b->data + b->len, bytes, n);
  b->len += n;
  b->data[b->len] = '\0';
}

void dc_buf_puts(dc_buf *b, const char *s) { dc_buf_add(b, s, strlen(s)); }

void dc_buf_putc(dc_buf *b, char c) { dc_buf_add(b, &c, 1); }

void dc_buf_printf(dc_buf *b, const char *fmt, ...) {
  va_list ap, again;
  va_start(ap, fmt);
  va_copy(again, ap);
  size_t room = b->cap > b->len && !b->failed ? b->cap - b->len : 0;
  int n = vsnprintf(room ? b->data + b->len : NULL, room, fmt, ap);
  if (n < 0) {
    b->failed = true;
  } else if ((size_t)n < room) {
    b->len += (size_t)n;
  } else if (reserve(b, (size_t)n)) {
    vsnprintf(b->data + b->len, (size_t)n + 1, fmt, again);
    b->len += (size_t)n;
  }
  va_end(again);
  va_end(ap);
}

void dc_buf_reset(dc_buf *b) {
  b->len = 0;
  if (b->data) b->data[0] = '\0';
}

char *dc_buf_take(dc_buf *b) {
  dc_buf_add(b, "", 0); /* an empty one becomes "" */
  char *s = b->data;
  if (b->failed) {
    free(b->data);
    s = NULL;
    errno = ENOMEM;
  }
  *b = (dc_buf)DC_BUF_INIT;
  return s;
}

const char *dc_buf_str(const dc_buf *b) { return b->data ? b->data : ""; }

void dc_buf_free(dc_buf *b) {
  free(b->data);
  *b = (dc_buf)DC_BUF_INIT;
}
