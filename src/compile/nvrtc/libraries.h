/*
** libraries.h - the other libraries of CUDA's toolkit: where they lie, and loading them.
*/
#pragma once

#include "base/buf.h"

/* Opens one of a library's versions ("libcublas.so.13", "libcublas.so.12"; newest first, NULL-terminated): of the
** compiler's own version where there is a choice, beside it, in the toolkit, in NVIDIA's wheels (`wheel`: its folder in
** those of CUDA 12, "cublas"), or wherever the system's loader finds it.  On success *path is the file (malloc'ed);
** else NULL, with a line for each place in `why`. */
void *dc_toolkit_open(const char *const *sonames, const char *wheel, char **path, dc_buf *why);
