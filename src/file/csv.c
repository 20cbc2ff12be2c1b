/*
** csv.c - reading and writing tables of numbers.
*/
#include "file/csv.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/dtype.h"
#include "base/error.h"
#include "file/bytes.h"
#include "file/number_text.h"

typedef struct reader {
  const dc_csv_options *o;
  const char *p, *end;
  const char *line_start;
  int64_t line;
  size_t size; /* of an element */
  size_t used, cap; /* elements */
  dc_csv *csv;
  dc_error *err;
} reader;

/* --- lines and places --------------------------------------------------------------------------------------- */

static bool ends_line(const reader *r, const char *p) {
  return p == r->end || *p == '\n' || *p == '\r' || (r->o->comment && *p == r->o->comment);
}

static bool is_blank(const reader *r, char c) { return c == ' ' || (c == '\t' && r->o->delimiter != '\t'); }

static void skip_blanks(reader *r) {
  while (r->p < r->end && is_blank(r, *r->p)) r->p++;
}

/* To the beginning of the next line: "\n", "\r\n" and "\r" end one. */
static void next_line(reader *r) {
  while (r->p < r->end && *r->p != '\n' && *r->p != '\r') r->p++;
  if (r->p < r->end && *r->p++ == '\r' && r->p < r->end && *r->p == '\n') r->p++;
  r->line++;
  r->line_start = r->p;
}

/* The field at p as a message shows it. */
static const char *show_field(const reader *r, const char *p, char text[48]) {
  size_t n = 0;
  const char d = r->o->delimiter;
  while (p + n < r->end && p[n] != '\n' && p[n] != '\r' && p[n] != d && !(d == ' ' && p[n] == '\t') && n < 40) {
    text[n] = isprint((unsigned char)p[n]) ? p[n] : '?';
    n++;
  }
  const bool cut = n == 40;
  while (n > 0 && text[n - 1] == ' ') n--;
  strcpy(text + n, cut ? "..." : "");
  return text;
}

static int fail_at(reader *r, const char *p, int64_t field, const char *what) {
  return dc_fail(r->err, DC_IO, NULL, "line %" PRId64 ", column %td (field %" PRId64 "): %s", r->line,
                 p - r->line_start + 1, field, what);
}

static int fail_number(reader *r, const char *p, int64_t field, dc_read_as why) {
  char text[48], what[200];
  const char *name = dc_dtype_name(r->o->dtype);
  show_field(r, p, text);
  if (why == DC_READ_OUT_OF_RANGE) snprintf(what, sizeof what, "'%s' is out of range for %s", text, name);
  else if (why == DC_READ_FRACTION) snprintf(what, sizeof what, "'%s' is no integer, which %s needs", text, name);
  else if (*text == '\0')
    snprintf(what, sizeof what, "the field is empty; option 'missing' says what empty fields stand for");
  else
    snprintf(what, sizeof what, "'%s' is no number%s", text,
             r->line == 1 && !r->o->header ? "; option 'header' says that the first line names the columns" : "");
  return fail_at(r, p, field, what);
}

/* --- fields ------------------------------------------------------------------------------------------------- */

static int grow(reader *r) {
  const size_t cap = r->cap ? 2 * r->cap : 1024;
  char *data = cap > SIZE_MAX / 2 / r->size ? NULL : realloc(r->csv->data, cap * r->size);
  if (data == NULL) return dc_fail_oom(r->err);
  r->csv->data = data;
  r->cap = cap;
  return 0;
}

/* One field, blanks around it included, up to its delimiter or the line's end. */
static int read_field(reader *r, int64_t field) {
  if (r->used == r->cap && grow(r) != 0) return -1;
  char *element = r->csv->data + r->used * r->size;
  skip_blanks(r);
  const char *first = r->p;
  const bool empty = ends_line(r, r->p) || *r->p == r->o->delimiter;
  if (empty && r->o->fills) {
    memcpy(element, r->o->missing, r->size);
  } else {
    const bool quoted = *r->p == '"';
    if (quoted) r->p++;
    const dc_read_as rc = empty ? DC_READ_NO_NUMBER : dc_number_read(&r->p, r->o->dtype, element);
    if (rc == DC_READ_FINE && quoted && *r->p++ != '"') return fail_number(r, first, field, DC_READ_NO_NUMBER);
    if (rc != DC_READ_FINE) return fail_number(r, first, field, rc);
    const char *behind = r->p;
    skip_blanks(r);
    const bool apart = ends_line(r, r->p) || *r->p == r->o->delimiter || (r->o->delimiter == ' ' && r->p > behind);
    if (!apart) return fail_number(r, first, field, DC_READ_NO_NUMBER);
  }
  r->used++;
  return 0;
}

/* True, and past it, when another field follows in the line. */
static bool take_delimiter(reader *r) {
  if (r->o->delimiter == ' ') return !ends_line(r, r->p); /* blanks have been skipped */
  if (r->p == r->end || *r->p != r->o->delimiter) return false;
  r->p++;
  return true;
}

static int fail_ragged(reader *r, int64_t fields) {
  return dc_fail(r->err, DC_IO, NULL, "line %" PRId64 " has %" PRId64 " field%s, %s %" PRId64, r->line, fields,
                 fields == 1 ? "" : "s", r->csv->names.len > 0 ? "the header names" : "the first row has",
                 r->csv->columns);
}

static int read_row(reader *r) {
  int64_t fields = 0;
  do {
    if (read_field(r, ++fields) != 0) return -1;
  } while (take_delimiter(r));
  if (r->csv->columns == 0) r->csv->columns = fields;
  if (fields != r->csv->columns) return fail_ragged(r, fields);
  return (++r->csv->rows & 0xfff) == 0 ? dc_file_interrupted(r->err) : 0;
}

/* --- the header --------------------------------------------------------------------------------------------- */

/* One name, in quotes ("" stands for one inside) or not. */
static int read_name(reader *r, int64_t field) {
  dc_buf *names = &r->csv->names;
  const char *first = r->p, d = r->o->delimiter;
  if (r->p < r->end && *r->p == '"') {
    for (r->p++; r->p < r->end; r->p++) {
      if (*r->p == '"' && *++r->p != '"') break;
      if (*r->p != '\0' && *r->p != '\n') dc_buf_putc(names, *r->p);
    }
    skip_blanks(r);
    if (r->p < r->end && *r->p != '\n' && *r->p != '\r' && *r->p != d && d != ' ')
      return fail_at(r, first, field, "the name's quotes end before the field does");
  } else {
    while (r->p < r->end && *r->p != '\n' && *r->p != '\r' && *r->p != d && !(d == ' ' && *r->p == '\t')) r->p++;
    const char *last = r->p;
    while (last > first && is_blank(r, last[-1])) last--;
    for (const char *q = first; q < last; q++)
      if (*q != '\0') dc_buf_putc(names, *q);
    skip_blanks(r);
  }
  dc_buf_add(names, "", 1);
  return names->failed ? dc_fail_oom(r->err) : 0;
}

static int read_header(reader *r) {
  skip_blanks(r);
  if (r->o->comment && r->p < r->end && *r->p == r->o->comment) r->p++; /* "# x,y": what some write */
  do {
    skip_blanks(r);
    if (read_name(r, ++r->csv->columns) != 0) return -1;
  } while (r->o->delimiter == ' ' ? r->p < r->end && *r->p != '\n' && *r->p != '\r' : take_delimiter(r));
  return 0;
}

/* --- the whole ---------------------------------------------------------------------------------------------- */

static int read_lines(reader *r) {
  bool header = r->o->header;
  for (int64_t i = 0; i < r->o->skip && r->p < r->end; i++) next_line(r);
  for (; r->p < r->end; next_line(r)) {
    skip_blanks(r);
    const bool nothing = r->p == r->end || *r->p == '\n' || *r->p == '\r';
    if (nothing || (ends_line(r, r->p) && !header)) continue;
    if ((header ? read_header(r) : read_row(r)) != 0) return -1;
    header = false;
  }
  return 0;
}

int dc_csv_read(dc_csv *csv, const char *text, size_t n, const dc_csv_options *options, dc_error *err) {
  *csv = (dc_csv){ .names = DC_BUF_INIT };
  if (n >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) text += 3, n -= 3; /* how some editors mark UTF-8 */
  reader r = { .o = options, .p = text, .end = text + n, .line_start = text, .line = 1, .csv = csv, .err = err,
               .size = dc_dtype_size(options->dtype) };
  if (read_lines(&r) == 0) return 0;
  dc_csv_free(csv);
  return -1;
}

void dc_csv_free(dc_csv *csv) {
  free(csv->data);
  csv->data = NULL;
  dc_buf_free(&csv->names);
}

int dc_csv_write(const dc_sink *to, dc_dtype dtype, const void *elements, size_t n, int64_t columns, int64_t column,
                 char delimiter, dc_error *err) {
  char text[8192];
  const char *p = elements;
  int rc = 0, used = 0;
  void *before = dc_number_print_begin();
  for (size_t i = 0; i < n && rc == 0; i++, p += dc_dtype_size(dtype)) {
    used += dc_number_print(text + used, dtype, p);
    if (++column == columns) column = 0;
    text[used++] = column == 0 ? '\n' : delimiter;
    if (used > (int)sizeof text - DC_NUMBER_TEXT - 1) {
      rc = to->push(to->ud, text, (size_t)used, err);
      used = 0;
    }
  }
  if (rc == 0 && used > 0) rc = to->push(to->ud, text, (size_t)used, err);
  dc_number_print_end(before);
  return rc;
}
