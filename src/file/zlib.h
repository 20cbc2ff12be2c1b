/*
** zlib.h - deflate and inflate, by the system's zlib, which is loaded when first needed (libz.so.1).
*/
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "file/bytes.h"

/* No stream of deflate's expands by more than this, which bounds what a file can ask for. */
#define DC_DEFLATE_MOST 1032

typedef enum dc_wrapping { DC_ZLIB_STREAM, DC_RAW_DEFLATE } dc_wrapping; /* with header and check value, or not */

/* Compressed bytes in, plain bytes out. */
typedef struct dc_inflate dc_inflate;
/* `more` gives the next piece of the input: its address in *p (valid until the next call) and its length in *n; a
** length of 0 is the end.  NULL on failure: DC_IO also when there is no zlib. */
dc_inflate *dc_inflate_open(dc_wrapping wrapping, int (*more)(void *ud, const uint8_t **p, size_t *n, dc_error *err),
                            void *ud, dc_error *err);
/* Up to n bytes, fewer at the end alone; *got says how many. */
int dc_inflate_read(dc_inflate *z, void *dst, size_t n, size_t *got, dc_error *err);
void dc_inflate_close(dc_inflate *z); /* NULL is fine */

/* Plain bytes in, compressed bytes to a sink. */
typedef struct dc_deflate dc_deflate;
/* level: 0 (none) to 9 (most). */
dc_deflate *dc_deflate_open(dc_wrapping wrapping, int level, dc_sink to, dc_error *err);
int dc_deflate_write(dc_deflate *z, const void *src, size_t n, dc_error *err);
int dc_deflate_finish(dc_deflate *z, dc_error *err);
void dc_deflate_close(dc_deflate *z); /* NULL is fine */
