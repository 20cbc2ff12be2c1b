/*
** output.h - a file that takes its place when it is complete.
**
** What is written goes to a temporary file in the same folder, which dc_output_commit renames to the path: a reader of
** the path meanwhile, or after a failure, finds the previous contents.  A link is followed; permissions of a file that
** is replaced stay.  A path that is a pipe or a device (/dev/stdout) is written to as it comes. Not synced: after a
** crash of the machine itself the file may be incomplete, as with any that is written.
*/
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

typedef struct dc_output {
  int fd;        /* -1: closed */
  char *target;  /* where it is to go */
  char *temp;    /* NULL: written in place */
  char *buffer;
  size_t used;   /* bytes in the buffer */
  uint64_t size; /* bytes written so far, the buffer's included */
} dc_output;

#define DC_OUTPUT_CLOSED { -1, NULL, NULL, NULL, 0, 0 }

int dc_output_open(dc_output *out, const char *path, dc_error *err);
int dc_output_write(dc_output *out, const void *src, size_t n, dc_error *err);
/* Overwrites n bytes at a position that has been written; DC_IO for what cannot be (a pipe). */
int dc_output_patch(dc_output *out, uint64_t at, const void *src, size_t n, dc_error *err);
/* The file takes its place.  It is closed then, also on failure. */
int dc_output_commit(dc_output *out, dc_error *err);
void dc_output_abandon(dc_output *out); /* nothing remains of it; idempotent, also after commit */

/* As a sink; `ud` is the dc_output. */
int dc_output_push(void *output, const void *src, size_t n, dc_error *err);
