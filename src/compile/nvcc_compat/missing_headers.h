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

/* Headers of the host's that may be there and do not compile, or take long; with blanks between. */
extern const char dc_missing_heavy_headers[];
