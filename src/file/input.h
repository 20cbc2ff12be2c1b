/*
** input.h - a regular file open for reading, by position; and parts of it mapped into memory.
*/
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

typedef struct dc_input {
  int fd;        /* -1: closed */
  uint64_t size; /* bytes, when it was opened */
} dc_input;

#define DC_INPUT_CLOSED { -1, 0 }

/* Only regular files have a size that can be trusted: folders, pipes and devices are refused. DC_IO. */
int dc_input_open(dc_input *in, const char *path, dc_error *err);
/* Exactly n bytes from position `at`; DC_IO when the file ends before. */
int dc_input_read(const dc_input *in, uint64_t at, void *dst, size_t n, dc_error *err);
/* The whole file, malloc'ed, with a NUL behind it that is not counted. */
int dc_input_read_all(const dc_input *in, char **data, size_t *n, dc_error *err);
void dc_input_close(dc_input *in); /* idempotent */

/* Pulls from a position on. */
typedef struct dc_input_at {
  const dc_input *in;
  uint64_t at;
} dc_input_at;
int dc_input_pull(void *input_at, void *dst, size_t n, dc_error *err);

typedef struct dc_mapping {
  void *start; /* of the pages; NULL: nothing is mapped */
  size_t length;
} dc_mapping;

/* Maps n > 0 bytes from position `at` and gives their address in *p.  What is written there stays in memory: the
** file is never changed.  Pages that the file has lost meanwhile fault when touched. */
int dc_input_map(const dc_input *in, uint64_t at, size_t n, dc_mapping *map, void **p, dc_error *err);
void dc_mapping_close(dc_mapping *map); /* idempotent */
