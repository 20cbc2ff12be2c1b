/*
** buf.h - a growing byte string.  Append freely, test `failed` once at the end: after an
** out-of-memory every append is a no-op and dc_buf_take returns NULL with errno ENOMEM.
*/
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

typedef struct dc_buf {
  char *data;  /* NUL-terminated whenever not NULL */
  size_t len, cap;
  bool failed; /* an allocation failed */
} dc_buf;

#define DC_BUF_INIT { NULL, 0, 0, false }

void dc_buf_add(dc_buf *b, const void *bytes, size_t n);
void dc_buf_puts(dc_buf *b, const char *s);
void dc_buf_putc(dc_buf *b, char c);
void dc_buf_printf(dc_buf *b, const char *fmt, ...) DC_PRINTF(2, 3);
void dc_buf_reset(dc_buf *b);       /* length 0, memory kept */
/* Gives the malloc'ed string away ("" when empty), NULL when failed; b is empty after. */
char *dc_buf_take(dc_buf *b);
const char *dc_buf_str(const dc_buf *b); /* "" when empty */
void dc_buf_free(dc_buf *b);
