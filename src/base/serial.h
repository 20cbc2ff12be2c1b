/*
** serial.h - numbers and strings as a sequence of bytes, and back.
**
** Numbers are 64-bit little-endian; byte strings have their length in front.  Reading trusts nothing: after the first
** item that is cut off or too long, `bad` is set, and every further read gives 0 or NULL.
*/
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

void dc_put_number(dc_buf *b, uint64_t v);
void dc_put_bytes(dc_buf *b, const void *bytes, size_t n);
void dc_put_string(dc_buf *b, const char *s);          /* s is not NULL */
void dc_put_optional(dc_buf *b, const char *s);        /* NULL stays NULL */
void dc_put_strings(dc_buf *b, const char *const *list, int n);

typedef struct dc_reader {
  const unsigned char *p, *end;
  bool bad; /* what was read is not what was written, or memory ran out */
} dc_reader;

uint64_t dc_get_number(dc_reader *r);
/* A malloc'ed copy with a NUL behind it; NULL when bad.  len may be NULL. */
char *dc_get_bytes(dc_reader *r, size_t *len);
char *dc_get_optional(dc_reader *r); /* NULL: it was NULL, or bad */
/* The same without a copy, for input that outlives the result: the bytes in place, with the NUL that dc_put_bytes wrote
** behind them; a string holds no other NUL. */
const char *dc_get_bytes_in_place(dc_reader *r, size_t *len);
const char *dc_get_string_in_place(dc_reader *r);
/* An array of strings in place, malloc'ed (the caller frees the array alone); NULL when bad. */
const char **dc_get_strings_in_place(dc_reader *r, int *n);
