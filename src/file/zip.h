/*
** zip.h - ZIP archives as .npz files are: members stored or deflated, with ZIP64's sizes where they are needed.
**
** After PKWARE's APPNOTE 6.3.  Reading goes by the central directory alone.  Whatever an archive says of itself is
** checked against the file's size before memory is made for it.
*/
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "file/input.h"
#include "file/output.h"
#include "file/zlib.h"

/* --- reading ------------------------------------------------------------------------------------------------ */

typedef struct dc_zip_entry {
  const char *name; /* NUL-terminated; bytes as they stand there */
  uint16_t flags, method;
  uint32_t crc;
  uint64_t packed, size, header_at; /* bytes in the file, bytes unpacked, where its local header is */
} dc_zip_entry;

typedef struct dc_zip {
  const dc_input *in;
  dc_zip_entry *entries; /* in the directory's order */
  size_t n;
  char *names;
  uint64_t end; /* of the members: where the directory begins */
} dc_zip;

/* One member being read, from its beginning. It must stay where it is. */
typedef struct dc_zip_reader {
  const dc_zip *zip;
  const dc_zip_entry *entry;
  uint64_t at, left;     /* packed bytes: where, and how many are still to come */
  uint64_t given;        /* plain bytes so far */
  uint32_t crc;
  dc_inflate *inflate;   /* NULL: stored */
  uint8_t *piece;        /* packed bytes on their way */
} dc_zip_reader;

/* --- writing ------------------------------------------------------------------------------------------------ */

typedef struct dc_zip_writer {
  dc_output *out;
  uint64_t limit;       /* sizes and places from here on are ZIP64's: 2^32 - 1; tests lower it */
  dc_buf directory;
  uint64_t count;
  /* the member being written */
  const char *name;
  uint64_t header_at, data_at, size, given;
  uint32_t crc;
  dc_deflate *deflate;  /* NULL: stored */
} dc_zip_writer;
