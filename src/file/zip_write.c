/* zip_write.c - see zip_write.h. */
#include "file/zip_write.h"

#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "file/bytes.h"
#include "file/output.h"
#include "file/zip.h"
#include "file/zip_format.h"
#include "file/zlib.h"

enum { VERSION_PLAIN = 20, VERSION_64 = 45, MADE_ON_UNIX = 3 << 8, FIRST_OF_1980 = 1 << 5 | 1 };
enum { ALIGNMENT = 64, EXTRA64_BYTES = 20, BLANKS_LEAST = 6, LOCAL_EXTRA_MOST = EXTRA64_BYTES + BLANKS_LEAST + 63 };
#define FILE_MODE (0100644u << 16)

void dc_zip_writer_open(dc_zip_writer *w, dc_output *out) {
  *w = (dc_zip_writer){ .out = out, .limit = ZIP_FULL32, .directory = DC_BUF_INIT };
}

void dc_zip_writer_close(dc_zip_writer *w) {
  dc_deflate_close(w->deflate);
  w->deflate = NULL;
  dc_buf_free(&w->directory);
}

/* True when the name is UTF-8 beyond ASCII, which archives mark. */
static bool is_utf8(const char *name) {
  const uint8_t *p = (const uint8_t *)name;
  bool beyond = false;
  while (*p) {
    const int more = *p < 0x80 ? 0 : *p >= 0xc2 && *p < 0xe0 ? 1 : *p >= 0xe0 && *p < 0xf0 ? 2
                   : *p >= 0xf0 && *p < 0xf5 ? 3 : -1;
    if (more < 0) return false;
    beyond |= more > 0;
    p++;
    for (int i = 0; i < more; i++, p++)
      if ((*p & 0xc0) != 0x80) return false;
  }
  return beyond;
}

/* May the member's sizes, packed ones included, need ZIP64's fields?  Deflate adds five bytes to 16383 at most. */
static bool is_large(const dc_zip_writer *w) {
  const uint64_t limit = w->limit;
  return w->size >= limit || w->size / 1024 + 1024 >= limit - w->size;
}

/* What the local header and the directory's record have in common, from the version needed on: 26 bytes. */
static void put_common(uint8_t *p, const dc_zip_writer *w, uint64_t packed, int version, bool in_extra) {
  dc_put_le(p, (uint64_t)version, 2);
  dc_put_le(p + 2, is_utf8(w->name) ? ZIP_FLAG_UTF8 : 0, 2);
  dc_put_le(p + 4, w->deflate != NULL ? ZIP_DEFLATED : ZIP_STORED, 2);
  dc_put_le(p + 6, 0, 2);
  dc_put_le(p + 8, FIRST_OF_1980, 2);
  dc_put_le(p + 10, w->crc, 4);
  dc_put_le(p + 14, in_extra ? ZIP_FULL32 : packed, 4);
  dc_put_le(p + 18, in_extra ? ZIP_FULL32 : w->size, 4);
  dc_put_le(p + 22, strlen(w->name), 2);
}

/* The extra field that moves a stored member's data to a multiple of ALIGNMENT; `before`: where the field begins. */
static size_t put_blanks(uint8_t *p, uint64_t before) {
  const size_t n = BLANKS_LEAST + (size_t)(-(before + BLANKS_LEAST) % ALIGNMENT);
  memset(p, 0, n);
  dc_put_le(p, ZIP_EXTRA_ALIGNED, 2);
  dc_put_le(p + 2, n - 4, 2);
  dc_put_le(p + 4, ALIGNMENT, 2);
  return n;
}

/* The local header without its name, and the extra fields behind that; the length of these. */
static size_t put_local(uint8_t *p, const dc_zip_writer *w, uint64_t packed, uint8_t extra[LOCAL_EXTRA_MOST]) {
  const bool large = is_large(w);
  size_t n = large ? EXTRA64_BYTES : 0;
  dc_put_le(p, ZIP_LOCAL, 4);
  put_common(p + 4, w, packed, large ? VERSION_64 : VERSION_PLAIN, large);
  dc_put_le(extra, ZIP_EXTRA64, 2);
  dc_put_le(extra + 2, 16, 2);
  dc_put_le(extra + 4, w->size, 8);
  dc_put_le(extra + 12, packed, 8);
  if (w->deflate == NULL) n += put_blanks(extra + n, w->header_at + ZIP_LOCAL_BYTES + strlen(w->name) + n);
  dc_put_le(p + 28, n, 2);
  return n;
}

static int push_deflated(void *writer, const void *src, size_t n, dc_error *err) {
  return dc_output_write(((dc_zip_writer *)writer)->out, src, n, err);
}

int dc_zip_writer_begin(dc_zip_writer *w, const char *name, uint64_t size, int level, dc_error *err) {
  uint8_t head[ZIP_LOCAL_BYTES], extra[LOCAL_EXTRA_MOST];
  const size_t len = strlen(name);
  if (len > ZIP_FULL16) return dc_fail(err, DC_ARGUMENT, NULL, "a name of %zu bytes is too long for an archive", len);
  w->name = name;
  w->size = size;
  w->given = 0;
  w->crc = 0;
  w->header_at = w->out->size;
  if (level > 0 && (w->deflate = dc_deflate_open(DC_RAW_DEFLATE, level, (dc_sink){ push_deflated, w }, err)) == NULL)
    return -1;
  const size_t extra_bytes = put_local(head, w, 0, extra);
  if (dc_output_write(w->out, head, sizeof head, err) != 0 || dc_output_write(w->out, name, len, err) != 0) return -1;
  if (dc_output_write(w->out, extra, extra_bytes, err) != 0) return -1;
  w->data_at = w->out->size;
  return 0;
}

int dc_zip_writer_push(void *writer, const void *src, size_t n, dc_error *err) {
  dc_zip_writer *w = writer;
  w->crc = dc_crc32(w->crc, src, n);
  w->given += n;
  return w->deflate != NULL ? dc_deflate_write(w->deflate, src, n, err) : dc_output_write(w->out, src, n, err);
}

/* The member's record in the directory. */
static void add_record(dc_zip_writer *w, uint64_t packed) {
  uint8_t record[ZIP_CENTRAL_BYTES], extra[4 + 24];
  const bool sizes = w->size >= w->limit || packed >= w->limit, place = w->header_at >= w->limit;
  const size_t extra_bytes = (sizes || place ? 4u : 0u) + (sizes ? 16u : 0u) + (place ? 8u : 0u);
  const int version = extra_bytes > 0 || is_large(w) ? VERSION_64 : VERSION_PLAIN;
  memset(record, 0, sizeof record);
  dc_put_le(record, ZIP_CENTRAL, 4);
  dc_put_le(record + 4, MADE_ON_UNIX | VERSION_64, 2);
  put_common(record + 6, w, packed, version, sizes);
  dc_put_le(record + 30, extra_bytes, 2);
  dc_put_le(record + 38, FILE_MODE, 4);
  dc_put_le(record + 42, place ? ZIP_FULL32 : w->header_at, 4);
  dc_put_le(extra, ZIP_EXTRA64, 2);
  dc_put_le(extra + 2, extra_bytes - 4, 2);
  if (sizes) {
    dc_put_le(extra + 4, w->size, 8);
    dc_put_le(extra + 12, packed, 8);
  }
  if (place) dc_put_le(extra + (sizes ? 20 : 4), w->header_at, 8);
  dc_buf_add(&w->directory, record, sizeof record);
  dc_buf_puts(&w->directory, w->name);
  dc_buf_add(&w->directory, extra, extra_bytes);
  w->count++;
}

int dc_zip_writer_end(dc_zip_writer *w, dc_error *err) {
  uint8_t head[ZIP_LOCAL_BYTES], extra[LOCAL_EXTRA_MOST];
  if (w->deflate != NULL && dc_deflate_finish(w->deflate, err) != 0) return -1;
  const uint64_t packed = w->out->size - w->data_at;
  const size_t extra_bytes = put_local(head, w, packed, extra);
  if (dc_output_patch(w->out, w->header_at, head, sizeof head, err) != 0) return -1;
  if (extra_bytes > 0 && dc_output_patch(w->out, w->data_at - extra_bytes, extra, extra_bytes, err) != 0) return -1;
  add_record(w, packed);
  dc_deflate_close(w->deflate);
  w->deflate = NULL;
  return w->directory.failed ? dc_fail_oom(err) : 0;
}

int dc_zip_writer_finish(dc_zip_writer *w, dc_error *err) {
  uint8_t end64[ZIP_END64_BYTES + ZIP_LOCATOR64_BYTES] = { 0 }, end[ZIP_END_BYTES] = { 0 };
  const uint64_t at = w->out->size, bytes = w->directory.len;
  const bool large = at >= w->limit || bytes >= w->limit || w->count >= ZIP_FULL16;
  if (bytes > 0 && dc_output_write(w->out, w->directory.data, (size_t)bytes, err) != 0) return -1;
  dc_put_le(end64, ZIP_END64, 4);
  dc_put_le(end64 + 4, ZIP_END64_BYTES - 12, 8);
  dc_put_le(end64 + 12, MADE_ON_UNIX | VERSION_64, 2);
  dc_put_le(end64 + 14, VERSION_64, 2);
  dc_put_le(end64 + 24, w->count, 8);
  dc_put_le(end64 + 32, w->count, 8);
  dc_put_le(end64 + 40, bytes, 8);
  dc_put_le(end64 + 48, at, 8);
  uint8_t *locator = end64 + ZIP_END64_BYTES;
  dc_put_le(locator, ZIP_LOCATOR64, 4);
  dc_put_le(locator + 8, at + bytes, 8);
  dc_put_le(locator + 16, 1, 4);
  if (large && dc_output_write(w->out, end64, sizeof end64, err) != 0) return -1;
  dc_put_le(end, ZIP_END, 4);
  dc_put_le(end + 8, large ? ZIP_FULL16 : w->count, 2);
  dc_put_le(end + 10, large ? ZIP_FULL16 : w->count, 2);
  dc_put_le(end + 12, large ? ZIP_FULL32 : bytes, 4);
  dc_put_le(end + 16, large ? ZIP_FULL32 : at, 4);
  return dc_output_write(w->out, end, sizeof end, err);
}
