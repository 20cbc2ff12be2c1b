/*
** npy.c - headers of .npy files, both ways.
*/
#include "file/npy.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/dtype.h"
#include "base/error.h"
#include "file/bytes.h"

#define MAX_HEADER (1u << 20) /* NumPy's own are some hundred bytes; those of structured dtypes may be long */

/* --- a literal of Python's ---------------------------------------------------------------------------------- */

typedef struct parser {
  const char *p, *end;
  dc_npy *npy;
  dc_error *err;
} parser;

static int damaged(parser *s, const char *what) {
  return dc_fail(s->err, DC_IO, NULL, "the header of the .npy data is damaged: %s", what);
}

static void skip_blanks(parser *s) {
  while (s->p < s->end && (*s->p == ' ' || *s->p == '\t' || *s->p == '\n' || *s->p == '\r')) s->p++;
}

/* Takes the character if it comes next. */
static bool take(parser *s, char c) {
  skip_blanks(s);
  if (s->p == s->end || *s->p != c) return false;
  s->p++;
  return true;
}

/* A quoted string without escapes. */
static int parse_string(parser *s, const char **text, size_t *len) {
  skip_blanks(s);
  if (s->p == s->end || (*s->p != '\'' && *s->p != '"')) return damaged(s, "a string in quotes is expected");
  const char quote = *s->p++;
  *text = s->p;
  while (s->p < s->end && *s->p != quote && *s->p != '\\' && *s->p != '\n') s->p++;
  if (s->p == s->end || *s->p != quote) return damaged(s, "a string does not end");
  *len = (size_t)(s->p++ - *text);
  return 0;
}

static int unsupported(parser *s, const char *what, const char *advice) {
  return dc_fail(s->err, DC_IO, NULL, "it holds %s, which arrays here cannot; %s", what, advice);
}

static int refuse_dtype(parser *s, char kind, const char *text, size_t len) {
  char what[80];
  switch (kind) {
    case 'O': return unsupported(s, "Python objects", "pickled data is never read; save numbers from NumPy instead");
    case 'S': case 'a': return unsupported(s, "strings of bytes", "save numbers from NumPy instead");
    case 'U': return unsupported(s, "strings", "save numbers from NumPy instead");
    case 'M': case 'm': return unsupported(s, "dates or times", "save x.astype('int64') from NumPy");
    case 'V': return unsupported(s, "structured or untyped elements (void)", "save each field of its own from NumPy");
    default: break;
  }
  snprintf(what, sizeof what, "elements of dtype '%.*s'", len < 24 ? (int)len : 24, text);
  return unsupported(s, what, "save x.astype('float64') or another dtype from NumPy");
}

/* NumPy has the IEEE formats. */
static bool has_dtype(dc_dtype t) { return !dc_dtype_is_half(t) || t == DC_FLOAT16; }

static dc_dtype find_dtype(char kind, long size) {
  for (int t = 0; t < DC_NDTYPES; t++)
    if (dc_dtype_kind(t) == kind && dc_dtypes[t].size == size && has_dtype((dc_dtype)t)) return (dc_dtype)t;
  return DC_DTYPE_NONE;
}

/* "<f4": byte order, kind, bytes. */
static int parse_descr(parser *s) {
  const char *text;
  size_t len;
  skip_blanks(s);
  if (s->p < s->end && (*s->p == '[' || *s->p == '(' || *s->p == '{')) return refuse_dtype(s, 'V', "", 0);
  if (parse_string(s, &text, &len) != 0) return -1;
  size_t i = 0;
  char order = '|';
  if (len > 0 && strchr("<>=|", text[0]) && text[0]) order = text[i++];
  const char kind = i < len ? text[i++] : '\0';
  long size = kind == '?' ? 1 : 0;
  size_t digits = 0;
  for (; i < len && text[i] >= '0' && text[i] <= '9' && digits < 8; i++, digits++) size = size * 10 + (text[i] - '0');
  const bool plain = i == len && (digits > 0) == (kind != '?');
  const dc_dtype t = plain ? find_dtype(kind == '?' ? 'b' : kind, size) : DC_DTYPE_NONE;
  if (t == DC_DTYPE_NONE) return refuse_dtype(s, kind, text, len);
  s->npy->dtype = t;
  s->npy->swapped = order == '>' && dc_dtype_size(t) > 1;
  return 0;
}

static bool take_word(parser *s, const char *word) {
  const size_t n = strlen(word);
  if ((size_t)(s->end - s->p) < n || memcmp(s->p, word, n) != 0) return false;
  s->p += n;
  return true;
}

static int parse_order(parser *s) {
  skip_blanks(s);
  if (take_word(s, "True")) s->npy->fortran = true;
  else if (!take_word(s, "False")) return damaged(s, "'fortran_order' is neither True nor False");
  return 0;
}

static int parse_extent(parser *s, int64_t *extent) {
  skip_blanks(s);
  const char *first = s->p;
  int64_t v = 0;
  if (s->p < s->end && *s->p == '-') return damaged(s, "an extent of the shape is negative");
  for (; s->p < s->end && *s->p >= '0' && *s->p <= '9'; s->p++)
    if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, *s->p - '0', &v))
      return damaged(s, "an extent of the shape is beyond all bounds");
  if (s->p == first) return damaged(s, "an extent of the shape is no integer");
  if (s->p < s->end && *s->p == 'L') s->p++; /* Python 2's long integers */
  *extent = v;
  return 0;
}

static int parse_shape(parser *s) {
  if (!take(s, '(')) return damaged(s, "'shape' is no tuple");
  dc_npy *npy = s->npy;
  while (!take(s, ')')) {
    if (npy->ndim == DC_NPY_MAX_DIMS) return damaged(s, "the shape has more than 64 axes");
    if (parse_extent(s, &npy->shape[npy->ndim++]) != 0) return -1;
    if (take(s, ',')) continue;
    if (npy->ndim == 1 || !take(s, ')')) return damaged(s, "'shape' is no tuple of integers");
    break;
  }
  return 0;
}

enum { SEEN_DESCR = 1, SEEN_ORDER = 2, SEEN_SHAPE = 4, SEEN_ALL = 7 };

static int parse_entry(parser *s, int *seen) {
  static const struct {
    const char *name;
    int bit;
    int (*parse)(parser *s);
  } keys[] = { { "descr", SEEN_DESCR, parse_descr },
               { "fortran_order", SEEN_ORDER, parse_order },
               { "shape", SEEN_SHAPE, parse_shape } };
  const char *text;
  size_t len;
  if (parse_string(s, &text, &len) != 0) return -1;
  if (!take(s, ':')) return damaged(s, "a ':' is expected behind a key");
  for (int i = 0; i < 3; i++) {
    if (strlen(keys[i].name) != len || memcmp(keys[i].name, text, len) != 0) continue;
    if (*seen & keys[i].bit) return damaged(s, "a key stands there twice");
    *seen |= keys[i].bit;
    return keys[i].parse(s);
  }
  return damaged(s, "it has a key besides 'descr', 'fortran_order' and 'shape'");
}

static int parse_dict(parser *s) {
  int seen = 0;
  if (!take(s, '{')) return damaged(s, "it does not begin with '{'");
  while (!take(s, '}')) {
    if (parse_entry(s, &seen) != 0) return -1;
    if (take(s, ',')) continue;
    if (!take(s, '}')) return damaged(s, "a ',' or '}' is expected");
    break;
  }
  skip_blanks(s);
  if (s->p != s->end) return damaged(s, "something stands behind its '}'");
  return seen == SEEN_ALL ? 0 : damaged(s, "'descr', 'fortran_order' or 'shape' is missing");
}

/* --- reading -------------------------------------------------------------------------------------------------- */

/* Bytes of all elements, checked against what the source has behind the header. */
static int check_size(dc_npy *npy, uint64_t room, dc_error *err) {
  uint64_t bytes = dc_dtype_size(npy->dtype);
  bool empty = false, beyond = false;
  for (int i = 0; i < npy->ndim; i++) {
    if (npy->shape[i] == 0) empty = true;
    else beyond |= __builtin_mul_overflow(bytes, (uint64_t)npy->shape[i], &bytes) || bytes >> 62;
  }
  if (beyond) /* also when an extent of 0 makes it nothing: such a shape is no array here either */
    return dc_fail(err, DC_IO, NULL, "the header of the .npy data asks for more than 2^62 bytes of elements");
  npy->bytes = empty ? 0 : bytes;
  if (npy->bytes > room)
    return dc_fail(err, DC_IO, NULL,
                   "the file is cut short: its header asks for %" PRIu64 " bytes of elements, %" PRIu64 " are there",
                   npy->bytes, room);
  return 0;
}

int dc_npy_read_header(dc_npy *npy, const dc_source_of *from, uint64_t size, dc_error *err) {
  uint8_t head[12];
  memset(npy, 0, sizeof *npy);
  if (size < 10) return dc_fail(err, DC_IO, NULL, "this is no .npy data: it has %" PRIu64 " bytes", size);
  if (from->pull(from->ud, head, 8, err) != 0) return -1;
  if (memcmp(head, DC_NPY_MAGIC, 6) != 0) return dc_fail(err, DC_IO, NULL, "this is no .npy data");
  if (head[6] < 1 || head[6] > 3)
    return dc_fail(err, DC_IO, NULL, "it has version %d.%d of the .npy format; 1 to 3 are known", head[6], head[7]);
  const size_t width = head[6] == 1 ? 2 : 4;
  if (from->pull(from->ud, head + 8, width, err) != 0) return -1;
  const uint64_t len = width == 2 ? dc_get_le16(head + 8) : dc_get_le32(head + 8), before = 8 + width;
  if (len > size - before)
    return dc_fail(err, DC_IO, NULL, "the file is cut short: its header of %" PRIu64 " bytes ends behind its end", len);
  if (len > MAX_HEADER)
    return dc_fail(err, DC_IO, NULL, "the .npy header has %" PRIu64 " bytes; more than %u are not read", len,
                   MAX_HEADER);
  char *text = malloc((size_t)len + 1);
  if (text == NULL) return dc_fail_oom(err);
  int rc = from->pull(from->ud, text, (size_t)len, err);
  if (rc == 0) {
    parser s = { text, text + len, npy, err };
    rc = parse_dict(&s);
  }
  free(text);
  npy->data_offset = before + len;
  return rc == 0 ? check_size(npy, size - npy->data_offset, err) : -1;
}

int dc_npy_settle(dc_dtype dtype, bool swapped, void *bytes, size_t n, uint64_t at, dc_error *err) {
  const bool complex = dc_dtype_kind(dtype) == 'c';
  if (swapped) dc_swap_bytes(bytes, n, dc_dtype_size(dtype) / (complex ? 2 : 1));
  if (dtype != DC_BOOL) return 0;
  const uint8_t *p = bytes;
  for (size_t i = 0; i < n; i++)
    if (p[i] > 1)
      return dc_fail(err, DC_IO, NULL, "element %" PRIu64 " of the bool array is %d, neither 0 nor 1", at + i + 1,
                     p[i]);
  return 0;
}

/* --- writing -------------------------------------------------------------------------------------------------- */

/* NumPy's description of the dtype, "<f4"; "" where NumPy has no such dtype. */
static void describe(dc_dtype t, char text[8]) {
  const dc_dtype_info *d = &dc_dtypes[t];
  text[0] = '\0';
  if (has_dtype(t)) snprintf(text, 8, "%c%c%d", d->size == 1 ? '|' : '<', d->kind, d->size);
}

char *dc_npy_header(dc_dtype dtype, bool fortran, int ndim, const int64_t *shape, size_t *n, dc_error *err) {
  dc_buf b = DC_BUF_INIT;
  char descr[8];
  describe(dtype, descr);
  if (!*descr) {
    dc_fail(err, DC_DTYPE, NULL,
            "NumPy's files have no %s; save a:to \"float32\", which holds every %s exactly, or use dc.save_raw",
            dc_dtype_name(dtype), dc_dtype_name(dtype));
    return NULL;
  }
  dc_buf_add(&b, DC_NPY_MAGIC "\x01\x00\x00\x00", 10);
  dc_buf_printf(&b, "{'descr': '%s', 'fortran_order': %s, 'shape': (", descr, fortran ? "True" : "False");
  for (int i = 0; i < ndim; i++) dc_buf_printf(&b, "%s%" PRId64, i > 0 ? ", " : "", shape[i]);
  dc_buf_puts(&b, ndim == 1 ? ",), }" : "), }");
  while ((b.len + 1) % 64 != 0 && !b.failed) dc_buf_putc(&b, ' ');
  dc_buf_putc(&b, '\n');
  *n = b.len;
  char *header = dc_buf_take(&b);
  if (header == NULL) dc_fail_oom(err);
  else dc_put_le((uint8_t *)header + 8, *n - 10, 2);
  return header;
}
