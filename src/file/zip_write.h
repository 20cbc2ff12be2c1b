/*
** zip_write.h - making ZIP archives.  A member's header is written first and gets its CRC and packed size when the
** member is complete.  Times are those that ZIP begins with, 1980: the same arrays give the same bytes.  What is stored
** begins at a multiple of 64 bytes, so that it can be mapped into memory.
*/
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "file/output.h"
#include "file/zip.h"

void dc_zip_writer_open(dc_zip_writer *w, dc_output *out);

/* Begins a member of `size` bytes (plain); level 0 stores, 1 to 9 deflate. The name stays until the member's end. */
int dc_zip_writer_begin(dc_zip_writer *w, const char *name, uint64_t size, int level, dc_error *err);
int dc_zip_writer_push(void *writer, const void *src, size_t n, dc_error *err);
int dc_zip_writer_end(dc_zip_writer *w, dc_error *err);

/* Writes the directory. */
int dc_zip_writer_finish(dc_zip_writer *w, dc_error *err);
void dc_zip_writer_close(dc_zip_writer *w); /* idempotent */
