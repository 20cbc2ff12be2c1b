/*
** missing_headers.h - the header that a source uses without including it: nvcc includes some before every source, and
** sources are cut out of files that began with #include lines.
*/
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The header that brings the name, in the namespace ("std", "cub", or "" for none); NULL when none is known. */
const char *dc_missing_header(const char *space, const char *name, size_t n);

/* Whether a header that is not there is one of the host's, of which kernels take nothing. */
bool dc_missing_host_header(const char *name, size_t n);

/* Whether a header is the host's though it is there: it does not compile, or takes long. */
bool dc_missing_heavy_header(const char *name, size_t n);

/* The next of those that are listed by their whole names; NULL for the first, and at the end. */
const char *dc_missing_heavy_next(const char *before, size_t *n);
