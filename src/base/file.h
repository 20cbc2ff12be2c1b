/*
** file.h - whole files, folders, and safe replacement.
*/
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* Reads all of `path` into a malloc'ed, NUL-terminated *data (the NUL is not counted). DC_IO on failure. */
int dc_file_read(const char *path, char **data, size_t *len, dc_error *err);

/* Writes a temporary file beside `path` and renames it over `path`, mode 0600; `lasting`: what was there or what is now
** is there also after the machine stops meanwhile, for which the disk is waited for. DC_IO on failure. */
int dc_file_replace(const char *path, const void *data, size_t len, bool lasting, dc_error *err);

/* mkdir -p with mode 0700 for what it makes. */
int dc_file_mkdirs(const char *path, dc_error *err);

bool dc_file_exists(const char *path);
bool dc_file_is_dir(const char *path);

/* A string that identifies a file and its contents: path, size and time of change, malloc'ed.  NULL: no
** file, or out of memory. */
char *dc_file_identity(const char *path);
