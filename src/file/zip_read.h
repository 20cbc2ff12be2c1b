/*
** zip_read.h - ZIP archives: the directory, and members.
*/
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "file/input.h"
#include "file/zip.h"

/* True when the file begins as an archive (an empty one too). */
bool dc_zip_looks_like(const uint8_t head[4]);
int dc_zip_open(dc_zip *zip, const dc_input *in, dc_error *err);
void dc_zip_close(dc_zip *zip); /* idempotent */

/* DC_IO for encrypted members, other ways of compression, sizes that cannot be. */
int dc_zip_reader_open(dc_zip_reader *r, const dc_zip *zip, const dc_zip_entry *entry, dc_error *err);
int dc_zip_reader_pull(void *reader, void *dst, size_t n, dc_error *err);

/* Reads what is left, and checks length and CRC. */
int dc_zip_reader_finish(dc_zip_reader *r, dc_error *err);
void dc_zip_reader_close(dc_zip_reader *r); /* idempotent */
