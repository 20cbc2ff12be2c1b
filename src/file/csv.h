/*
** csv.h - tables of numbers as text: a line a row, fields separated by a character.
*/
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/dtype.h"
#include "base/error.h"
#include "file/bytes.h"

typedef struct dc_csv_options {
  char delimiter;   /* ' ': any run of blanks and tabs */
  char comment;     /* begins what is left out, to the line's end; NUL: nothing does */
  bool header;      /* the first line names the columns */
  int64_t skip;     /* lines left out at the beginning */
  dc_dtype dtype;
  bool fills;       /* empty fields stand for `missing`, an element of the dtype; else they are errors */
  char missing[16];
} dc_csv_options;

typedef struct dc_csv {
  char *data; /* rows * columns elements, C order */
  int64_t rows, columns;
  dc_buf names; /* of the columns, each with its NUL; empty without a header */
} dc_csv;

/* Reads the text, which has a NUL at text[n].  DC_IO with line, column (of characters, from 1) and field for what is
** no number of the dtype, and for rows of another length than the first. */
int dc_csv_read(dc_csv *csv, const char *text, size_t n, const dc_csv_options *options, dc_error *err);
void dc_csv_free(dc_csv *csv); /* idempotent */

/* n elements of a table of `columns` columns; the first of them stands in column `column`, from 0. */
int dc_csv_write(const dc_sink *to, dc_dtype dtype, const void *elements, size_t n, int64_t columns, int64_t column,
                 char delimiter, dc_error *err);
