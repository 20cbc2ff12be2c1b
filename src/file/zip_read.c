/* zip_read.c - see zip_read.h. */
#include "file/zip_read.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "file/bytes.h"
#include "file/input.h"
#include "file/zip.h"
#include "file/zip_format.h"
#include "file/zlib.h"

#define PIECE 65536

static int damaged(dc_error *err, const char *what) {
  return dc_fail(err, DC_IO, NULL, "the archive is damaged: %s", what);
}

bool dc_zip_looks_like(const uint8_t head[4]) {
  const uint32_t signature = dc_get_le32(head);
  return signature == ZIP_LOCAL || signature == ZIP_END;
}

/* --- the directory ------------------------------------------------------------------------------------------ */

typedef struct directory {
  uint64_t at, bytes, count;
} directory;

/* The record at the file's end, behind which there is only its own comment; its position in *at. */
static int find_end(const dc_input *in, uint8_t end[ZIP_END_BYTES], uint64_t *at, dc_error *err) {
  const uint64_t most = ZIP_END_BYTES + ZIP_FULL16;
  const size_t n = (size_t)(in->size < most ? in->size : most);
  if (n < ZIP_END_BYTES) return damaged(err, "it is cut short");
  uint8_t *tail = malloc(n);
  if (tail == NULL) return dc_fail_oom(err);
  int rc = dc_input_read(in, in->size - n, tail, n, err);
  bool found = false;
  for (size_t i = n - ZIP_END_BYTES + 1; rc == 0 && !found && i-- > 0;) {
    const size_t comment = n - i - ZIP_END_BYTES;
    found = dc_get_le32(tail + i) == ZIP_END && dc_get_le16(tail + i + 20) == comment;
    if (found) memcpy(end, tail + i, ZIP_END_BYTES), *at = in->size - n + i;
  }
  free(tail);
  if (rc == 0 && !found) rc = damaged(err, "it has no directory at its end; is it cut short?");
  return rc;
}

/* The same record of ZIP64, if there is one: 1 when not. */
static int find_end64(const dc_input *in, uint64_t end_at, directory *d, uint64_t *at, dc_error *err) {
  uint8_t locator[ZIP_LOCATOR64_BYTES], end[ZIP_END64_BYTES];
  if (end_at < sizeof locator + sizeof end) return 1;
  if (dc_input_read(in, end_at - sizeof locator, locator, sizeof locator, err) != 0) return -1;
  if (dc_get_le32(locator) != ZIP_LOCATOR64) return 1;
  *at = dc_get_le64(locator + 8);
  if (*at > end_at - sizeof locator - sizeof end) return damaged(err, "its ZIP64 directory is not where it says");
  if (dc_input_read(in, *at, end, sizeof end, err) != 0) return -1;
  if (dc_get_le32(end) != ZIP_END64) return damaged(err, "its ZIP64 directory is not where it says");
  *d = (directory){ dc_get_le64(end + 48), dc_get_le64(end + 40), dc_get_le64(end + 32) };
  return 0;
}

static int find_directory(const dc_input *in, directory *d, dc_error *err) {
  uint8_t end[ZIP_END_BYTES] = { 0 };
  uint64_t at = 0;
  if (find_end(in, end, &at, err) != 0) return -1;
  *d = (directory){ dc_get_le32(end + 16), dc_get_le32(end + 12), dc_get_le16(end + 10) };
  if (d->at == ZIP_FULL32 || d->bytes == ZIP_FULL32 || d->count == ZIP_FULL16) {
    if (find_end64(in, at, d, &at, err) < 0) return -1;
  }
  if (d->at > at || d->bytes > at - d->at) return damaged(err, "its directory is not where it says");
  if (d->count > d->bytes / ZIP_CENTRAL_BYTES) return damaged(err, "its directory is too short for its members");
  return 0;
}

/* The values that a member has in ZIP64's extra field because the plain ones are full. */
static int read_extra(dc_zip_entry *e, const uint8_t *p, size_t n, dc_error *err) {
  uint64_t *const wanted[] = { &e->size, &e->packed, &e->header_at };
  bool missing = false;
  for (int i = 0; i < 3; i++) missing |= *wanted[i] == ZIP_FULL32;
  while (missing && n >= 4) {
    const size_t id = dc_get_le16(p), len = dc_get_le16(p + 2);
    if (len > n - 4) break;
    if (id == ZIP_EXTRA64) {
      size_t at = 4;
      for (int i = 0; i < 3; i++) {
        if (*wanted[i] != ZIP_FULL32) continue;
        if (at + 8 > len + 4) return damaged(err, "a member's ZIP64 sizes are missing");
        *wanted[i] = dc_get_le64(p + at);
        at += 8;
      }
      return 0;
    }
    p += 4 + len;
    n -= 4 + len;
  }
  return 0; /* exactly 2^32 - 1 */
}

/* One record of the directory; its length in *used. The name goes to *names, which moves on. */
static int read_entry(dc_zip_entry *e, const uint8_t *p, size_t n, char **names, size_t *used, dc_error *err) {
  if (n < ZIP_CENTRAL_BYTES || dc_get_le32(p) != ZIP_CENTRAL) return damaged(err, "its directory ends too early");
  const size_t name = dc_get_le16(p + 28), extra = dc_get_le16(p + 30), comment = dc_get_le16(p + 32);
  *used = ZIP_CENTRAL_BYTES + name + extra + comment;
  if (*used > n) return damaged(err, "its directory ends too early");
  *e = (dc_zip_entry){ *names,           dc_get_le16(p + 8),  dc_get_le16(p + 10), dc_get_le32(p + 16),
                       dc_get_le32(p + 20), dc_get_le32(p + 24), dc_get_le32(p + 42) };
  memcpy(*names, p + ZIP_CENTRAL_BYTES, name);
  (*names)[name] = '\0';
  if (strlen(*names) != name) return damaged(err, "a member's name has a zero byte");
  *names += name + 1;
  return read_extra(e, p + ZIP_CENTRAL_BYTES + name, extra, err);
}

static int by_place(const void *a, const void *b) {
  const dc_zip_entry *const *x = a, *const *y = b;
  return (*x)->header_at < (*y)->header_at ? -1 : (*x)->header_at > (*y)->header_at;
}

/* Members that share bytes are how a small archive unpacks into a huge one. */
static int check_places(const dc_zip *zip, dc_error *err) {
  const dc_zip_entry **sorted = malloc((zip->n + 1) * sizeof(*sorted));
  if (sorted == NULL) return dc_fail_oom(err);
  for (size_t i = 0; i < zip->n; i++) sorted[i] = &zip->entries[i];
  qsort(sorted, zip->n, sizeof *sorted, by_place);
  bool fine = true;
  for (size_t i = 0; i < zip->n && fine; i++) {
    const uint64_t next = i + 1 < zip->n ? sorted[i + 1]->header_at : zip->end;
    const uint64_t least = ZIP_LOCAL_BYTES + strlen(sorted[i]->name);
    fine = sorted[i]->header_at <= next && next - sorted[i]->header_at >= least &&
           next - sorted[i]->header_at - least >= sorted[i]->packed;
  }
  free(sorted);
  return fine ? 0 : damaged(err, "its members overlap, or lie outside of it");
}

static int read_directory(dc_zip *zip, const directory *d, const uint8_t *bytes, dc_error *err) {
  char *names = zip->names;
  size_t at = 0, used = 0;
  zip->n = (size_t)d->count;
  for (size_t i = 0; i < zip->n; i++, at += used)
    if (read_entry(&zip->entries[i], bytes + at, (size_t)d->bytes - at, &names, &used, err) != 0) return -1;
  return check_places(zip, err);
}

int dc_zip_open(dc_zip *zip, const dc_input *in, dc_error *err) {
  directory d;
  *zip = (dc_zip){ .in = in };
  if (find_directory(in, &d, err) != 0) return -1;
  zip->end = d.at;
  uint8_t *bytes = malloc((size_t)d.bytes + 1);
  zip->entries = calloc((size_t)d.count + 1, sizeof *zip->entries);
  zip->names = malloc((size_t)(d.bytes + d.count) + 1);
  int rc = bytes == NULL || zip->entries == NULL || zip->names == NULL ? dc_fail_oom(err) : 0;
  if (rc == 0) rc = dc_input_read(in, d.at, bytes, (size_t)d.bytes, err);
  if (rc == 0) rc = read_directory(zip, &d, bytes, err);
  free(bytes);
  if (rc != 0) dc_zip_close(zip);
  return rc;
}

void dc_zip_close(dc_zip *zip) {
  free(zip->entries);
  free(zip->names);
  *zip = (dc_zip){ NULL, NULL, 0, NULL, 0 };
}

/* --- a member ----------------------------------------------------------------------------------------------- */

static int check_entry(const dc_zip_entry *e, dc_error *err) {
  if (e->flags & ZIP_FLAG_ENCRYPTED) return dc_fail(err, DC_IO, NULL, "it is encrypted; unpack it with its password");
  if (e->method != ZIP_STORED && e->method != ZIP_DEFLATED)
    return dc_fail(err, DC_IO, NULL, "it is compressed by method %d; only stored and deflated members are read",
                   e->method);
  const bool possible = e->method == ZIP_STORED
                            ? e->size == e->packed
                            : e->size / DC_DEFLATE_MOST <= e->packed; /* rounded in the archive's favour */
  if (possible) return 0;
  return dc_fail(err, DC_IO, NULL, "it says that %" PRIu64 " bytes hold %" PRIu64 ", which cannot be", e->packed,
                 e->size);
}

/* The next packed bytes, for inflate. */
static int more(void *reader, const uint8_t **p, size_t *n, dc_error *err) {
  dc_zip_reader *r = reader;
  *n = r->left < PIECE ? (size_t)r->left : PIECE;
  *p = r->piece;
  if (dc_input_read(r->zip->in, r->at, r->piece, *n, err) != 0) return -1;
  r->at += *n;
  r->left -= *n;
  return 0;
}

int dc_zip_reader_open(dc_zip_reader *r, const dc_zip *zip, const dc_zip_entry *entry, dc_error *err) {
  uint8_t head[ZIP_LOCAL_BYTES];
  *r = (dc_zip_reader){ .zip = zip, .entry = entry };
  if (check_entry(entry, err) != 0 || dc_input_read(zip->in, entry->header_at, head, sizeof head, err) != 0) return -1;
  if (dc_get_le32(head) != ZIP_LOCAL) return damaged(err, "a member is not where the directory says");
  r->at = entry->header_at + sizeof head + dc_get_le16(head + 26) + dc_get_le16(head + 28);
  r->left = entry->packed;
  if (r->at > zip->end || r->left > zip->end - r->at) return damaged(err, "a member reaches into the directory");
  if (entry->method == ZIP_STORED) return 0;
  r->piece = malloc(PIECE);
  if (r->piece == NULL) return dc_fail_oom(err);
  r->inflate = dc_inflate_open(DC_RAW_DEFLATE, more, r, err);
  if (r->inflate != NULL) return 0;
  dc_zip_reader_close(r);
  return -1;
}

static int fail_length(const dc_zip_reader *r, dc_error *err) {
  return dc_fail(err, DC_IO, NULL, "the archive is damaged: the member has not the %" PRIu64 " bytes that it says",
                 r->entry->size);
}

int dc_zip_reader_pull(void *reader, void *dst, size_t n, dc_error *err) {
  dc_zip_reader *r = reader;
  size_t got = n;
  if (n > r->entry->size - r->given)
    return dc_fail(err, DC_IO, NULL, "the member is cut short: it has only %" PRIu64 " bytes", r->entry->size);
  if (r->inflate != NULL) {
    if (dc_inflate_read(r->inflate, dst, n, &got, err) != 0) return -1;
    if (got < n) return fail_length(r, err);
  } else {
    if (dc_input_read(r->zip->in, r->at, dst, n, err) != 0) return -1;
    r->at += n;
    r->left -= n;
  }
  r->crc = dc_crc32(r->crc, dst, n);
  r->given += n;
  return 0;
}

int dc_zip_reader_finish(dc_zip_reader *r, dc_error *err) {
  char rest[4096];
  while (r->given < r->entry->size) {
    const uint64_t left = r->entry->size - r->given;
    if (dc_zip_reader_pull(r, rest, left < sizeof rest ? (size_t)left : sizeof rest, err) != 0) return -1;
  }
  size_t beyond = 0;
  if (r->inflate != NULL && dc_inflate_read(r->inflate, rest, 1, &beyond, err) != 0) return -1;
  if (beyond > 0) return fail_length(r, err);
  if (r->crc == r->entry->crc) return 0;
  return dc_fail(err, DC_IO, NULL, "the archive is damaged: a member's bytes are not what its check value (CRC) says");
}

void dc_zip_reader_close(dc_zip_reader *r) {
  dc_inflate_close(r->inflate);
  free(r->piece);
  r->inflate = NULL;
  r->piece = NULL;
}
