/*
** prototypes.h - prototypes of kernels in headers that have other parameters than the kernel that the source defines.
**
** To nvcc they are overloads of which nobody launches one.  Here they make the names of a template's instances
** ambiguous, by which NVRTC is asked for them.
*/
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Blanks them in `header`, with `blank`; whether there are any. */
bool dc_prototypes_stale(char *header, size_t len, const char *source, size_t source_len, bool blank);
